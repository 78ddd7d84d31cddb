//! What a session remembers: named values in four scopes, each with where it came from and what it was before.

mod compare;
mod name;
mod store;
mod value;

pub use compare::{Compared, Operator};
pub use name::{InvalidVariableName, VariableName};
pub use store::{
    Closed, Declared, Earlier, HISTORY, Quality, Source, VariableStore, VariableValue, WriteError, Writing, Written,
};
pub use value::{Kind, Value};

use serde::{Deserialize, Serialize};

/// How long a variable lives. Ordered from the longest life to the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Across the sessions of one subject; constants of the script live here too.
    Global,
    /// Until the session ends.
    Session,
    /// Until its phase is left.
    Phase,
    /// Until its topic is left.
    Topic,
}

impl Scope {
    /// All scopes, longest life first.
    pub const ALL: [Self; 4] = [Self::Global, Self::Session, Self::Phase, Self::Topic];

    /// Returns the scope as scripts write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Session => "session",
            Self::Phase => "phase",
            Self::Topic => "topic",
        }
    }
}

/// Finds values by name for conditions and placeholders. Names may be dotted (`result.outcome`).
pub trait Lookup {
    /// Returns the value that `name` has here, `None` if it is unset.
    fn value(&self, name: &str) -> Option<Value>;
}
