//! Takes in how dangerous a message is, before anything is done with it.

use super::{
    EventBody, Scanned,
    state::{Hearing, Stage},
    turn::{Flow, Turn},
};
use crate::control::{Evidence, MessageScan, Perception, Route, Score};

impl Turn<'_> {
    /// Waits until what was said, and all that is held, has been scanned.
    pub(super) fn perceive(&mut self, hearing: Hearing) -> Flow {
        self.state.perception = Perception::Unscanned;
        self.state.stage = Stage::Perceiving(Box::new(hearing));
        Flow::Waits
    }

    /// Takes what was found, oldest message first; only then is the last one acted on.
    pub(super) fn perceived(&mut self, scans: Vec<Scanned>) -> Flow {
        let fresh = Stage::Fresh; // Never seen: whatever follows says what is waited for.
        let Stage::Perceiving(hearing) = std::mem::replace(&mut self.state.stage, fresh) else { return Flow::Waits };
        let before = self.state.control.route();
        self.state.perception = Perception::Scanned;
        for Scanned { utterance, scan } in scans {
            let risk = scan.risk();
            if risk.holds() {
                self.state.perception = Perception::Unscanned;
            }
            self.emit(scored(utterance, scan));
            self.raise(&Evidence::Message(risk));
        }
        if before != Route::High && self.state.control.route() == Route::High {
            return self.go_high();
        }
        self.act_on(*hearing)
    }

    /// Takes a piece of evidence, and says whether it changed the route.
    pub(super) fn raise(&mut self, evidence: &Evidence) {
        if let Some(change) = self.state.control.raise(evidence, self.state.thresholds, self.now) {
            self.emit(EventBody::RouteChanged { change });
        }
    }
}

fn scored(utterance: super::UtteranceId, scan: MessageScan) -> EventBody {
    let (score, unknown) = match scan.risk().score() {
        Score::Known(score) => (Some(score), None),
        Score::Unknown(reason) => (None, Some(reason)),
    };
    let MessageScan { floor, class, detector } = scan;
    let (detector, labels) = detector.map(|signal| (signal.detector, signal.labels)).unzip();
    EventBody::RiskScored { utterance, score, floor, class, unknown, detector, labels: labels.unwrap_or_default() }
}
