//! Where scripts come from.

use std::sync::Arc;

use async_trait::async_trait;
use steersman_domain::{
    id::ScriptId,
    script::{Script, defect::Severity},
};

use super::{ScriptEntry, ShelfError};

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

/// Finds scripts. A digest always means the same text; a script that was found is found by its digest for ever.
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

    /// Reads a text and says all that is wrong with it. Keeps nothing.
    fn check(&self, file: &str, source: &str) -> Checked;

    /// Publishes a text under the id and version that it names.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Defects`] if it has errors, [`LibraryError::Published`] if that version has another text.
    async fn publish(&self, source: &str) -> Result<PinnedScript, LibraryError>;

    /// Returns up to `limit` published scripts behind `after` in the order of id and version.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unavailable`].
    async fn list(&self, after: Option<&(ScriptId, String)>, limit: usize) -> Result<Vec<ScriptEntry>, LibraryError>;
}

/// What a check has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// All defects, in the order of the text.
    pub findings: Vec<Finding>,
    /// The script's static bounds as JSON, if it has no errors.
    pub bounds: Option<serde_json::Value>,
}

/// One defect of a script's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The stable code.
    pub code: String,
    /// Whether the script can be used with it.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Why a script was not found or not published.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// There is no such script.
    #[error("there is no such script")]
    NotFound,
    /// The text has errors.
    #[error("the script has errors")]
    Defects(Vec<Finding>),
    /// The version is published with another text.
    #[error("this version of the script is published with another text; give it a new version")]
    Published,
    /// The texts cannot be reached.
    #[error("the scripts cannot be reached")]
    Unavailable(#[source] ShelfError),
}
