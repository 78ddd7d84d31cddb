//! Frames of a conversation: what clients send becomes an input, what the session sends becomes frames.

use std::collections::BTreeMap;

use steersman_domain::{
    id::{ActionId, ScriptId, SessionId, SubjectId},
    locale::Locale,
    utterance::Text,
    variable::{Value, VariableName},
};
use steersman_engine::ports::{ClientInput, MessageId, Open, Opened, Opening, ServerFrame, TurnFinished};
use steersman_proto::v1::{self, client_frame, open, server_frame, submit_turn_request};
use tonic::{Code, Status};

use super::{
    events::event,
    refusals::no_session,
    status::{Reason, Refused},
    view::position,
    word,
};

/// The words of a `stop`, in bytes; they are for whoever reads the traffic.
const STOP_REASON_BYTES: usize = 1_024;

/// Reads the id of a session. What is no id names no session.
pub(super) fn session_id(id: &str) -> Result<SessionId, Refused> {
    SessionId::new(id).map_err(|_malformed| no_session())
}

/// Reads how a conversation begins.
pub(super) fn opening(open: v1::Open) -> Result<Opening, Refused> {
    match open.with {
        None => Err(Refused::field("open", "say either `start` or `resume`")),
        Some(open::With::Start(start)) => Ok(Opening::Start(Box::new(self::start(start)?))),
        Some(open::With::Resume(resume)) => {
            Ok(Opening::Resume { session_id: session_id(&resume.session_id)?, after_seq: resume.after_seq })
        }
    }
}

/// Reads how a session is to start.
pub(super) fn start(start: v1::Start) -> Result<Open, Refused> {
    let script =
        ScriptId::new(start.script_id).map_err(|error| Refused::field("start.script_id", error.to_string()))?;
    let subject = start.subject_id.map(SubjectId::new).transpose();
    Ok(Open {
        script,
        version: start.version.filter(|version| !version.is_empty()),
        subject: subject.map_err(|error| Refused::field("start.subject_id", error.to_string()))?,
        locale: start.locale.as_deref().map(locale).transpose()?,
        country: start.country.as_deref().map(country).transpose()?,
        variables: start.variables.into_iter().map(variable).collect::<Result<BTreeMap<_, _>, _>>()?,
    })
}

/// Reads a message of a conversation.
pub(super) fn message(frame: client_frame::Frame) -> Result<ClientInput, Refused> {
    use client_frame::Frame;
    match frame {
        Frame::Open(_) => Err(Refused::new(Reason::AlreadyOpen)),
        Frame::Say(say) => Ok(said(message_id("say.client_message_id", say.client_message_id)?, say.text)),
        Frame::Choose(choose) => {
            let id = message_id("choose.client_message_id", choose.client_message_id)?;
            chosen(id, choose.action, choose.key)
        }
        Frame::SubmitForm(form) => {
            message_id("submit_form.client_message_id", form.client_message_id)?;
            Err(Refused::new(Reason::NotWaiting))
        }
        Frame::Acknowledge(taken) => {
            Ok(ClientInput::Acknowledge { id: message_id("acknowledge.client_message_id", taken.client_message_id)? })
        }
        Frame::RequestHuman(call) => {
            Ok(ClientInput::RequestHuman { id: message_id("request_human.client_message_id", call.client_message_id)? })
        }
        Frame::Stop(stop) => {
            stopped(message_id("stop.client_message_id", stop.client_message_id)?, stop.reason.as_deref())
        }
    }
}

/// Returns the client's id of a message as it was sent, to name it in an answer.
pub(super) fn sent_id(frame: &client_frame::Frame) -> &str {
    use client_frame::Frame;
    match frame {
        Frame::Open(_) => "",
        Frame::Say(say) => &say.client_message_id,
        Frame::Choose(choose) => &choose.client_message_id,
        Frame::SubmitForm(form) => &form.client_message_id,
        Frame::Acknowledge(taken) => &taken.client_message_id,
        Frame::RequestHuman(call) => &call.client_message_id,
        Frame::Stop(stop) => &stop.client_message_id,
    }
}

/// Reads a single message.
pub(super) fn submitted(id: String, input: Option<submit_turn_request::Input>) -> Result<ClientInput, Refused> {
    use submit_turn_request::Input;
    let id = message_id("client_message_id", id)?;
    match input {
        None => Err(Refused::field("input", "say what the message is: say, choose, acknowledge, …")),
        Some(Input::Say(text)) => Ok(said(id, text)),
        Some(Input::Choose(choice)) => chosen(id, choice.action, choice.key),
        Some(Input::SubmitForm(_)) => Err(Refused::new(Reason::NotWaiting)),
        Some(Input::Acknowledge(_)) => Ok(ClientInput::Acknowledge { id }),
        Some(Input::RequestHuman(_)) => Ok(ClientInput::RequestHuman { id }),
        Some(Input::Stop(stop)) => stopped(id, stop.reason.as_deref()),
    }
}

/// Reads the client's id of a message.
pub(super) fn message_id(field: &str, id: String) -> Result<MessageId, Refused> {
    MessageId::new(id).map_err(|error| Refused::field(field, error.to_string()))
}

/// Reads a call to stop.
pub(super) fn stopped(id: MessageId, reason: Option<&str>) -> Result<ClientInput, Refused> {
    if reason.is_some_and(|reason| reason.len() > STOP_REASON_BYTES) {
        return Err(Refused::field("stop.reason", format!("at most {STOP_REASON_BYTES} bytes")));
    }
    Ok(ClientInput::Stop { id })
}

fn said(id: MessageId, text: String) -> ClientInput {
    ClientInput::Say { id, text: Text::new(text) }
}

fn chosen(id: MessageId, action: Option<String>, key: String) -> Result<ClientInput, Refused> {
    let action = action.filter(|action| !action.is_empty()).map(ActionId::new).transpose();
    let action = action.map_err(|error| Refused::field("choose.action", error.to_string()))?;
    Ok(ClientInput::Choose { id, action, key })
}

fn locale(name: &str) -> Result<Locale, Refused> {
    name.parse().map_err(|_unknown| {
        let there_are = Locale::ALL.map(Locale::as_str).join(", ");
        let message = format!("there are built-in texts in {there_are}");
        Refused::because(Reason::LocaleUnsupported, message.clone())
            .violating("start.locale", message)
            .with("supported", there_are)
    })
}

fn country(code: &str) -> Result<String, Refused> {
    let is_code = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
    let refused = || Refused::field("start.country", "an ISO 3166 code of two letters, such as US or CN");
    is_code.then(|| code.to_ascii_uppercase()).ok_or_else(refused)
}

fn variable((name, value): (String, steersman_proto::json::Value)) -> Result<(VariableName, Value), Refused> {
    let name = VariableName::new(name).map_err(|error| Refused::field("start.variables", error.to_string()))?;
    Ok((name, Value::new(serde_json::Value::from(value))))
}

/// Writes a frame of the session; one of several events becomes several.
pub(super) fn written(frame: ServerFrame) -> Vec<v1::ServerFrame> {
    let one = |frame| vec![self::frame(frame)];
    match frame {
        ServerFrame::Delta { utterance_id, text } => one(server_frame::Frame::Delta(v1::Delta {
            utterance_id: utterance_id.to_string(),
            text: text.into_string(),
        })),
        ServerFrame::Retracted { utterance_id } => {
            one(server_frame::Frame::Retracted(v1::Retracted { utterance_id: utterance_id.to_string() }))
        }
        ServerFrame::Events(events) => {
            events.iter().map(|happened| self::frame(server_frame::Frame::Event(event(happened)))).collect()
        }
        ServerFrame::TurnFinished(finished) => one(server_frame::Frame::TurnFinished(turn_finished(&finished))),
        ServerFrame::TurnError { id, error } => {
            let id = id.map(|id| id.as_str().to_owned()).unwrap_or_default();
            vec![turn_error(id, error.into())]
        }
        ServerFrame::Draining => one(server_frame::Frame::Draining(v1::Draining {})),
    }
}

/// Writes what was opened.
pub(super) fn opened(opened: &Opened, session: Option<v1::SessionView>) -> v1::ServerFrame {
    let Opened { session_id, last_seq } = opened;
    frame(server_frame::Frame::Opened(v1::Opened { session_id: session_id.to_string(), session, last_seq: *last_seq }))
}

/// Writes why a turn did not happen.
pub(super) fn turn_error(client_message_id: String, refused: Refused) -> v1::ServerFrame {
    let status = Some(rpc_status(&refused.into()));
    frame(server_frame::Frame::TurnError(v1::TurnError { client_message_id, status }))
}

/// Writes the end of a turn.
pub(super) fn turn_finished(finished: &TurnFinished) -> v1::TurnFinished {
    v1::TurnFinished {
        client_message_id: finished.client_message_id.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default(),
        status: word(&finished.status),
        position: finished.position.as_ref().map(position),
        exit_reason: finished.exit_reason.as_ref().map(|reason| reason.as_str().to_owned()),
        exit_decision_source: finished.exit_decision_source.as_ref().map(word),
        durable: finished.durable,
        served_by: word(&finished.served_by),
        first_seq: finished.first_seq,
        last_seq: finished.last_seq,
    }
}

const fn frame(frame: server_frame::Frame) -> v1::ServerFrame {
    v1::ServerFrame { frame: Some(frame) }
}

/// Writes a status as a message, with the same details that it has as the end of a call.
fn rpc_status(status: &Status) -> tonic_types::Status {
    use prost::Message as _;
    tonic_types::Status::decode(status.details()).unwrap_or_else(|_no_details| tonic_types::Status {
        code: Code::Internal.into(),
        message: status.message().to_owned(),
        details: Vec::new(),
    })
}
