//! What can be wrong with a file, who may have it, and what is left in it.

use std::{fs, path::Path};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use steersman_adapters::db::{Creation, OpenError, SqliteRecords, SqliteStore};
use steersman_domain::clock::Timestamp;
use steersman_engine::{
    Principal,
    ports::{ScriptShelf, SessionFilter, SessionRecords, SessionStore, ShelfError, StoreError},
    testkit::Teller,
};

use super::folder;

async fn made(file: &Path) -> SqliteStore {
    SqliteStore::open(file, Creation::IfMissing).await.unwrap()
}

async fn sql(file: &Path, statement: &str) -> DatabaseConnection {
    let db = Database::connect(format!("sqlite://{}?mode=rwc", file.display())).await.unwrap();
    db.execute_unprepared(statement).await.unwrap();
    db
}

fn told(error: &OpenError, folder: &Path) -> String {
    error
        .to_string()
        .replace(folder.canonicalize().unwrap().to_str().unwrap(), "DIR")
        .replace(folder.to_str().unwrap(), "DIR")
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn what_is_wrong_with_a_file_is_told_with_what_to_do() {
    let folder = folder("wrong");
    fs::write(
        folder.join("notes.txt"),
        "this is no database, but it is long enough to be looked at as if it were one. ".repeat(50),
    )
    .unwrap();
    sql(&folder.join("other.db"), "CREATE TABLE birds (name TEXT)").await.close().await.unwrap();
    made(&folder.join("read-only.db")).await.close().await.unwrap();
    let mut permissions = fs::metadata(folder.join("read-only.db")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(folder.join("read-only.db"), permissions).unwrap();
    made(&folder.join("newer.db")).await.close().await.unwrap();
    let step = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m0007_later', 0)";
    sql(&folder.join("newer.db"), step).await.close().await.unwrap();
    made(&folder.join("stranger.db")).await.close().await.unwrap();
    let step = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('20240101_000001_init', 0)";
    sql(&folder.join("stranger.db"), step).await.close().await.unwrap();
    let _open = made(&folder.join("locked.db")).await;

    let table = [
        (".", Creation::IfMissing, "the database DIR/. is a folder; name a file"),
        ("missing.db", Creation::Never, "there is no database DIR/missing.db; `play --db` and `serve` make one"),
        ("no/where.db", Creation::IfMissing, "there is no folder for the database DIR/no/where.db; make it first"),
        ("notes.txt", Creation::IfMissing, "the file DIR/notes.txt is not a database of Steersman; name another file"),
        ("other.db", Creation::IfMissing, "the file DIR/other.db is not a database of Steersman; name another file"),
        (
            "stranger.db",
            Creation::IfMissing,
            "the file DIR/stranger.db is not a database of Steersman; name another file",
        ),
        (
            "read-only.db",
            Creation::IfMissing,
            "the database DIR/read-only.db is read-only; let this user write the file and its folder",
        ),
        (
            "newer.db",
            Creation::IfMissing,
            "the database DIR/newer.db has schema 7; this build knows schemas up to 1: use a newer build, or another file",
        ),
        (
            "locked.db",
            Creation::IfMissing,
            "the database DIR/locked.db is in use by another process; stop that one, or use another file",
        ),
    ];
    for (name, creation, expected) in table {
        let error = SqliteStore::open(&folder.join(name), creation).await.expect_err(name);
        assert_eq!(told(&error, &folder), expected);
    }
    assert!(!folder.join("missing.db").exists());
    assert_eq!(files(&folder).iter().filter(|name| name.starts_with("missing")).count(), 0);
}

#[tokio::test]
async fn whoever_only_reads_is_told_the_same() {
    let folder = folder("wrong-to-read");
    fs::write(folder.join("notes.txt"), "this is no database. ".repeat(99)).unwrap();
    fs::write(folder.join("empty.db"), "").unwrap();
    made(&folder.join("newer.db")).await.close().await.unwrap();
    let step = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m0007_later', 0)";
    sql(&folder.join("newer.db"), step).await.close().await.unwrap();
    let table = [
        ("missing.db", "there is no database DIR/missing.db; `play --db` and `serve` make one"),
        ("notes.txt", "the file DIR/notes.txt is not a database of Steersman; name another file"),
        ("empty.db", "the file DIR/empty.db is not a database of Steersman; name another file"),
        (
            "newer.db",
            "the database DIR/newer.db has schema 7; this build knows schemas up to 1: use a newer build, or another file",
        ),
    ];
    let before = files(&folder);
    for (name, expected) in table {
        let error = SqliteRecords::open(&folder.join(name)).await.expect_err(name);
        assert_eq!(told(&error, &folder), expected);
    }
    assert_eq!(files(&folder), before);
}

#[tokio::test]
async fn one_file_under_two_names_has_one_writer() {
    let folder = folder("two-names");
    let store = made(&folder.join("one.db")).await;
    std::os::unix::fs::symlink(folder.join("one.db"), folder.join("other.db")).unwrap();
    let second = SqliteStore::open(&folder.join("other.db"), Creation::IfMissing).await;
    assert!(matches!(second, Err(OpenError::Locked(_))), "{second:?}");
    store.close().await.unwrap();
    made(&folder.join("other.db")).await.close().await.unwrap();
}

#[tokio::test]
async fn records_are_read_beside_a_writer_and_after_it_without_making_a_file() {
    let folder = folder("beside");
    let file = folder.join("steersman.db");
    let store = made(&file).await;
    let mut teller = Teller::new("s1");
    store.commit(teller.opens()).await.unwrap();
    let beside = SqliteRecords::open(&file).await.unwrap();
    for n in 1..=3 {
        store.commit(teller.says(&format!("m{n}"), "hello")).await.unwrap();
        let record = beside.load(&teller.tenant, &teller.id).await.unwrap().unwrap();
        assert_eq!(record.version, n + 1, "what was committed is seen at once");
    }
    let refused = ScriptShelf::list(&beside, None, 1).await;
    assert!(refused.unwrap().is_empty());
    store.close().await.unwrap();
    drop(beside);

    let before = files(&folder);
    let after = SqliteRecords::open(&file).await.unwrap();
    assert_eq!(after.load(&teller.tenant, &teller.id).await.unwrap().unwrap().version, 4);
    assert_eq!(files(&folder), before);
    let shelved = steersman_engine::ports::ShelvedScript {
        entry: steersman_engine::ports::ScriptEntry {
            digest: "d".into(),
            id: "s".parse().unwrap(),
            version: "1".into(),
            published_at: None,
        },
        source: "text".into(),
    };
    let refused = after.keep(shelved).await;
    assert!(matches!(refused, Err(ShelfError::Store(StoreError::Unavailable(_)))), "{refused:?}");
}

#[tokio::test]
async fn a_closed_store_refuses_and_its_file_is_one_file() {
    let folder = folder("closed");
    let file = folder.join("steersman.db");
    let store = made(&file).await;
    let mut teller = Teller::new("s1");
    store.commit(teller.opens()).await.unwrap();
    store.close().await.unwrap();
    assert_eq!(files(&folder), ["steersman.db", "steersman.db.lock"]);
    let refused = store.commit(teller.says("m1", "too late")).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    made(&file).await;
}

#[tokio::test]
async fn nothing_that_was_erased_is_left_in_the_file() {
    let folder = folder("erased");
    let file = folder.join("steersman.db");
    let store = made(&file).await;
    let mut teller = Teller::of("s1", "told", Some("subject-4711"), Timestamp::EPOCH);
    let mut other = Teller::new("s2");
    store.commit(teller.opens()).await.unwrap();
    store.commit(other.opens()).await.unwrap();
    for n in 1..=30 {
        store
            .commit(teller.says(&format!("m{n}"), &format!("my secret is number {n}, {}", "long ".repeat(200))))
            .await
            .unwrap();
        store.commit(other.says(&format!("m{n}"), "nothing to hide")).await.unwrap();
    }
    assert!(store.erase(&teller.tenant, &teller.id).await.unwrap());
    store.close().await.unwrap();
    for name in files(&folder) {
        let bytes = fs::read(folder.join(&name)).unwrap();
        for secret in ["my secret", "subject-4711"] {
            let left = bytes.windows(secret.len()).filter(|window| *window == secret.as_bytes()).count();
            assert_eq!(left, 0, "{secret} in {name}");
        }
    }
    let records = SqliteRecords::open(&file).await.unwrap();
    let listed = SessionRecords::list(&records, &Principal::local().tenant, &SessionFilter::default(), 9).await;
    assert_eq!(listed.unwrap().len(), 1);
}
