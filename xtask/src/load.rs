//! Builds the server and its load for release, and runs the load: `cargo xtask load --help` says what it takes.

use crate::step::cargo_step;

const SERVER: &[&str] = &["build", "--release", "--locked", "--package", "steersman"];
const LOAD: &[&str] = &["run", "--release", "--locked", "--package", "steersman-tests", "--bin", "load", "--"];

/// Measures with these arguments.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    cargo_step(SERVER, &[])?;
    cargo_step(&[LOAD, arguments].concat(), &[])
}
