//! How closely a conversation is led, and which evidence says so.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Assessment, Instrument, MessageRisk, RiskScore, Signal, Signals, Thresholds};

/// How closely a conversation is led. Ordered: a later one is never lowered by a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// The script runs as written.
    #[default]
    Low,
    /// The script runs tightly, replies are checked first, and a referral may take over.
    Medium,
    /// Reviewed fixed texts only; no model.
    High,
}

/// What kind of input set the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteSource {
    /// A questionnaire: a total, its item 9, or a form's trigger.
    Questionnaire,
    /// What the person wrote.
    ChatContent,
    /// A clinician.
    Human,
}

/// Which input set the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteReason {
    /// The risk of a message.
    ChatRisk,
    /// The PHQ-9's item on thoughts of death or self-harm.
    Phq9Item9,
    /// The PHQ-9's total.
    Phq9Total,
    /// The GAD-7's total.
    Gad7Total,
    /// An item of a form that the script defines.
    FormTrigger,
    /// A clinician cleared the risk.
    RiskCleared,
}

/// The route that a form's trigger may ask for: raises only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TriggeredRoute {
    /// At least medium.
    Medium,
    /// High.
    High,
}

/// Something that was learnt about the person and may raise the route.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// A message was scanned.
    Message(MessageRisk),
    /// A questionnaire ended.
    Assessment(Assessment),
    /// An answer met a trigger of a form.
    FormTrigger(TriggeredRoute),
}

/// What the evidence makes of the current route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The route.
    pub route: Route,
    /// Which input raised it; none if it stands as it was.
    pub raised_by: Option<RouteReason>,
}

/// The lowest total of a questionnaire that makes the route medium.
const MEDIUM_TOTAL: u8 = 10;
/// The lowest answer to the PHQ-9's item 9 that makes the route high.
const HIGH_ITEM9: u8 = 1;

/// Decides the route: the maximum of the current one, the questionnaires, item 9 and the message.
///
/// Of several inputs that set the same maximum the first in that order is named.
pub fn judge(current: Route, signals: &Signals, thresholds: Thresholds) -> Verdict {
    let found = [
        (by_total(signals.phq9_total.as_ref()), RouteReason::Phq9Total),
        (by_total(signals.gad7_total.as_ref()), RouteReason::Gad7Total),
        (by_item9(signals.phq9_item9.as_ref()), RouteReason::Phq9Item9),
        (by_message(signals.chat_risk.as_ref(), thresholds), RouteReason::ChatRisk),
    ];
    let standing = Verdict { route: current, raised_by: None };
    found.into_iter().fold(standing, |worst, (route, reason)| worst.or_higher(route, reason))
}

fn by_total(total: Option<&Signal<u8>>) -> Route {
    let reached = total.and_then(Signal::at_least).is_some_and(|total| total >= MEDIUM_TOTAL);
    if reached { Route::Medium } else { Route::Low }
}

fn by_item9(item: Option<&Signal<u8>>) -> Route {
    let reached = item.and_then(Signal::at_least).is_some_and(|value| value >= HIGH_ITEM9);
    if reached { Route::High } else { Route::Low }
}

fn by_message(risk: Option<&Signal<RiskScore>>, thresholds: Thresholds) -> Route {
    match risk.and_then(Signal::at_least) {
        Some(score) if score >= thresholds.direct() => Route::High,
        Some(score) if score >= thresholds.medium() => Route::Medium,
        Some(_) | None => Route::Low,
    }
}

impl Evidence {
    /// Returns which input it is when it changes the rigid score and not the route.
    pub(super) const fn reason(&self) -> RouteReason {
        match self {
            Self::Message(_) => RouteReason::ChatRisk,
            Self::Assessment(assessment) => match assessment.instrument() {
                Instrument::Phq9 => RouteReason::Phq9Total,
                Instrument::Gad7 => RouteReason::Gad7Total,
            },
            Self::FormTrigger(_) => RouteReason::FormTrigger,
        }
    }
}

impl Verdict {
    /// Goes up to `route` if that is higher, and then names `reason`.
    #[must_use]
    pub(super) fn or_higher(self, route: Route, reason: RouteReason) -> Self {
        if route > self.route { Self { route, raised_by: Some(reason) } } else { self }
    }
}

impl Route {
    /// All routes, least closely led first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// Returns the route as events and `decide` write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<TriggeredRoute> for Route {
    fn from(route: TriggeredRoute) -> Self {
        match route {
            TriggeredRoute::Medium => Self::Medium,
            TriggeredRoute::High => Self::High,
        }
    }
}

impl RouteSource {
    /// All sources.
    pub const ALL: [Self; 3] = [Self::Questionnaire, Self::ChatContent, Self::Human];

    /// Returns the source as events and `decide` write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Questionnaire => "questionnaire",
            Self::ChatContent => "chat_content",
            Self::Human => "human",
        }
    }
}

impl RouteReason {
    /// All reasons.
    pub const ALL: [Self; 6] =
        [Self::ChatRisk, Self::Phq9Item9, Self::Phq9Total, Self::Gad7Total, Self::FormTrigger, Self::RiskCleared];

    /// Returns the reason as events and `decide` write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatRisk => "chat_risk",
            Self::Phq9Item9 => "phq9_item9",
            Self::Phq9Total => "phq9_total",
            Self::Gad7Total => "gad7_total",
            Self::FormTrigger => "form_trigger",
            Self::RiskCleared => "risk_cleared",
        }
    }
    /// Returns what kind of input it is.
    pub const fn source(self) -> RouteSource {
        match self {
            Self::ChatRisk => RouteSource::ChatContent,
            Self::Phq9Item9 | Self::Phq9Total | Self::Gad7Total | Self::FormTrigger => RouteSource::Questionnaire,
            Self::RiskCleared => RouteSource::Human,
        }
    }
}
