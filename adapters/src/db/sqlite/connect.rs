//! Opens the connections to one file: the one that writes, the one that checkpoints, those that read.

use std::time::Duration;

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use sea_orm_migration::MigratorTrait;

use super::place::{OpenError, Place};
use crate::db::{
    fault::Fault,
    migration::{self, Migrator, SchemaFound},
};

/// How long a connection waits for another one. Only a checkpoint at the end or a reader's first look at a log that was
/// left behind can make it wait.
const BUSY: Duration = Duration::from_secs(5);
/// How long a reader waits for a free connection before it is told that there is none.
const ACQUIRE: Duration = Duration::from_secs(10);
/// The readers at a time: reads are short, and each connection is a thread.
const READERS: u32 = 4;
/// The statements that stay prepared: one for each number of rows in each table (see `statements::ROWS`).
const STATEMENTS: usize = 512;

/// Opens the one connection that writes; makes the file and brings its schema up to date.
pub(super) async fn writer(place: &Place) -> Result<DatabaseConnection, OpenError> {
    let options = options(place)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", "0")
        .pragma("secure_delete", "FAST");
    let db = open(place, options, 1).await?;
    match schema(&db).await.map_err(|fault| place.fault(fault))? {
        Some(found) => place.accept(found)?,
        None if is_empty(&db).await.map_err(|fault| place.fault(fault))? => {}
        None => return Err(OpenError::Foreign(place.file().to_owned())),
    }
    Migrator::up(&db, None).await.map_err(|error| place.fault(error.into()))?;
    Ok(db)
}

/// Opens the connection that moves what was committed from the log into the file.
pub(super) async fn checkpointer(place: &Place) -> Result<DatabaseConnection, OpenError> {
    open(place, options(place).synchronous(SqliteSynchronous::Full).pragma("wal_autocheckpoint", "0"), 1).await
}

/// Opens the connections that read beside this process's writer.
pub(super) async fn readers(place: &Place) -> Result<DatabaseConnection, OpenError> {
    open(place, options(place).read_only(true), READERS).await
}

/// Opens one connection that reads, whoever writes. Makes no file: without a log nobody writes, and the file is read as
/// it stands.
pub(super) async fn reader(place: &Place) -> Result<DatabaseConnection, OpenError> {
    if !place.exists() {
        return Err(OpenError::Missing(place.file().to_owned()));
    }
    let db = open(place, options(place).read_only(true).immutable(!place.has_log()), 1).await?;
    let known = migration::known();
    match schema(&db).await.map_err(|fault| place.fault(fault))? {
        Some(SchemaFound::Older(found)) => Err(OpenError::Older { file: place.file().to_owned(), found, known }),
        Some(found) => place.accept(found).map(|()| db),
        None => Err(OpenError::Foreign(place.file().to_owned())),
    }
}

impl Place {
    /// Refuses what no migration of this build leads to the schema that it knows.
    fn accept(&self, found: SchemaFound) -> Result<(), OpenError> {
        let file = self.file().to_owned();
        match found {
            SchemaFound::Current | SchemaFound::Older(_) => Ok(()),
            SchemaFound::Newer(found) => Err(OpenError::Newer { file, found, known: migration::known() }),
            SchemaFound::Foreign => Err(OpenError::Foreign(file)),
        }
    }
}

fn options(place: &Place) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(place.file())
        .create_if_missing(false)
        .busy_timeout(BUSY)
        .foreign_keys(true)
        .statement_cache_capacity(STATEMENTS)
}

async fn open(place: &Place, sqlite: SqliteConnectOptions, connections: u32) -> Result<DatabaseConnection, OpenError> {
    use sea_orm::sqlx::ConnectOptions as _;
    let sqlite = sqlite.disable_statement_logging();
    let mut options = ConnectOptions::new("sqlite:");
    options
        .max_connections(connections)
        .acquire_timeout(ACQUIRE)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |_default| sqlite.clone());
    let opened: Result<_, DbErr> = Database::connect(options).await;
    opened.map_err(|error| place.fault(Fault::from(error)))
}

/// Looks at the schema; `None` if there is no table of steps.
async fn schema(db: &DatabaseConnection) -> Result<Option<SchemaFound>, Fault> {
    if count(db, "SELECT count(*) FROM sqlite_master WHERE name = 'seaql_migrations'").await? == 0 {
        return Ok(None);
    }
    Ok(Some(migration::look(db).await?))
}

async fn is_empty(db: &DatabaseConnection) -> Result<bool, Fault> {
    Ok(count(db, "SELECT count(*) FROM sqlite_master").await? == 0)
}

async fn count(db: &DatabaseConnection, sql: &str) -> Result<i64, Fault> {
    let statement = sea_orm::Statement::from_string(sea_orm::DbBackend::Sqlite, sql);
    let row = db.query_one_raw(statement).await?.ok_or(Fault::Other(None))?;
    Ok(row.try_get_by_index(0)?)
}
