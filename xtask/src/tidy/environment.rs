//! One reader of the environment: everything else takes its settings as values.

use super::{
    Finding,
    policy::Exemption,
    source::{Source, is_word, words},
    workspace::Workspace,
};

/// The module that reads it.
const READER: [&str; 2] = ["application/src/config.rs", "application/src/config/"];

const ACCESSES: &[&str] = &["var", "vars", "var_os", "vars_os", "set_var", "remove_var"];

/// Finds reads and writes of the environment outside its one reader.
pub(crate) fn reads(workspace: &Workspace) -> Vec<Finding> {
    let is_reader = |path: &str| path == READER[0] || path.starts_with(READER[1]);
    let mut findings = Vec::new();
    for source in workspace.sources.iter().filter(|source| !is_reader(&source.path)) {
        if workspace.policy.spares(Exemption::Environment, &source.path) {
            continue;
        }
        for at in reads_in(source) {
            let says = format!("the environment is read in {} only; take the setting as a value", READER[1]);
            findings.push(Finding { place: source.place(at), says });
        }
    }
    findings
}

/// Returns where the file names a function of `std::env` that reads or writes the environment.
pub(crate) fn reads_in(source: &Source) -> Vec<usize> {
    let code = &source.code;
    words(code, "env")
        .filter(|at| {
            let Some(names) = code[at + "env".len()..].trim_start().strip_prefix("::") else {
                return false;
            };
            let names = names.trim_start();
            let list = names.strip_prefix('{').map(|list| list.split('}').next().unwrap_or(list));
            let end = names.find(|character| !is_word(character)).unwrap_or(names.len());
            list.unwrap_or(&names[..end]).split(|character| !is_word(character)).any(|name| ACCESSES.contains(&name))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{policy::Policy, workspace::example::workspace},
        *,
    };

    #[test]
    fn the_environment_is_read_in_the_config_module_only() {
        let read = "let a = std::env::var(\"A\");";
        let rows = [
            ("engine/src/limits.rs", read, 1),
            ("tests/fixture.rs", read, 1),
            ("application/src/config.rs", read, 0),
            ("application/src/config/file.rs", read, 0),
            ("application/src/configuration.rs", read, 1),
            ("a.rs", "use std::env;\nfn f() { env::vars_os(); }", 1),
            ("a.rs", "use std::env::{self, var_os as read};", 1),
            ("a.rs", "env :: var (\"A\")", 1),
            ("a.rs", "unsafe { std::env::set_var(\"A\", \"b\") }", 1),
            ("a.rs", "env::args() env!(\"CARGO_PKG_NAME\") env::temp_dir() my_env::var(1) env::variable()", 0),
            ("a.rs", "// std::env::var\nlet a = \"std::env::var\";", 0),
        ];
        for (path, text, count) in rows {
            let found = reads(&workspace(&[(path, text)]));
            assert_eq!(found.len(), count, "{path}: {text}: {found:?}");
        }
    }

    #[test]
    fn a_file_with_an_exemption_is_spared() {
        let exempt = "[exempt.environment]\n\"tests/postgres.rs\" = \"where the binaries of the server are\"";
        let files = [("tests/postgres.rs", "std::env::var(\"A\")"), ("tests/other.rs", "std::env::var(\"A\")")];
        let found = reads(&workspace(&[files[0], files[1], (Policy::PATH, exempt)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "tests/other.rs:1");
    }
}
