//! The name of a variable.

use std::{borrow::Borrow, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Words of the condition language and of its dotted names; a variable of that name could never be read.
const RESERVED: [&str; 12] =
    ["and", "contains", "exists", "false", "not", "null", "or", "phase", "result", "time_left", "topic", "true"];
const MAX_CHARS: usize = 64;

/// Names one variable of a script: letters of any script, digits and `_`, not starting with a digit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VariableName(String); // Invariant: `VariableName::check`.

/// The text cannot name a variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVariableName {
    /// It is empty, too long, starts with a digit, or has another character.
    #[error("a variable name is 1 to {MAX_CHARS} letters, digits or `_`, and does not start with a digit")]
    Malformed,
    /// It is a word of the condition language.
    #[error("`{0}` is a word of the condition language and cannot name a variable")]
    Reserved(String),
}

impl VariableName {
    /// Checks `text` and makes it a name.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidVariableName> {
        let text = text.into();
        Self::check(&text)?;
        Ok(Self(text))
    }

    /// Tells whether `text` has the form of a name; reserved words have it too.
    pub fn is_well_formed(text: &str) -> bool {
        text.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
            && text.chars().count() <= MAX_CHARS
    }

    /// Returns the name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn check(text: &str) -> Result<(), InvalidVariableName> {
        if !Self::is_well_formed(text) {
            return Err(InvalidVariableName::Malformed);
        }
        if RESERVED.contains(&text) {
            return Err(InvalidVariableName::Reserved(text.to_owned()));
        }
        Ok(())
    }
}

impl fmt::Display for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for VariableName {
    type Err = InvalidVariableName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl TryFrom<String> for VariableName {
    type Error = InvalidVariableName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl From<VariableName> for String {
    fn from(name: VariableName) -> Self {
        name.0
    }
}

impl Borrow<str> for VariableName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_script_are_names() {
        for name in ["a", "_x1", "用户情绪", "Größe"] {
            assert!(VariableName::new(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_could_not_be_read_back_is_no_name() {
        for name in ["", "1a", "a b", "a-b", "a.b", "a\u{200B}b", "\u{202E}x"] {
            assert_eq!(VariableName::new(name), Err(InvalidVariableName::Malformed), "{name}");
        }
        assert!(matches!(VariableName::new("exists"), Err(InvalidVariableName::Reserved(_))));
    }
}
