//! When a questionnaire is put to the person without the script asking for it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Instrument, RiskScore, Thresholds};
use crate::script::Safety;

/// From which turn on a questionnaire is offered, unless configured otherwise.
pub const TURN_THRESHOLD: u32 = 5;

/// Why a questionnaire is due, or not. Ordered from the most urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The route goes high at once; no questionnaire.
    HighRiskDirect,
    /// A questionnaire now.
    SuicideIntent,
    /// A questionnaire at the next topic boundary.
    TurnCount,
    /// Nothing yet.
    NotReady,
}

/// What is put to the person, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Insertion {
    /// Nothing.
    Nothing,
    /// These, now, in order.
    Now(Vec<Instrument>),
    /// These, at the next topic boundary, each with a choice to skip; a skip is recorded as missing.
    AtTopicBoundary(Vec<Instrument>),
}

/// Which questionnaires a session has put to the person already.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Screening {
    asked_by_script: BTreeSet<Instrument>,
    inserted: BTreeSet<Instrument>,
}

/// Decides why a questionnaire is due: danger before intent before the count of turns. An unknown risk triggers nothing.
pub fn trigger(turn: u32, chat_risk: Option<RiskScore>, turn_threshold: u32, thresholds: Thresholds) -> Trigger {
    match chat_risk {
        Some(risk) if risk >= thresholds.direct() => Trigger::HighRiskDirect,
        Some(risk) if risk >= thresholds.intent() => Trigger::SuicideIntent,
        Some(_) | None if turn >= turn_threshold => Trigger::TurnCount,
        Some(_) | None => Trigger::NotReady,
    }
}

impl Trigger {
    /// All triggers, most urgent first.
    pub const ALL: [Self; 4] = [Self::HighRiskDirect, Self::SuicideIntent, Self::TurnCount, Self::NotReady];

    /// Returns the trigger as `decide` and events write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HighRiskDirect => "high_risk_direct",
            Self::SuicideIntent => "suicide_intent",
            Self::TurnCount => "turn_count",
            Self::NotReady => "not_ready",
        }
    }
}

impl Screening {
    /// Notes that the script asks a questionnaire itself.
    pub fn asked_by_script(&mut self, instrument: Instrument) {
        self.asked_by_script.insert(instrument);
    }

    /// Decides what `trigger` inserts, and notes it.
    ///
    /// Intent inserts anew each time, the count of turns once; neither inserts what the script asked already, and
    /// nothing is inserted outside counselling.
    pub fn insert(&mut self, trigger: Trigger, safety: Safety) -> Insertion {
        if safety == Safety::General {
            return Insertion::Nothing;
        }
        let open = |screening: &Self| -> Vec<Instrument> {
            Instrument::ALL.into_iter().filter(|asked| !screening.asked_by_script.contains(asked)).collect()
        };
        let insertion = match trigger {
            Trigger::HighRiskDirect | Trigger::NotReady => Vec::new(),
            Trigger::SuicideIntent => open(self),
            Trigger::TurnCount => {
                open(self).into_iter().filter(|instrument| !self.inserted.contains(instrument)).collect()
            }
        };
        self.inserted.extend(&insertion);
        match trigger {
            Trigger::SuicideIntent if !insertion.is_empty() => Insertion::Now(insertion),
            Trigger::TurnCount if !insertion.is_empty() => Insertion::AtTopicBoundary(insertion),
            Trigger::HighRiskDirect | Trigger::SuicideIntent | Trigger::TurnCount | Trigger::NotReady => {
                Insertion::Nothing
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_insert_once_intent_inserts_anew_and_the_script_is_not_repeated() {
        let both = Instrument::ALL.to_vec();
        let mut screening = Screening::default();
        assert_eq!(screening.insert(Trigger::NotReady, Safety::Counselling), Insertion::Nothing);
        assert_eq!(screening.insert(Trigger::HighRiskDirect, Safety::Counselling), Insertion::Nothing);
        assert_eq!(screening.insert(Trigger::TurnCount, Safety::General), Insertion::Nothing);
        let offered = Insertion::AtTopicBoundary(both.clone());
        assert_eq!(screening.insert(Trigger::TurnCount, Safety::Counselling), offered);
        assert_eq!(screening.insert(Trigger::TurnCount, Safety::Counselling), Insertion::Nothing);
        assert_eq!(screening.insert(Trigger::SuicideIntent, Safety::Counselling), Insertion::Now(both.clone()));
        assert_eq!(screening.insert(Trigger::SuicideIntent, Safety::Counselling), Insertion::Now(both));
        screening.asked_by_script(Instrument::Phq9);
        let only_gad7 = Insertion::Now(vec![Instrument::Gad7]);
        assert_eq!(screening.insert(Trigger::SuicideIntent, Safety::Counselling), only_gad7);
        assert_eq!(screening.insert(Trigger::SuicideIntent, Safety::General), Insertion::Nothing);
        screening.asked_by_script(Instrument::Gad7);
        assert_eq!(screening.insert(Trigger::SuicideIntent, Safety::Counselling), Insertion::Nothing);
    }

    #[test]
    fn thresholds_are_inclusive_and_an_unknown_risk_triggers_nothing() {
        let risk = |score| Some(RiskScore::new(score).unwrap());
        let rows = [
            (1, risk(0.95), Trigger::HighRiskDirect),
            (1, risk(0.949_999), Trigger::SuicideIntent),
            (1, risk(0.80), Trigger::SuicideIntent),
            (4, risk(0.799_999), Trigger::NotReady),
            (5, risk(0.799_999), Trigger::TurnCount),
            (5, None, Trigger::TurnCount),
            (4, None, Trigger::NotReady),
        ];
        for (turn, risk, expected) in rows {
            assert_eq!(trigger(turn, risk, TURN_THRESHOLD, Thresholds::default()), expected, "{turn} {risk:?}");
        }
    }
}
