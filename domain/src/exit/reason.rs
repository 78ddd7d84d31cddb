//! Says in the session's language why a decision was taken. It decides nothing.

use super::{
    ExitSource,
    decision::{Evidence, ExitSignals, Place},
};
use crate::{
    locale::Locale,
    texts::{self, ExitTexts},
    utterance::Text,
};

/// Returns the sentence for a decision.
pub(super) fn sentence(
    source: Option<ExitSource>,
    signals: &ExitSignals,
    evidence: &[Evidence],
    locale: Locale,
) -> Text {
    let texts = texts::exit(locale);
    let given = || signals.exit_reason.iter().chain(&signals.brief).find(|words| !words.is_blank()).cloned();
    match source {
        Some(ExitSource::Safety) => texts.safety.as_str().into(),
        Some(ExitSource::Cancelled) => texts.cancelled.as_str().into(),
        Some(ExitSource::MaxRounds) => texts.max_rounds.as_str().into(),
        Some(ExitSource::ExitFlag) => given().unwrap_or_else(|| texts.exit_flag.as_str().into()),
        Some(ExitSource::ExitCriteria) => texts.exit_criteria.replace("{met}", &met(evidence, texts)).into(),
        Some(ExitSource::LlmSuggestion) => given().unwrap_or_else(|| texts.llm_suggestion.as_str().into()),
        Some(ExitSource::OffTopic) => texts.off_topic.as_str().into(),
        None => match open(evidence, texts).as_str() {
            "" => texts.open_nothing.as_str().into(),
            open => texts.open.replace("{open}", open).into(),
        },
    }
}

/// Checks that look at the criteria, not at the flags and bounds around them.
fn is_criterion(check: &Evidence) -> bool {
    match check.from.place {
        Place::Flag | Place::Route => false,
        Place::Assessment | Place::Variable => true,
        Place::Round => check.what != "low_relevance",
    }
}

fn met(evidence: &[Evidence], texts: &ExitTexts) -> String {
    let emotion = evidence.iter().find(|check| check.is_emotion() && check.met);
    let checks: Vec<String> = match emotion {
        Some(check) => vec![told(check, &texts.reached, texts)],
        None => evidence
            .iter()
            .filter(|check| check.met && is_criterion(check))
            .map(|check| told(check, &texts.reached, texts))
            .collect(),
    };
    checks.join(&texts.separator)
}

/// Lists what is unmet among the criteria; the bound on rounds and the threshold of emotion are nothing to wait for.
fn open(evidence: &[Evidence], texts: &ExitTexts) -> String {
    let bound = evidence.iter().position(|check| check.what == "round" && check.from.place == Place::Round);
    evidence
        .iter()
        .enumerate()
        .filter(|(at, check)| Some(*at) != bound && !check.met && is_criterion(check))
        .filter(|(_, check)| !check.is_emotion())
        .map(|(_, check)| told(check, &texts.expected, texts))
        .collect::<Vec<_>>()
        .join(&texts.separator)
}

fn told(check: &Evidence, sentence: &str, texts: &ExitTexts) -> String {
    if let Some(sentence) = texts.questions(check) {
        return sentence.to_owned();
    }
    let measure =
        texts.names.get(&check.what).filter(|_| check.from.place != Place::Variable || is_measure(&check.what));
    let name = measure.unwrap_or(&check.what);
    let actual = check.actual.as_ref().map_or_else(|| texts.unknown.clone(), crate::variable::Value::spoken);
    let places = [
        ("{what}", name.as_str()),
        ("{operator}", check.operator.as_str()),
        ("{expected}", &check.expected.spoken()),
        ("{actual}", &actual),
    ];
    fill(sentence, &places)
}

/// The measures that may be read from a variable of their name.
fn is_measure(what: &str) -> bool {
    matches!(what, "understanding_level" | "has_questions" | "completeness")
}

impl ExitTexts {
    /// Returns the sentence that stands for open or settled questions: a yes or no needs no comparison.
    fn questions(&self, check: &Evidence) -> Option<&str> {
        let is_asked = check.what == "has_questions" && check.actual.is_some();
        is_asked.then_some(if check.met { &self.questions_settled } else { &self.questions_open })
    }
}

/// Fills places in one pass, so that a value that looks like a place stays what it is.
fn fill(sentence: &str, places: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(at) = rest.find('{') {
        let (before, place) = rest.split_at(at);
        filled.push_str(before);
        let (written, taken) = places
            .iter()
            .find(|(name, _)| place.starts_with(name))
            .map_or(("{", 1), |(name, value)| (*value, name.len()));
        filled.push_str(written);
        rest = &place[taken..];
    }
    filled.push_str(rest);
    filled
}
