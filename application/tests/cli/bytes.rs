//! `play --format jsonl`, `--export` and `replay`: the same bytes again, and what differs is told.

use std::fs;

use serde_json::Value;

use super::{ASK, file, place, steersman};

const REPLIES: &str = r#"{"reply":"More?","variables":{"frequency":"sometimes"}}
{"fault":"500"}
{"reply":"Thanks.","EXIT":true,"exit_reason":"a number was given","variables":{"frequency":"weekly"}}
"#;
const INPUT: &str = "now and then\n{\"text\":\"weekly\"}\n{\"choose\":\"right\"}\n{\"ack\":true}\nignored\n";

fn play(script: &str, more: &[&str]) -> super::Ran {
    let replies = format!("replies:{}", file("bytes-replies.jsonl", REPLIES));
    let input = file("bytes-input.jsonl", INPUT);
    let mut arguments = vec!["play", script, "--llm", &replies, "--input", &input, "--format", "jsonl"];
    arguments.extend(["--now", "2026-01-05T09:00:00Z", "--seed", "7"]);
    arguments.extend(more);
    steersman(&arguments, "")
}

#[test]
fn two_runs_with_the_same_time_and_seed_give_the_same_bytes() {
    let script = file("bytes.yaml", ASK);
    let (first, second) = (play(&script, &[]), play(&script, &[]));
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    assert_eq!(first.out, second.out);
    let lines = first.lines();
    for (at, event) in lines[..lines.len() - 1].iter().enumerate() {
        assert_eq!(event["seq"], at + 1);
        assert_eq!(event["at"], "2026-01-05T09:00:00.000Z");
        let keys: Vec<&str> = event.as_object().unwrap().keys().take(4).map(String::as_str).collect();
        assert_eq!(keys, ["seq", "turn", "at", "type"]);
    }
    let summary = first.summary();
    let keys: Vec<&str> = summary.as_object().unwrap().keys().map(String::as_str).collect();
    let documented = [
        "type",
        "status",
        "position",
        "exit_reason",
        "exit_decision_source",
        "variables",
        "route",
        "rigid_score",
        "turns",
        "model_calls",
    ];
    assert_eq!(keys, documented);
    assert_eq!((&summary["status"], &summary["turns"]), (&"completed".into(), &4.into()));
    assert_eq!(summary["exit_reason"], "a number was given");
    assert_eq!(summary["variables"]["session"]["frequency"], "weekly");
}

#[test]
fn another_seed_is_another_session() {
    let script = file("bytes-seed.yaml", ASK);
    let (first, second) = (play(&script, &[]), play(&script, &["--record", "none"]));
    let prompts = |ran: &super::Ran| ran.lines().iter().filter(|line| line.get("prompt").is_some()).count();
    assert_eq!((prompts(&first), prompts(&second)), (3, 0), "attempts with their prompts");
    let id = |ran: &super::Ran| ran.lines()[0]["session_id"].as_str().unwrap().to_owned();
    assert_eq!(id(&first), id(&second));
    let other = steersman(&["play", &script, "--format", "jsonl", "--now", "2026-01-05T09:00:00Z", "--seed", "8"], "");
    assert_ne!(id(&first), id(&other));
}

#[test]
fn an_export_replays_and_a_tampered_one_is_told_at_its_first_difference() {
    let script = file("bytes-export.yaml", ASK);
    let export = place("bytes-export.jsonl");
    assert_eq!(play(&script, &["--export", &export]).code, 0);
    let ran = steersman(&["replay", &export], "");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let text = fs::read_to_string(&export).unwrap();
    let changed = |name: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from} is not in the export");
        let path = file(name, &text.replacen(from, to, 1));
        steersman(&["replay", &path], "")
    };
    let seq = |reason: &str| {
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone());
        let event = events.into_iter().find(|event| event["reason"] == reason).unwrap();
        format!("event {} differs", event["seq"])
    };
    let ran = changed("tampered-event.jsonl", "\"reason\":\"a number was given\"", "\"reason\":\"nothing was given\"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains(&seq("a number was given")), "{}", ran.err);
    assert!(ran.err.contains("nothing was given") && ran.err.contains("replayed"), "{}", ran.err);
    let ran = changed("tampered-input.jsonl", "\\\"frequency\\\":\\\"weekly\\\"", "\\\"frequency\\\":\\\"daily\\\"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("differs"), "{}", ran.err);
    let ran = changed("tampered-script.jsonl", "How often does it happen?", "How often?");
    assert_eq!(ran.code, 1);
    let last = text.lines().last().unwrap().to_owned() + "\n";
    let ran = changed("tampered-end.jsonl", &last, "");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("recorded: nothing"), "{}", ran.err);
    let ran = steersman(&["replay", &file("no-export.jsonl", "hello\n")], "");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no-export.jsonl:1"), "{}", ran.err);
}

#[test]
fn a_replay_by_other_packs_says_so_and_decides_by_what_is_here() {
    let script = file("bytes-basis.yaml", ASK);
    let export = place("bytes-basis.jsonl");
    assert_eq!(play(&script, &["--export", &export]).code, 0);
    let text = fs::read_to_string(&export).unwrap();
    let Some((_, rest)) = text.split_once(r#""packs":""#) else { panic!("the journal names no packs") };
    let packs = rest.split('"').next().unwrap();
    let ran = steersman(&["replay", &file("bytes-other-packs.jsonl", &text.replace(packs, "another"))], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, "recorded with other packs; a decision may differ for that\n"));
}

#[test]
fn what_stands_behind_a_conversation_is_told_when_asked_for() {
    let script = file("bytes-verbose.yaml", ASK);
    let ran = play(&script, &["--verbose"]);
    for told in ["words by replies:", "judging: replies, attempt 2", "model_fault: judging, attempt 1 of 3"] {
        assert!(ran.err.contains(told), "{told} is not in {}", ran.err);
    }
    assert_eq!(ran.out, play(&script, &[]).out, "the data is the same");
}

#[test]
fn replies_that_run_out_end_with_exit_code_3_and_the_summary_of_what_was_kept() {
    let script = file("bytes-short.yaml", ASK);
    let replies = format!(
        "replies:{}",
        file("bytes-short.jsonl", "{\"reply\":\"More?\",\"variables\":{\"frequency\":\"often\"}}\n")
    );
    let ran = steersman(&["play", &script, "--llm", &replies, "--format", "jsonl"], "often\nvery\nvery\n");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("used up after 1 lines") && ran.err.contains("`judging` of action `ask`"), "{}", ran.err);
    let summary = ran.summary();
    assert_eq!((&summary["status"], &summary["turns"]), (&"error".into(), &1.into()));
    assert_eq!(summary["variables"]["session"]["frequency"], "often");
    assert_eq!(summary["position"]["round"], 2);
}

#[test]
fn a_line_that_the_session_does_not_take_is_told_and_the_next_goes_on() {
    let script = file("bytes-refused.yaml", ASK);
    let long = "x".repeat(8 * 1024 + 1);
    let input = format!(
        "{{\"choose\":\"left\"}}\n{{\"ack\":true}}\n{long}\nweekly\n{{\"choose\":\"up\"}}\n{{\"choose\":\"left\"}}\n"
    );
    let ran = steersman(&["play", &script, "--format", "jsonl"], &input);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.err.matches("not taken: ").count(), 4, "{}", ran.err);
    assert!(ran.err.contains("there are left, right") && ran.err.contains("8193 bytes"), "{}", ran.err);
    assert_eq!(ran.summary()["variables"]["topic"]["way"], "left");
}

#[test]
fn what_a_flag_cannot_be_is_a_usage_error_before_anything_runs() {
    let script = file("bytes-usage.yaml", ASK);
    let broken = format!("replies:{}", file("bytes-broken.jsonl", "{\"fault\":\"nap\"}\n"));
    let rows: [(&[&str], &str); 8] = [
        (&["--llm", "ofline"], "offline"),
        (&["--llm", &broken], "no fault is called `nap`"),
        (&["--set", "frequncy=x"], "did you mean `frequency`?"),
        (&["--set", "visits=three"], "`visits` takes a number"),
        (&["--set", "visits"], "NAME=VALUE"),
        (&["--country", "Germany"], "two letters"),
        (&["--now", "yesterday"], "--now"),
        (&["--locale", "fr"], "zh-CN"),
    ];
    for (flags, said) in rows {
        let arguments: Vec<&str> = ["play", &script].into_iter().chain(flags.iter().copied()).collect();
        let ran = steersman(&arguments, "hello\n");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{flags:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{flags:?}: {}", ran.err);
    }
    let ran = steersman(&["play", "no/such/script.yaml"], "");
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
}
