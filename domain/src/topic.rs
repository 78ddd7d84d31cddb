//! The topic looks up and plans: a queue of actions that only this room can change, and what has been collected.

mod plan;
mod progress;
mod result;

pub use plan::{EntryStatus, PlanEntry, TopicPlan};
pub use progress::{Attainment, Collected, Ending, TopicProgress};
pub use result::{ActionResult, Completeness, Outcome, OutputResult};
