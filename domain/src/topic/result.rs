//! What an action tells its topic when it is over. The action tells; only the topic draws conclusions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    exit::ExitSource,
    id::ActionId,
    reply::{BlockedBy, Drift, Emotion, Level, Progress},
    utterance::Text,
    variable::{Value, VariableName},
};

/// How an action went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    /// The action.
    pub action: ActionId,
    /// The group it belongs to, where a template made it.
    pub group: Option<String>,
    /// Its kind, as scripts write it.
    pub kind: String,
    /// Whether it ran to its end: not stopped, not broken off.
    pub completed: bool,
    /// How it went.
    pub outcome: Outcome,
    /// What it collected, by name.
    pub outputs: BTreeMap<VariableName, OutputResult>,
    /// The model's summary.
    pub brief: Option<Text>,
    /// What ended it, where it decides about exits.
    pub exit_source: Option<ExitSource>,
    /// Why it ended, where it decides about exits.
    pub exit_reason: Option<Text>,
    /// How the model says it went.
    pub progress: Option<Progress>,
    /// What stood in the way.
    pub blocked_by: Option<BlockedBy>,
    /// How well the last answer met the question.
    pub relevance: Option<Level>,
    /// How willing the person was.
    pub cooperation: Option<Level>,
    /// What the person felt.
    pub emotion: Option<Emotion>,
    /// Where the talk drifted.
    pub drift: Option<Drift>,
    /// The rounds it took; 0 for what has none.
    pub rounds: u32,
}

/// How an action went, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It has what it wanted.
    Satisfied,
    /// It has some of it.
    Partial,
    /// The person did not want to.
    Refused,
    /// Something stood in the way.
    Blocked,
    /// The person talked about something else.
    OffTopic,
    /// Its rounds were used up.
    MaxRounds,
    /// The person stopped.
    Cancelled,
    /// Safety stopped it.
    Safety,
    /// The model failed.
    Error,
}

/// One output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputResult {
    /// What it is; `None` if it is missing.
    pub value: Option<Value>,
    /// How it came to be.
    pub completeness: Completeness,
}

/// How complete an output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// A reply or an extraction gave it.
    Filled,
    /// It is the person's own words.
    Raw,
    /// It is not there.
    Missing,
}
