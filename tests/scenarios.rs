//! Plays every folder below `scenarios`. Adding one needs no Rust; `UPDATE_SCENARIOS=1` writes `events.jsonl` anew.

use std::path::Path;

use steersman_tests::scenario::{Golden, play};

fn scenario(script: &Path) -> datatest_stable::Result<()> {
    let folder = script.parent().ok_or("a script lies in a folder")?;
    #[expect(clippy::disallowed_methods, reason = "a test has no settings but the environment")]
    let golden = match std::env::var_os("UPDATE_SCENARIOS") {
        Some(_) => Golden::Rewritten,
        None => Golden::Compared,
    };
    Ok(play(folder, golden)?)
}

datatest_stable::harness! {
    { test = scenario, root = "scenarios", pattern = r"script\.yaml$" },
}
