//! Keeps sessions in one SQLite file.
//!
//! One task writes, and commits many turns at once; readers have connections of their own and never wait for it. A lock
//! beside the file, which the kernel gives back whatever becomes of the process, stops a second writer. Records are read
//! without that lock, beside a running writer, and without a single file being made.

mod checkpoint;
mod connect;
mod place;
mod records;
mod writer;

pub use place::{Creation, OpenError};
pub use records::SqliteRecords;

use std::{fmt, fs::File, path::Path};

use async_trait::async_trait;
use sea_orm::DatabaseConnection;
use steersman_domain::{
    id::{ScriptId, SessionId, SubjectId},
    session::{JournalEntry, SessionEvent},
};
use steersman_engine::{
    TenantId,
    ports::{
        ChainLink, KeptAnswer, MessageId, ScriptEntry, ScriptShelf, SessionFilter, SessionRecord, SessionRecords,
        SessionStore, SessionSummary, ShelfError, ShelvedScript, StoreError, StoredTurn, SubjectRecord, TurnCommit,
    },
};
use tokio::sync::{mpsc, oneshot};

use self::{
    place::Place,
    writer::{Order, Reply, Writer},
};
use super::{fault::Fault, read, rows, write::PublishedOtherwise};

/// The orders that may wait for the writer. More than all sessions of a busy server have under way at once; beyond that,
/// those who give orders wait.
const ORDERS: usize = 1024;

/// Sessions in one SQLite file, to be read and written.
pub struct SqliteStore {
    records: SqliteRecords,
    orders: mpsc::Sender<Order>,
}

impl SqliteStore {
    /// Opens the file for this process alone, and brings its schema up to date. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// [`OpenError`], which names the file.
    pub async fn open(file: &Path, creation: Creation) -> Result<Self, OpenError> {
        let place = Place::of(file)?;
        let lock = place.lock(creation)?;
        let writer = connect::writer(&place).await?;
        Self::assemble(&place, lock, writer).await
    }

    async fn assemble(place: &Place, lock: File, writer: DatabaseConnection) -> Result<Self, OpenError> {
        let records = SqliteRecords::beside_writer(place).await?;
        let checkpoints = connect::checkpointer(place).await?;
        let (orders, received) = mpsc::channel(ORDERS);
        let writer = Writer::new(writer, checkpoints, records.connection(), lock);
        tokio::spawn(writer.run(received));
        Ok(Self { records, orders })
    }

    /// Returns what reads the file.
    pub const fn records(&self) -> &SqliteRecords {
        &self.records
    }

    /// Waits until all that was ordered is kept, tidies the file up and gives it back. Later calls are refused.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] if the file could not be tidied up; nothing that was kept is lost.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.order(Order::Close).await
    }

    /// Gives the writer an order and waits for its answer.
    async fn order<T>(&self, order: impl FnOnce(Reply<T>) -> Order + Send) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.orders.send(order(reply)).await.map_err(|_closed| StoreError::from(Fault::Closed))?;
        answer.await.unwrap_or_else(|_gone| Err(Fault::Closed.into()))
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqliteStore")
    }
}

#[async_trait]
impl SessionStore for SqliteStore {
    async fn claim(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let (tenant, id) = (tenant.to_string(), id.as_str().to_owned());
        let row = self.order(|reply| Order::Claim { tenant, id, reply }).await?;
        Ok(row.map_or(Ok(None), |row| rows::record(*row))?)
    }

    async fn commit(&self, turn: TurnCommit) -> Result<(), StoreError> {
        let rows = Box::new(rows::TurnRows::from(turn));
        self.order(|reply| Order::Turn { rows, reply }).await
    }

    async fn turn(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Option<StoredTurn>, StoreError> {
        Ok(read::turn(self.records.connection_ref(), tenant, id, message).await?)
    }

    async fn keep_answer(&self, answer: KeptAnswer) -> Result<(), StoreError> {
        let tenant = answer.tenant.to_string();
        let row = Box::new(answer.into());
        self.order(|reply| Order::Answer { tenant, row, reply }).await
    }

    async fn kept_answers(&self, tenant: &TenantId, id: &SessionId, turn: u32) -> Result<Vec<KeptAnswer>, StoreError> {
        Ok(read::kept_answers(self.records.connection_ref(), tenant, id, turn).await?)
    }

    async fn subject(&self, tenant: &TenantId, subject: &SubjectId) -> Result<SubjectRecord, StoreError> {
        Ok(read::subject(self.records.connection_ref(), tenant, subject).await?)
    }

    async fn erase(&self, tenant: &TenantId, id: &SessionId) -> Result<bool, StoreError> {
        let (tenant, id) = (tenant.to_string(), id.as_str().to_owned());
        self.order(|reply| Order::Erase { tenant, id, reply }).await
    }
}

#[async_trait]
impl SessionRecords for SqliteStore {
    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        self.records.load(tenant, id).await
    }

    async fn list(
        &self,
        tenant: &TenantId,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        SessionRecords::list(&self.records, tenant, filter, limit).await
    }

    async fn events(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        self.records.events(tenant, id, after_seq, limit).await
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        self.records.journal(tenant, id, after, limit).await
    }

    async fn chain(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<ChainLink>, StoreError> {
        self.records.chain(tenant, id, after_seq, limit).await
    }
}

#[async_trait]
impl ScriptShelf for SqliteStore {
    async fn keep(&self, script: ShelvedScript) -> Result<(), ShelfError> {
        let row = Box::new(script.into());
        let kept = self.order(|reply| Order::Shelve { row, reply }).await?;
        kept.map_err(|PublishedOtherwise| ShelfError::Published)
    }

    async fn text(&self, digest: &str) -> Result<Option<ShelvedScript>, ShelfError> {
        self.records.text(digest).await
    }

    async fn published(&self, id: &ScriptId, version: Option<&str>) -> Result<Option<ShelvedScript>, ShelfError> {
        self.records.published(id, version).await
    }

    async fn list(&self, after: Option<&(ScriptId, String)>, limit: usize) -> Result<Vec<ScriptEntry>, ShelfError> {
        ScriptShelf::list(&self.records, after, limit).await
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::ConnectionTrait;
    use steersman_engine::testkit::Teller;

    use super::*;

    #[tokio::test]
    async fn a_full_disk_refuses_the_turn_and_the_next_try_after_room_was_made_keeps_it() {
        let folder = std::env::temp_dir().join(format!("steersman-full-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let place = Place::of(&folder.join("full.db")).unwrap();
        let lock = place.lock(Creation::IfMissing).unwrap();
        let writer = connect::writer(&place).await.unwrap();
        let disk = writer.clone();
        let store = SqliteStore::assemble(&place, lock, writer).await.unwrap();
        let mut teller = Teller::new("s1");
        store.commit(teller.opens()).await.unwrap();
        // SQLite answers to its own limit as it does to a disk without room.
        disk.execute_unprepared("PRAGMA max_page_count = 1").await.unwrap();
        let mut refused = None;
        for n in 1..=1_000 {
            let turn = teller.says(&format!("m{n}"), "hello");
            match store.commit(turn.clone()).await {
                Ok(()) => {}
                Err(error) => {
                    assert!(matches!(error, StoreError::Full), "{error:?}");
                    refused = Some(turn);
                    break;
                }
            }
        }
        let refused = refused.unwrap();
        let (tenant, id) = (refused.tenant.clone(), refused.session_id.clone());
        let kept = store.load(&tenant, &id).await.unwrap().unwrap();
        assert_eq!(kept.version, refused.expected_version, "nothing of the turn was kept");
        disk.execute_unprepared("PRAGMA max_page_count = 100000").await.unwrap();
        store.commit(refused).await.unwrap();
        assert_eq!(store.load(&tenant, &id).await.unwrap().unwrap().version, kept.version + 1);
        store.close().await.unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
