//! How a model speaks and when an interactive action is done.

use super::{Checker, notes::Compares, text::printable};
use crate::{
    exit::{CustomCondition, ExitCriteria, ExitPolicy, ExitSource},
    script::{
        Voice,
        defect::{Defect, out_of_range},
        draft::{CriteriaDraft, CustomConditionDraft, ModelDraft, ModelKind, Spanned},
    },
    variable::Operator,
};

/// The rounds of an `ai_ask` and of a `user_option` that name none.
const DEFAULT_ROUNDS: u32 = 3;
/// The most rounds of one action.
pub(super) const MAX_ROUNDS: u32 = 100;
const TIMEOUT_SECONDS: (u64, u64) = (1, 60);
/// The highest base of a route; a higher temperature is lowered to it.
const HIGHEST_BASE: f64 = 0.9;
const TEMPERATURE: (f64, f64) = (0.0, 2.0);

/// The policy could not be made; why is reported.
#[derive(Debug)]
pub(super) struct Refused;

impl Checker {
    /// Checks a number of rounds.
    pub(super) fn rounds(&mut self, given: Option<&Spanned<i64>>) -> Option<u32> {
        let Some(given) = given else { return Some(DEFAULT_ROUNDS) };
        let number = u32::try_from(given.value).ok().filter(|number| (1..=MAX_ROUNDS).contains(number));
        if number.is_none() {
            self.report(
                out_of_range(
                    "rounds_out_of_range",
                    "max_rounds",
                    given,
                    &format!("a whole number from 1 to {MAX_ROUNDS}"),
                )
                .hint(format!("without `max_rounds` it is {DEFAULT_ROUNDS}, for `ai_say` it is 1")),
            );
        }
        number
    }

    /// Checks tone, role, temperature and timeout.
    pub(super) fn voice(&mut self, draft: &ModelDraft) -> Voice {
        let tone = self.text(&draft.tone, "tone");
        let role = draft.role.as_ref().map(|role| {
            if !self.notes.roles.contains(&role.value) {
                let message = format!("there is no role `{}`", printable(&role.value));
                let defect = Defect::error("unknown_role", role.span, message);
                let defect = if self.notes.roles.is_empty() {
                    defect.hint("describe it under `roles:` at the top of the script")
                } else {
                    defect.nearest(&role.value, self.notes.roles.iter().map(String::as_str))
                };
                self.report(defect);
            }
            role.value.clone()
        });
        let temperature = draft.temperature.as_ref().map(|given| {
            let (least, most) = TEMPERATURE;
            if !(least..=most).contains(&given.value) {
                self.report(out_of_range("temperature_out_of_range", "temperature", given, "a number from 0 to 2"));
            } else if given.value > HIGHEST_BASE {
                let message = format!("a temperature can only be lowered here, and none is above {HIGHEST_BASE}");
                self.report(Defect::warning("no_effect", given.span, message).hint("lower it, or take it out"));
            }
            given.value
        });
        let timeout = draft
            .timeout
            .as_ref()
            .and_then(|given| self.duration("timeout", given, TIMEOUT_SECONDS, "1s to 60s (1min)"));
        Voice { tone, role, temperature, timeout }
    }

    /// Makes the exit policy of an interactive action; `None` where the action has no exits.
    pub(super) fn policy(&mut self, draft: &ModelDraft) -> Result<Option<ExitPolicy>, Refused> {
        let rounds = match (draft.kind, &draft.max_rounds) {
            (ModelKind::Think, _) | (ModelKind::Say, None) => Some(1),
            (_, given) => self.rounds(given.as_ref()),
        };
        if draft.kind == ModelKind::Think || draft.kind == ModelKind::Say && rounds == Some(1) {
            self.no_exits(draft);
            return Ok(None);
        }
        let criteria = draft.criteria.as_ref().map(|criteria| self.criteria(&criteria.value, rounds, draft));
        let mut policy = ExitPolicy::new(rounds.ok_or(Refused)?, criteria.transpose()?);
        if let Some(sources) = &draft.exit_sources {
            policy = policy.listening_to(self.sources(&sources.value));
            if let (Some(criteria), false) = (&draft.criteria, policy.enables(ExitSource::ExitCriteria)) {
                self.report(
                    Defect::warning(
                        "no_effect",
                        criteria.span,
                        "these criteria end nothing: `exit_sources` leaves them out",
                    )
                    .related(sources.span, "the sources are named here")
                    .hint("add `exit_criteria` to `exit_sources`, or take the criteria out"),
                );
            }
        }
        Ok(Some(policy))
    }

    fn no_exits(&mut self, draft: &ModelDraft) {
        let given = [
            ("exit_criteria", draft.criteria.as_ref().map(|criteria| criteria.span)),
            ("exit_sources", draft.exit_sources.as_ref().map(|sources| sources.span)),
            ("exit", draft.exit.as_ref().map(|exit| exit.span)),
        ];
        for (key, span) in given {
            if let Some(span) = span {
                let message =
                    format!("`{key}` has no meaning here: an `ai_say` of one round does not wait for an answer");
                self.report(
                    Defect::error("no_exits", span, message)
                        .hint("give it `max_rounds: 2` or more, or take the key out"),
                );
            }
        }
    }

    fn sources(&mut self, given: &[Spanned<String>]) -> Vec<ExitSource> {
        let mut sources = Vec::new();
        for words in given {
            let found = ExitSource::ALL.into_iter().find(|source| source.as_str() == words.value);
            match found {
                Some(source) if ExitSource::OPTIONAL.contains(&source) => sources.push(source),
                Some(source) => self.report(
                    Defect::error("exit_source", words.span, format!("`{}` is always listened to", source.as_str()))
                        .hint("list only those of exit_flag, exit_criteria, llm_suggestion that should count"),
                ),
                None => {
                    let message = format!("`{}` is no exit source", printable(&words.value));
                    let names = ExitSource::OPTIONAL.map(ExitSource::as_str);
                    self.report(Defect::error("exit_source", words.span, message).nearest(&words.value, names));
                }
            }
        }
        sources
    }

    fn criteria(
        &mut self,
        draft: &CriteriaDraft,
        rounds: Option<u32>,
        of: &ModelDraft,
    ) -> Result<ExitCriteria, Refused> {
        let scales = [
            ("understanding_threshold", &draft.understanding_threshold, 100.0),
            ("emotion_intensity", &draft.emotion_intensity, 10.0),
        ];
        let mut sound = true;
        for (key, given, most) in scales {
            if let Some(given) = given.as_ref().filter(|given| !(0.0..=most).contains(&given.value)) {
                self.report(out_of_range("threshold_out_of_range", key, given, &format!("a number from 0 to {most}")));
                sound = false;
            }
        }
        let min_rounds = self.min_rounds(draft.min_rounds.as_ref(), rounds, of);
        let custom: Vec<_> = draft.custom_conditions.iter().map(|custom| self.custom_condition(custom)).collect();
        let custom_conditions = custom.into_iter().collect::<Option<_>>();
        let criteria = ExitCriteria {
            understanding_threshold: draft.understanding_threshold.as_ref().map(|given| given.value),
            has_questions: draft.has_questions,
            min_rounds: min_rounds?,
            emotion_intensity: draft.emotion_intensity.as_ref().map(|given| given.value),
            completeness: None,
            custom_conditions: custom_conditions.ok_or(Refused)?,
        };
        if sound { Ok(criteria) } else { Err(Refused) }
    }

    fn min_rounds(
        &mut self,
        given: Option<&Spanned<i64>>,
        max: Option<u32>,
        of: &ModelDraft,
    ) -> Result<Option<u32>, Refused> {
        let Some(given) = given else { return Ok(None) };
        let Some(number) = u32::try_from(given.value).ok().filter(|number| *number <= MAX_ROUNDS) else {
            let range = format!("a whole number from 0 to {MAX_ROUNDS}");
            self.report(out_of_range("rounds_out_of_range", "min_rounds", given, &range));
            return Err(Refused);
        };
        if let Some(max) = max.filter(|max| number > *max) {
            let message = format!("`min_rounds` is {number}, but the action ends after {max} rounds");
            let defect = Defect::error("min_rounds_above_max", given.span, message)
                .hint(format!("write {max} or less, or raise `max_rounds`"));
            self.report(match &of.max_rounds {
                Some(max_rounds) => defect.related(max_rounds.span, "the most rounds are set here"),
                None => defect,
            });
        }
        Ok(Some(number))
    }

    fn custom_condition(&mut self, draft: &CustomConditionDraft) -> Option<CustomCondition> {
        let operator = draft.operator.as_ref().and_then(|words| {
            let found = words.value.parse::<Operator>().ok();
            if found.is_none() {
                let message = format!("`{}` is no operator", printable(&words.value));
                let list = Operator::ALL.map(Operator::as_str).join("  ");
                self.report(Defect::error("unknown_operator", words.span, message).hint(format!("there are {list}")));
            }
            found
        });
        let variable = draft.variable.as_ref()?;
        let name = self.name(variable)?;
        self.criterion(variable);
        let (operator, value) = (operator?, draft.value.as_ref()?);
        let (place, at) = (self.notes.place, self.notes.tick());
        self.notes.compares.push(Compares::Criteria {
            name: variable.value.clone(),
            operator,
            value: value.value.clone(),
            span: value.span,
            place,
            at,
        });
        Some(CustomCondition { variable: name, operator, value: value.value.clone() })
    }
}
