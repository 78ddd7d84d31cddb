//! A session goes on where its last commit left it, whoever opens it again, and whatever became of its snapshot.

use std::sync::Arc;

use steersman_domain::{
    session::{EventBody, State, Status},
    variable::{Quality, Scope},
};
use steersman_engine::{
    Principal,
    ports::{
        Archive, ClientInput, MessageId, OpenError, Opening, ServerFrame, Sessions, StreamEnd, SubmitError, TurnError,
    },
    testkit::{Said, ScriptedModel},
};
use steersman_tests::stage::{Setting, Stage, script};

use crate::stand_ins::{FullStore, PaidModel};

const ASK: &str = "steersman: 1\nscript: demo\nlocale: en\ndeclare: [{var: visits, type: number, value: 2}]\n\
    phases:\n- phase: main\n  topics:\n  - topic: talk\n    actions:\n    \
    - {id: ask, ai_ask: ask how often, opening: How often?, max_rounds: 3, output: [{get: frequency, define: how often}]}\n    \
    - {id: bye, ai_say: say goodbye}\n";

fn reply(text: &str) -> Said {
    Said::Reply(format!(r#"{{"reply": "{text}"}}"#))
}

fn says(said: impl IntoIterator<Item = Said>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(said))
}

fn say(id: &str, text: &str) -> ClientInput {
    ClientInput::Say { id: MessageId::new(id).unwrap(), text: text.into() }
}

/// A session in its second round, kept in this store.
async fn in_round_two(store: Arc<FullStore>) -> Stage {
    let setting = Setting { store, ..Setting::with(ScriptedModel::new([reply("Tell me more.")])) };
    let (mut stage, _) = Stage::open(&script(ASK), setting).await.unwrap();
    assert_eq!(stage.say("often").await.outcome.unwrap().position.unwrap().round, 2);
    stage
}

#[tokio::test(start_paused = true)]
async fn a_session_goes_on_at_its_round_in_another_process() {
    let stage = in_round_two(FullStore::after(u32::MAX)).await;
    let before = stage.view().await;
    let mut stage = stage.resume(says([reply("And at night?")]), None).await.unwrap();
    assert_eq!(stage.view().await, before);
    let seen = stage.say("every day").await;
    assert_eq!(seen.outcome.unwrap().position.unwrap().round, 3);
    stage.stands_by_itself().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_a_client_has_missed_comes_first_and_nothing_twice() {
    let stage = in_round_two(FullStore::after(u32::MAX)).await;
    let all = stage.events().await;
    for seen in [0, 4, all.len() - 1] {
        let watcher = stage.engine().watch(&Principal::local(), &stage.id, Some(u64::try_from(seen).unwrap())).await;
        let (opened, mut frames) = watcher.unwrap();
        assert_eq!(opened.last_seq, u64::try_from(all.len()).unwrap());
        let Some(ServerFrame::Events(missed)) = frames.next().await else { panic!("events come first") };
        assert_eq!(
            missed.iter().map(|event| event.seq).collect::<Vec<_>>(),
            all[seen..].iter().map(|event| event.seq).collect::<Vec<_>>()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_that_cannot_be_read_or_contradicts_its_script_is_made_anew_from_the_journal() {
    fn replaced(state: &State, from: &str, to: &str) -> State {
        let json = serde_json::to_string(state).unwrap();
        let spoilt = json.replace(from, to);
        assert_ne!(spoilt, json);
        serde_json::from_str(&spoilt).unwrap()
    }
    let spoils: [fn(&State) -> Option<State>; 3] = [
        |_| None,
        |state| Some(replaced(state, r#""id":"talk""#, r#""id":"lost""#)),
        |state| Some(replaced(state, r#""value":2,"kind":"number""#, r#""value":"two","kind":"number""#)),
    ];
    for spoil in spoils {
        let sound = in_round_two(FullStore::after(u32::MAX)).await.view().await;
        let stage = in_round_two(FullStore::spoiling(spoil)).await;
        let mut stage = stage.resume(says([reply("And at night?")]), None).await.unwrap();
        assert_eq!(stage.view().await, sound);
        assert_eq!(stage.say("every day").await.outcome.unwrap().position.unwrap().round, 3);
    }
}

#[tokio::test(start_paused = true)]
async fn values_kept_without_scopes_are_taken_into_the_session_scope() {
    let stage = in_round_two(FullStore::after(u32::MAX)).await;
    let tenant = Principal::local().tenant;
    let kept = stage.store.load(&tenant, &stage.id).await.unwrap().unwrap();
    let mut json = serde_json::to_value(kept.state.unwrap()).unwrap();
    json["variables"] = serde_json::json!({"age": 41, "name": "Ada"});
    let migrated: State = serde_json::from_value(json).unwrap();
    let held = migrated.variables().in_scope(Scope::Session);
    let told: Vec<_> =
        held.iter().map(|(name, held)| (name.as_str(), held.value.json().clone(), held.quality)).collect();
    assert_eq!(told, [("age", 41.into(), Quality::Migrated), ("name", "Ada".into(), Quality::Migrated)]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_paid_for_is_used_again_when_the_turn_was_not_kept() {
    // One turn is the opening, one the answer; the closing answer and its goodbye do not fit any more.
    let store = FullStore::after(2);
    let paid = says([
        reply("Tell me more."),
        Said::Reply(r#"{"reply": "Thanks.", "EXIT": true, "variables": {"frequency": "daily"}}"#.to_owned()),
    ]);
    let setting = Setting { store: store.clone(), ..Setting::with(PaidModel(Arc::clone(&paid))) };
    let (mut stage, _) = Stage::open(&script(ASK), setting).await.unwrap();
    stage.say("often").await.outcome.unwrap();
    let id = stage.next_id();
    let again = ClientInput::Say { id, text: "daily".into() };
    assert!(matches!(stage.send(again.clone()).await.outcome, Err(TurnError::ModelExhausted(_))));
    assert_eq!(paid.prompts().len(), 2);

    let later = says([reply("Goodbye.")]);
    store.make_room(1);
    let mut stage = stage.resume(Arc::new(PaidModel(Arc::clone(&later))), None).await.unwrap();
    let seen = stage.send(again).await;
    assert_eq!(seen.outcome.as_ref().unwrap().status, Status::Completed);
    assert_eq!(later.prompts().len(), 1, "only the goodbye is asked for again");
    let said: Vec<String> = seen
        .events()
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Utterance { text, .. } => Some(text.as_str().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["daily", "Thanks.", "Goodbye."]);
    stage.stands_by_itself().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_newer_conversation_takes_over_and_a_single_message_takes_nobody_s_place() {
    let mut stage = in_round_two(FullStore::after(u32::MAX)).await;
    let principal = Principal::local();
    // A message without a conversation: its sender gets the result, and the conversation sees what happened.
    let submitted = stage
        .engine()
        .submit(&principal, &stage.id, ClientInput::Stop { id: MessageId::new("s1").unwrap() })
        .await
        .unwrap();
    assert_eq!(submitted.status, Status::Ended);
    assert!(matches!(stage.frame().await, Some(ServerFrame::Events(_))));
    assert!(matches!(stage.frame().await, Some(ServerFrame::TurnFinished(finished)) if finished == submitted));
    let refused = stage.engine().submit(&principal, &stage.id, say("s2", "hello?")).await;
    assert!(matches!(refused, Err(SubmitError::Turn(TurnError::Refused(_)))));
    // The same message again has the same result.
    let again = stage
        .engine()
        .submit(&principal, &stage.id, ClientInput::Stop { id: MessageId::new("s1").unwrap() })
        .await
        .unwrap();
    assert_eq!(again, submitted);

    let opening = Opening::Resume { session_id: stage.id.clone(), after_seq: None };
    let newer = stage.engine().open(&principal, opening).await.unwrap();
    assert!(stage.frame().await.is_none());
    assert_eq!(stage.ended(), Some(StreamEnd::Superseded));
    drop(newer);
}

#[tokio::test(start_paused = true)]
async fn an_erased_session_is_gone_but_its_chain_can_still_be_followed() {
    let mut stage = in_round_two(FullStore::after(u32::MAX)).await;
    let principal = Principal::local();
    let events = u64::try_from(stage.events().await.len()).unwrap();
    let whole = stage.engine().verify(&principal, &stage.id).await.unwrap();
    assert_eq!((whole.events, whole.erased, whole.broken), (events, 0, None));
    stage.engine().erase(&principal, &stage.id).await.unwrap();
    assert!(stage.frame().await.is_none());
    assert_eq!(stage.ended(), Some(StreamEnd::Erased));
    let erased = stage.engine().verify(&principal, &stage.id).await.unwrap();
    assert_eq!((erased.events, erased.erased, erased.broken), (events, events, None));
    assert!(matches!(stage.engine().erase(&principal, &stage.id).await, Err(OpenError::NotFound)));
    let refused = stage.resume(says([]), None).await;
    assert!(matches!(refused, Err(OpenError::NotFound)));
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_drains_says_so_to_every_stream_and_opens_nothing_more() {
    let mut stage = in_round_two(FullStore::after(u32::MAX)).await;
    stage.engine().drain().await;
    assert!(matches!(stage.frame().await, Some(ServerFrame::Draining)));
    assert!(stage.frame().await.is_none());
    assert_eq!(stage.ended(), Some(StreamEnd::Draining));
    let opening = Opening::Resume { session_id: stage.id.clone(), after_seq: None };
    let refused = stage.engine().open(&Principal::local(), opening).await;
    assert!(matches!(refused, Err(OpenError::Turn(TurnError::Draining))));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_there_is_not_cannot_be_opened_watched_or_spoken_to() {
    let stage = in_round_two(FullStore::after(u32::MAX)).await;
    let (principal, nobody) = (Principal::local(), "01900000-0000-7000-8000-000000000000".parse().unwrap());
    let opening = Opening::Resume { session_id: nobody, after_seq: None };
    let Opening::Resume { session_id, .. } = &opening else { unreachable!() };
    let (watched, spoken) = (
        stage.engine().watch(&principal, session_id, None).await,
        stage.engine().submit(&principal, session_id, say("m", "hello?")).await,
    );
    assert!(matches!(watched, Err(OpenError::NotFound)));
    assert!(matches!(spoken, Err(SubmitError::Open(OpenError::NotFound))));
    assert!(matches!(stage.engine().open(&principal, opening).await, Err(OpenError::NotFound)));
}
