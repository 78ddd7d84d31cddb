//! What CI runs, on a laptop as on the server: `cargo xtask ci|lint|test|tidy|codegen`, and `load`, which measures.
//!
//! Depends on no crate of the workspace, so that a broken crate never keeps the checks from running. One file per
//! command; the order of the parts of `ci` is the table in [`ci`].
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to the person who runs it")]

mod ci;
mod codegen;
mod lint;
mod load;
mod play;
mod step;
mod test;
mod tidy;

use std::{env, process::ExitCode};

use codegen::Mode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci [PART]          what CI runs, in order, to the first failure; PART is one of lint, tidy, codegen, test, play
  lint               rustfmt, clippy, rustdoc and (where installed) cargo-deny, each with warnings denied
  test               all tests and doc tests of the workspace
  tidy               the architecture and the house rules that no compiler knows
  codegen [--check]  writes the committed generated files; with --check fails if one is not current
  load [ARGUMENTS]   what the release server costs: memory of idle streams, start to first answer";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> anyhow::Result<()> {
    match words {
        ["ci"] => ci::run_all(),
        ["ci", part] => ci::run_part(part),
        ["lint"] => lint::run(),
        ["test"] => test::run(),
        ["tidy"] => tidy::run(),
        ["codegen"] => codegen::run(Mode::Write),
        ["codegen", "--check"] => codegen::run(Mode::Check),
        ["load", arguments @ ..] => load::run(arguments),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        [] => anyhow::bail!("no command given\n{USAGE}"),
        other => anyhow::bail!("`{}` is no command\n{USAGE}", other.join(" ")),
    }
}
