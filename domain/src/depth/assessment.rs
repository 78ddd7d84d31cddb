//! One assessment, with the counts behind each number: what the event `depth_assessed` carries.

use serde::{Deserialize, Serialize};

use super::{Band, Convergence, Counts, Guidance, Outcome, Ratio, is_forced};
use crate::locale::Locale;

/// How far a deliberation has come, and what follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// How vague the input is.
    pub fuzziness: Ratio,
    /// How much of the ground was covered.
    pub coverage: Ratio,
    /// How far one option has emerged.
    pub consensus: Ratio,
    /// What that allows.
    pub band: Band,
    /// Whether time presses.
    pub forced: bool,
    /// What follows for the course.
    pub outcome: Outcome,
    /// The locale's sentence for it.
    pub guidance: String,
    /// What was counted.
    pub counts: Counts,
}

impl Assessment {
    /// Puts the counts, and what was decided on them, into one value.
    pub(super) fn new(counts: Counts, decision: &Convergence, locale: Locale) -> Self {
        let metrics = counts.metrics();
        let band = Band::of(metrics.coverage, metrics.consensus);
        Self {
            fuzziness: metrics.fuzziness,
            coverage: metrics.coverage,
            consensus: metrics.consensus,
            band,
            forced: decision.forced,
            outcome: decision.outcome,
            guidance: Guidance::of(band, decision.forced).text(locale).to_owned(),
            counts,
        }
    }

    /// Assesses a deliberation before its first answer.
    pub(super) fn before_the_first_answer(counts: Counts, max_rounds: u32, locale: Locale) -> Self {
        let open = Convergence {
            outcome: Outcome::Continue,
            forced: is_forced(0, max_rounds),
            weights: super::Fired::default(),
            next: None,
            confirm: false,
            warning: None,
        };
        Self::new(counts, &open, locale)
    }
}
