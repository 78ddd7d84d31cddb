//! What a terminal and a pipe may expect: quiet ends, colour only where it is wanted, data and remarks apart.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use super::{ASK, command, file, steersman};

#[test]
fn a_reader_that_leaves_after_the_first_line_is_no_error() {
    let script = file("pipe.yaml", ASK);
    for arguments in [
        &["play", &script, "--format", "jsonl"][..],
        &["schema"],
        &["check", "--format", "json", "examples"],
        &["completions", "bash"],
    ] {
        let mut child =
            command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut keyboard = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        out.read_line(&mut first).unwrap();
        drop(out);
        // The command may have ended already: its reader is gone.
        let _gone = keyboard.write_all("weekly\n".repeat(20).as_bytes()).is_err();
        drop(keyboard);
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn an_input_that_ends_early_leaves_the_session_waiting() {
    let script = file("early.yaml", ASK);
    let ran = steersman(&["play", &script, "--format", "jsonl"], "");
    assert_eq!(ran.code, 0);
    assert_eq!(ran.summary()["status"], "waiting_input");
    assert_eq!(ran.summary()["position"]["action"], "ask");
}

#[test]
fn a_last_line_without_its_end_counts() {
    let script = file("unended.yaml", ASK);
    let ran = steersman(&["play", &script, "--format", "jsonl"], "weekly");
    assert_eq!(ran.summary()["turns"], 1);
}

#[test]
fn colour_comes_only_where_it_is_wanted() {
    let script = file("colour.yaml", ASK);
    let plain = steersman(&["play", &script], "weekly\nleft\n\n");
    assert!(!plain.out.contains('\u{1b}') && !plain.err.contains('\u{1b}'));
    let coloured = steersman(&["--color", "always", "play", &script], "weekly\nleft\n\n");
    assert!(coloured.out.contains('\u{1b}'));
    let bad = file("colour-bad.yaml", "steersman: 1\n");
    assert!(!steersman(&["check", &bad], "").out.contains('\u{1b}'));
}

#[test]
fn standard_output_is_data_and_standard_error_is_the_rest() {
    let script = file("apart.yaml", &format!("{ASK}          - {{id: more, say: \"{{visits}}\"}}\n"));
    let ran = steersman(&["play", &script, "--format", "jsonl"], "weekly\n");
    assert!(ran.err.contains("warning"), "{}", ran.err);
    assert!(!ran.lines().is_empty());
    let quiet = steersman(&["-q", "play", &script, "--format", "jsonl"], "weekly\n");
    assert_eq!(quiet.err, "");
}

#[test]
fn a_command_that_there_is_not_is_a_usage_error() {
    let ran = steersman(&["paly"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("play"), "{}", ran.err);
    let ran = steersman(&["version"], "");
    assert_eq!((ran.code, ran.out.trim()), (0, concat!("steersman ", env!("CARGO_PKG_VERSION"))));
}
