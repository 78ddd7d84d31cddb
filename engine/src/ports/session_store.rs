//! Keeps sessions: one turn, one commit.

use std::collections::BTreeMap;

use async_trait::async_trait;
use steersman_domain::{
    id::{SessionId, SubjectId},
    session::{JournalEntry, SessionEvent, State},
    variable::{Value, VariableName},
};

use super::{MessageId, TurnFinished};
use crate::principal::TenantId;

/// Keeps sessions.
///
/// A commit is all or nothing, and is seen by every later call. Two writers of one session cannot both succeed: the one
/// that read an older version is refused.
#[async_trait]
pub trait SessionStore: Send + Sync + std::fmt::Debug {
    /// Keeps one turn: its journal, events, snapshot, result, subject variables and outbox.
    ///
    /// # Errors
    ///
    /// [`StoreError::Stale`] if another writer was first, [`StoreError::Unavailable`] if nothing could be kept.
    async fn commit(&self, turn: TurnCommit) -> Result<(), StoreError>;

    /// Returns the session as its last commit left it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError>;

    /// Returns what came of a message that was committed before.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn turn(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Option<StoredTurn>, StoreError>;

    /// Returns up to `limit` events with a number above `after_seq`, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn events(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, StoreError>;

    /// Returns the whole journal, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn journal(&self, tenant: &TenantId, id: &SessionId) -> Result<Vec<JournalEntry>, StoreError>;

    /// Returns what is kept for a subject across sessions.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn subject_variables(
        &self,
        tenant: &TenantId,
        subject: &SubjectId,
    ) -> Result<BTreeMap<VariableName, Value>, StoreError>;
}

/// What kind of record it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// A session of one person.
    Session,
    /// A discussion of several.
    Discussion,
}

/// One turn, to be kept whole or not at all.
#[derive(Debug, Clone)]
pub struct TurnCommit {
    /// Whose it is.
    pub tenant: TenantId,
    /// What kind of record it is.
    pub kind: RecordKind,
    /// The session.
    pub session_id: SessionId,
    /// The version that was read; 0 for a session that is not there yet.
    pub expected_version: u64,
    /// The ownership under which it was written.
    pub owner_epoch: u64,
    /// The message that made the turn; `None` for the opening.
    pub request: Option<RequestKey>,
    /// The inputs, in order.
    pub journal: Vec<JournalEntry>,
    /// The events, in order, chained.
    pub events: Vec<ChainedEvent>,
    /// The state they lead to.
    pub snapshot: State,
    /// What the client is told.
    pub result: TurnFinished,
    /// Values to keep for the subject.
    pub subject_variables: BTreeMap<VariableName, Value>,
    /// What others are to be told after the commit.
    pub outbox: Vec<OutboxItem>,
}

/// An event with its place in the session's chain of digests.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainedEvent {
    /// The event.
    pub event: SessionEvent,
    /// The event as it is written, once.
    pub payload: String,
    /// The digest of the payload; stays when the payload is erased.
    pub payload_digest: String,
    /// The chain up to and with this event.
    pub hash: String,
}

/// Something that others are to be told, at least once.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxItem {
    /// What it is about.
    pub topic: &'static str,
    /// The event that brought it about.
    pub seq: u64,
    /// What is told, as JSON.
    pub payload: String,
}

/// A message's id together with a digest of what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// The client's id.
    pub message: MessageId,
    /// The digest of the message's body.
    pub body_digest: String,
}

/// A session as its last commit left it.
#[derive(Debug, Clone)]
pub struct SessionRecord {
    /// Its state.
    pub state: State,
    /// Counts commits, from 1.
    pub version: u64,
    /// The ownership under which it was written last.
    pub owner_epoch: u64,
    /// The chain up to and with its last event.
    pub chain: String,
    /// The number of its last input.
    pub last_input: u64,
}

/// What came of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTurn {
    /// The digest of the message's body.
    pub body_digest: String,
    /// What the client was told.
    pub result: TurnFinished,
}

/// Why the store did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another writer was first.
    #[error("another writer has changed the session")]
    Stale,
    /// The store cannot be used now.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}
