//! `decide convergence`: whether a message and the state of a deliberation are enough for a decision.

use serde::Deserialize;
use serde_json::Value;

use super::{Kind, Refusal, read};
use crate::{
    depth::{Evidence, Ratio, Stance, Weights, choice::read_choice},
    locale::Locale,
};

/// The row of the registry.
pub(super) const KIND: Kind = Kind { name: "convergence", about: "whether a deliberation has converged", decide };

const KEYS: [&str; 8] = ["text", "consensus", "round", "max_rounds", "feasible", "coverage", "locale", "options"];

fn decide(input: &Value) -> Result<Value, Refusal> {
    let case: Input = read(input, &KEYS)?;
    if case.max_rounds == 0 {
        return Err(Refusal::new("invalid_input", "`max_rounds` is 0; it is at least 1"));
    }
    let options: Vec<&str> = case.options.iter().map(String::as_str).collect();
    let one;
    let locales: &[Locale] = match case.locale {
        Some(locale) => {
            one = [locale];
            &one
        }
        None => &Locale::ALL,
    };
    let evidence = Evidence {
        choice: Stance::from(&read_choice(&case.text, &options, locales)),
        single: case.feasible == 1,
        consensus: case.consensus,
        coverage: case.coverage,
        round: case.round,
        max_rounds: case.max_rounds,
    };
    let decision = Weights::default().decide(&evidence);
    Ok(serde_json::to_value(decision).expect("numbers and names are JSON"))
}

#[derive(Deserialize)]
struct Input {
    text: String,
    consensus: Ratio,
    round: u32,
    max_rounds: u32,
    feasible: u32,
    coverage: Option<Ratio>,
    locale: Option<Locale>,
    #[serde(default)]
    options: Vec<String>,
}
