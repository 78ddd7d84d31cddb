//! The names of things: one type each, so that they cannot be swapped.

use std::{borrow::Borrow, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The text cannot be used as an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id is 1 to {MAX_ID_CHARS} letters, digits, `_` or `-`")]
pub struct InvalidId;

/// The longest id, in characters.
pub const MAX_ID_CHARS: usize = 128;

/// Tells whether `text` can be an id: letters of any script, digits, `_` and `-`.
pub fn is_id(text: &str) -> bool {
    (1..=MAX_ID_CHARS).contains(&text.chars().count())
        && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String); // Invariant: `is_id`.

        impl $name {
            /// Checks `text` and makes it an id.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidId> {
                let text = text.into();
                if is_id(&text) { Ok(Self(text)) } else { Err(InvalidId) }
            }

            /// Returns the id as written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

id! {
    /// Names an action within its topic.
    ActionId
}
id! {
    /// Names a participant of a discussion.
    AgentId
}
id! {
    /// Names a phase within its script.
    PhaseId
}
id! {
    /// Names a scenario of a discussion.
    ScenarioId
}
id! {
    /// Names a script.
    ScriptId
}
id! {
    /// Names one session; given by the engine.
    SessionId
}
id! {
    /// Names a topic within its script.
    TopicId
}

/// Names whom a session is about; chosen by the application that opens it, opaque here.
///
/// It may identify a person, so `Debug` prints its length only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SubjectId(String); // Invariant: 1 to 128 characters, none of them a control character.

/// The text cannot name a subject.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a subject id is 1 to 128 printable characters")]
pub struct InvalidSubjectId;

impl SubjectId {
    /// Checks `text` and makes it a subject id.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidSubjectId> {
        let text = text.into();
        let printable = !text.chars().any(char::is_control);
        if printable && (1..=128).contains(&text.chars().count()) { Ok(Self(text)) } else { Err(InvalidSubjectId) }
    }

    /// Returns the id as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SubjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SubjectId({} characters)", self.0.chars().count())
    }
}

impl TryFrom<String> for SubjectId {
    type Error = InvalidSubjectId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl From<SubjectId> for String {
    fn from(id: SubjectId) -> Self {
        id.0
    }
}
