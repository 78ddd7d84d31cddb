//! Puts the parts together: which adapter fills which port.

mod model;
mod risk;
mod storage;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use steersman_adapters::{
    host::{SeededIds, SystemClock, TimeOrderedIds},
    scripts::{Library, load},
};
use steersman_domain::clock::Timestamp;
use steersman_engine::{
    Limits, Parts, Recording,
    ports::{Clock, FixedClock, IdSource, PinnedScript, ScriptLibrary},
    prompts::PromptSet,
};

pub(crate) use self::{
    model::{ChosenModel, ModelChoice},
    risk::Watch,
    storage::{DEFAULT as DEFAULT_DATABASE, Database, Records, Storage},
};
use crate::{failure::Failure, terminal::Terminal};

/// How a conversation in this process is put together.
#[derive(Debug)]
pub(crate) struct Wiring<'a> {
    pub(crate) model: &'a ChosenModel,
    pub(crate) watch: &'a Watch,
    pub(crate) now: Option<Timestamp>,
    pub(crate) seed: Option<u64>,
    pub(crate) recording: Recording,
    pub(crate) prompts: Option<&'a Path>,
}

impl Wiring<'_> {
    /// Builds the parts of an engine over a store.
    pub(crate) fn parts(&self, store: &Storage) -> Result<(Parts, Arc<Library>), Failure> {
        let clock: Arc<dyn Clock> = match self.now {
            Some(now) => Arc::new(FixedClock(now)),
            None => Arc::new(SystemClock),
        };
        let ids: Arc<dyn IdSource> = match self.seed {
            Some(seed) => Arc::new(SeededIds::new(seed, clock.now())),
            None => Arc::new(TimeOrderedIds),
        };
        let limits = Limits::default();
        let library = Arc::new(Library::new(Arc::clone(&store.shelf), Arc::clone(&clock)));
        let parts = Parts {
            model: Arc::clone(&self.model.model),
            store: Arc::clone(&store.sessions),
            records: Arc::clone(&store.records),
            scripts: Arc::clone(&library) as Arc<dyn ScriptLibrary>,
            clock,
            ids,
            prompts: self.prompt_set()?,
            detector: self.watch.detector.clone(),
            thresholds: self.watch.thresholds,
            limits: Limits { call: self.model.timeout.unwrap_or(limits.call), ..limits },
            recording: self.recording,
        };
        Ok((parts, library))
    }

    fn prompt_set(&self) -> Result<PromptSet, Failure> {
        let Some(folder) = self.prompts else { return Ok(PromptSet::shipped()) };
        let mut files = BTreeMap::new();
        for language in visible(folder)? {
            if language.is_dir() {
                for path in visible(&language)? {
                    let text = std::fs::read_to_string(&path);
                    let text = text.map_err(|error| Failure::file("cannot read", &path, &error))?;
                    let below = path.strip_prefix(folder).unwrap_or(&path);
                    files.insert(below.display().to_string().replace('\\', "/"), text);
                }
            }
        }
        if files.is_empty() {
            let first = folder.join("en").join("judging.txt");
            return Err(Failure::Usage(format!(
                "no prompt file is below {}; put one at {}",
                folder.display(),
                first.display()
            )));
        }
        PromptSet::with_files(&files).map_err(|defects| {
            let told: Vec<String> = defects.iter().map(ToString::to_string).collect();
            Failure::Usage(told.join("\n"))
        })
    }
}

/// Returns what is in a folder, but for hidden files.
fn visible(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: std::io::Error| Failure::file("cannot read", folder, &error);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Loads a script that must be without errors; its warnings go to standard error.
pub(crate) fn script(path: &Path, terminal: &Terminal) -> Result<PinnedScript, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::file("cannot read", path, &error))?;
    let loaded = load(&path.display().to_string(), &bytes);
    if !loaded.defects.is_empty() {
        terminal.note(&loaded.report(terminal.colours_errors()));
    }
    let Some(script) = loaded.script else {
        let (errors, _) = loaded.counts();
        let plural = if errors == 1 { "" } else { "s" };
        terminal.note(&format!("{}: {errors} error{plural}; nothing was run", path.display()));
        return Err(Failure::Checked);
    };
    let source = String::from_utf8_lossy(&bytes);
    let digest = steersman_engine::chain::digest(&source);
    Ok(PinnedScript { script: Arc::new(script), digest: digest.into(), source: source.into() })
}
