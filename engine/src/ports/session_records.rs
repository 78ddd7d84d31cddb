//! Reads what is kept of sessions, also while another process writes it.

use async_trait::async_trait;
use steersman_domain::{
    clock::Timestamp,
    id::{ScriptId, SessionId, SubjectId},
    session::{JournalEntry, SessionEvent, Status},
    utterance::Text,
};

use super::{SessionRecord, StoreError};
use crate::principal::TenantId;

/// Reads what is kept of sessions. Changes nothing, and never waits for a writer.
#[async_trait]
pub trait SessionRecords: Send + Sync + std::fmt::Debug {
    /// Returns the session as its last commit left it; `None` if there is none, or it was erased.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError>;

    /// Returns up to `limit` sessions that fit the filter, the newest first.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn list(
        &self,
        tenant: &TenantId,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError>;

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

    /// Returns up to `limit` inputs with a number above `after`, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn journal(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>, StoreError>;

    /// Returns up to `limit` links of the session's chain with a number above `after_seq`, in order; also of a session
    /// that was erased.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`].
    async fn chain(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<ChainLink>, StoreError>;
}

/// Which sessions are wanted. Each part that is absent lets all through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Those about this subject.
    pub subject: Option<SubjectId>,
    /// Those that stand so.
    pub status: Option<Status>,
    /// Those of this script.
    pub script: Option<ScriptId>,
    /// Those listed after this one: begun earlier, or at the same time with a lower id.
    pub after: Option<SessionId>,
}

impl SessionFilter {
    /// Tells whether a session fits; where the list begins is another question.
    pub fn lets_through(&self, session: &SessionSummary) -> bool {
        self.subject.as_ref().is_none_or(|subject| session.subject.as_ref() == Some(subject))
            && self.status.is_none_or(|status| session.status == status)
            && self.script.as_ref().is_none_or(|script| session.script == *script)
    }
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its id.
    pub id: SessionId,
    /// Its script.
    pub script: ScriptId,
    /// The version of the script.
    pub version: String,
    /// Whom it is about.
    pub subject: Option<SubjectId>,
    /// How it stands.
    pub status: Status,
    /// How many messages it has taken.
    pub turns: u32,
    /// When it began.
    pub created_at: Timestamp,
    /// When its last turn was kept.
    pub updated_at: Timestamp,
}

/// One event's place in the chain of digests, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLink {
    /// The number of the event.
    pub seq: u64,
    /// Its turn.
    pub turn: u32,
    /// What was written; `None` once it was erased.
    pub payload: Option<Text>,
    /// The digest of what was written.
    pub payload_digest: String,
    /// The chain up to and with this event.
    pub hash: String,
}
