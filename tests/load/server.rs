//! One run of the server's binary.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::Instant,
};

use super::{Failed, Place};

/// A server that listens; asked to stop, and waited for, when it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    /// Where it listens.
    pub(super) address: String,
    /// When its process was started.
    pub(super) started: Instant,
    /// When it said that it listens.
    pub(super) listening: Instant,
}

impl Server {
    /// Starts it over the place's SQLite file and waits until it listens.
    pub(super) fn start(place: &Place) -> Result<Self, Failed> {
        let started = Instant::now();
        let mut child = Command::new(&place.steersman)
            .args(["serve", "--listen", "127.0.0.1:0", "--scripts", "scripts", "--llm", "offline"])
            .args(["--db", "sqlite://load.db"])
            .current_dir(place.folder())
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(Failed::Io)?;
        let mut lines = BufReader::new(child.stderr.take().expect("it was asked to be a pipe")).lines();
        let mut told = String::new();
        let address = loop {
            let Some(Ok(line)) = lines.next() else {
                let _ended = child.wait().is_ok();
                return Err(Failed::NotStarted(told));
            };
            if let Some(address) = line.strip_prefix("listening on ") {
                break address.to_owned();
            }
            told = line;
        };
        let listening = Instant::now();
        // Read on, so that the server never waits for its log to be read.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Self { child, address, started, listening })
    }

    /// Asks it to stop and waits until it is gone, while this side's connections close: it waits for them.
    pub(super) async fn stop(self) {
        let _ended = tokio::task::spawn_blocking(move || drop(self)).await.is_ok();
    }

    /// Returns the memory of the process that is not swapped out, in bytes (Linux).
    pub(super) fn resident(&self) -> Result<u64, Failed> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).map_err(Failed::Io)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        kibibytes.map(|kibibytes| kibibytes * 1024).ok_or(Failed::Unexpected("no VmRSS in /proc"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _gone = self.child.kill().is_ok();
        }
        let _ended = self.child.wait().is_ok();
    }
}
