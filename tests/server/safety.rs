//! A person at acute risk, through the real server: no byte of a model's behind their message, whatever runs or breaks.

use std::time::Duration;

use prost::Message as _;
use steersman_domain::{
    control::crisis::{self, CrisisText},
    locale::Locale,
};
use steersman_proto::v1::{self, event::Body, server_frame::Frame, sessions_client::SessionsClient};
use steersman_tests::fake_model::{Behaviour, FakeModel, Manner};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::{
    served::{Folder, SCRIPT, Served},
    talk::{Talk, Turn, soon, told},
};

const ACUTE: &str = "I am going to kill myself tonight";
/// More requests than a test makes.
const MANY: usize = 100;

fn opening() -> String {
    crisis::text(CrisisText::Opening, Locale::En, None)
}

/// Returns what Steersman said, each with its source.
fn spoken(turn: &Turn) -> Vec<(&str, &str)> {
    let said = turn.events.iter().filter_map(|event| match &event.body {
        Some(Body::Utterance(said)) if said.role == "assistant" => Some((said.source.as_str(), said.text.as_str())),
        _ => None,
    });
    said.collect()
}

async fn clear(served: &Served, session_id: &str) -> Result<v1::TurnResult, Status> {
    let request = v1::ClearRiskRequest {
        session_id: session_id.to_owned(),
        reason: "seen in person".to_owned(),
        by: "Dr. Lin".to_owned(),
        client_message_id: "clear-1".to_owned(),
    };
    let cleared = SessionsClient::new(served.channel().await).clear_risk(request).await;
    cleared.map(tonic::Response::into_inner)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_must_catch_phrase_breaks_off_a_streamed_reply_and_no_word_of_a_model_follows() {
    let pause = Duration::from_millis(20);
    let model =
        FakeModel::start(([127, 0, 0, 1], 0).into(), Behaviour { pause, ..Behaviour::default() }).await.unwrap();
    let served = Served::with(&["--llm", "ollama:small", "--llm-url", &model.url()]);
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    let streaming = loop {
        if let Frame::Delta(delta) = talk.frame().await.unwrap().unwrap() {
            break delta.utterance_id;
        }
    };
    talk.say("m2", ACUTE).await;
    let mut retracted = Vec::new();
    loop {
        match talk.frame().await.unwrap().unwrap() {
            Frame::Retracted(back) => retracted.push(back.utterance_id),
            Frame::TurnFinished(finished) => {
                assert_eq!(finished.client_message_id, "m1");
                break;
            }
            Frame::Delta(_) | Frame::Event(_) => {} // What was on its way before the message came.
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(retracted, [streaming], "what was shown is taken back");
    let turn = talk.turn().await;
    assert_eq!(spoken(&turn), [("crisis", opening().as_str())]);
    assert_eq!((turn.calls(), turn.finished.served_by.as_str()), (0, "crisis"));
    let asked = model.asked().len();
    for id in ["m3", "m4", "m5", "m6"] {
        talk.say(id, "are you there?").await;
        let turn = talk.turn().await;
        assert!(spoken(&turn).iter().all(|(source, _)| *source == "crisis"), "{:?}", spoken(&turn));
    }
    assert_eq!(model.asked().len(), asked, "no model was asked any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn high_outlives_the_process_and_the_session_until_a_clinician_clears_it() {
    let folder = Folder::new();
    folder.file("scripts/demo.yaml", SCRIPT);
    let arguments = ["--scripts", "scripts", "--db", "sqlite://kept.db"];
    let mut served = Served::start(folder.path(), &arguments);
    let mut talk = Talk::silent(&served.channel().await).await;
    talk.send(of_anna()).await;
    let session_id = talk.opened().await.session_id;
    talk.turn().await;
    talk.say("m1", ACUTE).await;
    assert_eq!(spoken(&talk.turn().await), [("crisis", opening().as_str())]);
    served.kill();

    let mut served = Served::start(folder.path(), &arguments);
    let channel = served.channel().await;
    let (mut talk, _) = Talk::resume(&channel, &session_id, None).await;
    talk.say("m2", "hello?").await;
    let turn = talk.turn().await;
    assert_eq!((spoken(&turn)[0].0, turn.calls()), ("crisis", 0), "it is high still");

    let mut other = Talk::silent(&channel).await;
    other.send(of_anna()).await;
    let second = other.opened().await.session_id;
    let first = other.turn().await;
    assert_eq!(spoken(&first), [("crisis", opening().as_str())], "a new session of hers starts high");

    let cleared = clear(&served, &session_id).await.unwrap();
    assert_eq!(cleared.utterances.len(), 1);
    assert_eq!(clear(&served, &session_id).await.unwrap(), cleared, "the same message again changes nothing");
    talk.turn().await;
    talk.say("m3", "I am all right").await;
    let turn = talk.turn().await;
    let restarted = turn.events.iter().find_map(|event| match &event.body {
        Some(Body::ActionStarted(started)) => Some(started.action.as_str()),
        _ => None,
    });
    assert_eq!(restarted, Some("ask_name"), "the action that safety broke off");

    let mut third = Talk::silent(&channel).await;
    third.send(of_anna()).await;
    third.opened().await;
    assert_eq!(third.turn().await.said().last(), Some(&("assistant", "What is your name?")), "the latch is lifted");
    let view = SessionsClient::new(channel).get_session(v1::GetSessionRequest { session_id: second }).await.unwrap();
    assert!(format!("{:?}", view.into_inner().status).contains("waiting_input"));
    served.kill();
}

#[tokio::test]
async fn what_is_refused_is_looked_at_all_the_same() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    let long = format!("{ACUTE}. {}", "I mean it. ".repeat(1_000));
    talk.say("m1", &long).await;
    assert_eq!(notice(&mut talk).await, ("TEXT_TOO_LONG".to_owned(), Some(opening())));
    talk.say("m2", &"all is well. ".repeat(1_000)).await;
    assert_eq!(notice(&mut talk).await, ("TEXT_TOO_LONG".to_owned(), None));
    talk.say("m3", "stop").await;
    assert_eq!(talk.turn().await.finished.status, "ended");
    talk.say("m4", ACUTE).await;
    assert_eq!(notice(&mut talk).await, ("SESSION_ENDED".to_owned(), Some(opening())));
    talk.say("m5", "thanks").await;
    assert_eq!(notice(&mut talk).await, ("SESSION_ENDED".to_owned(), None));

    let request = v1::SubmitTurnRequest {
        session_id,
        client_message_id: "m6".to_owned(),
        input: Some(v1::submit_turn_request::Input::Say(ACUTE.to_owned())),
    };
    let refused = SessionsClient::new(channel).submit_turn(request).await.unwrap_err();
    assert_eq!(told(&refused).0, Code::FailedPrecondition);
    assert_eq!(text_of(&refused), Some(opening()));
}

#[tokio::test]
async fn a_clearance_needs_a_name_and_a_reason() {
    let served = Served::offline();
    let (_talk, session_id, _) = Talk::start(&served.channel().await).await;
    let request = v1::ClearRiskRequest { session_id, client_message_id: "c".to_owned(), ..Default::default() };
    let refused = SessionsClient::new(served.channel().await).clear_risk(request).await.unwrap_err();
    assert_eq!(told(&refused), (Code::InvalidArgument, "FIELD_INVALID".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_behind_others_still_breaks_the_running_turn_off() {
    let behaviour = Behaviour { manner: Manner::Held, ..Behaviour::default() };
    let model = FakeModel::start(([127, 0, 0, 1], 0).into(), behaviour).await.unwrap();
    let served = Served::with(&["--llm", "ollama:small", "--llm-url", &model.url()]);
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    soon(model.heard(1)).await;
    talk.say("m2", "are you there?").await;
    talk.say("m3", ACUTE).await;
    // The model never answers: whatever comes does not wait for it.
    for id in ["m1", "m2"] {
        assert_eq!(talk.turn().await.finished.client_message_id, id);
    }
    assert_eq!(spoken(&talk.turn().await), [("crisis", opening().as_str())]);
    model.let_go(MANY);
}

fn of_anna() -> v1::client_frame::Frame {
    let start = v1::Start { script_id: "demo".to_owned(), subject_id: Some("anna".to_owned()), ..Default::default() };
    v1::client_frame::Frame::Open(v1::Open { with: Some(v1::open::With::Start(start)) })
}

/// Waits for a refusal; returns its reason, and what the person is to read with it.
async fn notice(talk: &mut Talk) -> (String, Option<String>) {
    match talk.frame().await.unwrap() {
        Some(Frame::TurnError(error)) => {
            let status = error.status.unwrap();
            let details = status.encode_to_vec();
            let status = Status::with_details(Code::from_i32(status.code), status.message, details.into());
            (told(&status).1, text_of(&status))
        }
        other => panic!("{other:?} in place of an error"),
    }
}

fn text_of(status: &Status) -> Option<String> {
    status.get_details_error_info()?.metadata.get("crisis_text").cloned()
}
