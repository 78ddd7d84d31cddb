//! A client that talks as others do: one stream for one conversation.

use std::time::Duration;

use futures_util::stream;
use steersman_proto::v1::{
    self, client_frame::Frame as Sent, open::With, server_frame::Frame, sessions_client::SessionsClient,
};
use tokio::{sync::mpsc, time::timeout};
use tonic::{
    Streaming,
    transport::{Channel, Endpoint},
};

use super::{Failed, server::Server};

/// The longest that anything may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// The frames that may wait to be sent; a client sends the next when the last is answered.
const OUTBOX: usize = 2;

/// One open conversation.
#[derive(Debug)]
pub(super) struct Talk {
    out: mpsc::Sender<v1::ClientFrame>,
    frames: Streaming<v1::ServerFrame>,
}

pub(super) async fn connect(server: &Server) -> Result<Channel, Failed> {
    Ok(Endpoint::from_shared(format!("http://{}", server.address))?.connect().await?)
}

impl Talk {
    /// Starts a session and waits for its opening.
    pub(super) async fn start(channel: &Channel) -> Result<Self, Failed> {
        let (out, sent) = mpsc::channel(OUTBOX);
        let sent = stream::unfold(sent, |mut sent| async move { sent.recv().await.map(|frame| (frame, sent)) });
        let frames = SessionsClient::new(channel.clone()).converse(sent).await?.into_inner();
        let mut talk = Self { out, frames };
        let start = v1::Start { script_id: "load".to_owned(), ..v1::Start::default() };
        talk.send(Sent::Open(v1::Open { with: Some(With::Start(start)) })).await?;
        talk.turn().await?;
        Ok(talk)
    }

    /// Says something and waits for the end of its turn.
    pub(super) async fn say(&mut self, id: &str, text: &str) -> Result<(), Failed> {
        self.send(Sent::Say(v1::Say { client_message_id: id.to_owned(), text: text.to_owned() })).await?;
        self.turn().await
    }

    async fn send(&self, frame: Sent) -> Result<(), Failed> {
        let frame = v1::ClientFrame { frame: Some(frame) };
        self.out.send(frame).await.map_err(|_gone| Failed::Unexpected("the end of a stream"))
    }

    async fn turn(&mut self) -> Result<(), Failed> {
        loop {
            let frame = timeout(PATIENCE, self.frames.message()).await.map_err(|_late| Failed::TooLate)??;
            match frame.and_then(|frame| frame.frame) {
                Some(Frame::TurnFinished(_)) => return Ok(()),
                Some(Frame::TurnError(_)) => return Err(Failed::Unexpected("a refusal of the turn")),
                Some(Frame::Draining(_)) => return Err(Failed::Unexpected("that it stops")),
                None => return Err(Failed::Unexpected("the end of a stream")),
                Some(Frame::Opened(_) | Frame::Delta(_) | Frame::Retracted(_) | Frame::Event(_)) => {}
            }
        }
    }
}
