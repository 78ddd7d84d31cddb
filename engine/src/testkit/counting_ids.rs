//! Ids that count: `s1`, `s2` and so on.

use std::sync::atomic::{AtomicU64, Ordering};

use steersman_domain::id::SessionId;

use crate::ports::IdSource;

/// Gives `s1`, `s2` and so on.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn session_id(&self) -> SessionId {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        SessionId::new(format!("s{number}")).expect("letters and digits are an id")
    }
}
