//! Keeps sessions in a database, with no SQL of our own but pragmas.
//!
//! When the database fails, nothing of the turn is kept, the caller is told which kind of failure it was, and the next
//! turn tries again: no connection is given up for good. What a database says in an error stays here, for it may hold
//! values. Rows are mapped in one place and are seen nowhere else.

#[expect(unreachable_pub, reason = "the derive makes public items of a row's neighbours")]
mod entity;
mod fault;
mod migration;
mod read;
mod rows;
pub mod sqlite;
mod statements;
mod write;

pub use fault::Fault;
pub use sqlite::{Creation, OpenError, SqliteRecords, SqliteStore};
