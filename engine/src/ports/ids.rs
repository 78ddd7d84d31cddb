//! Where new ids come from.

use steersman_domain::id::SessionId;

/// Gives ids that were never given before.
pub trait IdSource: Send + Sync + std::fmt::Debug {
    /// Returns the id of a new session.
    fn session_id(&self) -> SessionId;
}
