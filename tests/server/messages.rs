//! What bad messages get: a status with its reason, and nothing else changes.

use steersman_proto::v1::{
    self, client_frame::Frame as Sent, sessions_client::SessionsClient, submit_turn_request::Input,
};
use tonic::{Code, transport::Channel};
use tonic_types::StatusExt;

use crate::{
    served::Served,
    talk::{Talk, choose, resume, say, soon, start, told},
};

/// How a message is answered when the stream lives on.
async fn answered(talk: &mut Talk, frame: Sent) -> (Code, String) {
    talk.send(frame).await;
    let (_, code, reason) = talk.refused().await;
    (code, reason)
}

/// How a stream ends whose first frame is this.
async fn ended(channel: &Channel, frame: Sent) -> (Code, String) {
    let talk = Talk::silent(channel).await;
    talk.send(frame).await;
    told(&talk.end().await.unwrap_err())
}

fn is(code: Code, reason: &str) -> (Code, String) {
    (code, reason.to_owned())
}

#[tokio::test]
async fn a_stream_that_does_not_begin_with_open_ends() {
    let served = Served::offline();
    let channel = served.channel().await;
    let required = is(Code::FailedPrecondition, "OPEN_REQUIRED");
    assert_eq!(ended(&channel, say("m1", "hello")).await, required);
    let empty = Talk::silent(&channel).await;
    empty.send_empty().await;
    assert_eq!(told(&empty.end().await.unwrap_err()), required);
    let mut closed = Talk::silent(&channel).await;
    closed.close();
    assert_eq!(told(&closed.end().await.unwrap_err()), required);
    let neither = ended(&channel, Sent::Open(v1::Open { with: None })).await;
    assert_eq!(neither, is(Code::InvalidArgument, "FIELD_INVALID"));
}

#[tokio::test]
async fn what_cannot_be_opened_is_refused_for_its_reason() {
    let served = Served::offline();
    let channel = served.channel().await;
    let started = |change: fn(&mut v1::Start)| {
        let mut start = v1::Start { script_id: "demo".to_owned(), ..v1::Start::default() };
        change(&mut start);
        Sent::Open(v1::Open { with: Some(v1::open::With::Start(start)) })
    };
    let invalid = || is(Code::InvalidArgument, "FIELD_INVALID");
    let text = |text: &str| steersman_proto::json::Value::from(&serde_json::json!(text));
    let mut unknown = v1::Start { script_id: "demo".to_owned(), ..v1::Start::default() };
    unknown.variables.insert("nmae".to_owned(), text("Kim"));
    let unknown = Sent::Open(v1::Open { with: Some(v1::open::With::Start(unknown)) });
    let rows = [
        (start("nowhere"), is(Code::NotFound, "SCRIPT_NOT_FOUND")),
        (start("not an id"), invalid()),
        (started(|start| start.version = Some("9".to_owned())), is(Code::NotFound, "SCRIPT_NOT_FOUND")),
        (started(|start| start.locale = Some("xx".to_owned())), is(Code::InvalidArgument, "LOCALE_UNSUPPORTED")),
        (started(|start| start.country = Some("Germany".to_owned())), invalid()),
        (started(|start| start.subject_id = Some("a\u{7}b".to_owned())), invalid()),
        (unknown, invalid()),
        (resume("0198aaaa-0000-7000-8000-000000000000", None), is(Code::NotFound, "SESSION_NOT_FOUND")),
        (resume("../etc/passwd", None), is(Code::NotFound, "SESSION_NOT_FOUND")),
        (resume("", None), is(Code::NotFound, "SESSION_NOT_FOUND")),
    ];
    for (frame, expected) in rows {
        let shown = format!("{frame:?}");
        assert_eq!(ended(&channel, frame).await, expected, "{shown}");
    }
}

#[tokio::test]
async fn an_unknown_a_malformed_and_an_erased_session_are_told_apart_by_nobody() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (_talk, erased, _) = Talk::start(&channel).await;
    let mut sessions = SessionsClient::new(channel);
    sessions.erase_session(v1::EraseSessionRequest { session_id: erased.clone() }).await.unwrap();
    let mut answers = Vec::new();
    for id in [erased.as_str(), "0198aaaa-0000-7000-8000-000000000000", "no id at all"] {
        let request = v1::GetSessionRequest { session_id: id.to_owned() };
        let status = sessions.get_session(request).await.unwrap_err();
        answers.push((status.code(), status.message().to_owned(), status.details().to_vec()));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[tokio::test]
async fn a_stream_lives_on_after_frames_that_mean_nothing() {
    let served = Served::offline();
    let (mut talk, session_id, _) = Talk::start(&served.channel().await).await;
    let invalid = || is(Code::InvalidArgument, "FIELD_INVALID");
    assert_eq!(answered(&mut talk, start("demo")).await, is(Code::FailedPrecondition, "ALREADY_OPEN"));
    let again = answered(&mut talk, resume(&session_id, None)).await;
    assert_eq!(again, is(Code::FailedPrecondition, "ALREADY_OPEN"));
    talk.send_empty().await;
    assert_eq!(talk.refused().await, (String::new(), Code::InvalidArgument, "FIELD_INVALID".to_owned()));

    let long_id = "m".repeat(129);
    for id in ["", "with space", "ü", &long_id] {
        assert_eq!(answered(&mut talk, say(id, "hello")).await, invalid(), "{id}");
    }
    assert_eq!(answered(&mut talk, say("nul", "a\0b")).await, is(Code::InvalidArgument, "BAD_ENCODING"));
    let long = "x".repeat(8 * 1024 + 1);
    assert_eq!(answered(&mut talk, say("long", &long)).await, is(Code::InvalidArgument, "TEXT_TOO_LONG"));
    assert_eq!(answered(&mut talk, choose("early", "weekends")).await, is(Code::FailedPrecondition, "NOT_WAITING"));
    let taken = Sent::Acknowledge(v1::Acknowledge { client_message_id: "ack".to_owned() });
    assert_eq!(answered(&mut talk, taken).await, is(Code::FailedPrecondition, "NOT_WAITING"));
    let form = v1::SubmitForm { client_message_id: "form".to_owned(), form: "phq9".to_owned(), answers: None };
    assert_eq!(answered(&mut talk, Sent::SubmitForm(form)).await, is(Code::FailedPrecondition, "NOT_WAITING"));

    talk.say("m1", "Kim").await;
    assert_eq!(talk.turn().await.finished.client_message_id, "m1");
}

#[tokio::test]
async fn odd_texts_are_data() {
    let served = Served::offline();
    let (mut talk, _, opening) = Talk::start(&served.channel().await).await;
    talk.say("blank", " \u{200b}\n ").await;
    let blank = talk.turn().await;
    assert_eq!(blank.calls(), 0, "blank text is an ordinary turn that asks no model");
    assert_eq!(blank.finished.position, opening.finished.position, "and the round stays");
    talk.say("bidi", "\u{202e}mik\u{202c} \u{2066}x\u{2069}").await;
    assert_eq!(talk.turn().await.said()[0].1, "\u{202e}mik\u{202c} \u{2066}x\u{2069}");
    let marks = "a".to_owned() + &"\u{301}".repeat(4_000);
    talk.say("marks", &marks).await;
    assert_eq!(talk.turn().await.said()[0].1, marks);
}

#[tokio::test]
async fn fifty_thousand_combining_marks_are_over_the_limit_and_told_so() {
    let served = Served::offline();
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    let marks = "a".to_owned() + &"\u{301}".repeat(50_000);
    assert_eq!(answered(&mut talk, say("marks", &marks)).await, is(Code::InvalidArgument, "TEXT_TOO_LONG"));
}

#[tokio::test]
async fn a_choice_that_does_not_exist_is_refused_with_those_that_do() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    for (id, text) in [("m1", "Kim"), ("m2", "pottery")] {
        talk.say(id, text).await;
        talk.turn().await;
    }
    assert_eq!(answered(&mut talk, choose("m3", "mornings")).await, is(Code::InvalidArgument, "FIELD_INVALID"));
    let choice = v1::Choice { action: None, key: "mornings".to_owned() };
    let request =
        v1::SubmitTurnRequest { session_id, client_message_id: "m3".to_owned(), input: Some(Input::Choose(choice)) };
    let status = soon(SessionsClient::new(channel).submit_turn(request)).await.unwrap_err();
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().metadata["allowed"], "evenings,weekends");
    assert_eq!(details.bad_request().unwrap().field_violations[0].field, "choose.key");
    let late = Sent::Choose(v1::Choose {
        client_message_id: "m4".to_owned(),
        action: Some("ask_name".to_owned()),
        key: "weekends".to_owned(),
    });
    assert_eq!(answered(&mut talk, late).await, is(Code::FailedPrecondition, "NOT_WAITING"));
    talk.send(choose("m5", "weekends")).await;
    assert_eq!(talk.turn().await.finished.status, "completed");
}

#[tokio::test]
async fn an_ended_session_takes_no_message_and_says_why_it_ended() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    talk.send(Sent::Stop(v1::Stop { client_message_id: "stop".to_owned(), reason: None })).await;
    assert_eq!(talk.turn().await.finished.status, "ended");
    assert_eq!(answered(&mut talk, say("m1", "hello?")).await, is(Code::FailedPrecondition, "SESSION_ENDED"));
    let request = v1::SubmitTurnRequest {
        session_id,
        client_message_id: "m1".to_owned(),
        input: Some(Input::Say("hello?".to_owned())),
    };
    let status = soon(SessionsClient::new(channel).submit_turn(request)).await.unwrap_err();
    assert_eq!(status.get_details_error_info().unwrap().metadata["end_reason"], "stopped");
}

#[tokio::test]
async fn frames_that_are_too_large_or_cannot_be_read_are_told_so() {
    let served = Served::offline();
    let channel = served.channel().await;
    let large = "x".repeat(256 * 1024 + 1);
    let (talk, session_id, _) = Talk::start(&channel).await;
    talk.say("large", &large).await;
    assert_eq!(told(&talk.end().await.unwrap_err()), is(Code::ResourceExhausted, "MESSAGE_TOO_LARGE"));

    let request =
        v1::SubmitTurnRequest { session_id, client_message_id: "large".to_owned(), input: Some(Input::Say(large)) };
    let status = soon(SessionsClient::new(channel.clone()).submit_turn(request)).await.unwrap_err();
    assert_eq!(told(&status), is(Code::ResourceExhausted, "MESSAGE_TOO_LARGE"));

    // A text that is no UTF-8: field 1, length 2.
    let status = crate::surface::raw(&channel, "/steersman.v1.Sessions/GetSession", vec![0x0a, 2, 0xff, 0xfe]).await;
    assert_eq!(told(&status.unwrap_err()), is(Code::InvalidArgument, "BAD_ENCODING"));
}

#[tokio::test]
async fn no_error_repeats_what_a_person_wrote() {
    let served = Served::offline();
    let channel = served.channel().await;
    let secret = "my-sister-Ada";
    let mut sessions = SessionsClient::new(channel);
    let start = v1::Start { script_id: secret.to_owned(), subject_id: Some(secret.to_owned()), ..Default::default() };
    let status = sessions.start_session(v1::StartSessionRequest { start: Some(start) }).await.unwrap_err();
    assert!(!format!("{status:?}").contains(secret), "{status:?}");
}
