//! How dangerous a message is, as far as anything can tell: scores, labels, thresholds. Unknown is a value of its own.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How dangerous a text is: 0 (nothing found) to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct RiskScore(f64); // Invariant: a number, 0 <= score <= 1.

/// The number is no risk score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a risk score is a number from 0 to 1")]
pub struct InvalidRiskScore;

/// What a detector made of one text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RiskSignal {
    /// Its score, or why there is none.
    pub score: Score,
    /// The labels that it gave, if it gives labels.
    pub labels: Vec<RiskLabel>,
    /// Which detector it was.
    pub detector: String,
    /// The language that the text was said to be in.
    pub language: Option<String>,
}

/// A score, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// The detector answered.
    Known(RiskScore),
    /// It did not, or not with a score.
    Unknown(UnknownReason),
}

/// Why a value is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownReason {
    /// There was no value in the answer.
    Missing,
    /// The value was no number: a text, NaN, an unknown label.
    NotANumber,
    /// The number was outside its range.
    OutOfRange,
    /// No answer came in time.
    Timeout,
    /// The detector could not be reached or said that it failed.
    Failed,
    /// A file of scores has no more lines.
    Exhausted,
    /// A questionnaire ended with items missing.
    Incomplete,
}

/// The eleven classes that a labelling detector may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum RiskLabel {
    /// 0: a suicide attempt.
    Attempt,
    /// 1: a preparatory act.
    PreparatoryAct,
    /// 2: a plan.
    Plan,
    /// 3: active intent.
    ActiveIntent,
    /// 4: passive intent.
    PassiveIntent,
    /// 5: the person's aggression.
    UserAggression,
    /// 6: others' aggression.
    OthersAggression,
    /// 7: an act of self-harm.
    SelfHarmAct,
    /// 8: intent of self-harm.
    SelfHarmIntent,
    /// 9: exploring suicide.
    Exploring,
    /// 10: unrelated.
    Unrelated,
}

/// The number is none of the eleven labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a risk label is a number from 0 to 10")]
pub struct UnknownLabel;

/// The risk of one message: the floor's score, and the detector's word if one is configured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MessageRisk {
    /// What the lexical floor found.
    pub floor: RiskScore,
    /// What the detector said; none if there is no detector.
    pub detector: Option<Score>,
}

/// From which score on a message raises the route or asks for a questionnaire; all inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Limits", into = "Limits")]
pub struct Thresholds {
    medium: RiskScore,
    intent: RiskScore,
    direct: RiskScore,
} // Invariant: 0 < medium <= intent <= direct, none above its default.

/// The setting would make control less strict than it ships.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the {name} threshold can only be tightened: above 0, at most {most}, and medium <= intent <= direct")]
pub struct Loosened {
    name: &'static str,
    most: &'static str,
}

impl RiskScore {
    /// Nothing was found.
    pub const NONE: Self = Self(0.0);
    /// Distress: hopelessness, being a burden, thoughts of self-harm.
    pub const DISTRESS: Self = Self(0.70);
    /// Intent: a wish to be dead, or what would be must-catch if it were not negated, quoted, fiction or of others.
    pub const INTENT: Self = Self(0.85);
    /// Must-catch: ending one's life, in the first person.
    pub const MUST_CATCH: Self = Self(0.96);

    /// Checks that `score` is a number from 0 to 1.
    pub fn new(score: f64) -> Result<Self, InvalidRiskScore> {
        if (0.0..=1.0).contains(&score) { Ok(Self(score)) } else { Err(InvalidRiskScore) }
    }

    /// Returns the number.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Returns the worse of two scores.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if self.0 < other.0 { other } else { self }
    }
}

impl TryFrom<f64> for RiskScore {
    type Error = InvalidRiskScore;

    fn try_from(score: f64) -> Result<Self, Self::Error> {
        Self::new(score)
    }
}

impl From<RiskScore> for f64 {
    fn from(score: RiskScore) -> Self {
        score.0
    }
}

impl Score {
    /// Reads a detector's number: what is no number, or out of range, is unknown.
    pub fn from_number(number: Option<f64>) -> Self {
        match number {
            None => Self::Unknown(UnknownReason::Missing),
            Some(number) if number.is_nan() => Self::Unknown(UnknownReason::NotANumber),
            Some(number) => RiskScore::new(number).map_or(Self::Unknown(UnknownReason::OutOfRange), Self::Known),
        }
    }

    /// Maps labels by the worst of them; no label at all is unknown.
    pub fn from_labels(labels: &[RiskLabel]) -> Self {
        labels
            .iter()
            .map(|label| label.score())
            .reduce(RiskScore::max)
            .map_or(Self::Unknown(UnknownReason::Missing), Self::Known)
    }
}

impl UnknownReason {
    /// All reasons.
    pub const ALL: [Self; 7] = [
        Self::Missing,
        Self::NotANumber,
        Self::OutOfRange,
        Self::Timeout,
        Self::Failed,
        Self::Exhausted,
        Self::Incomplete,
    ];

    /// Returns the reason as events write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::NotANumber => "not_a_number",
            Self::OutOfRange => "out_of_range",
            Self::Timeout => "timeout",
            Self::Failed => "failed",
            Self::Exhausted => "exhausted",
            Self::Incomplete => "incomplete",
        }
    }
}

impl RiskLabel {
    /// All labels, by number.
    pub const ALL: [Self; 11] = [
        Self::Attempt,
        Self::PreparatoryAct,
        Self::Plan,
        Self::ActiveIntent,
        Self::PassiveIntent,
        Self::UserAggression,
        Self::OthersAggression,
        Self::SelfHarmAct,
        Self::SelfHarmIntent,
        Self::Exploring,
        Self::Unrelated,
    ];

    /// Returns what the label means as a score; its number says nothing about it.
    pub const fn score(self) -> RiskScore {
        match self {
            Self::Attempt | Self::PreparatoryAct | Self::Plan | Self::ActiveIntent => RiskScore::MUST_CATCH,
            Self::PassiveIntent | Self::SelfHarmAct | Self::SelfHarmIntent => RiskScore::INTENT,
            Self::UserAggression | Self::OthersAggression | Self::Exploring => RiskScore::DISTRESS,
            Self::Unrelated => RiskScore::NONE,
        }
    }
}

impl TryFrom<u8> for RiskLabel {
    type Error = UnknownLabel;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        Self::ALL.get(usize::from(number)).copied().ok_or(UnknownLabel)
    }
}

impl From<RiskLabel> for u8 {
    fn from(label: RiskLabel) -> Self {
        label as u8
    }
}

impl MessageRisk {
    /// Takes the floor's score alone: no detector is configured.
    pub const fn floor_only(floor: RiskScore) -> Self {
        Self { floor, detector: None }
    }

    /// Returns the worst that is known; the floor stands whatever the detector does.
    pub const fn at_least(self) -> RiskScore {
        match self.detector {
            Some(Score::Known(score)) => self.floor.max(score),
            Some(Score::Unknown(_)) | None => self.floor,
        }
    }

    /// Returns the message's risk; unknown while a configured detector is.
    pub const fn score(self) -> Score {
        match self.detector {
            Some(Score::Unknown(reason)) => Score::Unknown(reason),
            Some(Score::Known(_)) | None => Score::Known(self.at_least()),
        }
    }

    /// Tells whether the turn must be held unless it goes high: a configured detector did not answer.
    pub const fn holds(self) -> bool {
        matches!(self.detector, Some(Score::Unknown(_)))
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { medium: RiskScore(0.70), intent: RiskScore(0.80), direct: RiskScore(0.95) }
    }
}

/// How thresholds are written.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    medium: RiskScore,
    intent: RiskScore,
    direct: RiskScore,
}

impl From<Thresholds> for Limits {
    fn from(Thresholds { medium, intent, direct }: Thresholds) -> Self {
        Self { medium, intent, direct }
    }
}

impl TryFrom<Limits> for Thresholds {
    type Error = Loosened;

    fn try_from(Limits { medium, intent, direct }: Limits) -> Result<Self, Loosened> {
        Self::tightened(Some(medium), Some(intent), Some(direct))
    }
}

impl Thresholds {
    /// Replaces the given thresholds by stricter ones.
    ///
    /// # Errors
    ///
    /// [`Loosened`] for a value above the default, of 0, or out of order: nothing can be switched off.
    pub fn tightened(
        medium: Option<RiskScore>,
        intent: Option<RiskScore>,
        direct: Option<RiskScore>,
    ) -> Result<Self, Loosened> {
        let shipped = Self::default();
        let medium = stricter("medium", "0.70", medium, shipped.medium)?;
        let intent = stricter("intent", "0.80", intent, shipped.intent)?;
        let direct = stricter("direct", "0.95", direct, shipped.direct)?;
        if medium > intent || medium > direct {
            return Err(Loosened { name: "medium", most: "0.70" });
        }
        if intent > direct {
            return Err(Loosened { name: "intent", most: "0.80" });
        }
        Ok(Self { medium, intent, direct })
    }

    /// Returns the score from which a message makes the route medium.
    pub const fn medium(self) -> RiskScore {
        self.medium
    }

    /// Returns the score from which a questionnaire is inserted now.
    pub const fn intent(self) -> RiskScore {
        self.intent
    }

    /// Returns the score from which a message makes the route high.
    pub const fn direct(self) -> RiskScore {
        self.direct
    }
}

fn stricter(
    name: &'static str,
    most: &'static str,
    asked: Option<RiskScore>,
    shipped: RiskScore,
) -> Result<RiskScore, Loosened> {
    match asked {
        None => Ok(shipped),
        Some(asked) if asked > RiskScore::NONE && asked <= shipped => Ok(asked),
        Some(_) => Err(Loosened { name, most }),
    }
}

impl fmt::Display for RiskScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(number: f64) -> RiskScore {
        RiskScore::new(number).unwrap()
    }

    #[test]
    fn what_is_no_score_is_unknown_and_says_why() {
        let rows = [
            (None, Score::Unknown(UnknownReason::Missing)),
            (Some(f64::NAN), Score::Unknown(UnknownReason::NotANumber)),
            (Some(-0.1), Score::Unknown(UnknownReason::OutOfRange)),
            (Some(1.7), Score::Unknown(UnknownReason::OutOfRange)),
            (Some(f64::INFINITY), Score::Unknown(UnknownReason::OutOfRange)),
            (Some(0.0), Score::Known(RiskScore::NONE)),
            (Some(1.0), Score::Known(score(1.0))),
        ];
        for (number, expected) in rows {
            assert_eq!(Score::from_number(number), expected, "{number:?}");
        }
        assert!(serde_json::from_str::<RiskScore>("1.01").is_err());
        assert_eq!((serde_json::to_string(&score(0.7)).unwrap(), score(0.7).to_string()), ("0.7".into(), "0.7".into()));
    }

    #[test]
    fn labels_map_by_what_they_mean_and_the_worst_stands() {
        let expected = [0.96, 0.96, 0.96, 0.96, 0.85, 0.70, 0.70, 0.85, 0.85, 0.70, 0.0];
        for (number, expected) in (0_u8..).zip(expected) {
            let label = RiskLabel::try_from(number).unwrap();
            assert_eq!((u8::from(label), label.score()), (number, score(expected)));
        }
        assert_eq!(RiskLabel::try_from(11), Err(UnknownLabel));
        let labels = [RiskLabel::Exploring, RiskLabel::SelfHarmAct, RiskLabel::Unrelated];
        assert_eq!(Score::from_labels(&labels), Score::Known(RiskScore::INTENT));
        assert_eq!(Score::from_labels(&[]), Score::Unknown(UnknownReason::Missing));
    }

    #[test]
    fn the_floor_stands_and_an_unknown_detector_holds() {
        let with = |detector| MessageRisk { floor: score(0.7), detector };
        let unknown = with(Some(Score::Unknown(UnknownReason::Timeout)));
        assert_eq!((unknown.at_least(), unknown.holds()), (score(0.7), true));
        assert_eq!(unknown.score(), Score::Unknown(UnknownReason::Timeout));
        let lower = with(Some(Score::Known(score(0.2))));
        assert_eq!((lower.score(), lower.holds()), (Score::Known(score(0.7)), false));
        assert_eq!(with(Some(Score::Known(score(0.9)))).at_least(), score(0.9));
        assert_eq!((with(None).score(), with(None).holds()), (Score::Known(score(0.7)), false));
    }

    #[test]
    fn thresholds_only_tighten_and_stay_in_order() {
        let set = |medium: Option<f64>, intent: Option<f64>, direct: Option<f64>| {
            Thresholds::tightened(medium.map(score), intent.map(score), direct.map(score))
        };
        assert_eq!(set(None, None, None).unwrap(), Thresholds::default());
        assert_eq!(set(Some(0.70), Some(0.80), Some(0.95)).unwrap(), Thresholds::default());
        let tight = set(Some(0.5), Some(0.5), Some(0.5)).unwrap();
        assert_eq!((tight.medium(), tight.intent(), tight.direct()), (score(0.5), score(0.5), score(0.5)));
        let refused = [
            (Some(0.71), None, None),
            (None, Some(0.81), None),
            (None, None, Some(0.96)),
            (Some(0.0), None, None),
            (None, Some(0.6), None),
            (None, None, Some(0.69)),
            (Some(0.6), Some(0.75), Some(0.7)),
        ];
        for (medium, intent, direct) in refused {
            assert!(set(medium, intent, direct).is_err(), "{medium:?} {intent:?} {direct:?}");
        }
    }
}
