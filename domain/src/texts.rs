//! The built-in texts of a session, by locale: files under `domain/texts`, read once.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::locale::Locale;

/// What the engine itself says and understands in one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionTexts {
    /// Said first: that this is an AI.
    pub disclosure: String,
    /// Said after a blank message.
    pub reprompt: String,
    /// Said where the model failed.
    pub fallback: String,
    /// Said when the person stops.
    pub closing: String,
    /// Said when a limit of the script is reached.
    pub closing_limit: String,
    /// Said when an answer names none of the choices.
    pub choose_again: String,
    /// Said when the person asks for a human.
    pub human_requested: String,
    /// Said once by the offline understudy.
    pub understudy: String,
    /// Whole messages that stop the session.
    pub stop_words: Vec<String>,
    /// Words that turn the naming of a choice into something else.
    pub negations: Vec<String>,
    /// Whole messages that ask for a human.
    pub human_words: Vec<String>,
    /// Whole messages that answer nothing.
    pub filler_words: Vec<String>,
}

/// The sentences in which an exit decision gives its reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExitTexts {
    /// The route went high.
    pub safety: String,
    /// The person stopped.
    pub cancelled: String,
    /// The last round was answered.
    pub max_rounds: String,
    /// The flag, where the model gave no words.
    pub exit_flag: String,
    /// The criteria; `{met}` lists them.
    pub exit_criteria: String,
    /// The suggestion, where the model gave no words.
    pub llm_suggestion: String,
    /// The third answer off target.
    pub off_topic: String,
    /// Goes on; `{open}` lists what is unmet.
    pub open: String,
    /// Goes on with nothing to list.
    pub open_nothing: String,
    /// Stands between list entries.
    pub separator: String,
    /// One unmet check: `{what} {operator} {expected} {actual}`.
    pub expected: String,
    /// One met check, with the same places.
    pub reached: String,
    /// The check for open questions, unmet.
    pub questions_open: String,
    /// The check for open questions, met.
    pub questions_settled: String,
    /// An actual value that nobody knows.
    pub unknown: String,
    /// What the checks are called; variables go by their own name.
    pub names: BTreeMap<String, String>,
}

/// Returns the texts of a session in `locale`.
pub fn session(locale: Locale) -> &'static SessionTexts {
    static ZH_CN: LazyLock<SessionTexts> = LazyLock::new(|| read(include_str!("../texts/zh-CN/session.json")));
    static EN: LazyLock<SessionTexts> = LazyLock::new(|| read(include_str!("../texts/en/session.json")));
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

/// Returns the sentences of exit decisions in `locale`.
pub fn exit(locale: Locale) -> &'static ExitTexts {
    static ZH_CN: LazyLock<ExitTexts> = LazyLock::new(|| read(include_str!("../texts/zh-CN/exit.json")));
    static EN: LazyLock<ExitTexts> = LazyLock::new(|| read(include_str!("../texts/en/exit.json")));
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

impl SessionTexts {
    /// Tells whether the whole message is a stop word of the locale or one of `more`.
    pub fn is_stop(&self, message: &str, more: &[String]) -> bool {
        is_one_of(message, self.stop_words.iter().chain(more))
    }

    /// Tells whether the whole message asks for a human.
    pub fn asks_for_human(&self, message: &str) -> bool {
        is_one_of(message, &self.human_words)
    }

    /// Tells whether the message says something: at least one letter or digit, and not a filler word alone.
    pub fn is_substantive(&self, message: &str) -> bool {
        message.chars().any(char::is_alphanumeric) && !is_one_of(message, &self.filler_words)
    }
}

/// Folds a message for comparison as a whole: lower case, without punctuation at the ends, inner spaces as one.
pub fn fold(message: &str) -> String {
    let lowered = message.to_lowercase().replace('’', "'");
    let trimmed = lowered.trim_matches(|c: char| !c.is_alphanumeric());
    let spaced: String =
        trimmed.chars().map(|c| if matches!(c, ',' | '.' | '!' | '，' | '。' | '！') { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_one_of<'a>(message: &str, words: impl IntoIterator<Item = &'a String>) -> bool {
    let message = fold(message);
    !message.is_empty() && words.into_iter().any(|word| fold(word) == message)
}

fn read<T: for<'de> Deserialize<'de>>(json: &str) -> T {
    serde_json::from_str(json).expect("the shipped texts are read in a test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_every_locale_are_complete() {
        for locale in Locale::ALL {
            assert!(!session(locale).disclosure.is_empty());
            assert!(!exit(locale).max_rounds.is_empty());
        }
    }

    #[test]
    fn stop_and_human_words_count_only_as_the_whole_message() {
        let texts = session(Locale::En);
        assert!(texts.is_stop(" Stop! ", &[]) && texts.is_stop("先到这里。", &["先到这里".to_owned()]));
        assert!(!texts.is_stop("I cannot stop thinking", &[]) && !texts.is_stop("...", &[String::new()]));
        assert!(texts.asks_for_human("A human, please.") && !texts.asks_for_human("I am only human"));
    }

    #[test]
    fn filler_words_and_punctuation_answer_nothing() {
        let texts = session(Locale::ZhCn);
        assert!(texts.is_substantive("大概是这样") && texts.is_substantive("3"));
        assert!(!texts.is_substantive("嗯。") && !texts.is_substantive("……") && !texts.is_substantive(""));
    }
}
