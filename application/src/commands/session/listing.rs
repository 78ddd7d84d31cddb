//! Sessions and events, one a line.

use std::io::{self, Write};

use serde_json::{Value, json};
use steersman_domain::session::SessionEvent;
use steersman_engine::ports::SessionSummary;

use crate::terminal::{ASIDE, HEADING};

/// Writes a session for a person.
pub(super) fn text(summary: &SessionSummary, out: &mut impl Write) -> io::Result<()> {
    let SessionSummary { id, script, version, subject, status, turns, updated_at, .. } = summary;
    let about = subject.as_ref().map(|subject| format!("  about {}", subject.as_str())).unwrap_or_default();
    let plural = if *turns == 1 { "" } else { "s" };
    writeln!(
        out,
        "{HEADING}{id}{HEADING:#}  {:<13}  {turns} turn{plural}  {script} {version}{about}  {ASIDE}{updated_at}{ASIDE:#}",
        status.as_str(),
    )
}

/// Writes a session for a program.
pub(super) fn json(summary: &SessionSummary) -> Value {
    json!({
        "session_id": summary.id,
        "script": summary.script,
        "version": summary.version,
        "subject": summary.subject,
        "status": summary.status,
        "turns": summary.turns,
        "created_at": summary.created_at,
        "updated_at": summary.updated_at,
    })
}

/// Writes an event for a person: where it stands, what it is, and the rest as it is kept.
pub(super) fn event(event: &SessionEvent, out: &mut impl Write) -> io::Result<()> {
    let mut fields = match json!(event) {
        Value::Object(fields) => fields,
        other => return writeln!(out, "{other}"),
    };
    let kind = fields.shift_remove("type").unwrap_or_default();
    for known in ["seq", "turn", "at"] {
        fields.shift_remove(known);
    }
    writeln!(
        out,
        "{:>5}  turn {:<3}  {HEADING}{}{HEADING:#}  {ASIDE}{}{ASIDE:#}",
        event.seq,
        event.turn,
        kind.as_str().unwrap_or_default(),
        Value::Object(fields)
    )
}
