//! The schema of events is current, knows every kind and every word, and fits every event of every scenario.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value, json};
use steersman_adapters::events::{schema, schema_text};
use steersman_domain::session::{EventBody, IssueCode};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Lists what serde says that it would have taken.
fn expected_words(error: &serde_json::Error) -> BTreeSet<String> {
    let message = error.to_string();
    let (_, listed) = message.split_once("expected one of").expect("a closed list says what it takes");
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_committed_schema_is_current() {
    let committed = fs::read_to_string(root().join("docs/schema/events.schema.json")).unwrap();
    assert!(committed == schema_text(), "run `cargo xtask codegen`");
}

#[test]
fn every_kind_of_event_is_in_the_schema() {
    let unknown = serde_json::from_value::<EventBody>(json!({"type": "?"})).unwrap_err();
    let schema = schema();
    let described = schema["oneOf"].as_array().unwrap().iter().map(|kind| kind["title"].as_str().unwrap().to_owned());
    assert_eq!(described.collect::<BTreeSet<_>>(), expected_words(&unknown));
}

#[test]
fn closed_lists_have_all_their_words() {
    let unknown = serde_json::from_value::<IssueCode>(json!("?")).unwrap_err();
    let schema = schema();
    let issue = schema["oneOf"].as_array().unwrap().iter().find(|kind| kind["title"] == "issue").unwrap();
    let words: Vec<String> = serde_json::from_value(issue["properties"]["code"]["enum"].clone()).unwrap();
    assert_eq!(words.into_iter().collect::<BTreeSet<_>>(), expected_words(&unknown));
    let empty = |value: &Value| value.get("enum").is_some_and(|words| words.as_array().is_none_or(Vec::is_empty));
    let mut open = vec![&schema];
    while let Some(value) = open.pop() {
        assert!(!empty(value), "a closed list has no words: {value}");
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
}

#[test]
fn every_event_of_every_scenario_fits() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let mut seen = BTreeSet::new();
    for folder in fs::read_dir(root().join("tests/scenarios")).unwrap() {
        let path = folder.unwrap().path().join("events.jsonl");
        for (at, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let event: Value = serde_json::from_str(line).unwrap();
            if event["type"] == "summary" {
                continue;
            }
            seen.insert(event["type"].as_str().unwrap().to_owned());
            let mut odd = event.clone();
            odd["surprise"] = json!(1);
            assert!(validator.is_valid(&event), "{}:{}: {line}", path.display(), at + 1);
            assert!(!validator.is_valid(&odd), "an unknown field is no event");
        }
    }
    assert!(seen.len() > 15, "the scenarios show most kinds of events, not only {seen:?}");
}
