//! The commands with which an author looks into a running conversation.

use super::{ASK, file, steersman};

#[test]
fn an_author_sees_variables_decisions_calls_plan_and_route() {
    let script = file("looked.yaml", ASK);
    let replies = r#"{"reply":"More?","should_exit":true,"assessment":{"understanding_level":40},"variables":{"frequency":"often"}}
{"reply":"Thanks.","EXIT":true,"exit_reason":"a number was given","variables":{"frequency":"weekly"}}
"#;
    let llm = format!("replies:{}", file("looked.jsonl", replies));
    let typed = "/vars\n/why\n/calls\noften\n/vars\n/why\n/plan\nweekly\n/why\n/calls\n/route\n/plna\n/help\n/quit\nnever said\n";
    let ran = steersman(&["play", &script, "--llm", &llm], typed);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let parts = [
        "nothing is remembered yet",
        "no question has been answered yet",
        "no model has been called yet",
        "More?",
        "frequency = \"often\"  session, from ask, turn 1",
        "ask round 1: goes on",
        "- understanding_level >= 80 (is 40)",
        "> ask",
        "  pick",
        "Thanks.",
        "1. To the left",
        "ask round 2: exit_flag — a number was given",
        "2. judging for ask",
        "system: ",
        "user: weekly",
        "-> {\"reply\":\"Thanks.\"",
        "low, rigid score ",
        "there is no command /plna; did you mean /plan?",
        "/quit",
        "still waiting after 2 turns and 2 model calls",
    ];
    let mut rest = ran.out.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} does not come in its place in:\n{}", ran.out));
        rest = &rest[at + part.len()..];
    }
    assert!(!ran.out.contains("never said"));
}

#[test]
fn a_line_with_a_slash_is_a_message_where_inputs_come_from_a_file() {
    let script = file("looked-slash.yaml", ASK);
    let input = file("looked-slash.txt", "/vars\n");
    let ran = steersman(&["play", &script, "--input", &input, "--format", "jsonl"], "");
    assert!(ran.lines().iter().any(|event| event["role"] == "user" && event["text"] == "/vars"), "{}", ran.out);
}
