//! What time it is.

use steersman_domain::clock::Timestamp;

/// Tells the time. May go backwards when the machine's clock is set; callers must not rely on order.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Returns the time now.
    fn now(&self) -> Timestamp;
}

/// A clock that stands still: what makes a run give the same bytes again.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}
