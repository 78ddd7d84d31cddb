//! Load on the real server: it is started as an operator would, talked to over loopback, and looked at from outside.

mod client;
pub mod first_answer;
pub mod idle_streams;
mod server;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// A script with more questions than anybody answers here.
const SCRIPT: &str = "\
steersman: 1
script: load
locale: en
declare:
  - {var: name, define: what to be called}
  - {var: craft, define: what to learn}
phases:
  - phase: main
    topics:
      - topic: talk
        actions:
          - id: ask_name
            ai_ask: find out the name
            opening: What is your name?
            exit: a name was given
            output: [{get: name, define: what to be called}]
          - id: ask_craft
            ai_ask: find out what they want to learn
            opening: What would you like to learn?
            exit: a craft was named
            output: [{get: craft, define: what to learn}]
";

/// Why nothing could be measured.
#[derive(Debug, Error)]
pub enum Failed {
    /// There is no server to measure.
    #[error("there is no server at {}; build it with `cargo build --release -p steersman`", .0.display())]
    NoServer(PathBuf),
    /// The server ended before it listened.
    #[error("the server did not start: {0}")]
    NotStarted(String),
    /// A call failed.
    #[error("a call failed")]
    Call(#[from] tonic::Status),
    /// No connection.
    #[error("no connection to the server")]
    Connect(#[from] tonic::transport::Error),
    /// The server said something else than it should.
    #[error("the server sent {0}")]
    Unexpected(&'static str),
    /// It took longer than anything here may.
    #[error("nothing came for {} s", client::PATIENCE.as_secs())]
    TooLate,
    /// The system refused something.
    #[error("{0}")]
    Io(io::Error),
}

/// Where a server under load keeps its things; gone afterwards.
#[derive(Debug)]
pub struct Place {
    folder: PathBuf,
    steersman: PathBuf,
}

impl Place {
    /// Makes a folder with a script, for the server given or the one beside this program.
    ///
    /// # Errors
    ///
    /// [`Failed::NoServer`], [`Failed::Io`].
    pub fn new(steersman: Option<PathBuf>) -> Result<Self, Failed> {
        let beside = || Ok(std::env::current_exe()?.with_file_name("steersman"));
        let steersman = steersman.map_or_else(beside, Ok).map_err(Failed::Io)?;
        if !steersman.is_file() {
            return Err(Failed::NoServer(steersman));
        }
        let steersman = steersman.canonicalize().map_err(Failed::Io)?;
        let folder = std::env::temp_dir().join(format!("steersman-load-{}", std::process::id()));
        fs::create_dir_all(folder.join("scripts")).map_err(Failed::Io)?;
        fs::write(folder.join("scripts/load.yaml"), SCRIPT).map_err(Failed::Io)?;
        Ok(Self { folder, steersman })
    }

    fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.folder).is_ok();
    }
}
