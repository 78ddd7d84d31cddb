//! Texts, conditions and names as the walk meets them: parsed once, and what they read is noted.

use std::collections::BTreeSet;

use super::{
    Checker,
    notes::{Compares, Reader},
};
use crate::{
    nearest::nearest,
    script::{
        Condition, Spelling, Subject, Template,
        builtin::{RESULT_FIELDS, SYSTEM_VARIABLES},
        defect::Defect,
        draft::{Spanned, Words},
    },
    variable::{InvalidVariableName, VariableName},
};

/// The dotted names of later versions.
const NOT_YET: [&str; 3] = ["topic", "phase", "time_left"];

/// What a condition belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// A phase or a topic: no action of the topic has run.
    OnEntering(&'static str),
    /// An action.
    BeforeAction,
}

impl Checker {
    /// Parses a text that the person or the model reads.
    pub(super) fn text(&mut self, words: &Words, key: &str) -> Option<Template> {
        let words = words.as_ref()?;
        if words.value.trim().is_empty() {
            self.report(
                Defect::error("empty_text", words.span, format!("`{key}` is empty"))
                    .hint(format!("write a text, or take `{key}` out")),
            );
            return None;
        }
        Some(self.template(words))
    }

    /// Parses a text and notes what it reads.
    pub(super) fn template(&mut self, words: &Spanned<String>) -> Template {
        let template = Template::parse(&words.value);
        if let Some(braces) = template.literal_braces().first() {
            let message = format!(
                "`{}` is no placeholder: it stays in the text as it is",
                printable(&words.value[braces.clone()])
            );
            self.report(Defect::warning("literal_braces", words.span, message).within(braces.clone()).hint(
                "a placeholder is `{name}`: letters, digits and `_`, no spaces; leave it if the braces are meant",
            ));
        }
        for placeholder in template.placeholders() {
            if placeholder.spelling != Spelling::Short {
                let written = &words.value[placeholder.at.clone()];
                self.report(
                    Defect::warning(
                        "long_placeholder",
                        words.span,
                        format!("`{written}` means `{}`", placeholder.short()),
                    )
                    .within(placeholder.at.clone())
                    .hint(format!("write `{}`", placeholder.short())),
                );
            }
            match &placeholder.subject {
                Subject::Variable(name) => {
                    self.notes.read(name.as_str(), words.span, Some(placeholder.at.clone()), Reader::Text, false);
                }
                Subject::System(name) if SYSTEM_VARIABLES.contains(&name.as_str()) => {}
                Subject::System(name) => {
                    let message = format!("there is no system variable `{name}`; the text stays empty here");
                    self.report(
                        Defect::warning("unknown_system_variable", words.span, message)
                            .within(placeholder.at.clone())
                            .nearest(name, SYSTEM_VARIABLES),
                    );
                }
            }
        }
        template
    }

    /// Parses a `when` and notes what it reads; what it proves holds for what it guards.
    pub(super) fn condition(&mut self, words: &Words, asked: Asked) -> (Option<Condition>, BTreeSet<String>) {
        let Some(words) = words else { return (None, BTreeSet::new()) };
        let condition = match Condition::parse(&words.value) {
            Ok(condition) => condition,
            Err(error) => {
                let within = error.offset..error.offset + error.length;
                let defect = Defect::error("condition_syntax", words.span, error.message);
                self.report(defect.within(within).hint(error.hint));
                return (None, BTreeSet::new());
            }
        };
        for read in condition.names() {
            let name = &read.name.text;
            if name.contains(['.', '(']) || NOT_YET.contains(&name.as_str()) {
                self.dotted(words, name, read.name.at.clone(), asked);
                continue;
            }
            if let Err(error) = VariableName::new(name.as_str()) {
                self.report(Defect::error("invalid_name", words.span, error.to_string()).within(read.name.at.clone()));
                continue;
            }
            let by = if read.exists { Reader::Exists } else { Reader::Condition };
            self.notes.read(name, words.span, Some(read.name.at.clone()), by, read.guarded);
        }
        let (place, at) = (self.notes.place, self.notes.tick());
        let proven = condition.proves().into_iter().map(ToOwned::to_owned).collect();
        self.notes.compares.push(Compares::Condition { condition: condition.clone(), span: words.span, place, at });
        (Some(condition), proven)
    }

    /// Checks the name of a variable.
    pub(super) fn name(&mut self, name: &Spanned<String>) -> Option<VariableName> {
        match VariableName::new(name.value.as_str()) {
            Ok(name) => Some(name),
            Err(error) => {
                let message = match &error {
                    InvalidVariableName::Malformed => {
                        format!("`{}` cannot name a variable: {error}", printable(&name.value))
                    }
                    InvalidVariableName::Reserved(_) => error.to_string(),
                };
                let hint = match error {
                    InvalidVariableName::Malformed => {
                        "for example `sleep_hours` or `主要困扰`; no spaces, dots or dashes"
                    }
                    InvalidVariableName::Reserved(_) => "choose another name",
                };
                self.report(Defect::error("invalid_name", name.span, message).hint(hint));
                None
            }
        }
    }

    fn dotted(&mut self, words: &Spanned<String>, name: &str, at: std::ops::Range<usize>, asked: Asked) {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        let defect = match (first, asked) {
            ("result", Asked::OnEntering(level)) => Defect::error(
                "result_outside_topic",
                words.span,
                format!("`{name}` is about the last action of a topic; on reaching a {level} there is none"),
            )
            .hint("keep what you need in a variable with a longer scope, and ask for that"),
            ("result", Asked::BeforeAction) if RESULT_FIELDS.contains(&rest) => return,
            ("result", Asked::BeforeAction) => {
                let message = format!("the result of an action has no field `{}`", printable(rest));
                Defect::error("unknown_variable", words.span, message).nearest(rest, RESULT_FIELDS)
            }
            (first, _) if NOT_YET.contains(&first) => Defect::error(
                "not_yet",
                words.span,
                format!("`{name}` is part of the language, but this build does not run it yet"),
            )
            .hint("conditions can read variables and `result.…` of the topic's last action"),
            (first, _) => {
                let hint = match nearest(first, ["result", "topic", "phase"]) {
                    Some(near) => format!("did you mean `{near}.{rest}`?"),
                    None => "fields of a variable cannot be read; dots are for `result.…`".to_owned(),
                };
                Defect::error("unknown_variable", words.span, format!("there is no `{name}`")).hint(hint)
            }
        };
        self.report(defect.within(at));
    }
}

/// Makes a text safe to print inside a message: short, and without what takes no room or turns direction.
pub(super) fn printable(text: &str) -> String {
    let mut shown: String =
        text.chars().take(40).flat_map(|c| if hidden(c) { c.escape_unicode().collect() } else { vec![c] }).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}

fn hidden(c: char) -> bool {
    c.is_control() || crate::utterance::is_invisible(c)
}
