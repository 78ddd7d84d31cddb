//! A conversation with a session: what clients send, what they are sent, and the two sides that carry it.

use std::{
    borrow::Borrow,
    fmt,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};
use steersman_domain::{
    exit::ExitSource,
    id::{ActionId, SessionId},
    session::{InputRefused, Position, SessionEvent, Status, UtteranceId},
    utterance::Text,
};
use tokio::sync::mpsc;

use super::SessionRecords;
use crate::principal::TenantId;

/// How many past events are read at once.
const PAGE: usize = 256;

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
#[derive(Clone)]
pub struct Requests(Arc<dyn Fn(ClientInput) -> Result<(), NotSent> + Send + Sync>);

/// Where answers come from, in order: first what was missed, then what happens.
pub struct Frames {
    past: Option<Past>,
    live: mpsc::Receiver<ServerFrame>,
    end: StreamEnded,
    /// Leaves the session when the frames are dropped.
    _seat: Box<dyn Send + Sync>,
}

/// The part of a session's events that a reader has missed.
#[derive(Debug)]
pub struct Past {
    /// Where they are kept.
    pub records: Arc<dyn SessionRecords>,
    /// Whose session it is.
    pub tenant: TenantId,
    /// The session.
    pub session_id: SessionId,
    /// The last event that the reader has seen; 0 for none.
    pub after_seq: u64,
    /// The last event that is missing; what follows comes live.
    pub last_seq: u64,
}

/// Tells why a stream of frames is over. Empty while it is not, and when it simply came to its end.
pub type StreamEnded = Arc<OnceLock<StreamEnd>>;

/// Why the session's side closed a stream of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// A newer conversation took this one's place.
    Superseded,
    /// The reader left too many frames unread; what is kept can be read again from a cursor.
    SlowReader,
    /// This process is about to stop; the session can be resumed elsewhere.
    Draining,
    /// The session was erased.
    Erased,
    /// What the reader has missed could not be read.
    StoreUnavailable,
}

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
    /// Something happened, and is kept: one turn's events, or a part of what was missed.
    Events(Arc<[Arc<SessionEvent>]>),
    /// A turn is over, and is kept.
    TurnFinished(TurnFinished),
    /// A turn did not happen; nothing was kept, and the message may be sent again.
    TurnError {
        /// The message.
        id: Option<MessageId>,
        /// Why.
        error: TurnError,
    },
    /// This process is about to stop; nothing follows.
    Draining,
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
    /// The store has no room.
    #[error("the store is full")]
    StoreFull,
    /// There is no such session any more.
    #[error("there is no such session")]
    Gone,
    /// What is kept of the session contradicts itself.
    #[error("what is kept of the session is damaged")]
    LogCorrupt,
    /// This process is about to stop.
    #[error("the engine is about to stop")]
    Draining,
    /// The message was not taken, but it was looked at first, and whoever wrote it must be answered: with this reviewed text.
    #[error("{why}")]
    AtRisk {
        /// What they are to read, byte for byte.
        notice: Text,
        /// Why the message was not taken.
        #[source]
        why: Box<Self>,
    },
    /// The model has nothing left to say, as at the end of a file of replies.
    #[error("{0}")]
    ModelExhausted(String),
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

impl Requests {
    /// Makes the side to speak into of a function that takes messages without waiting.
    pub fn new(send: impl Fn(ClientInput) -> Result<(), NotSent> + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }

    /// Sends a message; waits for nothing.
    ///
    /// # Errors
    ///
    /// [`NotSent`].
    pub fn send(&self, input: ClientInput) -> Result<(), NotSent> {
        (self.0)(input)
    }
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Requests")
    }
}

impl Frames {
    /// Makes the side to listen to. `end` tells why it closes; `seat` is dropped with the frames.
    pub fn new(
        past: Option<Past>,
        live: mpsc::Receiver<ServerFrame>,
        end: StreamEnded,
        seat: impl Send + Sync + 'static,
    ) -> Self {
        Self { past, live, end, _seat: Box::new(seat) }
    }

    /// Returns the next frame; `None` when the stream is over.
    pub async fn next(&mut self) -> Option<ServerFrame> {
        if let Some(past) = &mut self.past {
            match past.page().await {
                Some(Ok(events)) => return Some(ServerFrame::Events(events)),
                Some(Err(StreamFailed)) => {
                    // The first reason stands.
                    let _told = self.end.set(StreamEnd::StoreUnavailable).is_ok();
                    self.live.close();
                    return None;
                }
                None => self.past = None,
            }
        }
        self.live.recv().await
    }

    /// Tells why the stream is over; `None` while it is not, and when it simply came to its end.
    pub fn ended(&self) -> Option<StreamEnd> {
        self.end.get().copied()
    }
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").field("past", &self.past).field("end", &self.end).finish_non_exhaustive()
    }
}

/// The past could not be read.
struct StreamFailed;

impl Past {
    /// Reads the next part; `None` when nothing is missing any more.
    async fn page(&mut self) -> Option<Result<Arc<[Arc<SessionEvent>]>, StreamFailed>> {
        let missing = usize::try_from(self.last_seq.saturating_sub(self.after_seq)).unwrap_or(usize::MAX);
        if missing == 0 {
            return None;
        }
        let page = self.records.events(&self.tenant, &self.session_id, self.after_seq, missing.min(PAGE)).await;
        match page {
            Ok(events) => {
                self.after_seq = events.last()?.seq;
                Some(Ok(events.into_iter().map(Arc::new).collect()))
            }
            Err(_unavailable) => Some(Err(StreamFailed)),
        }
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
