//! What the engine needs from outside, and what it offers: one file each.

pub mod clock;
pub mod ids;
pub mod language_model;
pub mod script_library;
pub mod session_store;
pub mod sessions;

pub use clock::{Clock, FixedClock};
pub use ids::IdSource;
pub use language_model::{Completion, Deltas, LanguageModel, ModelError};
pub use script_library::{LibraryError, PinnedScript, ScriptLibrary};
pub use session_store::{
    ChainedEvent, OutboxItem, RecordKind, RequestKey, SessionRecord, SessionStore, StoreError, StoredTurn, TurnCommit,
};
pub use sessions::{
    ClientInput, Conversation, Frames, MessageId, MessageIdInvalid, Open, OpenError, Opened, Requests, ServedBy,
    ServerFrame, Sessions, TurnError, TurnFinished, channel,
};
