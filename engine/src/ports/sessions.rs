//! What the engine offers: conversations. A remote engine and a fake offer the same.

use std::{borrow::Borrow, fmt, sync::Arc};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use steersman_domain::{
    exit::ExitSource,
    id::{ActionId, ScriptId, SessionId, SubjectId},
    locale::Locale,
    session::{InputRefused, Position, SessionEvent, SessionView, StartRefused, Status, UtteranceId},
    utterance::Text,
    variable::{Value, VariableName},
};
use tokio::sync::mpsc;

use super::LibraryError;
use crate::principal::Principal;

/// Opens conversations and looks at them.
#[async_trait]
pub trait Sessions: Send + Sync + fmt::Debug {
    /// Starts a session. Its opening is the first thing that arrives on the frames.
    ///
    /// # Errors
    ///
    /// [`OpenError`]; nothing was kept then.
    async fn open(&self, principal: &Principal, open: Open) -> Result<Conversation, OpenError>;

    /// Looks at a session.
    ///
    /// # Errors
    ///
    /// [`OpenError::NotFound`], also for a session of another tenant.
    async fn view(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, OpenError>;
}

/// How a session is to start.
#[derive(Debug, Clone)]
pub struct Open {
    /// The script.
    pub script: ScriptId,
    /// Its version; the newest without one.
    pub version: Option<String>,
    /// Whom it is about.
    pub subject: Option<SubjectId>,
    /// The language of the built-in texts.
    pub locale: Option<Locale>,
    /// Where the person is, as an ISO 3166 code.
    pub country: Option<String>,
    /// Values for declared session and writable global variables.
    pub variables: std::collections::BTreeMap<VariableName, Value>,
}

/// An open conversation: what it is, a side to speak into, a side to listen to.
#[derive(Debug)]
pub struct Conversation {
    /// What was opened.
    pub opened: Opened,
    /// Where messages go.
    pub requests: Requests,
    /// Where answers come from.
    pub frames: Frames,
}

/// What was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The session.
    pub session_id: SessionId,
    /// The number of its last event.
    pub last_seq: u64,
}

/// Where messages go. Bounded; a full queue refuses.
#[derive(Debug, Clone)]
pub struct Requests(mpsc::Sender<ClientInput>);

/// Where answers come from, in order.
#[derive(Debug)]
pub struct Frames(mpsc::Receiver<ServerFrame>);

/// What a client may send.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientInput {
    /// Words.
    Say {
        /// The client's id of the message.
        id: MessageId,
        /// The words.
        text: Text,
    },
    /// A choice.
    Choose {
        /// The client's id of the message.
        id: MessageId,
        /// The action that asks; `None`: the one that asks now.
        action: Option<ActionId>,
        /// The choice.
        key: String,
    },
    /// An acknowledgement.
    Acknowledge {
        /// The client's id of the message.
        id: MessageId,
    },
    /// A call for a human.
    RequestHuman {
        /// The client's id of the message.
        id: MessageId,
    },
    /// The end.
    Stop {
        /// The client's id of the message.
        id: MessageId,
    },
}

/// What a session sends.
#[derive(Debug, Clone)]
pub enum ServerFrame {
    /// Words as they arrive; provisional.
    Delta {
        /// The utterance they will belong to.
        utterance_id: UtteranceId,
        /// What is added.
        text: Text,
    },
    /// The provisional words of that utterance are void.
    Retracted {
        /// Which.
        utterance_id: UtteranceId,
    },
    /// Something happened, and is kept.
    Event(Arc<SessionEvent>),
    /// A turn is over, and is kept.
    TurnFinished(TurnFinished),
    /// A turn did not happen; nothing was kept, and the message may be sent again.
    TurnError {
        /// The message.
        id: Option<MessageId>,
        /// Why.
        error: TurnError,
    },
}

/// The client's id of a message: 1 to 128 visible ASCII characters, unique in its session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MessageId(String);

/// The text cannot be the id of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a client_message_id is 1 to 128 visible ASCII characters")]
pub struct MessageIdInvalid;

/// What came of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnFinished {
    /// The message; `None` for the opening.
    pub client_message_id: Option<MessageId>,
    /// How the session stands.
    pub status: Status,
    /// Where it stands.
    pub position: Option<Position>,
    /// Why the last question ended or went on.
    pub exit_reason: Option<Text>,
    /// What ended the last question.
    pub exit_decision_source: Option<ExitSource>,
    /// Whether the turn is kept for good.
    pub durable: bool,
    /// Who answered.
    pub served_by: ServedBy,
    /// The number of the turn's first event.
    pub first_seq: u64,
    /// The number of the turn's last event.
    pub last_seq: u64,
}

/// Who answered a turn. Ordered: of several the last counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServedBy {
    /// The script's own words.
    Script,
    /// A model.
    Model,
    /// The text for a model that failed.
    Fallback,
    /// A human was called.
    Human,
    /// A reviewed crisis text.
    Crisis,
}

/// Why a turn did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TurnError {
    /// The text is too long.
    #[error("the text has {bytes} bytes; the limit is {limit}")]
    TextTooLong {
        /// What was sent.
        bytes: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The text holds a NUL character.
    #[error("the text holds a NUL character")]
    BadEncoding,
    /// The session does not take it.
    #[error(transparent)]
    Refused(#[from] InputRefused),
    /// The same id came with another body before.
    #[error("this client_message_id was used for another message")]
    KeyReused,
    /// Another writer was first; open the session again.
    #[error("another writer has changed the session")]
    Stale,
    /// The store is not available.
    #[error("the store is not available")]
    StoreUnavailable,
    /// The model has nothing left to say, as at the end of a file of replies.
    #[error("{0}")]
    ModelExhausted(String),
}

/// Why a session was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such session.
    #[error("there is no such session")]
    NotFound,
    /// There is no such script.
    #[error(transparent)]
    Script(#[from] LibraryError),
    /// The script does not take these variables.
    #[error(transparent)]
    Start(#[from] StartRefused),
    /// The opening did not happen.
    #[error(transparent)]
    Turn(#[from] TurnError),
}

/// A queue was full or its other side gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotSent {
    /// The queue is full; try again when the running turn is over.
    #[error("the queue of messages is full")]
    QueueFull,
    /// The conversation is over.
    #[error("the conversation is over")]
    Closed,
}

/// Connects the two sides of a conversation; `inbox` and `outbox` bound them.
pub fn channel(
    inbox: usize,
    outbox: usize,
) -> (Requests, mpsc::Receiver<ClientInput>, mpsc::Sender<ServerFrame>, Frames) {
    let (request_tx, request_rx) = mpsc::channel(inbox);
    let (frame_tx, frame_rx) = mpsc::channel(outbox);
    (Requests(request_tx), request_rx, frame_tx, Frames(frame_rx))
}

impl Requests {
    /// Sends a message; waits for nothing.
    ///
    /// # Errors
    ///
    /// [`NotSent`].
    pub fn send(&self, input: ClientInput) -> Result<(), NotSent> {
        self.0.try_send(input).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => NotSent::QueueFull,
            mpsc::error::TrySendError::Closed(_) => NotSent::Closed,
        })
    }
}

impl Frames {
    /// Returns the next frame; `None` when the conversation is over.
    pub async fn next(&mut self) -> Option<ServerFrame> {
        self.0.recv().await
    }
}

impl ClientInput {
    /// Returns the client's id of the message.
    pub const fn id(&self) -> &MessageId {
        match self {
            Self::Say { id, .. }
            | Self::Choose { id, .. }
            | Self::Acknowledge { id }
            | Self::RequestHuman { id }
            | Self::Stop { id } => id,
        }
    }
}

impl MessageId {
    /// Checks `text` and makes it an id.
    pub fn new(text: impl Into<String>) -> Result<Self, MessageIdInvalid> {
        let text = text.into();
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=128).contains(&text.len()) { Ok(Self(text)) } else { Err(MessageIdInvalid) }
    }

    /// Returns the id as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for MessageId {
    type Error = MessageIdInvalid;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl From<MessageId> for String {
    fn from(id: MessageId) -> Self {
        id.0
    }
}

impl Borrow<str> for MessageId {
    fn borrow(&self) -> &str {
        &self.0
    }
}
