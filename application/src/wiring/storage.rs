//! Where sessions are kept: in memory, or in a database that is named by an address.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use steersman_adapters::{
    db::{Creation, OpenError, SqliteRecords, SqliteStore},
    host::SystemClock,
    scripts::Library,
};
use steersman_engine::{
    ReadingRoom,
    memory::MemoryStore,
    ports::{Clock, ScriptShelf, SessionRecords, SessionStore},
};

use crate::failure::Failure;

/// Where `serve`, `session` and `replay` look unless they are told.
pub(crate) const DEFAULT: &str = "sqlite://steersman.db";
const MEMORY: &str = "memory";
const SQLITE: [&str; 2] = ["sqlite://", "sqlite:"];

/// The address of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Database {
    /// The process keeps everything and forgets it.
    Memory,
    /// A file.
    Sqlite(PathBuf),
}

/// Where sessions and scripts are kept.
#[derive(Debug, Clone)]
pub(crate) struct Storage {
    pub(crate) sessions: Arc<dyn SessionStore>,
    pub(crate) records: Arc<dyn SessionRecords>,
    pub(crate) shelf: Arc<dyn ScriptShelf>,
    /// Must be given back at the end.
    file: Option<Arc<SqliteStore>>,
}

impl Storage {
    /// Opens the database to read and write. Must be called within a runtime.
    pub(crate) async fn open(database: &Database, creation: Creation) -> Result<Self, Failure> {
        match database {
            Database::Memory => {
                let store = Arc::new(MemoryStore::default());
                Ok(Self {
                    sessions: Arc::clone(&store) as _,
                    records: Arc::clone(&store) as _,
                    shelf: store,
                    file: None,
                })
            }
            Database::Sqlite(file) => {
                let store = Arc::new(SqliteStore::open(file, creation).await?);
                Ok(Self {
                    sessions: Arc::clone(&store) as _,
                    records: Arc::clone(&store) as _,
                    shelf: Arc::clone(&store) as _,
                    file: Some(store),
                })
            }
        }
    }

    /// Waits until all is kept, and gives the database back.
    pub(crate) async fn close(&self) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        file.close().await.map_err(|error| Failure::Environment(format!("the database was not closed tidily: {error}")))
    }
}

/// What is read of a database, also beside a process that writes it.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) sessions: Arc<dyn SessionRecords>,
    pub(crate) archive: ReadingRoom,
}

impl Records {
    /// Opens the database to read it only.
    pub(crate) async fn open(database: &Database) -> Result<Self, Failure> {
        let file = match database {
            Database::Sqlite(file) => file,
            Database::Memory => {
                return Err(Failure::Usage(
                    "sessions in memory are gone with their process; name a database".to_owned(),
                ));
            }
        };
        let records = Arc::new(SqliteRecords::open(file).await?);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let library = Library::new(Arc::clone(&records) as _, Arc::clone(&clock));
        let archive = ReadingRoom::new(Arc::clone(&records) as _, Arc::new(library), clock);
        Ok(Self { sessions: records, archive })
    }
}

impl FromStr for Database {
    type Err = String;

    fn from_str(address: &str) -> Result<Self, Self::Err> {
        if address == MEMORY {
            return Ok(Self::Memory);
        }
        let Some(file) = SQLITE.into_iter().find_map(|scheme| address.strip_prefix(scheme)) else {
            return Err(match address.split_once(':') {
                Some(("postgres" | "postgresql", _)) => {
                    "this build keeps sessions in SQLite; write sqlite://FILE, or memory".to_owned()
                }
                Some(_) | None => "write sqlite://FILE, or memory".to_owned(),
            });
        };
        if file.is_empty() || file.contains([':', '?']) {
            return Err("write sqlite:// and the name of a file, with nothing behind it".to_owned());
        }
        Ok(Self::Sqlite(Path::new(file).to_owned()))
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str(MEMORY),
            Self::Sqlite(file) => write!(f, "{}{}", SQLITE[0], file.display()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Failed { .. } => Self::Environment(error.to_string()),
            OpenError::Missing(_)
            | OpenError::NoFolder(_)
            | OpenError::Folder(_)
            | OpenError::ReadOnly(_)
            | OpenError::Locked(_)
            | OpenError::Foreign(_)
            | OpenError::Newer { .. }
            | OpenError::Older { .. } => Self::Usage(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_memory_or_a_file() {
        let table = [
            ("memory", Ok(Database::Memory)),
            ("sqlite://steersman.db", Ok(Database::Sqlite("steersman.db".into()))),
            ("sqlite:///var/lib/a b.db", Ok(Database::Sqlite("/var/lib/a b.db".into()))),
            ("sqlite:dir/steersman.db", Ok(Database::Sqlite("dir/steersman.db".into()))),
            ("sqlite://", Err("write sqlite:// and the name of a file, with nothing behind it")),
            ("sqlite::memory:", Err("write sqlite:// and the name of a file, with nothing behind it")),
            ("sqlite://a.db?mode=rwc", Err("write sqlite:// and the name of a file, with nothing behind it")),
            ("postgres://box/db", Err("this build keeps sessions in SQLite; write sqlite://FILE, or memory")),
            ("steersman.db", Err("write sqlite://FILE, or memory")),
        ];
        for (address, expected) in table {
            assert_eq!(address.parse(), expected.map_err(str::to_owned), "{address}");
        }
    }
}
