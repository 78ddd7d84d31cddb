//! What is known about a person's state, each piece with when it was learnt. Nothing here forgets the worse value.

use serde::{Deserialize, Serialize};

use super::{Assessment, Instrument, MessageRisk, RiskScore, Score, UnknownReason};
use crate::clock::Timestamp;

/// One piece of evidence: its value, or why it has none. What was never asked is absent, not a signal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Signal<T> {
    /// The value is known.
    Known {
        /// The value.
        value: T,
        /// When it was learnt.
        at: Timestamp,
    },
    /// It was asked for and is not known.
    Unknown {
        /// Why not.
        reason: UnknownReason,
        /// What it is at least, as far as can be told: the floor's score, the sum of the items answered.
        at_least: Option<T>,
        /// When that became clear.
        at: Timestamp,
    },
}

/// All evidence of one risk epoch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signals {
    /// The risk of the last scanned message.
    pub chat_risk: Option<Signal<RiskScore>>,
    /// The PHQ-9's total, 0 to 27; the worst of the epoch.
    pub phq9_total: Option<Signal<u8>>,
    /// The PHQ-9's item 9, 0 to 3; the worst of the epoch.
    pub phq9_item9: Option<Signal<u8>>,
    /// The GAD-7's total, 0 to 21; the worst of the epoch.
    pub gad7_total: Option<Signal<u8>>,
}

impl<T: Copy> Signal<T> {
    /// Returns what the value is at least; none if nothing can be told.
    pub const fn at_least(&self) -> Option<T> {
        match self {
            Self::Known { value, .. } => Some(*value),
            Self::Unknown { at_least, .. } => *at_least,
        }
    }
}

impl Signals {
    /// Returns the worse of the two totals as far as known; 0 when neither is.
    pub fn worst_total(&self) -> u8 {
        let totals = [&self.phq9_total, &self.gad7_total];
        totals.into_iter().flatten().filter_map(Signal::at_least).max().unwrap_or(0)
    }

    /// Takes the risk of a newly scanned message.
    pub(crate) fn take_message(&mut self, risk: MessageRisk, now: Timestamp) {
        self.chat_risk = Some(match risk.score() {
            Score::Known(value) => Signal::Known { value, at: now },
            Score::Unknown(reason) => Signal::Unknown { reason, at_least: Some(risk.at_least()), at: now },
        });
    }

    /// Takes a questionnaire's result; a better one does not replace a worse one.
    pub(crate) fn take_assessment(&mut self, assessment: &Assessment, now: Timestamp) {
        let total = match assessment.total() {
            Some(value) => Signal::Known { value, at: now },
            None => {
                Signal::Unknown { reason: UnknownReason::Incomplete, at_least: Some(assessment.at_least()), at: now }
            }
        };
        match assessment.instrument() {
            Instrument::Phq9 => {
                let item = match assessment.item9() {
                    Some(value) => Signal::Known { value, at: now },
                    None => Signal::Unknown { reason: UnknownReason::Missing, at_least: None, at: now },
                };
                keep_worse(&mut self.phq9_total, total);
                keep_worse(&mut self.phq9_item9, item);
            }
            Instrument::Gad7 => keep_worse(&mut self.gad7_total, total),
        }
    }

    /// Forgets what was acute and has been looked at by a clinician; totals stay facts about the person.
    pub(super) fn forget_acute(&mut self) {
        self.chat_risk = None;
        self.phq9_item9 = None;
    }
}

/// Keeps the old value unless the new one is at least as bad; of two equally bad ones a known one wins.
fn keep_worse(old: &mut Option<Signal<u8>>, new: Signal<u8>) {
    let better = old.as_ref().is_some_and(|old| match (old.at_least(), new.at_least()) {
        (Some(old_value), Some(new_value)) if old_value == new_value => {
            matches!((old, new), (Signal::Known { .. }, Signal::Unknown { .. }))
        }
        (old_value, new_value) => new_value < old_value,
    });
    if !better {
        *old = Some(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::EPOCH;

    #[test]
    fn of_two_values_the_worse_stays_and_of_equal_ones_the_known() {
        let later = NOON.plus(std::time::Duration::from_mins(1));
        let known = |value, at| Signal::Known { value, at };
        let unknown = |at_least, at| Signal::Unknown { reason: UnknownReason::Incomplete, at_least, at };
        let rows = [
            (None, known(3, later), known(3, later)),
            (None, unknown(None, later), unknown(None, later)),
            (Some(known(3, NOON)), known(4, later), known(4, later)),
            (Some(known(4, NOON)), known(3, later), known(4, NOON)),
            (Some(known(4, NOON)), known(4, later), known(4, later)),
            (Some(known(4, NOON)), unknown(Some(4), later), known(4, NOON)),
            (Some(unknown(Some(4), NOON)), known(4, later), known(4, later)),
            (Some(known(4, NOON)), unknown(Some(5), later), unknown(Some(5), later)),
            (Some(known(0, NOON)), unknown(None, later), known(0, NOON)),
            (Some(unknown(None, NOON)), known(0, later), known(0, later)),
            (Some(unknown(None, NOON)), unknown(None, later), unknown(None, later)),
        ];
        for (old, new, expected) in rows {
            let mut kept = old;
            keep_worse(&mut kept, new);
            assert_eq!(kept, Some(expected), "{old:?} then {new:?}");
        }
    }

    #[test]
    fn clearing_forgets_the_acute_and_keeps_the_totals() {
        let mut signals = Signals::default();
        signals.take_assessment(&Assessment::from_phq9_total(12, Some(2)).unwrap(), NOON);
        signals.take_assessment(&Assessment::from_gad7_total(16).unwrap(), NOON);
        signals.take_message(MessageRisk::floor_only(RiskScore::INTENT), NOON);
        assert_eq!(signals.worst_total(), 16);
        signals.forget_acute();
        assert_eq!((signals.chat_risk, signals.phq9_item9, signals.worst_total()), (None, None, 16));
        assert!(signals.phq9_total.is_some() && signals.gad7_total.is_some());
    }
}
