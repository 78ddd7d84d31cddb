//! Puts load on the real server and says what it cost: memory of idle streams, and start to first answer.
//!
//! `cargo xtask load` builds both for release and runs this. It talks over loopback to a server of its own, which keeps
//! its sessions in a folder that is gone afterwards.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::Parser;
use steersman_tests::load::{Failed, Place, first_answer::FirstAnswers, idle_streams::IdleStreams};

/// Measures the server that lies beside this binary.
#[derive(Debug, Parser)]
#[command(name = "load")]
struct Arguments {
    /// How many streams to open and leave alone
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    streams: u32,
    /// How often to start the server and wait for its first answer
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=200))]
    starts: u32,
    /// The server's binary [default: `steersman` beside this one]
    #[arg(long, value_name = "FILE")]
    steersman: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error that is gone leaves nowhere to say so.
            let _gone = writeln!(io::stderr(), "error: {error}").is_err();
            ExitCode::from(3)
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failed> {
    let Arguments { streams, starts, steersman } = arguments;
    let place = Place::new(steersman)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failed::Io)?;
    runtime.block_on(async {
        let fresh = FirstAnswers::measure(&place, starts).await?;
        say(&format!("{fresh}  with {} sessions stored", fresh.stored))?;
        let idle = IdleStreams::measure(&place, streams).await?;
        say(&idle.to_string())?;
        let again = FirstAnswers::measure(&place, starts).await?;
        say(&format!("{again}  with {} sessions stored", again.stored))
    })
}

fn say(line: &str) -> Result<(), Failed> {
    writeln!(io::stdout(), "{line}").map_err(Failed::Io)
}
