//! Why words of choice choose nothing: what stands around them in their clause, their sentence and what follows.
//!
//! It knows no word of any language: each list is the pack's.

use serde::{Deserialize, Serialize};

use super::{
    Pack, holds_any, is_edge,
    pack::Form,
    passage::{self, Passage, phrase_at},
};

/// Why words of choice are no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Veto {
    /// They are negated.
    Negated,
    /// They are part of a question.
    Asked,
    /// They are taken back by what follows.
    Retracted,
    /// They tell what might be, what was, on what it depends, what others do, or what such a choice is like.
    Supposed,
}

/// Words of choice and what stands around them.
pub(super) struct Place<'a> {
    /// The whole message.
    pub(super) message: &'a str,
    /// The sentence of the words.
    pub(super) sentence: Passage<'a>,
    /// Their clause, by its place in the sentence.
    pub(super) clause: Passage<'a>,
    /// The words.
    pub(super) form: &'a Form,
    /// Where they begin in the sentence.
    pub(super) start: usize,
    /// Where they end in the sentence.
    pub(super) end: usize,
}

impl Place<'_> {
    /// Decides whether something speaks against a choice here.
    pub(super) fn veto(&self, packs: &[&Pack]) -> Option<Veto> {
        if self.is_asked(packs) {
            Some(Veto::Asked)
        } else if self.is_negated(packs) {
            Some(Veto::Negated)
        } else if self.is_retracted(packs) {
            Some(Veto::Retracted)
        } else if self.is_supposed(packs) {
            Some(Veto::Supposed)
        } else {
            None
        }
    }

    fn before(&self) -> &str {
        &self.sentence.text[self.clause.start..self.start]
    }

    fn is_asked(&self, packs: &[&Pack]) -> bool {
        let clause = without_harmless(self.clause.text, packs);
        let rest = without_harmless(&self.sentence.text[self.start..], packs);
        let asks = |pack: &&Pack| holds_any(&clause, &pack.questions) || holds_any(&rest, &pack.tails);
        self.sentence.text.ends_with('?') || packs.iter().any(asks)
    }

    fn is_negated(&self, packs: &[&Pack]) -> bool {
        let negates = |pack: &&Pack| {
            let before = passage::masked(self.before(), pack.no_negations.iter().map(String::as_str));
            holds_any(&before, &pack.negations)
        };
        packs.iter().any(negates)
    }

    /// Looks to the end of the message: who says `no` in the next sentence has not chosen.
    fn is_retracted(&self, packs: &[&Pack]) -> bool {
        let behind = without_harmless(&self.message[self.sentence.start + self.end..], packs);
        let refused =
            passage::clauses(&behind).any(|clause| packs.iter().any(|pack| pack.no.iter().any(|no| no == clause)));
        refused || packs.iter().any(|pack| holds_any(&behind, &pack.retractions))
    }

    fn is_supposed(&self, packs: &[&Pack]) -> bool {
        let sentence = without_harmless(self.sentence.text, packs);
        let before = without_harmless(self.before(), packs);
        let behind = without_harmless(&self.sentence.text[self.end..self.clause.start + self.clause.text.len()], packs);
        let introduction = without_harmless(&self.sentence.text[..self.clause.start], packs);
        let introduction = introduction.trim_end_matches(is_edge);
        let supposes = |pack: &&Pack| {
            holds_any(&sentence, &pack.conditions)
                || holds_any(&before, &pack.suppositions)
                || holds_any(&before, &pack.reports)
                || pack.reports.iter().any(|word| strip_after(introduction, word).is_some())
                || holds_any(&behind, &pack.evaluations)
        };
        packs.iter().any(supposes) || (self.form.own && !is_own(self.before(), packs))
    }
}

/// Tells whether a clause that begins with `before` goes on about the speaker: it names the first person last, or
/// nobody.
fn is_own(before: &str, packs: &[&Pack]) -> bool {
    let mut rest = before.trim_matches(is_edge);
    while let Some(shorter) = packs.iter().flat_map(|pack| &pack.fillers).find_map(|word| strip_after(rest, word)) {
        rest = shorter.trim_end_matches(is_edge);
    }
    rest.is_empty() || packs.iter().flat_map(|pack| &pack.first_person).any(|word| strip_after(rest, word).is_some())
}

fn without_harmless(text: &str, packs: &[&Pack]) -> String {
    passage::masked(text, packs.iter().flat_map(|pack| &pack.harmless).map(String::as_str))
}

fn strip_after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let start = text.len().checked_sub(word.len())?;
    phrase_at(text, start, word).then(|| &text[..start])
}
