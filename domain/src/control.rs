//! Decides how much a model may do, and when it may do nothing: perception, route, rigidity, referral, crisis.
//!
//! All of it is pure. Unknown is never low, and nothing here can be switched off.

mod assessment;
mod context;
pub mod crisis;
pub mod floor;
mod gate;
pub mod output;
mod phrase;
pub mod questionnaire;
mod reading;
pub mod referral;
mod rigidity;
mod risk;
mod route;
mod scan;
mod screening;
mod signals;

pub use assessment::{Assessment, HIGHEST_ITEM, Instrument, InvalidAssessment};
pub use context::{Clearance, ControlContext, EmptyClearance, Handoff, HandoffReason, Latch, RouteChange};
pub use gate::{ModelPermit, Perception};
pub use rigidity::{
    JSON_OVERHEAD_TOKENS, LOWEST_TEMPERATURE, ModelColumns, Rigidity, Structure, rigidity, temperature,
};
pub use risk::{
    InvalidRiskScore, Loosened, MessageRisk, RiskLabel, RiskScore, RiskSignal, Score, Thresholds, UnknownLabel,
    UnknownReason,
};
pub use route::{Evidence, Route, RouteReason, RouteSource, TriggeredRoute, Verdict, judge};
pub use scan::{MessageScan, must_be_caught};
pub use screening::{Insertion, Screening, TURN_THRESHOLD, Trigger, trigger};
pub use signals::{Signal, Signals};
