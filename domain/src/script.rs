//! What a script says: phases, topics and actions, checked before anything runs.
//!
//! A [`Script`] is made by `check` alone, from a draft that a reader of files produced; it refers to nothing that is
//! not there, and each of its texts and conditions is already parsed.

mod action;
mod bounds;
mod builtin;
mod check;
mod condition;
pub mod defect;
pub mod draft;
mod duration;
mod template;
mod wording;

pub use action::{
    Action, ActionKind, AiAsk, AiSay, AiThink, Choice, Dialogue, Output, Say, SetValue, Setting, ShowPic, UserOption,
    Voice,
};
pub use bounds::{ActionBounds, Bounds, Cost, MAX_CALLS_PER_TURN, MAX_STEPS_PER_TURN, PhaseBounds, TopicBounds};
pub use builtin::{RESULT_FIELDS, SYSTEM_VARIABLES};
pub use check::{Checked, MAX_DEFECTS, check};
pub use condition::{Comparison, Condition, ConditionError, Name, NameRead, Operand, Tested};
pub use template::{Filled, Placeholder, Spelling, Subject, Template};

use std::{collections::BTreeMap, time::Duration};

use crate::{
    control::output::OutputCheck,
    id::{ActionId, PhaseId, ScriptId, TopicId},
    locale::Locale,
    variable::{Kind, Value, VariableName},
};

/// A whole script, ready to run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Script {
    /// Its id.
    pub id: ScriptId,
    /// Its title, for people.
    pub title: Option<String>,
    /// Its version, as the author writes it.
    pub version: String,
    /// The language of the built-in texts.
    pub locale: Locale,
    /// How carefully the subject matter is handled.
    pub safety: Safety,
    /// Who may speak, by the name that actions use.
    pub roles: BTreeMap<String, Role>,
    /// Global variables and constants.
    pub globals: Vec<Global>,
    /// Variables of the session.
    pub declare: Vec<Declaration>,
    /// The bounds of a session.
    pub limits: Limits,
    /// Stop words beside the locale's.
    pub stop_words: Vec<String>,
    /// The phases, in order; at least one.
    pub phases: Vec<Phase>,
    /// What a model's texts are checked against: the contacts that the script's own texts name are allowed.
    pub output_check: OutputCheck,
}

/// What the script is about, as far as safety goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// Anything but health.
    #[default]
    General,
    /// Counselling: questionnaires, crisis data and a risk pack are required.
    Counselling,
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    /// What the role is called in the conversation.
    pub name: Option<String>,
    /// How it speaks unless an action says otherwise.
    pub tone: Option<Template>,
}

/// A variable that the script announces.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Its name.
    pub name: VariableName,
    /// What it means, for the model and for people.
    pub define: Option<String>,
    /// The kind it must have; without one the value decides.
    pub kind: Option<Kind>,
    /// Its initial value.
    pub value: Option<Value>,
}

/// A variable of the global scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// Name, meaning, kind, value.
    pub declaration: Declaration,
    /// Whether sessions may change it.
    pub access: Access,
}

/// Whether a global variable can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A constant of the script.
    ReadOnly,
    /// Kept for the subject across sessions.
    Writable,
}

/// The bounds of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// The most turns.
    pub turns: u32,
    /// The most model calls.
    pub model_calls: u32,
    /// The most actions that plans may insert.
    pub inserted_actions: u32,
    /// How long a session may wait for its person.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: 200, model_calls: 600, inserted_actions: 20, idle: Duration::from_hours(30 * 24) }
    }
}

/// A part of the conversation with a goal of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// Its id, unique in the script.
    pub id: PhaseId,
    /// Its title, for people.
    pub title: Option<String>,
    /// What it is for.
    pub goal: Option<Template>,
    /// Asked once on reaching it; false skips it.
    pub when: Option<Condition>,
    /// A remark for authors.
    pub note: Option<String>,
    /// Variables of the phase.
    pub declare: Vec<Declaration>,
    /// The topics, in order; at least one.
    pub topics: Vec<Topic>,
}

/// A subject that is worked through action by action.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Its id, unique in the script.
    pub id: TopicId,
    /// Its title, for people.
    pub title: Option<String>,
    /// What it is for.
    pub goal: Option<Template>,
    /// Asked once on reaching it; false skips it.
    pub when: Option<Condition>,
    /// A remark for authors.
    pub note: Option<String>,
    /// Variables of the topic.
    pub declare: Vec<Declaration>,
    /// The actions, in order; at least one.
    pub actions: Vec<Action>,
}

impl Script {
    /// Finds a phase by its id.
    pub fn phase(&self, id: &PhaseId) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.id == *id)
    }

    /// Finds a topic by its id.
    pub fn topic(&self, id: &TopicId) -> Option<&Topic> {
        self.phases.iter().flat_map(|phase| &phase.topics).find(|topic| topic.id == *id)
    }
}

impl Topic {
    /// Finds an action by its id.
    pub fn action(&self, id: &ActionId) -> Option<&Action> {
        self.actions.iter().find(|action| action.id == *id)
    }
}
