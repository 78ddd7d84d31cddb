//! The state of a discussion: bounded, whatever was said in it.

use std::{collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{Phase, Scenario};
use crate::{clock::Timestamp, id::AgentId};

/// So many refused calls or failed speeches, and an agent is passed over until it speaks or the phase changes.
const MISSES: u32 = 2;

/// One discussion: its scenario and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Discussion {
    scenario: Arc<Scenario>,
    pub(super) state: DiscussionState, // Invariant: `DiscussionState::fits` the scenario.
}

/// Where a discussion stands: what is stored. Seats and phases are places in the scenario's lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscussionState {
    /// Where it is in its life.
    pub status: Status,
    /// The phase it is in.
    pub phase: usize,
    /// When that phase began; pauses are not counted.
    pub phase_started: Timestamp,
    /// Speeches of this phase.
    pub phase_round: u32,
    /// Decisions of this phase.
    pub phase_ticks: u32,
    /// Speeches in all.
    pub total_rounds: u32,
    /// Decisions in all.
    pub ticks: u32,
    /// Decisions since the last speech that led to none.
    pub idle: u32,
    /// Who spoke last.
    pub last: Option<usize>,
    /// How often in a row.
    pub consecutive: u32,
    /// Whose turn it is, in a round-robin.
    pub next_in_order: usize,
    /// One a participant.
    pub seats: Vec<Seat>,
    /// One a phase.
    pub marks: Vec<Marks>,
}

/// Where a discussion is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Nobody has started it.
    NotStarted,
    /// It runs.
    Running,
    /// It was paused.
    Paused {
        /// When.
        since: Timestamp,
    },
    /// It came to its end.
    Ended,
    /// It was stopped before.
    Aborted,
}

/// What is counted of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Seat {
    /// Speeches of this phase.
    pub phase_speeches: u32,
    /// Speeches in all.
    pub speeches: u32,
    /// Calls that were declined in a row.
    pub declined: u32,
    /// Speeches that failed in a row, those that were asked for and not given among them.
    pub failed: u32,
    /// Whether the participant has left the order.
    pub out: bool,
}

/// What happened in a phase once and does not happen again, even after a rollback.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Marks {
    /// It was summed up.
    pub summed_up: bool,
    /// It was rolled back.
    pub rolled_back: bool,
    /// It was skipped.
    pub skipped: bool,
    /// Who was warned in it.
    pub warned: BTreeSet<usize>,
}

/// The stored state belongs to another scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stored state does not fit the scenario")]
pub struct StateMismatch;

impl Discussion {
    /// Makes a discussion that nobody has started.
    pub fn new(scenario: Arc<Scenario>) -> Self {
        let state = DiscussionState {
            status: Status::NotStarted,
            phase: 0,
            phase_started: Timestamp::EPOCH,
            phase_round: 0,
            phase_ticks: 0,
            total_rounds: 0,
            ticks: 0,
            idle: 0,
            last: None,
            consecutive: 0,
            next_in_order: 0,
            seats: vec![Seat::default(); scenario.participants().len()],
            marks: vec![Marks::default(); scenario.phases().len()],
        };
        Self { scenario, state }
    }

    /// Goes on from a stored state.
    ///
    /// # Errors
    ///
    /// [`StateMismatch`] if it belongs to another scenario.
    pub fn restore(scenario: Arc<Scenario>, state: DiscussionState) -> Result<Self, StateMismatch> {
        if state.fits(&scenario) { Ok(Self { scenario, state }) } else { Err(StateMismatch) }
    }

    /// Returns the scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the scenario, shared.
    pub fn shared_scenario(&self) -> Arc<Scenario> {
        Arc::clone(&self.scenario)
    }

    /// Returns where it stands.
    pub const fn state(&self) -> &DiscussionState {
        &self.state
    }

    /// Returns the phase it is in.
    pub fn phase(&self) -> &Phase {
        &self.scenario.phases()[self.state.phase]
    }

    /// Returns the phase that comes next, if there is one.
    pub fn next_phase(&self) -> Option<&Phase> {
        self.scenario.phases().get(self.state.phase + 1)
    }

    /// Tells whether it has ended or was aborted.
    pub const fn is_over(&self) -> bool {
        matches!(self.state.status, Status::Ended | Status::Aborted)
    }

    /// Tells whether it was aborted.
    pub const fn is_aborted(&self) -> bool {
        matches!(self.state.status, Status::Aborted)
    }

    /// Returns how many decisions may still be made before it ends. Each decision makes it smaller.
    pub fn decisions_left(&self) -> u32 {
        if self.is_over() { 0 } else { self.scenario.decision_bound().saturating_sub(self.state.ticks) }
    }

    /// Counts the participants who have not left the order.
    pub(super) fn active(&self) -> usize {
        self.state.seats.iter().filter(|seat| !seat.out).count()
    }

    /// Tells whether the participant spoke last, and as often in a row as is allowed while there are others.
    pub(super) fn is_at_limit(&self, seat: usize) -> bool {
        let limit = self.scenario.policy().max_consecutive_speaks.get();
        self.state.last == Some(seat) && self.state.consecutive >= limit && self.active() > 1
    }

    pub(super) fn agent(&self, seat: usize) -> &AgentId {
        &self.scenario.participants()[seat].agent
    }

    pub(super) fn marks(&self) -> &Marks {
        &self.state.marks[self.state.phase]
    }

    pub(super) fn marks_mut(&mut self) -> &mut Marks {
        &mut self.state.marks[self.state.phase]
    }
}

impl DiscussionState {
    fn fits(&self, scenario: &Scenario) -> bool {
        let (seats, phases) = (scenario.participants().len(), scenario.phases().len());
        self.seats.len() == seats
            && self.marks.len() == phases
            && self.phase < phases
            && self.next_in_order < seats
            && self.last.is_none_or(|last| last < seats)
            && self.marks.iter().all(|marks| marks.warned.iter().all(|&warned| warned < seats))
    }
}

impl Seat {
    /// Tells whether the participant is passed over when someone is to be called.
    pub const fn is_passed_over(&self) -> bool {
        self.out || self.declined.saturating_add(self.failed) >= MISSES
    }

    /// Tells whether the participant's speeches fail: others who ask come first.
    pub const fn is_failing(&self) -> bool {
        self.failed >= MISSES
    }
}
