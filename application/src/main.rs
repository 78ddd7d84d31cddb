//! The command line: reads what is asked, wires it together, and turns the outcome into an exit code.

mod cli;
mod commands;
mod config;
mod failure;
mod log;
mod terminal;
mod wiring;

use std::process::ExitCode;

use clap::Parser;
use steersman_adapters::host::install_tls;

use crate::{
    cli::Cli,
    terminal::{Loudness, Terminal},
};

fn main() -> ExitCode {
    install_tls();
    let cli = Cli::parse();
    let environment = config::Environment::of_process();
    let terminal = Terminal::new(cli.color, environment.no_color, Loudness::of(&cli));
    match commands::run(cli, &environment, &terminal) {
        Ok(code) => code,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.fail(&failure);
            failure.exit_code()
        }
    }
}
