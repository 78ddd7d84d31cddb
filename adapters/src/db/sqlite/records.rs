//! Reads the file: beside the writer of this process, or beside whoever has it.

use std::{fmt, path::Path};

use async_trait::async_trait;
use sea_orm::DatabaseConnection;
use steersman_domain::{
    id::{ScriptId, SessionId},
    session::{JournalEntry, SessionEvent},
};
use steersman_engine::{
    TenantId,
    ports::{
        ChainLink, ScriptEntry, ScriptShelf, SessionFilter, SessionRecord, SessionRecords, SessionSummary, ShelfError,
        ShelvedScript, StoreError,
    },
};

use super::{
    connect,
    place::{OpenError, Place},
};
use crate::db::{fault::Fault, read};

/// Sessions in one SQLite file, to be read only.
#[derive(Clone)]
pub struct SqliteRecords {
    db: DatabaseConnection,
}

impl SqliteRecords {
    /// Opens the file to read it, also beside another process that writes it. Makes and changes nothing.
    ///
    /// # Errors
    ///
    /// [`OpenError`], which names the file.
    pub async fn open(file: &Path) -> Result<Self, OpenError> {
        Ok(Self { db: connect::reader(&Place::of(file)?).await? })
    }

    pub(super) async fn beside_writer(place: &Place) -> Result<Self, OpenError> {
        Ok(Self { db: connect::readers(place).await? })
    }

    pub(super) fn connection(&self) -> DatabaseConnection {
        self.db.clone()
    }

    pub(super) const fn connection_ref(&self) -> &DatabaseConnection {
        &self.db
    }
}

impl fmt::Debug for SqliteRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqliteRecords")
    }
}

#[async_trait]
impl SessionRecords for SqliteRecords {
    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(read::load(&self.db, tenant, id).await?)
    }

    async fn list(
        &self,
        tenant: &TenantId,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        Ok(read::list(&self.db, tenant, filter, limit).await?)
    }

    async fn events(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        Ok(read::events(&self.db, tenant, id, after_seq, limit).await?)
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        Ok(read::journal(&self.db, tenant, id, after, limit).await?)
    }

    async fn chain(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<ChainLink>, StoreError> {
        Ok(read::chain(&self.db, tenant, id, after_seq, limit).await?)
    }
}

#[async_trait]
impl ScriptShelf for SqliteRecords {
    /// Keeps nothing: this side only reads.
    async fn keep(&self, _script: ShelvedScript) -> Result<(), ShelfError> {
        Err(StoreError::from(Fault::ReadOnly).into())
    }

    async fn text(&self, digest: &str) -> Result<Option<ShelvedScript>, ShelfError> {
        Ok(read::script(&self.db, digest).await.map_err(StoreError::from)?)
    }

    async fn published(&self, id: &ScriptId, version: Option<&str>) -> Result<Option<ShelvedScript>, ShelfError> {
        Ok(read::published(&self.db, id, version).await.map_err(StoreError::from)?)
    }

    async fn list(&self, after: Option<&(ScriptId, String)>, limit: usize) -> Result<Vec<ScriptEntry>, ShelfError> {
        Ok(read::scripts(&self.db, after, limit).await.map_err(StoreError::from)?)
    }
}
