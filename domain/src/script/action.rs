//! What a script can do at one point of the conversation.

use std::time::Duration;

use super::{Condition, Template};
use crate::{
    exit::ExitPolicy,
    id::ActionId,
    variable::{Kind, Scope, Value, VariableName},
};

/// One step of a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Its id, unique in its topic.
    pub id: ActionId,
    /// Asked once on reaching it; false skips it.
    pub when: Option<Condition>,
    /// A remark for authors.
    pub note: Option<String>,
    /// What it does.
    pub kind: ActionKind,
}

/// The kinds of actions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionKind {
    /// Says a fixed text.
    Say(Say),
    /// Lets the model say something.
    AiSay(AiSay),
    /// Lets the model ask, over several rounds, until an exit source fires.
    AiAsk(AiAsk),
    /// Lets the model work something out without a word.
    AiThink(AiThink),
    /// Offers a single choice.
    UserOption(UserOption),
    /// Passes a picture on.
    ShowPic(ShowPic),
    /// Sets a variable.
    Set(Setting),
}

/// A fixed text.
#[derive(Debug, Clone, PartialEq)]
pub struct Say {
    /// The text.
    pub text: Template,
    /// `true`: wait for an acknowledgement, or any text, before going on.
    pub wait: bool,
}

/// Something that the model says.
#[derive(Debug, Clone, PartialEq)]
pub struct AiSay {
    /// What is to be said.
    pub task: Template,
    /// What it is for: explain, comfort, answer, summarise, … (open).
    pub purpose: String,
    /// How it is said.
    pub voice: Voice,
    /// Present with `max_rounds > 1`: it then answers until an exit source fires.
    pub dialogue: Option<Dialogue>,
    /// What it collects.
    pub outputs: Vec<Output>,
}

/// Something that the model asks.
#[derive(Debug, Clone, PartialEq)]
pub struct AiAsk {
    /// What is to be found out.
    pub task: Template,
    /// The fixed first utterance; without one the model writes it.
    pub opening: Option<Template>,
    /// How it is asked.
    pub voice: Voice,
    /// When it is done.
    pub dialogue: Dialogue,
    /// What it collects.
    pub outputs: Vec<Output>,
    /// The list variable to which one record per entity is appended; the outputs are then the record's fields.
    pub collect: Option<VariableName>,
}

/// Something that the model works out.
#[derive(Debug, Clone, PartialEq)]
pub struct AiThink {
    /// What is to be worked out.
    pub task: Template,
    /// How the model is called.
    pub voice: Voice,
    /// What it fills.
    pub outputs: Vec<Output>,
}

/// A single choice.
#[derive(Debug, Clone, PartialEq)]
pub struct UserOption {
    /// The variable that becomes the key of the choice.
    pub variable: VariableName,
    /// The question.
    pub ask: Template,
    /// The choices, in order; at least two, keys unique.
    pub choices: Vec<Choice>,
    /// How often the choices are shown at most.
    pub max_rounds: u32,
}

/// One choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What the variable becomes.
    pub key: String,
    /// What the person reads.
    pub text: Template,
}

/// A picture, never opened here.
#[derive(Debug, Clone, PartialEq)]
pub struct ShowPic {
    /// A URL or a relative path, passed on as it stands.
    pub url: String,
    /// What it shows, in words.
    pub alt: Option<Template>,
}

/// A variable and what it becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The variable.
    pub variable: VariableName,
    /// Its new value.
    pub value: SetValue,
}

/// What a variable is set to.
#[derive(Debug, Clone, PartialEq)]
pub enum SetValue {
    /// A value as written.
    Literal(Value),
    /// A text with placeholders, filled in when it is set.
    Template(Template),
}

/// How a model speaks for an action.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Voice {
    /// The tone, instead of the role's.
    pub tone: Option<Template>,
    /// The role, by its name in the script; without one the only role of the script speaks.
    pub role: Option<String>,
    /// A base temperature below the route's.
    pub temperature: Option<f64>,
    /// How long the model may take.
    pub timeout: Option<Duration>,
}

/// The many rounds of an interactive action.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// When it is done, in prose, for the model.
    pub exit: Option<Template>,
    /// When it is done, decided here.
    pub policy: ExitPolicy,
}

/// What an action leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// A variable that the answer gives.
    Get {
        /// The variable.
        name: VariableName,
        /// What it means; with one it can be extracted by a call of its own.
        define: Option<Template>,
        /// The kind it must have.
        kind: Option<Kind>,
        /// Declares the variable in that scope.
        scope: Option<Scope>,
        /// Whether the action is only satisfied with it.
        required: bool,
    },
    /// A variable that is set when the action ends.
    Set(Setting),
}

impl ActionKind {
    /// Returns the name of the kind as scripts write it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Say(_) => "say",
            Self::AiSay(_) => "ai_say",
            Self::AiAsk(_) => "ai_ask",
            Self::AiThink(_) => "ai_think",
            Self::UserOption(_) => "user_option",
            Self::ShowPic(_) => "show_pic",
            Self::Set(_) => "set",
        }
    }

    /// Returns the rounds of an interactive kind; the others have no exits and write no exit history.
    pub const fn dialogue(&self) -> Option<&Dialogue> {
        match self {
            Self::AiAsk(ask) => Some(&ask.dialogue),
            Self::AiSay(say) => say.dialogue.as_ref(),
            Self::Say(_) | Self::AiThink(_) | Self::UserOption(_) | Self::ShowPic(_) | Self::Set(_) => None,
        }
    }

    /// Returns what the kind leaves behind, in order.
    pub fn outputs(&self) -> &[Output] {
        match self {
            Self::AiAsk(ask) => &ask.outputs,
            Self::AiSay(say) => &say.outputs,
            Self::AiThink(think) => &think.outputs,
            Self::Say(_) | Self::UserOption(_) | Self::ShowPic(_) | Self::Set(_) => &[],
        }
    }
}

impl Action {
    /// Returns how often it may be answered at most; 0 for what does not ask.
    pub const fn max_rounds(&self) -> u32 {
        match &self.kind {
            ActionKind::UserOption(option) => option.max_rounds,
            kind => match kind.dialogue() {
                Some(dialogue) => dialogue.policy.max_rounds,
                None => 0,
            },
        }
    }

    /// Returns how a model speaks for it.
    pub const fn voice(&self) -> Option<&Voice> {
        match &self.kind {
            ActionKind::AiAsk(ask) => Some(&ask.voice),
            ActionKind::AiSay(say) => Some(&say.voice),
            ActionKind::AiThink(think) => Some(&think.voice),
            ActionKind::Say(_) | ActionKind::UserOption(_) | ActionKind::ShowPic(_) | ActionKind::Set(_) => None,
        }
    }

    /// Returns what a model is to do for it.
    pub const fn task(&self) -> Option<&Template> {
        match &self.kind {
            ActionKind::AiAsk(ask) => Some(&ask.task),
            ActionKind::AiSay(say) => Some(&say.task),
            ActionKind::AiThink(think) => Some(&think.task),
            ActionKind::Say(_) | ActionKind::UserOption(_) | ActionKind::ShowPic(_) | ActionKind::Set(_) => None,
        }
    }

    /// Returns the fixed first utterance of a question.
    pub const fn opening(&self) -> Option<&Template> {
        match &self.kind {
            ActionKind::AiAsk(ask) => ask.opening.as_ref(),
            ActionKind::Say(_)
            | ActionKind::AiSay(_)
            | ActionKind::AiThink(_)
            | ActionKind::UserOption(_)
            | ActionKind::ShowPic(_)
            | ActionKind::Set(_) => None,
        }
    }

    /// Returns what a speech is for.
    pub fn speech(&self) -> Option<&str> {
        match &self.kind {
            ActionKind::AiSay(say) => Some(&say.purpose),
            ActionKind::Say(_)
            | ActionKind::AiAsk(_)
            | ActionKind::AiThink(_)
            | ActionKind::UserOption(_)
            | ActionKind::ShowPic(_)
            | ActionKind::Set(_) => None,
        }
    }

    /// Returns the list to which it appends records.
    pub const fn collect(&self) -> Option<&VariableName> {
        match &self.kind {
            ActionKind::AiAsk(ask) => ask.collect.as_ref(),
            ActionKind::Say(_)
            | ActionKind::AiSay(_)
            | ActionKind::AiThink(_)
            | ActionKind::UserOption(_)
            | ActionKind::ShowPic(_)
            | ActionKind::Set(_) => None,
        }
    }
}

impl Output {
    /// Returns the variable.
    pub const fn name(&self) -> &VariableName {
        match self {
            Self::Get { name, .. } => name,
            Self::Set(setting) => &setting.variable,
        }
    }

    /// Tells whether the action is only satisfied with it.
    pub const fn is_required(&self) -> bool {
        match self {
            Self::Get { required, .. } => *required,
            Self::Set(_) => false,
        }
    }
}
