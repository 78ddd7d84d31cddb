//! Laws and journeys of whole sessions, each module one subject.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod any_session;
mod budget;
mod delivery;
mod laws;
mod models;
mod prompts;
mod resume;
mod stand_ins;
mod streaming;
mod time;

use std::{collections::BTreeSet, fs, path::Path};

use steersman_tests::scenario::{FILES, OPTIONAL_FILES};

#[test]
fn no_scenario_lacks_a_file_and_no_file_is_forgotten() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let scenarios = names(&root.join("scenarios"));
    assert!(!scenarios.is_empty(), "there is no scenario");
    for scenario in scenarios {
        let mut found = names(&root.join("scenarios").join(&scenario));
        for file in FILES {
            assert!(found.remove(file), "tests/scenarios/{scenario} has no {file}");
        }
        found.retain(|file| !OPTIONAL_FILES.contains(&file.as_str()));
        assert!(found.is_empty(), "tests/scenarios/{scenario} has files that nothing reads: {found:?}");
    }
    let source = fs::read_to_string(root.join("sessions/main.rs")).unwrap();
    for module in names(&root.join("sessions")) {
        let name = module.strip_suffix(".rs").unwrap_or(&module);
        assert!(
            name == "main" || source.contains(&format!("mod {name};")),
            "tests/sessions/{module} is in no test binary"
        );
    }
}
