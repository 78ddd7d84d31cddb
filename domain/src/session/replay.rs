//! Folds a session's journal through a fresh machine and compares every event with what was recorded.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Input, InputRefused, Session, SessionEvent};
use crate::{clock::Timestamp, script::Script};

/// One input and when it was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Counts from 1 without gaps.
    pub n: u64,
    /// When it was taken.
    pub at: Timestamp,
    /// The input.
    #[serde(flatten)]
    pub input: Input,
}

/// The first event that came out otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The number of the event.
    pub seq: u64,
    /// What was recorded; `None` if the replay goes on beyond the record.
    pub recorded: Option<SessionEvent>,
    /// What the replay gives; `None` if it ends before the record.
    pub replayed: Option<SessionEvent>,
}

/// Why a journal could not be replayed to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// The session, as it was then, does not take the input.
    #[error("input {n} was refused on replay")]
    Refused {
        /// The input.
        n: u64,
        /// Why.
        #[source]
        why: InputRefused,
    },
    /// The inputs are not numbered 1, 2, 3 and so on.
    #[error("the journal jumps from input {before} to {found}")]
    Gap {
        /// The last one in order.
        before: u64,
        /// The one that follows.
        found: u64,
    },
}

/// Replays a journal; returns the session it leads to and the first difference from the recorded events, if there is one.
///
/// # Errors
///
/// [`ReplayError`] if the journal cannot be folded to its end.
pub fn replay(
    script: Arc<Script>,
    digest: &str,
    journal: impl IntoIterator<Item = JournalEntry>,
    recorded: impl IntoIterator<Item = SessionEvent>,
) -> Result<(Session, Option<Difference>), ReplayError> {
    let mut session: Option<Session> = None;
    let mut recorded = recorded.into_iter();
    let mut first = None;
    let mut last = 0;
    for JournalEntry { n, at, input } in journal {
        if n != last + 1 {
            return Err(ReplayError::Gap { before: last, found: n });
        }
        last = n;
        let session = session.get_or_insert_with(|| Session::new(Arc::clone(&script), digest, at));
        let events = session.apply(input, at).map_err(|why| ReplayError::Refused { n, why })?;
        for event in events {
            let was = recorded.next();
            if first.is_none() && was.as_ref() != Some(&event) {
                first = Some(Difference { seq: event.seq, recorded: was, replayed: Some(event) });
            }
        }
    }
    if let (None, Some(more)) = (&first, recorded.next()) {
        first = Some(Difference { seq: more.seq, recorded: Some(more), replayed: None });
    }
    let session = session.unwrap_or_else(|| Session::new(script, digest, Timestamp::EPOCH));
    Ok((session, first))
}
