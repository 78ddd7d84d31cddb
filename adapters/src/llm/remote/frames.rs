//! Watches the raw frames of a stream for what the client library does not tell: whether the reply came to its end,
//! whether the model refused, whether an error came in place of words, and how much was read.

use std::sync::{Mutex, MutexGuard, PoisonError};

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};
use serde_json::Value;

/// The frames of one stream.
#[derive(Debug, Default)]
pub(super) struct Frames(Mutex<Seen>);

/// What was seen of a stream so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// The bytes of all frames.
    pub(super) bytes: usize,
    /// The reply came to its end.
    pub(super) finished: bool,
    /// The model refused, or the provider would not let it speak.
    pub(super) refused: bool,
    /// An error that came in place of words.
    pub(super) error: Option<Value>,
}

impl Frames {
    /// Returns what was seen so far.
    pub(super) fn seen(&self) -> Seen {
        self.lock().clone()
    }

    /// Returns the bytes of all frames so far.
    pub(super) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatFrameSink for Frames {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        self.lock().take(frame.data);
    }
}

impl Seen {
    fn take(&mut self, data: &str) {
        self.bytes = self.bytes.saturating_add(data.len());
        let Ok(frame) = serde_json::from_str::<Value>(data) else { return };
        let text_at = |pointer: &str| frame.pointer(pointer).and_then(Value::as_str);
        self.finished |= ["/choices/0/finish_reason", "/delta/stop_reason", "/candidates/0/finishReason"]
            .into_iter()
            .any(|pointer| text_at(pointer).is_some())
            || frame.get("done") == Some(&Value::Bool(true));
        self.refused |= ["/choices/0/delta/refusal", "/promptFeedback/blockReason"]
            .into_iter()
            .any(|pointer| text_at(pointer).is_some_and(|text| !text.is_empty()));
        if let Some(error) = frame.get("error").filter(|error| !error.is_null()) {
            self.error = Some(error.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_refusals_and_errors_are_seen_as_each_provider_tells_them() {
        let (goes_on, ends, refuses, fails) =
            ((false, false, false), (true, false, false), (false, true, false), (false, false, true));
        let table = [
            (r#"{"choices":[{"delta":{"content":"a","refusal":null},"finish_reason":null}]}"#, goes_on),
            (r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, ends),
            (r#"{"choices":[{"delta":{"refusal":"I cannot"}}]}"#, refuses),
            (r#"{"error":{"message":"m","type":"server_error"}}"#, fails),
            (r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#, ends),
            (r#"{"type":"error","error":{"type":"overloaded_error"}}"#, fails),
            (r#"{"candidates":[{"content":{},"finishReason":"STOP"}]}"#, ends),
            (r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, refuses),
            (r#"{"message":{"content":"a"},"done":false}"#, goes_on),
            (r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#, ends),
            (r#"{"error":"out of memory"}"#, fails),
            ("[DONE]", goes_on),
            ("<html>", goes_on),
        ];
        for (data, expected) in table {
            let mut seen = Seen::default();
            seen.take(data);
            assert_eq!((seen.finished, seen.refused, seen.error.is_some()), expected, "{data}");
            assert_eq!(seen.bytes, data.len());
        }
    }
}
