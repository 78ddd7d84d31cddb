//! Time: the budget of a turn, the timeout of an action, the waiting time of a session.

use std::{sync::Arc, time::Duration};

use steersman_domain::session::{CallRecord, EndReason, EventBody, ModelFault, Status};
use steersman_engine::testkit::{Said, ScriptedModel};
use steersman_tests::stage::{Seen, Setting, Stage, script};
use tokio::time::Instant;

use crate::stand_ins::HandClock;

const ASK: &str = "steersman: 1\nscript: demo\nlocale: en\nlimits: {idle: 2h}\nphases:\n- phase: main\n  topics:\n  - topic: talk\n    actions:\n    \
    - {id: ask, ai_ask: ask how often, opening: How often?, max_rounds: 3, timeout: 20s, output: [{get: frequency}]}\n";

fn calls(seen: &Seen) -> Vec<CallRecord> {
    let record = |body: EventBody| match body {
        EventBody::ModelCalled { record } => Some(*record),
        _ => None,
    };
    seen.events().into_iter().filter_map(|event| record(event.body)).collect()
}

fn issues(seen: &Seen) -> Vec<String> {
    let message = |body: EventBody| match body {
        EventBody::Issue { message, .. } => Some(message),
        _ => None,
    };
    seen.events().into_iter().filter_map(|event| message(event.body)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_is_asked_again_within_the_turn_s_budget_and_then_covered_for() {
    let model = ScriptedModel::new([Said::Silence, Said::Silence, Said::Silence]);
    let (mut stage, _) = Stage::open(&script(ASK), Setting::with(model)).await.unwrap();
    let began = Instant::now();
    let seen = stage.say("often").await;
    assert!(began.elapsed() <= Duration::from_mins(1), "{:?}", began.elapsed());
    assert_eq!(
        issues(&seen)[..2],
        ["judging, attempt 1 of 3: the model took too long", "judging, attempt 2 of 3: the model took too long"]
    );
    assert_eq!(calls(&seen).len(), 3);
    let finished = seen.outcome.unwrap();
    assert_eq!((finished.status, finished.position.unwrap().round), (Status::WaitingInput, 1));
}

#[tokio::test(start_paused = true)]
async fn without_an_own_timeout_a_call_takes_half_of_the_turn_and_the_last_attempt_has_no_time() {
    let yaml = ASK.replace(" timeout: 20s,", "");
    let (mut stage, _) =
        Stage::open(&script(&yaml), Setting::with(ScriptedModel::new([Said::Silence, Said::Silence]))).await.unwrap();
    let began = Instant::now();
    let seen = stage.say("often").await;
    assert!(began.elapsed() <= Duration::from_mins(1), "{:?}", began.elapsed());
    assert_eq!(issues(&seen).last().unwrap(), "judging, attempt 3 of 3: the time of the turn was used up");
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_and_a_turn_without_faults_does_not() {
    let reply = || Said::Reply(r#"{"reply": "More?"}"#.to_owned());
    let model = ScriptedModel::new([reply(), Said::Fault(ModelFault::Timeout), reply()]);
    let (mut stage, _) = Stage::open(&script(ASK), Setting::with(model)).await.unwrap();
    let began = Instant::now();
    stage.say("often").await.outcome.unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO);
    let seen = stage.say("often").await;
    assert_eq!(calls(&seen).iter().map(|call| call.attempt).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_waited_too_long_ends_when_it_is_next_looked_at() {
    let clock = Arc::new(HandClock::default());
    let reply = Said::Reply(r#"{"reply": "More?", "variables": {"frequency": "often"}}"#.to_owned());
    let setting = Setting { clock: Arc::clone(&clock) as Arc<_>, ..Setting::with(ScriptedModel::new([reply])) };
    let (mut stage, _) = Stage::open(&script(ASK), setting).await.unwrap();
    clock.wait(Duration::from_hours(2));
    assert_eq!(
        stage.say("often").await.outcome.unwrap().status,
        Status::WaitingInput,
        "two hours are not over two hours"
    );
    clock.wait(Duration::from_hours(2) + Duration::from_millis(1));
    let seen = stage.say("hello?").await;
    assert_eq!(seen.outcome.as_ref().unwrap().status, Status::Ended);
    let events = seen.events();
    let closed: Vec<_> = events.iter().filter(|event| matches!(event.body, EventBody::ScopeClosed { .. })).collect();
    assert_eq!(closed.len(), 3, "topic, phase and session are closed like any other");
    assert!(matches!(events.last().unwrap().body, EventBody::SessionEnded { reason: EndReason::Expired, .. }));
    assert!(!events.iter().any(|event| matches!(event.body, EventBody::ExitDecided { .. })));
    stage.stands_by_itself().await.unwrap();
}
