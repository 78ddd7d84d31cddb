//! The result of a PHQ-9 or GAD-7, computed from its items. A missing item is missing, never 0.

use serde::{Deserialize, Serialize};

/// A built-in questionnaire whose total steers the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Instrument {
    /// Depression: nine items.
    Phq9,
    /// Anxiety: seven items.
    Gad7,
}

/// One result of an instrument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    instrument: Instrument,
    total: Option<u8>, // Invariant: at most the instrument's highest total.
    at_least: u8,      // Invariant: the total if that is known.
    most: u8,          // Invariant: not below `at_least`; the total if that is known.
    item9: Option<u8>, // Invariant: at most 3, none for the GAD-7.
}

/// Why answers are no result of an instrument.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum InvalidAssessment {
    /// Another number of items.
    #[error("{instrument} has {expected} items, not {given}")]
    Count {
        /// The instrument's name.
        instrument: &'static str,
        /// How many items it has.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// An answer outside 0 to 3.
    #[error("item {item} of {instrument} is {given}; an answer is 0, 1, 2 or 3")]
    Item {
        /// The instrument's name.
        instrument: &'static str,
        /// The item's number, from 1.
        item: usize,
        /// What was given.
        given: i64,
    },
    /// A total out of range.
    #[error("a total of {instrument} is 0 to {most}, not {given}")]
    Total {
        /// The instrument's name.
        instrument: &'static str,
        /// The highest total.
        most: u8,
        /// What was given.
        given: i64,
    },
    /// A stated total that is not the sum of the items.
    #[error("the items of {instrument} add up to {computed}, but the stated total is {stated}")]
    TotalMismatch {
        /// The instrument's name.
        instrument: &'static str,
        /// The sum of the items.
        computed: u8,
        /// The total that was stated.
        stated: f64,
    },
    /// A stated item 9 that is not the ninth item.
    #[error("item 9 of phq9 is stated as {stated}, but the ninth item is {found}")]
    Item9Mismatch {
        /// What was stated.
        stated: i64,
        /// The ninth item.
        found: u8,
    },
}

/// The highest answer to an item.
pub const HIGHEST_ITEM: u8 = 3;

impl Instrument {
    /// All instruments.
    pub const ALL: [Self; 2] = [Self::Phq9, Self::Gad7];

    /// Returns its name as scripts and `decide` write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Phq9 => "phq9",
            Self::Gad7 => "gad7",
        }
    }

    /// Returns how many items it has.
    pub const fn items(self) -> usize {
        match self {
            Self::Phq9 => 9,
            Self::Gad7 => 7,
        }
    }

    /// Returns the highest total.
    pub const fn highest_total(self) -> u8 {
        match self {
            Self::Phq9 => 27,
            Self::Gad7 => 21,
        }
    }

    /// Returns the total from which a clinician is recommended.
    pub const fn clinician_total(self) -> u8 {
        match self {
            Self::Phq9 => 20,
            Self::Gad7 => 15,
        }
    }
}

impl Assessment {
    /// Scores the items in order; one that was not answered is `None` and leaves the total unknown.
    pub fn from_items(instrument: Instrument, items: &[Option<u8>]) -> Result<Self, InvalidAssessment> {
        let name = instrument.as_str();
        if items.len() != instrument.items() {
            let (expected, given) = (instrument.items(), items.len());
            return Err(InvalidAssessment::Count { instrument: name, expected, given });
        }
        let wrong = items.iter().enumerate().find_map(|(index, item)| match item {
            Some(value) if *value > HIGHEST_ITEM => Some((index + 1, i64::from(*value))),
            Some(_) | None => None,
        });
        if let Some((item, given)) = wrong {
            return Err(InvalidAssessment::Item { instrument: name, item, given });
        }
        let at_least = items.iter().flatten().sum();
        let most = items.iter().map(|item| item.unwrap_or(HIGHEST_ITEM)).sum();
        let total = items.iter().all(Option::is_some).then_some(at_least);
        let item9 = match instrument {
            Instrument::Phq9 => items.get(8).copied().flatten(),
            Instrument::Gad7 => None,
        };
        Ok(Self { instrument, total, at_least, most, item9 })
    }

    /// Takes a PHQ-9 of which only the total, and perhaps item 9, is known.
    pub fn from_phq9_total(total: u8, item9: Option<u8>) -> Result<Self, InvalidAssessment> {
        let total = in_range(Instrument::Phq9, total)?;
        match item9 {
            Some(value) if value > HIGHEST_ITEM => {
                Err(InvalidAssessment::Item { instrument: "phq9", item: 9, given: i64::from(value) })
            }
            Some(_) | None => {
                Ok(Self { instrument: Instrument::Phq9, total: Some(total), at_least: total, most: total, item9 })
            }
        }
    }

    /// Takes a GAD-7 of which only the total is known.
    pub fn from_gad7_total(total: u8) -> Result<Self, InvalidAssessment> {
        let total = in_range(Instrument::Gad7, total)?;
        Ok(Self { instrument: Instrument::Gad7, total: Some(total), at_least: total, most: total, item9: None })
    }

    /// Checks a total that somebody states against the items.
    ///
    /// With items missing it must be one that they can still add up to; the total stays unknown, and what is stated
    /// is what it is at least.
    pub fn with_stated_total(self, stated: f64) -> Result<Self, InvalidAssessment> {
        let possible = (self.at_least..=self.most).find(|&total| (f64::from(total) - stated).abs() < f64::EPSILON);
        if let Some(stated) = possible {
            Ok(Self { at_least: stated, most: stated, ..self })
        } else {
            let instrument = self.instrument.as_str();
            Err(InvalidAssessment::TotalMismatch { instrument, computed: self.at_least, stated })
        }
    }

    /// Returns which instrument it is.
    pub const fn instrument(&self) -> Instrument {
        self.instrument
    }

    /// Returns the total; none if an item is missing.
    pub const fn total(&self) -> Option<u8> {
        self.total
    }

    /// Returns what the total is at least: the sum of the items answered, or a higher stated total.
    pub const fn at_least(&self) -> u8 {
        self.at_least
    }

    /// Returns the PHQ-9's item 9 if it was answered; it is never estimated.
    pub const fn item9(&self) -> Option<u8> {
        self.item9
    }

    /// Tells whether the total alone calls for a clinician.
    pub const fn recommends_clinician(&self) -> bool {
        self.at_least >= self.instrument.clinician_total()
    }
}

fn in_range(instrument: Instrument, total: u8) -> Result<u8, InvalidAssessment> {
    if total <= instrument.highest_total() {
        Ok(total)
    } else {
        let (most, given) = (instrument.highest_total(), i64::from(total));
        Err(InvalidAssessment::Total { instrument: instrument.as_str(), most, given })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_out_of_range_are_refused_with_their_place() {
        let mut items = [Some(0); 9];
        items[6] = Some(4);
        let item = InvalidAssessment::Item { instrument: "phq9", item: 7, given: 4 };
        assert_eq!(Assessment::from_items(Instrument::Phq9, &items), Err(item));
        let count = InvalidAssessment::Count { instrument: "gad7", expected: 7, given: 9 };
        assert_eq!(Assessment::from_items(Instrument::Gad7, &[Some(0); 9]), Err(count));
        let item9 = InvalidAssessment::Item { instrument: "phq9", item: 9, given: 4 };
        assert_eq!(Assessment::from_phq9_total(12, Some(4)), Err(item9));
        assert_eq!(Assessment::from_phq9_total(27, Some(3)).unwrap().item9(), Some(3));
        let total = |instrument, most, given| Err(InvalidAssessment::Total { instrument, most, given });
        assert_eq!(Assessment::from_phq9_total(28, None), total("phq9", 27, 28));
        assert_eq!(Assessment::from_gad7_total(22), total("gad7", 21, 22));
    }

    #[test]
    fn a_missing_item_leaves_the_total_unknown_and_what_was_answered_is_its_least() {
        let mut items = [Some(3); 9];
        items[8] = None;
        let partial = Assessment::from_items(Instrument::Phq9, &items).unwrap();
        assert_eq!((partial.total(), partial.at_least(), partial.item9()), (None, 24, None));
        assert!(partial.recommends_clinician(), "whatever the missing item is");
        for (stated, agrees) in [(23.0, false), (24.0, true), (27.0, true), (28.0, false)] {
            assert_eq!(partial.clone().with_stated_total(stated).is_ok(), agrees, "{stated}");
        }
        items[8] = Some(1);
        let whole = Assessment::from_items(Instrument::Phq9, &items).unwrap();
        assert_eq!((whole.total(), whole.at_least(), whole.item9()), (Some(25), 25, Some(1)));
        for (stated, agrees) in [(24.0, false), (25.0, true), (26.0, false), (25.5, false)] {
            assert_eq!(whole.clone().with_stated_total(stated).is_ok(), agrees, "{stated}");
        }
        let seven = Assessment::from_items(Instrument::Gad7, &[Some(1); 7]).unwrap();
        assert_eq!((seven.instrument(), seven.item9()), (Instrument::Gad7, None));
    }

    #[test]
    fn a_clinician_is_recommended_from_20_of_the_phq9_and_15_of_the_gad7() {
        let phq9 = |total| Assessment::from_phq9_total(total, None).unwrap().recommends_clinician();
        let gad7 = |total| Assessment::from_gad7_total(total).unwrap().recommends_clinician();
        assert_eq!((phq9(19), phq9(20), gad7(14), gad7(15)), (false, true, false, true));
    }
}
