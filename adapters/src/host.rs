//! The machine's own clock and ids, and the one provider of TLS in the process.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use steersman_domain::{clock::Timestamp, id::SessionId};
use steersman_engine::ports::{Clock, IdSource};
use uuid::{Builder, Uuid};

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// Ids that sort by time and cannot be guessed: UUID version 7.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimeOrderedIds;

/// Ids that follow from a seed: the same in every run.
#[derive(Debug)]
pub struct SeededIds {
    seed: u64,
    at: Timestamp,
    given: AtomicU64,
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock before 1970 is a broken one; the first moment of 1970 is as good a reading as any.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

impl IdSource for TimeOrderedIds {
    fn session_id(&self) -> SessionId {
        as_id(Uuid::now_v7())
    }
}

impl SeededIds {
    /// Gives ids that follow from `seed` and carry the time `at`.
    pub const fn new(seed: u64, at: Timestamp) -> Self {
        Self { seed, at, given: AtomicU64::new(0) }
    }
}

impl IdSource for SeededIds {
    fn session_id(&self) -> SessionId {
        let given = self.given.fetch_add(1, Ordering::Relaxed);
        let mut random = [0; 10];
        random[..2].copy_from_slice(&scattered(self.seed).to_be_bytes()[..2]);
        random[2..].copy_from_slice(&scattered(self.seed.rotate_left(32).wrapping_add(given)).to_be_bytes());
        let ms = u64::try_from(self.at.unix_ms()).unwrap_or(0);
        as_id(Builder::from_unix_timestamp_millis(ms, &random).into_uuid())
    }
}

/// Makes ring the provider of TLS for the whole process. To be called before anything connects; again, it changes nothing.
pub fn install_tls() {
    let _was_there = rustls::crypto::ring::default_provider().install_default().is_err();
}

fn as_id(uuid: Uuid) -> SessionId {
    SessionId::new(uuid.to_string()).expect("a UUID is digits, letters and `-`")
}

/// Scatters a number over all bits (the finaliser of `SplitMix64`, G. Steele et al., 2014).
const fn scattered(number: u64) -> u64 {
    let a = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    c ^ (c >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_ids_and_never_one_twice() {
        let ids = || {
            let source = SeededIds::new(7, Timestamp::EPOCH);
            [source.session_id(), source.session_id()]
        };
        assert_eq!(ids(), ids());
        assert_ne!(ids()[0], ids()[1]);
        assert_ne!(SeededIds::new(8, Timestamp::EPOCH).session_id(), ids()[0]);
    }
}
