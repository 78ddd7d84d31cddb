//! Finds phone numbers and addresses in a text, however they are spaced.

use std::{collections::BTreeSet, sync::LazyLock};

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use crate::{control::reading::is_single, utterance::is_invisible};

/// Somewhere that a text sends a person to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Contact {
    /// A phone number, digits only.
    Phone(String),
    /// A host name.
    Host(String),
}

/// From how many digits on a number is a phone number, whatever stands around it.
pub(super) const PHONE_DIGITS: usize = 7;
/// The fewest digits of a number that somebody is asked to call.
const SHORT_NUMBER_DIGITS: usize = 3;

/// The ends of host names, by which one is recognised without `http` or `www`.
static ENDINGS: LazyLock<Endings> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../packs/host_endings.json"))
        .expect("a test reads the shipped ends of host names")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Endings {
    #[serde(rename = "about")]
    _about: String,
    known: BTreeSet<String>,
    words: BTreeSet<String>, // Those that are everyday words too: with a capital they begin a sentence ("ok.So").
}

impl Contact {
    /// Tells whether `other` is the same number, or the same host or one below it.
    pub(super) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Phone(allowed), Self::Phone(number)) => allowed == number,
            (Self::Host(allowed), Self::Host(host)) => {
                host == allowed || host.strip_suffix(allowed.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }
            (Self::Phone(_), Self::Host(_)) | (Self::Host(_), Self::Phone(_)) => false,
        }
    }
}

/// Returns all contacts of a text; `counts` tells whether a number with so many digits is one.
pub(super) fn all_in(text: &str, counts: impl Fn(usize) -> bool) -> Vec<Contact> {
    let plain: String = text.nfkc().filter(|&c| !is_invisible(c)).collect();
    let numbers = numbers(&plain).into_iter();
    let phones =
        numbers.filter(|digits| digits.len() >= SHORT_NUMBER_DIGITS && counts(digits.len())).map(Contact::Phone);
    phones.chain(hosts(&plain).into_iter().map(Contact::Host)).collect()
}

/// Returns a growing text without the word, number or address at its end that may still become another one.
pub(super) fn settled(text: &str) -> &str {
    let grows = |c: char| (c.is_alphanumeric() && !is_single(c)) || in_address(c) || is_invisible(c);
    let mut settled = text.trim_end_matches(grows);
    // A number goes on behind a space or a bracket.
    loop {
        let number = settled.trim_end_matches(|c: char| is_separator(c) || is_invisible(c));
        if !number.ends_with(char::is_numeric) {
            return settled;
        }
        settled = number.trim_end_matches(grows);
    }
}

/// Returns runs of digits that spaces, dots, dashes and brackets may interrupt; dates, times and amounts are none.
fn numbers(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut end = at;
        while at < chars.len() && (chars[at].is_ascii_digit() || joins(&chars, at)) {
            at += 1;
            if chars[at - 1].is_ascii_digit() {
                end = at;
            }
        }
        let written: String = chars[start..end].iter().collect();
        let undated: Vec<&str> = written.split(' ').filter(|piece| !is_whole_date(piece)).collect();
        let digits: String = undated.concat().chars().filter(char::is_ascii_digit).collect();
        let next = chars[end..].iter().find(|c| !c.is_whitespace()).copied();
        let part_of_word = start > 0 && chars[start - 1].is_ascii_alphabetic();
        // Whatever stands beside it, a number this long can be called.
        let is_amount = digits.len() < PHONE_DIGITS && (part_of_word || next.is_some_and(is_unit));
        if !is_amount && !is_date(&written) {
            numbers.push(digits);
        }
    }
    numbers
}

/// Tells whether what stands behind a number makes it a share, a time, a date or an amount.
fn is_unit(c: char) -> bool {
    matches!(c, '%' | ':') || super::is_unit(c)
}

/// Tells whether it is a day with all its parts; a year alone may be part of a number.
fn is_whole_date(written: &str) -> bool {
    written.split(['-', '/', '.']).count() == 3 && is_date(written)
}

/// Tells whether the character at `at` stands inside a number: few marks, and a digit follows.
fn joins(chars: &[char], at: usize) -> bool {
    let rest = &chars[at..];
    let marks = rest.iter().take_while(|&&c| is_separator(c)).count();
    (1..=2).contains(&marks) && rest.get(marks).is_some_and(char::is_ascii_digit)
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '-' | '.' | '(' | ')' | '/' | '–' | '\u{2011}')
}

/// Tells whether it is written like a day: `2024-05-01`, `1/5/2024`, or a single year.
fn is_date(written: &str) -> bool {
    let parts: Vec<&str> = written.split(['-', '/', '.']).collect();
    let number = |part: &str| part.parse::<u32>().ok();
    let year = |part: &str| part.len() == 4 && number(part).is_some_and(|year| (1900..2100).contains(&year));
    let small = |part: &str| part.len() <= 2 && number(part).is_some_and(|part| (1..=31).contains(&part));
    match parts.as_slice() {
        [single] => year(single),
        [first, second, third] => {
            (year(first) && small(second) && small(third)) || (small(first) && small(second) && year(third))
        }
        _ => false,
    }
}

fn hosts(text: &str) -> Vec<String> {
    text.split(|c| !in_address(c)).filter_map(host).collect()
}

fn in_address(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '.' | '-' | ':' | '/' | '@' | '_' | '?' | '=' | '&' | '#' | '%' | '+' | '~')
}

/// Returns the host of something written like an address, in small letters.
fn host(word: &str) -> Option<String> {
    let small = word.to_ascii_lowercase();
    let (schemed, rest) = match small.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, small.as_str()),
    };
    let (mail, rest) = rest.rsplit_once('@').map_or((false, rest), |(_, host)| (true, host));
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or(rest).trim_matches(|c| c == '.' || c == '-');
    let (www, bare) = match host.strip_prefix("www.") {
        Some(bare) => (true, bare),
        None => (false, host),
    };
    let path = rest.contains('/');
    let known = ends_like_a_host(bare) && (mail || path || !begins_a_sentence(word));
    (!bare.is_empty() && (schemed || www || known)).then(|| bare.to_owned())
}

/// Tells whether it is labels between dots, of which the last is the known end of a host name.
fn ends_like_a_host(bare: &str) -> bool {
    let Some((before, ending)) = bare.rsplit_once('.') else { return false };
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let all_labels = before.split('.').all(is_label);
    let has_letter = before.bytes().any(|byte| byte.is_ascii_alphabetic());
    all_labels && has_letter && ENDINGS.known.contains(ending) && !super::is_abbreviation(bare)
}

/// Tells whether what stands behind the last dot begins a sentence whose space was forgotten: an everyday word with a
/// capital.
fn begins_a_sentence(word: &str) -> bool {
    let Some((_, ending)) = word.trim_matches('.').rsplit_once('.') else { return false };
    let capital = ending.starts_with(|c: char| c.is_ascii_uppercase());
    capital && ENDINGS.words.contains(&ending.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_however_they_are_spaced_and_dates_are_none() {
        let phones = |text: &str| all_in(text, |_| true);
        for text in ["555-0100", "(555) 0100", "555.0100", "５５５ ０１００", "555\u{200b}0100", "call 5550100!"]
        {
            assert_eq!(phones(text), [Contact::Phone("5550100".into())], "{text}");
        }
        for text in ["2024-05-01", "1/5/2024", "in 2024", "10:30", "50%", "12", "5000 步", "a4000"] {
            assert_eq!(phones(text), [], "{text}");
        }
        assert_eq!(all_in("120", |digits| digits >= PHONE_DIGITS), []);
        for text in ["120, 110", "120 - 110", "120   110"] {
            assert_eq!(phones(text).len(), 2, "{text}");
        }
        for text in ["2024-99-01", "2024-01-99", "99-05-2024", "05-99-2024", "9999-01-01", "call 5000", "5550100 步"] {
            assert_eq!(phones(text).len(), 1, "{text} can be called");
        }
    }

    #[test]
    fn addresses_are_found_with_and_without_a_scheme() {
        for (text, host) in [
            ("https://a.example/path?x=1", "a.example"),
            ("http://10.0.0.1:80", "10.0.0.1"),
            ("www.strange.zone", "strange.zone"),
            ("mail x@b.com.", "b.com"),
            ("(see a-b.org)", "a-b.org"),
            ("请看help.cn。", "help.cn"),
            ("see EVIL.COM", "evil.com"),
            ("see evil.it", "evil.it"),
            ("see Evil.It/now", "evil.it"),
            ("a@evil.So", "evil.so"),
            ("evil.co.zw", "evil.co.zw"),
        ] {
            assert!(all_in(text, |_| false).contains(&Contact::Host(host.into())), "{text}");
        }
        for text in [
            "e.g. this",
            "well...then",
            "well...so",
            "a.b",
            "3.5",
            "and/or",
            "ok.Then",
            "ok.then",
            "That is fine.It helps.",
            "I see.So what",
            "breathe.slowly",
            "node.js",
            "an M.Sc. in law",
            "好的.Me too",
        ] {
            assert_eq!(all_in(text, |_| false), [], "{text}");
        }
        let allowed = Contact::Host("988.ca".into());
        assert!(allowed.covers(&Contact::Host("help.988.ca".into())));
        assert!(!allowed.covers(&Contact::Host("x988.ca".into())));
        assert!(!allowed.covers(&Contact::Phone("988".into())));
    }
}
