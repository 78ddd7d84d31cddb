//! What every shelf of scripts promises.

use std::sync::Arc;

use steersman_domain::{clock::Timestamp, id::ScriptId};

use super::Stored;
use crate::{
    chain,
    ports::{ScriptEntry, ShelfError, ShelvedScript},
};

fn script(id: &str, version: &str, text: &str, published: Option<i64>) -> ShelvedScript {
    let entry = ScriptEntry {
        digest: chain::digest(text).into(),
        id: name(id),
        version: version.to_owned(),
        published_at: published.map(Timestamp::from_unix_ms),
    };
    ShelvedScript { entry, source: text.into() }
}

fn name(id: &str) -> ScriptId {
    ScriptId::new(id).expect("tests give ids")
}

pub(super) async fn by_digest(store: Arc<dyn Stored>) {
    let draft = script("sleep", "1", "a draft, 睡眠", None);
    assert!(store.text(&draft.entry.digest).await.expect("it reads").is_none());
    store.keep(draft.clone()).await.expect("it is kept");
    store.keep(draft.clone()).await.expect("it may be kept again");
    assert_eq!(store.text(&draft.entry.digest).await.expect("it reads"), Some(draft));
    assert!(store.published(&name("sleep"), None).await.expect("it reads").is_none(), "a draft is not published");
}

pub(super) async fn published(store: Arc<dyn Stored>) {
    let first = script("sleep", "1", "one", Some(10));
    store.keep(script("sleep", "1", "one", None)).await.expect("a draft");
    store.keep(first.clone()).await.expect("the draft becomes published");
    store.keep(script("sleep", "1", "one", Some(99))).await.expect("again");
    let found = store.published(&name("sleep"), Some("1")).await.expect("it reads");
    assert_eq!(found.as_ref(), Some(&first), "it was published when it was published first");

    let refused = store.keep(script("sleep", "1", "other", Some(11))).await;
    assert!(matches!(refused, Err(ShelfError::Published)), "{refused:?}");
    store.keep(script("sleep", "1", "a new draft", None)).await.expect("a draft may have any text");
    assert_eq!(store.published(&name("sleep"), None).await.expect("it reads"), Some(first.clone()));

    let second = script("sleep", "0.9", "two", Some(20));
    store.keep(second.clone()).await.expect("another version");
    assert_eq!(store.published(&name("sleep"), None).await.expect("it reads"), Some(second), "the last one published");
    assert_eq!(store.published(&name("sleep"), Some("1")).await.expect("it reads"), Some(first));
    assert!(store.published(&name("sleep"), Some("2")).await.expect("it reads").is_none());
}

pub(super) async fn listed(store: Arc<dyn Stored>) {
    for (id, version) in [("b", "1"), ("a", "2"), ("a", "10"), ("睡眠", "1")] {
        let text = format!("{id} {version}");
        store.keep(script(id, version, &text, Some(1))).await.expect("it is kept");
    }
    store.keep(script("a", "3", "a draft", None)).await.expect("it is kept");
    let all = store.as_ref();
    let list = crate::ports::ScriptShelf::list(all, None, 10).await.expect("it reads");
    let names: Vec<_> = list.iter().map(|entry| (entry.id.as_str(), entry.version.as_str())).collect();
    assert_eq!(names, [("a", "10"), ("a", "2"), ("b", "1"), ("睡眠", "1")]);
    let behind = (name("a"), "10".to_owned());
    let page = crate::ports::ScriptShelf::list(all, Some(&behind), 2).await.expect("it reads");
    let names: Vec<_> = page.iter().map(|entry| (entry.id.as_str(), entry.version.as_str())).collect();
    assert_eq!(names, [("a", "2"), ("b", "1")]);
}
