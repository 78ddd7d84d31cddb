//! When a question is done: sources in a fixed order, each decision with its evidence.

mod criteria;
mod decision;
mod policy;
mod reason;

pub use criteria::{CustomCondition, ExitCriteria};
pub use decision::{
    Considered, Evidence, ExitDecision, ExitFacts, ExitSignals, OFF_TARGET_LIMIT, Origin, Place, Readings,
};
pub use policy::{ExitPolicy, ExitSource};
