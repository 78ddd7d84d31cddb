//! Has messages scanned before anything is done with them: by the floor, always, and by the detector, if there is one.

use std::time::Duration;

use steersman_domain::{
    control::{MessageScan, RiskSignal, Score, UnknownReason},
    locale::Locale,
    session::{Line, Scanned},
    utterance::Text,
};
use tokio::time::timeout;

use crate::ports::RiskDetector;

/// Scans messages.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    /// Looks at them beside the floor.
    pub(crate) detector: Option<&'a dyn RiskDetector>,
    /// The language of the session.
    pub(crate) language: Locale,
    /// How long one look may take.
    pub(crate) time: Duration,
}

impl Scanner<'_> {
    /// Scans messages in order.
    pub(crate) async fn scan(&self, messages: Vec<&Line>) -> Vec<Scanned> {
        let mut scans = Vec::with_capacity(messages.len());
        for Line { id, text, .. } in messages {
            let detector = match self.detector {
                Some(detector) => Some(self.ask(detector, text).await),
                None => None,
            };
            scans.push(Scanned { utterance: *id, scan: MessageScan::of(text.as_str(), detector) });
        }
        scans
    }

    async fn ask(&self, detector: &dyn RiskDetector, text: &Text) -> RiskSignal {
        let late = |_elapsed| RiskSignal {
            score: Score::Unknown(UnknownReason::Timeout),
            labels: Vec::new(),
            detector: detector.name().to_owned(),
            language: None,
        };
        timeout(self.time, detector.look_at(text, self.language)).await.unwrap_or_else(late)
    }
}
