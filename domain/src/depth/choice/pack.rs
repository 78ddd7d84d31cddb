//! The words of choice of one language.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::locale::Locale;

/// The words of one language, all of them normalised: lower case, straight apostrophes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pack {
    /// Words that choose.
    pub(super) forms: Vec<Form>,
    /// Words that begin a clause without punctuation.
    pub(super) breaks: Vec<String>,
    /// Who speaks, as the subject of a clause.
    pub(super) first_person: Vec<String>,
    /// Words between the subject, or the start of a clause, and a form.
    pub(super) fillers: Vec<String>,
    /// Words before a form, in its clause, that turn it round.
    pub(super) negations: Vec<String>,
    /// Phrases that contain a negation and are none.
    pub(super) no_negations: Vec<String>,
    /// Words that make the clause of a form a question.
    pub(super) questions: Vec<String>,
    /// Words behind a form, up to the end of its sentence, that make it a question.
    pub(super) tails: Vec<String>,
    /// Words before a form that make it a thought, a memory or somebody else's deed.
    pub(super) suppositions: Vec<String>,
    /// Words before a form, in its clause or at the end of the one before, that make it what somebody says.
    pub(super) reports: Vec<String>,
    /// Words anywhere in the sentence of a form that make it depend on something.
    pub(super) conditions: Vec<String>,
    /// Words behind a form, up to the end of its clause, that say what such a choice is or was like.
    pub(super) evaluations: Vec<String>,
    /// Words behind a form, up to the end of the message, that take it back.
    pub(super) retractions: Vec<String>,
    /// Phrases that contain a word of the lists from `questions` on and do not mean it.
    pub(super) harmless: Vec<String>,
    /// Words between options that leave open which.
    pub(super) alternatives: Vec<String>,
    /// Words around the name of an option.
    pub(super) particles: Vec<String>,
    /// Clauses that agree.
    pub(super) yes: Vec<String>,
    /// Clauses that do not.
    pub(super) no: Vec<String>,
}

/// Words that choose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form {
    /// The words.
    pub(super) text: String,
    /// What must not follow: it would make another word of them.
    #[serde(default)]
    pub(super) not_before: Vec<String>,
    /// Whether they choose only with the first person before them, or nobody.
    #[serde(default)]
    pub(super) own: bool,
}

/// Returns the words of a language.
pub(super) fn pack(locale: Locale) -> &'static Pack {
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

static ZH_CN: LazyLock<Pack> = LazyLock::new(|| parse(include_str!("../../../packs/zh-CN/choice.json")));
static EN: LazyLock<Pack> = LazyLock::new(|| parse(include_str!("../../../packs/en/choice.json")));

fn parse(json: &str) -> Pack {
    serde_json::from_str(json).expect("a test parses every shipped pack")
}

#[cfg(test)]
mod tests {
    use super::{super::passage::normalised, *};

    #[test]
    fn every_shipped_pack_parses_and_is_normalised() {
        for locale in Locale::ALL {
            let pack = pack(locale);
            let lists = [
                &pack.breaks,
                &pack.first_person,
                &pack.fillers,
                &pack.negations,
                &pack.no_negations,
                &pack.questions,
                &pack.tails,
                &pack.suppositions,
                &pack.reports,
                &pack.conditions,
                &pack.evaluations,
                &pack.retractions,
                &pack.harmless,
                &pack.alternatives,
                &pack.particles,
                &pack.yes,
                &pack.no,
            ];
            let forms = pack.forms.iter().flat_map(|form| form.not_before.iter().chain([&form.text]));
            for phrase in lists.into_iter().flatten().chain(forms) {
                assert!(!phrase.is_empty() && *phrase == normalised(phrase), "{locale}: `{phrase}`");
            }
        }
    }
}
