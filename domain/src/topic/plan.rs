//! The queue of a topic's actions: copied from the script on entering, kept in the session, never computed again.

use serde::{Deserialize, Serialize};

use crate::{id::ActionId, script::Topic};

/// A topic's queue. The position of a session names an entry by its id, never by an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicPlan {
    entries: Vec<PlanEntry>, // Invariant: ids are unique; at most one entry is current; those before it are over.
}

/// One action in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEntry {
    /// The action, by its id in the script.
    pub id: ActionId,
    /// How far it is.
    pub status: EntryStatus,
}

/// How far an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    /// Still to come.
    Pending,
    /// Running.
    Current,
    /// Over.
    Done,
    /// Passed over.
    Skipped,
}

impl TopicPlan {
    /// Copies the actions of a topic.
    pub fn of(topic: &Topic) -> Self {
        let pending = |id: &ActionId| PlanEntry { id: id.clone(), status: EntryStatus::Pending };
        Self { entries: topic.actions.iter().map(|action| pending(&action.id)).collect() }
    }

    /// Returns the entries in order.
    pub fn entries(&self) -> &[PlanEntry] {
        &self.entries
    }

    /// Returns the ids in order.
    pub fn ids(&self) -> Vec<ActionId> {
        self.entries.iter().map(|entry| entry.id.clone()).collect()
    }

    /// Returns the entry that runs.
    pub fn current(&self) -> Option<&ActionId> {
        self.entries.iter().find(|entry| entry.status == EntryStatus::Current).map(|entry| &entry.id)
    }

    /// Makes the next pending entry current and returns it; `None` at the end. The one before must be over.
    pub fn begin_next(&mut self) -> Option<ActionId> {
        debug_assert!(self.current().is_none(), "an entry begins only after the one before it is over");
        let next = self.entries.iter_mut().find(|entry| entry.status == EntryStatus::Pending)?;
        next.status = EntryStatus::Current;
        Some(next.id.clone())
    }

    /// The current entry is over.
    pub fn finish_current(&mut self) {
        self.settle_current(EntryStatus::Done);
    }

    /// The current entry was passed over.
    pub fn skip_current(&mut self) {
        self.settle_current(EntryStatus::Skipped);
    }

    fn settle_current(&mut self, status: EntryStatus) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.status == EntryStatus::Current) {
            entry.status = status;
        }
    }
}
