//! Where things lie and what they are called: a fixed top level, files named by subject, each with a first sentence.

use std::collections::BTreeSet;

use super::{Finding, workspace::Workspace};

/// Everything that may lie at the top of the repository.
const TOP_LEVEL: &[&str] = &[
    ".cargo",
    ".ci",
    ".editorconfig",
    ".gitattributes",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "adapters",
    "application",
    "clients",
    "clippy.toml",
    "deny.toml",
    "docs",
    "domain",
    "engine",
    "examples",
    "proto",
    "rustfmt.toml",
    "tests",
    "xtask",
];

/// Names that say nothing about what is inside, as a file or as a folder.
const NAMES_OF_NOTHING: &[&str] = &["mod", "utils", "util", "common", "types", "helpers", "helper"];

/// Finds files and folders at the top that do not belong there.
pub(crate) fn top_level(workspace: &Workspace) -> Vec<Finding> {
    let entries: BTreeSet<&str> = workspace.paths.iter().filter_map(|path| path.split('/').next()).collect();
    entries
        .into_iter()
        .filter(|entry| !TOP_LEVEL.contains(entry))
        .map(|entry| {
            let says = "does not belong at the top; put it below a crate, docs or examples".to_owned();
            Finding { place: entry.to_owned(), says }
        })
        .collect()
}

/// Finds Rust files and their folders that are named after no subject.
pub(crate) fn file_names(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in workspace.sources.iter().map(|source| &source.path) {
        let stems = path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
        for stem in stems.filter(|stem| NAMES_OF_NOTHING.contains(stem)) {
            let says =
                format!("`{stem}` names no subject; use `topic.rs` + `topic/`, and put a helper beside its user");
            findings.push(Finding { place: path.clone(), says });
        }
    }
    findings
}

/// Finds Rust files that do not begin with a `//!` sentence.
pub(crate) fn first_line(workspace: &Workspace) -> Vec<Finding> {
    let has_none = |text: &str| {
        let first = text.lines().next().unwrap_or_default();
        first.strip_prefix("//! ").is_none_or(|sentence| sentence.trim().is_empty())
    };
    let says = "begin with a `//!` sentence: what this file is for, and what it must not do";
    workspace
        .sources
        .iter()
        .filter(|source| has_none(&source.text))
        .map(|source| Finding { place: format!("{}:1", source.path), says: says.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{super::workspace::example::workspace, *};

    fn places(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.place.as_str()).collect()
    }

    #[test]
    fn only_what_the_architecture_names_lies_at_the_top() {
        let files = ["README.md", "docs/a.md", "domain/src/lib.rs", "scripts/run.sh", "notes.txt", ".ci/run"]
            .map(|path| (path, ""));
        assert_eq!(places(&top_level(&workspace(&files))), ["notes.txt", "scripts"]);
        assert_eq!(top_level(&workspace(&[("README.md", "")])), []);
    }

    #[test]
    fn a_file_or_folder_that_names_no_subject_is_found() {
        let rows = [
            ("domain/src/exit.rs", 0),
            ("domain/src/exit/policy.rs", 0),
            ("domain/src/commonplace.rs", 0),
            ("domain/src/exit/mod.rs", 1),
            ("domain/src/utils.rs", 1),
            ("domain/src/common.rs", 1),
            ("domain/src/types.rs", 1),
            ("domain/src/helpers.rs", 1),
            ("tests/common/fixture.rs", 1),
        ];
        for (path, count) in rows {
            assert_eq!(file_names(&workspace(&[(path, "")])).len(), count, "{path}");
        }
    }

    #[test]
    fn each_file_begins_with_a_sentence_about_itself() {
        let rows = [
            ("//! Decides.\n", true),
            ("//! Decides.\n#![no_main]\n", true),
            ("", false),
            ("//!\n//! Decides.\n", false),
            ("// Decides.\n", false),
            ("\n//! Decides.\n", false),
            ("#![no_main]\n//! Decides.\n", false),
        ];
        for (text, is_fine) in rows {
            assert_eq!(first_line(&workspace(&[("a.rs", text)])).is_empty(), is_fine, "{text:?}");
        }
        assert_eq!(places(&first_line(&workspace(&[("tests/lib.rs", "")]))), ["tests/lib.rs:1"]);
    }
}
