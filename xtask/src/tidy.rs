//! The architecture and the house rules that no compiler knows, checked over a picture of the workspace in memory.
//!
//! Each rule is a pure function from [`Workspace`] to what it found; only [`files`] touches the disk.

mod arrows;
mod environment;
mod files;
mod foreign;
mod layout;
mod manifests;
mod policy;
mod rooms;
mod size;
mod source;
mod wording;
mod workspace;

use anyhow::ensure;

use crate::step::{root, step};
use workspace::Workspace;

/// One place that a rule does not like.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    /// A file, or a file and its line.
    place: String,
    /// What is wrong there and what would be right.
    says: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Fails,
    Warns,
}

struct Rule {
    name: &'static str,
    weight: Weight,
    check: fn(&Workspace) -> Vec<Finding>,
}

const RULES: &[Rule] = &[
    Rule { name: "arrows", weight: Weight::Fails, check: arrows::forbidden },
    Rule { name: "cycles", weight: Weight::Fails, check: arrows::cycles },
    Rule { name: "allow-list", weight: Weight::Fails, check: foreign::outside_allow_list },
    Rule { name: "allow-list-unused", weight: Weight::Warns, check: foreign::unused_in_allow_list },
    Rule { name: "banned-crates", weight: Weight::Fails, check: foreign::banned },
    Rule { name: "pure-domain", weight: Weight::Fails, check: foreign::runtime_below_domain },
    Rule { name: "lints-inherited", weight: Weight::Fails, check: manifests::lints_not_inherited },
    Rule { name: "shared-dependencies", weight: Weight::Fails, check: manifests::not_inherited_everywhere },
    Rule { name: "shared-dependencies-unused", weight: Weight::Warns, check: manifests::inherited_nowhere },
    Rule { name: "adapters-apart", weight: Weight::Fails, check: rooms::shared },
    Rule { name: "top-level", weight: Weight::Fails, check: layout::top_level },
    Rule { name: "file-names", weight: Weight::Fails, check: layout::file_names },
    Rule { name: "first-line", weight: Weight::Fails, check: layout::first_line },
    Rule { name: "environment", weight: Weight::Fails, check: environment::reads },
    Rule { name: "wording", weight: Weight::Fails, check: wording::in_code },
    Rule { name: "exemptions-unused", weight: Weight::Fails, check: policy::unused_exemptions },
    Rule { name: "long-files", weight: Weight::Warns, check: size::long_files },
    Rule { name: "long-functions", weight: Weight::Warns, check: size::long_functions },
];

/// Checks the workspace on disk against all rules; fails if one that is not a warning found anything.
pub(crate) fn run() -> anyhow::Result<()> {
    step("tidy", || {
        let workspace = Workspace::from_files(files::read(&root())?)?;
        let mut failures = 0;
        for rule in RULES {
            for Finding { place, says } in (rule.check)(&workspace) {
                let word = match rule.weight {
                    Weight::Fails => "error",
                    Weight::Warns => "warning",
                };
                failures += usize::from(rule.weight == Weight::Fails);
                println!("{word}[{}]: {place}: {says}", rule.name);
            }
        }
        ensure!(failures == 0, "tidy found {failures} thing(s) to put right");
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_on_disk_is_tidy() {
        run().unwrap();
    }

    #[test]
    fn the_workspace_on_disk_is_seen_whole() {
        let workspace = Workspace::from_files(files::read(&root()).unwrap()).unwrap();
        let folders: Vec<&str> = workspace.members.iter().map(|member| member.folder.as_str()).collect();
        assert_eq!(folders, ["domain", "engine", "adapters", "proto", "application", "tests", "xtask"]);
        assert!(workspace.lock.iter().any(|package| package.name == "serde"));
        assert!(workspace.banned.contains_key("openssl"));
        assert!(workspace.sources.iter().any(|source| source.path == "xtask/src/tidy.rs"));
    }
}
