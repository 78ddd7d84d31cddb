//! `steersman schema`: the JSON Schema of a kind of file, for editors, or of events, for programs.

use std::{io::Write, process::ExitCode};

use steersman_adapters::{events, scripts};

use crate::{
    cli::{SchemaKind, SchemaOf},
    failure::Failure,
    terminal::Terminal,
};

/// Prints the schema as it is committed.
pub(super) fn run(schema: &SchemaOf, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let schema = match schema.kind {
        SchemaKind::Script => scripts::schema_text(),
        SchemaKind::Scenario => scripts::scenario::schema_text(),
        SchemaKind::Events => events::schema_text(),
    };
    write!(terminal.data(), "{schema}")?;
    Ok(ExitCode::SUCCESS)
}
