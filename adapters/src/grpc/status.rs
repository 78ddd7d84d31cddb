//! The table of reasons: every way in which a call can be refused, with its code and what to do.
//!
//! Every status that is not OK carries one of them in a `google.rpc.ErrorInfo`. None of them carries what a person
//! wrote, a path or a query. UNKNOWN is never answered.

use std::{collections::HashMap, time::Duration};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// Whose reasons they are.
pub const DOMAIN: &str = "steersman.dev";

/// The longest text of a status, in bytes: a status travels in headers, and clients bound those to 8 KiB.
const MAX_TEXT: usize = 240;
/// The most violations of one status; whoever checks a script gets all of its defects.
const MAX_VIOLATIONS: usize = 8;

/// Where a status carries the words that a person at acute risk is to read, though their message was not taken.
pub(super) const CRISIS_TEXT: &str = "crisis_text";
/// What a call about sessions is about, in a `google.rpc.ResourceInfo`.
pub(super) const SESSION: &str = "session";
/// What a call about scripts is about.
pub(super) const SCRIPT: &str = "script";

/// Why a call was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A field of the request holds what it cannot hold.
    FieldInvalid,
    /// A text is too long.
    TextTooLong,
    /// A frame cannot be read.
    BadEncoding,
    /// The locale is none that ships.
    LocaleUnsupported,
    /// A script has errors.
    ScriptDefective,
    /// The first frame was not `open`.
    OpenRequired,
    /// The conversation was opened already.
    AlreadyOpen,
    /// The session is over.
    SessionEnded,
    /// The session waits for something else.
    NotWaiting,
    /// There is no such session.
    SessionNotFound,
    /// There is no such script.
    ScriptNotFound,
    /// Health was asked of a service that is not here.
    ServiceUnknown,
    /// The id of the message was used for another message.
    IdempotencyKeyReused,
    /// The version of the script is published with another text.
    ScriptExists,
    /// Another writer changed the session.
    StaleWriter,
    /// A newer conversation took the place.
    Superseded,
    /// The same message is still running.
    TurnInProgress,
    /// A frame is too large.
    MessageTooLarge,
    /// Too many messages wait.
    QueueFull,
    /// The reader left too much unread.
    SlowReader,
    /// Too many look on.
    TooManyWatchers,
    /// The store has no room.
    StoreFull,
    /// The store cannot be used now.
    StoreUnavailable,
    /// The process is about to stop.
    Draining,
    /// The recorded replies are used up.
    RepliesExhausted,
    /// The caller's deadline is over.
    DeadlineExceeded,
    /// Nothing happened on the stream for too long.
    StreamIdle,
    /// What is kept contradicts itself.
    LogCorrupt,
    /// There is no such call.
    MethodUnknown,
    /// A defect of Steersman.
    Internal,
}

/// What the wire says for one reason.
#[derive(Debug)]
struct Row {
    reason: Reason,
    code: Code,
    name: &'static str,
    /// How long to wait before trying again; `None` if that alone does not help.
    retry_after: Option<Duration>,
    meaning: &'static str,
}

const AT_ONCE: Option<Duration> = Some(Duration::ZERO);
const SOON: Option<Duration> = Some(Duration::from_secs(1));

/// The table.
const ROWS: [Row; Reason::ALL.len()] = [
    row(
        Reason::FieldInvalid,
        Code::InvalidArgument,
        "FIELD_INVALID",
        None,
        "A field holds what it cannot hold; BadRequest names it and says what is allowed.",
    ),
    row(
        Reason::TextTooLong,
        Code::InvalidArgument,
        "TEXT_TOO_LONG",
        None,
        "A text is over its limit; the metadata say both.",
    ),
    row(
        Reason::BadEncoding,
        Code::InvalidArgument,
        "BAD_ENCODING",
        None,
        "The frame is not the message it should be, or a text is not UTF-8 or holds a NUL.",
    ),
    row(
        Reason::LocaleUnsupported,
        Code::InvalidArgument,
        "LOCALE_UNSUPPORTED",
        None,
        "There are no built-in texts in that language; the metadata list those there are.",
    ),
    row(
        Reason::ScriptDefective,
        Code::InvalidArgument,
        "SCRIPT_DEFECTIVE",
        None,
        "The script has errors; BadRequest has one entry for each, with its place.",
    ),
    row(
        Reason::OpenRequired,
        Code::FailedPrecondition,
        "OPEN_REQUIRED",
        None,
        "The first frame of a conversation must be `open`.",
    ),
    row(
        Reason::AlreadyOpen,
        Code::FailedPrecondition,
        "ALREADY_OPEN",
        None,
        "The conversation is open already; the stream goes on. For another session, open another stream.",
    ),
    row(
        Reason::SessionEnded,
        Code::FailedPrecondition,
        "SESSION_ENDED",
        None,
        "The session is over and takes no message; the metadata say why it ended.",
    ),
    row(
        Reason::NotWaiting,
        Code::FailedPrecondition,
        "NOT_WAITING",
        None,
        "The session waits for something else; its last `waiting` event says for what.",
    ),
    row(
        Reason::SessionNotFound,
        Code::NotFound,
        "SESSION_NOT_FOUND",
        None,
        "There is no such session: never was, was erased, or the id is none.",
    ),
    row(
        Reason::ScriptNotFound,
        Code::NotFound,
        "SCRIPT_NOT_FOUND",
        None,
        "There is no such script, or not in that version.",
    ),
    row(
        Reason::ServiceUnknown,
        Code::NotFound,
        "SERVICE_UNKNOWN",
        None,
        "Health was asked of a service that is not here.",
    ),
    row(
        Reason::IdempotencyKeyReused,
        Code::AlreadyExists,
        "IDEMPOTENCY_KEY_REUSED",
        None,
        "The client_message_id was used for another message of this session; use a new one.",
    ),
    row(
        Reason::ScriptExists,
        Code::AlreadyExists,
        "SCRIPT_EXISTS",
        None,
        "The version is published with another text; give the text a new version.",
    ),
    row(
        Reason::StaleWriter,
        Code::Aborted,
        "STALE_WRITER",
        AT_ONCE,
        "Another process has taken the session over; nothing was kept. Send the message again.",
    ),
    row(
        Reason::Superseded,
        Code::Aborted,
        "SUPERSEDED",
        None,
        "A newer conversation with this session took the place of this one.",
    ),
    row(
        Reason::TurnInProgress,
        Code::Aborted,
        "TURN_IN_PROGRESS",
        SOON,
        "The same message is being answered, longer than your deadline. Send it again to get what came of it.",
    ),
    row(Reason::MessageTooLarge, Code::ResourceExhausted, "MESSAGE_TOO_LARGE", None, "The frame is over the limit."),
    row(
        Reason::QueueFull,
        Code::ResourceExhausted,
        "QUEUE_FULL",
        SOON,
        "Too many messages wait for the running turn; nothing was kept. Send it again when the turn is over.",
    ),
    row(
        Reason::SlowReader,
        Code::ResourceExhausted,
        "SLOW_READER",
        AT_ONCE,
        "Too much was left unread. Nothing is lost: resume from your last event.",
    ),
    row(
        Reason::TooManyWatchers,
        Code::ResourceExhausted,
        "TOO_MANY_WATCHERS",
        SOON,
        "As many look on at this session as may.",
    ),
    row(
        Reason::StoreFull,
        Code::ResourceExhausted,
        "STORE_FULL",
        None,
        "The store has no room; nothing was kept. An operator must make some.",
    ),
    row(
        Reason::StoreUnavailable,
        Code::Unavailable,
        "STORE_UNAVAILABLE",
        SOON,
        "The store cannot be used now; nothing was kept. Send it again.",
    ),
    row(
        Reason::Draining,
        Code::Unavailable,
        "DRAINING",
        SOON,
        "This process is about to stop. Connect again and resume from your last event.",
    ),
    row(
        Reason::RepliesExhausted,
        Code::Unavailable,
        "REPLIES_EXHAUSTED",
        None,
        "The server plays recorded replies, and they are used up; nothing was kept.",
    ),
    row(
        Reason::DeadlineExceeded,
        Code::DeadlineExceeded,
        "DEADLINE_EXCEEDED",
        SOON,
        "Your deadline is over. A message that was taken goes on: send it again to get what came of it.",
    ),
    row(
        Reason::StreamIdle,
        Code::DeadlineExceeded,
        "STREAM_IDLE",
        AT_ONCE,
        "Nothing happened on the stream for too long. Resume when there is something to say.",
    ),
    row(
        Reason::LogCorrupt,
        Code::DataLoss,
        "LOG_CORRUPT",
        None,
        "What is kept of the session contradicts itself; an operator must look at it.",
    ),
    row(
        Reason::MethodUnknown,
        Code::Unimplemented,
        "METHOD_UNKNOWN",
        None,
        "There is no such call, or not in the way it was made.",
    ),
    row(
        Reason::Internal,
        Code::Internal,
        "INTERNAL",
        None,
        "A defect of Steersman; the metadata hold the id under which it was logged.",
    ),
];

const fn row(
    reason: Reason,
    code: Code,
    name: &'static str,
    retry_after: Option<Duration>,
    meaning: &'static str,
) -> Row {
    Row { reason, code, name, retry_after, meaning }
}

impl Reason {
    /// All reasons, in the order of the documentation.
    pub const ALL: [Self; 30] = [
        Self::FieldInvalid,
        Self::TextTooLong,
        Self::BadEncoding,
        Self::LocaleUnsupported,
        Self::ScriptDefective,
        Self::OpenRequired,
        Self::AlreadyOpen,
        Self::SessionEnded,
        Self::NotWaiting,
        Self::SessionNotFound,
        Self::ScriptNotFound,
        Self::ServiceUnknown,
        Self::IdempotencyKeyReused,
        Self::ScriptExists,
        Self::StaleWriter,
        Self::Superseded,
        Self::TurnInProgress,
        Self::MessageTooLarge,
        Self::QueueFull,
        Self::SlowReader,
        Self::TooManyWatchers,
        Self::StoreFull,
        Self::StoreUnavailable,
        Self::Draining,
        Self::RepliesExhausted,
        Self::DeadlineExceeded,
        Self::StreamIdle,
        Self::LogCorrupt,
        Self::MethodUnknown,
        Self::Internal,
    ];

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.reason == self).expect("each reason has a row")
    }

    /// Returns the code of the status.
    pub fn code(self) -> Code {
        self.row().code
    }

    /// Returns the reason as the wire has it.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Returns how long to wait before trying again; `None` if that alone does not help.
    pub fn retry_after(self) -> Option<Duration> {
        self.row().retry_after
    }

    /// Returns what it means for the caller.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }
}

/// A call that is refused, with all that its caller may know.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    reason: Reason,
    message: String,
    metadata: HashMap<String, String>,
    violations: Vec<(String, String)>,
    resource: Option<&'static str>,
}

impl Refused {
    /// Refuses with the meaning of the reason as the message.
    pub(super) fn new(reason: Reason) -> Self {
        Self::because(reason, reason.meaning())
    }

    /// Refuses with a message of its own, which must not hold what a person wrote.
    pub(super) fn because(reason: Reason, message: impl Into<String>) -> Self {
        let (metadata, violations) = (HashMap::new(), Vec::new());
        Self { reason, message: cut(message.into()), metadata, violations, resource: None }
    }

    /// Refuses a field of the request.
    pub(super) fn field(field: impl Into<String>, allowed: impl Into<String>) -> Self {
        let (field, allowed) = (field.into(), allowed.into());
        Self::because(Reason::FieldInvalid, format!("{field}: {allowed}")).violating(field, allowed)
    }

    /// Adds a field that is not as it should be.
    pub(super) fn violating(mut self, field: impl Into<String>, allowed: impl Into<String>) -> Self {
        if self.violations.len() < MAX_VIOLATIONS {
            self.violations.push((cut(field.into()), cut(allowed.into())));
        }
        self
    }

    /// Adds something for programs.
    pub(super) fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.metadata.insert(key.to_owned(), cut(value.into()));
        self
    }

    /// Adds reviewed words that a person is to read, whole: they fit into a status beside all else.
    pub(super) fn with_reviewed(mut self, key: &str, words: String) -> Self {
        self.metadata.insert(key.to_owned(), words);
        self
    }

    /// Says what kind of thing it is about.
    pub(super) const fn about(mut self, resource: &'static str) -> Self {
        self.resource = Some(resource);
        self
    }
}

impl From<Refused> for Status {
    fn from(refused: Refused) -> Self {
        let Refused { reason, message, metadata, violations, resource } = refused;
        let mut details = ErrorDetails::with_error_info(reason.as_str(), DOMAIN, metadata);
        if let Some(after) = reason.retry_after() {
            details.set_retry_info(Some(after));
        }
        for (field, description) in violations {
            details.add_bad_request_violation(field, description);
        }
        if let Some(kind) = resource {
            // Not its name: an id that does not exist may be anything.
            details.set_resource_info(kind, "", "", reason.meaning());
        }
        Self::with_error_details(reason.code(), message, details)
    }
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push('…');
    }
    text
}

impl From<Reason> for Status {
    fn from(reason: Reason) -> Self {
        Refused::new(reason).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_reason_is_listed_once_and_is_documented() {
        let names: BTreeSet<&str> = Reason::ALL.into_iter().map(Reason::as_str).collect();
        assert_eq!(names.len(), Reason::ALL.len());
        let documented = include_str!("../../../docs/grpc.md");
        for reason in Reason::ALL {
            let code = format!("{:?}", reason.code());
            let row = documented.lines().find(|line| line.starts_with(&format!("| `{}` |", reason.as_str())));
            let row = row.unwrap_or_else(|| panic!("{} has no row in docs/grpc.md", reason.as_str()));
            assert!(row.contains(reason.meaning()), "{row}");
            let spoken: String = row.split('|').nth(2).unwrap().trim().split('_').map(capital).collect();
            assert_eq!(spoken, code, "{row}");
        }
    }

    fn capital(word: &str) -> String {
        word[..1].to_owned() + &word[1..].to_lowercase()
    }

    #[test]
    fn every_status_carries_its_reason_and_none_is_unknown_or_ok() {
        for reason in Reason::ALL {
            let status = Status::from(reason);
            assert!(!matches!(status.code(), Code::Ok | Code::Unknown | Code::Cancelled), "{reason:?}");
            let details = status.get_error_details();
            let info = details.error_info().unwrap();
            assert_eq!((info.reason.as_str(), info.domain.as_str()), (reason.as_str(), DOMAIN));
            let delay = details.retry_info().map(|retry| retry.retry_delay.unwrap_or_default());
            assert_eq!(delay, reason.retry_after(), "{reason:?}");
        }
    }

    #[test]
    fn a_status_stays_small_enough_to_travel_in_headers() {
        let long = "字".repeat(100_000);
        let mut refused = Refused::field(long.clone(), long.clone()).with("key", long.clone());
        for _ in 0..1_000 {
            refused = refused.violating(long.clone(), long.clone());
        }
        let status = Status::from(refused);
        // In headers, details are base64.
        assert!(status.message().len() + status.details().len() * 4 / 3 < 8 * 1024);
        let short = Status::from(Refused::because(Reason::Internal, "short"));
        assert_eq!(short.message(), "short");
    }

    #[test]
    fn a_field_is_named_and_a_resource_is_not() {
        let status = Status::from(Refused::field("say.text", "at most 8 KiB"));
        let details = status.get_error_details();
        assert_eq!(details.bad_request().unwrap().field_violations[0].field, "say.text");
        let status = Status::from(Refused::new(Reason::SessionNotFound).about(SESSION));
        let details = status.get_error_details();
        let about = details.resource_info().unwrap();
        assert_eq!((about.resource_type.as_str(), about.resource_name.as_str()), ("session", ""));
    }
}
