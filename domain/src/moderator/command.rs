//! What people may do with a discussion as a whole: recorded inputs, refused unless the scenario allows them.

use serde::{Deserialize, Serialize};

use super::{Discussion, PhaseKind, Status};
use crate::{clock::Timestamp, id::AgentId};

/// A command from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Begin with the first phase.
    Start,
    /// Stop the clock; nobody speaks.
    Pause,
    /// Go on after a pause.
    Resume,
    /// End it now.
    Abort,
    /// Go back to the free discussion before this phase.
    Rollback,
    /// Leave this phase.
    Skip(SkipTo),
    /// Take a participant out of the order for good.
    Withdraw(AgentId),
}

/// Where a skip leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipTo {
    /// To the next phase.
    Next,
    /// To the CLOSING.
    Closing,
}

/// Why a command was refused; nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum CommandRefused {
    /// The discussion is not where that command makes sense.
    #[error("the discussion is not in a state for that command")]
    WrongStatus,
    /// The scenario does not allow it.
    #[error("the scenario does not allow that command")]
    NotAllowed,
    /// A phase of this kind is not rolled back.
    #[error("only FOCUSED_CONFLICT and CONVERGENCE are rolled back")]
    WrongPhase,
    /// It was done in this phase before.
    #[error("a phase is rolled back once and skipped once")]
    DoneBefore,
    /// There is no phase to go to.
    #[error("there is no phase to go to")]
    NowhereToGo,
    /// Nobody of that name takes part.
    #[error("nobody of that name takes part")]
    UnknownAgent,
}

impl Discussion {
    /// Carries a command out.
    ///
    /// # Errors
    ///
    /// [`CommandRefused`], with the reason; nothing has changed then.
    pub fn command(&mut self, command: &Command, now: Timestamp) -> Result<(), CommandRefused> {
        match (command, self.state.status) {
            (Command::Start, Status::NotStarted) => {
                self.state.status = Status::Running;
                self.state.phase_started = now;
                Ok(())
            }
            (Command::Pause, Status::Running) => {
                self.state.status = Status::Paused { since: now };
                Ok(())
            }
            (Command::Resume, Status::Paused { since }) => {
                self.state.status = Status::Running;
                self.state.phase_started = self.state.phase_started.plus(now.since(since));
                Ok(())
            }
            (Command::Abort, Status::NotStarted | Status::Running | Status::Paused { .. }) => {
                self.state.status = Status::Aborted;
                Ok(())
            }
            (Command::Rollback, Status::Running) => self.roll_back(now),
            (Command::Skip(to), Status::Running) => self.skip(*to, now),
            (Command::Withdraw(agent), Status::NotStarted | Status::Running | Status::Paused { .. }) => {
                let seat = self.scenario().seat(agent).ok_or(CommandRefused::UnknownAgent)?;
                self.state.seats[seat].out = true;
                Ok(())
            }
            (
                Command::Start
                | Command::Pause
                | Command::Resume
                | Command::Abort
                | Command::Rollback
                | Command::Skip(_)
                | Command::Withdraw(_),
                Status::NotStarted | Status::Running | Status::Paused { .. } | Status::Ended | Status::Aborted,
            ) => Err(CommandRefused::WrongStatus),
        }
    }

    fn roll_back(&mut self, now: Timestamp) -> Result<(), CommandRefused> {
        if !self.scenario().policy().allow_rollback {
            return Err(CommandRefused::NotAllowed);
        }
        if !self.phase().kind.rolls_back() {
            return Err(CommandRefused::WrongPhase);
        }
        if self.marks().rolled_back {
            return Err(CommandRefused::DoneBefore);
        }
        let before = &self.scenario().phases()[..self.state.phase];
        let to = before.iter().rposition(|phase| phase.kind == PhaseKind::FreeDiscussion);
        let to = to.ok_or(CommandRefused::NowhereToGo)?;
        self.marks_mut().rolled_back = true;
        self.enter_phase(to, now);
        Ok(())
    }

    fn skip(&mut self, to: SkipTo, now: Timestamp) -> Result<(), CommandRefused> {
        if !self.scenario().policy().allow_skip {
            return Err(CommandRefused::NotAllowed);
        }
        if self.marks().skipped {
            return Err(CommandRefused::DoneBefore);
        }
        let phases = self.scenario().phases();
        let found = match to {
            SkipTo::Next => Some(self.state.phase + 1).filter(|&next| next < phases.len()),
            SkipTo::Closing => {
                let closing = phases.iter().position(|phase| phase.kind == PhaseKind::Closing);
                closing.filter(|&closing| closing > self.state.phase)
            }
        };
        let to = found.ok_or(CommandRefused::NowhereToGo)?;
        self.marks_mut().skipped = true;
        self.enter_phase(to, now);
        Ok(())
    }

    /// Totals and the last speaker stay; what is counted per phase begins anew.
    pub(super) fn enter_phase(&mut self, phase: usize, now: Timestamp) {
        let state = &mut self.state;
        state.phase = phase;
        state.phase_started = now;
        (state.phase_round, state.phase_ticks, state.idle, state.consecutive) = (0, 0, 0, 0);
        for seat in &mut state.seats {
            (seat.phase_speeches, seat.declined, seat.failed) = (0, 0, 0);
        }
    }
}
