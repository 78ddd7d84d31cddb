//! Reads how a message answers an offer: objections, yes, no. The word lists are the floor under any model's reading.
//!
//! Risk comes before all of it; this file knows nothing about risk.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};

use crate::{
    control::{
        phrase::{InvalidPhrase, Phrases, Sets},
        reading::Reading,
    },
    locale::Locale,
};

/// What holds somebody back. In the order in which the first of several is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resistance {
    /// That others learn of it.
    Privacy,
    /// That there is no time.
    Time,
    /// What others think.
    Stigma,
    /// Whether it helps.
    Doubt,
}

/// How a message answers an offer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is its own question about the message")]
pub struct Answer {
    resistances: Vec<Resistance>, // Invariant: in order, none twice.
    acceptance: bool,             // Invariant: false if there is resistance, a refusal or a hedge.
    refusal: bool,
    hedge: bool,
    names_offer: bool,
}

impl Resistance {
    /// All kinds, in the order in which the first of several is named.
    pub const ALL: [Self; 4] = [Self::Privacy, Self::Time, Self::Stigma, Self::Doubt];

    /// Returns the kind as prompts, events and `decide` write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Privacy => "privacy",
            Self::Time => "time",
            Self::Stigma => "stigma",
            Self::Doubt => "doubt",
        }
    }
}

impl Answer {
    /// Reads `message` with the word lists of `locales`; without a locale in a script, that is all of them.
    pub fn read(message: &str, locales: &[Locale]) -> Self {
        let reading = Reading::of(message);
        let parts: Vec<Part> = locales.iter().map(|&locale| pack(locale).read(&reading)).collect();
        let resistances: Vec<Resistance> = Resistance::ALL
            .into_iter()
            .filter(|kind| parts.iter().any(|part| part.resistances.contains(kind)))
            .collect();
        let refusal = parts.iter().any(|part| part.refusal);
        let hedge = parts.iter().any(|part| part.hedge);
        let yes = parts.iter().any(|part| part.yes);
        let names_offer = parts.iter().any(|part| part.names_offer);
        let acceptance = yes && !refusal && !hedge && resistances.is_empty();
        Self { resistances, acceptance, refusal, hedge, names_offer }
    }

    /// Takes what a model-backed reader made of a message; the lists stay the floor: what they found is kept.
    #[must_use]
    pub fn or_as_read(mut self, resistances: &[Resistance], acceptance: bool, refusal: bool) -> Self {
        self.resistances.extend(resistances);
        self.resistances.sort_unstable();
        self.resistances.dedup();
        self.refusal |= refusal;
        self.acceptance =
            (self.acceptance || acceptance) && !self.refusal && !self.hedge && self.resistances.is_empty();
        self
    }

    /// Returns the first objection.
    pub fn resistance(&self) -> Option<Resistance> {
        self.resistances.first().copied()
    }

    /// Returns all objections, in order.
    pub fn resistances(&self) -> &[Resistance] {
        &self.resistances
    }

    /// Tells whether it is a yes without an objection, a refusal or a hedge.
    pub const fn acceptance(&self) -> bool {
        self.acceptance
    }

    /// Tells whether it names the offer, or joining it.
    pub const fn names_offer(&self) -> bool {
        self.names_offer
    }

    /// Tells whether it is a bare no, or refuses the offer or the asking.
    pub const fn refusal(&self) -> bool {
        self.refusal
    }
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is its own question about the message")]
struct Part {
    resistances: Vec<Resistance>,
    yes: bool,
    refusal: bool,
    hedge: bool,
    names_offer: bool,
}

struct Pack {
    resistance: Phrases<Resistance>,
    listed: Phrases<Resistance>,
    cancelled_by: Phrases<()>,
    not_resistance: Phrases<()>,
    acceptance: Phrases<()>,
    opening: Phrases<()>,
    before_opening: Phrases<()>,
    open_wish: Phrases<()>,
    wish_goal: Phrases<()>,
    behind_goal: Phrases<()>,
    negations: Phrases<()>,
    bare_no: Phrases<()>,
    no: Phrases<()>,
    refusal: Phrases<()>,
    not_refusal: Phrases<()>,
    hedge: Phrases<()>,
    not_yes: Phrases<()>,
    names_offer: Phrases<()>,
}

type Span = (usize, usize);

/// How far before a yes a negation still takes it back, in words.
const NEGATION_REACH: usize = 3;

impl Pack {
    fn read(&self, reading: &Reading) -> Part {
        Part {
            resistances: self.resistances(reading),
            yes: self.says_yes(reading),
            refusal: self.is_bare_no(reading) || self.refuses(reading),
            hedge: !self.hedge.find(reading).is_empty(),
            names_offer: !self.names_offer.find(reading).is_empty(),
        }
    }

    /// Listed phrases come first; a word alone is cancelled by a negation directly before it, or inside a phrase that
    /// says that it is no problem.
    fn resistances(&self, reading: &Reading) -> Vec<Resistance> {
        let cancelled = spans(&self.cancelled_by, reading);
        let words = self.resistance.find(reading).into_iter();
        let settled = spans(&self.not_resistance, reading);
        let standing = words.filter(|word| {
            let inside = settled.iter().any(|span| span.0 <= word.start && word.end <= span.1);
            !inside && !cancelled.iter().any(|negation| negation.1 == word.start)
        });
        let listed = self.listed.find(reading).into_iter();
        listed.chain(standing).map(|found| *found.meaning).collect()
    }

    fn says_yes(&self, reading: &Reading) -> bool {
        let no_yes = spans(&self.not_yes, reading);
        let negations = spans(&self.negations, reading);
        let mut words = spans(&self.acceptance, reading);
        words.extend(spans(&self.opening, reading).into_iter().filter(|span| self.opens_clause(reading, *span)));
        words.extend(spans(&self.open_wish, reading).into_iter().filter(|span| self.wishes_for_it(reading, *span)));
        words.into_iter().any(|word| {
            let absorbed = no_yes.iter().any(|span| span.0 <= word.0 && word.1 <= span.1);
            let negated = negations.iter().any(|negation| {
                let near = negation.1 <= word.0 && word.0 - negation.1 < NEGATION_REACH;
                near && same_clause(reading, negation.0, word.0)
            });
            !absorbed && !negated
        })
    }

    /// A short yes counts where a clause begins, or behind "oh", "well" and the like; in Chinese it is the whole clause.
    fn opens_clause(&self, reading: &Reading, (start, end): Span) -> bool {
        let spaced = reading.tokens[start].forms[0].is_ascii();
        let ends = spaced || reading.tokens.get(end).is_none_or(|next| next.clause != reading.tokens[start].clause);
        let begins = start == 0
            || !same_clause(reading, start - 1, start)
            || self.before_opening.longest_at(reading, start - 1) == Some(start);
        begins && ends
    }

    /// "I want to" is a yes if nothing follows, or joining, trying, going, doing it or the offer.
    fn wishes_for_it(&self, reading: &Reading, (start, end): Span) -> bool {
        let ends = |at: usize| reading.tokens.get(at).is_none_or(|next| next.clause != reading.tokens[start].clause);
        if ends(end) {
            return true;
        }
        let goals = self.wish_goal.find(reading);
        goals.into_iter().any(|goal| {
            goal.start == end && (ends(goal.end) || self.behind_goal.longest_at(reading, goal.end).is_some())
        })
    }

    /// A refusal of the offer or of the asking that nothing before it turns into a question or takes back ("it is not
    /// that I don't want to join").
    fn refuses(&self, reading: &Reading) -> bool {
        let turned = spans(&self.not_refusal, reading);
        let refusals = spans(&self.refusal, reading);
        refusals.into_iter().any(|refusal| {
            let turns =
                |turn: &Span| turn.0 <= refusal.0 && refusal.0 <= turn.1 && same_clause(reading, turn.0, refusal.0);
            !turned.iter().any(turns)
        })
    }

    /// A sentence that is nothing but a no, with or without thanks.
    fn is_bare_no(&self, reading: &Reading) -> bool {
        let noes = spans(&self.no, reading);
        noes.iter().any(|no| {
            let sentence = reading.tokens[no.0].sentence;
            let first = reading.tokens.partition_point(|token| token.sentence < sentence);
            let behind = reading.tokens.partition_point(|token| token.sentence <= sentence);
            let mut at = first;
            while at < behind {
                match self.bare_no.longest_within(reading, at, behind) {
                    Some(end) => at = end,
                    None => return false,
                }
            }
            true
        })
    }
}

fn same_clause(reading: &Reading, a: usize, b: usize) -> bool {
    reading.tokens[a].clause == reading.tokens[b].clause
}

fn spans(phrases: &Phrases<()>, reading: &Reading) -> Vec<Span> {
    phrases.find(reading).into_iter().map(|found| (found.start, found.end)).collect()
}

fn pack(locale: Locale) -> &'static Pack {
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

static ZH_CN: LazyLock<Pack> = LazyLock::new(|| {
    read(include_str!("../../../packs/zh-CN/referral.json")).expect("a test reads every shipped pack")
});
static EN: LazyLock<Pack> =
    LazyLock::new(|| read(include_str!("../../../packs/en/referral.json")).expect("a test reads every shipped pack"));

type Words = BTreeMap<Resistance, Vec<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    sets: Sets,
    resistance: Words,
    listed: Words,
    cancelled_by: Vec<String>,
    not_resistance: Vec<String>,
    acceptance: Vec<String>,
    opening: Vec<String>,
    before_opening: Vec<String>,
    open_wish: Vec<String>,
    wish_goal: Vec<String>,
    behind_goal: Vec<String>,
    negations: Vec<String>,
    bare_no: Vec<String>,
    no: Vec<String>,
    refusal: Vec<String>,
    not_refusal: Vec<String>,
    hedge: Vec<String>,
    not_yes: Vec<String>,
    names_offer: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("not a referral pack")]
    Shape(#[from] serde_json::Error),
    #[error(transparent)]
    Phrase(#[from] InvalidPhrase),
}

fn read(json: &str) -> Result<Pack, Unreadable> {
    let file: File = serde_json::from_str(json)?;
    let plain = |words: Vec<String>| Phrases::new(words.into_iter().map(|word| (word, ())), &file.sets);
    let by_kind = |words: Words| {
        let all = words.into_iter().flat_map(|(kind, words)| words.into_iter().map(move |word| (word, kind)));
        Phrases::new(all, &file.sets)
    };
    Ok(Pack {
        resistance: by_kind(file.resistance)?,
        listed: by_kind(file.listed)?,
        cancelled_by: plain(file.cancelled_by)?,
        not_resistance: plain(file.not_resistance)?,
        acceptance: plain(file.acceptance)?,
        opening: plain(file.opening)?,
        before_opening: plain(file.before_opening)?,
        open_wish: plain(file.open_wish)?,
        wish_goal: plain(file.wish_goal)?,
        behind_goal: plain(file.behind_goal)?,
        negations: plain(file.negations)?,
        bare_no: plain(file.bare_no)?,
        no: plain(file.no)?,
        refusal: plain(file.refusal)?,
        not_refusal: plain(file.not_refusal)?,
        hedge: plain(file.hedge)?,
        not_yes: plain(file.not_yes)?,
        names_offer: plain(file.names_offer)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_pack_can_be_read() {
        for json in
            [include_str!("../../../packs/zh-CN/referral.json"), include_str!("../../../packs/en/referral.json")]
        {
            if let Err(error) = read(json) {
                panic!("{error}: {error:?}");
            }
        }
    }
}
