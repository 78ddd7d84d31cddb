//! Conditions: parsed when the script is loaded, total when asked.

mod parse;
mod read;
mod token;

use std::{collections::BTreeSet, ops::Range};

pub use parse::ConditionError;
pub use read::{Comparison, NameRead};

use crate::variable::{Compared, Lookup, Operator, Value};

/// A condition, parsed once.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    source: String,
    expression: Expression,
}

/// How a condition came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// Whether it holds.
    pub met: bool,
    /// The comparisons that counted as false because a side was unset or of another kind, as written.
    pub mismatches: Vec<String>,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A name, perhaps dotted, perhaps a question such as `phase.attained(topic)`.
    Name(Name),
    /// A value as written; a duration is its seconds.
    Literal(Value),
}

/// A name in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name in its one spelling: without braces and inner spaces.
    pub text: String,
    /// Where it stands in the source, in bytes.
    pub at: Range<usize>,
}

/// What a condition is made of. Its depth is bounded by the parser.
#[derive(Debug, Clone, PartialEq)]
enum Expression {
    Constant(bool),
    Exists(Name),
    Holds(Name),
    Compare { left: Operand, operator: Operator, right: Operand, at: Range<usize> },
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    ///
    /// [`ConditionError`] with the place inside `source` and what would be right.
    pub fn parse(source: &str) -> Result<Self, ConditionError> {
        parse::parse(source).map(|expression| Self { source: source.to_owned(), expression })
    }

    /// Returns the condition as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Asks the condition. What does not have to be asked, because the answer is known, is not.
    pub fn test(&self, variables: &dyn Lookup) -> Tested {
        let mut mismatches = Vec::new();
        let met = self.holds(&self.expression, variables, &mut mismatches);
        Tested { met, mismatches }
    }

    /// Returns the names it reads, in order, one entry for each place.
    pub fn names(&self) -> Vec<NameRead<'_>> {
        read::names(&self.expression)
    }

    /// Returns its comparisons, in order.
    pub fn comparisons(&self) -> Vec<Comparison<'_>> {
        read::comparisons(&self.expression)
    }

    /// Returns the names that are surely set where it holds.
    pub fn proves(&self) -> BTreeSet<&str> {
        read::proven(&self.expression, true)
    }

    /// Returns how it comes out whatever the variables are, if that is so.
    pub fn constant(&self) -> Option<bool> {
        read::constant(&self.expression)
    }

    fn holds(&self, expression: &Expression, variables: &dyn Lookup, mismatches: &mut Vec<String>) -> bool {
        match expression {
            Expression::Constant(truth) => *truth,
            Expression::Exists(name) => variables.value(&name.text).is_some_and(|value| !value.json().is_null()),
            Expression::Holds(name) => {
                let answer = variables.value(&name.text).and_then(|value| value.json().as_bool());
                if answer.is_none() {
                    mismatches.push(self.source[name.at.clone()].to_owned());
                }
                answer == Some(true)
            }
            Expression::Compare { left, operator, right, at } => {
                let compared = operator.compare(left.value(variables).as_ref(), right.value(variables).as_ref());
                if compared == Compared::Mismatch {
                    mismatches.push(self.source[at.clone()].to_owned());
                }
                compared.holds()
            }
            Expression::Not(inner) => !self.holds(inner, variables, mismatches),
            Expression::All(parts) => parts.iter().all(|part| self.holds(part, variables, mismatches)),
            Expression::Any(parts) => parts.iter().any(|part| self.holds(part, variables, mismatches)),
        }
    }
}

impl Operand {
    fn value(&self, variables: &dyn Lookup) -> Option<Value> {
        match self {
            Self::Name(name) => variables.value(&name.text),
            Self::Literal(value) => Some(value.clone()),
        }
    }
}

#[cfg(test)]
mod tests;
