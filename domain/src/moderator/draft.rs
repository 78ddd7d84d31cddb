//! A scenario as its author wrote it: parsed, typed, not yet checked.
//!
//! A reader of files makes a [`Draft`]; [`check`](super::check) makes a scenario of it or says what is wrong. What is
//! absent here was absent in the file, or wrong in it and reported by the reader.

use crate::script::draft::{Span, Spanned, Words};

/// A whole scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// The whole file.
    pub span: Span,
    /// The version of the language.
    pub language: Option<Spanned<i64>>,
    /// The id of the scenario.
    pub id: Words,
    /// Its title.
    pub title: Words,
    /// The language of the moderator's templates.
    pub locale: Words,
    /// Who takes part; the list has a place of its own.
    pub participants: Option<Spanned<Vec<ParticipantDraft>>>,
    /// The phases; the list has a place of its own.
    pub phases: Option<Spanned<Vec<PhaseDraft>>>,
    /// How the moderator behaves.
    pub policy: PolicyDraft,
}

impl Draft {
    /// Returns the participants, none if there is no list.
    pub(super) fn participants(&self) -> &[ParticipantDraft] {
        self.participants.as_ref().map(|list| list.value.as_slice()).unwrap_or_default()
    }

    /// Returns the phases, none if there is no list.
    pub(super) fn phases(&self) -> &[PhaseDraft] {
        self.phases.as_ref().map(|list| list.value.as_slice()).unwrap_or_default()
    }
}

/// A participant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParticipantDraft {
    /// The whole entry.
    pub span: Span,
    /// The id.
    pub agent: Words,
    /// The name that the moderator uses.
    pub name: Words,
    /// Who that is.
    pub persona: Words,
    /// Where the words come from.
    pub kind: Words,
    /// The side.
    pub faction: Words,
}

/// A phase.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhaseDraft {
    /// The whole entry.
    pub span: Span,
    /// Its id.
    pub id: Words,
    /// What kind of part it is.
    pub kind: Words,
    /// The most speeches.
    pub max_rounds: Option<Spanned<i64>>,
    /// Whether urgent participants may come in out of turn.
    pub allow_interrupt: bool,
    /// How speakers are chosen.
    pub speaking_order: Words,
    /// Whether it ends with a summary.
    pub force_summary: bool,
    /// The most time, in minutes.
    pub max_minutes: Option<Spanned<f64>>,
}

/// How the moderator behaves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PolicyDraft {
    /// How far it intervenes.
    pub intervention_level: Option<Spanned<i64>>,
    /// Rounds of silence after which the room is cold.
    pub cold_threshold: Option<Spanned<i64>>,
    /// The share above which a participant has spoken too much.
    pub max_speak_ratio: Option<Spanned<f64>>,
    /// The most speeches in a row.
    pub max_consecutive_speaks: Option<Spanned<i64>>,
    /// Whether a phase may be rolled back.
    pub allow_rollback: Option<Spanned<bool>>,
    /// Whether a phase may be skipped.
    pub allow_skip: Option<Spanned<bool>>,
    /// What becomes of the others when one human is at risk.
    pub on_high: Words,
}
