//! What the ports of the engine meet: scripts from files, models, detectors, the machine itself. Only this crate knows foreign
//! libraries; its modules do not use each other. `events` describes what leaves through all of them.

pub mod db;
pub mod events;
pub mod grpc;
pub mod host;
pub mod llm;
pub mod risk;
pub mod scripts;
