//! Reads the workspace's files into memory; the only part of tidy that touches the disk.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use anyhow::Context;

/// Paths from the root with `/` between folders. Only what a rule reads has its text, all other texts are empty.
pub(crate) type Files = BTreeMap<String, String>;

/// Folders that never belong to the workspace; only asked where git cannot say what is ignored.
const NOT_OURS: &[&str] = &[".git", "target", "node_modules", "__pycache__"];

/// Reads the files that git tracks or would track below `root`, or all files where there is no git.
pub(crate) fn read(root: &Path) -> anyhow::Result<Files> {
    let paths = match tracked(root) {
        Some(paths) => paths,
        None => walk(root, "")?,
    };
    let mut files = Files::new();
    for path in paths {
        let on_disk = root.join(&path);
        if !on_disk.exists() {
            continue; // Still in git's index, already deleted on disk.
        }
        let text = if is_read_by_a_rule(&path) {
            fs::read_to_string(&on_disk).with_context(|| format!("could not read {path}"))?
        } else {
            String::new()
        };
        files.insert(path, text);
    }
    Ok(files)
}

fn is_read_by_a_rule(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("rs" | "toml" | "lock"))
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    let names = String::from_utf8(listed.stdout).ok()?;
    let paths: Vec<String> = names.split_terminator('\0').map(str::to_owned).collect();
    // An unpacked archive inside some other repository has no tracked file, or not this one.
    (listed.status.success() && paths.iter().any(|path| path == "Cargo.toml")).then_some(paths)
}

fn walk(root: &Path, folder: &str) -> anyhow::Result<Vec<String>> {
    let mut paths = Vec::new();
    let entries = fs::read_dir(root.join(folder)).with_context(|| format!("could not list `{folder}`"))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("could not list `{folder}`"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if entry.file_type().with_context(|| format!("could not look at {path}"))?.is_dir() {
            if !NOT_OURS.contains(&name.as_str()) {
                paths.extend(walk(root, &path)?);
            }
        } else {
            paths.push(path);
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step;

    #[test]
    fn without_git_the_same_sources_are_found() {
        let root = step::root();
        let walked = walk(&root, "").unwrap();
        let read = read(&root).unwrap();
        assert!(read["Cargo.toml"].contains("[workspace]"));
        for path in read.keys() {
            assert!(walked.contains(path), "{path}");
        }
        assert!(!walked.iter().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
    }
}
