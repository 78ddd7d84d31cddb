//! Writes in orders that nobody thought of, and compares what comes of them with the store in memory.

use std::sync::Arc;

use steersman_domain::{
    clock::Timestamp,
    variable::{Value, VariableName},
};

use super::{Stored, all_at_once};
use crate::{
    Principal,
    memory::MemoryStore,
    ports::{MessageId, SessionFilter, SessionRecords, StoreError, TurnCommit},
    testkit::Teller,
};

/// The sessions that are written at the same time.
const SESSIONS: usize = 4;
/// The rounds of writing; each writes up to [`AT_ONCE`] things at once.
const ROUNDS: usize = 60;
const AT_ONCE: u64 = 12;
const ALL: usize = 10_000;

/// What is written.
#[derive(Debug, Clone)]
enum Writing {
    Turn(Box<TurnCommit>),
    Answer(Box<crate::ports::KeptAnswer>),
    Claim(usize),
    Erase(usize),
}

/// One of two writers of a session; they do not know of each other.
struct Writers {
    tellers: [Teller; 2],
    open: bool,
}

pub(super) async fn as_in_memory(store: Arc<dyn Stored>) {
    let memory: Arc<dyn Stored> = Arc::new(MemoryStore::default());
    let mut dice = Dice(0x5EED);
    let mut sessions: Vec<Writers> = (0..SESSIONS).map(begin).collect();
    for round in 0..ROUNDS {
        let writings: Vec<Writing> =
            (0..=dice.below(AT_ONCE)).map(|n| choose(&mut dice, &mut sessions, round, n)).collect();
        let ours = all_at_once(writings.iter().map(|writing| write(&store, writing.clone(), &sessions))).await;
        let theirs = all_at_once(writings.iter().map(|writing| write(&memory, writing.clone(), &sessions))).await;
        assert_eq!(ours, theirs, "round {round}: {writings:?}");
        for session in &sessions {
            same(&store, &memory, &session.tellers[0], round).await;
        }
        take_over(&store, &memory, &mut dice, &mut sessions).await;
    }
    let list = |store: Arc<dyn Stored>| async move {
        SessionRecords::list(&*store, &Principal::local().tenant, &SessionFilter::default(), ALL).await
    };
    assert_eq!(list(store).await.expect("it reads"), list(memory).await.expect("it reads"));
}

fn begin(n: usize) -> Writers {
    let subject = n.is_multiple_of(2).then_some("anna");
    let begun = Timestamp::from_unix_ms(i64::try_from(n).expect("a few") * 10_000);
    let mut teller = Teller::of(&format!("s{n}"), "told", subject, begun);
    teller.for_subject = [(VariableName::new(format!("v{n}")).expect("a name"), Value::new(n))].into();
    Writers { tellers: [teller.clone(), teller], open: false }
}

fn choose(dice: &mut Dice, sessions: &mut [Writers], round: usize, n: u64) -> Writing {
    let at = usize::try_from(dice.below(SESSIONS as u64)).expect("a few");
    let session = &mut sessions[at];
    let teller = &mut session.tellers[usize::from(dice.below(4) == 0)];
    if !session.open {
        session.open = true;
        let opening = teller.opens();
        session.tellers = [teller.clone(), teller.clone()];
        return Writing::Turn(Box::new(opening));
    }
    let message = format!("m{round}-{n}");
    match dice.below(20) {
        0 => Writing::Claim(at),
        1 if round > ROUNDS / 2 => Writing::Erase(at),
        2..=4 => Writing::Answer(Box::new(teller.answer(1, &message))),
        5 => {
            let mut turn = teller.clone().says(&message, "an ownership that was never given");
            turn.owner_epoch += dice.below(3);
            Writing::Turn(Box::new(turn))
        }
        6 => Writing::Turn(Box::new(teller.asks_for_a_human(&message))),
        _ => Writing::Turn(Box::new(teller.says(&message, "嗯"))),
    }
}

/// Writes it, and tells what came of it in words that can be compared.
async fn write(store: &Arc<dyn Stored>, writing: Writing, sessions: &[Writers]) -> String {
    let name = |result: Result<String, StoreError>| match result {
        Ok(told) => told,
        Err(StoreError::Stale) => "stale".to_owned(),
        Err(error) => panic!("{error}"),
    };
    name(match writing {
        Writing::Turn(turn) => store.commit(*turn).await.map(|()| "kept".to_owned()),
        Writing::Answer(answer) => store.keep_answer(*answer).await.map(|()| "kept".to_owned()),
        Writing::Claim(at) => {
            let teller = &sessions[at].tellers[0];
            let claimed = store.claim(&teller.tenant, &teller.id).await;
            claimed
                .map(|record| format!("{:?}", record.map(|record| (record.version, record.owner_epoch, record.chain))))
        }
        Writing::Erase(at) => {
            let teller = &sessions[at].tellers[0];
            store.erase(&teller.tenant, &teller.id).await.map(|there| there.to_string())
        }
    })
}

/// Sees that both stores hold the same of a session.
async fn same(ours: &Arc<dyn Stored>, theirs: &Arc<dyn Stored>, teller: &Teller, round: usize) {
    let (tenant, id) = (&teller.tenant, &teller.id);
    let look = |store: &Arc<dyn Stored>| {
        let store = Arc::clone(store);
        async move {
            let record = store.load(tenant, id).await.expect("it reads");
            let turn = record.as_ref().and_then(|record| record.state.as_ref()).map_or(0, |state| state.turn() + 1);
            let record = record
                .map(|record| (record.state, record.version, record.owner_epoch, record.chain, record.last_input));
            (
                record,
                store.events(tenant, id, 0, ALL).await.expect("it reads"),
                store.journal(tenant, id, 0, ALL).await.expect("it reads"),
                store.chain(tenant, id, 0, ALL).await.expect("it reads"),
                store.kept_answers(tenant, id, turn).await.expect("it reads").last().cloned(),
                store.turn(tenant, id, &MessageId::new("m3-0").expect("an id")).await.expect("it reads"),
            )
        }
    };
    assert_eq!(look(ours).await, look(theirs).await, "round {round}, session {id}");
}

/// Lets one of the writers of each session read where it stands, so that not all of them stay behind for ever.
async fn take_over(store: &Arc<dyn Stored>, memory: &Arc<dyn Stored>, dice: &mut Dice, sessions: &mut [Writers]) {
    for session in sessions.iter_mut().filter(|session| session.open) {
        let teller = &mut session.tellers[usize::from(dice.below(2) == 0)];
        let record = store.claim(&teller.tenant, &teller.id).await.expect("it is claimed");
        memory.claim(&teller.tenant, &teller.id).await.expect("it is claimed");
        if let Some(record) = record {
            teller.goes_on(record);
        }
    }
}

/// Numbers that look random and are the same in every run (`SplitMix64`, G. Steele et al., 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (b ^ (b >> 31)) % bound
    }
}
