//! One guided conversation as a machine: inputs in, events out, and at any moment one thing it waits for.
//!
//! It never acts: the engine asks [`Session::awaiting`] what is needed, fetches it, and feeds it to
//! [`Session::apply`]. The same inputs at the same times give the same events, byte for byte.

mod call;
mod close;
mod collect;
mod event;
mod input;
mod judge;
mod listen;
mod perceive;
mod protect;
mod replay;
mod restore;
mod speak;
mod state;
mod turn;
mod view;
mod walk;

pub use call::{
    Brief, CallRecord, MAX_ATTEMPTS, ModelAnswer, ModelCall, ModelFault, ModelOutcome, ModelVoice, OutputBrief,
    Purpose, Style,
};
pub use event::{
    DeclaredBy, EndReason, EndStatus, EventBody, InvalidUtteranceId, IssueCode, OfferedChoice, Operation, SessionEvent,
    Speaker, UtteranceId, UtteranceSource,
};
pub use input::{Awaiting, Basis, Input, InputRefused, Scanned, Start, StartRefused, WaitFor};
pub use replay::{Difference, JournalEntry, ReplayError, replay};
pub use restore::StateDamaged;
pub use state::{Activity, Frame, LastRound, Line, STATE_BUDGET, State, Status, Usage};
pub use view::{ExitRecord, Position, ScriptRef, SessionView, VariableView};

use std::sync::Arc;

use crate::{clock::Timestamp, control::ModelPermit, script::Script};

use self::{state::Stage, turn::Turn};

/// A session: its script and its state.
#[derive(Debug, Clone)]
pub struct Session {
    script: Arc<Script>,
    state: State,
}

impl Session {
    /// Prepares a session; nothing happens before [`Input::Start`]. `digest` is that of the script's text.
    pub fn new(script: Arc<Script>, digest: impl Into<String>, now: Timestamp) -> Self {
        let state = State::fresh(&script, digest.into(), now);
        Self { script, state }
    }

    /// Takes one input and returns what happened.
    ///
    /// # Errors
    ///
    /// [`InputRefused`] for an input that does not fit what the session waits for; nothing has changed then.
    pub fn apply(&mut self, input: Input, now: Timestamp) -> Result<Vec<SessionEvent>, InputRefused> {
        self.admit(&input)?;
        Ok(Turn::begin(&self.script, &mut self.state, now).take(input))
    }

    /// Tells whether the session would take an input, without taking it.
    ///
    /// # Errors
    ///
    /// [`InputRefused`], as [`Session::apply`] would.
    pub fn would_take(&self, input: &Input) -> Result<(), InputRefused> {
        self.admit(input)
    }

    /// Tells what the session waits for; derived from its state alone.
    pub fn awaiting(&self) -> Awaiting<'_> {
        match &self.state.stage {
            Stage::Fresh | Stage::Over { .. } => Awaiting::Nothing,
            Stage::Listening { wait_for, .. } => Awaiting::Client(*wait_for),
            Stage::Perceiving(_) => Awaiting::RiskScores(self.state.unscanned()),
            Stage::Calling(call) => match ModelPermit::mint(&self.state.control, self.state.perception) {
                Some(permit) => Awaiting::Model(Box::new(ModelCall {
                    history: self.state.history_for(&call.brief, permit.columns().history_rounds),
                    permit,
                    call_no: call.call_no,
                    attempt: call.attempt,
                    brief: &call.brief,
                    blocked: call.blocked.as_deref(),
                    canary: self.state.canary(),
                    check: self.state.output_check(&self.script),
                })),
                None => Awaiting::Nothing,
            },
        }
    }

    /// Returns the script, which stays the same for life.
    pub fn script(&self) -> &Arc<Script> {
        &self.script
    }

    /// Returns the state, to be kept or looked at.
    pub const fn state(&self) -> &State {
        &self.state
    }
}
