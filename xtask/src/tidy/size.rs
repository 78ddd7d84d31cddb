//! Files and functions that have grown long: a hint to split, never a failure.

use super::{
    Finding,
    source::{Source, end_of_item, is_word, words},
    workspace::Workspace,
};

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 70;

/// Finds files with more than 400 lines.
pub(crate) fn long_files(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &workspace.sources {
        let lines = source.text.lines().count();
        if lines > FILE_LINES {
            let says = format!("{lines} lines, over {FILE_LINES}; split by what changes together");
            findings.push(Finding { place: source.path.clone(), says });
        }
    }
    findings
}

/// Finds functions with more than 70 lines; a table of cases in a test may be longer.
pub(crate) fn long_functions(workspace: &Workspace) -> Vec<Finding> {
    workspace.sources.iter().flat_map(long_functions_of).collect()
}

fn long_functions_of(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for at in words(&source.code, "fn").filter(|at| !source.is_test(*at)) {
        let name = source.code[at + "fn".len()..].trim_start();
        let name = &name[..name.find(|character| !is_word(character)).unwrap_or(name.len())];
        let lines = source.code[at..end_of_item(&source.code, at)].lines().count();
        // A function pointer's type has no name.
        if !name.is_empty() && lines > FUNCTION_LINES {
            let says = format!("`{name}` has {lines} lines, over {FUNCTION_LINES}");
            findings.push(Finding { place: source.place(at), says });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{super::workspace::example::workspace, *};

    #[test]
    fn a_file_of_401_lines_is_long_and_one_of_400_is_not() {
        for (lines, count) in [(400, 0), (401, 1)] {
            let text = "// x\n".repeat(lines);
            assert_eq!(long_files(&workspace(&[("a.rs", &text)])).len(), count, "{lines}");
        }
    }

    #[test]
    fn a_function_of_71_lines_is_long_and_one_of_70_or_in_a_test_is_not() {
        let function = |lines: usize| format!("pub fn f(g: fn(u8)) -> [u8; 1] {{\n{}}}\n", "// }\n".repeat(lines - 2));
        let rows = [
            (function(70), 0),
            (function(71), 1),
            (format!("{}{}", function(70), function(70)), 0),
            (format!("#[cfg(test)]\nmod tests {{ {} }}", function(71)), 0),
        ];
        for (text, count) in rows {
            let found = long_functions(&workspace(&[("a.rs", &text)]));
            assert_eq!(found.len(), count, "{found:?}");
        }
        assert_eq!(long_functions(&workspace(&[("a.rs", &function(71))]))[0].says, "`f` has 71 lines, over 70");
    }
}
