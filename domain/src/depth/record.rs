//! The record of a decision: what was decided, among what, and why.

use std::{fmt, fmt::Write as _, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{Ending, Feasibility, texts};
use crate::{clock::Timestamp, locale::Locale, utterance::Text, variable::Value};

/// Names a decision: `DEC-20260131-007`, the day (UTC) and a number that the store counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DecisionId(String); // Invariant: `DecisionId::is_well_formed`.

/// The text names no decision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a decision id looks like DEC-20260131-007")]
pub struct InvalidDecisionId;

/// What was decided, or that nothing was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its id.
    pub id: DecisionId,
    /// When it was written.
    pub at: Timestamp,
    /// How the deliberation ended.
    pub ending: Ending,
    /// What it was about.
    pub background: Text,
    /// The constraints.
    pub constraints: Vec<RecordedConstraint>,
    /// The options.
    pub options: Vec<RecordedOption>,
    /// The chosen option; none if it was split or paused.
    pub choice: Option<Text>,
    /// What speaks for the choice.
    pub reasons: Vec<Text>,
    /// What was taken for granted.
    pub assumptions: Vec<Text>,
    /// What may go wrong.
    pub risks: Vec<Text>,
    /// Whether it was picked because the rounds were running out.
    pub forced: bool,
}

/// A constraint in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedConstraint {
    /// Its id.
    pub id: Text,
    /// Whether an option that fails it is out.
    pub hard: bool,
    /// Whether it was relaxed.
    pub relaxed: bool,
    /// Its value, if the person gave one.
    pub value: Option<Text>,
    /// Whether every option was checked against it.
    pub verified: bool,
}

/// An option in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedOption {
    /// Its name.
    pub name: Text,
    /// Whether it can be done.
    pub feasibility: Feasibility,
    /// The hard constraints that exclude it.
    pub excluded_by: Vec<Text>,
    /// What speaks for it.
    pub pros: Vec<Text>,
    /// What speaks against it.
    pub cons: Vec<Text>,
}

impl DecisionId {
    /// Makes the id of the `number`th decision of the day of `at`, in UTC. Beyond 999 the number takes more digits.
    pub fn new(at: Timestamp, number: u32) -> Self {
        let (year, month, day) = at.date();
        Self(format!("DEC-{year:04}{month:02}{day:02}-{number:03}"))
    }

    /// Returns the id as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn is_well_formed(text: &str) -> bool {
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = text.split('-').collect();
        matches!(parts.as_slice(), ["DEC", day, number]
            if day.len() == 8 && digits(day) && (3..=10).contains(&number.len()) && digits(number))
    }
}

impl Record {
    /// Returns it as the value of a variable.
    pub fn value(&self) -> Value {
        Value::new(serde_json::to_value(self).expect("texts and flags are JSON"))
    }

    /// Writes it as Markdown in the words of `locale`. What people and models wrote stands on one line each.
    pub fn markdown(&self, locale: Locale) -> String {
        let texts = &texts(locale).record;
        let mut page = format!("# {} {}\n\n", texts.title, self.id);
        let line = |page: &mut String, text: &str| writeln!(page, "{text}").expect("a string takes any text");
        line(&mut page, &format!("{}: {}\n", texts.decided_at, self.at));
        heading(&mut page, &texts.background);
        line(&mut page, &format!("{}\n", or_none(&one_line(&self.background), &texts.none)));
        heading(&mut page, &texts.constraints);
        let constraints = self.constraints.iter().map(|constraint| {
            let mut marks = vec![if constraint.hard { &texts.hard } else { &texts.soft }];
            marks.extend(constraint.relaxed.then_some(&texts.relaxed));
            marks.extend(constraint.verified.then_some(&texts.verified));
            let marks: Vec<&str> = marks.into_iter().map(String::as_str).collect();
            let value = constraint.value.as_ref().map(|value| format!(": {}", one_line(value))).unwrap_or_default();
            format!("{} ({}){value}", one_line(&constraint.id), marks.join(", "))
        });
        list(&mut page, constraints, &texts.none);
        heading(&mut page, &texts.options);
        list(&mut page, self.options.iter().map(|option| option.line(locale)), &texts.none);
        heading(&mut page, &texts.choice);
        let choice = self.choice.as_ref().map(|choice| format!("**{}**", one_line(choice)));
        line(&mut page, &format!("{}\n", choice.as_ref().unwrap_or(&texts.no_choice)));
        if self.forced {
            line(&mut page, &format!("{}\n", texts.forced));
        }
        let points =
            [(&texts.reasons, &self.reasons), (&texts.assumptions, &self.assumptions), (&texts.risks, &self.risks)];
        for (title, points) in points {
            heading(&mut page, title);
            list(&mut page, points.iter().map(one_line), &texts.none);
        }
        page.truncate(page.trim_end().len());
        page + "\n"
    }
}

impl RecordedOption {
    fn line(&self, locale: Locale) -> String {
        let texts = &texts(locale).record;
        let feasibility = match self.feasibility {
            Feasibility::Feasible => &texts.feasible,
            Feasibility::Infeasible => &texts.infeasible,
            Feasibility::Unknown => &texts.unknown,
        };
        let mut line = format!("{} ({feasibility})", one_line(&self.name));
        let parts = [(&texts.excluded_by, &self.excluded_by), (&texts.pros, &self.pros), (&texts.cons, &self.cons)];
        for (title, items) in parts.into_iter().filter(|(_, items)| !items.is_empty()) {
            let items: Vec<String> = items.iter().map(one_line).collect();
            write!(line, "; {title}: {}", items.join(", ")).expect("a string takes any text");
        }
        line
    }
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for DecisionId {
    type Err = InvalidDecisionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if Self::is_well_formed(text) { Ok(Self(text.to_owned())) } else { Err(InvalidDecisionId) }
    }
}

impl TryFrom<String> for DecisionId {
    type Error = InvalidDecisionId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<DecisionId> for String {
    fn from(id: DecisionId) -> Self {
        id.0
    }
}

fn heading(page: &mut String, title: &str) {
    write!(page, "## {title}\n\n").expect("a string takes any text");
}

fn list(page: &mut String, items: impl Iterator<Item = String>, none: &str) {
    let before = page.len();
    for item in items {
        writeln!(page, "- {item}").expect("a string takes any text");
    }
    if page.len() == before {
        writeln!(page, "{none}").expect("a string takes any text");
    }
    page.push('\n');
}

/// White space of any kind becomes one space: a text cannot open a heading or a list of its own.
fn one_line(text: &Text) -> String {
    text.as_str().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn or_none<'a>(text: &'a str, none: &'a str) -> &'a str {
    if text.is_empty() { none } else { text }
}
