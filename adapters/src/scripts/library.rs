//! A library of one script: what a conversation in the terminal runs.

use async_trait::async_trait;
use steersman_domain::id::ScriptId;
use steersman_engine::ports::{LibraryError, PinnedScript, ScriptLibrary};

/// Holds one script.
#[derive(Debug, Clone)]
pub struct OneScript(PinnedScript);

impl OneScript {
    /// Holds this script.
    pub const fn new(script: PinnedScript) -> Self {
        Self(script)
    }
}

#[async_trait]
impl ScriptLibrary for OneScript {
    async fn find(&self, id: &ScriptId, version: Option<&str>) -> Result<PinnedScript, LibraryError> {
        let script = &self.0.script;
        let found = script.id == *id && version.is_none_or(|version| version == script.version);
        if found { Ok(self.0.clone()) } else { Err(LibraryError::NotFound) }
    }

    async fn pinned(&self, digest: &str) -> Result<PinnedScript, LibraryError> {
        if *self.0.digest == *digest { Ok(self.0.clone()) } else { Err(LibraryError::NotFound) }
    }
}
