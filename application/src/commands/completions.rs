//! `steersman completions SHELL`.

use std::{io::Write, process::ExitCode};

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{cli::Cli, failure::Failure, terminal::Terminal};

/// Prints what a shell needs to complete commands.
pub(super) fn run(shell: Shell, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "steersman", &mut script);
    terminal.out().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
