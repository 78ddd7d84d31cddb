//! An engine behind the wire: the driving port `Sessions` as a client sees it.
//!
//! If the engine cannot be reached, that is `StoreUnavailable`: nothing was kept, and the message may be sent again.

mod reading;

use std::{pin::Pin, sync::Arc};

use async_trait::async_trait;
use futures_util::{Stream, StreamExt, stream};
use steersman_domain::{control::Clearance, id::SessionId};
use steersman_engine::{
    Principal,
    ports::{
        ClientInput, Conversation, Frames, MessageId, NotSent, Open, OpenError, Opened, Opening, Requests, ServerFrame,
        Sessions, StreamEnded, SubmitError, TurnError, TurnFinished,
    },
};
use steersman_proto::{
    json::Value,
    v1::{self, client_frame, server_frame, sessions_client::SessionsClient, submit_turn_request},
};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Status, Streaming,
    transport::{Channel, Endpoint},
};

use self::reading::{finished, frame, open_error, stream_end, submit_error};

/// The messages that may wait to be sent; the engine behind has its own bound.
const OUTBOUND: usize = 8;
/// The frames that may wait to be read; the engine behind sends no more until they are.
const INBOUND: usize = 32;

/// Sessions of an engine behind the wire.
#[derive(Debug, Clone)]
pub struct RemoteSessions {
    client: SessionsClient<Channel>,
}

/// The engine cannot be reached.
#[derive(Debug, thiserror::Error)]
#[error("the engine cannot be reached")]
pub struct Unreachable(#[source] tonic::transport::Error);

impl RemoteSessions {
    /// Connects to an engine, such as `http://127.0.0.1:7443`.
    ///
    /// # Errors
    ///
    /// [`Unreachable`].
    pub async fn connect(url: &str) -> Result<Self, Unreachable> {
        let endpoint = Endpoint::from_shared(url.to_owned()).map_err(Unreachable)?;
        Ok(Self { client: SessionsClient::new(endpoint.connect().await.map_err(Unreachable)?) })
    }
}

#[async_trait]
impl Sessions for RemoteSessions {
    async fn open(&self, _principal: &Principal, opening: Opening) -> Result<Conversation, OpenError> {
        let (out, mut sent) = mpsc::channel(OUTBOUND);
        let sent = stream::poll_fn(move |context| sent.poll_recv(context));
        let first = stream::iter([written(client_frame::Frame::Open(opened_with(opening)))]);
        // The first frame goes with the call: the answer to it says whether there is a conversation.
        let frames = self.client.clone().converse(first.chain(sent)).await.map_err(|status| open_error(&status))?;
        let (opened, frames) = listen(frames.into_inner()).await?;
        let requests = Requests::new(move |input: ClientInput| match out.try_send(written(message(input))) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(NotSent::QueueFull),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(NotSent::Closed),
        });
        Ok(Conversation { opened, requests, frames })
    }

    async fn watch(
        &self,
        _principal: &Principal,
        id: &SessionId,
        after_seq: Option<u64>,
    ) -> Result<(Opened, Frames), OpenError> {
        let request = v1::WatchSessionRequest { session_id: id.to_string(), after_seq };
        let frames = self.client.clone().watch_session(request).await.map_err(|status| open_error(&status))?;
        listen(frames.into_inner()).await
    }

    async fn submit(
        &self,
        _principal: &Principal,
        id: &SessionId,
        input: ClientInput,
    ) -> Result<TurnFinished, SubmitError> {
        let client_message_id = input.id().as_str().to_owned();
        let request =
            v1::SubmitTurnRequest { session_id: id.to_string(), client_message_id, input: Some(submitted(input)) };
        let result = self.client.clone().submit_turn(request).await.map_err(|status| submit_error(&status))?;
        let turn = result.into_inner().turn_finished.and_then(finished);
        turn.ok_or(SubmitError::Turn(TurnError::LogCorrupt))
    }

    async fn clear_risk(
        &self,
        _principal: &Principal,
        id: &SessionId,
        message: MessageId,
        clearance: Clearance,
    ) -> Result<TurnFinished, SubmitError> {
        let request = v1::ClearRiskRequest {
            session_id: id.to_string(),
            reason: clearance.reason().to_owned(),
            by: clearance.by().to_owned(),
            client_message_id: message.as_str().to_owned(),
        };
        let result = self.client.clone().clear_risk(request).await.map_err(|status| submit_error(&status))?;
        let turn = result.into_inner().turn_finished.and_then(finished);
        turn.ok_or(SubmitError::Turn(TurnError::LogCorrupt))
    }

    async fn erase(&self, _principal: &Principal, id: &SessionId) -> Result<(), OpenError> {
        let request = v1::EraseSessionRequest { session_id: id.to_string() };
        self.client.clone().erase_session(request).await.map(drop).map_err(|status| open_error(&status))
    }
}

/// Waits until the stream is open, then passes on what comes, until its reader leaves.
async fn listen(mut frames: Streaming<v1::ServerFrame>) -> Result<(Opened, Frames), OpenError> {
    let first = frames.message().await.map_err(|status| open_error(&status))?;
    let opened = match first.and_then(|first| first.frame) {
        Some(server_frame::Frame::Opened(opened)) => Opened {
            session_id: SessionId::new(opened.session_id).map_err(|_malformed| OpenError::NotFound)?,
            last_seq: opened.last_seq,
        },
        Some(_) | None => return Err(OpenError::Turn(TurnError::LogCorrupt)),
    };
    let (to_reader, live) = mpsc::channel(INBOUND);
    let (end, left) = (StreamEnded::default(), CancellationToken::new());
    tokio::spawn(pass_on(Box::pin(frames), to_reader, Arc::clone(&end), left.clone()));
    Ok((opened, Frames::new(None, live, end, Leaves(left.drop_guard()))))
}

/// Ends the stream when its reader is dropped.
struct Leaves(#[expect(dead_code, reason = "it acts when it is dropped")] DropGuard);

async fn pass_on(
    mut frames: Pin<Box<impl Stream<Item = Result<v1::ServerFrame, Status>>>>,
    to_reader: mpsc::Sender<ServerFrame>,
    end: StreamEnded,
    left: CancellationToken,
) {
    loop {
        let came = tokio::select! {
            came = frames.next() => came,
            () = left.cancelled() => return,
        };
        let passed = match came {
            Some(Ok(came)) => frame(came),
            Some(Err(status)) => {
                let _first = end.set(stream_end(&status)).is_ok();
                return;
            }
            None => return,
        };
        if let Some(passed) = passed
            && to_reader.send(passed).await.is_err()
        {
            return;
        }
    }
}

const fn written(frame: client_frame::Frame) -> v1::ClientFrame {
    v1::ClientFrame { frame: Some(frame) }
}

fn opened_with(opening: Opening) -> v1::Open {
    let with = match opening {
        Opening::Start(open) => v1::open::With::Start(started(*open)),
        Opening::Resume { session_id, after_seq } => {
            v1::open::With::Resume(v1::Resume { session_id: session_id.to_string(), after_seq })
        }
    };
    v1::Open { with: Some(with) }
}

fn started(open: Open) -> v1::Start {
    v1::Start {
        script_id: open.script.to_string(),
        version: open.version,
        subject_id: open.subject.map(|subject| subject.as_str().to_owned()),
        locale: open.locale.map(|locale| locale.to_string()),
        country: open.country,
        variables: open.variables.iter().map(|(name, value)| (name.to_string(), Value::from(value.json()))).collect(),
    }
}

fn message(input: ClientInput) -> client_frame::Frame {
    use client_frame::Frame;
    let client_message_id = input.id().as_str().to_owned();
    match input {
        ClientInput::Say { text, .. } => Frame::Say(v1::Say { client_message_id, text: text.into_string() }),
        ClientInput::Choose { action, key, .. } => {
            Frame::Choose(v1::Choose { client_message_id, action: action.map(|action| action.to_string()), key })
        }
        ClientInput::Acknowledge { .. } => Frame::Acknowledge(v1::Acknowledge { client_message_id }),
        ClientInput::RequestHuman { .. } => Frame::RequestHuman(v1::RequestHuman { client_message_id }),
        ClientInput::Stop { .. } => Frame::Stop(v1::Stop { client_message_id, reason: None }),
    }
}

fn submitted(input: ClientInput) -> submit_turn_request::Input {
    use submit_turn_request::Input;
    match input {
        ClientInput::Say { text, .. } => Input::Say(text.into_string()),
        ClientInput::Choose { action, key, .. } => {
            Input::Choose(v1::Choice { action: action.map(|action| action.to_string()), key })
        }
        ClientInput::Acknowledge { .. } => Input::Acknowledge(v1::Acknowledgement {}),
        ClientInput::RequestHuman { .. } => Input::RequestHuman(v1::HumanRequest {}),
        ClientInput::Stop { .. } => Input::Stop(v1::StopRequest { reason: None }),
    }
}
