//! Strict stand-ins for tests: a surprise fails the test.

mod counting_ids;
mod scripted_model;
pub mod sessions_contract;
pub mod store_contract;
mod teller;

pub use counting_ids::CountingIds;
pub use scripted_model::{Said, ScriptedModel};
pub use teller::Teller;
