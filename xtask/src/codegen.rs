//! Writes the committed files that a program derives, and tells whether they are current.
//!
//! A reader of the repository needs no generator: the files are checked in, and CI compares.

mod python;
mod wire;

use std::{collections::BTreeMap, fs, path::Path, process::Stdio};

use anyhow::{Context, bail, ensure};

use crate::step::{cargo, command_line, root, step};

/// What to do with what the generators make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Write it over what is there.
    Write,
    /// Compare it with what is there, and fail on a difference.
    Check,
}

/// Paths from the workspace's root, each with what belongs there.
type Files = BTreeMap<String, Vec<u8>>;

struct Generator {
    about: &'static str,
    files: fn() -> anyhow::Result<Files>,
}

/// All generators.
const GENERATORS: &[Generator] = &[
    Generator { about: "Rust code and descriptors of the wire", files: wire::files },
    Generator {
        about: "JSON Schema of scripts, for editors",
        files: || printed_by("docs/schema/script.schema.json", &["schema", "script"]),
    },
    Generator {
        about: "JSON Schema of scenarios, for editors",
        files: || printed_by("docs/schema/scenario.schema.json", &["schema", "scenario"]),
    },
    Generator {
        about: "JSON Schema of events, for programs",
        files: || printed_by("docs/schema/events.schema.json", &["schema", "events"]),
    },
];

/// Runs all generators.
pub(crate) fn run(mode: Mode) -> anyhow::Result<()> {
    for Generator { about, files } in GENERATORS {
        step(&format!("codegen: {about}"), || {
            let fresh = files()?;
            match mode {
                Mode::Write => write(&root(), &fresh),
                Mode::Check => check(&root(), &fresh),
            }
        })?;
    }
    step("codegen: Python stubs of the wire", python::compare)
}

/// The binary itself prints the file: xtask depends on no crate of ours. It is the release build that the README's
/// command needs anyway; a debug build of the binary alone would share little with that of the tests.
fn printed_by(path: &str, arguments: &[&str]) -> anyhow::Result<Files> {
    let mut whole = vec!["run", "--quiet", "--release", "--locked", "--package", "steersman", "--"];
    whole.extend(arguments);
    let output = cargo(&whole)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start `{}`", command_line(&whole)))?;
    ensure!(output.status.success(), "`{}` failed ({})", command_line(&whole), output.status);
    let text =
        String::from_utf8(output.stdout).with_context(|| format!("`{}` printed no text", command_line(&whole)))?;
    ensure!(!text.trim().is_empty(), "`{}` printed nothing", command_line(&whole));
    Ok(Files::from([(path.to_owned(), text.into_bytes())]))
}

fn write(root: &Path, made: &Files) -> anyhow::Result<()> {
    for (path, bytes) in made {
        let target = root.join(path);
        if fs::read(&target).is_ok_and(|present| present == *bytes) {
            continue;
        }
        let folder = target.parent().expect("each generated file lies below the root");
        fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
        fs::write(&target, bytes).with_context(|| format!("could not write {path}"))?;
        println!("    wrote {path}");
    }
    Ok(())
}

fn check(root: &Path, made: &Files) -> anyhow::Result<()> {
    let stale: Vec<String> = made
        .iter()
        .filter_map(|(path, bytes)| match fs::read(root.join(path)) {
            Ok(present) => first_difference(&present, bytes).map(|line| format!("{path} differs from line {line} on")),
            Err(error) => Some(format!("{path} could not be read: {error}")),
        })
        .collect();
    if stale.is_empty() { Ok(()) } else { bail!("not current, run `cargo xtask codegen`: {}", stale.join("; ")) }
}

/// Returns the number of the first line in which the texts differ.
fn first_difference(present: &[u8], made: &[u8]) -> Option<usize> {
    if present == made {
        return None;
    }
    let lines = |bytes: &'_ [u8]| -> Vec<Vec<u8>> { bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() };
    let same = lines(present).iter().zip(&lines(made)).take_while(|(one, other)| one == other).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        let rows = [
            ("a\nb\n", "a\nb\n", None),
            ("a\nb\n", "a\nc\n", Some(2)),
            ("a\n", "a\nb\n", Some(2)),
            ("a\nb", "a\nb\n", Some(3)),
            ("", "a", Some(1)),
        ];
        for (present, made, expected) in rows {
            assert_eq!(first_difference(present.as_bytes(), made.as_bytes()), expected, "{present:?} and {made:?}");
        }
    }

    #[test]
    fn a_stale_or_missing_file_fails_the_check_and_writing_mends_it() {
        let root = std::env::temp_dir().join(format!("steersman-codegen-{}", std::process::id()));
        let made = Files::from([("docs/one.json".to_owned(), "{}\n".as_bytes().to_vec())]);
        let missing = check(&root, &made).unwrap_err().to_string();
        assert!(missing.contains("docs/one.json could not be read"), "{missing}");
        write(&root, &made).unwrap();
        check(&root, &made).unwrap();
        fs::write(root.join("docs/one.json"), "{\n}\n").unwrap();
        let stale = check(&root, &made).unwrap_err().to_string();
        assert!(stale.contains("docs/one.json differs from line 1 on"), "{stale}");
        fs::remove_dir_all(&root).unwrap();
    }
}
