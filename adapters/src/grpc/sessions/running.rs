//! Which messages are being answered for callers of single messages, so that a resend can be told so.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use steersman_domain::id::SessionId;
use steersman_engine::ports::MessageId;

type Key = (SessionId, MessageId);

/// The messages that are being answered, and for how many callers. As many as the engine's queues take.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<BTreeMap<Key, usize>>);

/// One caller's message while it is being answered.
#[derive(Debug)]
pub(super) struct Run {
    running: Arc<Running>,
    key: Key,
    was_running: bool,
}

impl Running {
    /// Notes that a message is being answered, until the run is dropped.
    pub(super) fn begin(this: &Arc<Self>, session: &SessionId, message: &MessageId) -> Run {
        let key = (session.clone(), message.clone());
        let mut running = this.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = running.entry(key.clone()).or_default();
        *count += 1;
        Run { running: Arc::clone(this), key, was_running: *count > 1 }
    }
}

impl Run {
    /// Tells whether the same message was being answered already.
    pub(super) const fn was_running(&self) -> bool {
        self.was_running
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let mut running = self.running.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_runs_until_its_last_caller_has_its_answer() {
        let running = Arc::<Running>::default();
        let (session, message) = (SessionId::new("s").unwrap(), MessageId::new("m").unwrap());
        let first = Running::begin(&running, &session, &message);
        let second = Running::begin(&running, &session, &message);
        assert!(!first.was_running() && second.was_running());
        drop(first);
        assert!(Running::begin(&running, &session, &message).was_running());
        drop(second);
        assert!(!Running::begin(&running, &session, &message).was_running());
        assert!(running.0.lock().unwrap().is_empty());
    }
}
