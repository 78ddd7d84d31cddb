//! How far a deliberation has come: three numbers, and the counts behind each of them.

use serde::{Deserialize, Serialize};

use super::Ratio;

const CHOICE_PART: f64 = 0.5;
const COMPARISON_PART: f64 = 0.3;
const UNIQUE_PART: f64 = 0.2;

/// What was counted. Every value is valid: a part beyond its whole counts as the whole.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Terms that nobody has defined yet.
    pub undefined_terms: u32,
    /// Terms in all.
    pub total_terms: u32,
    /// Expected constraints without a value.
    pub unset_constraints: u32,
    /// Constraints that a value is expected for.
    pub expected_constraints: u32,
    /// How vague the scope is, 0 clear to 1 open.
    pub scope: Ratio,
    /// Topics that were discussed.
    pub topics_discussed: u32,
    /// Topics that should be.
    pub topics_expected: u32,
    /// Angles that were taken.
    pub angles_covered: u32,
    /// Angles that should be.
    pub angles_expected: u32,
    /// Constraints that every option was checked against.
    pub constraints_verified: u32,
    /// Constraints in all.
    pub constraints_total: u32,
    /// Whether the person chose, and has not taken it back.
    pub explicit_choice: bool,
    /// Whether the feasible options were compared on a dimension they share.
    pub comparison_converged: bool,
    /// Whether the constraints leave one option.
    pub unique_option: bool,
}

/// The three metrics of a deliberation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// How vague the input is: 0 clear, 1 very vague.
    pub fuzziness: Ratio,
    /// How much of the ground was covered.
    pub coverage: Ratio,
    /// How far one option has emerged.
    pub consensus: Ratio,
}

impl Counts {
    /// Computes all three.
    pub fn metrics(&self) -> Metrics {
        Metrics { fuzziness: self.fuzziness(), coverage: self.coverage(), consensus: self.consensus() }
    }

    /// Computes the mean of undefined terms, unset constraints and vagueness of scope; an empty set contributes 0.
    pub fn fuzziness(&self) -> Ratio {
        let terms = Ratio::of(self.undefined_terms, self.total_terms).unwrap_or(Ratio::ZERO);
        let constraints = Ratio::of(self.unset_constraints, self.expected_constraints).unwrap_or(Ratio::ZERO);
        Ratio::mean([terms, constraints, self.scope])
    }

    /// Computes the mean of topics, angles and constraints; without constraints that part is 1, without topics or
    /// angles theirs is 0.
    pub fn coverage(&self) -> Ratio {
        let topics = Ratio::of(self.topics_discussed, self.topics_expected).unwrap_or(Ratio::ZERO);
        let angles = Ratio::of(self.angles_covered, self.angles_expected).unwrap_or(Ratio::ZERO);
        let constraints = Ratio::of(self.constraints_verified, self.constraints_total).unwrap_or(Ratio::ONE);
        Ratio::mean([topics, angles, constraints])
    }

    /// Adds up the choice (0.5), the comparison (0.3) and the constraints that leave one option (0.2).
    pub fn consensus(&self) -> Ratio {
        let part = |holds: bool, part: f64| if holds { part } else { 0.0 };
        let sum = part(self.explicit_choice, CHOICE_PART)
            + part(self.comparison_converged, COMPARISON_PART)
            + part(self.unique_option, UNIQUE_PART);
        Ratio::new(sum).expect("a sum of three constants is a number")
    }
}
