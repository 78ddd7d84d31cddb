//! The modules of `adapters` are rooms of their own: what is foreign to one is foreign to all the others.

use super::{
    Finding,
    source::{Source, is_word, words},
    workspace::Workspace,
};

const ADAPTERS: &str = "adapters/src/";

/// Finds where one module of `adapters` names another.
pub(crate) fn shared(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &workspace.sources {
        let Some(own) = room(&source.path) else { continue };
        for (at, other) in named(source) {
            if other != own && !source.is_test(at) {
                let says =
                    format!("`{own}` uses `{other}`; adapters do not use each other, the application joins them");
                findings.push(Finding { place: source.place(at), says });
            }
        }
    }
    findings
}

/// Returns the top module of `adapters` that a file belongs to.
fn room(path: &str) -> Option<&str> {
    let inside = path.strip_prefix(ADAPTERS)?;
    let name = inside.split('/').next().unwrap_or(inside);
    let name = name.strip_suffix(".rs").unwrap_or(name);
    (name != "lib").then_some(name)
}

/// Returns each top module that is named by its path from the crate, and where. The part of a visibility
/// (`pub(in crate::x)`) is a name like any other.
fn named(source: &Source) -> Vec<(usize, &str)> {
    let code = source.code.as_str();
    let name = |at: usize| {
        let path = code[at + "crate".len()..].trim_start().strip_prefix("::")?.trim_start();
        let names = path.strip_prefix('{').map_or(path, str::trim_start);
        let end = names.find(|character| !is_word(character)).unwrap_or(names.len());
        (end > 0).then_some((at, &names[..end]))
    };
    words(code, "crate").filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::workspace::example::workspace, *};

    #[test]
    fn a_module_of_the_adapters_that_names_another_is_found() {
        let rows = [
            ("adapters/src/grpc/status.rs", "use crate::db::Fault;", 1),
            ("adapters/src/grpc.rs", "fn f() { crate::scripts::load() }", 1),
            ("adapters/src/grpc.rs", "use crate::{db::Fault};", 1),
            ("adapters/src/grpc/status.rs", "use crate::grpc::Reason; pub(in crate::grpc) struct A;", 0),
            ("adapters/src/grpc/status.rs", "pub(crate) struct A;", 0),
            ("adapters/src/grpc/status.rs", "// crate::db\nconst A: &str = \"crate::db\";", 0),
            ("adapters/src/lib.rs", "use crate::db::Fault;", 0),
            ("engine/src/live.rs", "use crate::chain::digest;", 0),
        ];
        for (path, text, count) in rows {
            let found = shared(&workspace(&[(path, text)]));
            assert_eq!(found.len(), count, "{path}: {text}: {found:?}");
        }
    }
}
