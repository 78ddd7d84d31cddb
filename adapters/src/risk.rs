//! Detectors: what looks at messages beside the lexical floor.
//!
//! When the other side fails, or says anything odd, the score is unknown, and the session holds the message: it answers
//! with a fixed text and looks again with the next message. Nothing that a detector says makes control less strict than
//! the floor alone would.

mod answer;
mod http;
mod scores;

pub use self::{
    http::{DetectorError, HttpConfig, HttpDetector},
    scores::{RecordedScores, ScoresError},
};
