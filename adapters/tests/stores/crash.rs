//! Crashes: the process is gone between any two steps, and whoever opens the file next finds whole turns only.

use std::{fs, path::Path};

use steersman_adapters::db::{Creation, SqliteStore};
use steersman_engine::{
    chain,
    ports::{SessionRecords, SessionStore, TurnCommit},
    testkit::Teller,
};
use tokio::runtime::{Builder, Runtime};

use super::folder;

/// The bytes before the first frame of a log, and those of a frame: a header and a page (<https://sqlite.org/fileformat2.html#walformat>).
const LOG_HEADER: usize = 32;
const FRAME: usize = 24 + 4096;
const ALL: usize = 10_000;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

async fn open(file: &Path) -> SqliteStore {
    SqliteStore::open(file, Creation::IfMissing).await.unwrap()
}

fn told(turns: usize) -> Vec<TurnCommit> {
    let mut teller = Teller::new("s1");
    let mut commits = vec![teller.opens()];
    commits.extend((1..turns).map(|n| teller.says(&format!("m{n}"), "and then it went on")));
    commits
}

/// Sees that the first turns are there, whole, and nothing of any other; returns how many.
async fn whole_turns(store: &SqliteStore, turns: &[TurnCommit]) -> usize {
    let (tenant, id) = (&turns[0].tenant, &turns[0].session_id);
    let record = store.load(tenant, id).await.unwrap();
    let kept = record.as_ref().map_or(0, |record| usize::try_from(record.version).unwrap());
    let events: Vec<_> =
        turns[..kept].iter().flat_map(|turn| &turn.events).map(|event| (*event.event).clone()).collect();
    assert_eq!(store.events(tenant, id, 0, ALL).await.unwrap(), events);
    let inputs: Vec<_> = turns[..kept].iter().flat_map(|turn| &turn.journal).cloned().collect();
    assert_eq!(store.journal(tenant, id, 0, ALL).await.unwrap(), inputs);
    if let Some(record) = record {
        assert_eq!(record.state.as_ref(), Some(&turns[kept - 1].snapshot));
        let links = store.chain(tenant, id, 0, ALL).await.unwrap();
        let end = links.iter().fold(chain::ROOT.to_owned(), |previous, link| {
            chain::next(&previous, link.seq, link.turn, &link.payload_digest)
        });
        assert_eq!(end, record.chain);
    }
    for (n, turn) in turns.iter().enumerate() {
        let Some(request) = &turn.request else { continue };
        let stored = store.turn(tenant, id, &request.message).await.unwrap();
        assert_eq!(stored.is_some(), n < kept, "turn {n} of {kept}");
    }
    kept
}

#[test]
fn wherever_the_log_breaks_off_whole_turns_are_there_and_the_session_goes_on() {
    let folder = folder("cut-log");
    let file = folder.join("whole.db");
    let turns = told(6);
    let live = runtime();
    let (database, log) = live.block_on(async {
        let store = open(&file).await;
        for turn in &turns {
            store.commit(turn.clone()).await.unwrap();
        }
        (fs::read(&file).unwrap(), fs::read(folder.join("whole.db-wal")).unwrap())
    });
    drop(live);
    let frames = (log.len() - LOG_HEADER) / FRAME;
    assert!(frames > turns.len(), "{frames} frames");
    let mut seen = Vec::new();
    for frame in 0..=frames {
        for beyond in [0, 13, 24 + 100] {
            let end = (LOG_HEADER + frame * FRAME + beyond).min(log.len());
            let (cut, cut_log) = (folder.join("cut.db"), folder.join("cut.db-wal"));
            fs::write(&cut, &database).unwrap();
            fs::write(&cut_log, &log[..end]).unwrap();
            let _none = fs::remove_file(folder.join("cut.db-shm")).is_ok();
            let kept = runtime().block_on(async {
                let store = open(&cut).await;
                let kept = whole_turns(&store, &turns).await;
                if let Some(next) = turns.get(kept) {
                    store.commit(next.clone()).await.unwrap();
                    assert_eq!(whole_turns(&store, &turns).await, kept + 1);
                }
                store.close().await.unwrap();
                kept
            });
            seen.push(kept);
        }
    }
    assert!(seen.is_sorted(), "a longer log never holds less: {seen:?}");
    seen.dedup();
    assert_eq!(seen, (0..=turns.len()).collect::<Vec<_>>(), "each turn is one step");
}

#[test]
fn a_store_that_was_never_closed_is_whole_when_it_is_opened_again() {
    let file = folder("never-closed").join("steersman.db");
    let turns = told(40);
    for (n, turn) in turns.iter().enumerate() {
        let life = runtime();
        life.block_on(async {
            let store = open(&file).await;
            assert_eq!(whole_turns(&store, &turns).await, n);
            store.commit(turn.clone()).await.unwrap();
        });
        // With its runtime all of the store is gone, as with its process: nothing was closed.
    }
    runtime().block_on(async {
        let store = open(&file).await;
        assert_eq!(whole_turns(&store, &turns).await, turns.len());
    });
}
