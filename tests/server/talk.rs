//! A client as others would write one: it waits for frames, and never for time.

use std::time::Duration;

use futures_util::stream;
use steersman_proto::v1::{
    self, client_frame::Frame as Sent, event::Body, server_frame::Frame, sessions_client::SessionsClient,
};
use tokio::{sync::mpsc, time::timeout};
use tonic::{Code, Status, Streaming, transport::Channel};
use tonic_types::StatusExt;

/// How long anything may take before a test gives up; nothing waits for this long when all is well.
const PATIENCE: Duration = Duration::from_secs(30);

/// One open stream.
#[derive(Debug)]
pub(crate) struct Talk {
    out: Option<mpsc::Sender<v1::ClientFrame>>,
    frames: Streaming<v1::ServerFrame>,
}

/// What came of a turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) events: Vec<v1::Event>,
    pub(crate) finished: v1::TurnFinished,
}

/// Waits for something that must happen.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(PATIENCE, what).await.expect("it happens in time")
}

impl Talk {
    /// Opens a stream and sends nothing yet.
    pub(crate) async fn silent(channel: &Channel) -> Self {
        let (out, sent) = mpsc::channel(64);
        let sent = stream::unfold(sent, |mut sent| async move { sent.recv().await.map(|frame| (frame, sent)) });
        let frames = soon(SessionsClient::new(channel.clone()).converse(sent)).await.unwrap().into_inner();
        Self { out: Some(out), frames }
    }

    /// Starts the script of these tests; returns the stream, the session and the opening.
    pub(crate) async fn start(channel: &Channel) -> (Self, String, Turn) {
        let mut talk = Self::silent(channel).await;
        talk.send(start("demo")).await;
        let opened = talk.opened().await;
        let opening = talk.turn().await;
        (talk, opened.session_id, opening)
    }

    /// Goes on with a session.
    pub(crate) async fn resume(channel: &Channel, session_id: &str, after_seq: Option<u64>) -> (Self, v1::Opened) {
        let mut talk = Self::silent(channel).await;
        talk.send(resume(session_id, after_seq)).await;
        let opened = talk.opened().await;
        (talk, opened)
    }

    pub(crate) async fn send(&self, frame: Sent) {
        let frame = v1::ClientFrame { frame: Some(frame) };
        self.out.as_ref().unwrap().send(frame).await.unwrap();
    }

    pub(crate) async fn send_empty(&self) {
        self.out.as_ref().unwrap().send(v1::ClientFrame { frame: None }).await.unwrap();
    }

    pub(crate) async fn say(&self, id: &str, text: &str) {
        self.send(say(id, text)).await;
    }

    /// Closes this side.
    pub(crate) fn close(&mut self) {
        self.out = None;
    }

    /// Returns the next frame, or how the stream ended.
    pub(crate) async fn frame(&mut self) -> Result<Option<Frame>, Status> {
        let frame = soon(self.frames.message()).await?;
        Ok(frame.map(|frame| frame.frame.expect("a server never sends an empty frame")))
    }

    pub(crate) async fn opened(&mut self) -> v1::Opened {
        match self.frame().await.unwrap() {
            Some(Frame::Opened(opened)) => opened,
            other => panic!("{other:?} in place of opened"),
        }
    }

    /// Waits for the end of a turn.
    pub(crate) async fn turn(&mut self) -> Turn {
        let mut events = Vec::new();
        loop {
            match self.frame().await.unwrap() {
                Some(Frame::Event(event)) => events.push(event),
                Some(Frame::Delta(_) | Frame::Retracted(_)) => {}
                Some(Frame::TurnFinished(finished)) => return Turn { events, finished },
                other => panic!("{other:?} in place of the end of a turn"),
            }
        }
    }

    /// Waits for events up to this number.
    pub(crate) async fn events_to(&mut self, last: u64) -> Vec<v1::Event> {
        let mut events: Vec<v1::Event> = Vec::new();
        while events.last().map_or(0, |event| event.seq) < last {
            match self.frame().await.unwrap() {
                Some(Frame::Event(event)) => events.push(event),
                other => panic!("{other:?} in place of an event"),
            }
        }
        events
    }

    /// Waits for a message that is refused.
    pub(crate) async fn refused(&mut self) -> (String, Code, String) {
        match self.frame().await.unwrap() {
            Some(Frame::TurnError(error)) => {
                let status = error.status.unwrap();
                let reason = reason_of(&status);
                (error.client_message_id, Code::from_i32(status.code), reason)
            }
            other => panic!("{other:?} in place of an error"),
        }
    }

    /// Waits for the end of the stream, whatever comes before.
    pub(crate) async fn end(mut self) -> Result<(), Status> {
        while self.frame().await?.is_some() {}
        Ok(())
    }
}

impl Turn {
    /// Returns what was said, by whom.
    pub(crate) fn said(&self) -> Vec<(&str, &str)> {
        said(&self.events)
    }

    /// Counts the attempts of model calls.
    pub(crate) fn calls(&self) -> usize {
        self.events.iter().filter(|event| matches!(event.body, Some(Body::ModelCalled(_)))).count()
    }
}

pub(crate) fn said(events: &[v1::Event]) -> Vec<(&str, &str)> {
    let utterances = events.iter().filter_map(|event| match &event.body {
        Some(Body::Utterance(said)) => Some((said.role.as_str(), said.text.as_str())),
        _ => None,
    });
    utterances.collect()
}

pub(crate) fn start(script_id: &str) -> Sent {
    let start = v1::Start { script_id: script_id.to_owned(), ..v1::Start::default() };
    Sent::Open(v1::Open { with: Some(v1::open::With::Start(start)) })
}

pub(crate) fn resume(session_id: &str, after_seq: Option<u64>) -> Sent {
    let resume = v1::Resume { session_id: session_id.to_owned(), after_seq };
    Sent::Open(v1::Open { with: Some(v1::open::With::Resume(resume)) })
}

pub(crate) fn say(id: &str, text: &str) -> Sent {
    Sent::Say(v1::Say { client_message_id: id.to_owned(), text: text.to_owned() })
}

pub(crate) fn choose(id: &str, key: &str) -> Sent {
    Sent::Choose(v1::Choose { client_message_id: id.to_owned(), action: None, key: key.to_owned() })
}

/// Returns the code and the reason of a refusal; each has one.
pub(crate) fn told(status: &Status) -> (Code, String) {
    let info = status.get_details_error_info().unwrap_or_else(|| panic!("no reason in {status:?}"));
    assert_eq!(info.domain, "steersman.dev");
    (status.code(), info.reason)
}

/// Returns the reason inside a status that came in a frame.
fn reason_of(status: &tonic_types::Status) -> String {
    use prost::Message as _;
    let details = status.encode_to_vec();
    let status = Status::with_details(Code::from_i32(status.code), status.message.clone(), details.into());
    told(&status).1
}
