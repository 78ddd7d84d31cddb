//! When a question is done: sources in a fixed order, each decision with its evidence.

mod criteria;
mod policy;

pub use criteria::{CustomCondition, ExitCriteria};
pub use policy::{ExitPolicy, ExitSource};
