//! A library over a shelf of texts: reads each text once, and finds it again by its digest for ever.
//!
//! If the shelf cannot be reached, scripts that were read before are still found; others are not, and nothing is
//! published.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde_json::json;
use steersman_domain::{clock::Timestamp, id::ScriptId};
use steersman_engine::{
    chain,
    ports::{
        Checked, Clock, Finding, LibraryError, PinnedScript, ScriptEntry, ScriptLibrary, ScriptShelf, ShelfError,
        ShelvedScript, StoreError,
    },
};

use super::{Diagnosed, Loaded, load};

/// How many scripts are kept read; of more, the one that was read first is read again when it is needed.
const MAX_READ: usize = 256;
/// What a text is called in findings that belong to no file.
const UNNAMED: &str = "script.yaml";

/// A shelf has given a text that is not the one which was kept.
#[derive(Debug, thiserror::Error)]
#[error("the text of the script is not the one that its digest names")]
struct OtherText;

/// Finds scripts on a shelf.
#[derive(Debug)]
pub struct Library {
    shelf: Arc<dyn ScriptShelf>,
    clock: Arc<dyn Clock>,
    read: Mutex<Read>,
}

/// The scripts that were read.
#[derive(Debug, Default)]
struct Read {
    by_digest: BTreeMap<Arc<str>, PinnedScript>,
    /// In the order of reading.
    digests: VecDeque<Arc<str>>,
    /// What this process runs though it is not published.
    drafts: BTreeMap<ScriptId, PinnedScript>,
}

impl Library {
    /// Finds scripts on this shelf.
    pub fn new(shelf: Arc<dyn ScriptShelf>, clock: Arc<dyn Clock>) -> Self {
        Self { shelf, clock, read: Mutex::default() }
    }

    /// Runs a script in this process without publishing it: it is found by its id here, and by its digest for ever.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unavailable`] if its text cannot be kept.
    pub async fn draft(&self, script: PinnedScript) -> Result<(), LibraryError> {
        self.keep(&script, None).await?;
        self.read().drafts.insert(script.script.id.clone(), script);
        Ok(())
    }

    async fn keep(&self, script: &PinnedScript, published_at: Option<Timestamp>) -> Result<(), LibraryError> {
        let PinnedScript { script: said, digest, source } = script;
        let (id, version) = (said.id.clone(), said.version.clone());
        let entry = ScriptEntry { digest: Arc::clone(digest), id, version, published_at };
        self.shelf.keep(ShelvedScript { entry, source: Arc::clone(source) }).await.map_err(|error| match error {
            ShelfError::Published => LibraryError::Published,
            ShelfError::Store(_) => LibraryError::Unavailable(error),
        })?;
        self.read().remember(script.clone());
        Ok(())
    }

    /// Reads a text from the shelf, unless it was read before.
    fn open(&self, shelved: &ShelvedScript) -> Result<PinnedScript, LibraryError> {
        if let Some(read) = self.read().by_digest.get(&shelved.entry.digest) {
            return Ok(read.clone());
        }
        if *chain::digest(&shelved.source) != *shelved.entry.digest {
            return Err(LibraryError::Unavailable(StoreError::Corrupt(Box::new(OtherText)).into()));
        }
        let script = pinned(UNNAMED, &shelved.source)?;
        self.read().remember(script.clone());
        Ok(script)
    }

    fn read(&self) -> MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ScriptLibrary for Library {
    async fn find(&self, id: &ScriptId, version: Option<&str>) -> Result<PinnedScript, LibraryError> {
        let draft = self.read().drafts.get(id).cloned();
        if let Some(draft) = draft.filter(|draft| version.is_none_or(|version| draft.script.version == version)) {
            return Ok(draft);
        }
        let shelved = self.shelf.published(id, version).await.map_err(LibraryError::Unavailable)?;
        self.open(&shelved.ok_or(LibraryError::NotFound)?)
    }

    async fn pinned(&self, digest: &str) -> Result<PinnedScript, LibraryError> {
        let read = self.read().by_digest.get(digest).cloned();
        if let Some(read) = read {
            return Ok(read);
        }
        let shelved = self.shelf.text(digest).await.map_err(LibraryError::Unavailable)?;
        self.open(&shelved.ok_or(LibraryError::NotFound)?)
    }

    fn check(&self, file: &str, source: &str) -> Checked {
        let loaded = load(file, source.as_bytes());
        Checked { findings: findings(&loaded), bounds: loaded.bounds.map(|bounds| json!(bounds)) }
    }

    async fn publish(&self, source: &str) -> Result<PinnedScript, LibraryError> {
        let script = pinned(UNNAMED, source)?;
        self.keep(&script, Some(self.clock.now())).await?;
        Ok(script)
    }

    async fn list(&self, after: Option<&(ScriptId, String)>, limit: usize) -> Result<Vec<ScriptEntry>, LibraryError> {
        self.shelf.list(after, limit).await.map_err(LibraryError::Unavailable)
    }
}

impl Read {
    fn remember(&mut self, script: PinnedScript) {
        let digest = Arc::clone(&script.digest);
        if self.by_digest.insert(Arc::clone(&digest), script).is_none() {
            self.digests.push_back(digest);
        }
        while self.digests.len() > MAX_READ {
            if let Some(first) = self.digests.pop_front() {
                self.by_digest.remove(&first);
            }
        }
    }
}

/// Reads a text that must be without errors.
fn pinned(file: &str, source: &str) -> Result<PinnedScript, LibraryError> {
    let loaded = load(file, source.as_bytes());
    let found = findings(&loaded);
    let script = loaded.script.ok_or(LibraryError::Defects(found))?;
    Ok(PinnedScript { script: Arc::new(script), digest: chain::digest(source).into(), source: source.into() })
}

fn findings(loaded: &Loaded) -> Vec<Finding> {
    loaded.defects.iter().map(Diagnosed::finding).collect()
}
