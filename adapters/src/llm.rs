//! What speaks: the offline understudy and recorded replies. Providers join here.
//!
//! When a model fails, it says how; whether to try again is the session's decision.

mod offline;
mod replies;

pub use offline::Understudy;
pub use replies::{RecordedReplies, RepliesError};
