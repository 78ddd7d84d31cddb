//! The lexical floor under every message: phrases that no detector and no context may score lower.
//!
//! It is always on, knows all shipped packs, and errs upwards. It is no diagnosis and no understanding.

mod frame;
mod pack;

pub use frame::Frame;

use serde::{Deserialize, Serialize};

use super::{
    RiskScore,
    phrase::Found,
    reading::{Reading, Row},
};
use crate::locale::Locale;
use pack::{Absorbed, Detail, DetailKind, Entry, Pack, Wish};

/// How dangerous a phrase is. Ordered from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskClass {
    /// Hopelessness, being a burden, thoughts of self-harm: 0.70.
    Distress,
    /// A wish to be dead, or a must-catch phrase that is negated, quoted, fiction or about somebody else: 0.85.
    Intent,
    /// Killing oneself said in the first person, or dying together with a plan, a means, a time, a farewell or an
    /// act: 0.96.
    MustCatch,
}

/// The worst that the floor found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How dangerous it is.
    pub class: RiskClass,
    /// The phrase of the pack that decided, with its locale: a rule's name, never the person's words.
    pub rule: String,
    /// What kept a must-catch phrase at intent, if anything did.
    pub frame: Option<Frame>,
}

/// Scans `text` with every shipped pack and returns the worst that it says; `None` if no phrase matches.
pub fn scan(text: &str) -> Option<Finding> {
    scan_in(text, &Locale::ALL)
}

/// Scans `text` with the packs of `locales` only, as `decide` may ask.
pub fn scan_in(text: &str, locales: &[Locale]) -> Option<Finding> {
    let found = locales.iter().flat_map(|&locale| {
        let pack = pack::of(locale);
        findings(pack, &Reading::with_slips(text, &pack.slips)).into_iter().map(move |finding| finding.named(locale))
    });
    // Of equally bad findings the first stands.
    found.fold(None, |worst: Option<Finding>, next| match worst {
        Some(worst) if worst.class >= next.class => Some(worst),
        Some(_) | None => Some(next),
    })
}

impl RiskClass {
    /// All classes, the least dangerous first.
    pub const ALL: [Self; 3] = [Self::Distress, Self::Intent, Self::MustCatch];

    /// Returns the class as events, packs and `decide` write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Distress => "distress",
            Self::Intent => "intent",
            Self::MustCatch => "must_catch",
        }
    }

    /// Returns the score that stands for the class.
    pub const fn score(self) -> RiskScore {
        match self {
            Self::Distress => RiskScore::DISTRESS,
            Self::Intent => RiskScore::INTENT,
            Self::MustCatch => RiskScore::MUST_CATCH,
        }
    }
}

impl Finding {
    fn named(mut self, locale: Locale) -> Self {
        self.rule = format!("{locale}: {}", self.rule);
        self
    }
}

fn findings(pack: &Pack, reading: &Reading) -> Vec<Finding> {
    let mut findings = joined(pack, reading);
    let (phrases, details) = (pack.phrases.find(reading), pack.details.find(reading));
    if phrases.is_empty() && details.len() < 2 {
        return findings;
    }
    let absorbed = pack.absorbed.find(reading);
    let mut wishes: Vec<Wished<'_>> = Vec::new();
    let frames = frame::Frames::new(&pack.context, reading);
    for found in phrases {
        let class = found.meaning.class_with(frames.has_first_person(found));
        let covers = |cover: &&Found<'_, Absorbed>| covers(cover, &found) && cover.meaning.may_absorb(class);
        let least = absorbed.iter().filter(covers).map(|cover| cover.meaning.class).min();
        let Some(class) = least.unwrap_or(Some(class)).min(Some(class)) else { continue };
        let frame = frames.around(found);
        if class == RiskClass::Intent {
            wishes.push(Wished { found, frame });
        }
        if found.meaning.wish == Wish::Bare {
            continue;
        }
        let class = if frame.is_some() { class.min(RiskClass::Intent) } else { class };
        findings.push(Finding { class, rule: found.meaning.phrase.clone(), frame });
    }
    let details: Vec<_> =
        details.into_iter().filter(|detail| !absorbed.iter().any(|cover| hides(cover, detail))).collect();
    findings.extend(wishes.iter().filter_map(|wish| together(pack, reading, wish, &details)));
    findings.extend(grave(&frames, &details));
    findings
}

/// A wish to be dead, with what keeps it from being the speaker's own.
struct Wished<'a> {
    found: Found<'a, Entry>,
    frame: Option<Frame>,
}

/// Tells whether `cover` is something longer than what was `found` in it, or what a noun at its end is the head of.
fn covers<T>(cover: &Found<'_, T>, found: &Found<'_, Entry>) -> bool {
    let begins = cover.start <= found.start || found.meaning.leads_on();
    begins && cover.start < found.end && found.end <= cover.end
}

/// Tells whether a detail stands in something longer that means something else.
fn hides(cover: &Found<'_, Absorbed>, detail: &Found<'_, Detail>) -> bool {
    !cover.meaning.has_gap() && cover.start <= detail.start && detail.end <= cover.end
}

/// Finds two grave details: what is said by somebody who is about to die; at intent if one is not the speaker's own.
fn grave(frames: &frame::Frames<'_>, details: &[Found<'_, Detail>]) -> Option<Finding> {
    let grave = details.iter().filter(|detail| detail.meaning.grave);
    let said: Vec<_> = grave.map(|detail| (detail, frames.around(*detail))).collect();
    let pairs = said.iter().enumerate().flat_map(|(at, first)| {
        let apart = |second: &&(&Found<'_, Detail>, _)| {
            second.0.start >= first.0.end && second.0.meaning.phrase != first.0.meaning.phrase
        };
        said[at..].iter().filter(apart).map(move |second| (first, second))
    });
    let findings = pairs.map(|(first, second)| {
        let frame = first.1.or(second.1);
        let class = if frame.is_some() { RiskClass::Intent } else { RiskClass::MustCatch };
        Finding { class, rule: format!("{} + {}", first.0.meaning.phrase, second.0.meaning.phrase), frame }
    });
    findings.max_by_key(|finding| finding.class)
}

/// Finds a wish to be dead together with a plan, a means, a time, a farewell or an act; at intent if it is not the
/// speaker's own.
///
/// A time counts only in the wish's own clause, or in one beside it that tells nothing but the time, and not beside a
/// passive wish; beside a wish that alone means nothing only a means or an act counts; the rest anywhere in the message.
fn together(pack: &Pack, reading: &Reading, wish: &Wished<'_>, details: &[Found<'_, Detail>]) -> Option<Finding> {
    let found = &wish.found;
    let fits = |detail: &&Found<'_, Detail>| {
        let apart = detail.end <= found.start || found.end <= detail.start;
        let its_own = detail.meaning.kind != DetailKind::Time || tells_when(pack, reading, found, detail);
        apart && found.meaning.wish.is_danger_with(detail.meaning.kind) && its_own
    };
    let detail = details.iter().find(fits)?;
    let class = if wish.frame.is_some() { RiskClass::Intent } else { RiskClass::MustCatch };
    let rule = format!("{} + {}", found.meaning.phrase, detail.meaning.phrase);
    Some(Finding { class, rule, frame: wish.frame })
}

/// Tells whether a time is the wish's: in its clause, or in the clause before or behind if nothing else is in that.
fn tells_when(pack: &Pack, reading: &Reading, wish: &Found<'_, Entry>, time: &Found<'_, Detail>) -> bool {
    let clause = |at: usize| reading.tokens[at].clause;
    let of_wish = clause(wish.start)..=clause(wish.end - 1);
    if of_wish.contains(&clause(time.start)) {
        return true;
    }
    let first = reading.tokens.partition_point(|token| token.clause < clause(time.start));
    let behind = reading.tokens.partition_point(|token| token.clause <= clause(time.start));
    let follows = first > 0 && clause(first - 1) == *of_wish.end();
    let leads = reading.tokens.get(behind).is_some_and(|next| next.clause == *of_wish.start());
    let alone = |from, to| frame::is_made_of(&pack.context.beside_time, reading, from, to);
    (follows || leads) && alone(first, time.start) && alone(time.end, behind)
}

/// Finds phrases that are written without spaces, or letter by letter.
fn joined(pack: &Pack, reading: &Reading) -> Vec<Finding> {
    let rows = reading.rows();
    let found = pack.joined.iter().filter(|entry| {
        rows.iter().any(|row| match row {
            Row::Letters(letters) if entry.spaced_only => *letters == entry.phrase,
            Row::Word(_) if entry.spaced_only => false,
            Row::Letters(row) | Row::Word(row) => row.contains(&entry.phrase),
        })
    });
    found.map(|entry| Finding { class: entry.class, rule: entry.phrase.clone(), frame: None }).collect()
}
