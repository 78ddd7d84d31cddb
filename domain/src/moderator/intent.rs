//! What participants want: intents, and the one order in which they are looked at.

use std::{cmp::Reverse, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::{clock::Timestamp, id::AgentId};

/// The urgencies that count.
pub const URGENCY: RangeInclusive<i64> = 1..=5;

/// What one participant wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Who.
    pub agent: AgentId,
    /// What.
    pub kind: IntentKind,
    /// How much, in [`URGENCY`]; anything else is dropped.
    pub urgency: i64,
    /// To whom it refers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<AgentId>,
    /// When it was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// The kinds of intents. Ordered as they are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentKind {
    /// To come in out of turn.
    Interrupt,
    /// To answer what was said.
    Respond,
    /// To ask something.
    Question,
    /// To say something.
    Speak,
}

/// The canonical place of an intent: by arrival (absent last), agent order (unknown agents last, by name), urgency
/// falling, kind, target. It depends on nothing else, so that the order of arrival in a list decides nothing.
pub(super) type Place<'a> =
    (bool, Option<Timestamp>, usize, &'a AgentId, Reverse<i64>, IntentKind, Option<&'a AgentId>);

impl Intent {
    /// Returns its canonical place.
    pub(super) fn place(&self, seat: Option<usize>) -> Place<'_> {
        let seat = seat.unwrap_or(usize::MAX);
        (self.at.is_none(), self.at, seat, &self.agent, Reverse(self.urgency), self.kind, self.target.as_ref())
    }
}

/// Returns the intents in canonical order, each with its agent's seat.
pub(super) fn in_order<'a>(intents: &'a [Intent], scenario: &Scenario) -> Vec<(Option<usize>, &'a Intent)> {
    let mut ordered: Vec<_> = intents.iter().map(|intent| (scenario.seat(&intent.agent), intent)).collect();
    ordered.sort_by(|(a_seat, a), (b_seat, b)| a.place(*a_seat).cmp(&b.place(*b_seat)));
    ordered
}
