//! Reads from a message whether it chooses: by the words of the locale, not negated, not asked, not supposed.
//!
//! It errs towards "no": a choice that is missed is asked for again, one that was never made would be recorded.

mod pack;
mod passage;
mod veto;

use pack::{Form, Pack, pack};
use passage::{Passage, find, phrase_at};
use veto::Place;

pub use veto::Veto;

pub(in crate::depth) use passage::normalised;

use serde::{Deserialize, Serialize};

use crate::{locale::Locale, utterance::Text};

/// What a message says about a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// It says nothing about choosing.
    Silent,
    /// It uses words of choice and does not choose.
    Withheld(Veto),
    /// It chooses one of the options, by its place in the list.
    Named(usize),
    /// There is no list of options; it chooses, in these words: never blank, and to be confirmed.
    InOwnWords(Text),
    /// It chooses, and names none of the options, or several; or without a list nothing at all.
    Unnamed,
}

/// A bare yes or a bare no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consent {
    /// Yes.
    Yes,
    /// No, or not yet.
    No,
}

/// Reads what `message` says about choosing among `options`; of several statements the last one counts.
///
/// Every language of `locales` applies. An option is found in any letter case and as a whole word.
pub fn read_choice(message: &str, options: &[&str], locales: &[Locale]) -> Reading {
    let written = message;
    let message = normalised(message);
    let options: Vec<String> = options.iter().map(|option| normalised(option)).collect();
    let packs: Vec<&Pack> = locales.iter().map(|&locale| pack(locale)).collect();
    let breaks = || packs.iter().flat_map(|pack| &pack.breaks).map(String::as_str);
    let mut last = Reading::Silent;
    for sentence in Passage::sentences(&message) {
        if let Some((form, start, end)) = last_form(sentence.text, &packs) {
            let clause = sentence.clause_around(start, end, breaks());
            let place = Place { message: &message, sentence, clause, form, start, end };
            last = match place.veto(&packs) {
                Some(veto) => Reading::Withheld(veto),
                None => chosen(&place, &options, &packs),
            };
        }
    }
    match last {
        Reading::InOwnWords(words) => Reading::InOwnWords(passage::as_written(written, words)),
        reading => reading,
    }
}

/// Reads the one option that `message` consists of, particles and punctuation aside; a question names none.
pub fn read_bare_option(message: &str, options: &[&str], locales: &[Locale]) -> Option<usize> {
    let message = normalised(message);
    let packs: Vec<&Pack> = locales.iter().map(|&locale| pack(locale)).collect();
    let bare = if message.contains('?') { String::new() } else { without_particles(&message, &packs) };
    options.iter().position(|option| !bare.is_empty() && normalised(option) == bare)
}

/// Reads a bare yes or no; `None` if the message says more, or something else.
pub fn read_consent(message: &str, locales: &[Locale]) -> Option<Consent> {
    let message = normalised(message);
    let packs: Vec<&Pack> = locales.iter().map(|&locale| pack(locale)).collect();
    if message.contains('?') {
        return None;
    }
    let says = |clause: &str, list: fn(&Pack) -> &Vec<String>| {
        let begun = packs.iter().flat_map(|pack| &pack.breaks).find_map(|word| strip_before(clause, word));
        let clause = begun.map_or(clause, str::trim_start);
        packs.iter().any(|pack| list(pack).iter().any(|phrase| phrase == clause))
    };
    let clauses: Vec<&str> = passage::clauses(&message).collect();
    if clauses.iter().any(|clause| says(clause, |pack| &pack.no)) {
        return Some(Consent::No);
    }
    let doubted = clauses.iter().any(|clause| {
        packs.iter().any(|pack| {
            let masked = passage::masked(clause, pack.no_negations.iter().map(String::as_str));
            holds_any(&masked, &pack.negations)
                || holds_any(clause, &pack.questions)
                || holds_any(clause, &pack.suppositions)
                || holds_any(clause, &pack.conditions)
                || holds_any(clause, &pack.retractions)
                || holds_any(clause, &pack.breaks)
        })
    });
    let agreed = clauses.iter().any(|clause| says(clause, |pack| &pack.yes));
    (agreed && !doubted).then_some(Consent::Yes)
}

/// Finds the last form of `sentence` that is not the beginning of another word.
fn last_form<'a>(sentence: &str, packs: &[&'a Pack]) -> Option<(&'a Form, usize, usize)> {
    let forms = packs.iter().flat_map(|pack| &pack.forms);
    let hits =
        forms.flat_map(|form| occurrences(sentence, form).into_iter().map(move |(start, end)| (form, start, end)));
    hits.max_by_key(|&(_, start, end)| (end, std::cmp::Reverse(start)))
}

fn occurrences(sentence: &str, form: &Form) -> Vec<(usize, usize)> {
    let mut hits = Vec::new();
    let mut from = 0;
    while let Some(start) = find(sentence, &form.text, from) {
        let end = start + form.text.len();
        let rest = sentence[end..].trim_start();
        if !form.not_before.iter().any(|word| phrase_at(rest, 0, word)) {
            hits.push((start, end));
        }
        from = end;
    }
    hits
}

fn chosen(place: &Place<'_>, options: &[String], packs: &[&Pack]) -> Reading {
    let (sentence, clause) = (place.sentence.text, place.clause);
    let after = &sentence[place.end..clause.start + clause.text.len()];
    let either = packs.iter().any(|pack| holds_any(after, &pack.alternatives));
    if options.is_empty() {
        let words = without_particles(after, packs);
        return if words.is_empty() || either { Reading::Unnamed } else { Reading::InOwnWords(Text::from(words)) };
    }
    match options_in(after, options).as_slice() {
        [] => match options_in(&sentence[..place.start], options).as_slice() {
            [(_, only)] => Reading::Named(*only),
            _ => Reading::Unnamed,
        },
        [(_, only)] => Reading::Named(*only),
        [..] if either => Reading::Unnamed,
        [(_, first), ..] => Reading::Named(*first),
    }
}

/// Finds the options that `text` names, each once, in the order of their first mention; of options that begin at the
/// same place the longest.
fn options_in(text: &str, options: &[String]) -> Vec<(usize, usize)> {
    let mut hits: Vec<(usize, usize)> = options
        .iter()
        .enumerate()
        .filter(|(_, option)| !option.is_empty())
        .filter_map(|(index, option)| find(text, option, 0).map(|at| (at, index)))
        .collect();
    hits.sort_by_key(|&(at, index)| (at, std::cmp::Reverse(options[index].len()), index));
    hits.dedup_by_key(|&mut (at, _)| at);
    hits
}

fn without_particles(text: &str, packs: &[&Pack]) -> String {
    let mut bare = text.trim_matches(is_edge);
    loop {
        let shorter = packs.iter().flat_map(|pack| &pack.particles).find_map(|particle| strip(bare, particle));
        match shorter {
            Some(shorter) => bare = shorter.trim_matches(is_edge),
            None => return bare.to_owned(),
        }
    }
}

fn strip_before<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    phrase_at(text, 0, word).then(|| &text[word.len()..])
}

fn strip<'a>(text: &'a str, particle: &str) -> Option<&'a str> {
    if let Some(rest) = strip_before(text, particle) {
        return Some(rest);
    }
    let start = text.len().checked_sub(particle.len())?;
    phrase_at(text, start, particle).then(|| &text[..start])
}

fn is_edge(c: char) -> bool {
    c.is_whitespace() || (!c.is_alphanumeric() && !matches!(c, '+' | '#' | ')' | '('))
}

fn holds_any(text: &str, phrases: &[String]) -> bool {
    phrases.iter().any(|phrase| find(text, phrase, 0).is_some())
}
