//! The picture of the workspace that the rules look at: manifests, lock file, policies and sources.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, ensure};
use toml::{Table, Value};

use super::{files::Files, policy::Policy, source::Source};

/// All that tidy knows of the workspace.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The crates, in the order of the root manifest.
    pub(crate) members: Vec<Member>,
    /// `[workspace.dependencies]`: the key of each, and the package it stands for.
    pub(crate) shared: BTreeMap<String, String>,
    /// What Cargo.lock holds.
    pub(crate) lock: Vec<Locked>,
    /// The packages that deny.toml bans, each with the reason.
    pub(crate) banned: BTreeMap<String, String>,
    /// What `xtask/allow.toml` allows.
    pub(crate) policy: Policy,
    /// All paths, also of files whose text nobody reads.
    pub(crate) paths: Vec<String>,
    /// All Rust files.
    pub(crate) sources: Vec<Source>,
}

/// One crate of the workspace.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its folder below the root, by which the architecture names it.
    pub(crate) folder: String,
    /// Its name as a package.
    pub(crate) package: String,
    /// Whether it says `[lints] workspace = true`.
    pub(crate) inherits_lints: bool,
    /// What it depends on, on any platform.
    pub(crate) dependencies: Vec<Dependency>,
}

impl Member {
    /// Returns the path of its manifest.
    pub(crate) fn manifest(&self) -> String {
        format!("{}/Cargo.toml", self.folder)
    }
}

/// One line of a manifest's dependencies.
#[derive(Debug)]
pub(crate) struct Dependency {
    /// The name it goes by in the manifest.
    pub(crate) key: String,
    /// The package it is.
    pub(crate) package: String,
    /// Where it stands.
    pub(crate) section: Section,
    /// Whether it says `workspace = true`.
    pub(crate) inherited: bool,
}

/// The kind of a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    /// `[dependencies]`.
    Normal,
    /// `[dev-dependencies]`.
    Dev,
    /// `[build-dependencies]`.
    Build,
}

impl Section {
    /// All kinds.
    pub(crate) const ALL: [Self; 3] = [Self::Normal, Self::Dev, Self::Build];

    /// Returns its name in `xtask/allow.toml`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Dev => "dev",
            Self::Build => "build",
        }
    }

    const fn manifest_keys(self) -> &'static [&'static str] {
        match self {
            Self::Normal => &["dependencies"],
            Self::Dev => &["dev-dependencies", "dev_dependencies"],
            Self::Build => &["build-dependencies", "build_dependencies"],
        }
    }
}

/// One package of Cargo.lock.
#[derive(Debug)]
pub(crate) struct Locked {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// What it depends on, each as `name` or, where that is ambiguous, `name version`.
    pub(crate) dependencies: Vec<String>,
}

impl Workspace {
    /// Reads the picture out of files in memory.
    pub(crate) fn from_files(files: Files) -> anyhow::Result<Self> {
        let root = table(&files, "Cargo.toml")?;
        let shared = shared(&root);
        let members = strings(&root, &["workspace", "members"])
            .into_iter()
            .map(|folder| member(&files, &folder, &shared))
            .collect::<anyhow::Result<_>>()?;
        let lock = entries(&table(&files, "Cargo.lock")?, &["package"]).iter().map(locked).collect();
        let banned = entries(&table(&files, "deny.toml")?, &["bans", "deny"]).iter().map(ban).collect();
        let policy = Policy::parse(&table(&files, Policy::PATH)?)?;
        let paths = files.keys().cloned().collect();
        let is_rust = |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "rs");
        let sources = files.into_iter().filter(|(path, _)| is_rust(path)).map(Source::new).collect();
        Ok(Self { members, shared, lock, banned, policy, paths, sources })
    }

    /// Returns the crate whose package has this name.
    pub(crate) fn member(&self, package: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.package == package)
    }
}

/// A file that is not there reads as an empty one: whatever needs it then misses what it holds, and says so.
fn table(files: &Files, path: &str) -> anyhow::Result<Table> {
    let text = files.get(path).map_or("", String::as_str);
    text.parse().with_context(|| format!("could not read {path}"))
}

fn member(files: &Files, folder: &str, shared: &BTreeMap<String, String>) -> anyhow::Result<Member> {
    let path = format!("{folder}/Cargo.toml");
    ensure!(files.contains_key(&path), "Cargo.toml names the member `{folder}`, but {path} is not there");
    let manifest = table(files, &path)?;
    let package = string(&manifest, &["package", "name"]).with_context(|| format!("{path} names no package"))?;
    let inherits_lints = lookup(&manifest, &["lints", "workspace"]).and_then(Value::as_bool) == Some(true);
    let mut dependencies = dependencies(&manifest, shared);
    if let Some(Value::Table(targets)) = manifest.get("target") {
        for target in targets.values().filter_map(Value::as_table) {
            dependencies.extend(self::dependencies(target, shared));
        }
    }
    Ok(Member { folder: folder.to_owned(), package, inherits_lints, dependencies })
}

fn dependencies(manifest: &Table, shared: &BTreeMap<String, String>) -> Vec<Dependency> {
    let mut found = Vec::new();
    for section in Section::ALL {
        let tables = section.manifest_keys().iter().filter_map(|key| manifest.get(*key)?.as_table());
        for (key, value) in tables.flatten() {
            let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let renamed = value.get("package").and_then(Value::as_str);
            let package = match shared.get(key) {
                Some(package) if inherited => package,
                _ => renamed.unwrap_or(key),
            };
            found.push(Dependency { key: key.clone(), package: package.to_owned(), section, inherited });
        }
    }
    found
}

fn shared(root: &Table) -> BTreeMap<String, String> {
    let Some(Value::Table(shared)) = lookup(root, &["workspace", "dependencies"]) else {
        return BTreeMap::new();
    };
    let package = |(key, value): (&String, &Value)| {
        let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
        (key.clone(), package.to_owned())
    };
    shared.iter().map(package).collect()
}

fn locked(package: &Table) -> Locked {
    Locked {
        name: string(package, &["name"]).unwrap_or_default(),
        version: string(package, &["version"]).unwrap_or_default(),
        dependencies: strings(package, &["dependencies"]),
    }
}

/// Reads one ban of deny.toml; cargo-deny takes a version after `@` or `:`, which a ban of ours never has.
fn ban(entry: &Table) -> (String, String) {
    let name = string(entry, &["crate"]).or_else(|| string(entry, &["name"]));
    (name.unwrap_or_default(), string(entry, &["reason"]).unwrap_or_default())
}

fn lookup<'table>(table: &'table Table, path: &[&str]) -> Option<&'table Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))
}

fn string(table: &Table, path: &[&str]) -> Option<String> {
    lookup(table, path)?.as_str().map(str::to_owned)
}

fn strings(table: &Table, path: &[&str]) -> Vec<String> {
    let list = lookup(table, path).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn entries(table: &Table, path: &[&str]) -> Vec<Table> {
    let list = lookup(table, path).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table).cloned().collect()
}

#[cfg(test)]
pub(crate) mod example {
    //! Builds small workspaces for the rules' tests.

    use super::*;

    /// Returns the workspace that these files make; each folder with a manifest is a member.
    pub(crate) fn workspace(files: &[(&str, &str)]) -> Workspace {
        let mut files: Files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let folders: Vec<String> = files
            .keys()
            .filter_map(|path| path.strip_suffix("/Cargo.toml"))
            .map(|folder| format!("\"{folder}\""))
            .collect();
        let members = format!("[workspace]\nmembers = [{}]\n", folders.join(", "));
        files.entry("Cargo.toml".to_owned()).or_default().insert_str(0, &members);
        Workspace::from_files(files).unwrap()
    }

    /// Returns a manifest of the package, with this text below it.
    pub(crate) fn manifest(package: &str, text: &str) -> String {
        format!("[package]\nname = \"{package}\"\n{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_found_in_each_section_on_each_platform_and_under_another_name() {
        let manifest = example::manifest(
            "steersman-adapters",
            r#"
            [dependencies]
            plain = "1"
            shared.workspace = true
            renamed = { version = "1", package = "real" }
            [dev-dependencies]
            checker = "1"
            [target.'cfg(unix)'.build-dependencies]
            builder = "1"
            "#,
        );
        let root = "[workspace.dependencies]\nshared = { version = \"1\", package = \"shared-real\" }";
        let workspace = example::workspace(&[("Cargo.toml", root), ("adapters/Cargo.toml", &manifest)]);
        let found: Vec<(&str, &str, bool)> = workspace.members[0]
            .dependencies
            .iter()
            .map(|found| (found.package.as_str(), found.section.as_str(), found.inherited))
            .collect();
        let expected = [
            ("plain", "normal", false),
            ("real", "normal", false),
            ("shared-real", "normal", true),
            ("checker", "dev", false),
            ("builder", "build", false),
        ];
        assert_eq!(found, expected);
    }
}
