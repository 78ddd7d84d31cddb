//! The floor: the rows of turns that the engine has kept, written again by the bare library.

use std::path::Path;

use divan::{Bencher, counter::ItemsCount};
use rusqlite::{Connection, params};
use steersman_domain::id::SessionId;

use crate::house::{House, fresh};

/// Writes turns as the bare library would: prepared statements, one transaction, one sync. The rows are those of turns
/// that the engine has kept.
pub(crate) fn floor(bencher: Bencher<'_, '_>, name: &str, sessions: usize) {
    let house = House::open(&format!("{name}-rows"));
    let ids: Vec<SessionId> = (0..sessions).map(|_| house.session()).collect();
    (0..30).for_each(|_| house.turns(&ids));
    let rows = Rows::of(&house.leave(), &ids);
    let db = bare(&fresh(name), &rows);
    let mut turn = 0;
    bencher.counter(ItemsCount::new(sessions)).bench_local(|| {
        turn += 1;
        rows.write(&db, turn);
    });
}

/// The rows of the last turn of each session.
struct Rows {
    schema: Vec<String>,
    sessions: Vec<(String, String)>,
    events: Vec<(String, String, String, String)>,
    journal: Vec<(String, String)>,
    turns: Vec<(String, String, String)>,
}

impl Rows {
    fn of(file: &Path, ids: &[SessionId]) -> Self {
        let db = Connection::open(file).expect("it opens");
        let schema = list(&db, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'");
        let (mut sessions, mut events, mut journal, mut turns) = (vec![], vec![], vec![], vec![]);
        for id in ids {
            let id = id.as_str();
            let one = |sql: &str| -> String { db.query_row(sql, [id], |row| row.get(0)).expect("a row") };
            sessions.push((id.to_owned(), one("SELECT state FROM session WHERE id = ?")));
            let last =
                "FROM event WHERE session_id = ?1 AND turn = (SELECT max(turn) FROM event WHERE session_id = ?1)";
            let mut query = db.prepare(&format!("SELECT type, payload, payload_digest {last}")).expect("it is right");
            let rows = query.query_map([id], |row| Ok((id.to_owned(), row.get(0)?, row.get(1)?, row.get(2)?)));
            events.extend(rows.expect("they read").map(|row| row.expect("a row")));
            let mut query = db
                .prepare("SELECT input FROM journal WHERE session_id = ? ORDER BY n DESC LIMIT 2")
                .expect("it is right");
            let rows = query.query_map([id], |row| Ok((id.to_owned(), row.get(0)?)));
            journal.extend(rows.expect("they read").map(|row| row.expect("a row")));
            turns.push((
                id.to_owned(),
                one("SELECT request_hash FROM turn WHERE session_id = ? LIMIT 1"),
                one("SELECT result FROM turn WHERE session_id = ? LIMIT 1"),
            ));
        }
        Self { schema, sessions, events, journal, turns }
    }

    fn write(&self, db: &Connection, turn: i64) {
        db.execute_batch("BEGIN IMMEDIATE").expect("it begins");
        let mut update = db
            .prepare_cached("UPDATE session SET version = version + 1, turns = ?2, last_input = ?2, chain = ?3, updated_at = ?2, state = ?4 WHERE id = ?1 AND version = ?2")
            .expect("it is right");
        for (id, state) in &self.sessions {
            let digest = &self.events[0].3;
            assert_eq!(update.execute(params![id, turn, digest, state]).expect("it is kept"), 1);
        }
        let mut insert = db.prepare_cached("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)").expect("it is right");
        for (n, (id, kind, payload, digest)) in (0_i64..).zip(&self.events) {
            let seq = turn * 10_000 + n;
            insert.execute(params![id, seq, turn, kind, payload, digest, digest, digest]).expect("it is kept");
        }
        let mut insert = db.prepare_cached("INSERT INTO journal VALUES (?, ?, ?)").expect("it is right");
        for (n, (id, input)) in (0_i64..).zip(&self.journal) {
            insert.execute(params![id, turn * 1_000 + n, input]).expect("it is kept");
        }
        let mut insert = db.prepare_cached("INSERT INTO turn VALUES (?, ?, ?, ?)").expect("it is right");
        for (id, digest, result) in &self.turns {
            insert.execute(params![id, format!("m{turn}"), digest, result]).expect("it is kept");
        }
        db.execute_batch("COMMIT").expect("it is kept");
    }
}

fn bare(file: &Path, rows: &Rows) -> Connection {
    let db = Connection::open(file).expect("it opens");
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
        .expect("it takes them");
    for sql in &rows.schema {
        db.execute_batch(sql).expect("the schema");
    }
    for (id, state) in &rows.sessions {
        db.execute(
            "INSERT INTO session (id, kind, tenant, script_id, script_version, script_digest, version, owner_epoch, status, \
             route, turns, last_input, chain, created_at, updated_at, state) \
             VALUES (?1, 'session', 'local', 'bench', '1', '', 1, 1, 'waiting_input', 'low', 0, 0, '', 0, 0, ?2)",
            params![id, state],
        )
        .expect("it is kept");
    }
    db
}

fn list(db: &Connection, sql: &str) -> Vec<String> {
    let mut query = db.prepare(sql).expect("it is right");
    query.query_map([], |row| row.get(0)).expect("they read").map(|row| row.expect("a row")).collect()
}
