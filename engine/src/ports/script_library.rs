//! Where scripts come from.

use std::sync::Arc;

use async_trait::async_trait;
use steersman_domain::{id::ScriptId, script::Script};

/// A script as a session pins it: what it says, the digest of its text, and the text.
#[derive(Debug, Clone)]
pub struct PinnedScript {
    /// What it says.
    pub script: Arc<Script>,
    /// The digest of its text.
    pub digest: Arc<str>,
    /// Its text, so that a session can be replayed without the file.
    pub source: Arc<str>,
}

/// Finds scripts. A digest always means the same text.
#[async_trait]
pub trait ScriptLibrary: Send + Sync + std::fmt::Debug {
    /// Returns the script of that id, the newest version unless one is asked for.
    ///
    /// # Errors
    ///
    /// [`LibraryError::NotFound`] if there is none.
    async fn find(&self, id: &ScriptId, version: Option<&str>) -> Result<PinnedScript, LibraryError>;

    /// Returns the script with that digest, for a session that runs it.
    ///
    /// # Errors
    ///
    /// [`LibraryError::NotFound`] if there is none.
    async fn pinned(&self, digest: &str) -> Result<PinnedScript, LibraryError>;
}

/// Why a script was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// There is no such script.
    #[error("there is no such script")]
    NotFound,
}
