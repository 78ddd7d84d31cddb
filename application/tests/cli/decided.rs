//! `decide`: one JSON line per case.

use super::{file, steersman};

#[test]
fn every_row_of_the_exit_table_matches() {
    let ran = steersman(&["decide", "exit", "domain/tests/cases/exit.jsonl"], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let rows =
        include_str!("../../../domain/tests/cases/exit.jsonl").lines().filter(|row| !row.trim().is_empty()).count();
    assert_eq!(ran.lines().len(), rows);
    assert!(rows >= 10 && ran.lines().iter().all(|line| line["match"] == true));
}

#[test]
fn a_bad_case_is_answered_in_its_place_and_the_rest_go_on() {
    let cases = r#"{"kind": "ai_ask", "round": 1, "max_rounds": 3, "exit_flag": true}
{"kind": "ai_ask", "round": 1, "max_rounds": 3, "exit_falg": true}
nonsense
{"name": "wrong", "input": {"kind": "ai_ask", "round": 3, "max_rounds": 3}, "expected": {"source": "exit_flag"}}
{"name": "right", "input": {"kind": "ai_ask", "round": 3, "max_rounds": 3}, "expected": {"source": "max_rounds"}}
"#;
    let ran = steersman(&["decide", "exit", "-"], cases);
    let lines = ran.lines();
    assert_eq!((ran.code, lines.len()), (1, 5));
    assert_eq!(lines[0]["source"], "exit_flag");
    assert_eq!(lines[1]["error"]["code"], "unknown_key");
    assert!(lines[1]["error"]["message"].as_str().unwrap().contains("did you mean `exit_flag`?"), "{}", lines[1]);
    assert_eq!(lines[2]["error"]["code"], "invalid_json");
    assert_eq!((&lines[3]["name"], &lines[3]["match"]), (&"wrong".into(), &false.into()));
    assert_eq!((&lines[4]["name"], &lines[4]["match"]), (&"right".into(), &true.into()));
}

#[test]
fn the_exit_code_says_whether_all_was_decided_as_expected() {
    let rows = [
        (r#"{"kind": "ai_ask", "round": 1, "max_rounds": 3}"#, 0),
        (r#"{"input": {"kind": "ai_ask", "round": 1}, "expected": {"error": {"code": "invalid_input"}}}"#, 0),
        (r#"{"kind": "ai_ask"}"#, 1),
    ];
    for (row, code) in rows {
        let ran = steersman(&["decide", "exit"], row);
        assert_eq!(ran.code, code, "{row}\n{}", ran.out);
    }
    assert_eq!(steersman(&["decide", "exit", &file("none.jsonl", "")], "").out, "");
}

#[test]
fn an_unknown_kind_or_a_missing_file_is_told_on_standard_error() {
    let ran = steersman(&["decide", "exti"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("did you mean `exit`?"), "{}", ran.err);
    let ran = steersman(&["decide", "exit", "no/such/file"], "");
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("no/such/file"), "{}", ran.err);
}
