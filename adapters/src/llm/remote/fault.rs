//! Says what went wrong with a call: to the session as one of its faults, to whoever runs the program in a sentence.
//!
//! Nothing of what a provider writes is passed on but short codes: its words may quote the conversation.

use std::{
    error::Error as _,
    fmt, io,
    time::{Duration, SystemTime},
};

use genai::{Error, webc::StreamTimeout};
use reqwest::StatusCode;
use serde_json::Value;
use steersman_domain::session::ModelFault;

use super::retry_after;

/// The most characters of a provider's code.
const CODE_CHARS: usize = 48;

/// A call that failed.
#[derive(Debug)]
pub(super) struct Failed {
    /// How, for the session.
    pub(super) fault: ModelFault,
    /// How long the provider asks to wait.
    pub(super) retry_after: Option<Duration>,
    /// Why, for whoever runs the program.
    pub(super) cause: Cause,
    /// What the server said about a request that it did not accept. Never shown: it may quote the conversation.
    pub(super) complaint: Option<String>,
}

/// What went wrong, for whoever runs the program. Holds nothing of what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// There is no connection.
    Unreachable {
        /// Where to.
        address: String,
        /// Why, in the words of the system.
        why: String,
    },
    /// It took longer than it may.
    Slow,
    /// The answer's status is no success.
    Status {
        /// The status.
        status: u16,
        /// The provider's code for it.
        code: Option<String>,
    },
    /// An error came in place of words.
    ErrorObject {
        /// The provider's code for it.
        code: Option<String>,
    },
    /// The answer is not in the form that the provider's protocol has.
    NotTheProtocol,
    /// The answer broke off.
    BrokenOff,
    /// The reply is longer than it may be.
    TooLong,
    /// The model refused.
    Refused,
    /// There were no words.
    Empty,
    /// The request could not be written.
    Unwritable,
}

impl Failed {
    fn of(fault: ModelFault, cause: Cause) -> Self {
        Self { fault, retry_after: None, cause, complaint: None }
    }

    /// The call took longer than it may.
    pub(super) fn slow() -> Self {
        Self::of(ModelFault::Timeout, Cause::Slow)
    }

    /// The answer broke off.
    pub(super) fn broken_off() -> Self {
        Self::of(ModelFault::Cut, Cause::BrokenOff)
    }

    /// The reply was cut off at the most tokens it may have, or came to more than is read.
    pub(super) fn too_long() -> Self {
        Self::of(ModelFault::Cut, Cause::TooLong)
    }

    /// The model refused.
    pub(super) fn refused() -> Self {
        Self::of(ModelFault::Refused, Cause::Refused)
    }

    /// There were no words.
    pub(super) fn empty() -> Self {
        Self::of(ModelFault::Empty, Cause::Empty)
    }

    /// Whatever answered does not speak the provider's protocol.
    pub(super) fn not_the_protocol() -> Self {
        Self::of(ModelFault::Unavailable, Cause::NotTheProtocol)
    }

    /// An error came in place of words, with whatever status.
    pub(super) fn by_error(error: &Value) -> Self {
        let codes = Codes::of(error);
        let fault = codes.fault().unwrap_or(ModelFault::Unavailable);
        let mut failed = Self::of(fault, Cause::ErrorObject { code: codes.shown() });
        failed.retry_after = retry_after::in_error(error);
        failed
    }

    /// What the client library reports. `address` is where the request went, `words` whether any came back.
    pub(super) fn by_library(error: Error, address: &str, words: bool) -> Self {
        match error {
            Error::HttpError { status, body, headers, .. } => {
                let retry_after = retry_after::in_headers(&headers, SystemTime::now());
                Self::by_status(status, body, retry_after)
            }
            Error::WebStream { error, .. } => match error.downcast::<Error>() {
                Ok(inner) => Self::by_library(*inner, address, words),
                Err(error) => Self::by_transport(&*error, address),
            },
            Error::StreamParse { .. } if words => Self::broken_off(),
            Error::StreamParse { .. } => Self::not_the_protocol(),
            Error::ChatResponse { body, .. } => Self::by_error(body.get("error").unwrap_or(&body)),
            // What is left arises before anything is sent.
            _ => Self::of(ModelFault::Rejected, Cause::Unwritable),
        }
    }

    fn by_status(status: StatusCode, body: String, retry_after: Option<Duration>) -> Self {
        let parsed: Value = serde_json::from_str(&body).unwrap_or_default();
        // Gemini wraps the object in a list.
        let object = parsed.get(0).unwrap_or(&parsed);
        let error = object.get("error").unwrap_or(object);
        let codes = Codes::of(error);
        let fault = match status.as_u16() {
            408 => ModelFault::Timeout,
            429 if codes.is_out_of_credit() => ModelFault::Rejected,
            429 => ModelFault::RateLimited,
            409 | 425 | 500.. => ModelFault::Unavailable,
            _ => ModelFault::Rejected,
        };
        Self {
            fault,
            retry_after: retry_after.or_else(|| retry_after::in_error(error)),
            cause: Cause::Status { status: status.as_u16(), code: codes.shown() },
            complaint: matches!(status.as_u16(), 400 | 422).then_some(body),
        }
    }

    fn by_transport(error: &(dyn std::error::Error + Send + Sync + 'static), address: &str) -> Self {
        if error.is::<StreamTimeout>() {
            return Self::slow();
        }
        match error.downcast_ref::<reqwest::Error>() {
            Some(error) if error.is_timeout() => Self::slow(),
            Some(error) if error.is_connect() || error.is_request() => {
                let cause = Cause::Unreachable { address: address.to_owned(), why: innermost(error) };
                Self::of(ModelFault::Unavailable, cause)
            }
            // A body that ends too soon, or is not UTF-8.
            Some(_) | None => Self::broken_off(),
        }
    }
}

/// The words by which a provider names an error.
struct Codes(Vec<String>);

impl Codes {
    fn of(error: &Value) -> Self {
        let named = ["code", "type", "status"].into_iter().filter_map(|key| match error.get(key)? {
            Value::String(word) => Some(word.to_lowercase()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        Self(named.collect())
    }

    fn is_out_of_credit(&self) -> bool {
        self.any(&["insufficient_quota", "billing"])
    }

    fn fault(&self) -> Option<ModelFault> {
        if self.is_out_of_credit() {
            Some(ModelFault::Rejected)
        } else if self.any(&["rate_limit", "429", "resource_exhausted"]) {
            Some(ModelFault::RateLimited)
        } else if self.any(&["content_filter", "content_policy"]) {
            Some(ModelFault::Refused)
        } else if self.any(&["invalid", "authentication", "permission", "not_found", "400", "401", "403", "404"]) {
            Some(ModelFault::Rejected)
        } else {
            None
        }
    }

    fn any(&self, parts: &[&str]) -> bool {
        self.0.iter().any(|code| parts.iter().any(|part| code.contains(part)))
    }

    /// Returns the first code that is an identifier and nothing else.
    fn shown(&self) -> Option<String> {
        let is_plain = |code: &&String| {
            code.len() <= CODE_CHARS && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        };
        self.0.iter().find(|code| is_plain(code) && code.parse::<u16>().is_err()).cloned()
    }
}

/// Says what the system itself reported; the errors above it only say that a request failed.
fn innermost(error: &reqwest::Error) -> String {
    let mut inner = error.source();
    while let Some(next) = inner {
        if let Some(io) = next.downcast_ref::<io::Error>()
            && io.get_ref().is_none()
        {
            return io.to_string();
        }
        match next.source() {
            Some(source) => inner = Some(source),
            None => return next.to_string(),
        }
    }
    "the connection failed".to_owned()
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coded = |f: &mut fmt::Formatter<'_>, code: &Option<String>| match code {
            Some(code) => write!(f, ": {code}"),
            None => Ok(()),
        };
        match self {
            Self::Unreachable { address, why } => write!(f, "cannot reach {address} ({why})"),
            Self::Slow => f.write_str("took too long"),
            Self::Status { status, code } => {
                let meaning = match status {
                    300..400 => "points elsewhere, and is not followed",
                    401 | 403 => "does not accept the key",
                    404 => "knows no such model, or not at this address",
                    408 | 504 => "took too long",
                    429 => "asks to slow down",
                    400..500 => "does not accept the request",
                    _ => "has a fault of its own",
                };
                write!(f, "{meaning} (status {status}")?;
                coded(f, code)?;
                f.write_str(")")
            }
            Self::ErrorObject { code } => {
                f.write_str("sent an error in place of words")?;
                coded(f, code)
            }
            Self::NotTheProtocol => f.write_str("does not speak the provider's protocol; is the address right?"),
            Self::BrokenOff => f.write_str("broke off within a reply"),
            Self::TooLong => f.write_str("wrote more than a reply may be long"),
            Self::Refused => f.write_str("refused to reply"),
            Self::Empty => f.write_str("replied without a word"),
            Self::Unwritable => f.write_str("cannot be asked: the request cannot be written for it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_says_whether_to_try_again() {
        let table = [
            (301, json!({}), ModelFault::Rejected),
            (400, json!({"error": {"type": "invalid_request_error"}}), ModelFault::Rejected),
            (401, json!({}), ModelFault::Rejected),
            (404, json!({}), ModelFault::Rejected),
            (408, json!({}), ModelFault::Timeout),
            (409, json!({}), ModelFault::Unavailable),
            (429, json!({}), ModelFault::RateLimited),
            (429, json!({"error": {"code": "insufficient_quota"}}), ModelFault::Rejected),
            (500, json!({}), ModelFault::Unavailable),
            (529, json!({"error": {"type": "overloaded_error"}}), ModelFault::Unavailable),
        ];
        for (status, body, fault) in table {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(Failed::by_status(status, body.to_string(), None).fault, fault, "{status}");
        }
    }

    #[test]
    fn an_error_object_is_told_by_its_codes() {
        let table = [
            (json!({"type": "server_error"}), ModelFault::Unavailable),
            (json!({"type": "overloaded_error"}), ModelFault::Unavailable),
            (json!({"code": "rate_limit_exceeded"}), ModelFault::RateLimited),
            (json!({"code": 429, "status": "RESOURCE_EXHAUSTED"}), ModelFault::RateLimited),
            (json!({"type": "authentication_error"}), ModelFault::Rejected),
            (json!({"code": "content_filter"}), ModelFault::Refused),
            (json!("out of memory"), ModelFault::Unavailable),
        ];
        for (error, fault) in table {
            assert_eq!(Failed::by_error(&error).fault, fault, "{error}");
        }
    }

    #[test]
    fn a_provider_s_words_never_show() {
        let body = r#"{"error": {"type": "I hear voices", "code": "bad_request", "message": "I hear voices"}}"#;
        let failed = Failed::by_status(StatusCode::BAD_REQUEST, body.to_owned(), None);
        assert_eq!(failed.cause.to_string(), "does not accept the request (status 400: bad_request)");
        assert_eq!(Failed::by_error(&json!({"type": "I hear voices"})).cause, Cause::ErrorObject { code: None });
    }

    #[test]
    fn gemini_s_list_with_one_error_is_read() {
        let body = r#"[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "3s"}]}}]"#;
        let failed = Failed::by_status(StatusCode::TOO_MANY_REQUESTS, body.to_owned(), None);
        assert_eq!((failed.fault, failed.retry_after), (ModelFault::RateLimited, Some(Duration::from_secs(3))));
    }
}
