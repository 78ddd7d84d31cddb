//! The sessions that somebody talks to or watches now. Each has one room: its task, its inbox, its audience.
//!
//! A session that nobody is in holds no memory: its room closes behind the last one, and the next one claims it anew.

mod audience;
mod room;

pub(crate) use audience::{Audience, Joined, Role};
pub(crate) use room::{Ask, From, Letter, Readiness, Room, RoomKey, Seat};

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::session_task::Inbox;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// All rooms of this process.
#[derive(Debug, Default)]
pub(crate) struct Live {
    rooms: Mutex<BTreeMap<RoomKey, Arc<Room>>>,
    /// Runs one task a room.
    pub(crate) tasks: TaskTracker,
    /// Asks every task to come to its end.
    pub(crate) closing: CancellationToken,
}

/// What entering a room came to.
#[derive(Debug)]
pub(crate) enum Entered {
    /// It is there; its task runs.
    Joined(Seat),
    /// It was opened just now: its task must be run with this inbox.
    Opened(Seat, mpsc::Receiver<Letter>),
    /// No room is opened any more.
    Closing,
}

impl Live {
    /// Takes a seat in the session's room; opens the room if there is none.
    pub(crate) fn enter(self: &Arc<Self>, key: RoomKey, inbox: usize) -> Entered {
        let mut rooms = self.rooms();
        if self.closing.is_cancelled() {
            return Entered::Closing;
        }
        if let Some(room) = rooms.get(&key) {
            return Entered::Joined(Seat::take(room));
        }
        let (letters, received) = mpsc::channel(inbox);
        let room = Arc::new(Room::new(key.clone(), letters));
        let seat = Seat::take(&room);
        rooms.insert(key, room);
        Entered::Opened(seat, received)
    }

    /// Takes a seat in the session's room if there is one.
    pub(crate) fn join(&self, key: &RoomKey) -> Option<Seat> {
        self.rooms().get(key).map(Seat::take)
    }

    /// Closes a room that nobody is in and in which no letter waits; tells whether it did.
    pub(crate) fn close_if_empty(&self, room: &Room, inbox: &Inbox) -> bool {
        let mut rooms = self.rooms();
        let empty = room.is_empty() && inbox.is_empty();
        if empty {
            remove(&mut rooms, room);
        }
        empty
    }

    /// Closes a room, whoever is in it.
    pub(crate) fn close(&self, room: &Room) {
        remove(&mut self.rooms(), room);
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomKey, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes a room, but not a newer one of the same session.
fn remove(rooms: &mut BTreeMap<RoomKey, Arc<Room>>, room: &Room) {
    if rooms.get(room.key()).is_some_and(|there| std::ptr::eq(Arc::as_ptr(there), room)) {
        rooms.remove(room.key());
    }
}
