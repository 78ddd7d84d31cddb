//! One decision per JSON value: what `steersman decide` and the wire's decisions share.
//!
//! Each kind is one row of [`KINDS`] and one file below. A kind reads no clock, no file and no session.

mod convergence;
mod depth;
mod exit;
mod moderator;
mod referral;
mod resistance;
mod risk;
mod route;
mod temperature;
mod trigger;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{locale::Locale, nearest::nearest};

/// A kind of decision that can be asked for by name.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The name on the command line and on the wire.
    pub name: &'static str,
    /// What it decides, in one line.
    pub about: &'static str,
    /// Decides one case.
    pub decide: fn(&Value) -> Result<Value, Refusal>,
}

/// All kinds, by name.
pub const KINDS: &[Kind] = &[
    convergence::KIND,
    depth::KIND,
    exit::KIND,
    moderator::KIND,
    referral::KIND,
    resistance::KIND,
    risk::KIND,
    route::KIND,
    temperature::KIND,
    trigger::KIND,
];

/// Why a case was not decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// A stable word for programs, such as `unknown_key`.
    pub code: &'static str,
    /// What was wrong, where, and what is allowed.
    pub message: String,
}

/// One answered case.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What to print: the decision or `{"error":{code,message}}`, with `name` and `match` where the case had them.
    pub json: Value,
    /// How it compares with what the case expected.
    pub verdict: Verdict,
}

/// How an answer compares with what its case expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As expected, or decided with nothing expected.
    Fine,
    /// Another answer was expected.
    Mismatch,
    /// It could not be decided, and nothing had said so.
    Refused,
}

/// Finds the kind of that name.
///
/// # Errors
///
/// `unknown_kind` with the nearest name and the list.
pub fn kind(name: &str) -> Result<&'static Kind, Refusal> {
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let names = KINDS.iter().map(|kind| kind.name);
        let hint = nearest(name, names.clone()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let list = names.collect::<Vec<_>>().join(", ");
        Refusal::new("unknown_kind", format!("no kind of decision is called `{name}`{hint} (there are {list})"))
    })
}

impl Kind {
    /// Answers one line: a bare input, or `{"name"?, "input", "expected"?}`.
    pub fn answer(&self, line: &str) -> Answer {
        match serde_json::from_str::<Value>(line) {
            Ok(case) => self.answer_case(case),
            Err(error) => Answer {
                json: refused(&Refusal::new("invalid_json", format!("not one JSON value: {error}"))),
                verdict: Verdict::Refused,
            },
        }
    }

    /// Answers one case that is already JSON.
    pub fn answer_case(&self, case: Value) -> Answer {
        let (name, input, expected) = match unwrap_case(case) {
            Ok(parts) => parts,
            Err(refusal) => return Answer { json: refused(&refusal), verdict: Verdict::Refused },
        };
        let decided = (self.decide)(&input);
        let failed = decided.is_err();
        let mut json = decided.unwrap_or_else(|refusal| refused(&refusal));
        let verdict = match &expected {
            Some(expected) if matches(expected, &json) => Verdict::Fine,
            Some(_) => Verdict::Mismatch,
            None if failed => Verdict::Refused,
            None => Verdict::Fine,
        };
        if let Value::Object(fields) = &mut json {
            if expected.is_some() {
                fields.insert("match".to_owned(), Value::Bool(verdict == Verdict::Fine));
            }
            if let Some(name) = name {
                fields.shift_insert(0, "name".to_owned(), name);
            }
        }
        Answer { json, verdict }
    }
}

impl Refusal {
    /// Says why, with a stable code.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Reads a case's input into `T` after checking that each of its keys is in `keys`.
///
/// # Errors
///
/// `unknown_key` with the nearest name, `invalid_input` for a value of the wrong kind or a missing one.
pub fn read<T: DeserializeOwned>(input: &Value, keys: &[&str]) -> Result<T, Refusal> {
    known_keys("", input, keys)?;
    T::deserialize(input).map_err(|error| Refusal::new("invalid_input", error.to_string()))
}

/// Checks that `value` is an object whose keys are all in `keys`; `path` names it in the message.
///
/// # Errors
///
/// `invalid_input` if it is no object, `unknown_key` with the nearest name.
pub fn known_keys(path: &str, value: &Value, keys: &[&str]) -> Result<(), Refusal> {
    let place = if path.is_empty() { "the input".to_owned() } else { format!("`{path}`") };
    let Value::Object(fields) = value else {
        return Err(Refusal::new("invalid_input", format!("{place} is not a JSON object")));
    };
    match fields.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let hint = match nearest(key, keys.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("allowed: {}", keys.join(", ")),
            };
            Err(Refusal::new("unknown_key", format!("{place} has no key `{key}`; {hint}")))
        }
    }
}

/// Returns the locales that a case asks for: its own, or all that ship.
fn locales(locale: Option<&Locale>) -> &[Locale] {
    locale.map_or(&Locale::ALL, std::slice::from_ref)
}

type Case = (Option<Value>, Value, Option<Value>);

fn unwrap_case(case: Value) -> Result<Case, Refusal> {
    match case {
        Value::Object(mut fields) if fields.contains_key("input") => {
            let (name, expected) = (fields.remove("name"), fields.remove("expected"));
            let input = fields.remove("input").unwrap_or_default();
            known_keys("", &Value::Object(fields), &["name", "input", "expected"])?;
            Ok((name, input, expected))
        }
        bare => Ok((None, bare, None)),
    }
}

fn refused(refusal: &Refusal) -> Value {
    serde_json::json!({"error": {"code": refusal.code, "message": refusal.message}})
}

/// Compares listed keys only, arrays by length and element, numbers to 1e-4.
fn matches(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(found)) => wanted.iter().all(|(key, value)| listed(found, key, value)),
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| matches(wanted, found))
        }
        (Value::Number(wanted), Value::Number(found)) => match (wanted.as_f64(), found.as_f64()) {
            (Some(wanted), Some(found)) => (wanted - found).abs() <= 1e-4,
            _ => wanted == found,
        },
        _ => expected == actual,
    }
}

fn listed(found: &Map<String, Value>, key: &str, wanted: &Value) -> bool {
    found.get(key).is_some_and(|found| matches(wanted, found))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ECHO: Kind = Kind {
        name: "echo",
        about: "returns its input",
        decide: |input| {
            known_keys("", input, &["number", "list"])?;
            Ok(input.clone())
        },
    };

    #[test]
    fn only_the_listed_keys_are_compared_and_numbers_to_a_ten_thousandth() {
        let case = json!({"input": {"number": 0.30004, "list": [1]}, "expected": {"number": 0.3}});
        let answer = ECHO.answer_case(case);
        assert_eq!((answer.verdict, &answer.json["match"]), (Verdict::Fine, &json!(true)));
        let case = json!({"input": {"list": [1]}, "expected": {"list": [1, 2]}});
        assert_eq!(ECHO.answer_case(case).verdict, Verdict::Mismatch);
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest_name_and_may_be_expected() {
        let refused = ECHO.answer(r#"{"nubmer": 1}"#);
        assert_eq!(refused.json["error"]["code"], "unknown_key");
        assert!(refused.json["error"]["message"].as_str().unwrap().contains("did you mean `number`?"));
        assert_eq!(refused.verdict, Verdict::Refused);
        let expected = ECHO.answer(r#"{"input": {"nubmer": 1}, "expected": {"error": {"code": "unknown_key"}}}"#);
        assert_eq!(expected.verdict, Verdict::Fine);
    }

    #[test]
    fn what_is_not_json_is_refused() {
        assert_eq!(ECHO.answer("{").json["error"]["code"], "invalid_json");
    }
}
