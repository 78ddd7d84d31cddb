//! The pure heart of Steersman: what a script means, what a turn does, and every decision about both.
//!
//! Nothing here waits, reads, writes, logs or asks the time: time, scores and the words of a model arrive as arguments,
//! decisions leave as values that say which rule decided.

pub mod clock;
pub mod control;
pub mod decide;
pub mod depth;
pub mod exit;
pub mod id;
pub mod locale;
pub mod moderator;
pub mod nearest;
pub mod reply;
pub mod script;
pub mod session;
pub mod shipped;
pub mod texts;
pub mod topic;
pub mod utterance;
pub mod variable;
