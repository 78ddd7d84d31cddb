//! `decide depth`: band, force and guidance from metrics or from the counts behind them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Kind, Refusal, read};
use crate::{
    depth::{Band, Counts, Guidance, Ratio, is_forced},
    locale::Locale,
};

/// The row of the registry.
pub(super) const KIND: Kind =
    Kind { name: "depth", about: "how deep a deliberation has gone, and what that allows", decide };

const METRICS: [&str; 3] = ["coverage", "consensus", "fuzziness"];
const FUZZINESS: [&str; 5] = ["undefined_terms", "total_terms", "unset_constraints", "expected_constraints", "scope"];
const COVERAGE: [&str; 6] = [
    "topics_discussed",
    "topics_expected",
    "angles_covered",
    "angles_expected",
    "constraints_verified",
    "constraints_total",
];
const CONSENSUS: [&str; 3] = ["explicit_choice", "comparison_converged", "unique_option"];

fn decide(input: &Value) -> Result<Value, Refusal> {
    let keys = [&METRICS[..], &FUZZINESS, &COVERAGE, &CONSENSUS, &["round", "max_rounds", "locale"]].concat();
    let case: Input = read(input, &keys)?;
    if case.max_rounds == 0 {
        return Err(Refusal::new("invalid_input", "`max_rounds` is 0; it is at least 1"));
    }
    let counts = case.counts;
    let given = |keys: &[&str]| keys.iter().any(|&key| input.get(key).is_some());
    let fuzziness = if given(&FUZZINESS) { Some(counts.fuzziness()) } else { case.fuzziness };
    let coverage = if given(&COVERAGE) { Some(counts.coverage()) } else { case.coverage };
    let consensus = if given(&CONSENSUS) { Some(counts.consensus()) } else { case.consensus };
    let coverage = coverage.ok_or_else(|| missing("coverage", &COVERAGE))?;
    let consensus = consensus.ok_or_else(|| missing("consensus", &CONSENSUS))?;
    let (band, forced) = (Band::of(coverage, consensus), is_forced(case.round, case.max_rounds));
    let guidance = Guidance::of(band, forced).text(case.locale.unwrap_or(Locale::En));
    let answer = Answer { band, forced, guidance, fuzziness, coverage, consensus };
    Ok(serde_json::to_value(answer).expect("numbers and texts are JSON"))
}

fn missing(metric: &str, counts: &[&str]) -> Refusal {
    Refusal::new("invalid_input", format!("`{metric}` is missing; give it, or any of {}", counts.join(", ")))
}

#[derive(Deserialize)]
struct Input {
    coverage: Option<Ratio>,
    consensus: Option<Ratio>,
    fuzziness: Option<Ratio>,
    round: u32,
    max_rounds: u32,
    locale: Option<Locale>,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize)]
struct Answer {
    band: Band,
    forced: bool,
    guidance: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fuzziness: Option<Ratio>,
    coverage: Ratio,
    consensus: Ratio,
}
