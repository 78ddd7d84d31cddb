//! One model call of a turn: the prompt, the schema of its reply, its attempts, the words as they arrive.

mod attempt;
mod deltas;
mod prompt;
mod scan;
mod schema;

pub(crate) use attempt::{Caller, TurnClock};
pub(crate) use deltas::DeltaGate;
pub use prompt::{Message, Prompt, Role};
pub(crate) use scan::Scanner;
