//! What every store of sessions promises.

use std::{collections::BTreeMap, sync::Arc};

use steersman_domain::{
    clock::Timestamp,
    control::{Latch, RouteReason},
    id::{ScriptId, SessionId, SubjectId},
    session::Status,
    variable::{Value, VariableName},
};

use super::{Stored, all_at_once};
use crate::{
    Principal, TenantId, chain,
    ports::{
        LatchChange, MessageId, SessionFilter, SessionRecords, SessionSummary, StoreError, SubjectRecord, TurnCommit,
    },
    testkit::Teller,
};

/// More than anything told here has.
const ALL: usize = 10_000;

fn ours() -> TenantId {
    Principal::local().tenant
}

fn message(id: &str) -> MessageId {
    MessageId::new(id).expect("tests give message ids")
}

/// Tells a session that was opened and kept.
async fn opened(store: &Arc<dyn Stored>, id: &str) -> Teller {
    let mut teller = Teller::new(id);
    store.commit(teller.opens()).await.expect("a new session is kept");
    teller
}

fn is_stale<T: std::fmt::Debug>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Stale))
}

/// Sees that all of a session is as its turns were, and nothing else.
async fn holds(store: &Arc<dyn Stored>, turns: &[TurnCommit]) {
    let last = turns.last().expect("there are turns");
    let (tenant, id) = (&last.tenant, &last.session_id);
    let record = store.load(tenant, id).await.expect("it reads").expect("it is there");
    assert_eq!(record.state.as_ref(), Some(&last.snapshot));
    assert_eq!(record.version, last.expected_version + 1);
    assert_eq!(record.script_digest, last.script.digest);
    let events: Vec<_> = turns.iter().flat_map(|turn| &turn.events).collect();
    assert_eq!(record.chain, events.last().expect("turns have events").hash);
    let kept = store.events(tenant, id, 0, ALL).await.expect("they read");
    assert_eq!(kept, events.iter().map(|chained| (*chained.event).clone()).collect::<Vec<_>>());
    let inputs: Vec<_> = turns.iter().flat_map(|turn| &turn.journal).cloned().collect();
    assert_eq!(record.last_input, inputs.last().expect("turns have inputs").n);
    assert_eq!(store.journal(tenant, id, 0, ALL).await.expect("it reads"), inputs);
}

pub(super) async fn committed_is_seen(store: Arc<dyn Stored>) {
    let mut teller = Teller::new("s1");
    let mut turns = vec![teller.opens(), teller.says("m1", "我睡不好 😴"), teller.says("m2", "at night")];
    for n in 0..turns.len() {
        store.commit(turns[n].clone()).await.expect("it is kept");
        holds(&store, &turns[..=n]).await;
    }
    let ends = teller.stops("m3");
    store.commit(ends.clone()).await.expect("it is kept");
    turns.push(ends);
    holds(&store, &turns).await;
    let (tenant, id) = (ours(), teller.id.clone());
    let page = store.events(&tenant, &id, 2, 3).await.expect("they read");
    assert_eq!(page.iter().map(|event| event.seq).collect::<Vec<_>>(), [3, 4, 5]);
    let page = store.journal(&tenant, &id, 1, 2).await.expect("it reads");
    assert_eq!(page.iter().map(|entry| entry.n).collect::<Vec<_>>(), [2, 3]);
}

pub(super) async fn nothing_is_there(store: Arc<dyn Stored>) {
    let (tenant, id) = (ours(), SessionId::new("s1").expect("an id"));
    assert!(store.claim(&tenant, &id).await.expect("it reads").is_none());
    assert!(store.load(&tenant, &id).await.expect("it reads").is_none());
    assert!(store.turn(&tenant, &id, &message("m1")).await.expect("it reads").is_none());
    assert!(store.events(&tenant, &id, 0, ALL).await.expect("it reads").is_empty());
    assert!(store.chain(&tenant, &id, 0, ALL).await.expect("it reads").is_empty());
    assert!(!store.erase(&tenant, &id).await.expect("it reads"));
    let mut teller = Teller::new("s1");
    teller.opens();
    assert!(is_stale(&store.keep_answer(teller.answer(1, "early")).await), "there is no session to keep it for");
    let second = teller.says("m1", "hello");
    assert!(is_stale(&store.commit(second).await), "the opening was never kept");
    assert!(store.load(&tenant, &id).await.expect("it reads").is_none());
}

pub(super) async fn old_version(store: Arc<dyn Stored>) {
    let mut teller = Teller::new("s1");
    let opening = teller.opens();
    store.commit(opening.clone()).await.expect("it is kept");
    assert!(is_stale(&store.commit(opening.clone()).await), "a session is opened once");
    let mut other = teller.clone();
    let turn = teller.says("m1", "first");
    store.commit(turn.clone()).await.expect("it is kept");
    assert!(is_stale(&store.commit(other.says("m2", "second")).await));
    holds(&store, &[opening, turn]).await;
    assert!(store.turn(&ours(), &teller.id, &message("m2")).await.expect("it reads").is_none());
}

pub(super) async fn claims(store: Arc<dyn Stored>) {
    let mut first = opened(&store, "s1").await;
    let mut second = first.clone();
    let record = store.claim(&ours(), &second.id).await.expect("it is claimed").expect("it is there");
    assert!(record.owner_epoch > first.owner_epoch);
    second.goes_on(record);
    assert!(is_stale(&store.commit(first.clone().says("m1", "too late")).await));
    assert!(is_stale(&store.keep_answer(first.answer(1, "too late")).await));
    store.keep_answer(second.answer(1, "in time")).await.expect("its owner may");
    store.commit(second.says("m2", "in time")).await.expect("its owner may");
    let record = store.claim(&ours(), &first.id).await.expect("it is claimed").expect("it is there");
    first.goes_on(record);
    store.commit(first.says("m3", "again")).await.expect("it is the owner again");
    assert!(is_stale(&store.commit(second.says("m4", "not any more")).await));
}

pub(super) async fn race(store: Arc<dyn Stored>) {
    let mut one = opened(&store, "s1").await;
    for round in 0..10 {
        let mut other = one.clone();
        let turns = [one.says(&format!("a{round}"), "one"), other.says(&format!("b{round}"), "other")];
        let results = all_at_once(turns.into_iter().map(|turn| store.commit(turn))).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
        assert_eq!(results.iter().filter(|result| is_stale(result)).count(), 1, "{results:?}");
        if results[1].is_ok() {
            one = other;
        }
        let record = store.load(&ours(), &one.id).await.expect("it reads").expect("it is there");
        assert_eq!(record.chain, one.chain());
    }
}

pub(super) async fn stale_among_many(store: Arc<dyn Stored>) {
    let mut tellers = Vec::new();
    for n in 0..64 {
        tellers.push(opened(&store, &format!("s{n}")).await);
    }
    let turns = tellers.iter_mut().enumerate().map(|(n, teller)| {
        let mut turn = teller.says("m1", "all at once");
        turn.owner_epoch += u64::from(n % 5 == 0); // Nobody has given it that ownership.
        store.commit(turn)
    });
    let results = all_at_once(turns).await;
    for (n, (result, teller)) in results.iter().zip(&tellers).enumerate() {
        assert_eq!(is_stale(result), n % 5 == 0, "{n}: {result:?}");
        let record = store.load(&ours(), &teller.id).await.expect("it reads").expect("it is there");
        assert_eq!(record.version, if n % 5 == 0 { 1 } else { 2 }, "{n}");
    }
}

pub(super) async fn in_order(store: Arc<dyn Stored>) {
    let mut teller = Teller::new("s1");
    let mut turns = vec![teller.opens()];
    turns.extend((1..=20).map(|n| teller.says(&format!("m{n}"), "and then")));
    let results = all_at_once(turns.iter().cloned().map(|turn| store.commit(turn))).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    holds(&store, &turns).await;
}

pub(super) async fn resent(store: Arc<dyn Stored>) {
    let mut teller = opened(&store, "s1").await;
    let turn = teller.says("m1", "once");
    store.commit(turn.clone()).await.expect("it is kept");
    store.commit(teller.says("m2", "more")).await.expect("it is kept");
    let stored = store.turn(&ours(), &teller.id, &message("m1")).await.expect("it reads").expect("it is there");
    assert_eq!(stored.result, turn.result);
    assert_eq!(stored.body_digest, turn.request.expect("it had an id").body_digest);
    let other = SessionId::new("s2").expect("an id");
    assert!(store.turn(&ours(), &other, &message("m1")).await.expect("it reads").is_none());
}

pub(super) async fn answers(store: Arc<dyn Stored>) {
    let mut teller = opened(&store, "s1").await;
    let kept = [teller.answer(1, "one"), teller.answer(2, "two")];
    for answer in &kept {
        store.keep_answer(answer.clone()).await.expect("it is kept");
    }
    let found = store.kept_answers(&ours(), &teller.id, 1).await.expect("it reads");
    assert_eq!(found, kept);
    assert!(store.kept_answers(&ours(), &teller.id, 2).await.expect("it reads").is_empty(), "another turn");
    let record = store.claim(&ours(), &teller.id).await.expect("it is claimed").expect("it is there");
    let found = store.kept_answers(&ours(), &teller.id, 1).await.expect("it reads");
    assert_eq!(found, kept, "the next owner finds what was paid for");
    teller.goes_on(record);
    let turn = teller.clone().says("m1", "hello");
    let next = {
        teller.says("m1", "hello");
        teller.answer(1, "later")
    };
    all_at_once([store.commit(turn), store.keep_answer(next.clone())]).await.into_iter().for_each(|kept| {
        kept.expect("both are kept");
    });
    assert!(store.kept_answers(&ours(), &teller.id, 1).await.expect("it reads").is_empty(), "the journal has them");
    assert_eq!(store.kept_answers(&ours(), &teller.id, 2).await.expect("it reads"), [next], "that of a later turn");
}

pub(super) async fn chain(store: Arc<dyn Stored>) {
    let mut teller = opened(&store, "s1").await;
    store.commit(teller.says("m1", "hello")).await.expect("it is kept");
    let links = store.chain(&ours(), &teller.id, 0, ALL).await.expect("it reads");
    let mut previous = chain::ROOT.to_owned();
    for (n, link) in (1..).zip(&links) {
        assert_eq!(link.seq, n);
        let payload = link.payload.as_ref().expect("nothing was erased");
        assert_eq!(chain::digest(payload.as_str()), link.payload_digest);
        previous = chain::next(&previous, link.seq, link.turn, &link.payload_digest);
        assert_eq!(previous, link.hash);
    }
    assert_eq!(previous, teller.chain());
    let page = store.chain(&ours(), &teller.id, 1, 2).await.expect("it reads");
    assert_eq!(page, links[1..3]);
}

pub(super) async fn erased(store: Arc<dyn Stored>) {
    let name = VariableName::new("habit").expect("a name");
    let mut teller = Teller::of("s1", "told", Some("anna"), Timestamp::EPOCH);
    teller.for_subject = BTreeMap::from([(name, Value::new("walks"))]);
    let mut other = opened(&store, "s2").await;
    store.commit(teller.opens()).await.expect("it is kept");
    store.commit(teller.says("m1", "a secret")).await.expect("it is kept");
    store.keep_answer(teller.answer(1, "a reply")).await.expect("it is kept");
    let (tenant, id) = (ours(), teller.id.clone());
    let before = store.chain(&tenant, &id, 0, ALL).await.expect("it reads");

    assert!(store.erase(&tenant, &id).await.expect("it is erased"));
    assert!(!store.erase(&tenant, &id).await.expect("it is gone"), "once");
    assert!(store.load(&tenant, &id).await.expect("it reads").is_none());
    assert!(store.claim(&tenant, &id).await.expect("it reads").is_none());
    assert!(store.events(&tenant, &id, 0, ALL).await.expect("it reads").is_empty());
    assert!(store.journal(&tenant, &id, 0, ALL).await.expect("it reads").is_empty());
    assert!(store.turn(&tenant, &id, &message("m1")).await.expect("it reads").is_none());
    assert!(store.kept_answers(&tenant, &id, 2).await.expect("it reads").is_empty());
    assert!(is_stale(&store.keep_answer(teller.answer(1, "late")).await));
    assert!(is_stale(&store.commit(teller.says("m2", "still there?")).await));
    assert!(is_stale(&store.commit(Teller::new("s1").opens()).await), "its id is not used again");

    let after = store.chain(&tenant, &id, 0, ALL).await.expect("it reads");
    assert!(after.iter().all(|link| link.payload.is_none()));
    let digests = |links: &[crate::ports::ChainLink]| -> Vec<_> {
        links.iter().map(|link| (link.seq, link.turn, link.payload_digest.clone(), link.hash.clone())).collect()
    };
    assert_eq!(digests(&after), digests(&before));
    let anna = SubjectId::new("anna").expect("a subject");
    assert_eq!(store.subject(&tenant, &anna).await.expect("it reads").variables.len(), 1, "hers, not the session's");
    let listed = SessionRecords::list(&*store, &tenant, &SessionFilter::default(), ALL).await.expect("it reads");
    assert_eq!(listed.iter().map(|summary| summary.id.as_str()).collect::<Vec<_>>(), ["s2"]);
    store.commit(other.says("m1", "hello")).await.expect("others go on");
}

pub(super) async fn lists(store: Arc<dyn Stored>) {
    let at = |seconds: i64| Timestamp::from_unix_ms(seconds * 1_000);
    let mut sessions = Vec::new();
    let table = [("s3", "sleep", Some("anna"), 30), ("s1", "work", Some("anna"), 10), ("s2", "sleep", None, 20)];
    for (id, script, subject, begun) in table {
        sessions.push(Teller::of(id, script, subject, at(begun)));
    }
    sessions.push(Teller::of("s0", "sleep", Some("小明"), at(20)));
    for session in &mut sessions {
        store.commit(session.opens()).await.expect("it is kept");
    }
    store.commit(sessions[1].says("m1", "hello")).await.expect("it is kept");
    store.commit(sessions[1].stops("m2")).await.expect("it is kept");

    let list = |filter: SessionFilter, limit| {
        let store = Arc::clone(&store);
        async move { SessionRecords::list(&*store, &ours(), &filter, limit).await.expect("it reads") }
    };
    let ids = |listed: &[SessionSummary]| listed.iter().map(|one| one.id.to_string()).collect::<Vec<_>>();
    let all = list(SessionFilter::default(), ALL).await;
    assert_eq!(ids(&all), ["s3", "s2", "s0", "s1"]);
    let oldest = all.last().expect("there are some");
    assert_eq!((oldest.script.as_str(), oldest.turns, oldest.status), ("work", 2, Status::Ended));
    assert_eq!((oldest.created_at, oldest.updated_at), (at(11), at(13)));
    assert_eq!(oldest.subject, Some(SubjectId::new("anna").expect("a subject")));

    let mut after = None;
    let mut seen = Vec::new();
    for _page in 0..5 {
        let page = list(SessionFilter { after: after.clone(), ..SessionFilter::default() }, 1).await;
        after = page.last().map(|summary| summary.id.clone()).or(after);
        seen.extend(ids(&page));
    }
    assert_eq!(seen, ["s3", "s2", "s0", "s1"]);
    let behind_nothing = SessionFilter { after: SessionId::new("never").ok(), ..SessionFilter::default() };
    assert!(list(behind_nothing, ALL).await.is_empty());

    let anna = SessionFilter { subject: SubjectId::new("anna").ok(), ..SessionFilter::default() };
    assert_eq!(ids(&list(anna.clone(), ALL).await), ["s3", "s1"]);
    let sleep = SessionFilter { script: ScriptId::new("sleep").ok(), ..SessionFilter::default() };
    assert_eq!(ids(&list(sleep, ALL).await), ["s3", "s2", "s0"]);
    let waiting = SessionFilter { status: Some(Status::WaitingInput), ..anna };
    assert_eq!(ids(&list(waiting, ALL).await), ["s3"]);
}

pub(super) async fn subjects(store: Arc<dyn Stored>) {
    let name = |name: &str| VariableName::new(name).expect("a name");
    let (anna, nobody) = (SubjectId::new("anna").expect("a subject"), SubjectId::new("bob").expect("a subject"));
    let mut first = Teller::of("s1", "told", Some("anna"), Timestamp::EPOCH);
    first.for_subject = [(name("昵称"), Value::new("A")), (name("age"), Value::new(30))].into();
    store.commit(first.opens()).await.expect("it is kept");
    let mut second = Teller::of("s2", "told", Some("anna"), Timestamp::EPOCH);
    second.for_subject = [(name("昵称"), Value::new("安娜"))].into();
    let mut third = Teller::new("s3");
    third.for_subject = [(name("age"), Value::new(99))].into();
    let results = all_at_once([second.opens(), third.opens()].map(|turn| store.commit(turn))).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let kept = store.subject(&ours(), &anna).await.expect("it reads").variables;
    let expected = [(name("昵称"), Value::new("安娜")), (name("age"), Value::new(30))];
    assert_eq!(kept, BTreeMap::from(expected));
    assert_eq!(store.subject(&ours(), &nobody).await.expect("it reads"), SubjectRecord::default());
    let mut stale = first.clone();
    first.says("m1", "hello");
    stale.version = 7;
    stale.for_subject = [(name("age"), Value::new(1))].into();
    assert!(is_stale(&store.commit(stale.says("m1", "hello")).await));
    assert_eq!(store.subject(&ours(), &anna).await.expect("it reads").variables, kept, "all or nothing");
}

pub(super) async fn latches(store: Arc<dyn Stored>) {
    let anna = SubjectId::new("anna").expect("a subject");
    let latch_of = |store: Arc<dyn Stored>, anna: SubjectId| async move {
        store.subject(&ours(), &anna).await.expect("it reads").latch
    };
    let latch = Latch { risk_epoch: 2, reason: RouteReason::ChatRisk, since: Timestamp::from_unix_ms(1_700) };
    let mut first = Teller::of("s1", "told", Some("anna"), Timestamp::EPOCH);
    store.commit(first.opens()).await.expect("it is kept");
    first.for_latch = LatchChange::Set(latch);
    store.commit(first.says("m1", "hello")).await.expect("it is kept");
    assert_eq!(latch_of(Arc::clone(&store), anna.clone()).await, Some(latch));
    let mut second = Teller::of("s2", "told", Some("anna"), Timestamp::EPOCH);
    second.for_subject = [(VariableName::new("age").expect("a name"), Value::new(30))].into();
    store.commit(second.opens()).await.expect("it is kept");
    assert_eq!(latch_of(Arc::clone(&store), anna.clone()).await, Some(latch), "another session does not lift it");
    let mut stale = first.clone();
    stale.version = 9;
    stale.for_latch = LatchChange::Lift;
    assert!(is_stale(&store.commit(stale.says("m2", "hello")).await));
    assert_eq!(latch_of(Arc::clone(&store), anna.clone()).await, Some(latch), "all or nothing");
    assert!(store.erase(&ours(), &first.id).await.expect("it is erased"));
    assert_eq!(latch_of(Arc::clone(&store), anna.clone()).await, Some(latch), "erasing the words lifts nothing");
    second.for_latch = LatchChange::Lift;
    store.commit(second.says("m1", "hello")).await.expect("it is kept");
    assert_eq!(latch_of(Arc::clone(&store), anna).await, None);
}

pub(super) async fn tenants(store: Arc<dyn Stored>) {
    let mut teller = Teller::of("s1", "told", Some("anna"), Timestamp::EPOCH);
    teller.for_subject = [(VariableName::new("age").expect("a name"), Value::new(30))].into();
    store.commit(teller.opens()).await.expect("it is kept");
    store.commit(teller.says("m1", "hello")).await.expect("it is kept");
    let (theirs, id) = (TenantId::new("another"), teller.id.clone());
    assert!(store.load(&theirs, &id).await.expect("it reads").is_none());
    assert!(store.claim(&theirs, &id).await.expect("it reads").is_none());
    assert!(store.events(&theirs, &id, 0, ALL).await.expect("it reads").is_empty());
    assert!(store.journal(&theirs, &id, 0, ALL).await.expect("it reads").is_empty());
    assert!(store.chain(&theirs, &id, 0, ALL).await.expect("it reads").is_empty());
    assert!(store.turn(&theirs, &id, &message("m1")).await.expect("it reads").is_none());
    assert!(!store.erase(&theirs, &id).await.expect("it reads"));
    let anna = SubjectId::new("anna").expect("a subject");
    assert_eq!(store.subject(&theirs, &anna).await.expect("it reads"), SubjectRecord::default());
    let list = SessionRecords::list(&*store, &theirs, &SessionFilter::default(), ALL).await;
    assert!(list.expect("it reads").is_empty());
    let mut impostor = teller.clone();
    impostor.tenant = theirs;
    assert!(is_stale(&store.keep_answer(impostor.answer(1, "mine")).await));
    store.commit(teller.says("m2", "untouched")).await.expect("it is still ours");
}
