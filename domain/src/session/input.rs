//! What can be fed to a session, what it can wait for, and why it refuses an input.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{EndReason, Line, ModelAnswer, ModelCall, ModelVoice, Session, Status, UtteranceId, state::Stage};
use crate::{
    clock::Timestamp,
    control::{Clearance, Latch, MessageScan, Thresholds, crisis::SafetyAnswer},
    id::{ActionId, SessionId, SubjectId},
    locale::Locale,
    script::{Access, ActionKind},
    utterance::Text,
    variable::{Kind, Value, VariableName},
};

/// Everything that can change a session. The journal keeps each of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case")]
pub enum Input {
    /// The session begins.
    Start(Box<Start>),
    /// The person wrote something.
    Say {
        /// In these words.
        text: Text,
    },
    /// The person picked a choice.
    Choose {
        /// Of which action; `None`: of the one that asks.
        action: Option<ActionId>,
        /// Which.
        key: String,
    },
    /// The person took notice.
    Acknowledge,
    /// The person asked for a human.
    RequestHuman,
    /// The client stopped the session.
    Stop,
    /// Messages were scanned for signs of danger.
    Scored {
        /// What was found, in the order in which the session asked.
        scans: Vec<Scanned>,
    },
    /// A clinician looked, and cleared the risk.
    ClearRisk {
        /// Who, and why.
        clearance: Clearance,
    },
    /// An attempt of a model call came to something.
    Answered(Box<ModelAnswer>),
    /// Time passed; the session looks whether that changes anything.
    Tick,
}

/// How a session begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The session's id.
    pub session_id: SessionId,
    /// Whom it is about.
    pub subject: Option<SubjectId>,
    /// The language of the built-in texts; the script's without one.
    pub locale: Option<Locale>,
    /// Where the person is, as an ISO 3166 code.
    pub country: Option<String>,
    /// Who speaks where the script asks for a model.
    pub voice: ModelVoice,
    /// Values of the client for declared session and writable global variables.
    pub variables: BTreeMap<VariableName, Value>,
    /// What is kept for the subject.
    pub subject_variables: BTreeMap<VariableName, Value>,
    /// From which scores on a message raises the route.
    pub thresholds: Thresholds,
    /// The subject's earlier session went high, and nobody has cleared that.
    pub latch: Option<Latch>,
    /// What the session is decided by, beside what it is told.
    pub basis: Basis,
}

/// What a session is decided by, beside its inputs: digests, so that whoever replays it elsewhere is told what is not the
/// same there. Each is a SHA-256 in lower-case hexadecimal digits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Basis {
    /// The version of the engine.
    pub engine: String,
    /// The script's text.
    pub script: String,
    /// What the engine says by itself.
    pub texts: String,
    /// What the engine recognises, asks and points to.
    pub packs: String,
    /// The words with which models are asked. A replay does not need them: what the models answered is an input.
    pub prompts: String,
}

impl Basis {
    /// Returns what a replay on `here` decides by otherwise, in words; nothing if it decides by the same.
    pub fn changed(&self, here: &Self) -> Vec<&'static str> {
        let parts = [
            ("script", &self.script, &here.script),
            ("texts", &self.texts, &here.texts),
            ("packs", &self.packs, &here.packs),
            ("version of the engine", &self.engine, &here.engine),
        ];
        parts.into_iter().filter(|(_, recorded, now)| recorded != now).map(|(part, ..)| part).collect()
    }
}

/// What was found in one message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scanned {
    /// The message.
    pub utterance: UtteranceId,
    /// What was found.
    #[serde(flatten)]
    pub scan: MessageScan,
}

impl Scanned {
    /// Scans a message with the lexical floor alone.
    pub fn by_floor(message: &Line) -> Self {
        Self { utterance: message.id, scan: MessageScan::of(message.text.as_str(), None) }
    }
}

/// What a session waits for.
#[derive(Debug)]
pub enum Awaiting<'a> {
    /// The client.
    Client(WaitFor),
    /// The risk of these messages, oldest first.
    RiskScores(Vec<&'a Line>),
    /// A model.
    Model(Box<ModelCall<'a>>),
    /// A point in time.
    Timer(Timestamp),
    /// Nothing: it has not begun, or it is over.
    Nothing,
}

/// What a session waits for from its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitFor {
    /// Words.
    Text,
    /// A choice.
    Choice,
    /// Answers of a form.
    Form,
    /// An acknowledgement, or any words.
    Ack,
}

/// Why an input was refused. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputRefused {
    /// The session is over.
    #[error("the session has ended ({})", reason_name(*.0))]
    Ended(EndReason),
    /// The session has not begun.
    #[error("the session has not begun")]
    NotStarted,
    /// The session has begun already.
    #[error("the session has begun already")]
    AlreadyStarted,
    /// A model is being asked; the session takes no message meanwhile.
    #[error("a turn is still running")]
    TurnRunning,
    /// The session waits for something else.
    #[error("the session does not wait for that")]
    NotWaiting,
    /// There is no such choice.
    #[error("there is no such choice; there are {}", allowed.join(", "))]
    UnknownChoice {
        /// The keys there are.
        allowed: Vec<String>,
    },
    /// The model's answer belongs to no call that the session waits for.
    #[error("no model call waits for this answer")]
    UnexpectedAnswer,
    /// The scans are not those of the messages that the session asked for.
    #[error("no such messages wait to be scanned")]
    UnexpectedScan,
    /// The session cannot begin so.
    #[error(transparent)]
    Start(#[from] StartRefused),
}

/// Why a session cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartRefused {
    /// The script declares no such variable for clients.
    #[error("the script declares no session or writable global variable `{name}`{hint}")]
    UnknownVariable {
        /// Its name.
        name: VariableName,
        /// The nearest name, in words.
        hint: String,
    },
    /// The value has another kind than the script asks for.
    #[error("`{name}` takes a {expected}, not a {found}", expected = expected.as_str(), found = found.as_str())]
    OtherKind {
        /// The variable.
        name: VariableName,
        /// The declared kind.
        expected: Kind,
        /// The kind of the value.
        found: Kind,
    },
}

impl Session {
    /// Tells whether an input fits, without taking it.
    pub(super) fn admit(&self, input: &Input) -> Result<(), InputRefused> {
        match (input, &self.state.stage) {
            (Input::Start(start), Stage::Fresh) => self.admit_start(start),
            (Input::Start(_), _) => Err(InputRefused::AlreadyStarted),
            (_, Stage::Fresh) => Err(InputRefused::NotStarted),
            (Input::Tick, _) => Ok(()),
            (Input::ClearRisk { .. }, Stage::Listening { .. } | Stage::Over { .. }) => Ok(()),
            (_, Stage::Over { reason, .. }) => Err(InputRefused::Ended(*reason)),
            (Input::Scored { scans }, Stage::Perceiving(_)) => self.admit_scans(scans),
            (Input::Scored { .. }, _) => Err(InputRefused::UnexpectedScan),
            (Input::Answered(answer), Stage::Calling(call)) => {
                let expected = (call.call_no, call.attempt) == (answer.call_no, answer.attempt);
                if expected { Ok(()) } else { Err(InputRefused::UnexpectedAnswer) }
            }
            (Input::Answered(_), Stage::Listening { .. }) => Err(InputRefused::UnexpectedAnswer),
            (Input::Answered(_), Stage::Perceiving(_)) => Err(InputRefused::UnexpectedAnswer),
            (_, Stage::Calling(_) | Stage::Perceiving(_)) => Err(InputRefused::TurnRunning),
            (Input::Choose { action, key }, Stage::Listening { wait_for: WaitFor::Choice, .. }) => {
                self.admit_choice(action.as_ref(), key)
            }
            (Input::Choose { .. }, Stage::Listening { .. }) => Err(InputRefused::NotWaiting),
            (Input::Acknowledge, Stage::Listening { wait_for: WaitFor::Ack, .. }) => Ok(()),
            (Input::Acknowledge, Stage::Listening { .. }) => Err(InputRefused::NotWaiting),
            (Input::Say { .. } | Input::RequestHuman | Input::Stop, Stage::Listening { .. }) => Ok(()),
        }
    }

    fn admit_scans(&self, scans: &[Scanned]) -> Result<(), InputRefused> {
        let asked = self.state.unscanned().into_iter().map(|line| line.id);
        if asked.eq(scans.iter().map(|scanned| scanned.utterance)) { Ok(()) } else { Err(InputRefused::UnexpectedScan) }
    }

    fn admit_choice(&self, action: Option<&ActionId>, key: &str) -> Result<(), InputRefused> {
        if self.state.crisis().is_some() {
            let allowed = SafetyAnswer::ALL.map(|answer| answer.key().to_owned()).to_vec();
            let is_one = action.is_none() && SafetyAnswer::from_key(key).is_some();
            return if is_one { Ok(()) } else { Err(InputRefused::UnknownChoice { allowed }) };
        }
        let running = self.state.running_action(&self.script).ok_or(InputRefused::NotWaiting)?;
        if action.is_some_and(|action| *action != running.id) {
            return Err(InputRefused::NotWaiting);
        }
        let ActionKind::UserOption(option) = &running.kind else { return Err(InputRefused::NotWaiting) };
        if option.choices.iter().any(|choice| choice.key == key) {
            return Ok(());
        }
        Err(InputRefused::UnknownChoice { allowed: option.choices.iter().map(|choice| choice.key.clone()).collect() })
    }

    fn admit_start(&self, start: &Start) -> Result<(), InputRefused> {
        let script = &self.script;
        let writable = script.globals.iter().filter(|global| global.access == Access::Writable);
        let open: Vec<_> = script.declare.iter().chain(writable.map(|global| &global.declaration)).collect();
        for (name, value) in &start.variables {
            let Some(declaration) = open.iter().find(|declaration| declaration.name == *name) else {
                let names = open.iter().map(|declaration| declaration.name.as_str());
                let hint = crate::nearest::nearest(name.as_str(), names)
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default();
                return Err(StartRefused::UnknownVariable { name: name.clone(), hint }.into());
            };
            if let Some(expected) = declaration.kind
                && value.clone().convert(expected).is_none()
            {
                let found = value.kind();
                return Err(StartRefused::OtherKind { name: name.clone(), expected, found }.into());
            }
        }
        Ok(())
    }

    /// Returns how the session stands between turns.
    pub const fn status(&self) -> Status {
        self.state.status()
    }
}

fn reason_name(reason: EndReason) -> &'static str {
    match reason {
        EndReason::ScriptDone => "the script is done",
        EndReason::Stopped => "it was stopped",
        EndReason::TurnLimit => "its limit of turns was reached",
        EndReason::ModelCallLimit => "its limit of model calls was reached",
        EndReason::Expired => "it waited too long",
        EndReason::StateBudget => "its state outgrew its budget",
    }
}
