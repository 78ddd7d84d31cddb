//! A session as a file that stands alone: the script's text, every input, every event. `replay` reads it.

use std::{
    fs::File,
    io::{BufRead, BufReader, BufWriter, Write},
    path::Path,
};

use steersman_domain::{
    id::SessionId,
    session::{JournalEntry, SessionEvent},
};
use steersman_engine::{
    export::{FORMAT, Line, lines},
    ports::Recorded,
};

use crate::failure::Failure;

/// A session as it was read back.
#[derive(Debug)]
pub(super) struct Export {
    pub(super) session_id: SessionId,
    pub(super) script_digest: String,
    pub(super) script: String,
    pub(super) journal: Vec<JournalEntry>,
    pub(super) events: Vec<SessionEvent>,
}

/// Writes a session to a file.
pub(super) fn write(path: &Path, id: &SessionId, recorded: Recorded) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file("cannot write", path, &error);
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    put(&mut out, id, recorded).and_then(|()| out.flush()).map_err(failed)
}

/// Writes a session, one JSON object a line.
pub(super) fn put(out: &mut impl Write, id: &SessionId, recorded: Recorded) -> std::io::Result<()> {
    lines(id.clone(), recorded).try_for_each(|line| out.write_all(line.written().as_bytes()))
}

/// Reads a session from a file.
pub(super) fn read(path: &Path) -> Result<Export, Failure> {
    let file = File::open(path).map_err(|error| Failure::file("cannot read", path, &error))?;
    let mut export: Option<Export> = None;
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let broken = |why: String| Failure::Usage(format!("{}:{}: {why}", path.display(), at + 1));
        let line = serde_json::from_str(&line?).map_err(|error| broken(format!("no line of an export ({error})")))?;
        match (line, &mut export) {
            (Line::Export { format: FORMAT, session_id, script_digest, script }, None) => {
                export = Some(Export { session_id, script_digest, script, journal: Vec::new(), events: Vec::new() });
            }
            (Line::Export { format, .. }, None) => {
                return Err(broken(format!("format {format}; this build reads format {FORMAT}")));
            }
            (Line::Export { .. }, Some(_)) => return Err(broken("a second session; one file holds one".to_owned())),
            (Line::Input { .. } | Line::Event { .. }, None) => {
                return Err(broken("the first line must say what session it is".to_owned()));
            }
            (Line::Input { entry }, Some(export)) => export.journal.push(*entry),
            (Line::Event { event }, Some(export)) => export.events.push(*event),
        }
    }
    export.ok_or_else(|| Failure::Usage(format!("{}: empty; `play --export` writes such files", path.display())))
}
