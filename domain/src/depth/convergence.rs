//! Whether a deliberation has converged: four checks with weights, and what they add up to.

use serde::{Deserialize, Serialize};

use super::{Band, Ratio, Stage, choice::Reading, is_forced};

/// What each check weighs and how much is enough. Configuration; the defaults are the product's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// The message chooses explicitly.
    pub choice: Ratio,
    /// Exactly one option is feasible.
    pub single: Ratio,
    /// The consensus reaches `consensus_at`.
    pub consensus: Ratio,
    /// Time presses.
    pub forced: Ratio,
    /// The consensus that counts.
    pub consensus_at: Ratio,
    /// A single weight that is enough.
    pub alone: Ratio,
    /// A sum of weights that is enough.
    pub together: Ratio,
}

/// What is known after one message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// What the message says about a choice.
    pub choice: Stance,
    /// Whether exactly one option is feasible.
    pub single: bool,
    /// The consensus.
    pub consensus: Ratio,
    /// The coverage, where it is known.
    pub coverage: Option<Ratio>,
    /// Rounds so far, this one included.
    pub round: u32,
    /// The most rounds.
    pub max_rounds: u32,
}

/// What a message says about a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stance {
    /// It chooses, and it is known what.
    Chosen,
    /// It chooses in words of its own, where there is no list of options: counted, and to be confirmed.
    Stated,
    /// It chooses, and names none of the options: to be asked again, not counted.
    Unclear,
    /// It does not choose.
    Open,
}

/// The checks that fired, each with its weight.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Fired {
    /// The message chooses explicitly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Ratio>,
    /// Exactly one option is feasible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single: Option<Ratio>,
    /// The consensus is high.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<Ratio>,
    /// Time presses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<Ratio>,
}

/// What follows from the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Go to the summary.
    Converge,
    /// Make the offers.
    Suggest,
    /// Go on.
    Continue,
}

/// The decision, with the checks that made it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// What follows.
    pub outcome: Outcome,
    /// Whether time presses.
    pub forced: bool,
    /// The checks that fired.
    pub weights: Fired,
    /// Where it goes, if anywhere.
    pub next: Option<Stage>,
    /// Whether the person must be asked before it is recorded.
    pub confirm: bool,
    /// What speaks against an explicit choice.
    pub warning: Option<Warning>,
}

/// What a person should know before a choice is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// Less than half of the ground was covered.
    LowCoverage,
    /// A hard constraint excludes the chosen option.
    Excluded,
    /// Nobody checked whether the option is feasible.
    Unchecked,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            choice: Ratio::ONE,
            single: Ratio::percent(90),
            consensus: Ratio::percent(80),
            forced: Ratio::percent(60),
            consensus_at: Ratio::percent(70),
            alone: Ratio::percent(80),
            together: Ratio::ONE,
        }
    }
}

impl Weights {
    /// Decides whether `evidence` is enough.
    pub fn decide(&self, evidence: &Evidence) -> Convergence {
        let forced = is_forced(evidence.round, evidence.max_rounds);
        let chosen = matches!(evidence.choice, Stance::Chosen | Stance::Stated);
        let weights = Fired {
            choice: chosen.then_some(self.choice),
            single: evidence.single.then_some(self.single),
            consensus: evidence.consensus.reaches(self.consensus_at).then_some(self.consensus),
            forced: forced.then_some(self.forced),
        };
        let outcome = if self.suffices(&weights) {
            Outcome::Converge
        } else if forced {
            Outcome::Suggest
        } else {
            Outcome::Continue
        };
        let thin = evidence.coverage.is_some_and(|coverage| !coverage.reaches(Band::ADEQUATE));
        let warning = (chosen && thin).then_some(Warning::LowCoverage);
        Convergence {
            outcome,
            forced,
            weights,
            next: (outcome == Outcome::Converge).then_some(Stage::Summary),
            confirm: match evidence.choice {
                Stance::Chosen => warning.is_some(),
                Stance::Stated | Stance::Unclear => true,
                Stance::Open => outcome == Outcome::Converge,
            },
            warning,
        }
    }

    fn suffices(&self, fired: &Fired) -> bool {
        let weights = [fired.choice, fired.single, fired.consensus, fired.forced].into_iter().flatten();
        let alone = weights.clone().any(|weight| weight.reaches(self.alone));
        let sum = Ratio::new(weights.map(Ratio::get).sum()).expect("a sum of ratios is a number");
        alone || sum.reaches(self.together)
    }
}

impl From<&Reading> for Stance {
    fn from(reading: &Reading) -> Self {
        match reading {
            Reading::Named(_) => Self::Chosen,
            Reading::InOwnWords(_) => Self::Stated,
            Reading::Unnamed => Self::Unclear,
            Reading::Silent | Reading::Withheld(_) => Self::Open,
        }
    }
}
