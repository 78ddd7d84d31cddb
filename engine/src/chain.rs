//! Chains events by digest, so that a change of any of them is noticed, and an erased payload still counts.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use steersman_domain::{session::SessionEvent, utterance::Text};

use crate::ports::ChainedEvent;

/// The chain before the first event.
pub const ROOT: &str = "";

/// Returns the SHA-256 digest of a text, in lower-case hexadecimal digits.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Appends an event to the chain that ends in `previous`: H(previous, seq, turn, type and body digest).
pub fn link(previous: &str, event: SessionEvent) -> ChainedEvent {
    let payload = serde_json::to_string(&event).expect("an event is plain data");
    let payload_digest = digest(&payload);
    let hash = next(previous, event.seq, event.turn, &payload_digest);
    ChainedEvent { event: Arc::new(event), payload: Text::new(payload), payload_digest, hash }
}

/// Returns the link after `previous` for an event of which only the payload's digest is known.
pub fn next(previous: &str, seq: u64, turn: u32, payload_digest: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(previous.as_bytes());
    hasher.update(seq.to_be_bytes());
    hasher.update(turn.to_be_bytes());
    hasher.update(payload_digest.as_bytes());
    hex(&hasher.finalize())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_sha_256_in_hexadecimal() {
        assert_eq!(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_link_depends_on_all_that_came_before() {
        assert_ne!(next("a", 1, 0, "x"), next("b", 1, 0, "x"));
        assert_ne!(next("a", 1, 0, "x"), next("a", 2, 0, "x"));
        assert_ne!(next("a", 1, 0, "x"), next("a", 1, 0, "y"));
    }
}
