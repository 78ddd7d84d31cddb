//! The shipped examples end within 40 messages whatever harmless thing is said.

use std::fs;

use super::{root, steersman};

const MESSAGES: usize = 40;

fn scripts() -> Vec<String> {
    let folders = fs::read_dir(root().join("examples")).unwrap();
    let scripts: Vec<String> =
        folders.map(|folder| folder.unwrap().path().join("script.yaml").to_str().unwrap().to_owned()).collect();
    assert!(scripts.len() >= 2, "{scripts:?}");
    scripts
}

fn completes(script: &str, typed: &str, said: &str) {
    let ran = steersman(&["play", script, "--format", "jsonl", "-q"], typed);
    assert_eq!(ran.code, 0, "{said}: {}", ran.err);
    let summary = ran.summary();
    assert_eq!(summary["status"], "completed", "{script}, saying {said}: {summary}");
    assert!(summary["turns"].as_u64().unwrap() <= 40);
    let unset = ran.lines().into_iter().find(|event| event["code"] == "unset_variable");
    assert_eq!(unset, None, "{script}, saying {said}");
}

#[test]
fn every_example_ends_when_the_same_sentence_is_said_again_and_again() {
    let sentences = [
        "I have slept badly for three weeks.",
        "我最近总是睡不好，一周大概有三四次。",
        "a",
        "好",
        "嗯",
        "ok",
        "3",
        "12.5",
        "😀",
        "……",
        "?!",
        "{name} {%history%} {{x}} ${y}",
        "{\"a\": 1, \"b\": [2]} is what I mean",
        "My e-mail is a@example.org; DROP TABLE people;--",
        "\u{202e}backwards\u{202c} e\u{301}",
        "none of these",
    ];
    for script in scripts() {
        for sentence in sentences {
            completes(&script, &format!("{sentence}\n").repeat(MESSAGES), sentence);
        }
        let long = "很长的一句话 and more ".repeat(250);
        completes(&script, &format!("{long}\n").repeat(MESSAGES), "something very long");
        completes(&script, &format!("{}\n", "e\u{301}\u{302}".repeat(1_000)).repeat(MESSAGES), "many combining marks");
    }
}

#[test]
fn every_example_ends_when_something_else_is_said_each_time() {
    let zh = [
        "叫我小林吧",
        "睡眠",
        "夜里两三点就醒，醒了就睡不着",
        "差不多每天",
        "外婆带大的，她很温和",
        "还有妈妈",
        "没有了",
        "谢谢",
    ];
    let en = [
        "Robin",
        "I want to learn how to turn a bowl",
        "4",
        "Open bench",
        "fine",
        "what about gloves?",
        "clear",
        "bye now",
    ];
    let odd = ["1", "😀😀", "{x}", "no", "maybe later", "为什么要问这个", "x".repeat(3_000).leak(), "2"];
    for script in scripts() {
        for talk in [&zh[..], &en[..], &odd[..]] {
            let typed: Vec<&str> = talk.iter().copied().cycle().take(MESSAGES).collect();
            completes(&script, &(typed.join("\n") + "\n"), talk[0]);
        }
    }
}

#[test]
fn blank_messages_are_asked_again_and_the_rest_still_ends() {
    for script in scripts() {
        completes(&script, &"\n  \nthree times a week\n".repeat(40), "something now and then");
    }
}

#[test]
fn the_command_of_the_readme_plays_in_text() {
    let ran =
        steersman(&["play", "examples/intake/script.yaml"], &"I have slept badly for three weeks.\n".repeat(MESSAGES));
    assert_eq!(ran.code, 0, "{}", ran.err);
    for part in ["人工智能助手", "离线替身", "我该怎么称呼你？", "1. ", "completed after"] {
        assert!(ran.out.contains(part), "{part} is missing in:\n{}", ran.out);
    }
}
