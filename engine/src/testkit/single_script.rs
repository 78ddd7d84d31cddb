//! A library of one script.

use std::sync::Arc;

use async_trait::async_trait;
use steersman_domain::{id::ScriptId, script::Script};

use crate::ports::{LibraryError, PinnedScript, ScriptLibrary};

/// Holds one script.
#[derive(Debug, Clone)]
pub struct SingleScript(PinnedScript);

impl SingleScript {
    /// Holds this script under a digest.
    pub fn new(script: Arc<Script>, digest: &str) -> Self {
        Self(PinnedScript { script, digest: digest.into(), source: "".into() })
    }
}

#[async_trait]
impl ScriptLibrary for SingleScript {
    async fn find(&self, id: &ScriptId, version: Option<&str>) -> Result<PinnedScript, LibraryError> {
        let found = self.0.script.id == *id && version.is_none_or(|version| version == self.0.script.version);
        if found { Ok(self.0.clone()) } else { Err(LibraryError::NotFound) }
    }

    async fn pinned(&self, digest: &str) -> Result<PinnedScript, LibraryError> {
        if *self.0.digest == *digest { Ok(self.0.clone()) } else { Err(LibraryError::NotFound) }
    }
}
