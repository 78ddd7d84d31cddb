//! Moves what was committed from the log into the file, beside the writer: a checkpoint on the write path is what the
//! slowest turns would wait for.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use tokio::{sync::Notify, task::JoinHandle};

use crate::db::fault::Fault;

/// After so many bytes of rows a checkpoint is due: often, so that each is short.
const DUE_BYTES: u64 = 1 << 20;
/// A log of so many pages (of 4 KiB) has outrun its checkpoints; the writer waits for one.
const OUTRUN_PAGES: u64 = 16 * 1024;

/// The task that checkpoints.
#[derive(Debug)]
pub(super) struct Checkpoints {
    pace: Arc<Pace>,
    task: JoinHandle<()>,
    /// Bytes since the last one was called for.
    written: u64,
    /// The pages at which the writer will wait; raised when waiting did not help, as while a long read goes on.
    outrun_at: u64,
}

#[derive(Debug, Default)]
struct Pace {
    due: Notify,
    /// Pages in the log at the last checkpoint.
    pages: AtomicU64,
    /// The last checkpoint was made.
    over: AtomicBool,
}

impl Checkpoints {
    /// Starts the task on a connection of its own.
    pub(super) fn start(db: DatabaseConnection) -> Self {
        let pace = Arc::new(Pace::default());
        let task = tokio::spawn(checkpoint_when_due(db, Arc::clone(&pace)));
        Self { pace, task, written: 0, outrun_at: OUTRUN_PAGES }
    }

    /// Notes what was written, and calls for a checkpoint when one is due.
    pub(super) fn note(&mut self, bytes: u64) {
        self.written += bytes;
        if self.written >= DUE_BYTES {
            self.written = 0;
            self.pace.due.notify_one();
        }
    }

    /// Lets the log begin anew if it has outrun its checkpoints; `writer` is idle.
    pub(super) async fn catch_up(&mut self, writer: &DatabaseConnection) -> Result<(), Fault> {
        if self.pace.pages.load(Ordering::Relaxed) < self.outrun_at {
            return Ok(());
        }
        let pages = checkpoint(writer, "RESTART").await?;
        self.outrun_at = pages.not_moved + OUTRUN_PAGES;
        self.pace.pages.store(pages.not_moved, Ordering::Relaxed);
        Ok(())
    }

    /// Ends the task, after the checkpoint that it may be at.
    pub(super) async fn stop(self) {
        self.pace.over.store(true, Ordering::Relaxed);
        self.pace.due.notify_one();
        let _panicked = self.task.await.is_err();
    }
}

/// What a checkpoint came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pages {
    /// In the log.
    in_log: u64,
    /// Of them not in the file yet.
    not_moved: u64,
    /// Whether another connection was in the way.
    pub(super) hindered: bool,
}

/// Makes one checkpoint.
pub(super) async fn checkpoint(db: &DatabaseConnection, mode: &str) -> Result<Pages, Fault> {
    let pragma = Statement::from_string(DbBackend::Sqlite, format!("PRAGMA wal_checkpoint({mode})"));
    let row = db.query_one_raw(pragma).await?.ok_or(Fault::Other(None))?;
    let (hindered, in_log, moved): (i64, i64, i64) =
        (row.try_get_by_index(0)?, row.try_get_by_index(1)?, row.try_get_by_index(2)?);
    let in_log = u64::try_from(in_log).unwrap_or(0);
    let not_moved = in_log.saturating_sub(u64::try_from(moved).unwrap_or(0));
    Ok(Pages { in_log, not_moved, hindered: hindered != 0 })
}

async fn checkpoint_when_due(db: DatabaseConnection, pace: Arc<Pace>) {
    loop {
        pace.due.notified().await;
        if pace.over.load(Ordering::Relaxed) {
            // A connection that is closing is still in the way of the last checkpoint, until it is closed.
            let _closed = db.close().await.is_ok();
            return;
        }
        // One that fails leaves the log longer; the next one has another try, and the writer looks after the bound.
        if let Ok(pages) = checkpoint(&db, "PASSIVE").await {
            pace.pages.store(pages.in_log, Ordering::Relaxed);
        }
    }
}
