//! What a script asks for before a question counts as done.

use serde::{Deserialize, Serialize};

use crate::variable::{Operator, Value, VariableName};

/// The conditions of `exit_criteria`. Which keys a kind of action may have is checked when the script is loaded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitCriteria {
    /// How well the person must have understood, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub understanding_threshold: Option<f64>,
    /// `false`: an open question blocks the exit. `true` or absent: no constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_questions: Option<bool>,
    /// A floor: fewer rounds never meet the criteria.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_rounds: Option<u32>,
    /// The intensity, 0 to 10, at which strong emotion ends the question alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emotion_intensity: Option<f64>,
    /// The part of a form, 0 to 1, that must be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completeness: Option<f64>,
    /// Comparisons of variables; all must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom_conditions: Vec<CustomCondition>,
}

/// One comparison of a variable with a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomCondition {
    /// The variable, read where the action stands.
    pub variable: VariableName,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub value: Value,
}
