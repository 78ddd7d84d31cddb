//! What tests of whole sessions share: scripts from text, an engine in memory, a client that waits for each turn, a
//! model server that can be made to fail, and load on the real server.
//!
//! It is no part of the product; nothing but tests may use it.

pub mod fake_model;
pub mod load;
pub mod partial;
pub mod scenario;
pub mod stage;
