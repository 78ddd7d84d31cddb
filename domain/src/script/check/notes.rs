//! What the walk over a script notes about names, for the checks that need the whole script.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::{
    locale::Locale,
    script::{Condition, draft::Span},
    variable::{Kind, Operator, Scope, Value},
};

/// The most explicit kinds of one name that are looked at; more do not occur in scripts that people write.
const MAX_KINDS: usize = 1000;

/// Where in the script something stands; phases and topics by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Place {
    /// Above all phases.
    #[default]
    Script,
    /// On reaching a phase.
    Phase(usize),
    /// In a topic.
    Topic(usize, usize),
}

/// A name that is announced.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) scope: Scope,
    pub(super) place: Place,
    pub(super) value: Option<Value>,
    pub(super) read_only: bool,
}

/// A name that is set.
#[derive(Debug, Clone)]
pub(super) struct Write {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) at: u32,
    pub(super) place: Place,
    /// The scope that an output declares.
    pub(super) scope: Option<Scope>,
    pub(super) how: How,
    /// Whether the action is always reached once its topic is.
    pub(super) unconditional: bool,
    /// Whether its topic and phase are always entered.
    pub(super) always_entered: bool,
    /// The fixed value, if there is one.
    pub(super) literal: Option<Value>,
}

/// How a name is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By an output, which may stay missing.
    Output,
    /// By a choice or a list of records, which may stay missing.
    Answer,
    /// By the script itself.
    Set,
    /// By something that could not be read.
    Broken,
}

/// A name that is read.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) within: Option<Range<usize>>,
    pub(super) at: u32,
    pub(super) place: Place,
    pub(super) by: Reader,
    /// Whether an unset value is provided for.
    pub(super) guarded: bool,
}

/// What reads a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A text with placeholders.
    Text,
    /// A condition.
    Condition,
    /// `exists(…)`.
    Exists,
    /// One of the `custom_conditions`.
    Criteria,
}

/// A comparison that could be wrong in its kinds.
#[derive(Debug, Clone)]
pub(super) enum Compares {
    Condition { condition: Condition, span: Span, place: Place, at: u32 },
    Criteria { name: String, operator: Operator, value: Value, span: Span, place: Place, at: u32 },
}

/// Whole messages that mean the same in every state: stop words, and those of the locale.
#[derive(Debug)]
pub(super) struct Reserved {
    pub(super) locale: Locale,
    pub(super) stop_words: Vec<String>,
}

impl Default for Reserved {
    fn default() -> Self {
        Self { locale: Locale::En, stop_words: Vec::new() }
    }
}

#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) declared: Vec<Declared>,
    pub(super) writes: Vec<Write>,
    /// Where each name was declared first in its scope.
    pub(super) firsts: BTreeMap<(String, Scope, Place), Span>,
    /// The explicit kinds by name: what gives it, from when on, and the kind.
    kinds: BTreeMap<String, Vec<(Scope, Place, u32, Kind)>>,
    pub(super) reads: Vec<Read>,
    pub(super) compares: Vec<Compares>,
    /// The roles of the script.
    pub(super) roles: BTreeSet<String>,
    /// What a person may say in every state.
    pub(super) reserved: Reserved,
    /// The phases and topics that may be skipped.
    pub(super) skippable: BTreeSet<Place>,
    /// Where the walk is.
    pub(super) place: Place,
    /// Grows with each note, so that earlier and later can be told.
    pub(super) now: u32,
    /// Names that are surely set where the walk is, from the `when` of phase, topic and action.
    pub(super) proven: Vec<BTreeSet<String>>,
    /// Whether the action at the walk's place has a condition.
    pub(super) conditional: bool,
}

impl Notes {
    pub(super) fn tick(&mut self) -> u32 {
        self.now += 1;
        self.now
    }

    pub(super) fn read(&mut self, name: &str, span: Span, within: Option<Range<usize>>, by: Reader, guarded: bool) {
        let guarded = guarded || self.proven.iter().any(|names| names.contains(name));
        let at = self.tick();
        self.reads.push(Read { name: name.to_owned(), span, within, at, place: self.place, by, guarded });
    }

    pub(super) fn write(&mut self, name: &str, span: Span, how: How) -> &mut Write {
        let at = self.tick();
        let unconditional = !self.conditional;
        let always_entered = match self.place {
            Place::Topic(phase, _) => {
                !self.skippable.contains(&self.place) && !self.skippable.contains(&Place::Phase(phase))
            }
            Place::Script | Place::Phase(_) => true,
        };
        self.writes.push(Write {
            name: name.to_owned(),
            span,
            at,
            place: self.place,
            scope: None,
            how,
            unconditional,
            always_entered,
            literal: None,
        });
        self.writes.last_mut().expect("it was pushed on the line before")
    }

    /// Notes that `name` has an explicit kind in a scope of the walk's place, from now on or from the start of the scope.
    pub(super) fn typed(&mut self, name: &str, scope: Scope, kind: Option<Kind>, from: u32) {
        if let Some(kind) = kind {
            let place = frame(scope, self.place);
            self.kinds.entry(name.to_owned()).or_default().push((scope, place, from, kind));
        }
    }

    /// Finds the explicit kind that `name` has where it is read: the innermost one given before.
    pub(super) fn explicit_kind(&self, name: &str, place: Place, at: u32) -> Option<Kind> {
        let given = self.kinds.get(name)?.iter().take(MAX_KINDS);
        let seen = given.filter(|(_, of, from, _)| *from < at && visible(*of, place));
        seen.max_by_key(|(scope, _, from, _)| (*scope, *from)).map(|(_, _, _, kind)| *kind)
    }
}

/// Returns the place whose leaving ends `scope` for something at `place`.
pub(super) fn frame(scope: Scope, place: Place) -> Place {
    match (scope, place) {
        (Scope::Global | Scope::Session, _) | (Scope::Phase | Scope::Topic, Place::Script) => Place::Script,
        (Scope::Phase, Place::Topic(phase, _)) => Place::Phase(phase),
        (Scope::Phase | Scope::Topic, Place::Phase(_)) | (Scope::Topic, Place::Topic(..)) => place,
    }
}

/// Tells whether a name that lives in `frame` can be seen from `place`.
pub(super) fn visible(frame: Place, place: Place) -> bool {
    match (frame, place) {
        (Place::Script, _) => true,
        (Place::Phase(of), Place::Phase(at) | Place::Topic(at, _)) => of == at,
        (Place::Phase(_), Place::Script) => false,
        (Place::Topic(..), _) => frame == place,
    }
}
