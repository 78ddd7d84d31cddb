//! The risk packs as they are shipped: phrases with class and note, one file per locale, read once.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::Deserialize;

use super::RiskClass;
use crate::{
    control::{
        phrase::{InvalidPhrase, Phrases, Sets},
        reading::Slips,
    },
    locale::Locale,
};

/// One locale's risk words, ready to search.
pub(super) struct Pack {
    /// Words whose misspelt forms are recognised.
    pub(super) slips: Slips,
    /// The phrases.
    pub(super) phrases: Phrases<Entry>,
    /// What a phrase looks like without spaces.
    pub(super) joined: Vec<Joined>,
    /// What makes a wish to be dead a plan.
    pub(super) details: Phrases<Detail>,
    /// Longer phrases that mean something else than the risk phrase inside.
    pub(super) absorbed: Phrases<Absorbed>,
    /// What stands around a phrase.
    pub(super) context: Context,
}

/// A risk phrase.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The phrase, as `phrase.rs` reads it.
    pub(super) phrase: String,
    class: RiskClass,
    without_i: Option<RiskClass>,
    /// What makes danger of it, if it is a wish to be dead.
    #[serde(default)]
    pub(super) wish: Wish,
    /// Whether what it ends in may lead on to something longer ("my suicide | prevention training"): anything below
    /// must-catch does, and there what says so, but no verb of killing oneself ("I commit suicide | watch me").
    #[serde(default)]
    leads_on: bool,
    #[expect(dead_code, reason = "it tells the clinician who owns the list what the phrase is for")]
    note: String,
}

/// What must stand beside a wish to be dead to make it danger. Ordered from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Wish {
    /// Any detail.
    #[default]
    Active,
    /// Any but a time: it hopes for death without doing anything, so that "tomorrow" is no plan.
    Passive,
    /// A means or an act; alone it means nothing ("I'm going to jump").
    Bare,
    /// Nothing: by its own words it is about somebody else ("killed himself").
    OfAnother,
}

impl Wish {
    /// Tells whether a detail of that kind makes danger of it; a time does so only where it belongs to the wish.
    pub(super) const fn is_danger_with(self, kind: DetailKind) -> bool {
        match (self, kind) {
            (Self::Active, _)
            | (Self::Passive | Self::Bare, DetailKind::Means | DetailKind::Act)
            | (Self::Passive, DetailKind::Plan | DetailKind::Farewell) => true,
            (Self::Passive | Self::Bare, DetailKind::Time)
            | (Self::Bare, DetailKind::Plan | DetailKind::Farewell)
            | (Self::OfAnother, _) => false,
        }
    }
}

/// A phrase that is looked for in what is written without spaces.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Joined {
    /// The letters.
    pub(super) phrase: String,
    /// Its class.
    pub(super) class: RiskClass,
    /// Whether only single letters in a row count, and nothing around them.
    #[serde(default)]
    pub(super) spaced_only: bool,
}

/// Something that turns a wish to be dead into danger.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Detail {
    /// What it is.
    pub(super) kind: DetailKind,
    /// The phrase.
    pub(super) phrase: String,
    /// Whether two such, without any word of dying, are danger ("goodbye everyone", "I took them all").
    #[serde(default)]
    pub(super) grave: bool,
}

/// What can turn a wish to be dead into danger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DetailKind {
    /// How.
    Plan,
    /// With what.
    Means,
    /// When.
    Time,
    /// A leave-taking.
    Farewell,
    /// Something done already.
    Act,
}

/// A longer phrase that means something else than the risk phrase inside.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Absorbed {
    /// The phrase.
    phrase: String,
    /// The class that it has itself.
    pub(super) class: Option<RiskClass>,
}

/// The words around a phrase that tell whose words it is and what is done with it.
pub(super) struct Context {
    /// The speaker.
    pub(super) first_person: Phrases<()>,
    /// Anybody else.
    pub(super) third_person: Phrases<()>,
    /// Words before somebody else that leave the speaker the subject ("with my friend").
    pub(super) companions: Phrases<()>,
    /// Words that may stand between somebody else and what is said of them.
    pub(super) between: Phrases<()>,
    /// Negations.
    pub(super) negations: Phrases<()>,
    /// Words that may stand between a negation and what it negates.
    pub(super) between_negation: Phrases<()>,
    /// Words that keep a negation from being one ("why don't I").
    pub(super) not_negations: Phrases<()>,
    /// Negations of what has been, which nothing behind the phrase takes back ("I haven't").
    pub(super) past_negations: Phrases<()>,
    /// Words in the phrase's clause that take a negation back ("yet", "for now").
    pub(super) negation_undone_by: Phrases<()>,
    /// Somebody else is said to say what follows, without quotation marks.
    pub(super) indirect: Phrases<()>,
    /// Who is quoted: somebody else or the speaker.
    pub(super) reports: Phrases<Speaker>,
    /// Words for whom the message is said to ("you"), who is no subject beyond the clause.
    pub(super) addressed: Phrases<()>,
    /// Words that announce fiction.
    pub(super) fiction: Phrases<()>,
    /// Reading, watching or writing something: fiction as far as the clause goes on about it.
    pub(super) pastimes: Phrases<()>,
    /// Words that lead on from such a pastime to something else.
    pub(super) pastime_ended_by: Phrases<()>,
    /// Words that may stand beside a time in a clause of its own ("maybe tonight").
    pub(super) beside_time: Phrases<()>,
    /// Verbs of saying, behind which "I" is a figure's.
    pub(super) speaks: Phrases<()>,
    /// Words that lead from the fiction back to the speaker.
    pub(super) fiction_undone_by: Phrases<()>,
}

/// Whose words are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The speaker's own.
    Own,
    /// Somebody else's.
    Other,
}

impl Absorbed {
    /// Tells whether it takes away so grave a class: with a gap in it, it may go around anything, and takes distress only.
    pub(super) fn may_absorb(&self, class: RiskClass) -> bool {
        class == RiskClass::Distress || !self.has_gap()
    }

    /// Tells whether there is a gap in it, in which anything may stand.
    pub(super) fn has_gap(&self) -> bool {
        self.phrase.contains("..")
    }
}

impl Entry {
    /// Tells whether a longer phrase that begins inside may mean something else than this one.
    pub(super) fn leads_on(&self) -> bool {
        self.leads_on || self.class < RiskClass::MustCatch
    }

    /// Returns its class in a sentence with or without the speaker in it.
    pub(super) fn class_with(&self, first_person: bool) -> RiskClass {
        match self.without_i {
            Some(class) if !first_person => class,
            Some(_) | None => self.class,
        }
    }
}

/// Returns the pack of a locale.
pub(super) fn of(locale: Locale) -> &'static Pack {
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

static ZH_CN: LazyLock<Pack> =
    LazyLock::new(|| read(include_str!("../../../packs/zh-CN/risk.json")).expect("a test reads every shipped pack"));
static EN: LazyLock<Pack> =
    LazyLock::new(|| read(include_str!("../../../packs/en/risk.json")).expect("a test reads every shipped pack"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    slips: Vec<String>,
    no_slips: Vec<String>,
    sets: Sets,
    phrases: Vec<Entry>,
    joined: Vec<Joined>,
    details: Vec<Detail>,
    absorbed: Vec<Absorbed>,
    context: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    first_person: Vec<String>,
    third_person: Vec<String>,
    companions: Vec<String>,
    between: Vec<String>,
    negations: Vec<String>,
    between_negation: Vec<String>,
    not_negations: Vec<String>,
    past_negations: Vec<String>,
    negation_undone_by: Vec<String>,
    indirect: Vec<String>,
    reports_other: Vec<String>,
    reports_own: Vec<String>,
    addressed: Vec<String>,
    fiction: Vec<String>,
    pastimes: Vec<String>,
    pastime_ended_by: Vec<String>,
    beside_time: Vec<String>,
    speaks: Vec<String>,
    fiction_undone_by: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("not a risk pack")]
    Shape(#[from] serde_json::Error),
    #[error(transparent)]
    Phrase(#[from] InvalidPhrase),
}

fn read(json: &str) -> Result<Pack, Unreadable> {
    let File { _about: _, slips, no_slips, sets, phrases, joined, details, absorbed, context } =
        serde_json::from_str(json)?;
    let plain = |words: Vec<String>| Phrases::new(words.into_iter().map(|word| (word, ())), &sets);
    let other = context.reports_other.into_iter().map(|phrase| (phrase, Speaker::Other));
    let own = context.reports_own.into_iter().map(|phrase| (phrase, Speaker::Own));
    Ok(Pack {
        slips: Slips { words: slips, never: no_slips },
        phrases: Phrases::new(phrases.into_iter().map(|entry| (entry.phrase.clone(), entry)), &sets)?,
        joined,
        details: Phrases::new(details.into_iter().map(|detail| (detail.phrase.clone(), detail)), &sets)?,
        absorbed: Phrases::new(absorbed.into_iter().map(|entry| (entry.phrase.clone(), entry)), &sets)?,
        context: Context {
            first_person: plain(context.first_person)?,
            third_person: plain(context.third_person)?,
            companions: plain(context.companions)?,
            between: plain(context.between)?,
            negations: plain(context.negations)?,
            between_negation: plain(context.between_negation)?,
            not_negations: plain(context.not_negations)?,
            past_negations: plain(context.past_negations)?,
            negation_undone_by: plain(context.negation_undone_by)?,
            indirect: plain(context.indirect)?,
            reports: Phrases::new(other.chain(own), &sets)?,
            addressed: plain(context.addressed)?,
            fiction: plain(context.fiction)?,
            pastimes: plain(context.pastimes)?,
            pastime_ended_by: plain(context.pastime_ended_by)?,
            beside_time: plain(context.beside_time)?,
            speaks: plain(context.speaks)?,
            fiction_undone_by: plain(context.fiction_undone_by)?,
        },
    })
}
