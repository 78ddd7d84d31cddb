//! `check`: everything that is wrong, for people and for programs; and what the first steps lead to.

use super::{ASK, file, place, steersman};

#[test]
fn a_script_without_defects_passes_and_its_bounds_are_told() {
    let path = file("good.yaml", ASK);
    let ran = steersman(&["check", &path], "");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("at most 7 answers, 4 model calls"), "{}", ran.out);
}

#[test]
fn every_defect_is_told_with_its_place_and_the_exit_code_says_so() {
    let path = file("bad.yaml", &ASK.replace("max_rounds", "max_ronds").replace("locale: en", "locale: xx"));
    let text = steersman(&["check", &path], "");
    assert_eq!(text.code, 1);
    for part in ["bad.yaml:13:13", "did you mean `max_rounds`?", "bad.yaml:3:9", "unknown_key"] {
        assert!(text.out.contains(part), "{part} is missing in:\n{}{}", text.out, text.err);
    }
    let json = steersman(&["check", "--format", "json", &path], "");
    assert_eq!(json.code, 1);
    let lines = json.lines();
    let defect = lines.iter().find(|line| line["code"] == "unknown_key").unwrap();
    assert_eq!((&defect["line"], &defect["column"], &defect["severity"]), (&13.into(), &13.into(), &"error".into()));
    let keys: Vec<&String> = defect.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["file", "line", "column", "code", "severity", "message", "hint"]);
}

#[test]
fn warnings_pass_unless_they_are_denied() {
    let path = file("warned.yaml", &format!("{ASK}          - {{id: more, say: \"{{visits}}\"}}\n"));
    let ran = steersman(&["check", &path], "");
    assert_eq!(ran.code, 0, "{}", ran.out);
    let denied = steersman(&["check", &path, "--deny", "warnings"], "");
    assert_eq!(denied.code, 1);
    let json = steersman(&["check", "--format", "json", &path], "").lines();
    assert!(
        json.iter().any(|line| line["severity"] == "warning") && !json.iter().any(|line| line["severity"] == "error")
    );
}

#[test]
fn the_shipped_examples_have_neither_errors_nor_warnings() {
    let ran = steersman(&["check", "examples", "--deny", "warnings"], "");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn a_script_with_an_error_is_not_played() {
    let path = file("unplayed.yaml", &ASK.replace("user_option: way", "user_optoin: way"));
    let ran = steersman(&["play", &path], "hello\n");
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("nothing was run"), "{}", ran.err);
}

#[test]
fn the_printed_schema_is_the_committed_one() {
    let ran = steersman(&["schema"], "");
    assert_eq!((ran.code, ran.out), (0, include_str!("../../../docs/schema/script.schema.json").to_owned()));
}

#[test]
fn what_init_lays_out_passes_its_check_and_plays_to_its_end() {
    for locale in ["en", "zh-CN"] {
        let folder = place(&format!("init-{locale}"));
        if std::path::Path::new(&folder).exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        let ran = steersman(&["init", &folder, "--locale", locale], "");
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let checked = steersman(&["check", &folder, "--deny", "warnings"], "");
        assert_eq!(checked.code, 0, "{}", checked.out);
        let script = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.extension().is_some_and(|end| end == "yaml"));
        let script = script.unwrap();
        let played =
            steersman(&["play", script.to_str().unwrap(), "--format", "jsonl"], &"a plain answer\n".repeat(40));
        assert_eq!(played.summary()["status"], "completed");
        let again = steersman(&["init", &folder], "");
        assert_ne!(again.code, 0, "nothing is written over");
    }
}
