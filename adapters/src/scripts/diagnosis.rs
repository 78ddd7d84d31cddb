//! A defect with its place in the file, for people and for programs.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};
use serde::Serialize;
use steersman_domain::script::defect::{Defect, Severity};
use steersman_engine::ports::Finding;

use super::document::Document;

/// A defect of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosed {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// A stable word for programs.
    pub code: &'static str,
    /// Whether the file can be used with it.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    #[serde(skip)]
    bytes: Range<usize>,
    #[serde(skip)]
    related: Option<(Range<usize>, String)>,
}

impl Diagnosed {
    pub(super) fn new(file: &str, document: &Document<'_>, defect: Defect) -> Self {
        let bytes = document.place(defect.span, defect.within.as_ref());
        let (line, column) = line_and_column(document.text, bytes.start);
        let related = defect.related.map(|related| (document.place(related.span, None), related.message));
        let Defect { code, severity, message, hint, .. } = defect;
        Self { file: file.to_owned(), line, column, code, severity, message, hint, bytes, related }
    }

    /// Returns it without the file's text, for programs.
    pub(super) fn finding(&self) -> Finding {
        let Self { file, line, column, code, severity, message, hint, .. } = self.clone();
        Finding { file, line, column, code: code.to_owned(), severity, message, hint }
    }

    /// Writes it for a person: place, line of the file, caret, code and hint.
    pub(super) fn written(&self, text: &str, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut snippet =
            Snippet::source(text).path(self.file.as_str()).annotation(AnnotationKind::Primary.span(self.bytes.clone()));
        if let Some((bytes, message)) = &self.related {
            snippet = snippet.annotation(AnnotationKind::Context.span(bytes.clone()).label(message.as_str()));
        }
        let group = level.primary_title(self.message.as_str()).id(self.code).element(snippet);
        let report: [Group<'_>; 1] = [match &self.hint {
            Some(hint) => group.element(Level::HELP.message(hint.as_str())),
            None => group,
        }];
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.decor_style(DecorStyle::Ascii).render(&report)
    }
}

fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
