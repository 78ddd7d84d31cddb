//! What was found in one message before anything else is done with it.

use serde::{Deserialize, Serialize};

use super::{
    MessageRisk, RiskScore, RiskSignal,
    floor::{self, RiskClass},
};

/// What the lexical floor and the detector found in one message. The journal keeps it, so that a replay decides by what
/// was found then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageScan {
    /// The floor's score.
    pub floor: RiskScore,
    /// The worst class that the floor found.
    pub class: Option<RiskClass>,
    /// What the detector said; none if there is no detector.
    pub detector: Option<RiskSignal>,
}

impl MessageScan {
    /// Scans a text with the floor, and adds what the detector said, if there is one.
    pub fn of(text: &str, detector: Option<RiskSignal>) -> Self {
        let class = floor::scan(text).map(|finding| finding.class);
        Self { floor: class.map_or(RiskScore::NONE, RiskClass::score), class, detector }
    }

    /// Returns what is decided by.
    pub fn risk(&self) -> MessageRisk {
        MessageRisk { floor: self.floor, detector: self.detector.as_ref().map(|signal| signal.score) }
    }

    /// Tells whether the floor alone would find this in `text`, as it did then.
    pub fn is_found_in(&self, text: &str) -> bool {
        Self::of(text, None).class == self.class
    }
}

/// Tells whether a text holds a must-catch phrase: whoever reads it need not know more to act.
pub fn must_be_caught(text: &str) -> bool {
    floor::scan(text).is_some_and(|finding| finding.class == RiskClass::MustCatch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Score, UnknownReason};

    #[test]
    fn the_floor_is_scanned_whatever_the_detector_says() {
        let scan = MessageScan::of("I am going to kill myself", None);
        assert_eq!((scan.class, scan.floor), (Some(RiskClass::MustCatch), RiskScore::MUST_CATCH));
        let signal = RiskSignal {
            score: Score::Unknown(UnknownReason::Timeout),
            labels: Vec::new(),
            detector: "http".to_owned(),
            language: None,
        };
        let scan = MessageScan::of("I slept badly", Some(signal));
        assert_eq!((scan.class, scan.risk().holds()), (None, true));
        assert!(scan.is_found_in("all is well") && !scan.is_found_in("I want to kill myself"));
        assert!(must_be_caught("I am going to kill myself") && !must_be_caught("this is killing me"));
    }
}
