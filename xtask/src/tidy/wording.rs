//! What people read lies in locale files: no Chinese, Japanese or Korean words in code, except in tests.
//!
//! Punctuation is no word: a grammar may know a full-width comma.

use super::{Finding, policy::Exemption, source::Source, workspace::Workspace};

/// Finds literals outside tests that hold words in one of these scripts.
pub(crate) fn in_code(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &workspace.sources {
        if workspace.policy.spares(Exemption::Wording, &source.path) {
            continue;
        }
        for at in words_in(source) {
            let says = "words that a person reads belong into a locale file (texts, packs or prompts)".to_owned();
            findings.push(Finding { place: source.place(at), says });
        }
    }
    findings
}

/// Returns where the file has such a literal outside tests.
pub(crate) fn words_in(source: &Source) -> Vec<usize> {
    let has_words = |literal: &str| literal.chars().any(is_cjk) || escaped(literal).any(is_cjk);
    let literals = source.literals.iter().filter(|literal| !source.is_test(literal.start));
    literals.filter(|literal| has_words(&source.text[(*literal).clone()])).map(|literal| literal.start).collect()
}

/// Han with its extensions, kana, bopomofo and hangul.
fn is_cjk(character: char) -> bool {
    matches!(character,
        '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{318e}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Returns the characters that the literal writes as `\u{…}`; a range of them, as in this file, is no word.
fn escaped(literal: &str) -> impl Iterator<Item = char> {
    // One escaped character alone is a bound or a test of a class, two in a row are text.
    let escapes: Vec<char> = literal
        .split("\\u{")
        .skip(1)
        .filter_map(|rest| char::from_u32(u32::from_str_radix(rest.split('}').next()?, 16).ok()?))
        .collect();
    let is_text = escapes.len() > 1;
    escapes.into_iter().filter(move |_| is_text)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{policy::Policy, workspace::example::workspace},
        *,
    };

    #[test]
    fn words_in_literals_are_found_and_comments_punctuation_and_tests_are_not() {
        let rows = [
            ("domain/src/a.rs", "let a = \"你好\";", 1),
            ("domain/src/a.rs", "let a = r#\"こんにちは\"#; let b = '是';", 2),
            ("domain/src/a.rs", "let a = \"\\u{4f60}\\u{597d}\";", 1),
            ("domain/src/a.rs", "match c { '\\u{4e00}'..='\\u{9fff}' => 1 }", 0),
            ("domain/src/a.rs", "let a = [',', '，', '。', '「'];", 0),
            ("domain/src/a.rs", "/// The seed's 重述.\nlet a = \"Größe\"; // 你好", 0),
            ("domain/src/a.rs", "#[cfg(test)]\nmod tests { const A: &str = \"你好\"; }", 0),
            ("domain/src/a/tests.rs", "const A: &str = \"你好\";", 0),
            ("domain/tests/cases.rs", "const A: &str = \"你好\";", 0),
            ("tests/lib.rs", "const A: &str = \"你好\";", 0),
        ];
        for (path, text, count) in rows {
            let found = in_code(&workspace(&[(path, text)]));
            assert_eq!(found.len(), count, "{path}: {text}: {found:?}");
        }
    }

    #[test]
    fn a_file_with_an_exemption_is_spared() {
        let exempt = "[exempt.wording]\n\"domain/src/numerals.rs\" = \"the digits of a grammar\"";
        let text = "let digits = \"一二三\";";
        let found = in_code(&workspace(&[("domain/src/numerals.rs", text), (Policy::PATH, exempt)]));
        assert_eq!(found, []);
    }
}
