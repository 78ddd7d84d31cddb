//! Sentences and clauses of a normalised message, and phrases found in them as whole words.

use unicode_normalization::UnicodeNormalization;

use crate::utterance::{Text, is_invisible};

/// A part of a message and where it begins in what it was cut from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passage<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
}

/// Folds widths and compatibility forms, lowers the case, straightens apostrophes, drops invisible characters.
pub(in crate::depth) fn normalised(text: &str) -> String {
    let folded = text.nfkc().filter(|&c| !is_invisible(c)).map(straight);
    folded.flat_map(char::to_lowercase).collect::<String>().trim().to_owned()
}

impl<'a> Passage<'a> {
    /// Cuts a message into sentences, each with the mark that ends it.
    pub(super) fn sentences(message: &'a str) -> impl Iterator<Item = Passage<'a>> {
        pieces(message, ends_sentence)
    }

    /// Returns the clause of this sentence around `start..end`: between punctuation and words that begin a clause.
    pub(super) fn clause_around<'w>(
        &self,
        start: usize,
        end: usize,
        breaks: impl Iterator<Item = &'w str>,
    ) -> Passage<'a> {
        let mut from = self.text[..start]
            .rfind(ends_clause)
            .map_or(0, |at| at + self.text[at..].chars().next().map_or(0, char::len_utf8));
        let mut until = self.text[end..].find(ends_clause).map_or(self.text.len(), |at| end + at);
        for word in breaks {
            until = find(&self.text[..until], word, end).unwrap_or(until);
            let mut at = from;
            while let Some(hit) = find(&self.text[..start], word, at) {
                at = hit + word.len();
                from = from.max(at);
            }
        }
        Passage { text: &self.text[from..until], start: from }
    }
}

/// Cuts a message into its non-empty clauses, punctuation and white space trimmed.
pub(super) fn clauses(message: &str) -> impl Iterator<Item = &str> {
    pieces(message, |rest, c| ends_sentence(rest, c) || ends_clause(c))
        .map(|piece| piece.text.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|clause| !clause.is_empty())
}

/// Finds `phrase` in `text` from `from` on, as whole words where its letters have word bounds.
pub(super) fn find(text: &str, phrase: &str, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(offset) = text.get(at..)?.find(phrase) {
        let start = at + offset;
        if phrase_at(text, start, phrase) {
            return Some(start);
        }
        at = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Tells whether `phrase` stands at `start`, as whole words where its letters have word bounds.
pub(super) fn phrase_at(text: &str, start: usize, phrase: &str) -> bool {
    if phrase.is_empty() || !text.get(start..).is_some_and(|rest| rest.starts_with(phrase)) {
        return false;
    }
    let end = start + phrase.len();
    let joined =
        |left: Option<char>, right: Option<char>| left.is_some_and(is_spelled) && right.is_some_and(is_spelled);
    !joined(text[..start].chars().next_back(), phrase.chars().next())
        && !joined(phrase.chars().next_back(), text[end..].chars().next())
}

/// Finds normalised `words` in the message they come from, as they were written there.
pub(super) fn as_written(message: &str, words: Text) -> Text {
    let visible: Vec<char> = message.nfkc().filter(|&c| !is_invisible(c)).collect();
    let (wanted, mut found) = (words.as_str(), None);
    for start in 0..visible.len() {
        let mut rest = wanted;
        let matched = visible[start..].iter().take_while(|&&c| {
            let lower: String = straight(c).to_lowercase().collect();
            rest.strip_prefix(lower.as_str()).filter(|_| !rest.is_empty()).map(|left| rest = left).is_some()
        });
        let length = matched.count();
        if rest.is_empty() && length > 0 {
            found = Some(visible[start..start + length].iter().collect::<String>());
        }
    }
    found.map_or(words, Text::from)
}

/// Replaces each of `phrases` in `text` by spaces.
pub(super) fn masked<'w>(text: &str, phrases: impl Iterator<Item = &'w str>) -> String {
    let mut masked = text.to_owned();
    for phrase in phrases {
        while let Some(at) = find(&masked, phrase, 0) {
            masked.replace_range(at..at + phrase.len(), " ");
        }
    }
    masked
}

fn pieces(message: &str, ends: impl Fn(&str, char) -> bool) -> impl Iterator<Item = Passage<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = message.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest
            .char_indices()
            .find(|&(at, c)| ends(&rest[at + c.len_utf8()..], c))
            .map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let piece = Passage { text: &rest[..length], start };
        start += length;
        Some(piece)
    })
}

fn straight(c: char) -> char {
    if matches!(c, '’' | '‘') { '\'' } else { c }
}

/// A full stop inside `v1.2` ends nothing.
fn ends_sentence(rest: &str, c: char) -> bool {
    match c {
        '.' => rest.chars().next().is_none_or(char::is_whitespace),
        '!' | '?' | '。' | ';' | '\n' | '…' => true,
        _ => false,
    }
}

fn ends_clause(c: char) -> bool {
    matches!(c, ',' | '、' | ':' | '—' | '!' | '?' | '。' | ';' | '\n' | '…')
}

/// Letters and digits of scripts that put spaces between words; Chinese and its neighbours do not.
fn is_spelled(c: char) -> bool {
    c.is_alphanumeric() && u32::from(c) < 0x2E80
}
