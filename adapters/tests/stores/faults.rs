//! Rows that are not what they should be: one damaged session stops no other, and none is taken for whole.

use std::path::Path;

use sea_orm::{ConnectionTrait, Database};
use steersman_adapters::db::{Creation, SqliteStore};
use steersman_engine::{
    ports::{SessionRecords, SessionStore, StoreError},
    testkit::{Teller, store_contract::all_at_once},
};

use super::folder;

const ALL: usize = 10_000;

/// Changes rows beside the store, as somebody with a tool would.
async fn tamper(file: &Path, statement: &str) {
    let db = Database::connect(format!("sqlite://{}", file.display())).await.unwrap();
    assert!(db.execute_unprepared(statement).await.unwrap().rows_affected() > 0, "{statement}");
    db.close().await.unwrap();
}

#[tokio::test]
async fn a_session_that_cannot_be_kept_stops_no_other() {
    let file = folder("poison").join("steersman.db");
    let store = SqliteStore::open(&file, Creation::IfMissing).await.unwrap();
    let mut tellers: Vec<Teller> = (0..8).map(|n| Teller::new(&format!("s{n}"))).collect();
    for teller in &mut tellers {
        store.commit(teller.opens()).await.unwrap();
    }
    let turns: Vec<_> = tellers.iter_mut().map(|teller| teller.says("m1", "hello")).collect();
    // An event stands where the next one of s3 belongs.
    let taken = turns[3].events[0].event.seq;
    let copy = format!(
        "INSERT INTO event SELECT session_id, {taken}, turn, type, payload, payload_digest, prev_hash, hash \
         FROM event WHERE session_id = 's3' AND seq = 1"
    );
    tamper(&file, &copy).await;
    let results = all_at_once(turns.into_iter().map(|turn| store.commit(turn))).await;
    for (n, result) in results.iter().enumerate() {
        match result {
            Err(StoreError::Corrupt(_)) => assert_eq!(n, 3),
            Ok(()) => assert_ne!(n, 3),
            Err(error) => panic!("{n}: {error}"),
        }
    }
    for teller in &tellers {
        let record = store.load(&teller.tenant, &teller.id).await.unwrap().unwrap();
        assert_eq!(record.version, if teller.id.as_str() == "s3" { 1 } else { 2 });
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_a_snapshot_that_cannot_is_not_there() {
    let file = folder("unread").join("steersman.db");
    let store = SqliteStore::open(&file, Creation::IfMissing).await.unwrap();
    let mut teller = Teller::new("s1");
    store.commit(teller.opens()).await.unwrap();
    let (tenant, id) = (teller.tenant.clone(), teller.id.clone());

    tamper(&file, "UPDATE session SET state = substr(state, 1, 100)").await;
    let record = store.load(&tenant, &id).await.unwrap().unwrap();
    assert!(record.state.is_none(), "the journal may still be read");
    assert!(!store.journal(&tenant, &id, 0, ALL).await.unwrap().is_empty());

    tamper(&file, "UPDATE event SET payload = 'gibberish with words' WHERE seq = 2").await;
    let error = store.events(&tenant, &id, 0, ALL).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    let told = format!("{error} {error:?} {:?}", std::error::Error::source(&error));
    assert!(!told.contains("gibberish"), "{told}");
    assert_eq!(store.events(&tenant, &id, 0, 1).await.unwrap().len(), 1, "what is before it can be read");
    assert!(store.chain(&tenant, &id, 0, ALL).await.is_ok(), "the chain can be walked all the same");

    tamper(&file, "UPDATE session SET version = 'many'").await;
    let error = store.load(&tenant, &id).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
}
