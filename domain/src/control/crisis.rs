//! What a person at acute risk is told: reviewed texts in fixed steps, never a model's words.

mod resources;
mod safety;
mod texts;

pub(super) use resources::reviewed_contacts;
pub use resources::{CheckedOn, Country, CrisisResource, Freshness, InvalidCountry, freshness, resources};
pub use texts::{CrisisText, SafetyChoice, choices, is_reviewed, text};

use serde::{Deserialize, Serialize};

use crate::locale::Locale;

/// How far the crisis steps of one risk epoch have come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crisis {
    step: CrisisStep,
    follow_ups: u32,
}

/// What the crisis steps wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrisisStep {
    /// The text was shown; an acknowledgement is awaited, or anything else.
    Acknowledgement,
    /// The person was asked whether they are safe; a choice is awaited, or anything else.
    Safety,
    /// A human was asked to take over; nothing is awaited.
    HandedOff,
}

/// What is done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrisisMove {
    /// What is said.
    pub say: CrisisText,
    /// What is awaited then.
    pub awaits: CrisisStep,
    /// The choice that the person named, if it was one.
    pub answer: Option<SafetyAnswer>,
    /// Whether a human is to be asked to take over now; true once an epoch.
    pub hand_off: bool,
}

/// Whether the person is safe, as they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SafetyAnswer {
    /// Safe, and somebody is there.
    WithSomeone,
    /// Safe, and alone.
    Alone,
    /// Not safe.
    NotSafe,
}

/// The most messages of a session that wait for a scan; with the next one a human is asked to take over.
pub const MAX_HELD: u32 = 8;

/// Decides what a turn says whose message cannot be scanned, by how many wait then, this one included.
///
/// Resources are named at first and at the end; [`CrisisText::HeldTooLong`] goes with a request for a human.
pub const fn while_held(waiting: u32) -> CrisisText {
    match waiting {
        0 | 1 => CrisisText::Holding,
        2..=MAX_HELD => CrisisText::HoldingAgain,
        _ => CrisisText::HeldTooLong,
    }
}

impl Crisis {
    /// Begins the steps: the crisis text first.
    pub fn begin() -> (Self, CrisisMove) {
        let awaits = CrisisStep::Acknowledgement;
        let first = CrisisMove { say: CrisisText::Opening, awaits, answer: None, hand_off: false };
        (Self { step: awaits, follow_ups: 0 }, first)
    }

    /// Takes any input of the person: an acknowledgement, a choice, free text. Each leads on; none leads to a model.
    ///
    /// `answer` is the choice, or what [`SafetyAnswer::named`] found in a text.
    pub fn step(&mut self, answer: Option<SafetyAnswer>) -> CrisisMove {
        let (say, awaits, answer) = match self.step {
            CrisisStep::Acknowledgement => (CrisisText::SafetyQuestion, CrisisStep::Safety, None),
            CrisisStep::Safety => (CrisisText::ResourcesAgain, CrisisStep::HandedOff, answer),
            CrisisStep::HandedOff => {
                let say = CrisisText::FollowUp(self.follow_ups);
                self.follow_ups = self.follow_ups.wrapping_add(1);
                (say, CrisisStep::HandedOff, None)
            }
        };
        let hand_off = self.step == CrisisStep::Safety;
        self.step = awaits;
        CrisisMove { say, awaits, answer, hand_off }
    }

    /// Returns what is awaited.
    pub const fn awaits(&self) -> CrisisStep {
        self.step
    }
}

impl SafetyAnswer {
    /// All answers.
    pub const ALL: [Self; 3] = [Self::WithSomeone, Self::Alone, Self::NotSafe];

    /// Returns the key of the choice.
    pub const fn key(self) -> &'static str {
        match self {
            Self::WithSomeone => "with_someone",
            Self::Alone => "alone",
            Self::NotSafe => "not_safe",
        }
    }

    /// Finds the answer of that key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|answer| answer.key() == key)
    }

    /// Finds the answer that a free text names: by its number, by the words of the choice, or in words of its own.
    ///
    /// Of several the worst counts, and nothing is safe that is denied, doubted or asked.
    pub fn named(message: &str, locale: Locale) -> Option<Self> {
        let said = plain(message);
        let numbered = choices(locale).iter().zip(1_u32..);
        let mut fits = numbered.filter(|(choice, number)| plain(&choice.text) == said || number.to_string() == said);
        fits.next().map(|(choice, _)| choice.answer).or_else(|| safety::read(message))
    }
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_lead_from_text_to_hand_off_and_then_vary() {
        let (mut crisis, first) = Crisis::begin();
        assert_eq!(
            (first.say, first.awaits, first.hand_off),
            (CrisisText::Opening, CrisisStep::Acknowledgement, false)
        );
        let second = crisis.step(None);
        assert_eq!((second.say, second.awaits), (CrisisText::SafetyQuestion, CrisisStep::Safety));
        let kept = serde_json::to_string(&crisis).unwrap();
        let mut crisis: Crisis = serde_json::from_str(&kept).unwrap();
        let third = crisis.step(Some(SafetyAnswer::NotSafe));
        assert_eq!((third.say, third.answer), (CrisisText::ResourcesAgain, Some(SafetyAnswer::NotSafe)));
        assert!(third.hand_off);
        let later: Vec<_> = (0..4).map(|_| crisis.step(None)).collect();
        assert!(later.iter().all(|step| !step.hand_off && step.awaits == CrisisStep::HandedOff));
        for locale in Locale::ALL {
            let said: Vec<_> = later.iter().map(|step| text(step.say, locale, None)).collect();
            assert!(said.windows(2).all(|pair| pair[0] != pair[1]), "not the same paragraph for ever");
        }
    }

    #[test]
    fn held_turns_name_resources_once_and_a_human_behind_the_eighth() {
        let said: Vec<_> = (1..=10).map(while_held).collect();
        assert_eq!(said[0], CrisisText::Holding);
        assert!(said[1..8].iter().all(|text| *text == CrisisText::HoldingAgain));
        assert_eq!(said[8..], [CrisisText::HeldTooLong; 2]);
        for locale in Locale::ALL {
            let names_help = |which| text(which, locale, None).contains("findahelpline.com");
            assert_eq!([said[0], said[1], said[8]].map(names_help), [true, false, true], "{locale}");
        }
    }

    #[test]
    fn free_text_is_an_answer_only_if_it_names_one() {
        for (message, locale, expected) in [
            ("I am not safe.", Locale::En, Some(SafetyAnswer::NotSafe)),
            ("2", Locale::En, Some(SafetyAnswer::Alone)),
            ("我安全，身边有人", Locale::ZhCn, Some(SafetyAnswer::WithSomeone)),
            ("leave me", Locale::En, None),
            ("", Locale::En, None),
            ("I'm not safe", Locale::En, Some(SafetyAnswer::NotSafe)),
            ("im not really safe here", Locale::En, Some(SafetyAnswer::NotSafe)),
            ("no, i don't feel safe at all", Locale::En, Some(SafetyAnswer::NotSafe)),
            ("unsafe", Locale::En, Some(SafetyAnswer::NotSafe)),
            ("No.", Locale::En, Some(SafetyAnswer::NotSafe)),
            ("my mum is with me but I'm not safe", Locale::En, Some(SafetyAnswer::NotSafe)),
            ("I'm safe, my sister is here with me", Locale::En, Some(SafetyAnswer::WithSomeone)),
            ("yes I'm safe but alone", Locale::En, Some(SafetyAnswer::Alone)),
            ("I'm on my own, safe", Locale::En, Some(SafetyAnswer::Alone)),
            ("safe, nobody is with me", Locale::En, Some(SafetyAnswer::Alone)),
            ("am I safe with someone?", Locale::En, None),
            ("I don't know if I am safe", Locale::En, None),
            ("I might be safe, someone is with me", Locale::En, None),
            ("I'm alone", Locale::En, None),
            ("yes", Locale::En, None),
            ("我不安全", Locale::ZhCn, Some(SafetyAnswer::NotSafe)),
            ("我不太安全", Locale::ZhCn, Some(SafetyAnswer::NotSafe)),
            ("不安全，我妈在旁边", Locale::ZhCn, Some(SafetyAnswer::NotSafe)),
            ("我很安全，我姐陪着我", Locale::ZhCn, Some(SafetyAnswer::WithSomeone)),
            ("安全，就我一个人", Locale::ZhCn, Some(SafetyAnswer::Alone)),
            ("安全，身边没人", Locale::ZhCn, Some(SafetyAnswer::Alone)),
            ("我不知道安不安全", Locale::ZhCn, None),
            ("我安全吗？有人陪着吗", Locale::ZhCn, None),
            ("随便", Locale::ZhCn, None),
            ("I'm not safe", Locale::ZhCn, Some(SafetyAnswer::NotSafe)),
        ] {
            assert_eq!(SafetyAnswer::named(message, locale), expected, "{message}");
        }
        assert_eq!(SafetyAnswer::from_key("alone"), Some(SafetyAnswer::Alone));
        assert_eq!(SafetyAnswer::from_key("x"), None);
    }
}
