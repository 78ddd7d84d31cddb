//! A session as a file that stands alone: the script's text, every input, every event, one JSON object a line.

use serde::{Deserialize, Serialize};
use steersman_domain::{
    id::SessionId,
    session::{JournalEntry, SessionEvent},
};

use crate::ports::Recorded;

/// The format of the lines; a reader refuses any other.
pub const FORMAT: u32 = 1;

/// One line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// The first: what it is.
    Export {
        /// The format of the lines.
        format: u32,
        /// The session.
        session_id: SessionId,
        /// The digest of the script's text.
        script_digest: String,
        /// The script's text.
        script: String,
    },
    /// One input.
    Input {
        /// The input, its number, and when it came.
        entry: Box<JournalEntry>,
    },
    /// One event.
    Event {
        /// The event.
        event: Box<SessionEvent>,
    },
}

/// Returns the lines of a session: what it is, its inputs, its events.
pub fn lines(session_id: SessionId, recorded: Recorded) -> impl Iterator<Item = Line> {
    let Recorded { script, journal, events } = recorded;
    let first = Line::Export {
        format: FORMAT,
        session_id,
        script_digest: script.digest.to_string(),
        script: script.source.to_string(),
    };
    let inputs = journal.into_iter().map(|entry| Line::Input { entry: Box::new(entry) });
    let events = events.into_iter().map(|event| Line::Event { event: Box::new(event) });
    std::iter::once(first).chain(inputs).chain(events)
}

impl Line {
    /// Writes the line, with its end.
    pub fn written(&self) -> String {
        let mut json = serde_json::to_string(self).expect("an export is plain data");
        json.push('\n');
        json
    }
}
