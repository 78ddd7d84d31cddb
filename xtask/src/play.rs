//! Plays the README's example the way a reader of the README would, so that the first command they try works.

use std::{
    fs,
    io::{self, Write},
    process::Stdio,
};

use anyhow::{Context, ensure};

use crate::step::{cargo, command_line, root, step};

const PLAY: &[&str] = &["run", "--release", "--", "play", "examples/intake/script.yaml"];

/// Said this often, since every example ends within 40 messages whatever harmless thing is said.
const MESSAGES: usize = 40;
const MESSAGE: &str = "I have slept badly for three weeks.";

/// Runs the command that the README shows and fails if the README shows another, or if it plays nothing.
pub(crate) fn run() -> anyhow::Result<()> {
    step(&command_line(PLAY), || {
        let readme = fs::read_to_string(root().join("README.md")).context("could not read README.md")?;
        ensure!(readme.contains(&command_line(PLAY)), "README.md does not show `{}`", command_line(PLAY));
        play()
    })
}

fn play() -> anyhow::Result<()> {
    let mut player = cargo(PLAY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start `{}`", command_line(PLAY)))?;
    let mut keyboard = player.stdin.take().expect("stdin was asked to be a pipe");
    // All of it fits into the pipe, so writing before reading cannot block.
    match keyboard.write_all(format!("{MESSAGE}\n").repeat(MESSAGES).as_bytes()) {
        // The session ended before the last message: that is its right.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        outcome => outcome.context("could not type into the session")?,
    }
    drop(keyboard);
    let output = player.wait_with_output().context("could not read what was played")?;
    io::stdout().write_all(&output.stdout)?;
    ensure!(output.status.success(), "the README's command failed ({})", output.status);
    ensure!(!output.stdout.trim_ascii().is_empty(), "the README's command printed nothing");
    Ok(())
}
