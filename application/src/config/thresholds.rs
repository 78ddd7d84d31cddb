//! `[thresholds]`: from which scores on a message counts. They can be made stricter, never looser.

use serde::Deserialize;
use steersman_domain::control::{RiskScore, Thresholds};

use crate::failure::Failure;

/// The keys of the table.
pub(super) const KEYS: [&str; 3] = ["direct", "intent", "medium"];

/// The thresholds as they are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(crate) struct WrittenThresholds {
    medium: Option<f64>,
    intent: Option<f64>,
    direct: Option<f64>,
}

impl WrittenThresholds {
    /// Reads them over those that ship.
    ///
    /// # Errors
    ///
    /// One that is no score, or looser than what ships.
    pub(crate) fn read(self) -> Result<Thresholds, Failure> {
        let refused = |why: String| Failure::Usage(format!("{}: `[thresholds]`: {why}", super::FILE));
        let score =
            |given: Option<f64>| given.map(RiskScore::new).transpose().map_err(|error| refused(error.to_string()));
        let (medium, intent, direct) = (score(self.medium)?, score(self.intent)?, score(self.direct)?);
        Thresholds::tightened(medium, intent, direct).map_err(|error| refused(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_can_be_made_stricter_and_never_looser() {
        let written = |medium, intent, direct| WrittenThresholds { medium, intent, direct };
        let stricter = written(Some(0.5), None, Some(0.9)).read().unwrap();
        assert!((stricter.medium().get() - 0.5).abs() < 1e-9 && (stricter.direct().get() - 0.9).abs() < 1e-9);
        assert_eq!(WrittenThresholds::default().read().unwrap(), Thresholds::default());
        for loose in [
            written(Some(0.71), None, None),
            written(None, Some(0.81), None),
            written(None, None, Some(0.96)),
            written(None, None, Some(1.5)),
            written(Some(0.0), None, None),
            written(Some(f64::NAN), None, None),
        ] {
            assert!(matches!(loose.read(), Err(Failure::Usage(_))), "{loose:?}");
        }
    }
}
