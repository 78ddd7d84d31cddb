//! What a fake model does with one request, and how a script writes it: JSON lines as in `replies:FILE`, with more
//! faults.

use axum::http::HeaderValue;
use serde_json::Value;

/// What comes of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This is said, word for word.
    Says(String),
    /// This goes wrong.
    Fails(Fault),
}

/// What can go wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Status 429, with the header `Retry-After` if there is one.
    RateLimited {
        /// What the header says.
        retry_after: Option<String>,
    },
    /// Status 500.
    Broken,
    /// Status 401.
    BadKey,
    /// Status 404.
    NoModel,
    /// Status 400, with this complaint.
    Objects(String),
    /// Half a reply, then the connection breaks.
    Cut,
    /// No answer at all.
    Silent,
    /// Half a reply, then an error object, with status 200.
    ErrorObject,
    /// An error object in place of a stream, with status 200.
    ErrorBody,
    /// The model refuses.
    Refusal,
    /// A stream without a word.
    Empty,
    /// Half a reply, then the most tokens are reached.
    OutOfTokens,
    /// Words without an end.
    Endless,
    /// Thoughts without an end, and no word.
    EndlessThought,
    /// A web page, with status 200.
    WebPage,
    /// Status 307, to another path of the same server.
    Elsewhere,
}

const NAMES: [(&str, Fault); 15] = [
    ("429", Fault::RateLimited { retry_after: None }),
    ("500", Fault::Broken),
    ("401", Fault::BadKey),
    ("404", Fault::NoModel),
    ("cut", Fault::Cut),
    ("silent", Fault::Silent),
    ("error_object", Fault::ErrorObject),
    ("error_body", Fault::ErrorBody),
    ("refusal", Fault::Refusal),
    ("empty", Fault::Empty),
    ("out_of_tokens", Fault::OutOfTokens),
    ("endless", Fault::Endless),
    ("endless_thought", Fault::EndlessThought),
    ("web_page", Fault::WebPage),
    ("elsewhere", Fault::Elsewhere),
];

/// A line of a script that is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// It is neither a text nor an object.
    #[error("line {0}: an answer is a JSON string or a JSON object")]
    NotAnAnswer(usize),
    /// It names a fault that there is not, or one that needs more.
    #[error("line {0}: the faults are {names}; 429 may have a `retry_after`, and 400 needs a `complaint`", names = names())]
    NoSuchFault(usize),
}

impl Answer {
    /// Reads a script: one line a request; a string or an object is said as it stands, `{"fault": NAME}` goes wrong.
    ///
    /// # Errors
    ///
    /// [`AnswerError`] with the number of the line.
    pub fn script(text: &str) -> Result<Vec<Self>, AnswerError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(at, line)| Self::line(at + 1, line)).collect()
    }

    fn line(number: usize, line: &str) -> Result<Self, AnswerError> {
        match serde_json::from_str(line) {
            Ok(Value::String(text)) => Ok(Self::Says(text)),
            Ok(Value::Object(object)) if object.contains_key("fault") => {
                let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
                let fault = match (text("fault").as_deref(), text("complaint")) {
                    (Some("429"), _) => {
                        let retry_after = text("retry_after").filter(|value| HeaderValue::from_str(value).is_ok());
                        Some(Fault::RateLimited { retry_after })
                    }
                    (Some("400"), Some(complaint)) => Some(Fault::Objects(complaint)),
                    (Some(name), _) => NAMES.iter().find(|(known, _)| *known == name).map(|(_, fault)| fault.clone()),
                    (None, _) => None,
                };
                fault.map(Self::Fails).ok_or(AnswerError::NoSuchFault(number))
            }
            Ok(Value::Object(_)) => Ok(Self::Says(line.to_owned())),
            Ok(_) | Err(_) => Err(AnswerError::NotAnAnswer(number)),
        }
    }
}

fn names() -> String {
    NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_words_and_faults() {
        let script =
            "\"words\"\n\n{\"reply\": \"a\"}\n{\"fault\": \"429\", \"retry_after\": \"1\"}\n{\"fault\": \"cut\"}\n";
        let expected = [
            Answer::Says("words".to_owned()),
            Answer::Says("{\"reply\": \"a\"}".to_owned()),
            Answer::Fails(Fault::RateLimited { retry_after: Some("1".to_owned()) }),
            Answer::Fails(Fault::Cut),
        ];
        assert_eq!(Answer::script(script).unwrap(), expected);
        assert_eq!(Answer::script("\n3"), Err(AnswerError::NotAnAnswer(2)));
        assert_eq!(Answer::script("{\"fault\": \"400\"}"), Err(AnswerError::NoSuchFault(1)));
    }
}
