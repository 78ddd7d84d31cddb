//! Strict stand-ins for tests: a surprise fails the test.

mod counting_ids;
mod scripted_model;
mod single_script;

pub use counting_ids::CountingIds;
pub use scripted_model::{Said, ScriptedModel};
pub use single_script::SingleScript;
