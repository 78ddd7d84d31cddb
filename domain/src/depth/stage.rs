//! Where a deliberation stands.

use serde::{Deserialize, Serialize};

/// The stages of a deliberation, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Stage {
    /// What is meant: terms, constraints, scope.
    Clarify,
    /// What there is: topics, angles, options.
    Explore,
    /// What speaks for which option.
    Converge,
    /// One option is proposed and waits for a yes.
    Summary,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 4] = [Self::Clarify, Self::Explore, Self::Converge, Self::Summary];

    /// Returns the stage as events write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clarify => "CLARIFY",
            Self::Explore => "EXPLORE",
            Self::Converge => "CONVERGE",
            Self::Summary => "SUMMARY",
        }
    }
}
