//! A number from 0 to 1.

use serde::{Deserialize, Serialize};

/// A number from 0 to 1, such as a metric, a weight or a threshold.
///
/// Kept to twelve decimals: means and sums that are equal on paper are equal here, and JSON reads back what it wrote.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Ratio(f64); // Invariant: `rounded`, so 0 to 1 and never NaN.

/// The number is NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a number from 0 to 1")]
pub struct NotANumber;

/// The finest step.
const STEPS: f64 = 1e12;

impl Ratio {
    /// Nothing.
    pub const ZERO: Self = Self(0.0);
    /// All of it.
    pub const ONE: Self = Self(1.0);

    /// Clamps `number` into 0 to 1.
    ///
    /// # Errors
    ///
    /// [`NotANumber`] for NaN.
    pub fn new(number: f64) -> Result<Self, NotANumber> {
        if number.is_nan() { Err(NotANumber) } else { Ok(rounded(number)) }
    }

    /// Returns `percent` hundredths, at most all of it.
    pub(crate) const fn percent(percent: u8) -> Self {
        Self(if percent >= 100 { 1.0 } else { percent as f64 / 100.0 })
    }

    /// Returns the share of `part` in `whole`, at most all of it; `None` for an empty whole.
    pub fn of(part: u32, whole: u32) -> Option<Self> {
        (whole > 0).then(|| rounded(f64::from(part) / f64::from(whole)))
    }

    /// Returns the mean of three.
    #[must_use]
    pub fn mean(three: [Self; 3]) -> Self {
        rounded(three.iter().map(|ratio| ratio.0).sum::<f64>() / 3.0)
    }

    /// Returns the number.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Tells whether it reaches `bound`.
    pub fn reaches(self, bound: Self) -> bool {
        self.0 >= bound.0
    }

    /// Tells whether it goes beyond `bound`.
    pub fn exceeds(self, bound: Self) -> bool {
        self.0 > bound.0
    }
}

impl TryFrom<f64> for Ratio {
    type Error = NotANumber;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        Self::new(number)
    }
}

impl From<Ratio> for f64 {
    fn from(ratio: Ratio) -> Self {
        ratio.0
    }
}

fn rounded(number: f64) -> Ratio {
    // Adding zero turns a negative zero into zero.
    Ratio((number.clamp(0.0, 1.0) * STEPS).round() / STEPS + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_clamped_and_nan_is_refused() {
        for (number, ratio) in [(-0.1, 0.0), (0.3, 0.3), (1.7, 1.0), (f64::INFINITY, 1.0), (f64::NEG_INFINITY, 0.0)] {
            assert_eq!(Ratio::new(number).map(Ratio::get), Ok(ratio), "{number}");
        }
        assert_eq!(Ratio::new(f64::NAN), Err(NotANumber));
    }

    #[test]
    fn a_mean_that_equals_its_bound_on_paper_reaches_it_and_does_not_exceed_it() {
        let plain: f64 = [0.7, 0.7, 0.7].iter().sum();
        assert!(plain / 3.0 < 0.7, "the case this test is about");
        let mean = Ratio::mean([Ratio::of(7, 10).unwrap(); 3]);
        assert!(mean.reaches(Ratio::percent(70)) && !mean.exceeds(Ratio::percent(70)));
        assert!(!Ratio::percent(69).reaches(Ratio::percent(70)) && Ratio::percent(71).exceeds(Ratio::percent(70)));
    }

    #[test]
    fn json_reads_back_every_share_that_it_wrote() {
        for (part, whole) in (0..60).flat_map(|part| (1..60).map(move |whole| (part, whole))) {
            let mean = Ratio::mean([Ratio::of(part, whole).unwrap(), Ratio::percent(10), Ratio::ZERO]);
            let json = serde_json::to_string(&mean).unwrap();
            assert_eq!(serde_json::from_str::<Ratio>(&json).unwrap(), mean, "{json}");
        }
    }
}
