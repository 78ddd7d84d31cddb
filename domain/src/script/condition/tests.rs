//! Tables of conditions: what they mean, what they read, and what is said about those that are wrong.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

struct Table(BTreeMap<String, Value>);

impl Lookup for Table {
    fn value(&self, name: &str) -> Option<Value> {
        self.0.get(name).cloned()
    }
}

fn table() -> Table {
    let entries: [(&str, Json); 12] = [
        ("mood", json!("calm")),
        ("名字", json!("小安")),
        ("n", json!(3)),
        ("n_text", json!("10")),
        ("yes", json!(true)),
        ("off", json!(false)),
        ("zero", json!(0)),
        ("list", json!(["a", "b"])),
        ("nothing", json!(null)),
        ("result.outcome", json!("blocked")),
        ("time_left", json!(119)),
        ("phase.attained(welcome)", json!(true)),
    ];
    Table(entries.into_iter().map(|(name, value)| (name.to_owned(), Value::new(value))).collect())
}

#[test]
fn a_condition_means_what_it_says() {
    let cases = [
        (r#"mood == "calm""#, true),
        ("mood == 'calm'", true),
        ("mood === 'calm'", true),
        ("mood !== 'calm'", false),
        ("mood != 'angry'", true),
        ("{mood} == 'calm' and ${mood} == 'calm' && {{ mood }} == 'calm'", true),
        ("名字 == \"小安\"", true),
        ("'calm' == mood", true),
        ("n > 2 and n <= 3", true),
        ("n < 2 or n >= 3", true),
        ("n < 2 || n >= 3", true),
        ("n == 3.0", true),
        ("n == -3", false),
        ("n_text > 9", true),
        ("n_text > '9'", false),
        ("list contains 'b'", true),
        ("mood contains 'al'", true),
        ("exists(mood)", true),
        ("exists({mood})", true),
        ("exists( zero ) and exists(off)", true),
        ("exists(nothing)", false),
        ("not exists(missing)", true),
        ("!exists(missing)", true),
        ("yes == true and off == false", true),
        ("result.outcome == 'blocked'", true),
        ("time_left < 2min", true),
        ("time_left < 1h", true),
        ("time_left < 30s", false),
        ("time_left == 119s", true),
        ("phase.attained(welcome)", true),
        ("phase.attained( welcome ) == true", true),
        ("not phase.attained(welcome)", false),
        ("true", true),
        ("false or yes == true", true),
        (r#"mood == "ca\"lm""#, false),
        // `not` binds closest, then `and`, then `or`.
        ("not mood == 'calm' or yes == true", true),
        ("yes == true or yes == true and off == true", true),
        ("(yes == true or yes == true) and off == true", false),
        ("not (mood == 'calm' and n == 4)", true),
        ("not not mood == 'calm'", true),
    ];
    for (source, met) in cases {
        let condition = Condition::parse(source).unwrap_or_else(|error| panic!("{source}: {error:?}"));
        assert_eq!(condition.test(&table()), Tested { met, mismatches: vec![] }, "{source}");
    }
}

#[test]
fn what_cannot_be_compared_is_false_and_recorded_and_its_negation_is_true() {
    let cases: [(&str, bool, &[&str]); 9] = [
        ("missing == 'x'", false, &["missing == 'x'"]),
        ("missing != 'x'", false, &["missing != 'x'"]),
        ("nothing == 'x'", false, &["nothing == 'x'"]),
        ("not missing == 'x'", true, &["missing == 'x'"]),
        ("mood > 3", false, &["mood > 3"]),
        ("yes == 'true' or mood == 'calm'", true, &["yes == 'true'"]),
        ("mood == 'calm' or missing == 1", true, &[]),
        ("exists(missing) and missing == 1", false, &[]),
        ("phase.attained(gone)", false, &["phase.attained(gone)"]),
    ];
    for (source, met, mismatches) in cases {
        let tested = Condition::parse(source).unwrap().test(&table());
        assert_eq!(
            (tested.met, tested.mismatches),
            (met, mismatches.iter().map(ToString::to_string).collect()),
            "{source}"
        );
    }
}

#[test]
fn a_wrong_condition_is_told_where_and_what_would_be_right() {
    let cases = [
        ("", 0, "is empty", "looks like"),
        ("  ", 0, "is empty", "looks like"),
        ("mood", 0, "alone is no condition", "exists(mood)"),
        ("mood = 'calm'", 5, "`=` has no meaning", "`==`"),
        ("mood == calm'", 12, "no closing quote", "close it"),
        ("mood == 'calm", 8, "no closing quote", "close it"),
        ("mood ==", 7, "missing after `==`", ""),
        ("== 'calm'", 0, "missing before `==`", ""),
        ("mood == 'calm' and", 18, "missing here", ""),
        ("mood == 'calm' AND n == 3", 15, "`AND` is not understood", "`and`"),
        ("mood is 'calm'", 5, "`is` is not understood", "`==`"),
        ("(mood == 'calm'", 0, "not closed", "`)`"),
        ("mood == 'calm')", 14, "closes nothing", ""),
        ("1 < n < 3", 6, "goes on", "and"),
        ("'a' == 'a'", 0, "two fixed values", "without quotes"),
        ("mood == “calm”", 8, "no meaning", "plain quotes"),
        ("mood == null", 8, "null", "exists(x)"),
        ("exists mood", 0, "in brackets", "exists(mood)"),
        ("exists('mood')", 7, "in brackets", "exists(mood)"),
        ("len(mood) > 3", 0, "no question", "exists(x)"),
        ("n > 3x", 4, "neither a number nor a duration", "30s"),
        ("n > 1e999", 4, "neither a number", ""),
        ("n > .5", 4, "no number", "0.5"),
        ("n + 1 > 3", 2, "", ""),
        ("3", 0, "alone is no condition", "compare it"),
        ("{mood == 'calm'", 0, "enclose no name", "alone"),
        ("mood == 'calm' n == 3", 15, "not expected", "`and` or `or`"),
        ("a..b == 1", 0, "is no name", ""),
        ("mood == == 'x'", 8, "missing after", "one `==`"),
        ("小安 == 1 、 n == 2", 12, "no meaning", "operators"),
    ];
    for (source, offset, message, hint) in cases {
        let error = Condition::parse(source).expect_err(source);
        assert_eq!(error.offset, offset, "{source}: {error:?}");
        assert!(error.message.contains(message), "{source}: {error:?}");
        assert!(error.hint.contains(hint), "{source}: {error:?}");
    }
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = format!("{}a == 1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(Condition::parse(&deep).unwrap_err().message.contains("4096"));
    let deep = format!("{}a == 1{}", "(".repeat(100), ")".repeat(100));
    assert!(Condition::parse(&deep).unwrap_err().message.contains("deeper than"));
    assert!(Condition::parse(&format!("{}a == 1", "not ".repeat(100))).unwrap_err().message.contains("deeper than"));
    assert!(Condition::parse(&format!("{}a == 1{}", "(".repeat(20), ")".repeat(20))).is_ok());
}

#[test]
fn the_names_that_are_read_are_known_and_which_of_them_are_guarded() {
    let cases: [(&str, &[(&str, bool)]); 7] = [
        ("a == b", &[("a", false), ("b", false)]),
        ("exists(a)", &[("a", true)]),
        ("exists(a) and a == 1", &[("a", true), ("a", true)]),
        ("exists(a) or a == 1", &[("a", true), ("a", false)]),
        ("not exists(a) or a == 1", &[("a", true), ("a", true)]),
        ("a == 1 and a == b", &[("a", false), ("a", true), ("b", false)]),
        ("(exists(a) or exists(b)) and a == 1", &[("a", true), ("b", true), ("a", false)]),
    ];
    for (source, reads) in cases {
        let condition = Condition::parse(source).unwrap();
        let found: Vec<_> = condition.names().into_iter().map(|read| (read.name.text.as_str(), read.guarded)).collect();
        assert_eq!(found, reads, "{source}");
    }
}

#[test]
fn what_a_condition_proves_is_what_is_surely_set_where_it_holds() {
    let cases: [(&str, &[&str]); 6] = [
        ("a == 1", &["a"]),
        ("not a == 1", &[]),
        ("not not exists(a)", &["a"]),
        ("exists(a) and b == 1", &["a", "b"]),
        ("exists(a) and b == 1 or a == 2", &["a"]),
        ("not (not exists(a) or not exists(b))", &["a", "b"]),
    ];
    for (source, proven) in cases {
        let condition = Condition::parse(source).unwrap();
        assert_eq!(condition.proves().into_iter().collect::<Vec<_>>(), proven, "{source}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_condition_or_says_where_it_is_not(source in "([a-c名 ()'\"=!<>&|{}$.0-9]|and|or|not |exists|contains){0,24}") {
        match Condition::parse(&source) {
            Ok(condition) => {
                let tested = condition.test(&table());
                prop_assert!(tested.mismatches.iter().all(|written| source.contains(written.as_str())));
            }
            Err(error) => {
                prop_assert!(error.offset + error.length <= source.len());
                prop_assert!(source.is_char_boundary(error.offset) && source.is_char_boundary(error.offset + error.length));
                prop_assert!(!error.message.is_empty() && !error.hint.is_empty());
            }
        }
    }
}
