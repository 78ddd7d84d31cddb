//! What speaks: models behind a network, the offline understudy, recorded replies.
//!
//! When a model fails, it says how; whether to try again is the session's decision.

mod offline;
mod provider;
mod remote;
mod replies;

pub use offline::Understudy;
pub use provider::Provider;
pub use remote::{
    Address, AddressError, Cause, Config, DEFAULT_TIMEOUT, Key, KeyError, MAX_STREAM_BYTES, RemoteModel, SetupError,
    Tell, Trouble,
};
pub use replies::{RecordedReplies, RepliesError};
