//! A message counts once: sent again it gives the stored result, refused it changes nothing, unkept it can be sent again.

use std::sync::Arc;

use steersman_domain::{
    session::{InputRefused, StartRefused, Status},
    variable::{Value, VariableName},
};
use steersman_engine::{
    memory::MemoryStore,
    ports::{ClientInput, MessageId, OpenError, TurnError},
    testkit::{Said, ScriptedModel},
};
use steersman_tests::stage::{Seen, Setting, Stage, script};

use crate::stand_ins::FullStore;

const ASK: &str = "steersman: 1\nscript: demo\nlocale: en\nglobal: [{var: clinic, value: North}]\ndeclare: [{var: visits, type: number}]\n\
    phases:\n- phase: main\n  topics:\n  - topic: talk\n    actions:\n    \
    - {id: ask, ai_ask: ask how often, opening: How often?, max_rounds: 2, output: [{get: frequency}]}\n    \
    - {id: pick, user_option: way, ask: Which?, choices: [{a: A}, {b: B}]}\n";

fn reply(text: &str) -> Said {
    Said::Reply(text.to_owned())
}

fn say(id: &str, text: &str) -> ClientInput {
    ClientInput::Say { id: MessageId::new(id).unwrap(), text: text.into() }
}

async fn open(said: impl IntoIterator<Item = Said>) -> (Stage, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::new(said));
    let setting = Setting { model: Arc::clone(&model) as Arc<_>, ..Setting::with(ScriptedModel::default()) };
    let (stage, opening) = Stage::open(&script(ASK), setting).await.unwrap();
    assert_eq!(opening.outcome.unwrap().client_message_id, None);
    (stage, model)
}

fn refusal(seen: &Seen) -> &TurnError {
    assert!(seen.frames.is_empty(), "a refused message shows nothing");
    seen.outcome.as_ref().unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn a_message_sent_again_gives_the_stored_result_without_a_model_call() {
    let (mut stage, model) = open([reply(r#"{"reply": "How many?"}"#)]).await;
    let first = stage.send(say("a", "often")).await.outcome.unwrap();
    let events = stage.events().await;
    let again = stage.send(say("a", "often")).await;
    assert_eq!(again.outcome.unwrap(), first);
    assert!(again.frames.is_empty() && stage.events().await == events);
    assert_eq!((model.prompts().len(), model.unsaid()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_same_id_with_another_body_is_refused_and_changes_nothing() {
    let (mut stage, model) = open([reply(r#"{"reply": "How many?"}"#), reply(r#"{"reply": "", "EXIT": true}"#)]).await;
    stage.send(say("a", "often")).await.outcome.unwrap();
    let events = stage.events().await;
    assert!(matches!(refusal(&stage.send(say("a", "seldom")).await), TurnError::KeyReused));
    let other_kind = ClientInput::Acknowledge { id: MessageId::new("a").unwrap() };
    assert!(matches!(refusal(&stage.send(other_kind).await), TurnError::KeyReused));
    assert_eq!(stage.events().await, events);
    stage.send(say("b", "three")).await.outcome.unwrap();
    assert_eq!(model.unsaid(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_text_over_the_limit_or_with_a_nul_is_refused_and_the_next_message_goes_on() {
    let (mut stage, _) = open([reply(r#"{"reply": "How many?"}"#)]).await;
    let limit = steersman_engine::Limits::default().message_bytes;
    let long = "好".repeat(limit / 3 + 1);
    match refusal(&stage.send(say("a", &long)).await) {
        TurnError::TextTooLong { bytes, limit: told } => assert_eq!((*bytes, *told), (long.len(), limit)),
        other => panic!("{other}"),
    }
    assert!(matches!(refusal(&stage.send(say("a", "a\0b")).await), TurnError::BadEncoding));
    let longest = "a".repeat(limit);
    assert_eq!(stage.send(say("a", &longest)).await.outcome.unwrap().position.unwrap().round, 2);
}

#[tokio::test(start_paused = true)]
async fn what_a_session_does_not_wait_for_is_refused_and_changes_nothing() {
    let (mut stage, _) = open([reply(r#"{"reply": "", "EXIT": true}"#)]).await;
    let id = |text: &str| MessageId::new(text).unwrap();
    let choose = |n: &str, key: &str| ClientInput::Choose { id: id(n), action: None, key: key.to_owned() };
    let before = stage.events().await;
    let refused = stage.send(choose("a", "b")).await;
    assert!(matches!(refusal(&refused), TurnError::Refused(InputRefused::NotWaiting)));
    let refused = stage.send(ClientInput::Acknowledge { id: id("b") }).await;
    assert!(matches!(refusal(&refused), TurnError::Refused(InputRefused::NotWaiting)));
    assert_eq!(stage.events().await, before);
    stage.say("often").await.outcome.unwrap();
    let refused = stage.send(choose("c", "z")).await;
    assert_eq!(refusal(&refused).to_string(), "there is no such choice; there are a, b");
    let finished = stage.send(choose("a", "b")).await.outcome.unwrap();
    assert_eq!(finished.status, Status::Completed);
    let refused = stage.say("more").await;
    assert_eq!(refusal(&refused).to_string(), "the session has ended (the script is done)");
    stage.stands_by_itself().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_could_not_be_kept_leaves_nothing_behind_and_can_be_sent_again() {
    let store = FullStore::after(1);
    let lost = r#"{"reply": "lost", "variables": {"frequency": "lost"}}"#;
    let model =
        ScriptedModel::new([reply(lost), reply(r#"{"reply": "", "EXIT": true, "variables": {"frequency": "kept"}}"#)]);
    let setting = Setting { store: Arc::clone(&store) as Arc<_>, ..Setting::with(model) };
    let (mut stage, _) = Stage::open(&script(ASK), setting).await.unwrap();
    let (view, events) = (stage.view().await, stage.events().await);
    assert!(matches!(stage.send(say("a", "often")).await.outcome, Err(TurnError::StoreUnavailable)));
    assert_eq!((stage.view().await, stage.events().await), (view, events));
    store.make_room(9);
    stage.send(say("a", "often")).await.outcome.unwrap();
    let view = stage.view().await;
    assert_eq!((view.usage.turns, view.usage.model_calls, view.exit_history.len()), (1, 1, 1));
    stage.stands_by_itself().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_opening_that_could_not_be_kept_is_a_turn_error() {
    let setting = Setting { store: FullStore::after(0), ..Setting::with(ScriptedModel::default()) };
    let (_, opening) = Stage::open(&script(ASK), setting).await.unwrap();
    assert!(matches!(opening.outcome, Err(TurnError::StoreUnavailable)));
    assert!(opening.events().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_start_with_variables_that_the_script_does_not_take_is_refused_before_anything_is_kept() {
    let rows = [
        (
            "visit",
            Value::new(1),
            "the script declares no session or writable global variable `visit`; did you mean `visits`?",
        ),
        ("clinic", Value::from("South"), "the script declares no session or writable global variable `clinic`"),
        ("visits", Value::from("three"), "`visits` takes a number, not a string"),
    ];
    for (name, value, said) in rows {
        let store = Arc::new(MemoryStore::default());
        let variables = [(VariableName::new(name).unwrap(), value)].into();
        let setting =
            Setting { variables, store: Arc::clone(&store) as Arc<_>, ..Setting::with(ScriptedModel::default()) };
        match Stage::open(&script(ASK), setting).await {
            Err(OpenError::Start(
                refused @ (StartRefused::UnknownVariable { .. } | StartRefused::OtherKind { .. }),
            )) => {
                assert_eq!(refused.to_string(), said);
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(store.count(steersman_engine::ports::RecordKind::Session), 0);
    }
}
