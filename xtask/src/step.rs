//! Runs one step of a check: says what it does, then how it went and how long it took.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, ensure};

/// Runs `work` under `name` and prints both its begin and its outcome.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    println!("==> {name}");
    let begun = Instant::now();
    let outcome = work();
    let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
    println!("    {verdict}: {name} ({:.1} s)", begun.elapsed().as_secs_f64());
    outcome
}

/// Runs cargo with these arguments in the workspace's root as one step, and fails if it fails.
pub(crate) fn cargo_step(arguments: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<()> {
    step(&command_line(arguments), || {
        let mut command = cargo(arguments);
        command.envs(environment.iter().copied());
        let status = command.status().with_context(|| format!("could not start `{}`", command_line(arguments)))?;
        ensure!(status.success(), "`{}` failed ({status})", command_line(arguments));
        Ok(())
    })
}

/// Returns cargo with these arguments, not yet started, in the workspace's root.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root());
    command
}

/// Returns the command as a person would type it.
pub(crate) fn command_line(arguments: &[&str]) -> String {
    format!("cargo {}", arguments.join(" "))
}

/// Returns the root of the workspace this program was built in.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}
