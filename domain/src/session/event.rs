//! What happened in a session: one closed list, the same in the journal, on the wire and in the terminal.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{CallRecord, WaitFor};
use crate::{
    clock::Timestamp,
    control::{HandoffReason, RiskLabel, RiskScore, RouteChange, UnknownReason, floor::RiskClass, output::BlockReason},
    exit::ExitDecision,
    id::{ActionId, PhaseId, ScriptId, SessionId, TopicId},
    locale::Locale,
    topic::{ActionResult, Attainment, Collected, Ending},
    utterance::Text,
    variable::{Quality, Scope, Value, VariableName},
};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEvent {
    /// Counts from 1 without gaps.
    pub seq: u64,
    /// The turn it happened in; the opening is 0.
    pub turn: u32,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub body: EventBody,
}

/// What can happen. Written with the name of the variant as `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    /// A session began.
    SessionStarted {
        /// The session.
        session_id: SessionId,
        /// Its script.
        script: ScriptId,
        /// The script's version.
        version: String,
        /// The digest of the script's text; the session stays on it.
        script_digest: String,
        /// The language of the built-in texts.
        locale: Locale,
    },
    /// The person was told that this is an AI.
    Disclosed {
        /// In these words.
        text: Text,
    },
    /// A phase was entered.
    PhaseEntered {
        /// Which.
        phase: PhaseId,
    },
    /// A phase was left.
    PhaseLeft {
        /// Which.
        phase: PhaseId,
    },
    /// A topic was entered.
    TopicEntered {
        /// Its phase.
        phase: PhaseId,
        /// Which.
        topic: TopicId,
        /// Its actions, in order.
        plan: Vec<ActionId>,
    },
    /// A topic ended.
    TopicFinished {
        /// Which.
        topic: TopicId,
        /// Whether it reached its goal.
        attainment: Attainment,
        /// Why it ended.
        reason: Ending,
        /// How far each of its variables is.
        variables: BTreeMap<VariableName, Collected>,
    },
    /// An action began.
    ActionStarted {
        /// Which.
        action: ActionId,
        /// Its kind.
        kind: String,
    },
    /// A phase, topic or action was passed over.
    Skipped {
        /// Its full name.
        path: String,
        /// The condition that was false.
        when: String,
    },
    /// A picture was passed on.
    PictureShown {
        /// By which action.
        action: ActionId,
        /// Where it is.
        url: String,
        /// What it shows, in words.
        alt: Option<Text>,
    },
    /// Something was said.
    Utterance {
        /// Its id.
        id: UtteranceId,
        /// By whom.
        role: Speaker,
        /// In these words.
        text: Text,
        /// For which action.
        action: Option<ActionId>,
        /// Where the words come from.
        source: UtteranceSource,
    },
    /// An action waits for an answer once more.
    RoundStarted {
        /// Which.
        action: ActionId,
        /// The round; the first is 1.
        round: u32,
        /// The most rounds.
        max_rounds: u32,
    },
    /// Choices were shown.
    OptionsOffered {
        /// By which action; none by the crisis steps.
        action: Option<ActionId>,
        /// The choices, in order.
        choices: Vec<OfferedChoice>,
    },
    /// A variable was announced.
    VariableDeclared {
        /// Its name.
        name: VariableName,
        /// How long it lives.
        scope: Scope,
        /// What announced it.
        by: DeclaredBy,
        /// Its initial value.
        value: Option<Value>,
        /// The action that needed it.
        action: Option<ActionId>,
    },
    /// A variable was written.
    VariableChanged {
        /// Its name.
        name: VariableName,
        /// The scope that was written.
        scope: Scope,
        /// What kind of writing it was.
        operation: Operation,
        /// Its new value.
        value: Value,
        /// Its value before.
        previous: Option<Value>,
        /// How far the value can be relied on.
        quality: Quality,
        /// The action that wrote it.
        action: Option<ActionId>,
    },
    /// A scope was closed.
    ScopeClosed {
        /// Which.
        scope: Scope,
        /// The phase or topic it belonged to.
        path: String,
        /// What it held at the end.
        variables: BTreeMap<VariableName, Value>,
    },
    /// An interactive action was asked whether it is done.
    ExitDecided {
        /// Which.
        action: ActionId,
        /// The round that was answered.
        round: u32,
        /// The decision.
        #[serde(flatten)]
        decision: ExitDecision,
    },
    /// An action is over.
    ActionFinished {
        /// How it went.
        #[serde(flatten)]
        result: ActionResult,
    },
    /// A model was called, once for each attempt.
    ModelCalled {
        /// The record.
        #[serde(flatten)]
        record: Box<CallRecord>,
    },
    /// Something did not go as it should; the session went on.
    Issue {
        /// What kind of thing.
        code: IssueCode,
        /// In words, without anything that a person said.
        message: String,
    },
    /// A message was scanned for signs of danger.
    RiskScored {
        /// The message.
        utterance: UtteranceId,
        /// The worse of floor and detector; unknown while a configured detector is.
        score: Option<RiskScore>,
        /// What the lexical floor found.
        floor: RiskScore,
        /// The worst class that the floor found.
        class: Option<RiskClass>,
        /// Why the detector's score is unknown.
        unknown: Option<UnknownReason>,
        /// Which detector was asked.
        detector: Option<String>,
        /// What the detector saw.
        labels: Vec<RiskLabel>,
    },
    /// The route or the rigid score changed.
    RouteChanged {
        /// How.
        #[serde(flatten)]
        change: RouteChange,
    },
    /// A clinician cleared the risk.
    RiskCleared {
        /// Who.
        by: Text,
        /// Why.
        reason: Text,
    },
    /// What a model wrote was not shown.
    ReplyBlocked {
        /// Why.
        reason: BlockReason,
    },
    /// A human is needed.
    HandoffRequested {
        /// Why.
        reason: HandoffReason,
    },
    /// The session waits for the client.
    Waiting {
        /// What for.
        #[serde(rename = "for")]
        wait_for: WaitFor,
        /// Which action.
        action: Option<ActionId>,
    },
    /// The session is over.
    SessionEnded {
        /// How.
        status: EndStatus,
        /// Why.
        reason: EndReason,
    },
}

/// Names an utterance within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UtteranceId(u32);

/// The text names no utterance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an utterance is named u1, u2 and so on")]
pub struct InvalidUtteranceId;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Steersman.
    Assistant,
    /// The person.
    User,
    /// The system itself.
    System,
}

/// Where the words of an utterance come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UtteranceSource {
    /// The script, or a built-in text.
    Script,
    /// A model.
    Model,
    /// The reviewed crisis texts.
    Crisis,
    /// The locale's text for a model that failed.
    Fallback,
    /// A moderator.
    Moderator,
    /// The person.
    User,
}

/// One choice as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedChoice {
    /// What the variable becomes.
    pub key: String,
    /// What the person reads.
    pub text: Text,
}

/// What announced a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeclaredBy {
    /// The script's `declare` or `global`.
    Script,
    /// The `scope:` of an output.
    Output,
    /// Its first write.
    Auto,
}

/// What kind of writing it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// A reply or an extraction gave the value.
    Extract,
    /// A literal, a choice, a form or a client gave it.
    Set,
    /// A record was written back, or a mark was made.
    Update,
    /// It was taken away.
    Delete,
    /// It comes from an older form of the state.
    Migrate,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndStatus {
    /// The script is done.
    Completed,
    /// It was ended before.
    Ended,
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The script is done.
    ScriptDone,
    /// The person said a stop word, or the client stopped it.
    Stopped,
    /// `limits.turns` was reached.
    TurnLimit,
    /// `limits.model_calls` was reached.
    ModelCallLimit,
    /// It waited longer than `limits.idle`.
    Expired,
    /// Its state outgrew its budget.
    StateBudget,
}

/// What did not go as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueCode {
    /// A reply was not one JSON object.
    UnstructuredReply,
    /// A reply held keys that mean nothing; they were ignored.
    UnknownKeys,
    /// A key of a reply held a value that it cannot have.
    BadReplyValue,
    /// A reply was longer than is read.
    ReplyTooLong,
    /// A value has another kind than its variable asks for.
    TypeMismatch,
    /// A value is larger than a variable may be.
    ValueTooLarge,
    /// A reply gave a variable that the action does not list.
    UndeclaredVariable,
    /// A constant was to be written.
    ReadOnly,
    /// A variable was to be written in another scope than it is declared in.
    ScopeConflict,
    /// A placeholder stands for a variable that is unset.
    UnsetVariable,
    /// A comparison of a condition could not be made and counted as false.
    ConditionMismatch,
    /// A model call failed.
    ModelFault,
    /// A turn reached its bound of steps or model calls.
    TurnBound,
    /// A turn was broken off by a message that cannot wait.
    TurnPreempted,
}

impl UtteranceId {
    /// Names the `number`th utterance, counted from 1.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns its number.
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for UtteranceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "u{}", self.0)
    }
}

impl FromStr for UtteranceId {
    type Err = InvalidUtteranceId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix('u').and_then(|number| number.parse().ok()).map(Self).ok_or(InvalidUtteranceId)
    }
}

impl TryFrom<String> for UtteranceId {
    type Error = InvalidUtteranceId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<UtteranceId> for String {
    fn from(id: UtteranceId) -> Self {
        id.to_string()
    }
}
