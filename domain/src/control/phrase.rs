//! Finds the phrases of a pack in a normalised text, all at once. It decides nothing about what they mean.
//!
//! A phrase is words and characters, `[a|b|]` for alternatives, `<name>` for a set of the pack, `..` for up to three
//! words of the same clause, `#` for a number and `##` for one of two digits or more. Nothing is matched inside a word or across the end of a sentence.

use std::collections::BTreeMap;

use super::reading::Reading;

/// The named alternatives of a pack.
pub(super) type Sets = BTreeMap<String, String>;

/// Phrases, each with what it stands for.
pub(super) struct Phrases<T> {
    nodes: Vec<Node>,
    meanings: Vec<T>,
}

/// A phrase that was found.
#[derive(Debug)]
pub(super) struct Found<'a, T> {
    /// What it stands for.
    pub(super) meaning: &'a T,
    /// The first token.
    pub(super) start: usize,
    /// Behind the last token.
    pub(super) end: usize,
}

impl<T> Clone for Found<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Found<'_, T> {}

/// Why a phrase of a pack cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the phrase `{phrase}`: {why}")]
pub(super) struct InvalidPhrase {
    phrase: String,
    why: &'static str,
}

#[derive(Default)]
struct Node {
    next: BTreeMap<String, usize>,
    gap: Option<usize>,
    numbers: BTreeMap<usize, usize>, // By the fewest digits.
    ends: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Element {
    Word(String),
    Gap,
    Number { digits: usize },
}

/// The most words that `..` stands for.
const GAP_WORDS: usize = 3;
/// The most ways in which one phrase may be written, so that a slip in a pack cannot fill the memory.
const MAX_WRITINGS: usize = 50_000;

impl<T> Phrases<T> {
    /// Reads phrases that use `sets`.
    pub(super) fn new(phrases: impl IntoIterator<Item = (String, T)>, sets: &Sets) -> Result<Self, InvalidPhrase> {
        let mut all = Self { nodes: vec![Node::default()], meanings: Vec::new() };
        for (phrase, meaning) in phrases {
            let writings = writings(&phrase, sets)?;
            let number = all.meanings.len();
            all.meanings.push(meaning);
            for writing in writings {
                all.add(&writing, number);
            }
        }
        Ok(all)
    }

    fn add(&mut self, writing: &[Element], number: usize) {
        let mut node = 0;
        for element in writing {
            let fresh = self.nodes.len();
            let next = match element {
                Element::Word(word) => *self.nodes[node].next.entry(word.clone()).or_insert(fresh),
                Element::Gap => *self.nodes[node].gap.get_or_insert(fresh),
                Element::Number { digits } => *self.nodes[node].numbers.entry(*digits).or_insert(fresh),
            };
            if next == fresh {
                self.nodes.push(Node::default());
            }
            node = next;
        }
        if !self.nodes[node].ends.contains(&number) {
            self.nodes[node].ends.push(number);
        }
    }

    /// Finds every phrase in `reading`, by where it starts.
    pub(super) fn find<'a>(&'a self, reading: &Reading) -> Vec<Found<'a, T>> {
        let mut found = Vec::new();
        for start in 0..reading.tokens.len() {
            self.walk(reading, start, start, 0, &mut found);
        }
        found
    }

    /// Tells whether any phrase starts exactly at `start`; returns where the longest one ends.
    pub(super) fn longest_at(&self, reading: &Reading, start: usize) -> Option<usize> {
        let mut found = Vec::new();
        self.walk(reading, start, start, 0, &mut found);
        found.into_iter().map(|found| found.end).max()
    }

    fn walk<'a>(&'a self, reading: &Reading, start: usize, at: usize, node: usize, found: &mut Vec<Found<'a, T>>) {
        let here = &self.nodes[node];
        if at > start {
            for &number in &here.ends {
                found.push(Found { meaning: &self.meanings[number], start, end: at });
            }
        }
        if let Some(after_gap) = here.gap {
            for skipped in 0..=GAP_WORDS {
                if at + skipped < reading.tokens.len() && same_clause(reading, at, at + skipped) {
                    self.walk(reading, start, at + skipped, after_gap, found);
                }
            }
        }
        let Some(token) = reading.tokens.get(at) else { return };
        if token.sentence != reading.tokens[start].sentence {
            return;
        }
        let digits = if token.forms[0].bytes().all(|byte| byte.is_ascii_digit()) { token.forms[0].len() } else { 0 };
        for (_, &next) in here.numbers.range(..=digits) {
            self.walk(reading, start, at + 1, next, found);
        }
        for form in &token.forms {
            if let Some(&next) = here.next.get(form) {
                self.walk(reading, start, at + 1, next, found);
            }
        }
    }
}

fn same_clause(reading: &Reading, a: usize, b: usize) -> bool {
    let before = a.saturating_sub(1);
    reading.tokens[before].clause == reading.tokens[b].clause
}

fn writings(phrase: &str, sets: &Sets) -> Result<Vec<Vec<Element>>, InvalidPhrase> {
    let fail = |why| InvalidPhrase { phrase: phrase.to_owned(), why };
    let chars: Vec<char> = phrase.chars().collect();
    let mut parser = Parser { chars: &chars, at: 0, sets, depth: 0 };
    let writings = parser.sequence().map_err(fail)?;
    if parser.at < chars.len() {
        return Err(fail("a `]` or `|` without a `[`"));
    }
    if writings.iter().any(|writing| !matches!(writing.first(), Some(Element::Word(_) | Element::Number { .. }))) {
        return Err(fail("a phrase begins with a word"));
    }
    if writings.iter().any(|writing| matches!(writing.last(), Some(Element::Gap))) {
        return Err(fail("a phrase ends with a word"));
    }
    Ok(writings)
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    sets: &'a Sets,
    depth: usize,
}

impl Parser<'_> {
    fn sequence(&mut self) -> Result<Vec<Vec<Element>>, &'static str> {
        let mut all: Vec<Vec<Element>> = vec![Vec::new()];
        while let Some(&c) = self.chars.get(self.at) {
            let next = match c {
                ']' | '|' => break,
                '[' => self.alternatives()?,
                '<' => self.set()?,
                '#' => self.number(),
                '.' if self.chars.get(self.at + 1) == Some(&'.') => {
                    self.at += 2;
                    vec![vec![Element::Gap]]
                }
                _ => self.words(),
            };
            if all.len() * next.len() > MAX_WRITINGS {
                return Err("it can be written in too many ways");
            }
            all = all.iter().flat_map(|head| next.iter().map(|tail| [head.as_slice(), tail].concat())).collect();
        }
        Ok(all)
    }

    fn alternatives(&mut self) -> Result<Vec<Vec<Element>>, &'static str> {
        let mut all = Vec::new();
        loop {
            self.at += 1;
            all.extend(self.sequence()?);
            match self.chars.get(self.at) {
                Some('|') => {}
                Some(']') => break,
                Some(_) | None => return Err("a `[` without its `]`"),
            }
        }
        self.at += 1;
        Ok(all)
    }

    fn set(&mut self) -> Result<Vec<Vec<Element>>, &'static str> {
        let rest = &self.chars[self.at + 1..];
        let length = rest.iter().position(|&c| c == '>').ok_or("a `<` without its `>`")?;
        let name: String = rest[..length].iter().collect();
        let written: Vec<char> = format!("[{}]", self.sets.get(&name).ok_or("it names no set")?).chars().collect();
        if self.depth > 4 {
            return Err("sets are nested too deep");
        }
        self.at += length + 2;
        Parser { chars: &written, at: 0, sets: self.sets, depth: self.depth + 1 }.alternatives()
    }

    fn number(&mut self) -> Vec<Vec<Element>> {
        let digits = self.chars[self.at..].iter().take_while(|&&c| c == '#').count();
        self.at += digits;
        vec![vec![Element::Number { digits }]]
    }

    fn words(&mut self) -> Vec<Vec<Element>> {
        let start = self.at;
        let ends = |parser: &Self, at: usize| match parser.chars.get(at) {
            None | Some('[' | ']' | '<' | '|' | '#') => true,
            Some('.') => parser.chars.get(at + 1) == Some(&'.'),
            Some(_) => false,
        };
        while !ends(self, self.at) {
            self.at += 1;
        }
        let text: String = self.chars[start..self.at].iter().collect();
        let tokens = Reading::of(&text, &[]).tokens;
        vec![tokens.into_iter().map(|mut token| Element::Word(token.forms.swap_remove(0))).collect()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrases: &[&str], text: &str) -> Vec<(String, usize, usize)> {
        let sets = Sets::from([("self".to_owned(), "myself|my self".to_owned())]);
        let all = phrases.iter().map(|phrase| ((*phrase).to_owned(), (*phrase).to_owned()));
        let phrases = Phrases::new(all, &sets).unwrap();
        let reading = Reading::of(text, &["myself".to_owned()]);
        phrases.find(&reading).into_iter().map(|found| (found.meaning.clone(), found.start, found.end)).collect()
    }

    #[test]
    fn phrases_match_whole_words_sets_alternatives_and_gaps() {
        let rows = [
            ("kill <self>", "I kill my self", true),
            ("kill <self>", "I kill myslef", true),
            ("kill <self>", "skill myself", false),
            ("kill <self>", "kill. Myself", false),
            ("[end|stop] it[ all|]", "I stop it", true),
            ("end .. all", "end simply everything all", true),
            ("end .. all", "end all", true),
            ("end .. all", "end one two three four all", false),
            ("end .. all", "end it, after all", false),
            ("想[去|]死", "我想 去 死", true),
            ("想[去|]死", "我想。死", false),
            ("took ## of", "I took 40 of", true),
            ("took ## of", "I took 4 of", false),
            ("took # of", "I took 4 of", true),
            ("# 片", "吃了30片", true),
            ("# of", "a4 of", false),
        ];
        for (phrase, text, expected) in rows {
            assert_eq!(!found(&[phrase], text).is_empty(), expected, "{phrase} in {text}");
        }
        assert_eq!(found(&["b", "a b"], "a b"), [("a b".to_owned(), 0, 2), ("b".to_owned(), 1, 2)]);
    }

    #[test]
    fn a_phrase_that_cannot_be_read_is_refused() {
        for phrase in ["[a", "a]", "<none>", "", "..a", "a ..", "[a|]"] {
            assert!(Phrases::new([(phrase.to_owned(), ())], &Sets::new()).is_err(), "{phrase}");
        }
    }
}
