//! The one place that lets a model speak: no call without a permit, and no permit but from here.

#[cfg(test)]
mod promises;

use serde::{Deserialize, Serialize};

use super::{ControlContext, MessageRisk, ModelColumns};

/// What is known about the risk of the free text of a turn, and of all text held before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Perception {
    /// The turn has no free text: its permit follows the current route.
    NoText,
    /// There is text that nobody has looked at yet.
    Unscanned,
    /// All text was looked at, and what it tells has raised the route where it had to.
    Scanned,
}

impl Perception {
    /// Returns what is known after a scan; while a configured detector does not answer, the text stays unscanned.
    pub const fn after(scan: MessageRisk) -> Self {
        if scan.holds() { Self::Unscanned } else { Self::Scanned }
    }
}

/// Leave to call a model once, with the bounds under which it speaks. Cannot be copied, made elsewhere or kept.
#[derive(Debug, PartialEq)]
pub struct ModelPermit {
    columns: ModelColumns,
    rigid_score: f64,
}

impl ModelPermit {
    /// Gives leave if the route is low or medium and nothing is unscanned.
    pub(crate) fn mint(control: &ControlContext, perception: Perception) -> Option<Self> {
        let columns = *control.rigidity().model()?;
        match perception {
            Perception::Unscanned => None,
            Perception::NoText | Perception::Scanned => Some(Self { columns, rigid_score: control.rigid_score() }),
        }
    }

    /// Returns the bounds of the call.
    pub const fn columns(&self) -> &ModelColumns {
        &self.columns
    }

    /// Returns the temperature for an action that asks for `base`; it can only lower the route's.
    pub fn temperature_for(&self, base: Option<f64>) -> f64 {
        self.columns.temperature_for(base, self.rigid_score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clock::Timestamp,
        control::{Evidence, RiskScore, Score, Thresholds, UnknownReason},
    };

    #[test]
    fn unscanned_text_and_a_high_route_get_no_permit() {
        let mut control = ControlContext::new(None, Timestamp::EPOCH);
        assert!(ModelPermit::mint(&control, Perception::NoText).is_some());
        assert_eq!(ModelPermit::mint(&control, Perception::Unscanned), None);
        let harmless = MessageRisk::floor_only(RiskScore::NONE);
        assert!(ModelPermit::mint(&control, Perception::after(harmless)).is_some());
        let silent = Some(Score::Unknown(UnknownReason::ALL[0]));
        let unanswered = MessageRisk { detector: silent, ..harmless };
        assert_eq!(ModelPermit::mint(&control, Perception::after(unanswered)), None);
        let acute = Evidence::Message(MessageRisk::floor_only(RiskScore::MUST_CATCH));
        control.raise(&acute, Thresholds::default(), Timestamp::EPOCH);
        assert_eq!(ModelPermit::mint(&control, Perception::NoText), None);
        assert_eq!(ModelPermit::mint(&control, Perception::after(harmless)), None);
    }
}
