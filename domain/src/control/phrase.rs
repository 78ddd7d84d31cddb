//! Finds the phrases of a pack in a normalised text, all at once. It decides nothing about what they mean.
//!
//! A phrase is words and characters, `[a|b|]` for alternatives, `<name>` for a set of the pack, `..` for up to three
//! words or six characters of the same clause, `#` for a number and `##` for one of two digits or more. Nothing is
//! matched inside a word or across the end of a sentence.

use std::collections::{BTreeMap, BTreeSet};

use super::reading::{Reading, Token};

/// The named alternatives of a pack.
pub(super) type Sets = BTreeMap<String, String>;

/// Phrases, each with what it stands for.
pub(super) struct Phrases<T> {
    nodes: Vec<Node>,
    root: Fork,
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

/// What must come next in a phrase; the numbers are those of nodes.
enum Node {
    Word(String, usize),
    Fork(Fork),
    Gap(usize),
    Number { digits: usize, then: usize },
    End(usize), // The number of the meaning.
}

/// One of several ways on.
#[derive(Default)]
struct Fork {
    words: BTreeMap<String, Vec<usize>>,
    others: Vec<usize>,
}

/// A phrase as it is written in a pack.
#[derive(Debug, PartialEq)]
enum Pattern {
    Word(String),
    Gap,
    Number { digits: usize },
    Row(Vec<Pattern>),
    OneOf(Vec<Pattern>),
}

/// What `..` may stand for at most, where a word counts two and a character of a script without spaces one.
const GAP: usize = 6;
/// The most nodes of one phrase, so that a slip in a pack cannot fill the memory.
const MAX_NODES: usize = 20_000;
/// How deep sets may name sets.
const MAX_SET_DEPTH: usize = 4;

impl<T> Phrases<T> {
    /// Reads phrases that use `sets`.
    pub(super) fn new(phrases: impl IntoIterator<Item = (String, T)>, sets: &Sets) -> Result<Self, InvalidPhrase> {
        let mut all = Self { nodes: Vec::new(), root: Fork::default(), meanings: Vec::new() };
        for (phrase, meaning) in phrases {
            let pattern = pattern(&phrase, sets).map_err(|why| InvalidPhrase { phrase, why })?;
            let end = all.node(Node::End(all.meanings.len()));
            all.meanings.push(meaning);
            let first = all.add(&pattern, end);
            let mut root = std::mem::take(&mut all.root);
            all.lead(&mut root, first);
            all.root = root;
        }
        Ok(all)
    }

    fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds what `pattern` says before the node `then`; returns its first node.
    fn add(&mut self, pattern: &Pattern, then: usize) -> usize {
        match pattern {
            Pattern::Word(word) => self.node(Node::Word(word.clone(), then)),
            Pattern::Gap => self.node(Node::Gap(then)),
            Pattern::Number { digits } => self.node(Node::Number { digits: *digits, then }),
            Pattern::Row(row) => row.iter().rev().fold(then, |then, part| self.add(part, then)),
            Pattern::OneOf(ways) => {
                let mut fork = Fork::default();
                for way in ways {
                    let first = self.add(way, then);
                    self.lead(&mut fork, first);
                }
                self.node(Node::Fork(fork))
            }
        }
    }

    /// Makes the node `to` one of the ways of `fork`.
    fn lead(&self, fork: &mut Fork, to: usize) {
        match &self.nodes[to] {
            Node::Word(word, then) => fork.words.entry(word.clone()).or_default().push(*then),
            Node::Fork(inner) => {
                for (word, then) in &inner.words {
                    fork.words.entry(word.clone()).or_default().extend(then);
                }
                fork.others.extend(&inner.others);
            }
            Node::Gap(_) | Node::Number { .. } | Node::End(_) => fork.others.push(to),
        }
    }

    /// Finds every phrase in `reading`, by where it starts.
    pub(super) fn find<'a>(&'a self, reading: &Reading) -> Vec<Found<'a, T>> {
        let mut found = Vec::new();
        for start in 0..reading.tokens.len() {
            found.extend(self.at(reading, start));
        }
        found
    }

    /// Tells whether any phrase starts exactly at `start`; returns where the longest one ends.
    pub(super) fn longest_at(&self, reading: &Reading, start: usize) -> Option<usize> {
        self.at(reading, start).map(|found| found.end).max()
    }

    /// Returns where the longest phrase ends that starts exactly at `start` and does not go beyond `limit`.
    pub(super) fn longest_within(&self, reading: &Reading, start: usize, limit: usize) -> Option<usize> {
        self.at(reading, start).map(|found| found.end).filter(|&end| end <= limit).max()
    }

    fn at<'a>(&'a self, reading: &Reading, start: usize) -> impl Iterator<Item = Found<'a, T>> + use<'a, T> {
        let mut ends = BTreeSet::new();
        self.fork(reading, start, start, &self.root, &mut ends);
        ends.into_iter().map(move |(end, number)| Found { meaning: &self.meanings[number], start, end })
    }

    fn fork(&self, reading: &Reading, start: usize, at: usize, fork: &Fork, ends: &mut BTreeSet<(usize, usize)>) {
        if let Some(token) = token(reading, start, at) {
            for then in token.forms.iter().filter_map(|form| fork.words.get(form)).flatten() {
                self.walk(reading, start, at + 1, *then, ends);
            }
        }
        for other in &fork.others {
            self.walk(reading, start, at, *other, ends);
        }
    }

    fn walk(&self, reading: &Reading, start: usize, at: usize, node: usize, ends: &mut BTreeSet<(usize, usize)>) {
        match &self.nodes[node] {
            Node::Word(word, then) => {
                if token(reading, start, at).is_some_and(|token| token.forms.contains(word)) {
                    self.walk(reading, start, at + 1, *then, ends);
                }
            }
            Node::Fork(fork) => self.fork(reading, start, at, fork, ends),
            Node::Number { digits, then } => {
                if token(reading, start, at).is_some_and(|token| is_number(&token.forms[0], *digits)) {
                    self.walk(reading, start, at + 1, *then, ends);
                }
            }
            Node::Gap(then) => {
                let mut skipped = 0;
                for behind in at..reading.tokens.len() {
                    if skipped > GAP || (behind > at && !same_clause(reading, at, behind)) {
                        break;
                    }
                    self.walk(reading, start, behind, *then, ends);
                    skipped += if reading.tokens[behind].is_character() { 1 } else { 2 };
                }
            }
            Node::End(number) => {
                ends.insert((at, *number));
            }
        }
    }
}

/// Returns the token at `at` if it is in the sentence of the one at `start`.
fn token(reading: &Reading, start: usize, at: usize) -> Option<&Token> {
    reading.tokens.get(at).filter(|token| token.sentence == reading.tokens[start].sentence)
}

fn is_number(form: &str, digits: usize) -> bool {
    form.len() >= digits && form.bytes().all(|byte| byte.is_ascii_digit())
}

fn same_clause(reading: &Reading, a: usize, b: usize) -> bool {
    let before = a.saturating_sub(1);
    reading.tokens[before].clause == reading.tokens[b].clause
}

fn pattern(phrase: &str, sets: &Sets) -> Result<Pattern, &'static str> {
    let chars: Vec<char> = phrase.chars().collect();
    let mut parser = Parser { chars: &chars, at: 0, sets, depth: 0 };
    let pattern = parser.sequence()?;
    if parser.at < chars.len() {
        return Err("a `]` or `|` without a `[`");
    }
    if pattern.may_be_nothing() || pattern.may_begin_with_gap() {
        return Err("a phrase begins with a word");
    }
    if pattern.may_end_with_gap() {
        return Err("a phrase ends with a word");
    }
    if pattern.nodes() > MAX_NODES {
        return Err("it can be written in too many ways");
    }
    Ok(pattern)
}

impl Pattern {
    fn may_be_nothing(&self) -> bool {
        match self {
            Self::Word(_) | Self::Number { .. } | Self::Gap => false,
            Self::Row(row) => row.iter().all(Self::may_be_nothing),
            Self::OneOf(ways) => ways.iter().any(Self::may_be_nothing),
        }
    }

    fn may_begin_with_gap(&self) -> bool {
        match self {
            Self::Gap => true,
            Self::Word(_) | Self::Number { .. } => false,
            Self::Row(row) => leads_to_gap(row.iter(), Self::may_begin_with_gap),
            Self::OneOf(ways) => ways.iter().any(Self::may_begin_with_gap),
        }
    }

    fn may_end_with_gap(&self) -> bool {
        match self {
            Self::Gap => true,
            Self::Word(_) | Self::Number { .. } => false,
            Self::Row(row) => leads_to_gap(row.iter().rev(), Self::may_end_with_gap),
            Self::OneOf(ways) => ways.iter().any(Self::may_end_with_gap),
        }
    }

    #[cfg(test)]
    fn written(&self, choices: &mut usize) -> String {
        match self {
            Self::Word(word) => format!("{word} "),
            Self::Number { digits } => format!("{} ", "7".repeat(*digits)),
            Self::Gap => "xq ".to_owned(),
            Self::Row(row) => row.iter().map(|part| part.written(choices)).collect(),
            Self::OneOf(ways) => {
                let way = *choices % ways.len();
                *choices = *choices / ways.len() + *choices;
                ways[way].written(choices)
            }
        }
    }

    fn nodes(&self) -> usize {
        match self {
            Self::Word(_) | Self::Number { .. } | Self::Gap => 1,
            Self::Row(parts) | Self::OneOf(parts) => 1 + parts.iter().map(Self::nodes).sum::<usize>(),
        }
    }
}

/// Tells whether a gap may be the first of `parts`, of which some may be nothing.
fn leads_to_gap<'a>(parts: impl Iterator<Item = &'a Pattern>, to_gap: impl Fn(&Pattern) -> bool) -> bool {
    for part in parts {
        if to_gap(part) {
            return true;
        }
        if !part.may_be_nothing() {
            return false;
        }
    }
    false
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    sets: &'a Sets,
    depth: usize,
}

impl Parser<'_> {
    fn sequence(&mut self) -> Result<Pattern, &'static str> {
        let mut row = Vec::new();
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                ']' | '|' => break,
                '[' => row.push(self.alternatives()?),
                '<' => row.push(self.set()?),
                '#' => row.push(self.number()),
                '.' if self.chars.get(self.at + 1) == Some(&'.') => {
                    self.at += 2;
                    row.push(Pattern::Gap);
                }
                _ => self.words(&mut row),
            }
        }
        Ok(Pattern::Row(row))
    }

    fn alternatives(&mut self) -> Result<Pattern, &'static str> {
        let mut ways = Vec::new();
        loop {
            self.at += 1;
            let way = self.sequence()?;
            if ways.contains(&way) {
                return Err("the same alternative twice");
            }
            ways.push(way);
            match self.chars.get(self.at) {
                Some('|') => {}
                Some(']') => break,
                Some(_) | None => return Err("a `[` without its `]`"),
            }
        }
        self.at += 1;
        Ok(Pattern::OneOf(ways))
    }

    fn set(&mut self) -> Result<Pattern, &'static str> {
        let rest = &self.chars[self.at + 1..];
        let length = rest.iter().position(|&c| c == '>').ok_or("a `<` without its `>`")?;
        let name: String = rest[..length].iter().collect();
        let written: Vec<char> = format!("[{}]", self.sets.get(&name).ok_or("it names no set")?).chars().collect();
        if self.depth >= MAX_SET_DEPTH {
            return Err("sets are nested too deep");
        }
        self.at += length + 2;
        Parser { chars: &written, at: 0, sets: self.sets, depth: self.depth + 1 }.alternatives()
    }

    fn number(&mut self) -> Pattern {
        let digits = self.chars[self.at..].iter().take_while(|&&c| c == '#').count();
        self.at += digits;
        Pattern::Number { digits }
    }

    fn words(&mut self, row: &mut Vec<Pattern>) {
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
        row.extend(Reading::of(&text).tokens.into_iter().map(|mut token| Pattern::Word(token.forms.swap_remove(0))));
    }
}

/// Writes a phrase in some of its ways: in the way of each number below `ways` every choice goes a step further.
#[cfg(test)]
pub(super) fn written(phrase: &str, sets: &Sets, ways: usize) -> Vec<String> {
    let pattern = pattern(phrase, sets).expect("a phrase of a shipped pack");
    let mut written: Vec<String> = (0..ways).map(|way| pattern.written(&mut (way * 7919))).collect();
    written.sort();
    written.dedup();
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::reading::Slips;

    fn found(phrases: &[&str], text: &str) -> Vec<(String, usize, usize)> {
        let sets = Sets::from([("self".to_owned(), "myself|my self".to_owned())]);
        let all = phrases.iter().map(|phrase| ((*phrase).to_owned(), (*phrase).to_owned()));
        let phrases = Phrases::new(all, &sets).unwrap();
        let slips = Slips { words: vec!["myself".to_owned()], never: Vec::new() };
        let reading = Reading::with_slips(text, &slips);
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
            ("end .. all", "end one two three all", true),
            ("end .. all", "end one two three four all", false),
            ("想..死", "想一二三四五六死", true),
            ("想..死", "想一二三四五六七死", false),
            ("end .. all", "end it, after all", false),
            ("end .. all", "end, all", true),
            ("想[去|]死", "我想 去 死", true),
            ("想[去|]死", "我想。死", false),
            ("took ## of", "I took 40 of", true),
            ("took ## of", "I took 4 of", false),
            ("took # of", "I took 4 of", true),
            ("# 片", "吃了30片", true),
            ("# of", "a4 of", false),
            ("a.b", "a b", true),
            ("a.b", "a x b", false),
            ("[a|c].b", "c b", true),
        ];
        for (phrase, text, expected) in rows {
            assert_eq!(!found(&[phrase], text).is_empty(), expected, "{phrase} in {text}");
        }
        assert_eq!(found(&["b", "a b"], "a b"), [("a b".to_owned(), 0, 2), ("b".to_owned(), 1, 2)]);
        assert_eq!(found(&["[a|a b] [b|c|]"], "a b c").len(), 3, "each end once, however it is reached");
    }

    #[test]
    fn a_phrase_that_cannot_be_read_is_refused() {
        for phrase in ["[a", "a]", "<none>", "", "..a", "a ..", "[a|]", "[a|b|a] c"] {
            assert!(Phrases::new([(phrase.to_owned(), ())], &Sets::new()).is_err(), "{phrase}");
        }
        let many: Vec<String> = (0..500).map(|number| format!("w{number}")).collect();
        let sets = Sets::from([("many".to_owned(), many.join("|"))]);
        let itself = Sets::from([("itself".to_owned(), "a <itself>".to_owned())]);
        assert!(Phrases::new([("<itself>".to_owned(), ())], &itself).is_err(), "a set that names itself");
        let readable = |times: usize| Phrases::new([("<many> ".repeat(times), ())], &sets).is_ok();
        assert!(readable(18) && !readable(40), "a phrase cannot fill the memory");
    }
}
