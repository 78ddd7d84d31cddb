//! What a model reports that an answer covered, read from its reply: never trusted, never an error.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Offer, Ratio, choice::Consent};
use crate::utterance::Text;

/// The most entries that are read of one list.
const MAX_ENTRIES: usize = 40;
/// The most characters that are read of one text.
const MAX_CHARS: usize = 400;

/// What an answer covered. Names are the model's words; only those that are known count.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Terms that are clear now.
    pub terms_defined: Vec<Text>,
    /// Terms that are not.
    pub terms_unclear: Vec<Text>,
    /// Topics that were discussed.
    pub topics: Vec<Text>,
    /// Angles that were taken.
    pub angles: Vec<Text>,
    /// Constraints that were given a value, or are new.
    pub constraints: Vec<ReportedConstraint>,
    /// Constraints that need not hold any longer, or not yet.
    pub relaxed: Vec<Text>,
    /// Options that were talked about.
    pub options: Vec<ReportedOption>,
    /// Comparisons of options.
    pub compared: Vec<Compared>,
    /// The option that the person chose.
    pub choice: Option<Text>,
    /// Whether the person took a choice back.
    pub retracted: bool,
    /// Whether the person confirmed the proposal.
    pub consent: Option<Consent>,
    /// Which offer the person took.
    pub offer: Option<Offer>,
    /// How vague the scope is.
    pub scope_vagueness: Option<Ratio>,
    /// What speaks for the choice.
    pub reasons: Vec<Text>,
    /// What is taken for granted.
    pub assumptions: Vec<Text>,
    /// What may go wrong.
    pub risks: Vec<Text>,
}

/// A constraint in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedConstraint {
    /// Its id.
    pub id: Text,
    /// The value that the person gave.
    pub value: Option<Text>,
    /// Whether it stands on the list, or the person named it as a new one.
    pub standing: Standing,
}

/// Whether a reported constraint stands on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It should; if it does not, it is ignored.
    Listed,
    /// A new one that options may fail.
    NewSoft,
    /// A new one that excludes the options that fail it.
    NewHard,
}

/// An option in a report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportedOption {
    /// Its name.
    pub name: Text,
    /// Whether it can be done, where that became known.
    pub feasible: Option<bool>,
    /// Constraints that it meets.
    pub meets: Vec<Text>,
    /// Constraints that it fails.
    pub fails: Vec<Text>,
    /// What speaks for it.
    pub pros: Vec<Text>,
    /// What speaks against it.
    pub cons: Vec<Text>,
}

/// A comparison in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// In what they were compared.
    pub dimension: Text,
    /// The options.
    pub options: Vec<Text>,
}

impl Report {
    /// Reads a report and counts what could not be read: unknown keys, values of another kind, entries beyond a bound.
    ///
    /// The keys are the fields' names; a constraint is `{id, value?, new?, hard?}`, consent `confirmed: bool`.
    pub fn read(json: &Value) -> (Self, u32) {
        let Value::Object(fields) = json else { return (Self::default(), u32::from(!json.is_null())) };
        let mut reader = Reader::new(fields);
        let report = Self {
            terms_defined: reader.texts("terms_defined"),
            terms_unclear: reader.texts("terms_unclear"),
            topics: reader.texts("topics"),
            angles: reader.texts("angles"),
            constraints: reader.objects("constraints", constraint),
            relaxed: reader.texts("relaxed"),
            options: reader.objects("options", option),
            compared: reader.objects("compared", compared),
            choice: reader.text("choice"),
            retracted: reader.flag("retracted").unwrap_or(false),
            consent: reader.flag("confirmed").map(|yes| if yes { Consent::Yes } else { Consent::No }),
            offer: reader.offer("offer"),
            scope_vagueness: reader.ratio("scope_vagueness"),
            reasons: reader.texts("reasons"),
            assumptions: reader.texts("assumptions"),
            risks: reader.texts("risks"),
        };
        (report, reader.finish())
    }
}

fn constraint(reader: &mut Reader<'_>) -> Option<ReportedConstraint> {
    let (new, hard) = (reader.flag("new").unwrap_or(false), reader.flag("hard").unwrap_or(false));
    let standing = match (new, hard) {
        (false, _) => Standing::Listed,
        (true, false) => Standing::NewSoft,
        (true, true) => Standing::NewHard,
    };
    let value = reader.text("value");
    Some(ReportedConstraint { id: reader.text("id")?, value, standing })
}

fn option(reader: &mut Reader<'_>) -> Option<ReportedOption> {
    Some(ReportedOption {
        feasible: reader.flag("feasible"),
        meets: reader.texts("meets"),
        fails: reader.texts("fails"),
        pros: reader.texts("pros"),
        cons: reader.texts("cons"),
        name: reader.text("name")?,
    })
}

fn compared(reader: &mut Reader<'_>) -> Option<Compared> {
    let options = reader.texts("options");
    Some(Compared { dimension: reader.text("dimension")?, options })
}

/// Takes known keys out of an object and counts what it could not take.
struct Reader<'a> {
    fields: &'a Map<String, Value>,
    taken: usize,
    dropped: u32,
}

impl<'a> Reader<'a> {
    fn new(fields: &'a Map<String, Value>) -> Self {
        Self { fields, taken: 0, dropped: 0 }
    }

    fn finish(self) -> u32 {
        let unknown = self.fields.len().saturating_sub(self.taken);
        self.dropped.saturating_add(u32::try_from(unknown).unwrap_or(u32::MAX))
    }

    fn take<T>(&mut self, key: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.fields.get(key)?;
        self.taken += 1;
        if value.is_null() {
            return None;
        }
        let read = read(value);
        self.dropped += u32::from(read.is_none());
        read
    }

    fn text(&mut self, key: &str) -> Option<Text> {
        self.take(key, |value| match value {
            Value::String(text) => text_of(text),
            Value::Number(number) => text_of(&number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        })
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        self.take(key, |value| match value {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
            Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        })
    }

    fn ratio(&mut self, key: &str) -> Option<Ratio> {
        self.take(key, |value| match value {
            Value::Number(number) => number.as_f64().and_then(|number| Ratio::new(number).ok()),
            Value::String(text) => text.trim().parse().ok().and_then(|number| Ratio::new(number).ok()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        })
    }

    fn offer(&mut self, key: &str) -> Option<Offer> {
        self.take(key, |value| {
            value.as_str().and_then(|text| Offer::ALL.into_iter().find(|o| o.as_str() == text.trim()))
        })
    }

    fn texts(&mut self, key: &str) -> Vec<Text> {
        let entries = self.take(key, Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let texts: Vec<Text> =
            entries.iter().take(MAX_ENTRIES).filter_map(|entry| entry.as_str().and_then(text_of)).collect();
        self.count_lost(entries.len(), texts.len());
        texts
    }

    fn objects<T>(&mut self, key: &str, read: fn(&mut Reader<'_>) -> Option<T>) -> Vec<T> {
        let entries = self.take(key, Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut objects = Vec::new();
        for fields in entries.iter().take(MAX_ENTRIES).filter_map(Value::as_object) {
            let mut reader = Reader::new(fields);
            objects.extend(read(&mut reader));
            self.dropped = self.dropped.saturating_add(reader.finish());
        }
        self.count_lost(entries.len(), objects.len());
        objects
    }

    fn count_lost(&mut self, entries: usize, read: usize) {
        self.dropped = self.dropped.saturating_add(u32::try_from(entries - read).unwrap_or(u32::MAX));
    }
}

fn text_of(text: &str) -> Option<Text> {
    let text: String = text.trim().chars().take(MAX_CHARS).collect();
    Some(Text::from(text)).filter(|text| !text.is_blank())
}
