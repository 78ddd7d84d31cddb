//! The commands, one file each.

mod check;
mod completions;
mod decide;
mod export;
mod init;
mod play;
mod replay;
mod schema;
mod serve;
mod session;

use std::{io::Write, process::ExitCode};

use crate::{
    cli::{Cli, Command},
    config::{Environment, Settings},
    failure::Failure,
    terminal::Terminal,
};

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli, environment: &Environment, terminal: &Terminal) -> Result<ExitCode, Failure> {
    match cli.command {
        Command::Play(play) => play::run(&play, &Settings::read(environment)?, environment, terminal),
        Command::Check(check) => check::run(&check, terminal),
        Command::Decide(decide) => decide::run(&decide, terminal),
        Command::Replay(replay) => replay::run(&replay, environment, terminal),
        Command::Session(of) => session::run(&of, &Settings::read(environment)?, terminal),
        Command::Schema(schema) => schema::run(&schema, terminal),
        Command::Serve(serve) => serve::run(&serve, &Settings::read(environment)?, environment, terminal),
        Command::Init(init) => init::run(&init, terminal),
        Command::Completions { shell } => completions::run(shell, terminal),
        Command::Version => {
            writeln!(terminal.out(), "steersman {}", env!("CARGO_PKG_VERSION"))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
