//! What authors are told about scripts that are wrong, and that scripts that are right load.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use steersman_adapters::scripts::{self, Loaded};
use steersman_domain::script::ActionKind;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is part of the crate");
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    files
}

fn snapshot(name: &str, loaded: &Loaded) {
    let (errors, warnings) = loaded.counts();
    let text = format!("{}\n\nerrors: {errors}, warnings: {warnings}", loaded.report(false));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("bad_scripts");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn each_bad_script_is_told_what_is_wrong_where_and_what_to_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_scripts");
    let files = files(&folder);
    assert!(files.len() > 40, "the folder of bad scripts is not empty");
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let loaded = scripts::load(&format!("{name}.yaml"), &fs::read(&path).unwrap());
        assert!(!loaded.defects.is_empty(), "{name}");
        for defect in &loaded.defects {
            assert!(defect.hint.is_some(), "{name}: `{}` says what to do next", defect.message);
        }
        assert_eq!(loaded.script.is_none(), loaded.counts().0 > 0, "{name}: a script with an error does not run");
        snapshot(name, &loaded);
    }
}

#[test]
fn a_file_that_is_no_text_is_told_so() {
    let utf16: Vec<u8> = "steersman: 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with_mark: Vec<u8> = [0xFF, 0xFE].into_iter().chain(utf16.clone()).collect();
    let cases: [(&str, Vec<u8>); 7] = [
        ("utf16", utf16),
        ("utf16_with_mark", with_mark),
        ("not_utf8", b"steersman: 1\ntitle: \xC4\xE3\xBA\xC3\n".to_vec()),
        ("control_character", b"steersman: 1\ntitle: a\x00b\n".to_vec()),
        ("too_large", vec![b'#'; (1 << 20) + 1]),
        ("nested_10000_blocks", format!("steersman: 1\nscript:\n  {}a\n", "- ".repeat(10_000)).into_bytes()),
        ("nested_10000", format!("steersman: 1\nscript: {}{}", "[".repeat(10_000), "]".repeat(10_000)).into_bytes()),
    ];
    for (name, bytes) in cases {
        let loaded = scripts::load(&format!("{name}.yaml"), &bytes);
        assert!(loaded.script.is_none() && loaded.defects.len() == 1, "{name}");
        snapshot(name, &loaded);
    }
}

#[test]
fn the_schema_is_current_and_accepts_what_loads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let written = fs::read_to_string(root.join("docs/schema/script.schema.json")).unwrap();
    assert!(
        written == scripts::schema_text(),
        "`steersman schema script` prints another schema than the committed one"
    );
    let validator = jsonschema::validator_for(&scripts::schema()).unwrap();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scripts")) {
        let bytes = fs::read(&path).unwrap();
        let loaded = scripts::load("good.yaml", &bytes);
        let (errors, _) = loaded.counts();
        assert!(errors == 0 && loaded.script.is_some(), "{}\n{}", path.display(), loaded.report(false));
        let json = scripts::as_json(&bytes).unwrap();
        let complaints: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(complaints.is_empty(), "{}: {complaints:?}", path.display());
    }
}

#[test]
fn the_good_script_of_every_key_has_every_key_that_the_schema_knows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scripts/every_key.yaml");
    let script = scripts::as_json(&fs::read(path).unwrap()).unwrap();
    let (mut known, mut used) = (BTreeSet::new(), BTreeSet::new());
    keys(&script, &mut |key, _| used.extend([key.to_owned()]));
    keys(&scripts::schema(), &mut |key, value| {
        if let ("properties", Some(properties)) = (key, value.as_object()) {
            let run = properties.iter().filter(|(_, property)| property.get("x-steersman-not-yet").is_none());
            known.extend(run.map(|(name, _)| name.clone()));
        }
    });
    assert_eq!(known.difference(&used).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn keys(json: &serde_json::Value, see: &mut impl FnMut(&str, &serde_json::Value)) {
    for (key, value) in json.as_object().into_iter().flatten() {
        see(key, value);
        keys(value, see);
    }
    for value in json.as_array().into_iter().flatten() {
        keys(value, see);
    }
}

#[test]
fn the_schema_refuses_unknown_keys() {
    let validator = jsonschema::validator_for(&scripts::schema()).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_scripts");
    for name in
        ["unknown_key", "two_kinds", "max_rounds", "control_keys", "wrong_kinds", "missing_keys", "unknown_kind"]
    {
        let json = scripts::as_json(&fs::read(folder.join(format!("{name}.yaml"))).unwrap()).unwrap();
        assert!(!validator.is_valid(&json), "{name}");
    }
}

#[test]
fn a_script_that_is_right_becomes_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scripts/every_key.yaml");
    let loaded = scripts::load("every_key.yaml", &fs::read(path).unwrap());
    assert_eq!(loaded.report(false), "", "no defect, not even a warning");
    let script = loaded.script.unwrap();
    let actions = &script.phases[0].topics[0].actions;
    let ids: Vec<_> = actions.iter().map(|action| action.id.as_str()).collect();
    let expected = "hello ai_ask_1 ai_ask_2 ai_say_1 ai_say_2 ai_say_3 ai_think_1 user_option_1 show_pic_1 set_1";
    assert_eq!(ids.join(" "), expected);
    let purposes: Vec<_> = actions
        .iter()
        .filter_map(|action| match &action.kind {
            ActionKind::AiSay(say) => Some((say.purpose.as_str(), say.dialogue.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(purposes, [("introduce_concept", true), ("comfort", false), ("answer", false)]);
    let ActionKind::AiAsk(ask) = &actions[1].kind else { panic!("the second action asks") };
    assert_eq!((ask.dialogue.policy.max_rounds, ask.outputs.len(), ask.collect.is_none()), (4, 3, true));
    assert_eq!(script.limits.idle.as_secs(), 30 * 86_400);
}

#[test]
fn line_endings_and_a_byte_order_mark_change_nothing() {
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scripts")) {
        let text = fs::read_to_string(path).unwrap();
        let plain = scripts::load("a.yaml", text.as_bytes());
        let windows = scripts::load("a.yaml", format!("\u{FEFF}{}", text.replace('\n', "\r\n")).as_bytes());
        assert_eq!((windows.script, windows.bounds), (plain.script, plain.bounds));
    }
}

#[test]
fn the_bounds_count_answers_and_calls_of_the_worst_case() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scripts/every_key.yaml");
    let bounds = scripts::load("every_key.yaml", &fs::read(path).unwrap()).bounds.unwrap();
    let costs: Vec<_> =
        bounds.phases[0].topics[0].actions.iter().map(|action| (action.cost.turns, action.cost.model_calls)).collect();
    // An acknowledgement; 4 judged answers and an extraction behind a fixed opening; 3 behind a written one; an
    // explanation with 2 answers; two utterances, a thought; 2 showings of a choice; nothing for the rest.
    assert_eq!(costs, [(1, 0), (4, 5), (3, 4), (2, 3), (0, 1), (0, 1), (0, 1), (2, 0), (0, 0), (0, 0)]);
    assert_eq!((bounds.script.turns, bounds.script.model_calls), (12, 15));
    assert_eq!((bounds.session.turns, bounds.session.model_calls), (60, 150));
}

#[test]
fn a_defect_is_json_with_its_place() {
    let loaded = scripts::load("a.yaml", "steersman: 1\nscript: a\ntitel: 你好\nphases: []\n".as_bytes());
    let json = serde_json::to_string(&loaded.defects[1]).unwrap();
    let expected = r#"{"file":"a.yaml","line":3,"column":1,"code":"unknown_key","severity":"error","message":"a script has no key `titel`","hint":"did you mean `title`?"}"#;
    assert_eq!(json, expected);
}

#[test]
fn no_script_key_weakens_control() {
    for key in
        ["route", "rigid_score", "thresholds", "crisis_text", "guardrails_enabled", "risk_floor", "Risk", "permit"]
    {
        for place in ["{}\n", "limits: {}\n", "x: 1\n"] {
            let place = place.replace("{}", &format!("{{{key}: low}}"));
            let text = format!("steersman: 1\nscript: a\n{key}: low\n{place}");
            let loaded = scripts::load("a.yaml", text.as_bytes());
            assert!(loaded.script.is_none(), "{text}");
        }
        let text = format!(
            "steersman: 1\nscript: a\n{key}: low\nphases: [{{phase: a, topics: [{{topic: a, actions: [{{say: a}}]}}]}}]\n"
        );
        let codes: Vec<_> = scripts::load("a.yaml", text.as_bytes()).defects.iter().map(|defect| defect.code).collect();
        assert_eq!(codes, ["control_key"], "{key}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_read_or_told_what_is_wrong(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let loaded = scripts::load("any.yaml", &bytes);
        prop_assert!(loaded.script.is_some() || !loaded.defects.is_empty());
        prop_assert_eq!(loaded.report(true).is_empty(), loaded.defects.is_empty());
    }

    #[test]
    fn any_damage_to_a_script_is_read_or_told(at in 0_usize..2600, cut in 0_usize..40, put in "[-:{}\\[\\]'\"|>&*!#%a 1\n\té你]{0,6}") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scripts/every_key.yaml");
        let mut text: Vec<char> = fs::read_to_string(path).unwrap().chars().collect();
        let at = at.min(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, put.chars());
        let text: String = text.into_iter().collect();
        let loaded = scripts::load("damaged.yaml", text.as_bytes());
        prop_assert!(loaded.script.is_some() || loaded.counts().0 > 0);
        prop_assert!(loaded.defects.len() <= 50);
        for defect in &loaded.defects {
            prop_assert!(defect.line >= 1 && defect.line <= text.matches('\n').count() + 2, "{defect:?}");
        }
        prop_assert_eq!(loaded.report(false).is_empty(), loaded.defects.is_empty());
    }
}
