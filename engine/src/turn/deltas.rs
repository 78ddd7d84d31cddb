//! The gate for words as they arrive: it can hold them back, and it takes them back when they turn out void.

use steersman_domain::{reply::PartialReply, session::UtteranceId, utterance::Text};
use tokio::sync::mpsc;

use crate::ports::ServerFrame;

/// Passes the words of one utterance on while they arrive, unless they must be checked whole first.
#[derive(Debug)]
pub(crate) struct DeltaGate {
    utterance_id: UtteranceId,
    reader: PartialReply,
    out: Option<mpsc::Sender<ServerFrame>>,
    shown: bool,
}

impl DeltaGate {
    /// Opens a gate for the utterance that comes next.
    pub(crate) fn new(utterance_id: UtteranceId, names: &[String], out: mpsc::Sender<ServerFrame>) -> Self {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Self { utterance_id, reader: PartialReply::new(&names), out: Some(out), shown: false }
    }

    /// Takes a chunk of the raw reply.
    pub(crate) async fn push(&mut self, chunk: &str) {
        let text = self.reader.push(chunk);
        let Some(out) = &self.out else { return };
        if text.is_empty() {
            return;
        }
        self.shown = true;
        let frame = ServerFrame::Delta { utterance_id: self.utterance_id, text: Text::new(text) };
        if out.send(frame).await.is_err() {
            self.out = None; // The reader is gone; the turn goes on without it.
        }
    }

    /// Returns the utterance that the words belong to.
    pub(crate) const fn utterance_id(&self) -> UtteranceId {
        self.utterance_id
    }

    /// Takes back what was shown, if anything was.
    pub(crate) async fn retract(self) {
        if let (true, Some(out)) = (self.shown, self.out) {
            // A reader that is gone needs no retraction.
            let _gone = out.send(ServerFrame::Retracted { utterance_id: self.utterance_id }).await.is_err();
        }
    }
}
