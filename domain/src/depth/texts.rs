//! The sentences of a deliberation that no model writes, per language.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::locale::Locale;

/// The sentences of one language; `{…}` marks what is filled in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Texts {
    pub(crate) guidance: GuidanceTexts,
    pub(crate) offers: OfferTexts,
    pub(crate) asks: AskTexts,
    pub(crate) warnings: WarningTexts,
    pub(crate) single: String,
    pub(crate) obstacle: String,
    pub(crate) obstacle_unnamed: String,
    pub(crate) list_separator: String,
    pub(crate) obstacle_separator: String,
    pub(crate) record: RecordTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuidanceTexts {
    pub(crate) shallow: String,
    pub(crate) covered: String,
    pub(crate) adequate: String,
    pub(crate) deep: String,
    pub(crate) forced: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfferTexts {
    pub(crate) take_best: String,
    pub(crate) relax: String,
    pub(crate) split: String,
    pub(crate) pause: String,
    pub(crate) new_option: String,
    pub(crate) phase: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskTexts {
    pub(crate) clarify: String,
    pub(crate) examples: String,
    pub(crate) explore: String,
    pub(crate) compare: String,
    pub(crate) narrow: String,
    pub(crate) recommend: String,
    pub(crate) name_choice: String,
    pub(crate) confirm: String,
    pub(crate) no_feasible: String,
    pub(crate) relax: String,
    pub(crate) new_option: String,
    pub(crate) phase: String,
    pub(crate) last_call: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WarningTexts {
    pub(crate) low_coverage: String,
    pub(crate) excluded: String,
    pub(crate) unchecked: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordTexts {
    pub(crate) title: String,
    pub(crate) decided_at: String,
    pub(crate) background: String,
    pub(crate) constraints: String,
    pub(crate) options: String,
    pub(crate) choice: String,
    pub(crate) no_choice: String,
    pub(crate) reasons: String,
    pub(crate) assumptions: String,
    pub(crate) risks: String,
    pub(crate) hard: String,
    pub(crate) soft: String,
    pub(crate) relaxed: String,
    pub(crate) verified: String,
    pub(crate) feasible: String,
    pub(crate) infeasible: String,
    pub(crate) unknown: String,
    pub(crate) pros: String,
    pub(crate) cons: String,
    pub(crate) excluded_by: String,
    pub(crate) forced: String,
    pub(crate) none: String,
}

/// Returns the sentences of a language.
pub(crate) fn texts(locale: Locale) -> &'static Texts {
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

static ZH_CN: LazyLock<Texts> = LazyLock::new(|| parse(include_str!("../../texts/zh-CN/depth.json")));
static EN: LazyLock<Texts> = LazyLock::new(|| parse(include_str!("../../texts/en/depth.json")));

fn parse(json: &str) -> Texts {
    serde_json::from_str(json).expect("a test parses every shipped text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_text_parses_and_the_seed_s_guidance_is_in_it_word_for_word() {
        assert_eq!(texts(Locale::ZhCn).guidance.forced, "为了效率，我们需要在接下来几轮内做出决策。");
        assert_eq!(texts(Locale::ZhCn).guidance.shallow, "我们还需要了解更多信息才能做决策。");
        assert!(Locale::ALL.into_iter().all(|locale| !texts(locale).guidance.deep.is_empty()));
    }
}
