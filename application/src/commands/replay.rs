//! `steersman replay ID|EXPORT`: recomputes every decision of a session and names the first difference.

use std::{io::Write, path::Path, process::ExitCode, sync::Arc};

use serde_json::{Map, Value, json};
use steersman_adapters::scripts::load;
use steersman_domain::{
    id::SessionId,
    script::Script,
    session::{Difference, Input, JournalEntry, Session, SessionEvent, State, replay},
};
use steersman_engine::{
    Principal, basis,
    chain::digest,
    ports::{Archive, LibraryError, LookError, Recorded, ShelfError, StoreError},
    prompts::PromptSet,
};

use super::{
    export::{self, Export},
    session::look_failed,
};
use crate::{
    cli::Replay,
    config::{Environment, Settings},
    failure::Failure,
    terminal::Terminal,
    wiring::{Database, Records},
};

/// Replays a session of the database, or an export; exits 1 at the first difference.
pub(super) fn run(command: &Replay, environment: &Environment, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let file = Path::new(&command.what);
    let is_file = file.exists() && command.db.is_none();
    match SessionId::new(&*command.what) {
        Ok(id) if !is_file => {
            let database = Settings::read(environment)?.database(command.db.as_ref())?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let (kept, snapshot) = runtime.block_on(recorded(&id, &database, terminal))?;
            let Recorded { script, journal, events } = kept;
            kept_or_differs(&script.source, &script.digest, terminal)?;
            note_changes(&script.digest, &journal, terminal);
            let session = recompute(&id, (script.script, &script.digest), journal, events, terminal)?;
            match snapshot {
                Some(snapshot) if snapshot != *session.state() => {
                    Err(differs(terminal, "the snapshot is not what the inputs lead to"))
                }
                Some(_) | None => Ok(ExitCode::SUCCESS),
            }
        }
        Ok(_) | Err(_) => {
            let Export { session_id, script_digest, script, journal, events } = export::read(file)?;
            kept_or_differs(&script, &script_digest, terminal)?;
            note_changes(&script_digest, &journal, terminal);
            let loaded = load("the exported script", script.as_bytes());
            let Some(script) = loaded.script else {
                terminal.note(&loaded.report(terminal.colours_errors()));
                return Err(differs(terminal, "this build does not load the script"));
            };
            recompute(&session_id, (Arc::new(script), &script_digest), journal, events, terminal)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Reads all that a replay needs, and the snapshot that it must lead to.
async fn recorded(
    id: &SessionId,
    database: &Database,
    terminal: &Terminal,
) -> Result<(Recorded, Option<State>), Failure> {
    let Records { sessions, archive } = Records::open(database).await?;
    let failed = |error: LookError| match error {
        LookError::Unavailable(StoreError::Corrupt(_))
        | LookError::Script(LibraryError::Unavailable(ShelfError::Store(StoreError::Corrupt(_)))) => {
            terminal.note(&look_failed(&error, Some(id), database).to_string());
            Failure::Checked
        }
        error => look_failed(&error, Some(id), database),
    };
    let recorded = archive.record(&Principal::local(), id).await.map_err(failed)?;
    let record = sessions.load(&Principal::local().tenant, id).await;
    let record = record.map_err(|error| failed(LookError::Unavailable(error)))?;
    Ok((recorded, record.and_then(|record| record.state)))
}

fn kept_or_differs(text: &str, script_digest: &str, terminal: &Terminal) -> Result<(), Failure> {
    if digest(text) == script_digest {
        return Ok(());
    }
    Err(differs(terminal, "the script's text is not the one that the session ran"))
}

/// Says what this build decides by otherwise than the session did: where an event differs then, that may be why.
fn note_changes(script_digest: &str, journal: &[JournalEntry], terminal: &Terminal) {
    let Some(Input::Start(start)) = journal.first().map(|entry| &entry.input) else { return };
    let changed = start.basis.changed(&basis(script_digest, &PromptSet::shipped()));
    if !changed.is_empty() {
        terminal.note(&format!("recorded with other {}; a decision may differ for that", changed.join(", ")));
    }
}

fn recompute(
    id: &SessionId,
    (script, script_digest): (Arc<Script>, &str),
    journal: Vec<JournalEntry>,
    events: Vec<SessionEvent>,
    terminal: &Terminal,
) -> Result<Session, Failure> {
    let (inputs, recorded) = (journal.len(), events.len());
    match replay(script, script_digest, journal, events) {
        Err(error) => {
            let why = std::error::Error::source(&error).map(|why| format!(": {why}")).unwrap_or_default();
            Err(differs(terminal, &format!("{error}{why}")))
        }
        Ok((_, Some(difference))) => Err(differs(terminal, &told(&difference))),
        Ok((session, None)) => {
            writeln!(terminal.out(), "{id}: {inputs} inputs give the same {recorded} events")?;
            Ok(session)
        }
    }
}

fn differs(terminal: &Terminal, what: &str) -> Failure {
    terminal.note(what);
    Failure::Checked
}

/// Says what differs, and only that: an event may hold a whole prompt.
fn told(difference: &Difference) -> String {
    let fields = |event: Option<&SessionEvent>| match json!(event) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let (recorded, replayed) = (fields(difference.recorded.as_ref()), fields(difference.replayed.as_ref()));
    let shown = |fields: &Map<String, Value>, other: &Map<String, Value>| {
        if fields.is_empty() {
            return "nothing".to_owned();
        }
        let different = fields.iter().filter(|(name, value)| other.get(*name) != Some(value));
        Value::Object(different.map(|(name, value)| (name.clone(), value.clone())).collect()).to_string()
    };
    let kind = replayed.get("type").or(recorded.get("type")).and_then(Value::as_str).unwrap_or_default();
    format!(
        "event {} differs: {kind}\n  recorded: {}\n  replayed: {}",
        difference.seq,
        shown(&recorded, &replayed),
        shown(&replayed, &recorded)
    )
}
