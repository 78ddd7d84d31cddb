//! What a detector answers: `{"score": 0.3}` or `{"labels": [2, 10]}`. Everything else is unknown.

use serde_json::Value as Json;
use steersman_domain::control::{RiskLabel, RiskSignal, Score, UnknownReason};

/// Reads an answer; whatever is odd about it becomes an unknown score.
pub(super) fn read(answer: &Json, detector: &str, language: Option<&str>) -> RiskSignal {
    let (score, labels) = match (answer.get("score"), answer.get("labels")) {
        (Some(score), None) => (number(score), Vec::new()),
        (None, Some(Json::Array(labels))) => match labels.iter().map(label).collect::<Option<Vec<_>>>() {
            Some(labels) => (Score::from_labels(&labels), labels),
            None => (Score::Unknown(UnknownReason::OutOfRange), Vec::new()),
        },
        (Some(_) | None, Some(_)) => (Score::Unknown(UnknownReason::NotANumber), Vec::new()),
        (None, None) => (Score::Unknown(UnknownReason::Missing), Vec::new()),
    };
    RiskSignal { score, labels, detector: detector.to_owned(), language: language.map(str::to_owned) }
}

/// Says that nothing is known, and why.
pub(super) fn unknown(why: UnknownReason, detector: &str) -> RiskSignal {
    RiskSignal { score: Score::Unknown(why), labels: Vec::new(), detector: detector.to_owned(), language: None }
}

/// Reads a number that is one: a number in quotation marks is none.
pub(super) fn number(score: &Json) -> Score {
    match score {
        Json::Number(score) => Score::from_number(score.as_f64()),
        Json::Null => Score::Unknown(UnknownReason::Missing),
        Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => Score::Unknown(UnknownReason::NotANumber),
    }
}

fn label(label: &Json) -> Option<RiskLabel> {
    u8::try_from(label.as_u64()?).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_odd_is_unknown_and_of_labels_the_worst_counts() {
        let known = |score: f64| Some(score);
        let table = [
            (json!({"score": 0.3}), known(0.3)),
            (json!({"score": 0}), known(0.0)),
            (json!({"score": 1}), known(1.0)),
            (json!({"score": -0.1}), None),
            (json!({"score": 1.7}), None),
            (json!({"score": "0.3"}), None),
            (json!({"score": null}), None),
            (json!({"score": [0.3]}), None),
            (json!({"labels": [10, 2]}), known(0.96)),
            (json!({"labels": [10]}), known(0.0)),
            (json!({"labels": [9, 4]}), known(0.85)),
            (json!({"labels": []}), None),
            (json!({"labels": [11]}), None),
            (json!({"labels": [-1]}), None),
            (json!({"labels": ["2"]}), None),
            (json!({"labels": 2}), None),
            (json!({"score": 0.1, "labels": [10]}), None),
            (json!({}), None),
            (json!(0.3), None),
            (json!("fine"), None),
        ];
        for (answer, expected) in table {
            let found = match read(&answer, "test", None).score {
                Score::Known(score) => Some(score.get()),
                Score::Unknown(_) => None,
            };
            assert_eq!(found, expected, "{answer}");
        }
    }
}
