//! What the metrics allow: a band, and whether time presses.

use serde::{Deserialize, Serialize};

use super::{Ratio, texts};
use crate::locale::Locale;

/// How deep a deliberation has gone. Ordered from the shallowest to the deepest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// Questions only; nothing is recommended.
    Shallow,
    /// The ground is covered: options may be compared and a preference asked for.
    Covered,
    /// It may be narrowed to the front runner.
    Adequate,
    /// The best option may be recommended and the decision asked for.
    Deep,
}

/// Which of the locale's sentences goes with an assessment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guidance {
    /// More has to be known.
    Shallow,
    /// Compare, and ask for a preference.
    Covered,
    /// Narrow down.
    Adequate,
    /// Ask for the decision.
    Deep,
    /// Time presses, whatever the band.
    Forced,
}

impl Band {
    /// All bands, shallowest first.
    pub const ALL: [Self; 4] = [Self::Shallow, Self::Covered, Self::Adequate, Self::Deep];
    /// Coverage and consensus of the deepest band.
    pub const DEEP: Ratio = Ratio::percent(70);
    /// Coverage and consensus of the band before it; coverage of the one before that.
    pub const ADEQUATE: Ratio = Ratio::percent(50);

    /// Finds the band, deepest first: deep stands above adequate, adequate above covered.
    pub fn of(coverage: Ratio, consensus: Ratio) -> Self {
        if coverage.reaches(Self::DEEP) && consensus.reaches(Self::DEEP) {
            Self::Deep
        } else if coverage.reaches(Self::ADEQUATE) && consensus.reaches(Self::ADEQUATE) {
            Self::Adequate
        } else if coverage.reaches(Self::ADEQUATE) {
            Self::Covered
        } else {
            Self::Shallow
        }
    }

    /// Returns the band as events write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shallow => "shallow",
            Self::Covered => "covered",
            Self::Adequate => "adequate",
            Self::Deep => "deep",
        }
    }
}

/// Tells whether four fifths of the rounds are used up.
pub fn is_forced(round: u32, max_rounds: u32) -> bool {
    u64::from(round) * 5 >= u64::from(max_rounds) * 4
}

impl Guidance {
    /// All sentences, in the order of the bands.
    pub const ALL: [Self; 5] = [Self::Shallow, Self::Covered, Self::Adequate, Self::Deep, Self::Forced];

    /// Chooses the sentence: force speaks louder than the band.
    pub fn of(band: Band, forced: bool) -> Self {
        match (forced, band) {
            (true, _) => Self::Forced,
            (false, Band::Shallow) => Self::Shallow,
            (false, Band::Covered) => Self::Covered,
            (false, Band::Adequate) => Self::Adequate,
            (false, Band::Deep) => Self::Deep,
        }
    }

    /// Returns the sentence.
    pub fn text(self, locale: Locale) -> &'static str {
        let texts = &texts(locale).guidance;
        match self {
            Self::Shallow => &texts.shallow,
            Self::Covered => &texts.covered,
            Self::Adequate => &texts.adequate,
            Self::Deep => &texts.deep,
            Self::Forced => &texts.forced,
        }
    }
}
