//! The one task that writes: it takes what waits, commits it at once, and only then answers.

use std::fs::File;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait,
};
use steersman_engine::ports::StoreError;
use tokio::sync::{mpsc, oneshot};

use super::checkpoint::{Checkpoints, checkpoint};
use crate::db::{
    entity::{model_reply, script, session},
    fault::Fault,
    rows::TurnRows,
    statements::Statements,
    write::{Gathered, PublishedOtherwise, Stale, keep_script},
};

/// The most orders of one commit. Beyond it a commit takes longer than the sync that it saves.
const BATCH: usize = 256;

/// The largest file, in pages (of 4 KiB), out of whose unused parts erased words are wiped at the end: it is written anew
/// for that, and a process that stops must not take long.
const WIPE_PAGES: u64 = 64 * 1024;

/// Who waits for what came of an order.
pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer is to do.
#[derive(Debug)]
pub(super) enum Order {
    /// Keep a turn.
    Turn { rows: Box<TurnRows>, reply: Reply<()> },
    /// Keep an answer of a model.
    Answer { tenant: String, row: Box<model_reply::Model>, reply: Reply<()> },
    /// Take a session over.
    Claim { tenant: String, id: String, reply: Reply<Option<Box<session::Model>>> },
    /// Erase a session.
    Erase { tenant: String, id: String, reply: Reply<bool> },
    /// Keep the text of a script.
    Shelve { row: Box<script::Model>, reply: Reply<Result<(), PublishedOtherwise>> },
    /// Come to an end.
    Close(Reply<()>),
}

/// What came of an order, to be told when it is committed.
#[derive(Debug)]
enum Outcome {
    Kept(Result<(), Stale>),
    Claimed(Option<Box<session::Model>>),
    Erased(bool),
    Shelved(Result<(), PublishedOtherwise>),
    Closing,
}

/// Writes the file.
pub(super) struct Writer {
    db: DatabaseConnection,
    readers: DatabaseConnection,
    checkpoints: Checkpoints,
    statements: Statements,
    /// Whether erased words may be left in unused parts of the file.
    erased: bool,
    /// Held as long as anything is written.
    lock: File,
}

impl Writer {
    pub(super) fn new(
        db: DatabaseConnection,
        checkpoints: DatabaseConnection,
        readers: DatabaseConnection,
        lock: File,
    ) -> Self {
        Self {
            db,
            readers,
            checkpoints: Checkpoints::start(checkpoints),
            statements: Statements::default(),
            erased: false,
            lock,
        }
    }

    /// Takes orders until it is asked to close, or nobody is left to give any.
    pub(super) async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        let mut batch = Vec::with_capacity(BATCH);
        let closing = loop {
            if orders.recv_many(&mut batch, BATCH).await == 0 {
                break None;
            }
            let closing = batch.iter().position(|order| matches!(order, Order::Close(_)));
            let closing = closing.map(|at| batch.split_off(at));
            self.keep(&mut batch).await;
            if let Some(refused) = closing {
                break Some(refused);
            }
        };
        orders.close();
        let tidied = self.finish().await;
        for order in closing.into_iter().flatten() {
            match order {
                Order::Close(reply) => tell(reply, tidied.map_err(StoreError::from)),
                order => order.refuse(Fault::Closed),
            }
        }
    }

    /// Keeps all of it in one commit; if that fails, each by itself, so that one that cannot be kept stops no other.
    async fn keep(&mut self, batch: &mut Vec<Order>) {
        match self.transact(batch).await {
            Ok(outcomes) => batch.drain(..).zip(outcomes).for_each(|(order, outcome)| order.answer(outcome)),
            Err(Fault::Full) => batch.drain(..).for_each(|order| order.refuse(Fault::Full)),
            Err(fault) if batch.len() == 1 => batch.drain(..).for_each(|order| order.refuse(fault)),
            Err(_) => {
                for order in batch.drain(..) {
                    match self.transact(std::slice::from_ref(&order)).await {
                        Ok(mut outcomes) => match outcomes.pop() {
                            Some(outcome) => order.answer(outcome),
                            None => order.refuse(Fault::Closed),
                        },
                        Err(fault) => order.refuse(fault),
                    }
                }
            }
        }
    }

    async fn transact(&mut self, orders: &[Order]) -> Result<Vec<Outcome>, Fault> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.checkpoints.catch_up(&self.db).await?;
        let transaction = self.db.begin_with_options(options).await?;
        match carry_out(&transaction, orders, &mut self.statements).await {
            Ok(outcomes) => {
                transaction.commit().await?;
                self.checkpoints.note(orders.iter().map(Order::bytes).sum());
                self.erased |= outcomes.iter().any(|outcome| matches!(outcome, Outcome::Erased(true)));
                Ok(outcomes)
            }
            Err(fault) => {
                // SQLite may have rolled back by itself already, as when the disk is full.
                let _already = transaction.rollback().await.is_err();
                Err(fault)
            }
        }
    }

    /// Moves everything into the file, and gives the file back.
    async fn finish(self) -> Result<(), Fault> {
        self.checkpoints.stop().await;
        let _closed = self.readers.close().await.is_ok();
        let wiped = if self.erased { wipe(&self.db).await } else { Ok(()) };
        let tidied = match checkpoint(&self.db, "TRUNCATE").await {
            Ok(pages) if pages.hindered => Err(Fault::Busy),
            checkpointed => checkpointed.map(drop),
        };
        let closed = self.db.close().await.map_err(Fault::from);
        drop(self.lock);
        wiped.and(tidied).and(closed)
    }
}

/// Writes the file anew, without its unused parts, unless it is too large for that.
async fn wipe(db: &DatabaseConnection) -> Result<(), Fault> {
    let pages = Statement::from_string(DbBackend::Sqlite, "PRAGMA page_count");
    let pages: i64 = db.query_one_raw(pages).await?.ok_or(Fault::Other(None))?.try_get_by_index(0)?;
    if u64::try_from(pages).is_ok_and(|pages| pages <= WIPE_PAGES) {
        db.execute_unprepared("VACUUM").await?;
    }
    Ok(())
}

async fn carry_out(
    db: &DatabaseTransaction,
    orders: &[Order],
    statements: &mut Statements,
) -> Result<Vec<Outcome>, Fault> {
    let mut gathered = Gathered::look(db, orders.iter().filter_map(Order::session).collect(), statements).await?;
    let mut outcomes = Vec::with_capacity(orders.len());
    for order in orders {
        outcomes.push(match order {
            Order::Turn { rows, .. } => Outcome::Kept(gathered.take_turn(rows)),
            Order::Answer { tenant, row, .. } => Outcome::Kept(gathered.take_answer(tenant, row)),
            Order::Claim { tenant, id, .. } => Outcome::Claimed(gathered.claim(db, tenant, id).await?.map(Box::new)),
            Order::Erase { tenant, id, .. } => Outcome::Erased(gathered.erase(db, tenant, id).await?),
            Order::Shelve { row, .. } => Outcome::Shelved(keep_script(db, row).await?),
            Order::Close(_) => Outcome::Closing,
        });
    }
    gathered.write(db).await?;
    Ok(outcomes)
}

impl Order {
    /// Returns the session whose standing must be known beforehand.
    fn session(&self) -> Option<&str> {
        match self {
            Self::Turn { rows, .. } => Some(&rows.session.id),
            Self::Answer { row, .. } => Some(&row.session_id),
            Self::Claim { .. } | Self::Erase { .. } | Self::Shelve { .. } | Self::Close(_) => None,
        }
    }

    /// Returns about how much it writes.
    fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Turn { rows, .. } => rows.bytes(),
            Self::Answer { row, .. } => row.reply.0.len(),
            Self::Shelve { row, .. } => row.body.len(),
            Self::Claim { .. } | Self::Erase { .. } | Self::Close(_) => 0,
        };
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    fn answer(self, outcome: Outcome) {
        match (self, outcome) {
            (Self::Turn { reply, .. } | Self::Answer { reply, .. }, Outcome::Kept(kept)) => {
                tell(reply, kept.map_err(|Stale| StoreError::Stale));
            }
            (Self::Claim { reply, .. }, Outcome::Claimed(row)) => tell(reply, Ok(row)),
            (Self::Erase { reply, .. }, Outcome::Erased(there)) => tell(reply, Ok(there)),
            (Self::Shelve { reply, .. }, Outcome::Shelved(kept)) => tell(reply, Ok(kept)),
            (order, _) => order.refuse(Fault::Closed),
        }
    }

    fn refuse(self, fault: Fault) {
        match self {
            Self::Turn { reply, .. } | Self::Answer { reply, .. } | Self::Close(reply) => {
                tell(reply, Err(fault.into()));
            }
            Self::Claim { reply, .. } => tell(reply, Err(fault.into())),
            Self::Erase { reply, .. } => tell(reply, Err(fault.into())),
            Self::Shelve { reply, .. } => tell(reply, Err(fault.into())),
        }
    }
}

/// Whoever ordered it may be gone; it is done all the same.
fn tell<T>(reply: Reply<T>, result: Result<T, StoreError>) {
    let _gone = reply.send(result).is_err();
}
