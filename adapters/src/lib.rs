//! What the ports of the engine meet.

pub mod scripts;
