//! Crates from outside: which of ours may name which, which may not even be below them, and none below the domain
//! that waits.

use std::collections::BTreeMap;

use super::{
    Finding,
    policy::Policy,
    workspace::{Locked, Section, Workspace},
};

/// The crate that stays pure, by its folder, and the runtime that must not be below it, not even in its tests.
const PURE: &str = "domain";
const RUNTIME: &str = "tokio";

/// Finds each dependency from outside that the crate's allow list does not have.
pub(crate) fn outside_allow_list(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        for dependency in &member.dependencies {
            let (package, section) = (dependency.package.as_str(), dependency.section);
            let is_ours = workspace.member(package).is_some();
            if is_ours || workspace.policy.crates(&member.folder, section).any(|allowed| allowed == package) {
                continue;
            }
            let (folder, section) = (&member.folder, section.as_str());
            let list = Policy::PATH;
            let says = format!("`{package}` is not in [{folder}.{section}] of {list}; add it with what it is for");
            findings.push(Finding { place: member.manifest(), says });
        }
    }
    findings
}

/// Finds what an allow list allows and the crate does not use: one finding per list.
pub(crate) fn unused_in_allow_list(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        for section in Section::ALL {
            let used = |package: &&str| {
                let mut here = member.dependencies.iter().filter(|dependency| dependency.section == section);
                here.any(|dependency| dependency.package == *package)
            };
            let unused: Vec<&str> =
                workspace.policy.crates(&member.folder, section).filter(|package| !used(package)).collect();
            if !unused.is_empty() {
                let list = format!("[{}.{}]", member.folder, section.as_str());
                let says = format!("{list} allows what is not used: {}", unused.join(", "));
                findings.push(Finding { place: Policy::PATH.to_owned(), says });
            }
        }
    }
    let known = |folder: &&str| workspace.members.iter().any(|member| member.folder == **folder);
    for folder in workspace.policy.folders().filter(|folder| !known(folder)) {
        let says = format!("[{folder}] is no crate of the workspace");
        findings.push(Finding { place: Policy::PATH.to_owned(), says });
    }
    findings
}

/// Finds banned packages anywhere in Cargo.lock, whoever asked for them.
pub(crate) fn banned(workspace: &Workspace) -> Vec<Finding> {
    if workspace.banned.is_empty() {
        return vec![Finding { place: "deny.toml".to_owned(), says: "it bans no crate; the list is lost".to_owned() }];
    }
    let mut findings = Vec::new();
    for package in &workspace.lock {
        if let Some(reason) = workspace.banned.get(&package.name) {
            let users: Vec<&str> = users(workspace, &package.name).collect();
            let says = format!("`{}` is banned ({reason}); {} asks for it", package.name, users.join(", "));
            findings.push(Finding { place: "Cargo.lock".to_owned(), says });
        }
    }
    findings
}

/// Finds a way from the domain to the async runtime in Cargo.lock.
///
/// Cargo.lock has the features of all crates together, so it may show a way that a build of the domain alone would not
/// go; it never hides one.
pub(crate) fn runtime_below_domain(workspace: &Workspace) -> Vec<Finding> {
    let pure = workspace.members.iter().find(|member| member.folder == PURE);
    let way = pure.and_then(|member| way_down(&workspace.lock, &member.package, RUNTIME));
    let says = |way: Vec<String>| format!("{PURE} must never wait, but reaches {RUNTIME}: {}", way.join(" -> "));
    way.map(|way| Finding { place: "Cargo.lock".to_owned(), says: says(way) }).into_iter().collect()
}

fn users<'all>(workspace: &'all Workspace, package: &'all str) -> impl Iterator<Item = &'all str> {
    let asks = move |user: &&Locked| user.dependencies.iter().any(|dependency| name_of(dependency) == package);
    workspace.lock.iter().filter(asks).map(|user| user.name.as_str())
}

/// Returns the shortest way from one package to another.
fn way_down(lock: &[Locked], from: &str, to: &str) -> Option<Vec<String>> {
    let start = lock.iter().position(|package| package.name == from)?;
    let mut came_from: BTreeMap<usize, usize> = BTreeMap::from([(start, start)]);
    let mut open = vec![start];
    while !open.is_empty() {
        let mut next = Vec::new();
        for user in open {
            if lock[user].name == to {
                return Some(names_back(lock, &came_from, user));
            }
            for used in lock[user].dependencies.iter().filter_map(|dependency| position(lock, dependency)) {
                came_from.entry(used).or_insert_with(|| {
                    next.push(used);
                    user
                });
            }
        }
        open = next;
    }
    None
}

fn names_back(lock: &[Locked], came_from: &BTreeMap<usize, usize>, end: usize) -> Vec<String> {
    let mut names = vec![lock[end].name.clone()];
    let mut at = end;
    while came_from[&at] != at {
        at = came_from[&at];
        names.push(lock[at].name.clone());
    }
    names.reverse();
    names
}

fn position(lock: &[Locked], dependency: &str) -> Option<usize> {
    let version = dependency.split(' ').nth(1);
    let is_it = |package: &Locked| {
        package.name == name_of(dependency) && version.is_none_or(|version| package.version == version)
    };
    lock.iter().position(is_it)
}

fn name_of(dependency: &str) -> &str {
    dependency.split(' ').next().unwrap_or(dependency)
}

#[cfg(test)]
mod tests {
    use super::{
        super::workspace::example::{manifest, workspace},
        *,
    };

    fn one_crate(dependencies: &str, allowed: &str) -> Workspace {
        workspace(&[("domain/Cargo.toml", &manifest("steersman-domain", dependencies)), (Policy::PATH, allowed)])
    }

    #[test]
    fn a_crate_from_outside_must_be_allowed_for_the_same_kind_of_use() {
        let allowed = "[domain.normal]\nserde = \"JSON\"\n[domain.dev]\nproptest = \"properties\"";
        let rows = [
            ("[dependencies]\nserde = \"1\"", true),
            ("[dev-dependencies]\nproptest = \"1\"", true),
            ("[dependencies]\nproptest = \"1\"", false),
            ("[dev-dependencies]\nserde = \"1\"", false),
            ("[build-dependencies]\nserde = \"1\"", false),
            ("[dependencies]\ntokio = \"1\"", false),
            ("[target.'cfg(unix)'.dependencies]\nnix = \"1\"", false),
            ("[dependencies]\nserde = { version = \"1\", package = \"serde-of-another\" }", false),
        ];
        for (dependencies, is_allowed) in rows {
            let found = outside_allow_list(&one_crate(dependencies, allowed));
            assert_eq!(found.is_empty(), is_allowed, "{dependencies}: {found:?}");
        }
        let found = outside_allow_list(&one_crate("[dependencies]\ntokio = \"1\"", allowed));
        assert_eq!(found[0].place, "domain/Cargo.toml");
        assert!(found[0].says.contains("`tokio` is not in [domain.normal] of xtask/allow.toml"), "{}", found[0].says);
    }

    #[test]
    fn what_is_allowed_and_not_used_is_found() {
        let used = "[dependencies]\nserde = \"1\"";
        let allowed = "[domain.normal]\nserde = \"JSON\"\nitoa = \"speed\"\nryu = \"speed\"\n[extras.dev]\nx = \"y\"";
        let says: Vec<String> =
            unused_in_allow_list(&one_crate(used, allowed)).into_iter().map(|finding| finding.says).collect();
        let expected = ["[domain.normal] allows what is not used: itoa, ryu", "[extras] is no crate of the workspace"];
        assert_eq!(says, expected);
        assert_eq!(unused_in_allow_list(&one_crate(used, "[domain.normal]\nserde = \"JSON\"")), []);
    }

    #[test]
    fn a_banned_crate_is_found_however_deep_and_a_lost_list_is_found_too() {
        let lock = |name: &str| {
            format!(
                "[[package]]\nname = \"tls\"\nversion = \"1.0.0\"\ndependencies = [\"{name}\"]\n[[package]]\nname = \"{name}\"\nversion = \"2.0.0\""
            )
        };
        let bans = "[bans]\ndeny = [{ crate = \"openssl-sys\", reason = \"ring is the one provider\" }]";
        let found = banned(&workspace(&[("Cargo.lock", &lock("openssl-sys")), ("deny.toml", bans)]));
        assert_eq!(found[0].says, "`openssl-sys` is banned (ring is the one provider); tls asks for it");
        assert_eq!(banned(&workspace(&[("Cargo.lock", &lock("ring")), ("deny.toml", bans)])), []);
        assert_eq!(banned(&workspace(&[("Cargo.lock", &lock("ring"))])).len(), 1);
    }

    #[test]
    fn a_way_from_the_domain_to_the_runtime_is_found_and_shown() {
        let lock = |below: &str| {
            format!(
                r#"
                [[package]]
                name = "steersman-domain"
                version = "0.1.0"
                dependencies = ["helpful 2.0.0"]
                [[package]]
                name = "helpful"
                version = "1.0.0"
                dependencies = ["tokio"]
                [[package]]
                name = "helpful"
                version = "2.0.0"
                dependencies = ["{below}"]
                [[package]]
                name = "quiet"
                version = "1.0.0"
                [[package]]
                name = "tokio"
                version = "1.0.0"
                dependencies = ["helpful 2.0.0"]
                "#
            )
        };
        let domain = manifest("steersman-domain", "");
        let found = runtime_below_domain(&workspace(&[("domain/Cargo.toml", &domain), ("Cargo.lock", &lock("tokio"))]));
        let expected = "domain must never wait, but reaches tokio: steersman-domain -> helpful -> tokio";
        assert_eq!(found[0].says, expected);
        let found = runtime_below_domain(&workspace(&[("domain/Cargo.toml", &domain), ("Cargo.lock", &lock("quiet"))]));
        assert_eq!(found, []);
    }
}
