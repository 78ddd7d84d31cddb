//! Every bound of the engine, in one place. The bounds of a script and of one turn's steps are the domain's.

use std::time::Duration;

/// The bounds of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest message, in bytes.
    pub message_bytes: usize,
    /// The messages that may wait while a turn runs.
    pub inbox: usize,
    /// The frames that may wait for a slow reader.
    pub outbox: usize,
    /// Those who may look on at one session.
    pub watchers: usize,
    /// The chunks of a reply that may wait to be shown.
    pub deltas: usize,
    /// The time of one turn.
    pub turn: Duration,
    /// The time of one model call, unless the action says otherwise.
    pub call: Duration,
    /// The time of one look of a detector at one message; what is later is unknown.
    pub scan: Duration,
    /// The wait before the first retry; doubled for the next.
    pub retry: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 8 * 1024,
            inbox: 4,
            outbox: 32,
            watchers: 32,
            deltas: 64,
            turn: Duration::from_mins(1),
            call: Duration::from_secs(30),
            scan: Duration::from_secs(5),
            retry: Duration::from_millis(250),
        }
    }
}
