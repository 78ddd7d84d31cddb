//! The Rust example, run as its readers would run it.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::served::Served;

#[test]
fn the_example_talks_a_session_through_over_the_wire() {
    let served = Served::offline();
    let mut talk = Command::new(env!("CARGO_BIN_EXE_remote_conversation"))
        .args(["demo", &format!("http://{}", served.address)])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    talk.stdin.take().unwrap().write_all(b"Kim\npottery\nweekends\n").unwrap();
    let output = talk.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let asked = ["What is your name?", "What would you like to learn?", "When?", "See you soon."];
    let places: Vec<_> = asked.iter().map(|words| said.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{said}");
}
