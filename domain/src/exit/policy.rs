//! What an interactive action listens to when it asks whether it is done.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ExitCriteria;

/// What can end an interactive action. Ordered from the highest precedence to the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitSource {
    /// The route went high.
    Safety,
    /// The person said a stop word, or the client stopped the session.
    Cancelled,
    /// The last permitted round was answered.
    MaxRounds,
    /// The model's `EXIT`.
    ExitFlag,
    /// The script's `exit_criteria`.
    ExitCriteria,
    /// The model's `should_exit`.
    LlmSuggestion,
    /// The third answer in a row that misses the target.
    OffTopic,
}

impl ExitSource {
    /// All sources, highest precedence first.
    pub const ALL: [Self; 7] = [
        Self::Safety,
        Self::Cancelled,
        Self::MaxRounds,
        Self::ExitFlag,
        Self::ExitCriteria,
        Self::LlmSuggestion,
        Self::OffTopic,
    ];
    /// The sources that a script may switch off.
    pub const OPTIONAL: [Self; 3] = [Self::ExitFlag, Self::ExitCriteria, Self::LlmSuggestion];

    /// Returns the source as scripts and events write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Cancelled => "cancelled",
            Self::MaxRounds => "max_rounds",
            Self::ExitFlag => "exit_flag",
            Self::ExitCriteria => "exit_criteria",
            Self::LlmSuggestion => "llm_suggestion",
            Self::OffTopic => "off_topic",
        }
    }
}

/// How an interactive action ends: its bound, its criteria, and which optional sources it listens to.
#[derive(Debug, Clone, PartialEq)]
pub struct ExitPolicy {
    /// The most rounds, at least 1.
    pub max_rounds: u32,
    /// The script's criteria, if it has any.
    pub criteria: Option<ExitCriteria>,
    listens_to: BTreeSet<ExitSource>, // Invariant: only `ExitSource::OPTIONAL`.
}

impl ExitPolicy {
    /// Listens to every source.
    pub fn new(max_rounds: u32, criteria: Option<ExitCriteria>) -> Self {
        Self { max_rounds, criteria, listens_to: ExitSource::OPTIONAL.into() }
    }

    /// Listens, of the optional sources, only to those given; what cannot be switched off stays on.
    #[must_use]
    pub fn listening_to(mut self, sources: impl IntoIterator<Item = ExitSource>) -> Self {
        self.listens_to = sources.into_iter().filter(|source| ExitSource::OPTIONAL.contains(source)).collect();
        self
    }

    /// Lists the optional sources it listens to.
    pub fn optional_sources(&self) -> Vec<ExitSource> {
        self.listens_to.iter().copied().collect()
    }

    /// Tells whether `source` can end the action.
    pub fn enables(&self, source: ExitSource) -> bool {
        !ExitSource::OPTIONAL.contains(&source) || self.listens_to.contains(&source)
    }
}
