//! What a script asks of a deliberation: what should be covered, and how long it may take.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{Stage, Weights};
use crate::locale::Locale;

/// What a deliberation is about, as the script lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agenda {
    /// How long it may take, and what counts as enough.
    pub bounds: Bounds,
    /// Terms that have to be clear.
    pub terms: Vec<String>,
    /// Topics that should be discussed.
    pub topics: Vec<String>,
    /// Angles that should be taken.
    pub angles: Vec<String>,
    /// Constraints that a value is expected for.
    pub constraints: Vec<Constraint>,
    /// Options that are known beforehand; more may be named.
    pub options: Vec<String>,
}

/// How long a deliberation may take, and what counts as enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The language of the fixed texts.
    pub locale: Locale,
    /// The most rounds before the person must pick, split or pause.
    pub max_rounds: NonZeroU32,
    /// The most rounds of one visit to a stage.
    pub caps: Caps,
    /// What the checks of convergence weigh.
    pub weights: Weights,
}

/// The kinds of decisions with a length of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// What the problem is.
    Problem,
    /// What is required.
    Requirements,
    /// Which technique to use.
    Technical,
}

/// The most rounds of one visit to a stage; the summary has none of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Caps {
    /// Rounds in CLARIFY.
    pub clarify: NonZeroU32,
    /// Rounds in EXPLORE.
    pub explore: NonZeroU32,
    /// Rounds in CONVERGE.
    pub converge: NonZeroU32,
}

/// Something that every option is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Its id, unique in the deliberation.
    pub id: String,
    /// Whether an option that fails it is out.
    #[serde(default)]
    pub hard: bool,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Problem, Self::Requirements, Self::Technical];

    /// Returns the mode as scripts write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Requirements => "requirements",
            Self::Technical => "technical",
        }
    }

    /// Returns the most rounds of the mode.
    pub const fn max_rounds(self) -> NonZeroU32 {
        match self {
            Self::Problem => rounds(10),
            Self::Requirements => rounds(15),
            Self::Technical => rounds(8),
        }
    }
}

impl Bounds {
    /// Takes the default caps and weights.
    pub fn new(locale: Locale, max_rounds: NonZeroU32) -> Self {
        Self { locale, max_rounds, caps: Caps::default(), weights: Weights::default() }
    }
}

impl Default for Caps {
    fn default() -> Self {
        Self { clarify: rounds(3), explore: rounds(5), converge: rounds(3) }
    }
}

impl Caps {
    /// Returns the cap of a stage, if it has one.
    pub const fn of(self, stage: Stage) -> Option<NonZeroU32> {
        match stage {
            Stage::Clarify => Some(self.clarify),
            Stage::Explore => Some(self.explore),
            Stage::Converge => Some(self.converge),
            Stage::Summary => None,
        }
    }
}

const fn rounds(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("a constant above zero")
}
