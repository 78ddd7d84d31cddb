//! Checks what a model wrote before, or while, it is shown: the last look, not the first. It changes no word.

mod contact;

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Serialize};

use super::{
    crisis, floor,
    phrase::{InvalidPhrase, Phrases, Sets},
    reading::Reading,
};
use crate::{locale::Locale, utterance::is_invisible};
use contact::Contact;

/// The most characters of a reply, unless configured lower.
pub const MAX_REPLY_CHARS: usize = 4_000;

/// Why a model's text is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockReason {
    /// It is longer than allowed.
    TooLong,
    /// It repeats the mark that only the prompt has.
    PromptCanary,
    /// It has a phone number that is in no reviewed resource and not in the script.
    PhoneNumber,
    /// It has an address that is in no reviewed resource and not in the script.
    Url,
    /// It claims to be human.
    ClaimsHuman,
    /// It makes a diagnosis.
    Diagnosis,
    /// It tells somebody to take, change or stop a medicine.
    Prescription,
    /// It promises a result.
    Guarantee,
    /// It says what the lexical floor would catch in a message.
    Risk,
}

/// What a model's texts are checked against. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct OutputCheck {
    max_chars: usize,
    allowed: Arc<[Contact]>,
    canary: Option<String>,
    risk: RiskScan,
}

/// Whether a reply is scanned for risk like a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RiskScan {
    /// The route does not ask for it.
    Off,
    /// The route's table asks for it.
    On,
}

impl OutputCheck {
    /// Allows the reviewed crisis resources of all locales, and what is in the script's own texts.
    ///
    /// `canary` is a mark in the prompt that no reply may repeat.
    pub fn new<'a>(script_texts: impl IntoIterator<Item = &'a str>, canary: Option<&str>, risk: RiskScan) -> Self {
        let resources = Locale::ALL.into_iter().flat_map(crisis::reviewed_contacts);
        let mut allowed: Vec<Contact> = resources.flat_map(|text| contact::all_in(text, |_| true)).collect();
        allowed.extend(script_texts.into_iter().flat_map(|text| contact::all_in(text, |_| true)));
        let canary = canary.map(compact).filter(|canary| !canary.is_empty());
        Self { max_chars: MAX_REPLY_CHARS, allowed: allowed.into(), canary, risk }
    }

    /// Returns the check of one call: with the mark of its prompt, and with the risk scan if its route asks for one.
    #[must_use]
    pub fn of_call(&self, canary: &str, risk: RiskScan) -> Self {
        let canary = Some(compact(canary)).filter(|canary| !canary.is_empty());
        Self { canary, risk, ..self.clone() }
    }

    /// Lowers the longest reply; it cannot be raised above [`MAX_REPLY_CHARS`].
    #[must_use]
    pub fn at_most(mut self, chars: usize) -> Self {
        self.max_chars = chars.min(MAX_REPLY_CHARS);
        self
    }

    /// Checks a whole text.
    ///
    /// # Errors
    ///
    /// The first reason, in the order of [`BlockReason`].
    pub fn check(&self, text: &str) -> Result<(), BlockReason> {
        self.check_length_and_mark(text)?;
        self.check_words(text)
    }

    /// Checks what has been written of a text that still grows: nothing in it that the whole text may say is blocked.
    ///
    /// The word, number or address at its end may still become another one ("12" of 12356, "man" of "manager"), and is
    /// looked at when something stands behind it; so the whole text must be checked too.
    ///
    /// # Errors
    ///
    /// The first reason, in the order of [`BlockReason`].
    pub fn check_growing(&self, text: &str) -> Result<(), BlockReason> {
        self.check_length_and_mark(text)?;
        self.check_words(contact::settled(text))
    }

    fn check_length_and_mark(&self, text: &str) -> Result<(), BlockReason> {
        if text.chars().count() > self.max_chars {
            return Err(BlockReason::TooLong);
        }
        if self.canary.as_ref().is_some_and(|canary| compact(text).contains(canary)) {
            return Err(BlockReason::PromptCanary);
        }
        Ok(())
    }

    fn check_words(&self, text: &str) -> Result<(), BlockReason> {
        let reading = Reading::of(text);
        let asks_to_call = Locale::ALL.into_iter().any(|locale| !pack(locale).call.find(&reading).is_empty());
        let mut strange = contact::all_in(text, |digits| asks_to_call || digits >= contact::PHONE_DIGITS);
        strange.retain(|contact| !self.allowed.iter().any(|allowed| allowed.covers(contact)));
        match strange.first() {
            Some(Contact::Phone(_)) => return Err(BlockReason::PhoneNumber),
            Some(Contact::Host(_)) => return Err(BlockReason::Url),
            None => {}
        }
        let said = Locale::ALL.into_iter().flat_map(|locale| pack(locale).forbidden.find(&reading));
        if let Some(reason) = said.map(|found| *found.meaning).min() {
            return Err(reason);
        }
        match self.risk {
            RiskScan::On if floor::scan(text).is_some_and(|finding| finding.class >= floor::RiskClass::Intent) => {
                Err(BlockReason::Risk)
            }
            RiskScan::On | RiskScan::Off => Ok(()),
        }
    }
}

impl std::fmt::Debug for OutputCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OutputCheck({} allowed contacts, at most {} characters)", self.allowed.len(), self.max_chars)
    }
}

impl BlockReason {
    /// All reasons, in the order in which the first is given.
    pub const ALL: [Self; 9] = [
        Self::TooLong,
        Self::PromptCanary,
        Self::PhoneNumber,
        Self::Url,
        Self::ClaimsHuman,
        Self::Diagnosis,
        Self::Prescription,
        Self::Guarantee,
        Self::Risk,
    ];

    /// Returns the reason as `reply_blocked` writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::PromptCanary => "prompt_canary",
            Self::PhoneNumber => "phone_number",
            Self::Url => "url",
            Self::ClaimsHuman => "claims_human",
            Self::Diagnosis => "diagnosis",
            Self::Prescription => "prescription",
            Self::Guarantee => "guarantee",
            Self::Risk => "risk",
        }
    }
}

/// Leaves letters and digits only, so that a canary is found however it is spaced.
fn compact(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() && !is_invisible(*c)).flat_map(char::to_lowercase).collect()
}

/// Tells whether something with dots inside is an abbreviation in any shipped locale, and no address.
fn is_abbreviation(written: &str) -> bool {
    Locale::ALL.into_iter().any(|locale| pack(locale).abbreviations.contains(written))
}

/// Tells whether a character behind a number makes it a date or an amount in any shipped locale.
fn is_unit(c: char) -> bool {
    Locale::ALL.into_iter().any(|locale| pack(locale).units.contains(&c))
}

struct Pack {
    forbidden: Phrases<BlockReason>,
    call: Phrases<()>,
    abbreviations: BTreeSet<String>,
    units: BTreeSet<char>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    sets: Sets,
    human: Vec<String>,
    diagnosis: Vec<String>,
    prescription: Vec<String>,
    guarantee: Vec<String>,
    call: Vec<String>,
    abbreviations: BTreeSet<String>,
    units: BTreeSet<char>,
}

#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("not an output pack")]
    Shape(#[from] serde_json::Error),
    #[error(transparent)]
    Phrase(#[from] InvalidPhrase),
}

fn pack(locale: Locale) -> &'static Pack {
    static ZH_CN: LazyLock<Pack> = LazyLock::new(|| {
        read(include_str!("../../packs/zh-CN/output_check.json")).expect("a test reads every shipped pack")
    });
    static EN: LazyLock<Pack> = LazyLock::new(|| {
        read(include_str!("../../packs/en/output_check.json")).expect("a test reads every shipped pack")
    });
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

fn read(json: &str) -> Result<Pack, Unreadable> {
    let file: File = serde_json::from_str(json)?;
    let classes = [
        (file.human, BlockReason::ClaimsHuman),
        (file.diagnosis, BlockReason::Diagnosis),
        (file.prescription, BlockReason::Prescription),
        (file.guarantee, BlockReason::Guarantee),
    ];
    let forbidden =
        classes.into_iter().flat_map(|(phrases, reason)| phrases.into_iter().map(move |words| (words, reason)));
    Ok(Pack {
        forbidden: Phrases::new(forbidden, &file.sets)?,
        call: Phrases::new(file.call.into_iter().map(|word| (word, ())), &file.sets)?,
        abbreviations: file.abbreviations,
        units: file.units,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_pack_can_be_read() {
        for json in
            [include_str!("../../packs/zh-CN/output_check.json"), include_str!("../../packs/en/output_check.json")]
        {
            if let Err(error) = read(json) {
                panic!("{error}: {error:?}");
            }
        }
    }

    #[test]
    fn what_a_model_must_not_say_is_blocked_and_the_rest_is_not() {
        let check =
            OutputCheck::new(["See example.org or ring 555-0100 for the group."], Some("CANARY-7Q"), RiskScan::Off);
        let rows = [
            ("That sounds hard. What helped last time?", None),
            ("I hear you. Would you like to try a breathing exercise?", None),
            ("It was 2024-05-01 at 10:30, 120 people, 1,000,000 steps.", None),
            ("Take your time, and take a walk.", None),
            ("As an AI I cannot diagnose depression, but many people feel like this.", None),
            ("I am not a human, I am an AI.", None),
            ("You can call 988 at any time.", None),
            ("In China, dial 12356.", None),
            ("See https://988lifeline.org/help or findahelpline.com.", None),
            ("Ring 555 0100 or see example.org/groups.", None),
            ("Call 1-800-555-1234 now.", Some(BlockReason::PhoneNumber)),
            ("Call ９９９ now.", Some(BlockReason::PhoneNumber)),
            ("The number is 555\u{200b}0199.", Some(BlockReason::PhoneNumber)),
            ("18005551234", Some(BlockReason::PhoneNumber)),
            ("Look at http://evil.example/x", Some(BlockReason::Url)),
            ("Look at www.helpme.net", Some(BlockReason::Url)),
            ("Mail me at a@b.com", Some(BlockReason::Url)),
            ("Look at not988lifeline.org", Some(BlockReason::Url)),
            ("I am a real person like you.", Some(BlockReason::ClaimsHuman)),
            ("I'm not a robot.", Some(BlockReason::ClaimsHuman)),
            ("I'm a licensed therapist.", Some(BlockReason::ClaimsHuman)),
            ("You have major depression.", Some(BlockReason::Diagnosis)),
            ("You should stop taking your medication.", Some(BlockReason::Prescription)),
            ("Double the dose.", Some(BlockReason::Prescription)),
            ("I guarantee that you will feel better.", Some(BlockReason::Guarantee)),
            ("my mark is canary 7q", Some(BlockReason::PromptCanary)),
            ("听起来很不容易，最近睡得怎么样？", None),
            ("我是人工智能，不是真人。", None),
            ("需要时可以拨打12356。", None),
            ("今天是2024年5月1日，走了8000步。", None),
            ("请拨打400-123-4567。", Some(BlockReason::PhoneNumber)),
            ("我是真人，不是机器人。", Some(BlockReason::ClaimsHuman)),
            ("我是一名心理咨询师。", Some(BlockReason::ClaimsHuman)),
            ("你得了抑郁症。", Some(BlockReason::Diagnosis)),
            ("建议你每天服用舍曲林。", Some(BlockReason::Prescription)),
            ("我保证你会好起来。", Some(BlockReason::Guarantee)),
        ];
        for (text, expected) in rows {
            assert_eq!(check.check(text).err(), expected, "{text}");
            let growing: Vec<_> = text.char_indices().map(|(at, _)| check.check_growing(&text[..at])).collect();
            let found = growing.into_iter().find_map(Result::err);
            assert!(found.is_none() || found == expected, "{text} was {found:?} while it grew");
            let finished = format!("{text} 。Next");
            assert_eq!(check.check_growing(&finished).err(), expected, "{finished}");
        }
    }

    #[test]
    fn length_counts_characters_and_can_only_be_lowered() {
        let check = OutputCheck::new([], None, RiskScan::Off).at_most(5);
        assert_eq!(check.check("五个字的话"), Ok(()));
        assert_eq!(check.check("六个字的话呀"), Err(BlockReason::TooLong));
        let check = OutputCheck::new([], Some("  "), RiskScan::Off).at_most(usize::MAX);
        assert_eq!(check.check(&"a".repeat(MAX_REPLY_CHARS)), Ok(()), "an empty canary is none");
        assert_eq!(check.check(&"a".repeat(MAX_REPLY_CHARS + 1)), Err(BlockReason::TooLong));
    }

    #[test]
    fn a_reply_is_scanned_for_risk_where_the_route_asks_for_it() {
        let said = "You could kill yourself, or I will kill myself.";
        assert_eq!(OutputCheck::new([], None, RiskScan::On).check(said), Err(BlockReason::Risk));
        assert_eq!(OutputCheck::new([], None, RiskScan::Off).check(said), Ok(()));
        let gentle = "It sounds hopeless to you right now; what would help a little?";
        assert_eq!(OutputCheck::new([], None, RiskScan::On).check(gentle), Ok(()), "naming distress is no danger");
    }
}
