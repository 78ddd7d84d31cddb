//! Every row of the control tables is answered as it expects, and the kinds refuse what is no case of theirs.

use serde_json::{Value, json};
use steersman_domain::decide::{Verdict, kind};

const TABLES: [(&str, &str); 7] = [
    ("route", include_str!("cases/route.jsonl")),
    ("trigger", include_str!("cases/trigger.jsonl")),
    ("temperature", include_str!("cases/temperature.jsonl")),
    ("resistance", include_str!("cases/resistance.jsonl")),
    ("referral", include_str!("cases/referral.jsonl")),
    ("risk", include_str!("cases/risk.jsonl")),
    ("control", include_str!("cases/control.jsonl")),
];

/// Answers one line of a table; in the table `control` each line names its kind.
fn answer(table: &str, line: &str) -> (Verdict, Value) {
    let mut case: Value = serde_json::from_str(line).expect("a row is JSON");
    let fields = case.as_object_mut().expect("a row is an object");
    let kind_of_row = fields.shift_remove("kind");
    let name = kind_of_row.as_ref().and_then(Value::as_str).unwrap_or(table);
    let answer = kind(name).expect("a table is called after a kind").answer_case(case);
    (answer.verdict, answer.json)
}

#[test]
fn every_row_is_answered_as_it_expects() {
    let mut wrong = Vec::new();
    for (table, lines) in TABLES {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            assert!(line.contains("\"expected\""), "{table}: a row without an expectation cannot fail: {line}");
            let (verdict, json) = answer(table, line);
            if verdict != Verdict::Fine {
                wrong.push(format!("{table}: {line}\n    -> {json}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn temperatures_print_as_they_are_written_in_the_table() {
    for (total, message, printed) in
        [(0, 0.0, "0.78"), (5, 0.0, "0.66"), (0, 0.7, "0.2"), (12, 0.0, "0.12"), (15, 0.0, "0.1"), (0, 0.95, "null")]
    {
        let case = json!({"phq9_total": total, "chat_risk": message});
        let answer = kind("route").unwrap().answer_case(case);
        assert_eq!(answer.json["temperature"].to_string(), printed);
    }
}
