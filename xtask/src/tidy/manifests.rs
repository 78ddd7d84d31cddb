//! Manifests stay uniform: every crate inherits the workspace's lints, and a shared dependency has one version line.

use std::collections::BTreeMap;

use super::{Finding, workspace::Workspace};

/// Finds crates that do not say `[lints] workspace = true`.
pub(crate) fn lints_not_inherited(workspace: &Workspace) -> Vec<Finding> {
    let bare = workspace.members.iter().filter(|member| !member.inherits_lints);
    bare.map(|member| Finding { place: member.manifest(), says: "add `[lints] workspace = true`".to_owned() }).collect()
}

/// Finds dependencies that one crate inherits from the workspace, or could, while another states its own version.
pub(crate) fn not_inherited_everywhere(workspace: &Workspace) -> Vec<Finding> {
    let mut own: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for member in &workspace.members {
        for dependency in member.dependencies.iter().filter(|dependency| !dependency.inherited) {
            own.entry(&dependency.package).or_default().push(member.manifest());
        }
    }
    let mut findings = Vec::new();
    for (package, manifests) in own {
        let shared = workspace.shared.iter().find(|(_, shared)| *shared == package);
        let says = match shared {
            Some((key, _)) => format!("`{package}` is in [workspace.dependencies]; write `{key}.workspace = true`"),
            None if manifests.len() > 1 => {
                format!("`{package}` is named by several crates; move it to [workspace.dependencies]")
            }
            None => continue,
        };
        findings.extend(manifests.into_iter().map(|place| Finding { place, says: says.clone() }));
    }
    findings
}

/// Finds lines of `[workspace.dependencies]` that no crate inherits.
pub(crate) fn inherited_nowhere(workspace: &Workspace) -> Vec<Finding> {
    let inherited = |key: &&String| {
        let mut all = workspace.members.iter().flat_map(|member| &member.dependencies);
        all.any(|dependency| dependency.inherited && dependency.key == **key)
    };
    let unused: Vec<&str> = workspace.shared.keys().filter(|key| !inherited(key)).map(String::as_str).collect();
    if unused.is_empty() {
        return Vec::new();
    }
    let says = format!("[workspace.dependencies] has what no crate inherits: {}", unused.join(", "));
    vec![Finding { place: "Cargo.toml".to_owned(), says }]
}

#[cfg(test)]
mod tests {
    use super::{
        super::workspace::example::{manifest, workspace},
        *,
    };

    #[test]
    fn a_crate_without_the_workspaces_lints_is_found() {
        let rows = [
            ("[lints]\nworkspace = true", true),
            ("lints.workspace = true", false), // Below `[package]`, where it means nothing.
            ("[lints]\nworkspace = false", false),
            ("[lints.rust]\nunsafe_code = \"allow\"", false),
            ("", false),
        ];
        for (text, is_fine) in rows {
            let found = lints_not_inherited(&workspace(&[("engine/Cargo.toml", &manifest("e", text))]));
            assert_eq!(found.is_empty(), is_fine, "{text}");
        }
    }

    #[test]
    fn a_dependency_is_inherited_by_all_or_named_by_one() {
        let shared = "[workspace.dependencies]\nserde = \"1\"";
        let (inherits, own) = ("[dependencies]\nserde.workspace = true", "[dev-dependencies]\nserde = \"1.2\"");
        let rows = [
            (shared, inherits, inherits, 0),
            (shared, inherits, own, 1),
            (shared, own, own, 2),
            ("", own, own, 2),
            ("", own, "", 0),
        ];
        for (root, domain, engine, count) in rows {
            let (domain, engine) = (manifest("d", domain), manifest("e", engine));
            let files = [("Cargo.toml", root), ("domain/Cargo.toml", &domain), ("engine/Cargo.toml", &engine)];
            let found = not_inherited_everywhere(&workspace(&files));
            assert_eq!(found.len(), count, "{root} / {domain} / {engine}: {found:?}");
        }
    }

    #[test]
    fn a_shared_dependency_that_nobody_inherits_is_found() {
        let domain = manifest("d", "[dependencies]\nserde.workspace = true");
        let files = |root| [("Cargo.toml", root), ("domain/Cargo.toml", domain.as_str())];
        let found = inherited_nowhere(&workspace(&files("[workspace.dependencies]\nserde = \"1\"\nitoa = \"1\"")));
        assert_eq!(found[0].says, "[workspace.dependencies] has what no crate inherits: itoa");
        assert_eq!(inherited_nowhere(&workspace(&files("[workspace.dependencies]\nserde = \"1\""))), []);
    }
}
