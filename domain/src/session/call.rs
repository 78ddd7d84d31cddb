//! A model call as the session asks for it, and what came of it as the engine reports it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Line;
use crate::{
    control::{ModelPermit, Structure, output::OutputCheck},
    exit::{ExitCriteria, ExitSource},
    id::ActionId,
    locale::Locale,
    topic::Completeness,
    utterance::Text,
    variable::{Kind, VariableName},
};

/// The most attempts of one call: the first and two retries.
pub const MAX_ATTEMPTS: u32 = 3;

/// What a model is called for. In the order in which the calls of one turn are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To read what a person intends.
    IntentReading,
    /// To advise how to speak.
    StrategyGeneration,
    /// To judge an answer, reply to it and take its values.
    Judging,
    /// To take values that the judging reply left out.
    Extraction,
    /// To change a topic's plan.
    Planning,
    /// To work something out without a word.
    Thinking,
    /// To say or ask something first.
    Speaking,
}

impl Purpose {
    const EXTRACTION_TEMPERATURE: f64 = 0.1;

    /// All purposes, in the order of a turn.
    pub const ALL: [Self; 7] = [
        Self::IntentReading,
        Self::StrategyGeneration,
        Self::Judging,
        Self::Extraction,
        Self::Planning,
        Self::Thinking,
        Self::Speaking,
    ];

    /// Returns the purpose as events and prompt files name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IntentReading => "intent_reading",
            Self::StrategyGeneration => "strategy_generation",
            Self::Judging => "judging",
            Self::Extraction => "extraction",
            Self::Planning => "planning",
            Self::Thinking => "thinking",
            Self::Speaking => "speaking",
        }
    }

    /// Returns the temperature of a call: extraction has its own, the rest the route's and the action's.
    pub const fn temperature(self, allowed: f64) -> f64 {
        match self {
            Self::Extraction => allowed.min(Self::EXTRACTION_TEMPERATURE),
            Self::IntentReading
            | Self::StrategyGeneration
            | Self::Judging
            | Self::Planning
            | Self::Thinking
            | Self::Speaking => allowed,
        }
    }

    /// Tells whether the person is to read the reply, so that it may be shown while it is written.
    pub const fn speaks(self) -> bool {
        match self {
            Self::Judging | Self::Speaking => true,
            Self::IntentReading | Self::StrategyGeneration | Self::Extraction | Self::Planning | Self::Thinking => {
                false
            }
        }
    }
}

/// One attempt of one model call that the session waits for.
#[derive(Debug)]
pub struct ModelCall<'a> {
    /// Leave to make it, with its bounds.
    pub permit: ModelPermit,
    /// The call, counted from 1 over the session.
    pub call_no: u32,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// What it is about.
    pub brief: &'a Brief,
    /// What was said before, oldest first, as far as the model may see.
    pub history: Vec<&'a Line>,
    /// Why the attempt before was thrown away.
    pub blocked: Option<&'a str>,
    /// A mark for the prompt that no reply may repeat.
    pub canary: String,
    /// What the words of the reply are checked against, also while they arrive.
    pub check: OutputCheck,
}

/// What a model call is about: everything that does not come from the conversation's past.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// What the model is called for.
    pub purpose: Purpose,
    /// The action that needs it.
    pub action: ActionId,
    /// The action's kind, as scripts write it.
    pub kind: String,
    /// What is to be done, in the author's words.
    pub task: Text,
    /// What a speech is for: explain, comfort, …
    pub speech: Option<String>,
    /// The fixed first utterance of a question.
    pub opening: Option<Text>,
    /// What the topic is for.
    pub goal: Option<Text>,
    /// Who speaks.
    pub role: Option<String>,
    /// How.
    pub tone: Option<Text>,
    /// The optional sources that can end the action.
    pub exits: Vec<ExitSource>,
    /// When the action is done, in prose.
    pub exit: Option<Text>,
    /// When the action is done, decided by the session.
    pub criteria: Option<ExitCriteria>,
    /// What the action collects.
    pub outputs: Vec<OutputBrief>,
    /// The list to which records are appended; the outputs are then their fields.
    pub collect: Option<VariableName>,
    /// The round that was answered, or that is about to open; 0 for actions without rounds.
    pub round: u32,
    /// The most rounds.
    pub max_rounds: u32,
    /// How the next utterance should be asked, after the last answer.
    pub style: Option<Style>,
    /// The low-relevance answers in a row so far.
    pub off_target: u32,
    /// A base temperature below the route's.
    pub temperature: Option<f64>,
    /// How long the model may take.
    pub timeout: Option<Duration>,
    /// What the reply must be made of.
    pub structure: Structure,
    /// The language of the conversation.
    pub locale: Locale,
    /// The names that a reply may have in place of `reply`.
    pub reply_names: Vec<String>,
}

impl Brief {
    /// Tells whether a first utterance is also the only chance to give values: the action has outputs and no rounds.
    pub fn fills_while_speaking(&self) -> bool {
        self.purpose == Purpose::Speaking && self.max_rounds == 0 && !self.outputs.is_empty()
    }
}

/// One value that an action collects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputBrief {
    /// The variable.
    pub name: VariableName,
    /// What it means.
    pub define: Option<Text>,
    /// The kind it must have.
    pub kind: Option<Kind>,
    /// Whether the action is only satisfied with it.
    pub required: bool,
    /// How complete it is so far.
    pub completeness: Completeness,
}

/// How the next utterance should be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// The last answer was short: offer a choice or an example.
    OfferChoice,
    /// The last answer was long: ask an open question.
    Open,
}

impl Style {
    const SHORT_CHARS: usize = 30;
    const LONG_CHARS: usize = 100;

    /// Decides how to go on after an answer: under 30 characters a choice or an example, over 100 an open question.
    pub fn after(answer: &Text) -> Option<Self> {
        match answer.visible_chars() {
            0..Self::SHORT_CHARS => Some(Self::OfferChoice),
            Self::SHORT_CHARS..=Self::LONG_CHARS => None,
            _ => Some(Self::Open),
        }
    }
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelAnswer {
    /// The call it belongs to.
    pub call_no: u32,
    /// The attempt it belongs to.
    pub attempt: u32,
    /// What the model said, or what went wrong.
    pub outcome: ModelOutcome,
    /// Who spoke.
    pub speaker: ModelVoice,
    /// The model's name, as configured.
    pub model: String,
    /// Tokens of the prompt, if known.
    pub tokens_in: Option<u32>,
    /// Tokens of the reply, if known.
    pub tokens_out: Option<u32>,
    /// How long it took.
    pub latency_ms: u64,
    /// The digest of the prompt.
    pub prompt_hash: String,
    /// The digest of the raw reply, if there is one.
    pub reply_hash: Option<String>,
    /// The prompt itself, where prompts are recorded.
    pub prompt: Option<Text>,
    /// Whether the raw reply goes into the event too.
    pub recorded: bool,
}

/// What a model said, or what went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelOutcome {
    /// The raw reply.
    Replied(Text),
    /// There is none.
    Failed(ModelFault),
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelVoice {
    /// A model.
    Model,
    /// The offline understudy: what it works out is the author's own words.
    Understudy,
}

/// How a model failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ModelFault {
    /// It took too long.
    #[error("the model took too long")]
    Timeout,
    /// The provider asked to slow down.
    #[error("the provider asked to slow down")]
    RateLimited,
    /// The provider failed, or could not be reached.
    #[error("the provider failed or could not be reached")]
    Unavailable,
    /// The reply was cut off.
    #[error("the reply was cut off")]
    Cut,
    /// The reply was empty.
    #[error("the reply was empty")]
    Empty,
    /// The model refused.
    #[error("the model refused")]
    Refused,
    /// The provider did not accept the request: a wrong key, a wrong name, a wrong form.
    #[error("the provider did not accept the request")]
    Rejected,
    /// What it wrote is not fit to be shown.
    #[error("the reply was not fit to be shown")]
    Blocked,
    /// A message that cannot wait came in.
    #[error("a message that cannot wait came in")]
    Preempted,
    /// The time of the turn was used up before the call.
    #[error("the time of the turn was used up")]
    TurnTimeUp,
}

impl ModelFault {
    /// Tells whether the same call may be tried again.
    pub const fn may_retry(self) -> bool {
        match self {
            Self::Timeout
            | Self::RateLimited
            | Self::Unavailable
            | Self::Cut
            | Self::Empty
            | Self::Refused
            | Self::Blocked => true,
            Self::Rejected | Self::Preempted | Self::TurnTimeUp => false,
        }
    }
}

/// What is kept of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// What the model was called for.
    pub purpose: Purpose,
    /// The action that needed it.
    pub action: Option<ActionId>,
    /// The round, where there are rounds.
    pub round: Option<u32>,
    /// The model's name.
    pub model: String,
    /// The temperature of the call.
    pub temperature: f64,
    /// Tokens of the prompt, if known.
    pub tokens_in: Option<u32>,
    /// Tokens of the reply, if known.
    pub tokens_out: Option<u32>,
    /// How long it took.
    pub latency_ms: u64,
    /// The digest of the prompt.
    pub prompt_hash: String,
    /// The digest of the raw reply; `None` if the attempt failed.
    pub reply_hash: Option<String>,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// The prose condition for being done that stood in the prompt.
    pub exit_text: Option<Text>,
    /// `EXIT` as it came.
    pub raw_exit: Option<Text>,
    /// The prompt, where prompts are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Text>,
    /// The raw reply, where prompts are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Text>,
}
