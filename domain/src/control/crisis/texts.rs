//! The reviewed crisis texts, by locale. They are shown byte for byte; nothing but the resources is filled in.

use std::{collections::BTreeSet, sync::LazyLock};

use serde::{Deserialize, Serialize};

use super::{
    SafetyAnswer,
    resources::{Country, CrisisResource, covers, pointer, resources},
};
use crate::locale::Locale;

/// A reviewed text of the crisis set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrisisText {
    /// The crisis text.
    Opening,
    /// Whether the person is safe now and with someone.
    SafetyQuestion,
    /// The resources again, and that a human was asked for.
    ResourcesAgain,
    /// What later messages get, by how many came before; they take turns.
    FollowUp(u32),
    /// The first held turn.
    Holding,
    /// Later held turns.
    HoldingAgain,
    /// Too many held turns: resources, and a human.
    HeldTooLong,
    /// After a clinician cleared the risk.
    Return,
    /// Beside the closing text of a counselling session.
    Closing,
}

/// One answer to the safety question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafetyChoice {
    /// What it means.
    pub answer: SafetyAnswer,
    /// How it reads.
    pub text: String,
}

/// Returns a reviewed text with the resources of `country`; unknown countries get the emergency wording, the
/// directory, and every resource that ships with the place that it is for.
pub fn text(which: CrisisText, locale: Locale, country: Option<&Country>) -> String {
    let set = set(locale);
    let template = match which {
        CrisisText::Opening => &set.opening,
        CrisisText::SafetyQuestion => &set.safety_question,
        CrisisText::ResourcesAgain => &set.resources_again,
        CrisisText::FollowUp(number) => {
            let turns = u32::try_from(set.follow_up.len()).expect("the set has a handful of follow-ups");
            &set.follow_up[(number % turns) as usize]
        }
        CrisisText::Holding => &set.holding,
        CrisisText::HoldingAgain => &set.holding_again,
        CrisisText::HeldTooLong => &set.held_too_long,
        CrisisText::Return => &set.back,
        CrisisText::Closing => &set.closing,
    };
    template.replace("{resources}", &listed(set, locale, country))
}

/// Returns the answers to the safety question, in the order in which they are shown.
pub fn choices(locale: Locale) -> &'static [SafetyChoice] {
    &set(locale).choices
}

/// Tells whether `shown` is, byte for byte, one of the reviewed texts of `locale` for any country.
pub fn is_reviewed(shown: &str, locale: Locale) -> bool {
    static ZH_CN: LazyLock<BTreeSet<String>> = LazyLock::new(|| every_text(Locale::ZhCn));
    static EN: LazyLock<BTreeSet<String>> = LazyLock::new(|| every_text(Locale::En));
    match locale {
        Locale::ZhCn => ZH_CN.contains(shown),
        Locale::En => EN.contains(shown),
    }
}

fn every_text(locale: Locale) -> BTreeSet<String> {
    let fixed = [
        CrisisText::Opening,
        CrisisText::SafetyQuestion,
        CrisisText::ResourcesAgain,
        CrisisText::Holding,
        CrisisText::HoldingAgain,
        CrisisText::HeldTooLong,
        CrisisText::Return,
        CrisisText::Closing,
    ];
    let follow_ups = (0..).take(set(locale).follow_up.len()).map(CrisisText::FollowUp);
    let own = resources(locale).iter().map(|resource| resource.country.as_ref());
    let countries: Vec<Option<&Country>> = own.chain(std::iter::once(None)).collect();
    let all = fixed.into_iter().chain(follow_ups);
    all.flat_map(|which| countries.iter().map(move |&country| text(which, locale, country))).collect()
}

fn listed(set: &Set, locale: Locale, country: Option<&Country>) -> String {
    let line = |resource: &CrisisResource| {
        set.resource
            .replace("{place}", &resource.place)
            .replace("{name}", &resource.name)
            .replace("{number}", &resource.number)
            .replace("{hours}", &resource.hours)
    };
    let pointer = line(pointer(locale));
    let known = country.filter(|country| covers(locale, country));
    let own = resources(locale).iter().filter(|resource| known.is_none() || resource.country.as_ref() == known);
    let own: Vec<String> = own.map(line).collect();
    match known {
        Some(_) => [own, vec![pointer]].concat().join("\n"),
        None => [vec![set.unknown_country.clone(), pointer], own].concat().join("\n"),
    }
}

struct Set {
    opening: String,
    unknown_country: String,
    resource: String,
    safety_question: String,
    choices: Vec<SafetyChoice>,
    resources_again: String,
    follow_up: Vec<String>, // Invariant: at least two.
    holding: String,
    holding_again: String,
    held_too_long: String,
    back: String,
    closing: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    opening: String,
    unknown_country: String,
    resource: String,
    safety_question: String,
    choices: Vec<Choice>,
    resources_again: String,
    follow_up: Vec<String>,
    holding: String,
    holding_again: String,
    held_too_long: String,
    #[serde(rename = "return")]
    back: String,
    closing: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    key: SafetyAnswer,
    text: String,
}

fn set(locale: Locale) -> &'static Set {
    static ZH_CN: LazyLock<Set> = LazyLock::new(|| {
        read(include_str!("../../../texts/zh-CN/crisis.json")).expect("a test reads every shipped crisis text")
    });
    static EN: LazyLock<Set> = LazyLock::new(|| {
        read(include_str!("../../../texts/en/crisis.json")).expect("a test reads every shipped crisis text")
    });
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

fn read(json: &str) -> Result<Set, serde_json::Error> {
    let file: File = serde_json::from_str(json)?;
    let choices = file.choices.into_iter().map(|choice| SafetyChoice { answer: choice.key, text: choice.text });
    Ok(Set {
        choices: choices.collect(),
        opening: file.opening,
        unknown_country: file.unknown_country,
        resource: file.resource,
        safety_question: file.safety_question,
        resources_again: file.resources_again,
        follow_up: file.follow_up,
        holding: file.holding,
        holding_again: file.holding_again,
        held_too_long: file.held_too_long,
        back: file.back,
        closing: file.closing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_whole_and_names_all_choices() {
        for locale in Locale::ALL {
            let set = set(locale);
            assert!(set.follow_up.len() >= 2);
            let answers: Vec<_> = choices(locale).iter().map(|choice| choice.answer).collect();
            assert_eq!(answers, SafetyAnswer::ALL);
            for which in [
                CrisisText::Opening,
                CrisisText::ResourcesAgain,
                CrisisText::Holding,
                CrisisText::HeldTooLong,
                CrisisText::Closing,
            ] {
                assert!(text(which, locale, None).contains(&pointer(locale).number), "{which:?} names help");
            }
        }
    }

    #[test]
    fn a_known_country_gets_its_own_numbers_and_an_unknown_one_never_988_alone() {
        for locale in Locale::ALL {
            let shown = |country: Option<&str>| {
                let country = country.map(|code| Country::new(code).unwrap());
                text(CrisisText::Opening, locale, country.as_ref())
            };
            assert!(shown(Some("US")).contains("988") && !shown(Some("US")).contains("12356"));
            assert!(shown(Some("ca")).contains("988"));
            assert!(shown(Some("CN")).contains("12356") && shown(Some("CN")).contains("120"));
            assert!(!shown(Some("CN")).contains("988"));
            for unknown in [None, Some("FR")] {
                let shown = shown(unknown);
                assert!(shown.contains(&set(locale).unknown_country) && shown.contains("findahelpline.com"));
                assert!(shown.contains("12356") && shown.contains("988"), "each with its place");
            }
        }
    }
}
