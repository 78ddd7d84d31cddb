//! `steersman schema`: the JSON Schema of a kind of file, for editors.

use std::{io::Write, process::ExitCode};

use crate::{
    cli::{SchemaKind, SchemaOf},
    failure::Failure,
    terminal::Terminal,
};

/// Prints the schema, indented, so that a change of it can be read.
pub(super) fn run(schema: &SchemaOf, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let schema = match schema.kind {
        SchemaKind::Script => steersman_adapters::scripts::schema(),
    };
    writeln!(terminal.out(), "{schema:#}")?;
    Ok(ExitCode::SUCCESS)
}
