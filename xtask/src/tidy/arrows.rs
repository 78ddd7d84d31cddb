//! Which crate of the workspace may depend on which: the arrows of ARCHITECTURE.md, as a table.

use super::{
    Finding,
    workspace::{Member, Workspace},
};

/// Each crate's folder, and the folders it may depend on for any purpose, tests included.
const ARROWS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("engine", &["domain"]),
    ("adapters", &["engine", "domain", "proto"]),
    ("proto", &[]),
    ("application", &["adapters", "engine", "domain"]),
    ("tests", &["domain", "engine", "adapters", "proto", "application", "xtask"]),
    ("xtask", &[]),
];

/// Finds each dependency between crates of the workspace that the table does not have.
pub(crate) fn forbidden(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        let Some((_, allowed)) = ARROWS.iter().find(|(folder, _)| *folder == member.folder) else {
            let says = format!("the architecture has no crate `{}`", member.folder);
            findings.push(Finding { place: member.manifest(), says });
            continue;
        };
        for (target, section) in targets(workspace, member) {
            if !allowed.contains(&target.folder.as_str()) {
                let list = if allowed.is_empty() { "nothing of ours".to_owned() } else { allowed.join(", ") };
                let says = format!("{} -> {} ({section}) is forbidden; allowed: {list}", member.folder, target.folder);
                findings.push(Finding { place: member.manifest(), says });
            }
        }
    }
    findings
}

/// Finds the crates that depend on themselves through others, dev-dependencies included.
pub(crate) fn cycles(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        if let Some(path) = way_back(workspace, member) {
            let says = format!("depends on itself: {}", path.join(" -> "));
            findings.push(Finding { place: member.manifest(), says });
        }
    }
    findings
}

fn targets<'all>(
    workspace: &'all Workspace,
    member: &'all Member,
) -> impl Iterator<Item = (&'all Member, &'static str)> {
    member
        .dependencies
        .iter()
        .filter_map(|dependency| Some((workspace.member(&dependency.package)?, dependency.section.as_str())))
}

/// Returns the folders from `start` back to itself, by a search that visits each crate once.
fn way_back(workspace: &Workspace, start: &Member) -> Option<Vec<String>> {
    let mut visited: Vec<&str> = Vec::new();
    let mut open = vec![(start, vec![start.folder.clone()])];
    while let Some((member, path)) = open.pop() {
        for (target, _) in targets(workspace, member) {
            let mut longer = path.clone();
            longer.push(target.folder.clone());
            if target.folder == start.folder {
                return Some(longer);
            }
            if !visited.contains(&target.folder.as_str()) {
                visited.push(&target.folder);
                open.push((target, longer));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{
        super::workspace::example::{manifest, workspace},
        *,
    };

    fn two_crates(from: &str, section: &str, to: &str) -> Workspace {
        let with = manifest(from, &format!("[{section}]\nthe-{to}.path = \"../{to}\""));
        let without = manifest(&format!("the-{to}"), "");
        workspace(&[(&format!("{from}/Cargo.toml"), &with), (&format!("{to}/Cargo.toml"), &without)])
    }

    #[test]
    fn exactly_the_arrows_of_the_architecture_are_allowed() {
        let crates = ["domain", "engine", "adapters", "proto", "application", "tests", "xtask"];
        let allowed = "engine->domain adapters->engine adapters->domain adapters->proto \
                       application->adapters application->engine application->domain \
                       tests->domain tests->engine tests->adapters tests->proto tests->application tests->xtask";
        let allowed: Vec<&str> = allowed.split_whitespace().collect();
        for from in crates {
            for to in crates.into_iter().filter(|to| *to != from) {
                for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
                    let found = forbidden(&two_crates(from, section, to));
                    let is_allowed = allowed.contains(&format!("{from}->{to}").as_str());
                    assert_eq!(found.is_empty(), is_allowed, "{from} -> {to} in {section}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn a_forbidden_arrow_says_what_would_be_allowed() {
        let found = forbidden(&two_crates("engine", "dev-dependencies", "adapters"));
        assert_eq!(found[0].place, "engine/Cargo.toml");
        assert_eq!(found[0].says, "engine -> adapters (dev) is forbidden; allowed: domain");
    }

    #[test]
    fn a_crate_that_the_architecture_does_not_know_is_found() {
        let found = forbidden(&workspace(&[("extras/Cargo.toml", &manifest("extras", ""))]));
        assert_eq!(found[0].says, "the architecture has no crate `extras`");
    }

    #[test]
    fn a_cycle_through_a_dev_dependency_is_found_and_a_diamond_is_none() {
        let domain = manifest("d", "[dev-dependencies]\ne.path = \"../engine\"");
        let engine = manifest("e", "[dependencies]\nd.path = \"../domain\"");
        let found = cycles(&workspace(&[("domain/Cargo.toml", &domain), ("engine/Cargo.toml", &engine)]));
        let says: Vec<&str> = found.iter().map(|finding| finding.says.as_str()).collect();
        let expected =
            ["depends on itself: domain -> engine -> domain", "depends on itself: engine -> domain -> engine"];
        assert_eq!(says, expected);

        let itself = manifest("e", "[dev-dependencies]\ne = { path = \"\", features = [\"testkit\"] }");
        assert_eq!(cycles(&workspace(&[("engine/Cargo.toml", &itself)])).len(), 1);

        let domain = manifest("d", "");
        let adapters = manifest("a", "[dependencies]\nd.path = \"../domain\"\ne.path = \"../engine\"");
        let files =
            [("domain/Cargo.toml", &domain), ("engine/Cargo.toml", &engine), ("adapters/Cargo.toml", &adapters)];
        assert_eq!(cycles(&workspace(&files.map(|(path, text)| (path, text.as_str())))), []);
    }
}
