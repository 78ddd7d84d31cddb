//! What the engine offers: conversations. A remote engine and a fake offer the same.

use std::{collections::BTreeMap, fmt};

use async_trait::async_trait;
use steersman_domain::{
    control::Clearance,
    id::{ScriptId, SessionId, SubjectId},
    locale::Locale,
    session::StartRefused,
    variable::{Value, VariableName},
};

use super::{ClientInput, Conversation, Frames, LibraryError, MessageId, NotSent, Opened, TurnError, TurnFinished};
use crate::principal::Principal;

/// Opens conversations, in this process or over the wire.
///
/// One conversation speaks at a time: a newer one takes the place of an older. Whoever looks on or sends a single
/// message takes nobody's place. Messages of one session are taken one after the other.
#[async_trait]
pub trait Sessions: Send + Sync + fmt::Debug {
    /// Starts a session, or goes on with one. The opening, or what was missed, is the first thing on the frames.
    ///
    /// # Errors
    ///
    /// [`OpenError`]; nothing was kept then.
    async fn open(&self, principal: &Principal, opening: Opening) -> Result<Conversation, OpenError>;

    /// Looks on. `after_seq` as in [`Opening::Resume`].
    ///
    /// # Errors
    ///
    /// [`OpenError`].
    async fn watch(
        &self,
        principal: &Principal,
        id: &SessionId,
        after_seq: Option<u64>,
    ) -> Result<(Opened, Frames), OpenError>;

    /// Sends one message and waits for the end of its turn.
    ///
    /// # Errors
    ///
    /// [`SubmitError`].
    async fn submit(
        &self,
        principal: &Principal,
        id: &SessionId,
        input: ClientInput,
    ) -> Result<TurnFinished, SubmitError>;

    /// Clears the risk, and waits for the end of the turn that follows; also of a session that is over. That the principal is
    /// a clinician is checked before.
    ///
    /// # Errors
    ///
    /// [`SubmitError`].
    async fn clear_risk(
        &self,
        principal: &Principal,
        id: &SessionId,
        message: MessageId,
        clearance: Clearance,
    ) -> Result<TurnFinished, SubmitError>;

    /// Erases what a session holds. Whoever talks to it or looks on is sent away.
    ///
    /// # Errors
    ///
    /// [`OpenError::NotFound`], [`OpenError::Turn`] if the store did not do it.
    async fn erase(&self, principal: &Principal, id: &SessionId) -> Result<(), OpenError>;
}

/// How a conversation begins.
#[derive(Debug, Clone)]
pub enum Opening {
    /// With a new session.
    Start(Box<Open>),
    /// With one that is there.
    Resume {
        /// Which.
        session_id: SessionId,
        /// The last event that the client has seen, 0 for none; `None`: only what happens from now on is sent.
        after_seq: Option<u64>,
    },
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
    pub variables: BTreeMap<VariableName, Value>,
}

/// Why a session was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such session, or it was erased.
    #[error("there is no such session")]
    NotFound,
    /// There is no such script.
    #[error(transparent)]
    Script(#[from] LibraryError),
    /// The script does not take these variables.
    #[error(transparent)]
    Start(#[from] StartRefused),
    /// As many as may look on already do.
    #[error("too many look on at this session already")]
    TooManyWatchers,
    /// The store, the session's record or the engine itself did not allow it.
    #[error(transparent)]
    Turn(#[from] TurnError),
}

/// Why a single message has no result.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The session could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The message was not taken in.
    #[error(transparent)]
    NotSent(#[from] NotSent),
    /// The turn did not happen.
    #[error(transparent)]
    Turn(#[from] TurnError),
}
