//! Which reads and writes of names are reported: a table of small scripts and the codes they get.

use steersman_adapters::scripts;

/// Builds a script of one topic from its declarations and its actions.
fn topic(declare: &str, actions: &[&str]) -> String {
    let actions = actions.iter().map(|action| format!("          - {action}\n")).collect::<Vec<_>>().concat();
    format!(
        "steersman: 1\nscript: a\nglobal: [{{var: clinic, value: Hill}}, {{var: nick, writable: true}}]\n\
         declare: [{declare}]\nphases:\n  - phase: p\n    topics:\n      - topic: t\n        actions:\n{actions}"
    )
}

fn codes(text: &str) -> Vec<String> {
    let loaded = scripts::load("a.yaml", text.as_bytes());
    loaded.defects.iter().map(|defect| format!("{} {}", defect.severity.as_str(), defect.code)).collect()
}

const ASK: &str = "{ai_ask: a, output: [{get: x, scope: session}]}";

#[test]
fn a_name_is_reported_where_it_is_unknown_or_may_be_unset_and_nowhere_else() {
    let cases: [(&str, &[&str], &[&str]); 24] = [
        ("", &["say: '{clinic}'"], &[]),
        ("", &["say: '{nick}'"], &["warning maybe_unset"]),
        ("", &["say: '{x}'"], &["error unknown_variable"]),
        ("{var: x, value: 0}", &["say: '{x}'"], &[]),
        ("{var: x, value: ''}", &["say: '{x}'"], &["warning maybe_unset"]),
        ("{var: x}", &["say: '{x}'"], &["warning maybe_unset"]),
        // One warning per name, not per place.
        ("{var: x}", &["say: '{x}{x}'", "{say: b, when: x == 1}"], &["warning maybe_unset"]),
        ("{var: x}", &["{say: a, when: exists(x)}"], &[]),
        ("{var: x}", &["{say: '{x}', when: exists(x)}"], &[]),
        ("{var: x}", &["{say: '{x}', when: x == 1}"], &["warning maybe_unset"]),
        ("{var: x}", &["{say: '{x}', when: not exists(x)}"], &["warning maybe_unset"]),
        ("{var: x}", &["{say: '{x}', when: exists(x) and x == 1}"], &[]),
        ("", &["{say: a, when: exists(x)}"], &["warning unknown_variable"]),
        ("", &[ASK, "say: '{x}'"], &["warning maybe_unset"]),
        ("", &["say: '{x}'", ASK], &["warning maybe_unset"]),
        ("", &["{set: x, value: 1}", "say: '{x}'"], &[]),
        ("", &["{set: x, value: 1, when: clinic == 'Hill'}", "say: '{x}'"], &["warning maybe_unset"]),
        ("", &["{set: x, value: '{clinic}'}", "say: '{x}'"], &[]),
        ("", &["{user_option: x, ask: a, choices: [{b: b}, {c: c}]}", "{say: d, when: x == 'b'}"], &[]),
        ("", &["{user_option: x, ask: a, choices: [{b: b}, {c: c}]}", "say: '{x}'"], &["warning maybe_unset"]),
        // A criterion waits for what its own action collects.
        (
            "",
            &[
                "{ai_ask: a, output: [{get: x, scope: session}], exit_criteria: {custom_conditions: [{variable: x, operator: '==', value: 1}]}}",
            ],
            &[],
        ),
        // The fields of a record are no variables.
        (
            "{var: l, value: []}",
            &["{ai_ask: a, collect: l, output: [{get: x}]}", "say: '{x}'"],
            &["error unknown_variable"],
        ),
        ("", &["{set: clinic, value: b}"], &["error read_only"]),
        ("", &["{set: nick, value: b}", "say: '{nick}'"], &[]),
    ];
    for (declare, actions, expected) in cases {
        let text = topic(declare, actions);
        assert_eq!(codes(&text), expected, "{text}");
    }
}

#[test]
fn what_is_set_where_it_may_be_skipped_may_be_unset_elsewhere() {
    let script = |when: &str, set: &str| {
        format!(
            "steersman: 1\nscript: a\ndeclare: [{{var: x}}, {{var: y, value: 1}}]\nphases:\n  - phase: p\n    topics:\n      - topic: s\n{when}        actions:\n          \
             - {{set: x, value: {set}}}\n          - say: '{{x}}'\n      - topic: t\n        actions: [{{say: '{{x}}'}}]\n"
        )
    };
    assert_eq!(codes(&script("", "1")), [""; 0]);
    assert_eq!(codes(&script("        when: y == 1\n", "1")), ["warning maybe_unset"]);
    assert_eq!(codes(&script("", "''")), ["warning sets_nothing", "warning maybe_unset"]);
}

#[test]
fn the_kinds_of_a_comparison_are_only_held_against_an_explicit_type() {
    let cases: [(&str, &str, bool); 12] = [
        ("{var: x, type: number, value: 1}", "x == '1'", true),
        ("{var: x, type: number, value: 1}", "x > 'ten'", false),
        ("{var: x, type: string, value: a}", "x > 3", true),
        ("{var: x, type: string, value: a}", "x == true", false),
        ("{var: x, value: 1}", "x == true", true),
        ("{var: x, type: boolean, value: true}", "x == true", true),
        ("{var: x, type: boolean, value: true}", "x < true", false),
        ("{var: x, type: list, value: []}", "x contains 'a'", true),
        ("{var: x, type: list, value: []}", "x == 'a'", false),
        ("{var: x, type: string, value: a}", "x contains 3", true),
        ("{var: x, type: object, value: {}}", "x contains 'a'", false),
        ("{var: x, type: string, value: a}, {var: y, type: boolean, value: true}", "x == y", false),
    ];
    for (declare, when, fits) in cases {
        let text = topic(declare, &[&format!("{{say: a, when: {when}}}")]);
        let expected: &[&str] = if fits { &[] } else { &["error type_mismatch"] };
        assert_eq!(codes(&text), expected, "{declare} {when}");
    }
}
