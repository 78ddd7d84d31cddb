//! What authors are told about scenarios that are wrong, and that scenarios that are right load.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use steersman_adapters::scripts::{
    self,
    scenario::{self, Loaded},
};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
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
    settings.set_snapshot_path("bad_scenarios");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn each_bad_scenario_is_told_what_is_wrong_where_and_what_to_do() {
    let files = files("bad_scenarios");
    assert!(files.len() > 10, "the folder of bad scenarios is not empty");
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let loaded = scenario::load(&format!("{name}.yaml"), &fs::read(&path).unwrap());
        assert!(!loaded.defects.is_empty(), "{name}");
        for defect in &loaded.defects {
            assert!(defect.hint.is_some(), "{name}: `{}` says what to do next", defect.message);
        }
        assert_eq!(loaded.scenario.is_none(), loaded.counts().0 > 0, "{name}: with an error it does not run");
        assert_eq!(loaded.bound.is_some(), loaded.scenario.is_some(), "{name}");
        snapshot(name, &loaded);
    }
}

#[test]
fn good_scenarios_load_and_say_how_long_they_can_last() {
    for (path, bound) in files("good_scenarios").iter().zip([
        // Each phase: three decisions a round, four a round of the threshold, two to close; once more for one rollback.
        2 * ((4 + 20 + 12 + 4 + 4) * 3 + 5 * (2 * 4 + 2)),
        3 + 3 * 4 + 2,
    ]) {
        let bytes = fs::read(path).unwrap();
        let loaded = scenario::load("good.yaml", &bytes);
        assert_eq!(loaded.defects, [], "{}\n{}", path.display(), loaded.report(false));
        assert_eq!(loaded.bound, Some(bound), "{}", path.display());
        assert!(scenario::is_scenario(&bytes));
    }
    assert!(!scenario::is_scenario(b"steersman: 1\nscript: a\n"));
}

#[test]
fn the_schema_is_current_accepts_what_loads_and_refuses_what_does_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let written = fs::read_to_string(root.join("docs/schema/scenario.schema.json")).unwrap();
    assert!(
        written == scenario::schema_text(),
        "`steersman schema scenario` prints another schema than the committed one"
    );
    let validator = jsonschema::validator_for(&scenario::schema()).unwrap();
    for (folder, names, valid) in [
        // The checker takes phase types in any letter case, the schema names one.
        ("good_scenarios", &["every_key"][..], true),
        (
            "bad_scenarios",
            &["missing_keys", "unknown_keys", "values", "nobody", "newer_language", "wrong_kinds"],
            false,
        ),
    ] {
        for name in names {
            let path = format!("{}/tests/{folder}/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
            let json = scripts::as_json(&fs::read(path).unwrap()).unwrap_or_default();
            assert_eq!(validator.is_valid(&json), valid, "{name}");
        }
    }
}

#[test]
fn the_good_scenario_of_every_key_has_every_key_that_the_schema_knows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scenarios/every_key.yaml");
    let scenario = scripts::as_json(&fs::read(path).unwrap()).unwrap();
    let (mut known, mut used) = (BTreeSet::new(), BTreeSet::new());
    keys(&scenario, &mut |key, _| used.extend([key.to_owned()]));
    keys(&scenario::schema(), &mut |key, value| {
        if let ("properties", Some(properties)) = (key, value.as_object()) {
            known.extend(properties.keys().cloned());
        }
    });
    assert!(known.len() > 20);
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn a_damaged_scenario_never_panics(cut in 0..900_usize, insert in ".{0,8}", length in 0..40_usize) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_scenarios/every_key.yaml");
        let mut text: Vec<char> = fs::read_to_string(path).unwrap().chars().collect();
        let start = cut.min(text.len());
        let end = (start + length).min(text.len());
        text.splice(start..end, insert.chars());
        let text: String = text.into_iter().collect();
        let loaded = scenario::load("damaged.yaml", text.as_bytes());
        prop_assert_eq!(loaded.scenario.is_none(), loaded.counts().0 > 0);
    }
}
