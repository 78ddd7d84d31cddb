//! Who may speak in a discussion: a pure decision and what follows from it. No agent, no prompt, no model.
//!
//! [`decide`] says what happens next, [`Discussion::apply`] takes what came of it. The decision does not depend on the
//! order in which intents arrive, and every discussion ends.

mod apply;
mod check;
mod command;
mod decide;
mod decision;
mod discussion;
pub mod draft;
mod intent;
mod policy;
mod scenario;
mod sieve;
mod speaker;
mod texts;

pub use apply::Outcome;
pub use check::{Checked, check};
pub use command::{Command, CommandRefused, SkipTo};
pub use decide::decide;
pub use decision::{Action, Decision, Reason, Rejection, Why};
pub use discussion::{Discussion, DiscussionState, Marks, Seat, StateMismatch, Status};
pub use intent::{Intent, IntentKind, URGENCY};
pub use policy::{Level, OnHigh, Policy};
pub use scenario::{
    Flaw, MAX_PARTICIPANTS, MAX_PHASES, MAX_ROUNDS, Order, Participant, ParticipantKind, Phase, PhaseKind, Scenario,
};
