//! The rules of all stores, on SQLite.

use std::sync::Arc;

use steersman_adapters::db::{Creation, SqliteStore};
use steersman_engine::testkit::store_contract::RULES;

use super::folder;

#[tokio::test]
async fn a_sqlite_file_keeps_every_rule_of_stores() {
    let folder = folder("contract");
    for (n, rule) in RULES.iter().enumerate() {
        println!("{rule:?}");
        let store = SqliteStore::open(&folder.join(format!("{n}.db")), Creation::IfMissing).await.unwrap();
        let store = Arc::new(store);
        rule.hold(Arc::clone(&store) as _).await;
        store.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_them_where_threads_write_at_once() {
    let folder = folder("contract-threads");
    for (n, rule) in RULES.iter().enumerate() {
        println!("{rule:?}");
        let store = SqliteStore::open(&folder.join(format!("{n}.db")), Creation::IfMissing).await.unwrap();
        rule.hold(Arc::new(store)).await;
    }
}
