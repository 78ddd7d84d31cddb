//! The moderator's sentences that no model writes, per language.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Action, Discussion};
use crate::locale::Locale;

/// The sentences of one language; `{…}` marks what is filled in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    allow: String,
    interrupt: String,
    call: String,
    prompt: String,
    reject: String,
    warn: String,
    summary: String,
    switch: String,
    end: String,
    wait: String,
    opening: String,
    closing: String,
    aborted: String,
    summary_fallback: String,
    joiner: String,
}

impl Discussion {
    /// Returns the opening sentence.
    pub fn opening_words(&self) -> String {
        let scenario = self.scenario();
        texts(scenario.locale()).opening.replace("{title}", scenario.title())
    }

    /// Returns the closing sentence; another one for a discussion that was aborted.
    pub fn closing_words(&self) -> &'static str {
        let texts = texts(self.scenario().locale());
        if self.is_aborted() { &texts.aborted } else { &texts.closing }
    }

    /// Returns the summary of a phase for when no model writes one.
    pub fn summary_words(&self) -> String {
        texts(self.scenario().locale()).summary_fallback.replace("{rounds}", &self.state().phase_round.to_string())
    }
}

/// Returns the sentence of a decision, with a word to each of `warned`.
pub(super) fn words<'a>(
    locale: Locale,
    action: Action,
    is_interrupt: bool,
    target: Option<&str>,
    warned: impl Iterator<Item = &'a str>,
) -> String {
    let texts = texts(locale);
    let template = match action {
        Action::AllowSpeech if is_interrupt => &texts.interrupt,
        Action::AllowSpeech => &texts.allow,
        Action::RejectSpeech => &texts.reject,
        Action::PromptQuestion => &texts.prompt,
        Action::CallAgent => &texts.call,
        Action::ForceSummary => &texts.summary,
        Action::SwitchPhase => &texts.switch,
        Action::EndDiscussion => &texts.end,
        Action::Wait => &texts.wait,
        Action::WarnAgent => &texts.warn,
    };
    let mut words = match target {
        Some(name) => template.replace("{agent}", name),
        None => template.clone(),
    };
    for name in warned {
        words.push_str(&texts.joiner);
        words.push_str(&texts.warn.replace("{agent}", name));
    }
    words
}

fn texts(locale: Locale) -> &'static Texts {
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

static ZH_CN: LazyLock<Texts> = LazyLock::new(|| parse(include_str!("../../texts/zh-CN/moderator.json")));
static EN: LazyLock<Texts> = LazyLock::new(|| parse(include_str!("../../texts/en/moderator.json")));

fn parse(json: &str) -> Texts {
    serde_json::from_str(json).expect("a test parses every shipped text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_text_parses_and_names_whom_it_concerns() {
        for locale in Locale::ALL {
            let texts = texts(locale);
            for text in [&texts.allow, &texts.interrupt, &texts.call, &texts.prompt, &texts.reject, &texts.warn] {
                assert_eq!(text.matches("{agent}").count(), 1, "{locale}: {text}");
            }
            for text in [&texts.summary, &texts.switch, &texts.end, &texts.wait, &texts.closing, &texts.aborted] {
                assert!(!text.is_empty() && !text.contains('{'), "{locale}: {text}");
            }
            assert!(texts.opening.contains("{title}") && texts.summary_fallback.contains("{rounds}"));
        }
    }
}
