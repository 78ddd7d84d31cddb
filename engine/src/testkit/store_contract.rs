//! What every store promises, as rules that run on any of them: a fake that drifts from the real thing fails here.
//!
//! ```ignore
//! for rule in RULES {
//!     rule.hold(open_an_empty_store()).await;
//! }
//! ```

mod at_once;
mod interleavings;
mod scripts;
mod sessions;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

pub use self::at_once::all_at_once;
use crate::ports::{ScriptShelf, SessionRecords, SessionStore};

/// A store, whole.
pub trait Stored: SessionStore + SessionRecords + ScriptShelf {}

impl<S: SessionStore + SessionRecords + ScriptShelf> Stored for S {}

/// A rule that holds for every store.
#[derive(Clone, Copy)]
pub struct Rule {
    /// What holds.
    pub name: &'static str,
    check: fn(Arc<dyn Stored>) -> Held,
}

type Held = Pin<Box<dyn Future<Output = ()>>>;

impl Rule {
    /// Sees whether the rule holds for a store in which nothing is kept yet.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub async fn hold(&self, empty: Arc<dyn Stored>) {
        (self.check)(empty).await;
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All of them.
pub const RULES: &[Rule] = &[
    Rule { name: "what was committed is seen at once", check: |s| Box::pin(sessions::committed_is_seen(s)) },
    Rule { name: "nothing is there before it is committed", check: |s| Box::pin(sessions::nothing_is_there(s)) },
    Rule { name: "a writer with an old version is refused", check: |s| Box::pin(sessions::old_version(s)) },
    Rule { name: "whoever claims last writes", check: |s| Box::pin(sessions::claims(s)) },
    Rule { name: "of two writers at once one is kept", check: |s| Box::pin(sessions::race(s)) },
    Rule { name: "a stale turn among many is refused alone", check: |s| Box::pin(sessions::stale_among_many(s)) },
    Rule { name: "turns of one session at once keep their order", check: |s| Box::pin(sessions::in_order(s)) },
    Rule { name: "a resent message finds its result", check: |s| Box::pin(sessions::resent(s)) },
    Rule { name: "an answer is kept until its turn is", check: |s| Box::pin(sessions::answers(s)) },
    Rule { name: "the chain leads to the record", check: |s| Box::pin(sessions::chain(s)) },
    Rule { name: "an erased session is gone, its chain is not", check: |s| Box::pin(sessions::erased(s)) },
    Rule { name: "a list has the newest first, by page and filter", check: |s| Box::pin(sessions::lists(s)) },
    Rule { name: "a subject's values outlive sessions", check: |s| Box::pin(sessions::subjects(s)) },
    Rule { name: "a latch stays until it is lifted", check: |s| Box::pin(sessions::latches(s)) },
    Rule { name: "no tenant sees another's sessions", check: |s| Box::pin(sessions::tenants(s)) },
    Rule { name: "a digest always means the same text", check: |s| Box::pin(scripts::by_digest(s)) },
    Rule { name: "a published version never changes", check: |s| Box::pin(scripts::published(s)) },
    Rule { name: "published scripts are listed in order", check: |s| Box::pin(scripts::listed(s)) },
    Rule { name: "any order of writing comes out as in memory", check: |s| Box::pin(interleavings::as_in_memory(s)) },
];
