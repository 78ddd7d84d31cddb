//! Runs the fake model by hand, so that models behind a network can be tried without one.

use std::{
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use clap::Parser;
use steersman_tests::fake_model::{Answer, Behaviour, FakeModel};

/// Speaks the streams of openai, anthropic, gemini and ollama on one address. Prints the address and serves.
#[derive(Debug, Parser)]
#[command(name = "fake_model")]
struct Arguments {
    /// Where to listen; port 0 takes any that is free
    #[arg(long, default_value = "127.0.0.1:0", value_name = "HOST:PORT")]
    listen: SocketAddr,
    /// What to say, one JSON line a request: a string, an object, or {"fault": NAME}; afterwards it thanks the person
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// How long to rest between two pieces of a reply
    #[arg(long, default_value_t = 0, value_name = "MILLISECONDS")]
    pause_ms: u64,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error that is gone leaves nowhere to say so.
            let _gone = writeln!(io::stderr(), "error: {error}").is_err();
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let answers = match &arguments.script {
        Some(path) => Answer::script(&std::fs::read_to_string(path)?).map_err(io::Error::other)?,
        None => Vec::new(),
    };
    let behaviour = Behaviour { answers, pause: Duration::from_millis(arguments.pause_ms), ..Behaviour::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let model = FakeModel::start(arguments.listen, behaviour).await?;
        let mut out = io::stdout();
        writeln!(out, "{}", model.url())?;
        out.flush()?;
        model.serve().await;
        Ok(())
    })
}
