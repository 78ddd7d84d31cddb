//! Reads from a person's own words whether they are safe and whether somebody is there. Where it cannot tell, nothing.

use std::sync::LazyLock;

use serde::Deserialize;

use super::SafetyAnswer;
use crate::{
    control::{
        phrase::{InvalidPhrase, Phrases, Sets},
        reading::Reading,
    },
    locale::Locale,
};

/// What a phrase says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    NotSafe,
    Safe,
    Alone,
    WithSomeone,
    /// It denies, doubts or asks.
    Unsure,
}

/// Reads an answer with the words of all shipped locales, for people mix them.
pub(super) fn read(message: &str) -> Option<SafetyAnswer> {
    let reading = Reading::of(message);
    let mut said: Vec<(Says, usize, usize)> = Vec::new();
    for locale in Locale::ALL {
        let found = words(locale).find(&reading);
        said.extend(found.into_iter().map(|found| (*found.meaning, found.start, found.end)));
    }
    // What stands inside something longer is part of that: "not safe" is no "safe".
    let all = said.clone();
    said.retain(|&(_, start, end)| {
        !all.iter().any(|&(_, from, to)| from <= start && end <= to && to - from > end - start)
    });
    let says = |what: Says| said.iter().any(|&(says, _, _)| says == what);
    if says(Says::NotSafe) {
        Some(SafetyAnswer::NotSafe)
    } else if says(Says::Unsure) || !says(Says::Safe) || message.contains(['?', '？']) {
        None
    } else if says(Says::Alone) {
        Some(SafetyAnswer::Alone)
    } else {
        says(Says::WithSomeone).then_some(SafetyAnswer::WithSomeone)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    sets: Sets,
    not_safe: Vec<String>,
    safe: Vec<String>,
    alone: Vec<String>,
    with_someone: Vec<String>,
    unsure: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("not a pack of safety words")]
    Shape(#[from] serde_json::Error),
    #[error(transparent)]
    Phrase(#[from] InvalidPhrase),
}

fn words(locale: Locale) -> &'static Phrases<Says> {
    static ZH_CN: LazyLock<Phrases<Says>> = LazyLock::new(|| {
        parse(include_str!("../../../packs/zh-CN/safety.json")).expect("a test reads every shipped pack")
    });
    static EN: LazyLock<Phrases<Says>> = LazyLock::new(|| {
        parse(include_str!("../../../packs/en/safety.json")).expect("a test reads every shipped pack")
    });
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

fn parse(json: &str) -> Result<Phrases<Says>, Unreadable> {
    let file: File = serde_json::from_str(json)?;
    let lists = [
        (file.not_safe, Says::NotSafe),
        (file.safe, Says::Safe),
        (file.alone, Says::Alone),
        (file.with_someone, Says::WithSomeone),
        (file.unsure, Says::Unsure),
    ];
    let all = lists.into_iter().flat_map(|(phrases, says)| phrases.into_iter().map(move |words| (words, says)));
    Ok(Phrases::new(all, &file.sets)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_pack_can_be_read() {
        for json in [include_str!("../../../packs/zh-CN/safety.json"), include_str!("../../../packs/en/safety.json")] {
            if let Err(error) = parse(json) {
                panic!("{error}: {error:?}");
            }
        }
    }
}
