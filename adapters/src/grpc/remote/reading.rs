//! What comes back over the wire, read as what the ports say.

use serde::de::DeserializeOwned;
use steersman_domain::{
    session::{InputRefused, Position, StartRefused},
    utterance::Text,
    variable::{Kind, VariableName},
};
use steersman_engine::ports::{
    LibraryError, MessageId, NotSent, OpenError, ServerFrame, StreamEnd, SubmitError, TurnError, TurnFinished,
};
use steersman_proto::v1::{self, server_frame};
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt};

use super::super::{
    events::read,
    status::{CRISIS_TEXT, Reason},
};

/// Reads a frame; `None` for one of a newer server, which means nothing here.
pub(super) fn frame(frame: v1::ServerFrame) -> Option<ServerFrame> {
    match frame.frame? {
        server_frame::Frame::Delta(delta) => {
            Some(ServerFrame::Delta { utterance_id: delta.utterance_id.parse().ok()?, text: Text::new(delta.text) })
        }
        server_frame::Frame::Retracted(retracted) => {
            Some(ServerFrame::Retracted { utterance_id: retracted.utterance_id.parse().ok()? })
        }
        server_frame::Frame::Event(event) => Some(ServerFrame::Events([read(&event)?.into()].into())),
        server_frame::Frame::TurnFinished(turn) => Some(ServerFrame::TurnFinished(finished(turn)?)),
        server_frame::Frame::TurnError(error) => Some(ServerFrame::TurnError {
            id: MessageId::new(error.client_message_id).ok(),
            error: turn_error(&error.status.map_or_else(|| Status::internal(""), status)),
        }),
        server_frame::Frame::Draining(_) => Some(ServerFrame::Draining),
        server_frame::Frame::Opened(_) => None,
    }
}

/// Reads the end of a turn.
pub(super) fn finished(turn: v1::TurnFinished) -> Option<TurnFinished> {
    Some(TurnFinished {
        client_message_id: MessageId::new(turn.client_message_id).ok(),
        status: of_word(&turn.status)?,
        position: turn.position.map(position).transpose().ok()?,
        exit_reason: turn.exit_reason.map(Text::new),
        exit_decision_source: turn.exit_decision_source.as_deref().and_then(of_word),
        durable: turn.durable,
        served_by: of_word(&turn.served_by)?,
        first_seq: turn.first_seq,
        last_seq: turn.last_seq,
    })
}

/// Reads why a session was not opened.
pub(super) fn open_error(status: &Status) -> OpenError {
    match reason(status) {
        Some(Reason::SessionNotFound) => OpenError::NotFound,
        Some(Reason::ScriptNotFound) => OpenError::Script(LibraryError::NotFound),
        Some(Reason::TooManyWatchers) => OpenError::TooManyWatchers,
        Some(Reason::FieldInvalid) => match start_refused(&status.get_error_details()) {
            Some(refused) => OpenError::Start(refused),
            None => OpenError::Turn(turn_error(status)),
        },
        Some(_) | None => OpenError::Turn(turn_error(status)),
    }
}

/// Reads why a single message has no result.
pub(super) fn submit_error(status: &Status) -> SubmitError {
    match reason(status) {
        Some(Reason::SessionNotFound) => SubmitError::Open(OpenError::NotFound),
        Some(Reason::QueueFull) => SubmitError::NotSent(NotSent::QueueFull),
        Some(_) | None => SubmitError::Turn(turn_error(status)),
    }
}

/// Reads why a stream is over.
pub(super) fn stream_end(status: &Status) -> StreamEnd {
    match reason(status) {
        Some(Reason::Superseded) => StreamEnd::Superseded,
        Some(Reason::SlowReader) => StreamEnd::SlowReader,
        Some(Reason::Draining) => StreamEnd::Draining,
        Some(Reason::SessionNotFound) => StreamEnd::Erased,
        Some(_) | None => StreamEnd::StoreUnavailable,
    }
}

fn turn_error(status: &Status) -> TurnError {
    let details = status.get_error_details();
    let said = |key: &str| details.error_info().and_then(|info| info.metadata.get(key)).map(String::as_str);
    if let Some(notice) = said(CRISIS_TEXT) {
        let why = Box::new(plain_turn_error(status, &details));
        return TurnError::AtRisk { notice: notice.into(), why };
    }
    plain_turn_error(status, &details)
}

fn plain_turn_error(status: &Status, details: &ErrorDetails) -> TurnError {
    let said = |key: &str| details.error_info().and_then(|info| info.metadata.get(key)).map(String::as_str);
    let count = |key: &str| said(key).and_then(|number| number.parse().ok()).unwrap_or_default();
    match reason(status) {
        Some(Reason::TextTooLong) => TurnError::TextTooLong { bytes: count("bytes"), limit: count("limit") },
        Some(Reason::BadEncoding) => TurnError::BadEncoding,
        Some(Reason::SessionEnded) => match said("end_reason").and_then(of_word) {
            Some(reason) => TurnError::Refused(InputRefused::Ended(reason)),
            None => TurnError::LogCorrupt,
        },
        Some(Reason::NotWaiting) => TurnError::Refused(InputRefused::NotWaiting),
        Some(Reason::FieldInvalid) => {
            let allowed = said("allowed").unwrap_or_default().split(',').map(str::to_owned).collect();
            TurnError::Refused(InputRefused::UnknownChoice { allowed })
        }
        Some(Reason::QueueFull | Reason::TurnInProgress) => TurnError::Refused(InputRefused::TurnRunning),
        Some(Reason::IdempotencyKeyReused) => TurnError::KeyReused,
        Some(Reason::StaleWriter) => TurnError::Stale,
        Some(Reason::StoreFull) => TurnError::StoreFull,
        Some(Reason::SessionNotFound) => TurnError::Gone,
        Some(Reason::LogCorrupt) => TurnError::LogCorrupt,
        Some(Reason::Draining) => TurnError::Draining,
        Some(Reason::RepliesExhausted) => TurnError::ModelExhausted(Reason::RepliesExhausted.meaning().to_owned()),
        Some(_) | None => TurnError::StoreUnavailable,
    }
}

fn start_refused(details: &ErrorDetails) -> Option<StartRefused> {
    let violation = details.bad_request()?.field_violations.first()?;
    let name = VariableName::new(violation.field.strip_prefix("start.variables.")?).ok()?;
    let metadata = &details.error_info()?.metadata;
    let kind = |key: &str| metadata.get(key).and_then(|word| of_word::<Kind>(word));
    Some(match (kind("expected"), kind("found")) {
        (Some(expected), Some(found)) => StartRefused::OtherKind { name, expected, found },
        _ => StartRefused::UnknownVariable { name, hint: metadata.get("hint").cloned().unwrap_or_default() },
    })
}

fn reason(status: &Status) -> Option<Reason> {
    let info = status.get_details_error_info()?;
    Reason::ALL.into_iter().find(|reason| reason.as_str() == info.reason)
}

/// Reads a status that came as a message.
fn status(status: tonic_types::Status) -> Status {
    use prost::Message as _;
    let details = status.encode_to_vec();
    Status::with_details(status.code.into(), status.message, details.into())
}

fn position(position: v1::Position) -> Result<Position, serde_json::Error> {
    serde_json::to_value(position).and_then(serde_json::from_value)
}

/// Reads a word of a closed list.
fn of_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(word.into()).ok()
}
