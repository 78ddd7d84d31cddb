//! `steersman replay EXPORT`: recomputes every decision and names the first difference.

use std::{io::Write, process::ExitCode, sync::Arc};

use serde_json::json;
use steersman_adapters::scripts::load;
use steersman_domain::session::{Difference, SessionEvent, replay};
use steersman_engine::chain::digest;

use super::export::{self, Export};
use crate::{cli::Replay, failure::Failure, terminal::Terminal};

/// Replays an export; exits 1 at the first difference.
pub(super) fn run(command: &Replay, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let Export { session_id, script_digest, script, journal, events } = export::read(&command.export)?;
    if digest(&script) != script_digest {
        return Err(differs(terminal, "the script's text is not the one that the session ran"));
    }
    let loaded = load("the exported script", script.as_bytes());
    let Some(script) = loaded.script else {
        terminal.note(&loaded.report(terminal.colours_errors()));
        return Err(differs(terminal, "this build does not load the script"));
    };
    let (inputs, recorded) = (journal.len(), events.len());
    match replay(Arc::new(script), &script_digest, journal, events) {
        Err(error) => {
            let why = std::error::Error::source(&error).map(|why| format!(": {why}")).unwrap_or_default();
            Err(differs(terminal, &format!("{error}{why}")))
        }
        Ok((_, Some(difference))) => Err(differs(terminal, &told(&difference))),
        Ok((_, None)) => {
            writeln!(terminal.out(), "{session_id}: {inputs} inputs give the same {recorded} events")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn differs(terminal: &Terminal, what: &str) -> Failure {
    terminal.note(what);
    Failure::Checked
}

fn told(difference: &Difference) -> String {
    let shown =
        |event: Option<&SessionEvent>| event.map_or_else(|| "nothing".to_owned(), |event| json!(event).to_string());
    format!(
        "event {} differs\n  recorded: {}\n  replayed: {}",
        difference.seq,
        shown(difference.recorded.as_ref()),
        shown(difference.replayed.as_ref())
    )
}
