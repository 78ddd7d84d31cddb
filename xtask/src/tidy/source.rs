//! One Rust file, cut into code, comments, literals and tests, as far as the rules need it: no parser.

use std::ops::Range;

/// A Rust file and what a rule may want to look at.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its path from the root.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
    /// The text with all comments and literals blanked; byte for byte as long as the text.
    pub(crate) code: String,
    /// Where the string and character literals are.
    pub(crate) literals: Vec<Range<usize>>,
    /// Where the items behind `#[cfg(test)]` are.
    tests: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Code,
    Comment,
    Literal,
}

impl Source {
    /// Cuts up the file of that path and text.
    pub(crate) fn new((path, text): (String, String)) -> Self {
        let mut code = text.clone().into_bytes();
        let mut literals = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (token, length) = first_token(&text[at..]);
            let range = at..at + length;
            match token {
                Token::Code => {}
                Token::Comment => blank(&mut code[range.clone()]),
                Token::Literal => {
                    blank(&mut code[range.clone()]);
                    literals.push(range.clone());
                }
            }
            at = range.end;
        }
        let code = String::from_utf8(code).expect("whole characters were replaced by blanks");
        let tests = test_items(&code);
        Self { path, text, code, literals, tests }
    }

    /// Returns the number of the line that holds this byte, from 1.
    pub(crate) fn line(&self, byte: usize) -> usize {
        self.code[..byte].matches('\n').count() + 1
    }

    /// Returns the place of this byte as `path:line`.
    pub(crate) fn place(&self, byte: usize) -> String {
        format!("{}:{}", self.path, self.line(byte))
    }

    /// Says whether this byte is part of a test: of an item behind `#[cfg(test)]`, or of a file of tests.
    pub(crate) fn is_test(&self, byte: usize) -> bool {
        let is_file_of_tests = self.path.ends_with("/tests.rs")
            || self.path.split('/').any(|folder| folder == "tests" || folder == "benches");
        is_file_of_tests || self.tests.iter().any(|item| item.contains(&byte))
    }
}

/// Returns the end of the item that starts at `from` in blanked code: behind its `{…}`, or behind its `;`.
pub(crate) fn end_of_item(code: &str, from: usize) -> usize {
    let (mut braces, mut others) = (0_usize, 0_usize);
    for (offset, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => others += 1,
            b')' | b']' => others = others.saturating_sub(1),
            b'{' => braces += 1,
            b'}' if braces <= 1 => return offset + 1,
            b'}' => braces -= 1,
            b';' if braces == 0 && others == 0 => return offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// Returns where `word` stands in blanked code as a word of its own.
pub(crate) fn words<'code>(code: &'code str, word: &'code str) -> impl Iterator<Item = usize> {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let is_open = |next: Option<char>| !next.is_some_and(is_word);
        is_open(code[..*at].chars().next_back()) && is_open(code[at + word.len()..].chars().next())
    })
}

/// Says whether the character can stand in a name.
pub(crate) fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    for attribute in ["#[cfg(test)]", "#![cfg(test)]"] {
        for (at, found) in code.match_indices(attribute) {
            let end = if found.starts_with("#!") { code.len() } else { end_of_item(code, at + found.len()) };
            items.push(at..end);
        }
    }
    items
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Returns what the text begins with, and how long that is.
fn first_token(text: &str) -> (Token, usize) {
    if text.starts_with("//") {
        return (Token::Comment, text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return (Token::Comment, block_comment(text));
    }
    if let Some(length) = string(text).or_else(|| character(text)) {
        return (Token::Literal, length);
    }
    let word = text.find(|character| !is_word(character)).unwrap_or(text.len());
    (Token::Code, word.max(text.chars().next().map_or(1, char::len_utf8)))
}

/// Returns the length of the block comment that the text begins with; they nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Returns the length of the string literal, raw or not, that the text begins with.
fn string(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r"].into_iter().find(|prefix| text.starts_with(prefix)).unwrap_or_default();
    let rest = &text[prefix.len()..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let inside = rest[hashes..].strip_prefix('"')?;
    let begin = prefix.len() + hashes + 1;
    if prefix.ends_with('r') {
        let close = format!("\"{}", "#".repeat(hashes));
        return Some(inside.find(&close).map_or(text.len(), |end| begin + end + close.len()));
    }
    if hashes > 0 {
        return None;
    }
    let mut escaped = false;
    for (offset, character) in inside.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(begin + offset + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// Returns the length of the character literal that the text begins with; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("b'").or_else(|| text.strip_prefix('\''))?;
    let begin = text.len() - inside.len();
    let mut characters = inside.char_indices();
    let (_, first) = characters.next()?;
    if first == '\\' {
        characters.next()?;
        return characters.find(|(_, character)| *character == '\'').map(|(end, _)| begin + end + 1);
    }
    let (end, second) = characters.next()?;
    (second == '\'').then_some(begin + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(("a.rs".to_owned(), text.to_owned()))
    }

    #[test]
    fn comments_and_literals_are_blanked_and_nothing_else() {
        let rows: [(&str, &[&str]); 10] = [
            ("a // b\nc", &["// b"]),
            ("a /* b /* c */ d */ e", &["/* b /* c */ d */"]),
            ("f(\"b // c\") // d", &["\"b // c\"", "// d"]),
            ("f(\"\\\"x\\\\\") g", &["\"\\\"x\\\\\""]),
            ("r#\"a\"b\"# c", &["r#\"a\"b\"#"]),
            ("b'x' 'y' '\\'' '\\u{4e00}' '一' z", &["b'x'", "'y'", "'\\''", "'\\u{4e00}'", "'一'"]),
            ("fn f<'a>(x: &'a str, y: &'static str) 'a", &[]),
            ("r#type r\"a\" br\"b\" bar\"c\"", &["r\"a\"", "br\"b\"", "\"c\""]),
            ("match c { '{' => '}', _ => c }", &["'{'", "'}'"]),
            ("a \"never closed 一", &["\"never closed 一"]),
        ];
        for (text, blanked) in rows {
            let mut expected = text.to_owned();
            for part in blanked {
                expected = expected.replacen(part, &" ".repeat(part.len()), 1);
            }
            assert_eq!(source(text).code, expected, "{text}");
        }
    }

    #[test]
    fn an_item_ends_behind_its_braces_or_its_semicolon() {
        let rows = [
            ("fn f() { a; { b } } c", "fn f() { a; { b } }"),
            ("fn f() -> [u8; 2]; c", "fn f() -> [u8; 2];"),
            ("mod tests; c", "mod tests;"),
            ("fn f() -> [u8; 2] { a } c", "fn f() -> [u8; 2] { a }"),
        ];
        for (code, item) in rows {
            assert_eq!(&code[..end_of_item(code, 0)], item);
        }
    }

    #[test]
    fn what_is_behind_cfg_test_is_a_test_and_what_follows_is_not() {
        let source = source("a\n#[cfg(test)]\nmod tests { b }\nc \"#[cfg(test)]\" d");
        for (word, is_test) in [("a", false), ("b", true), ("c \"", false), ("d", false)] {
            let at = source.text.rfind(word).unwrap();
            assert_eq!(source.is_test(at), is_test, "{word}");
        }
        assert_eq!(source.place(source.text.rfind("c \"").unwrap()), "a.rs:4");
        for (path, is_test) in [("domain/tests/cases.rs", true), ("tests/lib.rs", true), ("a/exit/tests.rs", true)] {
            assert_eq!(Source::new((path.to_owned(), "a".to_owned())).is_test(0), is_test, "{path}");
        }
    }
}
