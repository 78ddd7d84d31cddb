//! What was said: texts that never show themselves in logs, and the utterances made of them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A text that a person or a model wrote. `Debug` prints its length only; there is no `Display`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text(String);

impl Text {
    /// Takes any text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text itself: for prompts, events and the person, never for logs.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text itself, owned.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Tells whether nothing is left after trimming white space and invisible characters.
    pub fn is_blank(&self) -> bool {
        self.0.chars().all(|c| c.is_whitespace() || is_invisible(c))
    }

    /// Counts the characters that are neither white space nor invisible.
    pub fn visible_chars(&self) -> usize {
        self.0.chars().filter(|&c| !c.is_whitespace() && !is_invisible(c)).count()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.0.len())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Tells whether `c` takes no room on a screen: zero-width and direction characters, soft hyphen, byte order mark.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180E}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{E0000}'..='\u{E0FFF}')
}
