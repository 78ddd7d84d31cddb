//! Talking: open, answer, send again, come back, look on, leave.

use steersman_proto::v1::{
    self, event::Body, server_frame::Frame, sessions_client::SessionsClient, submit_turn_request,
};
use tonic::Code;

use crate::{
    served::Served,
    talk::{Talk, choose, said, say, soon, told},
};

#[tokio::test]
async fn a_session_is_opened_talked_through_and_ends() {
    let served = Served::offline();
    let (mut talk, session_id, opening) = Talk::start(&served.channel().await).await;
    assert_eq!(opening.finished.client_message_id, "");
    assert_eq!(opening.said().last(), Some(&("assistant", "What is your name?")));
    assert!(opening.events.iter().zip(1..).all(|(event, seq)| event.seq == seq), "numbered from 1 without gaps");
    assert!(matches!(&opening.events[0].body, Some(Body::SessionStarted(started)) if started.session_id == session_id));

    talk.say("m1", "Kim").await;
    let turn = talk.turn().await;
    assert_eq!((turn.finished.client_message_id.as_str(), turn.finished.durable), ("m1", true));
    assert_eq!(turn.said().first(), Some(&("user", "Kim")));
    assert_eq!(turn.finished.position.as_ref().unwrap().action.as_deref(), Some("ask_craft"));

    talk.say("m2", "pottery").await;
    assert_eq!(talk.turn().await.finished.position.unwrap().action.as_deref(), Some("pick"));
    talk.send(choose("m3", "weekends")).await;
    let last = talk.turn().await;
    assert_eq!((last.finished.status.as_str(), last.finished.position), ("completed", None));

    talk.close();
    talk.end().await.expect("nothing is left to say");
}

#[tokio::test]
async fn the_same_message_again_gives_what_came_of_it_and_asks_no_model() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    let first = talk.turn().await;
    assert!(first.calls() > 0, "a model was asked the first time");

    talk.say("m1", "Kim").await;
    let again = talk.turn().await;
    assert_eq!(again.finished, first.finished);
    assert!(again.events.is_empty(), "nothing happened again");

    let unary = submit(&channel, &session_id, "m1", "Kim").await.unwrap();
    assert_eq!(unary.turn_finished.as_ref(), Some(&first.finished));
    let words: Vec<_> = unary.utterances.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(words, first.said().iter().map(|(_, text)| *text).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_same_id_for_another_message_is_refused_and_nothing_changes() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    let first = talk.turn().await;
    talk.say("m1", "Not Kim").await;
    let reused = ("m1".to_owned(), Code::AlreadyExists, "IDEMPOTENCY_KEY_REUSED".to_owned());
    assert_eq!(talk.refused().await, reused);
    let status = submit(&channel, &session_id, "m1", "Not Kim").await.unwrap_err();
    assert_eq!(told(&status), (Code::AlreadyExists, "IDEMPOTENCY_KEY_REUSED".to_owned()));
    let now = session(&channel, &session_id).await;
    assert_eq!(now.position, first.finished.position);
}

#[tokio::test]
async fn a_newer_conversation_takes_the_place_of_an_older() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (older, session_id, opening) = Talk::start(&channel).await;
    let (mut newer, opened) = Talk::resume(&channel, &session_id, None).await;
    assert_eq!(opened.last_seq, opening.finished.last_seq);
    assert_eq!(opened.session.unwrap().position, opening.finished.position);
    let end = older.end().await.unwrap_err();
    assert_eq!(told(&end), (Code::Aborted, "SUPERSEDED".to_owned()));
    newer.say("m1", "Kim").await;
    assert_eq!(newer.turn().await.finished.client_message_id, "m1");
}

#[tokio::test]
async fn whoever_comes_back_gets_what_was_missed_and_nothing_twice() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, session_id, opening) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    let turn = talk.turn().await;
    drop(talk);

    let last = turn.finished.last_seq;
    let seen = opening.finished.last_seq;
    let (mut back, opened) = Talk::resume(&channel, &session_id, Some(seen)).await;
    assert_eq!(opened.last_seq, last);
    assert_eq!(back.events_to(last).await, turn.events);
    let (mut all, _) = Talk::resume(&channel, &session_id, Some(0)).await;
    assert_eq!(all.events_to(last).await, [opening.events, turn.events].concat());
    let (mut new, _) = Talk::resume(&channel, &session_id, None).await;
    new.say("m2", "pottery").await;
    assert_eq!(new.turn().await.events[0].seq, last + 1);
}

#[tokio::test]
async fn whoever_looks_on_sees_all_and_takes_nobodys_place() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, session_id, opening) = Talk::start(&channel).await;
    let request = v1::WatchSessionRequest { session_id: session_id.clone(), after_seq: Some(0) };
    let mut watched = soon(SessionsClient::new(channel).watch_session(request)).await.unwrap().into_inner();
    talk.say("m1", "Kim").await;
    let turn = talk.turn().await;
    let mut seen = Vec::new();
    let finished = loop {
        match soon(watched.message()).await.unwrap().unwrap().frame.unwrap() {
            Frame::Opened(opened) => assert_eq!(opened.session_id, session_id),
            Frame::Event(event) => seen.push(event),
            Frame::TurnFinished(finished) => break finished,
            Frame::Delta(_) | Frame::Retracted(_) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(finished, turn.finished);
    assert_eq!(seen, [opening.events, turn.events].concat());
}

#[tokio::test]
async fn closing_ones_side_lets_the_running_turn_finish() {
    let served = Served::offline();
    let (mut talk, _, _) = Talk::start(&served.channel().await).await;
    talk.say("m1", "Kim").await;
    talk.close();
    let turn = talk.turn().await;
    assert_eq!(turn.finished.client_message_id, "m1");
    assert_eq!(said(&turn.events)[0], ("user", "Kim"));
    talk.end().await.expect("then the stream ends well");
}

#[tokio::test]
async fn a_simple_client_starts_talks_lists_reads_ends_exports_and_erases() {
    let served = Served::offline();
    let channel = served.channel().await;
    let mut sessions = SessionsClient::new(channel.clone());
    let start =
        v1::Start { script_id: "demo".to_owned(), subject_id: Some("somebody".to_owned()), ..v1::Start::default() };
    let started = sessions.start_session(v1::StartSessionRequest { start: Some(start) }).await.unwrap().into_inner();
    let (id, opening) = (started.session_id, started.opening.unwrap());
    assert_eq!(opening.utterances.last().unwrap().text, "What is your name?");
    let turn = submit(&channel, &id, "m1", "Kim").await.unwrap();
    assert_eq!((turn.first_seq, turn.utterances[0].text.as_str()), (opening.last_seq + 1, "Kim"));

    let about = v1::ListSessionsRequest { subject_id: Some("somebody".to_owned()), ..Default::default() };
    let listed = sessions.list_sessions(about).await.unwrap().into_inner().sessions;
    assert_eq!(listed.iter().map(|session| session.session_id.as_str()).collect::<Vec<_>>(), [id.as_str()]);
    let about = v1::ListSessionsRequest { subject_id: Some("nobody".to_owned()), ..Default::default() };
    assert_eq!(sessions.list_sessions(about).await.unwrap().into_inner().sessions, []);

    let view = session(&channel, &id).await;
    assert_eq!(view.variables["session"].variables["name"].kind, "string");
    assert_eq!(view.subject.as_deref(), Some("somebody"));

    let asked = v1::GetTranscriptRequest { session_id: id.clone(), after_seq: 0, limit: 2 };
    let first = sessions.get_transcript(asked).await.unwrap().into_inner();
    assert!(first.has_more && first.lines.len() == 2);
    let after_seq = first.lines[1].seq;
    let asked = v1::GetTranscriptRequest { session_id: id.clone(), after_seq, limit: 0 };
    let rest = sessions.get_transcript(asked).await.unwrap().into_inner();
    assert!(!rest.has_more && rest.lines[0].seq > after_seq);

    let events = list_events(&channel, &id).await;
    assert_eq!(events.len() as u64, turn.last_seq);

    let end = v1::EndSessionRequest { session_id: id.clone(), client_message_id: "stop".to_owned(), reason: None };
    let ended = sessions.end_session(end.clone()).await.unwrap().into_inner().turn_finished.unwrap();
    assert_eq!(ended.status, "ended");
    assert_eq!(sessions.end_session(end).await.unwrap().into_inner().turn_finished.unwrap(), ended);

    let mut export =
        sessions.export_session(v1::ExportSessionRequest { session_id: id.clone() }).await.unwrap().into_inner();
    let mut file = Vec::new();
    while let Some(part) = export.message().await.unwrap() {
        file.extend(part.chunk);
    }
    let first: serde_json::Value = serde_json::from_slice(file.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!((&first["line"], &first["session_id"]), (&"export".into(), &id.clone().into()));

    sessions.erase_session(v1::EraseSessionRequest { session_id: id.clone() }).await.unwrap();
    let gone = sessions.get_session(v1::GetSessionRequest { session_id: id.clone() }).await.unwrap_err();
    assert_eq!(told(&gone), (Code::NotFound, "SESSION_NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn erasing_a_session_sends_away_whoever_talks_to_it() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (talk, session_id, _) = Talk::start(&channel).await;
    let request = v1::EraseSessionRequest { session_id };
    SessionsClient::new(channel).erase_session(request).await.unwrap();
    assert_eq!(told(&talk.end().await.unwrap_err()), (Code::NotFound, "SESSION_NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn many_sessions_talk_over_one_connection_at_once() {
    let served = Served::offline();
    let channel = served.channel().await;
    let talks = (0..20).map(|_| async {
        let (mut talk, session_id, _) = Talk::start(&channel).await;
        talk.send(say("m1", "Kim")).await;
        (session_id, talk.turn().await.finished.client_message_id)
    });
    let done = futures_util::future::join_all(talks).await;
    assert!(done.iter().all(|(_, id)| id == "m1"));
    let mut ids: Vec<_> = done.into_iter().map(|(id, _)| id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}

async fn submit(
    channel: &tonic::transport::Channel,
    session_id: &str,
    id: &str,
    text: &str,
) -> Result<v1::TurnResult, tonic::Status> {
    let request = v1::SubmitTurnRequest {
        session_id: session_id.to_owned(),
        client_message_id: id.to_owned(),
        input: Some(submit_turn_request::Input::Say(text.to_owned())),
    };
    soon(SessionsClient::new(channel.clone()).submit_turn(request)).await.map(tonic::Response::into_inner)
}

async fn session(channel: &tonic::transport::Channel, session_id: &str) -> v1::SessionView {
    let request = v1::GetSessionRequest { session_id: session_id.to_owned() };
    soon(SessionsClient::new(channel.clone()).get_session(request)).await.unwrap().into_inner()
}

async fn list_events(channel: &tonic::transport::Channel, session_id: &str) -> Vec<v1::Event> {
    let (mut sessions, mut events) = (SessionsClient::new(channel.clone()), Vec::<v1::Event>::new());
    loop {
        let after_seq = events.last().map_or(0, |event| event.seq);
        let request = v1::ListEventsRequest { session_id: session_id.to_owned(), after_seq, limit: 7 };
        let page = soon(sessions.list_events(request)).await.unwrap().into_inner();
        events.extend(page.events);
        if !page.has_more {
            return events;
        }
    }
}
