//! The room of one session: where letters arrive, who is in it, and whether its session was found.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use steersman_domain::{control::Clearance, id::SessionId, utterance::Text};
use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::Audience;
use crate::{
    ports::{ClientInput, MessageId, TurnError, TurnFinished},
    principal::TenantId,
};

/// Which session, and whose.
pub(crate) type RoomKey = (TenantId, SessionId);

/// A message on its way to the session's task.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) ask: Ask,
    pub(crate) from: From,
}

/// What is asked of a session.
#[derive(Debug)]
pub(crate) enum Ask {
    /// By its client.
    Client(ClientInput),
    /// By a clinician.
    ClearRisk(MessageId, Clearance),
}

impl Ask {
    /// Returns the id of the message.
    pub(crate) const fn id(&self) -> &MessageId {
        match self {
            Self::Client(input) => input.id(),
            Self::ClearRisk(id, _) => id,
        }
    }

    /// Returns what a person said, if they said something.
    pub(crate) const fn words(&self) -> Option<&Text> {
        match self {
            Self::Client(ClientInput::Say { text, .. }) => Some(text),
            Self::Client(
                ClientInput::Choose { .. }
                | ClientInput::Acknowledge { .. }
                | ClientInput::RequestHuman { .. }
                | ClientInput::Stop { .. },
            )
            | Self::ClearRisk(..) => None,
        }
    }
}

/// Who sent a message, and so where its answer goes.
#[derive(Debug)]
pub(crate) enum From {
    /// The conversation with this number.
    Conversation(u64),
    /// A single call that waits for the end of its turn.
    Call(oneshot::Sender<Result<TurnFinished, TurnError>>),
}

/// Whether the session of a room was found.
#[derive(Debug, Clone)]
pub(crate) enum Readiness {
    /// It is being looked for.
    Loading,
    /// It is there.
    Ready,
    /// It is not, or could not be read.
    Failed(TurnError),
}

/// The room of one session.
#[derive(Debug)]
pub(crate) struct Room {
    key: RoomKey,
    letters: mpsc::Sender<Letter>,
    audience: Mutex<Audience>,
    seats: AtomicUsize,
    left: Notify,
    readiness: watch::Sender<Readiness>,
}

/// A place in a room; the room stays open while one is taken.
#[derive(Debug)]
pub(crate) struct Seat(Arc<Room>);

impl Room {
    pub(super) fn new(key: RoomKey, letters: mpsc::Sender<Letter>) -> Self {
        Self {
            key,
            letters,
            audience: Mutex::default(),
            seats: AtomicUsize::new(0),
            left: Notify::new(),
            readiness: watch::Sender::new(Readiness::Loading),
        }
    }

    pub(crate) const fn key(&self) -> &RoomKey {
        &self.key
    }

    /// Where messages for the session's task go.
    pub(crate) const fn letters(&self) -> &mpsc::Sender<Letter> {
        &self.letters
    }

    /// Whoever hears what happens. Held for moments only, never while anything is waited for.
    pub(crate) fn audience(&self) -> MutexGuard<'_, Audience> {
        self.audience.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether nobody has a seat. Only meaningful while no seat can be taken.
    pub(super) fn is_empty(&self) -> bool {
        self.seats.load(Ordering::Acquire) == 0
    }

    /// Waits until somebody leaves.
    pub(crate) async fn somebody_left(&self) {
        self.left.notified().await;
    }

    pub(crate) fn now(&self, readiness: Readiness) {
        self.readiness.send_replace(readiness);
    }

    /// Waits until the session is there.
    pub(crate) async fn ready(&self) -> Result<(), TurnError> {
        let mut seen = self.readiness.subscribe();
        let found = seen.wait_for(|readiness| !matches!(readiness, Readiness::Loading)).await;
        let readiness = found.expect("the room holds the sender").clone();
        match readiness {
            Readiness::Ready | Readiness::Loading => Ok(()),
            Readiness::Failed(error) => Err(error),
        }
    }
}

impl Seat {
    pub(super) fn take(room: &Arc<Room>) -> Self {
        room.seats.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(room))
    }

    pub(crate) const fn room(&self) -> &Arc<Room> {
        &self.0
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.seats.fetch_sub(1, Ordering::AcqRel);
        self.0.left.notify_one();
    }
}
