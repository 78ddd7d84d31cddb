//! What a database's errors mean to the engine. What they say themselves goes no further: it may hold values or SQL.

use sea_orm::{DbErr, RuntimeErr, SqlxError};
use steersman_engine::ports::StoreError;

/// The result codes of SQLite that mean something of their own (<https://sqlite.org/rescode.html>).
mod code {
    pub(super) const BUSY: i32 = 5;
    pub(super) const READ_ONLY: i32 = 8;
    pub(super) const IO: i32 = 10;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const FULL: i32 = 13;
    pub(super) const CANNOT_OPEN: i32 = 14;
    pub(super) const CONSTRAINT: i32 = 19;
    pub(super) const NOT_A_DATABASE: i32 = 26;
}

/// What went wrong in a database, without a word of what it was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Another connection holds it.
    #[error("the database is busy")]
    Busy,
    /// It may not be written.
    #[error("the database is read-only")]
    ReadOnly,
    /// The disk did not do it.
    #[error("the disk failed")]
    Disk,
    /// It is damaged.
    #[error("the database is damaged")]
    Damaged,
    /// There is no room.
    #[error("the database or the disk is full")]
    Full,
    /// It cannot be opened.
    #[error("the database cannot be opened")]
    CannotOpen,
    /// It is no database.
    #[error("the file is not a database")]
    NotADatabase,
    /// A rule of the schema is broken: rows are there that should not be, or the other way round.
    #[error("a rule of the schema is broken")]
    Constraint,
    /// A row does not hold what it should.
    #[error("a row cannot be read: {0}")]
    Row(&'static str),
    /// No connection was free in time.
    #[error("no connection to the database was free in time")]
    NoConnection,
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
    /// Anything else; SQLite's result code, if it gave one.
    #[error("the database refused, code {}", .0.unwrap_or_default())]
    Other(Option<i32>),
}

impl From<&DbErr> for Fault {
    fn from(error: &DbErr) -> Self {
        match error {
            DbErr::Conn(RuntimeErr::SqlxError(error))
            | DbErr::Exec(RuntimeErr::SqlxError(error))
            | DbErr::Query(RuntimeErr::SqlxError(error)) => of_sqlx(error),
            DbErr::ConnectionAcquire(_) => Self::NoConnection,
            DbErr::TryIntoErr { .. } | DbErr::Type(_) | DbErr::Json(_) => Self::Row("a value has another type"),
            _ => Self::Other(None),
        }
    }
}

impl From<DbErr> for Fault {
    fn from(error: DbErr) -> Self {
        Self::from(&error)
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Full => Self::Full,
            Fault::Damaged | Fault::NotADatabase | Fault::Constraint | Fault::Row(_) => Self::Corrupt(Box::new(fault)),
            Fault::Busy
            | Fault::ReadOnly
            | Fault::Disk
            | Fault::CannotOpen
            | Fault::NoConnection
            | Fault::Closed
            | Fault::Other(_) => Self::Unavailable(Box::new(fault)),
        }
    }
}

fn of_sqlx(error: &SqlxError) -> Fault {
    match error {
        SqlxError::Database(error) => match error.code().and_then(|code| code.parse::<i32>().ok()) {
            Some(extended) => of_code(extended),
            None => Fault::Other(None),
        },
        SqlxError::Io(_) => Fault::Disk,
        SqlxError::PoolTimedOut => Fault::NoConnection,
        SqlxError::PoolClosed | SqlxError::WorkerCrashed => Fault::Closed,
        SqlxError::ColumnDecode { .. } | SqlxError::Decode(_) => Fault::Row("a value has another type"),
        _ => Fault::Other(None),
    }
}

/// The low byte of an extended code is the plain one.
const fn of_code(extended: i32) -> Fault {
    match extended & 0xff {
        code::BUSY => Fault::Busy,
        code::READ_ONLY => Fault::ReadOnly,
        code::IO => Fault::Disk,
        code::CORRUPT => Fault::Damaged,
        code::FULL => Fault::Full,
        code::CANNOT_OPEN => Fault::CannotOpen,
        code::CONSTRAINT => Fault::Constraint,
        code::NOT_A_DATABASE => Fault::NotADatabase,
        _ => Fault::Other(Some(extended)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_error_gets_its_own_answer() {
        let kind = |code| match StoreError::from(of_code(code)) {
            StoreError::Stale => "stale",
            StoreError::Full => "full",
            StoreError::Corrupt(_) => "corrupt",
            StoreError::Unavailable(_) => "unavailable",
        };
        let table = [
            (13, "full"),
            (11, "corrupt"),
            (26, "corrupt"),
            (1555, "corrupt"), // SQLITE_CONSTRAINT_PRIMARYKEY
            (5, "unavailable"),
            (261, "unavailable"), // SQLITE_BUSY_RECOVERY
            (8, "unavailable"),
            (778, "unavailable"), // SQLITE_IOERR_WRITE
            (1, "unavailable"),
        ];
        for (code, expected) in table {
            assert_eq!(kind(code), expected, "{code}");
        }
    }

    #[test]
    fn what_the_database_says_itself_goes_no_further() {
        let said = SqlxError::Protocol("SELECT secret FROM /var/lib/steersman.db".to_owned());
        let error = StoreError::from(Fault::from(DbErr::Query(RuntimeErr::SqlxError(said.into()))));
        let told = format!("{error} {error:?} {}", std::error::Error::source(&error).expect("the fault"));
        assert!(!told.contains("SELECT") && !told.contains("steersman.db"), "{told}");
    }
}
