//! What the engine shows of sessions: also of those that nobody talks to, and beside a server that runs them.

use async_trait::async_trait;
use steersman_domain::{
    id::SessionId,
    session::{JournalEntry, SessionEvent, SessionView},
};

use super::{ChainLink, LibraryError, PinnedScript, SessionFilter, SessionSummary};
use crate::principal::Principal;

/// Shows sessions. Changes nothing.
#[async_trait]
pub trait Archive: Send + Sync + std::fmt::Debug {
    /// Shows how a session stands.
    ///
    /// # Errors
    ///
    /// [`LookError`].
    async fn get(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, LookError>;

    /// Shows how a session stands without the lists that are folded from its events: as [`Archive::get`], at the same
    /// cost however long the session is.
    ///
    /// # Errors
    ///
    /// [`LookError`].
    async fn standing(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, LookError>;

    /// Lists up to `limit` sessions that fit the filter, the newest first.
    ///
    /// # Errors
    ///
    /// [`LookError::Unavailable`].
    async fn list(
        &self,
        principal: &Principal,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, LookError>;

    /// Returns up to `limit` events with a number above `after_seq`, in order.
    ///
    /// # Errors
    ///
    /// [`LookError`].
    async fn events(
        &self,
        principal: &Principal,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, LookError>;

    /// Returns all that a replay needs.
    ///
    /// # Errors
    ///
    /// [`LookError`].
    async fn record(&self, principal: &Principal, id: &SessionId) -> Result<Recorded, LookError>;

    /// Walks the session's chain of digests from its first event, also of an erased session.
    ///
    /// # Errors
    ///
    /// [`LookError`].
    async fn verify(&self, principal: &Principal, id: &SessionId) -> Result<Verified, LookError>;
}

/// All that a replay needs.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The script that the session runs.
    pub script: PinnedScript,
    /// Every input, in order.
    pub journal: Vec<JournalEntry>,
    /// Every event, in order.
    pub events: Vec<SessionEvent>,
}

/// What walking a chain came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many events hold.
    pub events: u64,
    /// How many of them were erased, so that only their digests could be followed.
    pub erased: u64,
    /// The first link that does not hold, if one does not.
    pub broken: Option<BrokenLink>,
}

/// A place where the chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLink {
    /// The event.
    pub link: ChainLink,
    /// What is wrong with it.
    pub fault: ChainFault,
}

/// What is wrong with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainFault {
    /// An event before it is missing.
    Gap,
    /// What is written is not what its digest says.
    Payload,
    /// It does not follow from the link before.
    Order,
    /// The session's record does not end in it.
    End,
}

/// Why a session cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// There is no such session, or it was erased.
    #[error("there is no such session")]
    NotFound,
    /// Its script cannot be found or read.
    #[error(transparent)]
    Script(#[from] LibraryError),
    /// What is kept of it contradicts itself.
    #[error("what is kept of the session is damaged")]
    LogCorrupt,
    /// The store is not available.
    #[error("the store is not available")]
    Unavailable(#[source] super::StoreError),
}
