//! A value that never shows itself in logs, and what kind it is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a variable holds: any JSON value. `Debug` prints its kind only; there is no `Display`.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct Value(serde_json::Value);

/// The kind of a value, as scripts and events name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A text.
    String,
    /// An integer or a decimal number.
    Number,
    /// True or false.
    Boolean,
    /// A list of values.
    List,
    /// Named values.
    Object,
    /// Nothing: declared, not set.
    Null,
}

impl Kind {
    /// The kinds that a script may ask for.
    pub const DECLARABLE: [Self; 5] = [Self::String, Self::Number, Self::Boolean, Self::List, Self::Object];

    /// Returns the kind as scripts write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List => "list",
            Self::Object => "object",
            Self::Null => "null",
        }
    }
}

impl Value {
    /// The value of what is declared and not set.
    pub const NULL: Self = Self(serde_json::Value::Null);

    /// Takes any JSON value.
    pub fn new(json: impl Into<serde_json::Value>) -> Self {
        Self(json.into())
    }

    /// Returns the JSON value: for prompts, events and the person, never for logs.
    pub fn json(&self) -> &serde_json::Value {
        &self.0
    }

    /// Returns the JSON value, owned.
    pub fn into_json(self) -> serde_json::Value {
        self.0
    }

    /// Returns what kind it is.
    pub fn kind(&self) -> Kind {
        match &self.0 {
            serde_json::Value::Null => Kind::Null,
            serde_json::Value::Bool(_) => Kind::Boolean,
            serde_json::Value::Number(_) => Kind::Number,
            serde_json::Value::String(_) => Kind::String,
            serde_json::Value::Array(_) => Kind::List,
            serde_json::Value::Object(_) => Kind::Object,
        }
    }

    /// Tells whether writing it sets a variable: `null` and `""` do not, `0` and `false` do.
    pub fn sets(&self) -> bool {
        match &self.0 {
            serde_json::Value::Null => false,
            serde_json::Value::String(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// Converts it to `kind` if nothing is lost: `"3"` -> 3, 3 -> `"3"`, `"true"` -> true, true -> `"true"`.
    pub fn convert(self, kind: Kind) -> Option<Self> {
        use serde_json::Value as Json;
        if self.kind() == kind {
            return Some(self);
        }
        let converted = match (self.0, kind) {
            (Json::String(text), Kind::Number) => parse_number(&text)?.into(),
            (Json::String(text), Kind::Boolean) => match text.trim().to_ascii_lowercase().as_str() {
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                _ => return None,
            },
            (Json::Number(number), Kind::String) => Json::String(number.to_string()),
            (Json::Bool(truth), Kind::String) => Json::String(truth.to_string()),
            _ => return None,
        };
        Some(Self(converted))
    }

    /// Returns it as a number: numbers, and texts that are one.
    pub fn as_number(&self) -> Option<f64> {
        match &self.0 {
            serde_json::Value::Number(number) => number.as_f64(),
            serde_json::Value::String(text) => parse_number(text)?.as_f64(),
            _ => None,
        }
    }

    /// Returns it as it is read aloud in a text: strings bare, lists joined, objects as their values.
    pub fn spoken(&self) -> String {
        spoken(&self.0)
    }

    /// Returns its size in bytes when written as JSON; what must be escaped counts once.
    pub fn bytes(&self) -> usize {
        bytes(&self.0)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.kind().as_str())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

/// Counts without writing: it is asked for every value after every turn.
fn bytes(json: &serde_json::Value) -> usize {
    const QUOTES: usize = 2;
    const LONGEST_NUMBER: usize = 24;
    match json {
        serde_json::Value::Null => 4,
        serde_json::Value::Bool(_) => 5,
        serde_json::Value::Number(_) => LONGEST_NUMBER,
        serde_json::Value::String(text) => text.len() + QUOTES,
        serde_json::Value::Array(items) => 2 + items.iter().map(|item| bytes(item) + 1).sum::<usize>(),
        serde_json::Value::Object(fields) => {
            2 + fields.iter().map(|(name, value)| name.len() + QUOTES + 2 + bytes(value)).sum::<usize>()
        }
    }
}

fn spoken(json: &serde_json::Value) -> String {
    match json {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(truth) => truth.to_string(),
        serde_json::Value::Number(number) => number.to_string(),
        serde_json::Value::Array(items) => items.iter().map(spoken).collect::<Vec<_>>().join(", "),
        serde_json::Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}: {}", spoken(value))).collect::<Vec<_>>().join("; ")
        }
    }
}

fn parse_number(text: &str) -> Option<serde_json::Number> {
    let text = text.trim();
    let first = text.strip_prefix('-').unwrap_or(text).chars().next()?;
    if !first.is_ascii_digit() {
        return None;
    }
    match text.parse::<i64>() {
        Ok(integer) => Some(integer.into()),
        Err(_) => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_converted_only_if_nothing_is_lost() {
        let cases = [
            (json!("3"), Kind::Number, Some(json!(3))),
            (json!(" 3.5 "), Kind::Number, Some(json!(3.5))),
            (json!("three"), Kind::Number, None),
            (json!("inf"), Kind::Number, None),
            (json!("NaN"), Kind::Number, None),
            (json!(3), Kind::String, Some(json!("3"))),
            (json!("TRUE"), Kind::Boolean, Some(json!(true))),
            (json!("yes"), Kind::Boolean, None),
            (json!(1), Kind::Boolean, None),
            (json!("a"), Kind::List, None),
            (json!([1]), Kind::String, None),
            (json!({"a": 1}), Kind::Object, Some(json!({"a": 1}))),
        ];
        for (from, kind, to) in cases {
            assert_eq!(Value::new(from.clone()).convert(kind).map(Value::into_json), to, "{from} as {kind:?}");
        }
    }

    #[test]
    fn nothing_and_the_empty_text_do_not_set_a_variable_and_zero_and_false_do() {
        assert!(!Value::NULL.sets() && !Value::from("").sets());
        assert!(Value::new(0).sets() && Value::new(false).sets() && Value::new(json!([])).sets());
    }

    #[test]
    fn a_value_never_shows_itself_in_debug() {
        assert_eq!(format!("{:?}", Value::from("my secret")), "Value(string)");
    }
}
