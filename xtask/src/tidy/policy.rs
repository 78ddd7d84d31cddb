//! What `xtask/allow.toml` allows: crates from outside per crate, and exemptions from rules, each with its reason.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use toml::{Table, Value};

use super::{
    Finding, environment, wording,
    workspace::{Section, Workspace},
};

/// A name, and why it is allowed.
pub(crate) type Reasons = BTreeMap<String, String>;

/// The parsed `xtask/allow.toml`.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    /// By the crate's folder and the kind of dependency.
    crates: BTreeMap<(String, Section), Reasons>,
    exempt: BTreeMap<Exemption, Reasons>,
}

/// A rule that can spare a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exemption {
    /// The file may read the environment.
    Environment,
    /// The file may hold words of a language that is not English.
    Wording,
}

impl Exemption {
    const ALL: [Self; 2] = [Self::Environment, Self::Wording];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Wording => "wording",
        }
    }
}

impl Policy {
    /// Where it is kept.
    pub(crate) const PATH: &str = "xtask/allow.toml";

    /// Reads the policy; refuses names that mean nothing and entries without a reason.
    pub(crate) fn parse(table: &Table) -> anyhow::Result<Self> {
        let mut policy = Self::default();
        for (name, value) in table {
            match name.as_str() {
                "exempt" => policy.parse_exemptions(value)?,
                folder => policy.parse_crate(folder, value)?,
            }
        }
        Ok(policy)
    }

    /// Returns what the crate in `folder` may depend on in `section`.
    pub(crate) fn crates(&self, folder: &str, section: Section) -> impl Iterator<Item = &str> {
        let allowed = self.crates.get(&(folder.to_owned(), section));
        allowed.into_iter().flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// Returns the folders that have an allow list.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.crates.keys().map(|(folder, _)| folder.as_str())
    }

    /// Says whether a rule spares the file.
    pub(crate) fn spares(&self, exemption: Exemption, path: &str) -> bool {
        self.exempt.get(&exemption).is_some_and(|files| files.contains_key(path))
    }

    fn parse_crate(&mut self, folder: &str, value: &Value) -> anyhow::Result<()> {
        let kinds = value.as_table().with_context(|| format!("{}: `{folder}` is no table", Self::PATH))?;
        for (kind, value) in kinds {
            let section = Section::ALL.into_iter().find(|section| section.as_str() == kind);
            let section = section.with_context(|| {
                format!("{}: `{folder}.{kind}` is no kind of dependency (normal, dev, build)", Self::PATH)
            })?;
            self.crates.insert((folder.to_owned(), section), reasons(&format!("{folder}.{kind}"), value)?);
        }
        Ok(())
    }

    fn parse_exemptions(&mut self, value: &Value) -> anyhow::Result<()> {
        let rules = value.as_table().with_context(|| format!("{}: `exempt` is no table", Self::PATH))?;
        for (rule, value) in rules {
            let exemption = Exemption::ALL.into_iter().find(|exemption| exemption.as_str() == rule);
            let exemption = exemption.with_context(|| format!("{}: no rule `{rule}` has exemptions", Self::PATH))?;
            self.exempt.insert(exemption, reasons(&format!("exempt.{rule}"), value)?);
        }
        Ok(())
    }
}

/// Finds exemptions of files that do nothing they would be exempt from.
pub(crate) fn unused_exemptions(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (exemption, files) in &workspace.policy.exempt {
        for path in files.keys() {
            let source = workspace.sources.iter().find(|source| source.path == *path);
            let is_used = source.is_some_and(|source| match exemption {
                Exemption::Environment => !environment::reads_in(source).is_empty(),
                Exemption::Wording => !wording::words_in(source).is_empty(),
            });
            if !is_used {
                let says = format!("`{path}` does not need its exemption from `{}`; remove it", exemption.as_str());
                findings.push(Finding { place: Policy::PATH.to_owned(), says });
            }
        }
    }
    findings
}

fn reasons(place: &str, value: &Value) -> anyhow::Result<Reasons> {
    let table = value.as_table().with_context(|| format!("{}: `{place}` is no table", Policy::PATH))?;
    let mut reasons = Reasons::new();
    for (name, reason) in table {
        let reason = reason.as_str().unwrap_or_default().trim();
        ensure!(!reason.is_empty(), "{}: `{place}.{name}` does not say what for", Policy::PATH);
        reasons.insert(name.clone(), reason.to_owned());
    }
    Ok(reasons)
}

#[cfg(test)]
mod tests {
    use super::{super::workspace::example::workspace, *};

    fn parse(text: &str) -> anyhow::Result<Policy> {
        Policy::parse(&text.parse().unwrap())
    }

    #[test]
    fn an_entry_without_a_reason_or_with_a_name_that_means_nothing_is_refused() {
        let rows = [
            ("[domain.normal]\nserde = \"JSON\"", None),
            ("[domain.normal]\nserde = \"\"", Some("`domain.normal.serde` does not say what for")),
            ("[domain.normal]\nserde = true", Some("`domain.normal.serde` does not say what for")),
            ("[domain.test]\nserde = \"JSON\"", Some("`domain.test` is no kind of dependency")),
            ("[exempt.colour]\n\"a.rs\" = \"red\"", Some("no rule `colour` has exemptions")),
        ];
        for (text, refusal) in rows {
            let said = parse(text).err().map(|error| error.to_string());
            match refusal {
                None => assert_eq!(said, None, "{text}"),
                Some(part) => assert!(said.as_ref().is_some_and(|said| said.contains(part)), "{text}: {said:?}"),
            }
        }
    }

    #[test]
    fn an_exemption_that_nothing_needs_is_found() {
        let policy = "[exempt.environment]\n\"a.rs\" = \"asks for a colour\"\n\"b.rs\" = \"did once\"";
        let files =
            [(Policy::PATH, policy), ("a.rs", "fn f() { std::env::var(\"NO_COLOR\"); }"), ("b.rs", "fn f() {}")];
        let found = unused_exemptions(&workspace(&files));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].says, "`b.rs` does not need its exemption from `environment`; remove it");
    }
}
