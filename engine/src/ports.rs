//! What the engine needs from outside, and what it offers: one file each.

pub mod archive;
pub mod clock;
pub mod conversation;
pub mod ids;
pub mod language_model;
pub mod risk_detector;
pub mod script_library;
pub mod script_shelf;
pub mod session_records;
pub mod session_store;
pub mod sessions;

pub use archive::{Archive, BrokenLink, ChainFault, LookError, Recorded, Verified};
pub use clock::{Clock, FixedClock};
pub use conversation::{
    ClientInput, Conversation, Frames, MessageId, MessageIdInvalid, NotSent, Opened, Past, Requests, ServedBy,
    ServerFrame, StreamEnd, StreamEnded, TurnError, TurnFinished,
};
pub use ids::IdSource;
pub use language_model::{Completion, Deltas, LanguageModel, ModelError};
pub use risk_detector::RiskDetector;
pub use script_library::{Checked, Finding, LibraryError, PinnedScript, ScriptLibrary};
pub use script_shelf::{ScriptEntry, ScriptShelf, ShelfError, ShelvedScript};
pub use session_records::{ChainLink, SessionFilter, SessionRecords, SessionSummary};
pub use session_store::{
    ChainedEvent, KeptAnswer, LatchChange, OutboxItem, RecordKind, RequestKey, SessionRecord, SessionStore, StoreError,
    StoredTurn, SubjectRecord, TurnCommit,
};
pub use sessions::{Open, OpenError, Opening, Sessions, SubmitError};
