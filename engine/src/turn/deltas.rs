//! The gate for words as they arrive: it can hold them back, and it takes them back when they turn out void.

use std::sync::Arc;

use steersman_domain::{control::output::OutputCheck, reply::PartialReply, session::UtteranceId};

use crate::live::Room;

/// Passes the words of one utterance on while they arrive, unless they must be checked whole first.
#[derive(Debug)]
pub(crate) struct DeltaGate {
    utterance_id: UtteranceId,
    reader: PartialReply,
    /// What has arrived, and is checked as it grows.
    text: String,
    check: OutputCheck,
    room: Arc<Room>,
    shown: bool,
    blocked: bool,
}

impl DeltaGate {
    /// Opens a gate for the utterance that comes next; the text of the reply may stand under any of these names.
    pub(crate) fn new(utterance_id: UtteranceId, names: &[String], check: OutputCheck, room: Arc<Room>) -> Self {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Self {
            utterance_id,
            reader: PartialReply::new(&names),
            text: String::new(),
            check,
            room,
            shown: false,
            blocked: false,
        }
    }

    /// Takes a chunk of the raw reply.
    pub(crate) fn push(&mut self, chunk: &str) {
        let text = self.reader.push(chunk);
        if text.is_empty() || self.blocked {
            return;
        }
        self.text.push_str(&text);
        if self.check.check_growing(&self.text).is_err() {
            self.blocked = true; // The session will find the same, and say why.
            self.take_back();
            return;
        }
        self.shown = true;
        self.room.audience().delta(self.utterance_id, &text);
    }

    /// Returns the utterance that the words belong to.
    pub(crate) const fn utterance_id(&self) -> UtteranceId {
        self.utterance_id
    }

    /// Takes back what was shown, if anything was.
    pub(crate) fn retract(mut self) {
        self.take_back();
    }

    fn take_back(&mut self) {
        if std::mem::take(&mut self.shown) {
            self.room.audience().retract(self.utterance_id);
        }
    }
}
