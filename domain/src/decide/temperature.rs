//! `decide temperature`: what rigidity leaves of a base temperature.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Kind, Refusal, read};
use crate::control::temperature;

pub(super) const KIND: Kind = Kind { name: "temperature", about: "what rigidity leaves of a base temperature", decide };

#[derive(Deserialize)]
struct Input {
    base: f64,
    rigid_score: f64,
}

/// The highest temperature that any provider takes.
const HIGHEST_BASE: f64 = 2.0;

fn decide(input: &Value) -> Result<Value, Refusal> {
    let Input { base, rigid_score } = read(input, &["base", "rigid_score"])?;
    if !(0.0..=HIGHEST_BASE).contains(&base) {
        return Err(Refusal::new("invalid_input", format!("`base` is {base}; allowed: 0 to {HIGHEST_BASE}")));
    }
    if !(0.0..=1.0).contains(&rigid_score) {
        return Err(Refusal::new("invalid_input", format!("`rigid_score` is {rigid_score}; allowed: 0 to 1")));
    }
    Ok(json!({"temperature": temperature(base, rigid_score)}))
}
