//! Keeps sessions while they run: one turn, one commit.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use steersman_domain::{
    clock::Timestamp,
    control::Latch,
    id::{SessionId, SubjectId},
    session::{JournalEntry, ModelAnswer, ScriptRef, SessionEvent, State},
    utterance::Text,
    variable::{Value, VariableName},
};

use super::{MessageId, TurnFinished};
use crate::principal::TenantId;

/// Keeps sessions while they run.
///
/// A commit is all or nothing, is kept for good when the call returns, and is seen by every later call. Two writers of
/// one session cannot both succeed: the one that read an older version, or whose ownership was taken, is refused. It
/// promises nothing about the order of commits of different sessions.
#[async_trait]
pub trait SessionStore: Send + Sync + std::fmt::Debug {
    /// Takes a session over: raises its ownership, so that every earlier owner is stale, and returns what the last
    /// commit left. `None` if there is no such session, or it was erased.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn claim(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError>;

    /// Keeps one turn: its journal, events, snapshot, result, subject variables and outbox. The replies that were kept
    /// for it may go.
    ///
    /// # Errors
    ///
    /// [`StoreError::Stale`] if another writer was first or the session was erased, [`StoreError::Full`] if there is no
    /// room, [`StoreError::Unavailable`] if nothing could be kept.
    async fn commit(&self, turn: TurnCommit) -> Result<(), StoreError>;

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

    /// Keeps what a model answered, before it is used, so that a turn that is run again after a crash need not pay
    /// again.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::commit`].
    async fn keep_answer(&self, answer: KeptAnswer) -> Result<(), StoreError>;

    /// Returns what models have answered in a turn that was not committed, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn kept_answers(&self, tenant: &TenantId, id: &SessionId, turn: u32) -> Result<Vec<KeptAnswer>, StoreError>;

    /// Returns what is kept for a subject across sessions; nothing for one that nobody knows.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn subject(&self, tenant: &TenantId, subject: &SubjectId) -> Result<SubjectRecord, StoreError>;

    /// Erases what a session holds: what was said, values, inputs, results. The chain of digests stays, so that it can
    /// still be shown that nothing else was changed. Tells whether there was such a session.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn erase(&self, tenant: &TenantId, id: &SessionId) -> Result<bool, StoreError>;
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
    /// The script that the session runs.
    pub script: ScriptRef,
    /// When the turn began.
    pub at: Timestamp,
    /// The message that made the turn; `None` for the opening and for time that passed.
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
    /// Whether the subject's next session starts high.
    pub latch: LatchChange,
    /// What others are to be told after the commit.
    pub outbox: Vec<OutboxItem>,
}

/// What is kept for a subject across sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SubjectRecord {
    /// Values of writable global variables.
    pub variables: BTreeMap<VariableName, Value>,
    /// A session of theirs went high, and nobody has cleared that.
    pub latch: Option<Latch>,
}

/// What a turn does to the latch of its subject. One that does nothing leaves it as other sessions have set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatchChange {
    /// Leaves it.
    Keep,
    /// The route went high.
    Set(Latch),
    /// A clinician cleared the risk.
    Lift,
}

/// An event with its place in the session's chain of digests.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainedEvent {
    /// The event.
    pub event: Arc<SessionEvent>,
    /// The event as it is written, once: one line of JSON.
    pub payload: Text,
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
    pub payload: Text,
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
    /// The digest of its script's text.
    pub script_digest: String,
    /// Its state; `None` if what is kept cannot be read any more, though the journal may be.
    pub state: Option<State>,
    /// Counts commits, from 1.
    pub version: u64,
    /// The ownership under which it may be written.
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

/// What a model answered in a turn that is not committed yet.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    /// Whose it is.
    pub tenant: TenantId,
    /// The session.
    pub session_id: SessionId,
    /// The ownership under which it was asked.
    pub owner_epoch: u64,
    /// The turn.
    pub turn: u32,
    /// The answer; the number of the call, the attempt and the digest of the prompt tell where it belongs.
    pub answer: ModelAnswer,
}

/// Why the store did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another writer was first.
    #[error("another writer has changed the session")]
    Stale,
    /// There is no room.
    #[error("the store is full")]
    Full,
    /// What is kept cannot be read.
    #[error("what the store holds cannot be read")]
    Corrupt(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The store cannot be used now.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}
