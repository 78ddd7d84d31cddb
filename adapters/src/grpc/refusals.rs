//! What each error of the ports means on the wire.

use steersman_domain::{
    script::defect::Severity,
    session::{InputRefused, StartRefused},
    variable::VariableName,
};
use steersman_engine::ports::{LibraryError, LookError, NotSent, OpenError, StreamEnd, SubmitError, TurnError};
use tonic::{Code, Status};
use uuid::Uuid;

use super::status::{CRISIS_TEXT, Reason, Refused, SCRIPT, SESSION};

pub(super) fn no_session() -> Refused {
    Refused::new(Reason::SessionNotFound).about(SESSION)
}

pub(super) fn no_script() -> Refused {
    Refused::new(Reason::ScriptNotFound).about(SCRIPT)
}

/// A defect of ours: logged under an id, which is all that the caller sees of it.
pub(super) fn internal(what: &'static str) -> Refused {
    let id = Uuid::now_v7().to_string();
    tracing::error!(id, what, "a call met a defect");
    Refused::new(Reason::Internal).with("id", id)
}

impl From<OpenError> for Refused {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::NotFound => no_session(),
            OpenError::Script(error) => error.into(),
            OpenError::Start(refused) => refused.into(),
            OpenError::TooManyWatchers => Self::new(Reason::TooManyWatchers),
            OpenError::Turn(error) => error.into(),
        }
    }
}

impl From<StartRefused> for Refused {
    fn from(refused: StartRefused) -> Self {
        let told = refused.to_string();
        let field = |name: &VariableName| Self::field(format!("start.variables.{name}"), told.clone());
        match &refused {
            StartRefused::UnknownVariable { name, hint } => field(name).with("hint", hint.clone()),
            StartRefused::OtherKind { name, expected, found } => {
                field(name).with("expected", expected.as_str()).with("found", found.as_str())
            }
        }
    }
}

impl From<TurnError> for Refused {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::TextTooLong { bytes, limit } => Self::because(Reason::TextTooLong, error.to_string())
                .with("bytes", bytes.to_string())
                .with("limit", limit.to_string()),
            TurnError::BadEncoding => Self::because(Reason::BadEncoding, error.to_string()),
            TurnError::Refused(refused) => refused.into(),
            // Reviewed words, for the person to read: not one of them is cut.
            TurnError::AtRisk { notice, why } => Self::from(*why).with_reviewed(CRISIS_TEXT, notice.into_string()),
            TurnError::KeyReused => Self::new(Reason::IdempotencyKeyReused),
            TurnError::Stale => Self::new(Reason::StaleWriter),
            TurnError::StoreUnavailable => Self::new(Reason::StoreUnavailable),
            TurnError::StoreFull => Self::new(Reason::StoreFull),
            TurnError::Gone => no_session(),
            TurnError::LogCorrupt => Self::new(Reason::LogCorrupt),
            TurnError::Draining => Self::new(Reason::Draining),
            // Its words name the file.
            TurnError::ModelExhausted(_) => Self::new(Reason::RepliesExhausted),
        }
    }
}

impl From<InputRefused> for Refused {
    fn from(refused: InputRefused) -> Self {
        match &refused {
            InputRefused::Ended(reason) => {
                Self::because(Reason::SessionEnded, refused.to_string()).with("end_reason", super::word(reason))
            }
            InputRefused::NotWaiting => Self::new(Reason::NotWaiting),
            InputRefused::UnknownChoice { allowed } => {
                Self::field("choose.key", refused.to_string()).with("allowed", allowed.join(","))
            }
            InputRefused::Start(refused) => refused.clone().into(),
            // The engine gives one message after the other, and only to a session that has begun.
            _ => internal("the session refused what the engine must not give it"),
        }
    }
}

impl From<NotSent> for Refused {
    fn from(error: NotSent) -> Self {
        match error {
            NotSent::QueueFull => Self::new(Reason::QueueFull),
            // The engine lets a session go behind the last one who leaves; who comes just then tries again.
            NotSent::Closed => Self::new(Reason::StaleWriter),
        }
    }
}

impl From<SubmitError> for Refused {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Open(error) => error.into(),
            SubmitError::NotSent(error) => error.into(),
            SubmitError::Turn(error) => error.into(),
        }
    }
}

impl From<LookError> for Refused {
    fn from(error: LookError) -> Self {
        match error {
            LookError::NotFound => no_session(),
            LookError::Script(error) => error.into(),
            LookError::LogCorrupt => Self::new(Reason::LogCorrupt),
            LookError::Unavailable(_) => Self::new(Reason::StoreUnavailable),
        }
    }
}

impl From<LibraryError> for Refused {
    fn from(error: LibraryError) -> Self {
        match error {
            LibraryError::NotFound => no_script(),
            LibraryError::Published => Self::new(Reason::ScriptExists).about(SCRIPT),
            LibraryError::Unavailable(_) => Self::new(Reason::StoreUnavailable),
            LibraryError::Defects(findings) => {
                let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
                errors.fold(Self::new(Reason::ScriptDefective), |refused, finding| {
                    let place = format!("source:{}:{}", finding.line, finding.column);
                    refused.violating(place, format!("{}: {}", finding.code, finding.message))
                })
            }
        }
    }
}

impl From<StreamEnd> for Refused {
    fn from(end: StreamEnd) -> Self {
        match end {
            StreamEnd::Superseded => Self::new(Reason::Superseded),
            StreamEnd::SlowReader => Self::new(Reason::SlowReader),
            StreamEnd::Draining => Self::new(Reason::Draining),
            StreamEnd::Erased => no_session(),
            StreamEnd::StoreUnavailable => Self::new(Reason::StoreUnavailable),
        }
    }
}

/// Gives a status that the library made by itself the reason that it lacks.
pub(super) fn reasoned(status: &Status) -> Status {
    let reason = match status.code() {
        // What cannot be decoded; compression that was not agreed upon.
        Code::Internal | Code::InvalidArgument => Reason::BadEncoding,
        Code::OutOfRange | Code::ResourceExhausted => Reason::MessageTooLarge,
        Code::NotFound => Reason::ServiceUnknown,
        Code::Unimplemented => Reason::MethodUnknown,
        Code::DeadlineExceeded => Reason::DeadlineExceeded,
        // The caller has left; nobody reads it.
        Code::Cancelled => Reason::Draining,
        _ => return internal("the transport failed").into(),
    };
    Refused::new(reason).into()
}
