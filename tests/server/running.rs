//! While a turn runs: what comes meanwhile, who leaves, and what is late. The model answers when the test lets it.

use std::time::Duration;

use prost::Message as _;
use steersman_proto::v1::{self, server_frame::Frame, sessions_client::SessionsClient, submit_turn_request::Input};
use steersman_tests::fake_model::{Behaviour, FakeModel, Manner};
use tonic::{Code, Status};

use crate::{
    served::Served,
    surface::call_over_http,
    talk::{Talk, said, soon, told},
};

/// More requests than a test makes.
const MANY: usize = 100;

/// A server whose model answers when it is let go.
async fn held() -> (FakeModel, Served) {
    with_model(Behaviour { manner: Manner::Held, ..Behaviour::default() }).await
}

async fn with_model(behaviour: Behaviour) -> (FakeModel, Served) {
    let model = FakeModel::start(([127, 0, 0, 1], 0).into(), behaviour).await.unwrap();
    let served = Served::with(&["--llm", "ollama:small", "--llm-url", &model.url()]);
    (model, served)
}

#[tokio::test(flavor = "multi_thread")]
async fn words_arrive_while_they_are_written_and_the_kept_utterance_holds_them_all() {
    let pause = Duration::from_millis(1);
    let (_model, served) = with_model(Behaviour { pause, ..Behaviour::default() }).await;
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    let (mut words, mut kept) = (String::new(), Vec::new());
    loop {
        match talk.frame().await.unwrap().unwrap() {
            Frame::Delta(delta) => words.push_str(&delta.text),
            Frame::Event(event) => kept.push(event),
            Frame::TurnFinished(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(!words.is_empty(), "words arrive");
    assert!(said(&kept).contains(&("assistant", words.as_str())), "{words}: {:?}", said(&kept));
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_ones_side_while_the_model_writes_lets_the_turn_finish() {
    let (model, served) = held().await;
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    talk.close();
    model.let_go(MANY);
    assert_eq!(talk.turn().await.finished.client_message_id, "m1");
    talk.end().await.expect("then the stream ends well");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_whose_client_is_gone_is_finished_and_kept() {
    let (model, served) = held().await;
    let channel = served.channel().await;
    let (talk, session_id, opening) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    drop(talk);
    let (mut back, opened) = Talk::resume(&channel, &session_id, Some(opening.finished.last_seq)).await;
    assert_eq!(opened.last_seq, opening.finished.last_seq, "the turn is not over yet");
    model.let_go(MANY);
    let turn = back.turn().await;
    assert_eq!(turn.finished.client_message_id, "m1");
    assert_eq!(turn.events[0].seq, opening.finished.last_seq + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn four_messages_wait_for_the_running_turn_and_the_fifth_is_told_so() {
    let (model, served) = held().await;
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    for id in ["m2", "m3", "m4", "m5", "m6"] {
        talk.say(id, " ").await; // Blank text is a turn that asks no model.
    }
    assert_eq!(talk.refused().await, ("m6".to_owned(), Code::ResourceExhausted, "QUEUE_FULL".to_owned()));
    model.let_go(MANY);
    for id in ["m1", "m2", "m3", "m4", "m5"] {
        assert_eq!(talk.turn().await.finished.client_message_id, id);
    }
    talk.say("m6", " ").await;
    assert_eq!(talk.turn().await.finished.client_message_id, "m6", "the same message is taken when there is room");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_message_while_it_runs_is_answered_once_and_told_twice() {
    let (model, served) = held().await;
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    talk.say("m1", "Kim").await;
    model.let_go(MANY);
    let first = talk.turn().await;
    let second = talk.turn().await;
    assert_eq!(second.finished, first.finished);
    assert!(second.events.is_empty());
    assert_eq!(model.asked().len(), first.calls(), "no model was asked for the second");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_replaced_in_the_middle_of_a_turn_loses_nothing() {
    let (model, served) = held().await;
    let channel = served.channel().await;
    let (older, session_id, opening) = Talk::start(&channel).await;
    older.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    let (mut newer, _) = Talk::resume(&channel, &session_id, Some(opening.finished.last_seq)).await;
    assert_eq!(told(&older.end().await.unwrap_err()), (Code::Aborted, "SUPERSEDED".to_owned()));
    model.let_go(MANY);
    assert_eq!(newer.turn().await.finished.client_message_id, "m1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_ends_the_call_and_not_the_turn() {
    let (model, served) = held().await;
    let (_talk, session_id, _) = Talk::start(&served.channel().await).await;
    let request = v1::SubmitTurnRequest {
        session_id,
        client_message_id: "m1".to_owned(),
        input: Some(Input::Say("Kim".to_owned())),
    };
    let path = "/steersman.v1.Sessions/SubmitTurn";
    // By hand, because clients keep the deadline themselves and do not wait for what the server says.
    let late = call_over_http(&served, path, &request, &[("grpc-timeout", "50m")]).await;
    assert_eq!(late.unwrap_err(), (Code::DeadlineExceeded, "DEADLINE_EXCEEDED".to_owned()));
    let again = call_over_http(&served, path, &request, &[("grpc-timeout", "50m")]).await;
    assert_eq!(again.unwrap_err(), (Code::Aborted, "TURN_IN_PROGRESS".to_owned()));
    soon(model.heard(1)).await;
    model.let_go(MANY);
    let result = call_over_http(&served, path, &request, &[]).await.unwrap();
    let result = v1::TurnResult::decode(result.as_slice()).unwrap();
    assert_eq!(result.turn_finished.unwrap().client_message_id, "m1");
    let said = result.utterances.iter().filter(|said| said.role == "user").count();
    assert_eq!(said, 1, "it was taken once");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deadline_of_a_stream_ends_it_with_a_reason() {
    let (model, served) = held().await;
    let channel = served.channel().await;
    let (talk, session_id, _) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    let request = v1::WatchSessionRequest { session_id, after_seq: None };
    let path = "/steersman.v1.Sessions/WatchSession";
    let late = call_over_http(&served, path, &request, &[("grpc-timeout", "50m")]).await;
    assert_eq!(late.unwrap_err(), (Code::DeadlineExceeded, "DEADLINE_EXCEEDED".to_owned()));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_asked_to_stop_finishes_the_running_turn_first() {
    let (model, served) = held().await;
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    served.terminate();
    model.let_go(MANY);
    assert_eq!(talk.turn().await.finished.client_message_id, "m1");
    assert!(matches!(talk.frame().await, Ok(Some(Frame::Draining(_)))));
    let status: Status = talk.end().await.unwrap_err();
    assert_eq!(told(&status), (Code::Unavailable, "DRAINING".to_owned()));
    assert_eq!(soon(served.gone()).await.0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_models_failure_is_the_result_of_a_turn_and_no_error() {
    use steersman_tests::fake_model::{Answer, Fault};
    let answers = vec![Answer::Fails(Fault::BadKey)];
    let (_model, served) = with_model(Behaviour { answers, ..Behaviour::default() }).await;
    let channel = served.channel().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    let turn = talk.turn().await;
    assert_eq!((turn.finished.served_by.as_str(), turn.finished.durable), ("fallback", true));
    let request = v1::GetSessionRequest { session_id };
    let view = SessionsClient::new(channel).get_session(request).await.unwrap().into_inner();
    assert_eq!(view.position.unwrap().action.as_deref(), Some("ask_name"), "the question is still open");
}
