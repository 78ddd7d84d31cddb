//! What is wrong with a script, where, and what would be right.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::draft::{Span, Spanned};
use crate::nearest::nearest;

/// One defect of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// A stable word for programs, such as `unknown_variable`.
    pub code: &'static str,
    /// Whether the script can run with it.
    pub severity: Severity,
    /// The value or key that is meant.
    pub span: Span,
    /// The part of its text that is meant, in bytes; empty at a point, absent for the whole.
    pub within: Option<Range<usize>>,
    /// What is wrong, in words.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Another place that belongs to it, such as the first of two equal ids.
    pub related: Option<Related>,
}

/// Another place that belongs to a defect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// Whether a script can run with a defect. Ordered from the lighter to the heavier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It runs; the author should look.
    Warning,
    /// It does not run.
    Error,
}

impl Severity {
    /// Returns the severity as JSON and text name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Defect {
    /// Makes an error.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, span, within: None, message: message.into(), hint: None, related: None }
    }

    /// Makes a warning.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the part of the text that is meant.
    #[must_use]
    pub fn within(mut self, within: Range<usize>) -> Self {
        self.within = Some(within);
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related = Some(Related { span, message: message.into() });
        self
    }

    /// Adds the nearest of the names that would be right, else all of them.
    #[must_use]
    pub fn nearest<'a>(self, name: &str, allowed: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        if let Some(near) = nearest(name, allowed.clone()) {
            return self.hint(format!("did you mean `{near}`?"));
        }
        let list: Vec<_> = allowed.into_iter().take(MAX_LISTED + 1).collect();
        match list.as_slice() {
            [] => self,
            [one] => self.hint(format!("there is only `{one}`")),
            some if some.len() <= MAX_LISTED => self.hint(format!("allowed: {}", some.join(", "))),
            many => self.hint(format!("allowed: {}, …", many[..MAX_LISTED].join(", "))),
        }
    }
}

/// The most names that a hint lists.
const MAX_LISTED: usize = 24;

/// Says that a number is out of its range.
pub(super) fn out_of_range<T: std::fmt::Display>(
    code: &'static str,
    key: &str,
    given: &Spanned<T>,
    range: &str,
) -> Defect {
    Defect::error(code, given.span, format!("`{key}` is {}, it must be {range}", given.value))
        .hint("write a value in that range, or take the key out")
}
