//! Keeps the texts of scripts, so that a session finds its script again whatever became of the file.

use std::sync::Arc;

use async_trait::async_trait;
use steersman_domain::{clock::Timestamp, id::ScriptId};

use super::StoreError;

/// Keeps the texts of scripts. A digest always means the same text; a published version never changes.
#[async_trait]
pub trait ScriptShelf: Send + Sync + std::fmt::Debug {
    /// Keeps a text; keeping it again changes nothing, but that a draft becomes published.
    ///
    /// # Errors
    ///
    /// [`ShelfError::Published`] if that id and version is published with another text.
    async fn keep(&self, script: ShelvedScript) -> Result<(), ShelfError>;

    /// Returns the text with this digest.
    ///
    /// # Errors
    ///
    /// [`ShelfError::Store`].
    async fn text(&self, digest: &str) -> Result<Option<ShelvedScript>, ShelfError>;

    /// Returns the published text of a version, the one published last without one.
    ///
    /// # Errors
    ///
    /// [`ShelfError::Store`].
    async fn published(&self, id: &ScriptId, version: Option<&str>) -> Result<Option<ShelvedScript>, ShelfError>;

    /// Returns up to `limit` published scripts behind `after` in the order of id and version, without their texts.
    ///
    /// # Errors
    ///
    /// [`ShelfError::Store`].
    async fn list(&self, after: Option<&(ScriptId, String)>, limit: usize) -> Result<Vec<ScriptEntry>, ShelfError>;
}

/// The text of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelvedScript {
    /// What it is.
    pub entry: ScriptEntry,
    /// The text.
    pub source: Arc<str>,
}

/// What a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptEntry {
    /// The digest of the text.
    pub digest: Arc<str>,
    /// The script's id.
    pub id: ScriptId,
    /// Its version.
    pub version: String,
    /// When it was published; `None` for a draft, which only sessions that run it find.
    pub published_at: Option<Timestamp>,
}

/// Why a text was not kept or found.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// The version is published with another text.
    #[error("this version of the script is published with another text; give it a new version")]
    Published,
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}
