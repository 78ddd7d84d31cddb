//! How the moderator behaves, as a scenario says.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::depth::Ratio;

/// How the moderator behaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// How far it intervenes.
    pub level: Level,
    /// Rounds of silence after which the room is cold.
    pub cold_threshold: NonZeroU32,
    /// The share of a phase's speeches above which a participant has spoken too much.
    pub max_speak_ratio: Ratio,
    /// The most speeches in a row of one participant while there are others.
    pub max_consecutive_speaks: NonZeroU32,
    /// Whether a phase may be rolled back.
    pub allow_rollback: bool,
    /// Whether a phase may be skipped.
    pub allow_skip: bool,
    /// What becomes of the others when one human is at risk.
    pub on_high: OnHigh,
}

/// How far the moderator intervenes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Level {
    /// 0: it watches.
    Watch,
    /// 1: it calls someone when the room has been cold for long.
    Low,
    /// 2: it calls those who speak little.
    Medium,
    /// 3: it asks questions.
    High,
}

/// What becomes of the others when one human is at risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnHigh {
    /// The discussion is aborted.
    #[default]
    Abort,
    /// They go on without that person.
    Continue,
}

impl OnHigh {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Abort, Self::Continue];

    /// Returns it as scenarios write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Abort => "abort",
            Self::Continue => "continue",
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            level: Level::Medium,
            cold_threshold: NonZeroU32::new(3).expect("a constant above zero"),
            max_speak_ratio: Ratio::percent(60),
            max_consecutive_speaks: NonZeroU32::new(2).expect("a constant above zero"),
            allow_rollback: false,
            allow_skip: false,
            on_high: OnHigh::Abort,
        }
    }
}

impl TryFrom<u8> for Level {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        match number {
            0 => Ok(Self::Watch),
            1 => Ok(Self::Low),
            2 => Ok(Self::Medium),
            3 => Ok(Self::High),
            _ => Err("an intervention level is 0 to 3"),
        }
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        match level {
            Level::Watch => 0,
            Level::Low => 1,
            Level::Medium => 2,
            Level::High => 3,
        }
    }
}
