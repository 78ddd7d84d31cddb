//! Scores from a file: one line a scan, in order. When they run out nothing is known any more.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use serde_json::{Value as Json, json};
use steersman_domain::{
    control::{RiskSignal, Score, UnknownReason},
    locale::Locale,
    utterance::Text,
};
use steersman_engine::ports::RiskDetector;

use super::answer;

const NAME: &str = "scores";

/// Scores in the order of a file.
#[derive(Debug)]
pub struct RecordedScores(Mutex<VecDeque<RiskSignal>>);

/// A line that is no score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: a scan is a number from 0 to 1, \"unknown\", or {{\"labels\": [0 to 10, …]}}")]
pub struct ScoresError {
    /// The line, counted from 1.
    pub line: usize,
}

impl RecordedScores {
    /// Reads the lines of a file; blank ones are passed over.
    ///
    /// # Errors
    ///
    /// [`ScoresError`] at the first line that is none.
    pub fn parse(text: &str) -> Result<Self, ScoresError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let signals = lines.map(|(at, line)| signal(line).ok_or(ScoresError { line: at + 1 }));
        Ok(Self(Mutex::new(signals.collect::<Result<_, _>>()?)))
    }
}

fn signal(line: &str) -> Option<RiskSignal> {
    let line: Json = serde_json::from_str(line).ok()?;
    let signal = match &line {
        Json::Number(_) => answer::read(&json!({"score": line}), NAME, None),
        Json::String(word) if word == "unknown" => return Some(answer::unknown(UnknownReason::Failed, NAME)),
        Json::Object(_) => answer::read(&line, NAME, None),
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) => return None,
    };
    matches!(signal.score, Score::Known(_)).then_some(signal)
}

#[async_trait]
impl RiskDetector for RecordedScores {
    async fn look_at(&self, _: &Text, _: Locale) -> RiskSignal {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| answer::unknown(UnknownReason::Exhausted, NAME))
    }

    fn name(&self) -> &str {
        NAME
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_scan_takes_a_line_and_behind_the_last_nothing_is_known() {
        let scores = RecordedScores::parse("0.2\n\n\"unknown\"\n{\"labels\":[10,1]}\n").unwrap();
        let mut seen = Vec::new();
        for _ in 0..4 {
            seen.push(scores.look_at(&"hello".into(), Locale::En).await.score);
        }
        let told = serde_json::to_value(&seen).unwrap();
        let unknown = [json!({"unknown": "failed"}), json!({"unknown": "exhausted"})];
        assert_eq!(told, json!([{"known": 0.2}, unknown[0], {"known": 0.96}, unknown[1]]));
    }

    #[test]
    fn a_line_that_is_no_score_is_told_before_anything_runs() {
        for (text, line) in [("1.2", 1), ("0.1\n\"0.2\"", 2), ("{\"labels\":[12]}", 1), ("low", 1)] {
            assert_eq!(RecordedScores::parse(text).unwrap_err(), ScoresError { line }, "{text}");
        }
    }
}
