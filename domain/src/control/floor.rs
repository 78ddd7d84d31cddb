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
use pack::{Detail, DetailKind, Entry, Pack};

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
        findings(pack, &Reading::of(text, &pack.slips)).into_iter().map(move |finding| finding.named(locale))
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
    let absorbed = pack.absorbed.find(reading);
    let mut findings: Vec<Finding> = Vec::new();
    let mut wishes: Vec<Found<'_, Entry>> = Vec::new();
    let phrases = pack.phrases.find(reading);
    if phrases.is_empty() {
        return joined(pack, reading);
    }
    let frames = frame::Frames::new(&pack.context, reading);
    for found in phrases {
        let class = found.meaning.class_with(frames.has_first_person(found));
        // What the risk phrase ends in may be the head of something longer: "my suicide | prevention training".
        let covering = absorbed.iter().filter(|cover| cover.start < found.end && found.end <= cover.end);
        let least = covering.map(|cover| *cover.meaning).min().unwrap_or(Some(class));
        let Some(class) = least.min(Some(class)) else { continue };
        let around = frames.around(found);
        if found.meaning.only_with_act {
            wishes.extend(around.is_none().then_some(found));
            continue;
        }
        let (class, frame) = match (class, around) {
            (RiskClass::MustCatch, Some(frame)) => (RiskClass::Intent, Some(frame)),
            (RiskClass::Intent, None) => {
                wishes.push(found);
                (class, None)
            }
            (class, _) => (class, None),
        };
        findings.push(Finding { class, rule: found.meaning.phrase.clone(), frame });
    }
    findings.extend(together(pack, reading, &wishes));
    findings.extend(joined(pack, reading));
    findings
}

/// Finds a wish to be dead together with a plan, a means, a time, a farewell or an act.
///
/// A time counts only in the wish's own clause, or in one beside it that tells nothing but the time, and not beside a
/// passive wish; beside a wish that alone means nothing only a means or an act counts; the rest anywhere in the message.
fn together(pack: &Pack, reading: &Reading, wishes: &[Found<'_, Entry>]) -> Option<Finding> {
    let details = pack.details.find(reading);
    wishes.iter().find_map(|wish| {
        let apart = |detail: &Found<'_, Detail>| detail.end <= wish.start || wish.end <= detail.start;
        let fits = |detail: &&Found<'_, Detail>| {
            apart(detail)
                && match detail.meaning.kind {
                    DetailKind::Time => !wish.meaning.passive && tells_when(pack, reading, wish, detail),
                    DetailKind::Means | DetailKind::Act => true,
                    DetailKind::Plan | DetailKind::Farewell => !wish.meaning.only_with_act,
                }
        };
        let detail = details.iter().find(fits)?;
        let rule = format!("{} + {}", wish.meaning.phrase, detail.meaning.phrase);
        Some(Finding { class: RiskClass::MustCatch, rule, frame: None })
    })
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
