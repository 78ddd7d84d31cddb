//! All tests of the workspace, with one closing line that sums them up.
//!
//! Runs `cargo test` even where nextest is installed: the same runner everywhere, with only the toolchain, and it also
//! runs the doc tests.

use std::{
    io::{self, BufRead, BufReader, Write},
    process::Stdio,
};

use anyhow::{Context, ensure};

use crate::step::{cargo, command_line, step};

const TEST: &[&str] = &["test", "--workspace", "--locked", "--no-fail-fast"];

/// Runs all tests and doc tests, and fails if one fails or if there is none.
pub(crate) fn run() -> anyhow::Result<()> {
    step(&command_line(TEST), || {
        let mut child = cargo(TEST).stdout(Stdio::piped()).spawn().context("could not start `cargo test`")?;
        let stdout = child.stdout.take().expect("stdout was asked to be a pipe");
        let tally = pass_through(BufReader::new(stdout), io::stdout())?;
        let status = child.wait().context("could not wait for `cargo test`")?;
        println!("tests: {} passed; {} failed; {} ignored", tally.passed, tally.failed, tally.ignored);
        ensure!(status.success(), "`{}` failed ({status})", command_line(TEST));
        ensure!(tally.passed > 0, "no test ran");
        Ok(())
    })
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Tally {
    /// Adds what a line `test result: ok. 3 passed; 0 failed; 1 ignored; …` says; other lines say nothing.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|result| result.split_once(". ")) else {
            return;
        };
        for count in counts.split("; ") {
            match count.trim().split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse::<usize>().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse::<usize>().unwrap_or(0),
                Some((number, "ignored")) => self.ignored += number.parse::<usize>().unwrap_or(0),
                _ => {}
            }
        }
    }
}

fn pass_through(mut from: impl BufRead, mut to: impl Write) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).context("could not read what the tests print")? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        tally.add(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_sums_up_what_each_test_binary_printed() {
        let printed = "\
running 3 tests
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
tests passed: \"test result: ok\" is what this one looks for
test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s
";
        let mut shown = Vec::new();
        let tally = pass_through(printed.as_bytes(), &mut shown).unwrap();
        assert_eq!(tally, Tally { passed: 7, failed: 2, ignored: 1 });
        assert_eq!(shown, printed.as_bytes());
    }
}
