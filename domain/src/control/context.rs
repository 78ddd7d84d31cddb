//! What control knows and has decided in one session. Only evidence raises the route; only a clinician lowers it.

use serde::{Deserialize, Serialize};

use super::{Evidence, Rigidity, Route, RouteReason, RouteSource, Signals, Thresholds, Verdict, judge, rigidity};
use crate::{clock::Timestamp, id::SubjectId, utterance::Text};

/// What control knows and has decided in one session; whole in the session view.
///
/// The route and everything that follows from it are recomputed together: no operation sets the route alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub struct ControlContext {
    subject: Option<SubjectId>,
    rigidity: Rigidity, // Invariant: what the table says for the route and the signals' worst total.
    signals: Signals,
    route_reason: Option<RouteReason>, // Invariant: there is one unless the route is low.
    route_established_at: Timestamp,
    updated_at: Timestamp,
    risk_epoch: u32,
    clinician_recommended: bool,
    handoff: Option<Handoff>,
}

/// That a human was asked to take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// Why.
    pub reason: HandoffReason,
    /// When it was asked for first.
    pub at: Timestamp,
}

/// Why a human is asked to take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffReason {
    /// The crisis steps reached the hand-off.
    Crisis,
    /// The person asked for a human.
    PersonAsked,
    /// Too many messages were held unscanned.
    TooManyHeld,
}

/// That the route or the rigid score changed; `from` may equal `to`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RouteChange {
    /// The route before.
    pub from: Route,
    /// The route now.
    pub to: Route,
    /// The rigid score now.
    pub rigid_score: f64,
    /// The temperature now; none when no model may speak.
    pub temperature: Option<f64>,
    /// What kind of input changed it.
    pub source: RouteSource,
    /// Which input changed it.
    pub reason: RouteReason,
}

/// A subject's high epoch that nobody has cleared: a new session of that subject starts high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latch {
    /// The epoch in which the route went high.
    pub risk_epoch: u32,
    /// Which input set it.
    pub reason: RouteReason,
    /// When it went high.
    pub since: Timestamp,
}

/// Who cleared the risk and why. That this is a clinician is for the caller to know. `Debug` prints neither.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenClearance")]
pub struct Clearance {
    by: Text,
    reason: Text,
} // Invariant: neither is blank.

/// How a clearance is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenClearance {
    by: String,
    reason: String,
}

impl TryFrom<WrittenClearance> for Clearance {
    type Error = EmptyClearance;

    fn try_from(written: WrittenClearance) -> Result<Self, EmptyClearance> {
        Self::new(written.by, written.reason)
    }
}

/// A clearance without a name or a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("clearing the risk needs a name and a reason")]
pub struct EmptyClearance;

/// The first risk epoch of a subject.
const FIRST_EPOCH: u32 = 1;

impl ControlContext {
    /// Opens a session without evidence: route low, rigid score 0.15, temperature 0.78.
    pub fn new(subject: Option<SubjectId>, now: Timestamp) -> Self {
        Self {
            subject,
            rigidity: rigidity(Route::Low, 0),
            signals: Signals::default(),
            route_reason: None,
            route_established_at: now,
            updated_at: now,
            risk_epoch: FIRST_EPOCH,
            clinician_recommended: false,
            handoff: None,
        }
    }

    /// Opens a session of a subject whose high epoch was not cleared: it starts high.
    pub fn latched(subject: SubjectId, latch: Latch, now: Timestamp) -> Self {
        Self {
            rigidity: rigidity(Route::High, 0),
            route_reason: Some(latch.reason),
            route_established_at: latch.since,
            risk_epoch: latch.risk_epoch,
            ..Self::new(Some(subject), now)
        }
    }

    /// Takes a piece of evidence, and recomputes the route and everything that follows from it.
    ///
    /// Returns what changed; `None` if route and rigid score stay. Nothing that is learnt here lowers either.
    pub fn raise(&mut self, evidence: &Evidence, thresholds: Thresholds, now: Timestamp) -> Option<RouteChange> {
        let mut verdict = Verdict { route: self.route(), raised_by: None };
        match evidence {
            Evidence::Message(risk) => self.signals.take_message(*risk, now),
            Evidence::Assessment(assessment) => {
                self.signals.take_assessment(assessment, now);
                self.clinician_recommended |= assessment.recommends_clinician();
            }
            Evidence::FormTrigger(route) => verdict = verdict.or_higher((*route).into(), evidence.reason()),
        }
        let found = judge(verdict.route, &self.signals, thresholds);
        let reason = found.raised_by.or(verdict.raised_by).unwrap_or(evidence.reason());
        self.settle(found.route, reason, now)
    }

    /// Opens a new risk epoch: a clinician has looked. What was acute is forgotten; totals stay, and with them a
    /// medium route that they call for.
    ///
    /// Returns what changed; `None` if the route and the rigid score stay.
    pub fn clear_risk(&mut self, _by: &Clearance, thresholds: Thresholds, now: Timestamp) -> Option<RouteChange> {
        self.signals.forget_acute();
        self.risk_epoch = self.risk_epoch.saturating_add(1);
        self.handoff = None;
        let route = judge(Route::Low, &self.signals, thresholds).route;
        self.settle(route, RouteReason::RiskCleared, now)
    }

    /// Notes that a human was asked to take over; the first request stands.
    ///
    /// Returns whether it is the first one since the risk was last cleared.
    pub fn request_handoff(&mut self, reason: HandoffReason, now: Timestamp) -> bool {
        let first = self.handoff.is_none();
        if first {
            self.handoff = Some(Handoff { reason, at: now });
            self.updated_at = now;
        }
        first
    }

    /// Returns what is kept for the subject so that its next session starts high; none unless this one is high.
    pub fn latch(&self) -> Option<Latch> {
        match self.route() {
            Route::Low | Route::Medium => None,
            Route::High => Some(Latch {
                risk_epoch: self.risk_epoch,
                reason: self.route_reason.expect("only evidence makes a route high, and it is named"),
                since: self.route_established_at,
            }),
        }
    }

    /// Returns whom it is about; none for an unnamed person.
    pub const fn subject(&self) -> Option<&SubjectId> {
        self.subject.as_ref()
    }

    /// Returns the route.
    pub const fn route(&self) -> Route {
        self.rigidity.route()
    }

    /// Returns the rigid score.
    pub const fn rigid_score(&self) -> f64 {
        self.rigidity.rigid_score()
    }

    /// Returns the temperature of model calls; none when no model may speak.
    pub fn temperature(&self) -> Option<f64> {
        self.rigidity.temperature()
    }

    /// Returns the route with all columns of the table.
    pub const fn rigidity(&self) -> &Rigidity {
        &self.rigidity
    }

    /// Returns the evidence.
    pub const fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Returns what kind of input set the route; none before any did.
    pub fn route_source(&self) -> Option<RouteSource> {
        self.route_reason.map(RouteReason::source)
    }

    /// Returns which input set the route; none before any did.
    pub const fn route_reason(&self) -> Option<RouteReason> {
        self.route_reason
    }

    /// Returns since when the route stands.
    pub const fn route_established_at(&self) -> Timestamp {
        self.route_established_at
    }

    /// Returns when evidence or a clinician last changed anything here.
    pub const fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    /// Returns the number of the risk epoch, from 1; only a clinician opens the next one.
    pub const fn risk_epoch(&self) -> u32 {
        self.risk_epoch
    }

    /// Tells whether a total calls for a clinician.
    pub const fn clinician_recommended(&self) -> bool {
        self.clinician_recommended
    }

    /// Returns the request for a human, if there is one.
    pub const fn handoff(&self) -> Option<Handoff> {
        self.handoff
    }

    fn settle(&mut self, route: Route, reason: RouteReason, now: Timestamp) -> Option<RouteChange> {
        let before = self.rigidity;
        self.rigidity = rigidity(route, self.signals.worst_total());
        self.updated_at = now;
        if before.route() != route {
            self.route_reason = Some(reason);
            self.route_established_at = now;
        }
        let change = RouteChange {
            from: before.route(),
            to: route,
            rigid_score: self.rigidity.rigid_score(),
            temperature: self.rigidity.temperature(),
            source: reason.source(),
            reason,
        };
        (before != self.rigidity).then_some(change)
    }
}

impl Clearance {
    /// Takes who cleared the risk and why.
    pub fn new(by: impl Into<String>, reason: impl Into<String>) -> Result<Self, EmptyClearance> {
        let (by, reason) = (Text::new(by), Text::new(reason));
        if by.is_blank() || reason.is_blank() { Err(EmptyClearance) } else { Ok(Self { by, reason }) }
    }

    /// Returns who cleared it.
    pub fn by(&self) -> &str {
        self.by.as_str()
    }

    /// Returns why.
    pub fn reason(&self) -> &str {
        self.reason.as_str()
    }
}

/// How a context is written: the columns are not, they follow from the table.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    subject: Option<SubjectId>,
    route: Route,
    rigid_score: f64,
    signals: Signals,
    route_source: Option<RouteSource>,
    route_reason: Option<RouteReason>,
    route_established_at: Timestamp,
    updated_at: Timestamp,
    risk_epoch: u32,
    clinician_recommended: bool,
    handoff: Option<Handoff>,
}

impl From<ControlContext> for Record {
    fn from(context: ControlContext) -> Self {
        Self {
            route: context.route(),
            rigid_score: context.rigid_score(),
            route_source: context.route_source(),
            subject: context.subject,
            signals: context.signals,
            route_reason: context.route_reason,
            route_established_at: context.route_established_at,
            updated_at: context.updated_at,
            risk_epoch: context.risk_epoch,
            clinician_recommended: context.clinician_recommended,
            handoff: context.handoff,
        }
    }
}

/// A written context that these rules do not make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum DamagedContext {
    #[error("the rigid score is not what the table says for the route and the totals")]
    NotTheTable,
    #[error("the route and its source do not follow from the reason")]
    NotTheReason,
    #[error("the route is below what its own evidence calls for")]
    BelowTheEvidence,
}

impl TryFrom<Record> for ControlContext {
    type Error = DamagedContext;

    fn try_from(record: Record) -> Result<Self, Self::Error> {
        let rigidity = rigidity(record.route, record.signals.worst_total());
        if (rigidity.rigid_score() - record.rigid_score).abs() > 1e-9 {
            return Err(DamagedContext::NotTheTable);
        }
        if judge(Route::Low, &record.signals, Thresholds::default()).route > record.route {
            return Err(DamagedContext::BelowTheEvidence);
        }
        let source = record.route_reason.map(RouteReason::source);
        if source != record.route_source || (source.is_none() && record.route != Route::Low) {
            return Err(DamagedContext::NotTheReason);
        }
        Ok(Self {
            subject: record.subject,
            rigidity,
            signals: record.signals,
            route_reason: record.route_reason,
            route_established_at: record.route_established_at,
            updated_at: record.updated_at,
            risk_epoch: record.risk_epoch,
            clinician_recommended: record.clinician_recommended,
            handoff: record.handoff,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::control::{Assessment, MessageRisk, RiskScore, TriggeredRoute};

    const NOON: Timestamp = Timestamp::EPOCH;

    fn said(score: f64) -> Evidence {
        Evidence::Message(MessageRisk::floor_only(RiskScore::new(score).unwrap()))
    }

    fn phq9(total: u8) -> Evidence {
        Evidence::Assessment(Assessment::from_phq9_total(total, Some(0)).unwrap())
    }

    fn fresh() -> ControlContext {
        ControlContext::new(Some(SubjectId::new("s").unwrap()), NOON)
    }

    #[test]
    fn a_session_without_evidence_is_low_and_free() {
        let context = fresh();
        assert_eq!((context.route(), context.route_source(), context.latch()), (Route::Low, None, None));
        assert_eq!(json!([context.rigid_score(), context.temperature()]), json!([0.15, 0.78]));
    }

    #[test]
    fn a_change_names_what_changed_it_and_carries_all_that_follows() {
        let mut context = fresh();
        let change = context.raise(&said(0.70), Thresholds::default(), NOON).unwrap();
        assert_eq!(
            json!(change),
            json!({"from": "low", "to": "medium", "rigid_score": 0.5, "temperature": 0.2,
                   "source": "chat_content", "reason": "chat_risk"})
        );
        let change = context.raise(&phq9(16), Thresholds::default(), NOON).unwrap();
        assert_eq!(
            json!(change),
            json!({"from": "medium", "to": "medium", "rigid_score": 0.75, "temperature": 0.1,
                   "source": "questionnaire", "reason": "phq9_total"})
        );
        assert_eq!(context.route_reason(), Some(RouteReason::ChatRisk), "the route itself stands for its old reason");
        assert_eq!(context.raise(&phq9(3), Thresholds::default(), NOON), None, "a better total lowers nothing");
        assert_eq!(context.raise(&said(0.0), Thresholds::default(), NOON), None);
    }

    #[test]
    fn a_form_trigger_raises_and_never_lowers() {
        let mut context = fresh();
        let trigger = |route| Evidence::FormTrigger(route);
        let change = context.raise(&trigger(TriggeredRoute::High), Thresholds::default(), NOON).unwrap();
        assert_eq!((change.to, change.temperature, change.reason), (Route::High, None, RouteReason::FormTrigger));
        assert_eq!(context.raise(&trigger(TriggeredRoute::Medium), Thresholds::default(), NOON), None);
    }

    #[test]
    fn a_high_epoch_is_latched_until_a_clinician_clears_it() {
        let mut context = fresh();
        context.raise(&said(0.96), Thresholds::default(), NOON);
        assert!(context.request_handoff(HandoffReason::Crisis, NOON));
        assert!(!context.request_handoff(HandoffReason::PersonAsked, NOON));
        let latch = context.latch().unwrap();
        let next =
            ControlContext::latched(SubjectId::new("s").unwrap(), latch, NOON.plus(std::time::Duration::from_mins(1)));
        assert_eq!((next.route(), next.route_established_at(), next.latch()), (Route::High, NOON, Some(latch)));
        let clearance = Clearance::new("Dr. Lin", "seen in person").unwrap();
        let change = context.clear_risk(&clearance, Thresholds::default(), NOON).unwrap();
        assert_eq!((change.from, change.to, change.source), (Route::High, Route::Low, RouteSource::Human));
        assert_eq!((context.risk_epoch(), context.latch(), context.handoff()), (2, None, None));
        assert_eq!(Clearance::new("Dr. Lin", " "), Err(EmptyClearance));
    }

    #[test]
    fn clearing_the_risk_keeps_what_the_totals_call_for() {
        let mut context = fresh();
        context.raise(
            &Evidence::Assessment(Assessment::from_phq9_total(17, Some(2)).unwrap()),
            Thresholds::default(),
            NOON,
        );
        assert_eq!(context.route_reason(), Some(RouteReason::Phq9Item9));
        let clearance = Clearance::new("Dr. Lin", "seen in person").unwrap();
        context.clear_risk(&clearance, Thresholds::default(), NOON);
        assert_eq!((context.route(), context.temperature()), (Route::Medium, Some(0.1)));
        assert_eq!(context.raise(&said(0.1), Thresholds::default(), NOON), None, "the old item 9 is not counted again");
    }

    #[test]
    fn a_later_epoch_is_latched_with_its_number_and_a_clinician_stays_recommended() {
        let mut context = fresh();
        assert!(!context.clinician_recommended());
        assert_eq!(context.subject().map(SubjectId::as_str), Some("s"));
        let clearance = Clearance::new("Dr. Lin", "seen in person").unwrap();
        assert_eq!((clearance.by(), clearance.reason()), ("Dr. Lin", "seen in person"));
        assert_eq!(context.clear_risk(&clearance, Thresholds::default(), NOON), None, "nothing changed but the epoch");
        context.raise(&phq9(20), Thresholds::default(), NOON);
        assert!(context.clinician_recommended());
        context.raise(&phq9(3), Thresholds::default(), NOON);
        assert!(context.clinician_recommended(), "a better total takes nothing back");
        let at = NOON.plus(std::time::Duration::from_mins(3));
        context.raise(&said(0.99), Thresholds::default(), at);
        assert_eq!((context.updated_at(), context.route_established_at()), (at, at));
        let latch = context.latch().unwrap();
        let next = ControlContext::latched(SubjectId::new("s").unwrap(), latch, at);
        assert_eq!((next.risk_epoch(), next.route_reason()), (2, Some(RouteReason::ChatRisk)));
        let later = at.plus(std::time::Duration::from_mins(1));
        context.raise(&said(0.0), Thresholds::default(), later);
        assert_eq!((context.updated_at(), context.route_established_at()), (later, at));
        assert!(context.request_handoff(HandoffReason::Crisis, later));
        assert_eq!(context.handoff(), Some(Handoff { reason: HandoffReason::Crisis, at: later }));
        assert_eq!(ControlContext::new(None, NOON).subject(), None);
    }

    #[test]
    fn a_context_is_read_as_it_was_written_and_a_damaged_one_is_refused() {
        let mut context = fresh();
        context.raise(&phq9(12), Thresholds::default(), NOON);
        let written = json!(context);
        assert_eq!(written["signals"]["phq9_total"]["value"], json!(12));
        assert_eq!(serde_json::from_value::<ControlContext>(written.clone()).unwrap(), context);
        assert_eq!(serde_json::from_value::<ControlContext>(json!(fresh())).unwrap(), fresh());
        let mut high_for_no_reason = json!(fresh());
        high_for_no_reason["route"] = json!("high");
        high_for_no_reason["rigid_score"] = json!(1.0);
        assert!(serde_json::from_value::<ControlContext>(high_for_no_reason).is_err());
        for (key, value) in [("route", json!("low")), ("rigid_score", json!(0.15)), ("route_source", json!(null))] {
            let mut damaged = written.clone();
            damaged[key] = value;
            assert!(serde_json::from_value::<ControlContext>(damaged).is_err(), "{key}");
        }
    }
}
