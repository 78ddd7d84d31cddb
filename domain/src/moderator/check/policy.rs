//! How the moderator behaves: ranges, defaults, and settings that change nothing.

use std::num::NonZeroU32;

use super::{super::decide::fair_share, Checker};
use crate::{
    depth::Ratio,
    moderator::{
        Level, MAX_ROUNDS, OnHigh, PhaseKind, Policy,
        draft::{Draft, PolicyDraft},
    },
    script::{defect::Defect, draft::Spanned},
};

impl Checker {
    pub(super) fn policy(&mut self, draft: &Draft) -> Option<Policy> {
        let given = &draft.policy;
        let default = Policy::default();
        let level = match &given.intervention_level {
            None => Some(default.level),
            Some(level) => self
                .number("limit_out_of_range", "intervention_level", level, 0..=3)
                .and_then(|level| Level::try_from(u8::try_from(level).ok()?).ok()),
        };
        let cold_threshold = self.above_zero("cold_threshold", given.cold_threshold.as_ref(), default.cold_threshold);
        let in_a_row = self.above_zero(
            "max_consecutive_speaks",
            given.max_consecutive_speaks.as_ref(),
            default.max_consecutive_speaks,
        );
        let ratio = match &given.max_speak_ratio {
            None => Some(default.max_speak_ratio),
            Some(ratio) => self.ratio(ratio, draft.participants().len()),
        };
        let on_high = match &given.on_high {
            None => Some(OnHigh::default()),
            Some(words) => self.named(words, "on_high", "unknown_on_high", &OnHigh::ALL, OnHigh::as_str),
        };
        self.warn_of_rollback(draft, given);
        Some(Policy {
            level: level?,
            cold_threshold: cold_threshold?,
            max_speak_ratio: ratio?,
            max_consecutive_speaks: in_a_row?,
            allow_rollback: given.allow_rollback.as_ref().is_some_and(|allowed| allowed.value),
            allow_skip: given.allow_skip.as_ref().is_some_and(|allowed| allowed.value),
            on_high: on_high?,
        })
    }

    fn above_zero(&mut self, key: &str, given: Option<&Spanned<i64>>, default: NonZeroU32) -> Option<NonZeroU32> {
        match given {
            None => Some(default),
            Some(given) => {
                self.number("limit_out_of_range", key, given, 1..=i64::from(MAX_ROUNDS)).and_then(NonZeroU32::new)
            }
        }
    }

    fn ratio(&mut self, given: &Spanned<f64>, participants: usize) -> Option<Ratio> {
        if !(given.value > 0.0 && given.value <= 1.0) {
            let message = format!("`max_speak_ratio` is {}, it must be above 0 and at most 1", given.value);
            let hint = "write a share such as 0.6";
            self.report(Defect::error("limit_out_of_range", given.span, message).hint(hint));
            return None;
        }
        let ratio = Ratio::new(given.value).ok()?;
        let least = fair_share(participants);
        if least.exceeds(ratio) {
            let message = format!("`max_speak_ratio` is {}, and {:.2} applies here", given.value, least.get());
            let hint = "a participant is never warned below an equal share and a quarter; write at least that";
            self.report(Defect::warning("without_effect", given.span, message).hint(hint));
        }
        Some(ratio)
    }

    /// A rollback needs a free discussion before a conflict or a convergence.
    fn warn_of_rollback(&mut self, draft: &Draft, given: &PolicyDraft) {
        let Some(allowed) = given.allow_rollback.as_ref().filter(|allowed| allowed.value) else { return };
        let kinds: Vec<PhaseKind> = draft
            .phases()
            .iter()
            .filter_map(|phase| phase.kind.as_ref())
            .filter_map(|words| {
                PhaseKind::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(&words.value))
            })
            .collect();
        let free = kinds.iter().position(|kind| *kind == PhaseKind::FreeDiscussion);
        let useful = free.is_some_and(|free| kinds[free..].iter().any(|kind| kind.rolls_back()));
        if !useful && kinds.len() == draft.phases().len() {
            let message = "`allow_rollback` changes nothing: no phase can be rolled back";
            let hint = "a rollback leads from FOCUSED_CONFLICT or CONVERGENCE to a FREE_DISCUSSION before it";
            self.report(Defect::warning("without_effect", allowed.span, message).hint(hint));
        }
    }
}
