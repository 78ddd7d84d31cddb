//! What the ports of the engine meet: scripts from files, models, the machine itself. Only this crate knows foreign
//! libraries; its modules do not use each other.

pub mod db;
pub mod host;
pub mod llm;
pub mod scripts;
