//! What follows from a decision, once it is known what came of it. Total: any decision, any outcome.

use serde::{Deserialize, Serialize};

use super::{Action, Decision, Discussion, Order, Status};
use crate::clock::Timestamp;

/// What came of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// What was to happen happened: a speech was given, a summary written, the phase changed.
    Done,
    /// A speech was given and cut, over its time or its length.
    Cut,
    /// Nobody answered.
    Silent,
    /// The one who was called did not want to speak.
    Declined,
    /// It failed: no speech came, or no summary; the template stands in for the summary.
    Failed,
}

impl Discussion {
    /// Takes what came of a decision. Without effect unless the discussion runs.
    ///
    /// Each call counts as one decision, so that [`Discussion::decisions_left`] falls whatever the outcome.
    pub fn apply(&mut self, decision: &Decision, outcome: Outcome, now: Timestamp) {
        if self.state.status != Status::Running {
            return;
        }
        self.state.ticks = self.state.ticks.saturating_add(1);
        self.state.phase_ticks = self.state.phase_ticks.saturating_add(1);
        for agent in &decision.warnings {
            self.mark_warned(self.scenario().seat(agent));
        }
        let target = decision.target.as_ref().and_then(|agent| self.scenario().seat(agent));
        match decision.action {
            Action::AllowSpeech | Action::CallAgent | Action::PromptQuestion => match (target, outcome) {
                (Some(seat), Outcome::Done | Outcome::Cut) => self.speech(seat),
                (Some(seat), Outcome::Silent | Outcome::Declined | Outcome::Failed) => {
                    self.idle();
                    self.missed(seat, decision.action, outcome);
                }
                (None, Outcome::Done | Outcome::Cut | Outcome::Silent | Outcome::Declined | Outcome::Failed) => {
                    self.idle();
                }
            },
            Action::RejectSpeech | Action::Wait => self.idle(),
            Action::WarnAgent => {
                self.mark_warned(target);
                self.idle();
            }
            Action::ForceSummary => self.marks_mut().summed_up = true,
            Action::SwitchPhase => {
                let next = decision.next.as_ref();
                let phases = self.scenario().phases();
                if let Some(phase) = phases.iter().position(|phase| Some(&phase.id) == next) {
                    self.enter_phase(phase, now);
                }
            }
            Action::EndDiscussion => self.state.status = Status::Ended,
        }
    }

    fn speech(&mut self, seat: usize) {
        let advances = self.phase().order == Order::RoundRobin && self.is_expected(seat);
        let state = &mut self.state;
        state.consecutive = if state.last == Some(seat) { state.consecutive.saturating_add(1) } else { 1 };
        state.last = Some(seat);
        state.idle = 0;
        state.phase_round = state.phase_round.saturating_add(1);
        state.total_rounds = state.total_rounds.saturating_add(1);
        if advances {
            state.next_in_order = (seat + 1) % state.seats.len();
        }
        let seat = &mut state.seats[seat];
        seat.phase_speeches = seat.phase_speeches.saturating_add(1);
        seat.speeches = seat.speeches.saturating_add(1);
        (seat.declined, seat.failed) = (0, 0);
    }

    /// The order waits for the one whose turn it is: who comes in between does not use that turn up. Those who are
    /// passed over lose theirs.
    fn is_expected(&self, seat: usize) -> bool {
        let (first, seats) = (self.state.next_in_order, &self.state.seats);
        let mut before = (first..seats.len()).chain(0..first).take_while(|&other| other != seat);
        before.all(|other| seats[other].is_passed_over() || self.is_at_limit(other))
    }

    /// Whoever asked for the floor and does not use it has failed; whoever did not ask may decline.
    fn missed(&mut self, seat: usize, action: Action, outcome: Outcome) {
        let seat = &mut self.state.seats[seat];
        if action == Action::AllowSpeech || outcome == Outcome::Failed {
            seat.failed = seat.failed.saturating_add(1);
        } else {
            seat.declined = seat.declined.saturating_add(1);
        }
    }

    fn idle(&mut self) {
        self.state.idle = self.state.idle.saturating_add(1);
    }

    fn mark_warned(&mut self, seat: Option<usize>) {
        self.marks_mut().warned.extend(seat);
    }
}
