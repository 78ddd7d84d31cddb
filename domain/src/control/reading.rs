//! The normalised copy of a text: words and characters as the packs compare them. Never shown, never stored.
//!
//! Compatibility forms, width, case, accents, invisible characters, look-alike letters and traditional characters are
//! folded; a word keeps every form that it may stand for (`k1ll`, `killl`, `s*icide`).

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::utterance::is_invisible;

/// The normalised copy of one text.
pub(super) struct Reading {
    /// The words and characters, in order.
    pub(super) tokens: Vec<Token>,
}

/// One word, or one character of a script without spaces.
pub(super) struct Token {
    /// What it may stand for; the plain form first.
    pub(super) forms: Vec<String>,
    /// The number of its clause in the text; clauses end at commas and the like.
    pub(super) clause: u32,
    /// The number of its sentence in the text.
    pub(super) sentence: u32,
    /// Whether it stands between quotation marks that are closed again.
    pub(super) quoted: bool,
    /// Whether it was written letter by letter (`k.m.s`, `d i e`).
    spelt: bool,
}

/// The long words of a pack whose misspelt forms are recognised.
#[derive(Default)]
pub(super) struct Slips {
    /// The words.
    pub(super) words: Vec<String>,
    /// Words that are near to one of them and mean themselves ("overdone").
    pub(super) never: Vec<String>,
}

/// Something written without spaces between its words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// A long word.
    Word(String),
    /// A word that was written letter by letter.
    Letters(String),
}

/// The most forms that one word may stand for.
const MAX_FORMS: usize = 64;
/// The longest word, in characters, whose forms are worked out; longer ones are compared as they are.
const MAX_FORMED_CHARS: usize = 40;
/// The shortest word that may be a slip of another one; of one this short only two letters may have changed places.
const MIN_SLIP_CHARS: usize = 4;
/// The shortest word in which a letter may be missing, added or changed.
const MIN_CHANGED_CHARS: usize = 5;
/// The shortest word, in bytes, that may be several words without spaces.
const MIN_JOINED_BYTES: usize = 8;
/// The fewest single letters that are read as one word, between spaces.
const MIN_SPACED_LETTERS: usize = 4;
/// The fewest single letters that are read as one word, between other signs.
const MIN_DOTTED_LETTERS: usize = 3;

/// Characters of other alphabets that look like a Latin letter.
const LOOK_ALIKES: [(char, char); 22] = [
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ѕ', 's'),
    ('ԁ', 'd'),
    ('һ', 'h'),
    ('к', 'k'),
    ('т', 't'),
    ('м', 'm'),
    ('α', 'a'),
    ('ε', 'e'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ο', 'o'),
    ('υ', 'u'),
    ('ı', 'i'),
];

static FOLDS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let pairs: Vec<(char, char)> = serde_json::from_str(include_str!("../../packs/zh-CN/folds.json"))
        .expect("a test reads the shipped table of traditional characters");
    let mut pairs: Vec<_> = pairs;
    pairs.sort_unstable();
    pairs
});

impl Token {
    /// Tells whether it is one character of a script without spaces.
    pub(super) fn is_character(&self) -> bool {
        self.forms[0].starts_with(is_single)
    }
}

impl Reading {
    /// Reads `text` as it is written.
    pub(super) fn of(text: &str) -> Self {
        Self::with_slips(text, &Slips::default())
    }

    /// Reads `text`; a word within one slip of one of `slips` may stand for it.
    pub(super) fn with_slips(text: &str, slips: &Slips) -> Self {
        let chars: Vec<char> = folded(text);
        let mut reader = Reader { chars: &chars, slips, at: 0, clause: 0, sentence: 0, tokens: Vec::new(), open: None };
        reader.read();
        Self { tokens: reader.tokens }
    }

    /// Returns long words and words that were written letter by letter: what may be several words written as one.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for token in &self.tokens {
            let plain = token.forms[0].as_str();
            if token.spelt {
                rows.push(Row::Letters(plain.to_owned()));
            } else if plain.is_ascii() && plain.len() >= MIN_JOINED_BYTES {
                rows.extend(token.forms.iter().cloned().map(Row::Word));
            }
        }
        rows
    }
}

/// Folds what looks the same and drops what cannot be seen.
fn folded(text: &str) -> Vec<char> {
    text.chars()
        .filter(|&c| !is_invisible(c))
        .nfkd()
        .filter(|&c| !is_combining_mark(c) && !is_invisible(c))
        .flat_map(char::to_lowercase)
        .map(|c| LOOK_ALIKES.iter().find(|(look_alike, _)| *look_alike == c).map_or(c, |(_, letter)| *letter))
        .map(|c| match FOLDS.binary_search_by_key(&c, |(traditional, _)| *traditional) {
            Ok(found) => FOLDS[found].1,
            Err(_) => c,
        })
        .collect()
}

struct Reader<'a> {
    chars: &'a [char],
    slips: &'a Slips,
    at: usize,
    clause: u32,
    sentence: u32,
    tokens: Vec<Token>,
    open: Option<(char, usize)>, // The closing mark that is awaited, and the first token inside.
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(&c) = self.chars.get(self.at) {
            if is_single(c) {
                self.push(vec![c.to_string()]);
                self.at += 1;
            } else if let Some(end) = self.spelt_until() {
                self.spelt(end);
            } else if self.starts_word() {
                self.word();
            } else {
                self.mark(c);
                self.at += 1;
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.in_word(start) {
            self.at += 1;
        }
        let word: String = self.chars[start..self.at].iter().filter(|&&c| !is_apostrophe(c)).collect();
        self.push(forms(&word, self.slips));
    }

    /// Returns where a word ends that is written letter by letter from here, the same sign between all letters.
    fn spelt_until(&self) -> Option<usize> {
        let single = |at: usize| {
            self.letter_at(at) && self.chars[at].is_ascii() && !self.letter_at(at + 1) && !self.stands_in_at(at + 1)
        };
        let sign = *self.chars.get(self.at + 1)?;
        if !single_sign(sign) || !self.letter_at(self.at) || !self.chars[self.at].is_ascii() {
            return None;
        }
        let follows = |at: &usize| self.chars.get(at + 1) == Some(&sign) && self.letter_at(at + 2);
        let mut last = self.at;
        while follows(&last) && (single(last + 2) || self.chars.get(last + 3) == Some(&sign)) {
            last += 2;
        }
        let letters = (last - self.at) / 2 + 1;
        let enough = if sign == ' ' { MIN_SPACED_LETTERS } else { MIN_DOTTED_LETTERS };
        let word = (self.at..=last).step_by(2).any(|at| self.chars[at].is_alphabetic());
        (letters >= enough && word).then_some(last + 1)
    }

    fn spelt(&mut self, end: usize) {
        let letters: Vec<char> = self.chars[self.at..end].iter().copied().step_by(2).collect();
        // Between spaces an "I" or an "a" before the word is a word of its own.
        let alone =
            self.chars[self.at + 1] == ' ' && matches!(letters[0], 'i' | 'a') && letters.len() > MIN_SPACED_LETTERS;
        if alone {
            self.push(vec![letters[0].to_string()]);
        }
        let word: String = letters[usize::from(alone)..].iter().collect();
        self.push(forms(&word, self.slips));
        self.tokens.last_mut().expect("one was pushed just now").spelt = true;
        self.at = end;
    }

    fn stands_in_at(&self, at: usize) -> bool {
        self.chars.get(at).is_some_and(|&c| is_stand_in(c)) && self.letter_at(at + 1)
    }

    fn starts_word(&self) -> bool {
        let c = self.chars[self.at];
        c.is_alphanumeric() || (is_stand_in(c) && c != '!' && c != '*' && self.letter_at(self.at + 1))
    }

    /// Tells whether the character at hand goes on the word that began at `start`.
    fn in_word(&self, start: usize) -> bool {
        let Some(&c) = self.chars.get(self.at) else { return false };
        if is_single(c) {
            return false;
        }
        let inside = self.at > start;
        let before = inside && self.letter_at(self.at - 1);
        let between = inside && self.letter_at(self.at + 1);
        c.is_alphanumeric() || (is_stand_in(c) && (!inside || between)) || (is_apostrophe(c) && before && between)
    }

    fn letter_at(&self, at: usize) -> bool {
        self.chars.get(at).is_some_and(|&c| c.is_alphanumeric() && !is_single(c))
    }

    fn push(&mut self, forms: Vec<String>) {
        self.tokens.push(Token { forms, clause: self.clause, sentence: self.sentence, quoted: false, spelt: false });
    }

    /// Takes a character that is part of no word: the end of a clause or sentence, or a quotation mark.
    fn mark(&mut self, c: char) {
        if self.open.is_some_and(|(closing, _)| closing == c) && self.closes(c) {
            let (_, first) = self.open.take().expect("it was looked at just now");
            self.tokens[first..].iter_mut().for_each(|token| token.quoted = true);
            self.clause += 1;
        } else if let Some(closing) = self.opens(c) {
            self.open = Some((closing, self.tokens.len()));
            self.clause += 1;
        } else if ends_sentence(c) || (c == '.' && self.space_at(self.at + 1)) {
            self.sentence += 1;
            self.clause += 1;
        } else if matches!(c, ',' | ':' | '…' | '—' | '–' | '、') {
            self.clause += 1;
        }
    }

    /// Returns the mark that closes what `c` opens.
    fn opens(&self, c: char) -> Option<char> {
        match c {
            '“' => Some('”'),
            '「' => Some('」'),
            '『' => Some('』'),
            '"' => Some('"'),
            '‘' => Some('’'),
            '\'' if self.letter_at(self.at + 1) => Some('\''),
            _ => None,
        }
    }

    /// Tells whether the awaited mark closes here: a single one does so only behind a word.
    fn closes(&self, c: char) -> bool {
        !is_apostrophe(c) || !self.letter_at(self.at + 1)
    }

    fn space_at(&self, at: usize) -> bool {
        self.chars.get(at).is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\''))
    }
}

/// Tells whether it is a character of a script without spaces, which is a word by itself.
pub(super) fn is_single(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}') && c.is_alphanumeric()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '`' | '´' | 'ʼ')
}

/// Tells whether `c` may stand between the letters of a word that is written letter by letter.
fn single_sign(c: char) -> bool {
    matches!(c, ' ' | '.' | '-' | '_' | '*' | '/' | '~' | '|')
}

/// Tells whether `c` is written for a letter (`$elf`, `k!ll`, `s*icide`).
fn is_stand_in(c: char) -> bool {
    matches!(c, '@' | '$' | '!' | '*' | '+' | '|')
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '!' | '?' | '。' | '！' | '？' | ';' | '；' | '\n')
}

/// Returns everything that a written word may stand for, the plain form first.
fn forms(word: &str, slips: &Slips) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if word.chars().count() > MAX_FORMED_CHARS {
        return forms;
    }
    let has_letter = word.chars().any(char::is_alphabetic);
    if has_letter && word.chars().any(|c| c.is_ascii_digit() || is_stand_in(c)) {
        let spelt: Vec<String> = ['i', 'l'].into_iter().map(|one| spelt_out(word, one)).collect();
        for spelt in spelt {
            add(&mut forms, spelt);
        }
        expand_stars(&mut forms);
    }
    for form in forms.clone() {
        for most in [2, 1] {
            add(&mut forms, squeezed(&form, most));
        }
    }
    for form in forms.clone() {
        if form.chars().count() >= MIN_SLIP_CHARS && !slips.never.contains(&form) {
            for key in slips.words.iter().filter(|key| is_slip(&form, key)) {
                add(&mut forms, key.clone());
            }
        }
    }
    forms
}

fn add(forms: &mut Vec<String>, form: String) {
    if forms.len() < MAX_FORMS && !form.is_empty() && !forms.contains(&form) {
        forms.push(form);
    }
}

/// Writes the letters that digits and signs stand for; `one` is what `1`, `!` and `|` are.
fn spelt_out(word: &str, one: char) -> String {
    let letter = |c| match c {
        '0' => 'o',
        '1' | '!' | '|' => one,
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        other => other,
    };
    word.chars().map(letter).collect()
}

fn expand_stars(forms: &mut Vec<String>) {
    for _ in 0..2 {
        let starred: Vec<String> = forms.iter().filter(|form| form.contains('*')).cloned().collect();
        for form in starred {
            for vowel in ["a", "e", "i", "o", "u"] {
                add(forms, form.replacen('*', vowel, 1));
            }
        }
    }
}

/// Shortens each run of three or more of the same letter to `most` of them.
fn squeezed(word: &str, most: usize) -> String {
    let chars: Vec<char> = word.chars().collect();
    let runs = chars.chunk_by(|a, b| a == b);
    runs.flat_map(|run| run.iter().take(if run.len() > 2 { most } else { run.len() })).collect()
}

/// Tells whether `word` is `key` with two neighbours swapped, or one letter missing, added or changed; never the first.
fn is_slip(word: &str, key: &str) -> bool {
    let (word, key): (Vec<char>, Vec<char>) = (word.chars().collect(), key.chars().collect());
    let prefix = word.iter().zip(&key).take_while(|(a, b)| a == b).count();
    let long = word.len().min(key.len()) >= MIN_CHANGED_CHARS;
    let (word, key) = (&word[prefix..], &key[prefix..]);
    match (word.len(), key.len()) {
        (0, 0) => true,
        _ if prefix == 0 => false,
        (a, b) if a == b => {
            let swapped = a > 1 && word[0] == key[1] && word[1] == key[0] && word[2..] == key[2..];
            swapped || (long && word[1..] == key[1..])
        }
        (a, b) if a == b + 1 => long && word[1..] == *key,
        (a, b) if a + 1 == b => long && *word == key[1..],
        _ => false,
    }
}
