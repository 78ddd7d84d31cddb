//! `decide trigger`: whether a questionnaire is due, and why.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Kind, Refusal, read, route::chat_risk};
use crate::control::{Route, Score, TURN_THRESHOLD, Thresholds, Trigger, trigger};

pub(super) const KIND: Kind = Kind { name: "trigger", about: "whether a questionnaire is due, and why", decide };

#[derive(Deserialize)]
struct Input {
    turn: u32,
    #[serde(default)]
    chat_risk: Value,
    #[serde(default = "usual_threshold")]
    turn_threshold: u32,
}

fn usual_threshold() -> u32 {
    TURN_THRESHOLD
}

fn decide(input: &Value) -> Result<Value, Refusal> {
    let Input { turn, chat_risk: risk, turn_threshold } = read(input, &["turn", "chat_risk", "turn_threshold"])?;
    let risk = match chat_risk(&risk)? {
        Some(Score::Known(score)) => Some(score),
        Some(Score::Unknown(_)) | None => None,
    };
    let due = trigger(turn, risk, turn_threshold, Thresholds::default());
    let (fires, immediate_route) = match due {
        Trigger::HighRiskDirect => (true, Some(Route::High)),
        Trigger::SuicideIntent | Trigger::TurnCount => (true, None),
        Trigger::NotReady => (false, None),
    };
    Ok(json!({"trigger": fires, "reason": due.as_str(), "immediate_route": immediate_route}))
}
