//! What every implementation of `Sessions` must do, in this process or over the wire.
//!
//! The script of the contract must be published, and played by a model that takes every answer at once.

use std::{collections::BTreeMap, sync::Arc};

use steersman_domain::{
    id::{ScriptId, SessionId},
    session::{EventBody, InputRefused, SessionEvent, StartRefused, Status},
    utterance::Text,
    variable::{Value, VariableName},
};

use crate::{
    Principal,
    ports::{
        ClientInput, Conversation, Frames, LibraryError, MessageId, Open, OpenError, Opening, ServerFrame, Sessions,
        StreamEnd, SubmitError, TurnError, TurnFinished,
    },
};

/// The script that is played: two questions and a choice.
pub const SCRIPT: &str = "\
steersman: 1
script: contract
version: 1.0.0
locale: en
declare:
  - {var: name, define: what to be called}
  - {var: age, type: number, define: how old}
  - {var: track, define: when to come}
phases:
  - phase: main
    topics:
      - topic: talk
        actions:
          - id: ask_name
            ai_ask: find out the name
            opening: What is your name?
            exit: a name was given
            output: [{get: name, define: what to be called}]
          - id: pick
            user_option: track
            ask: When?
            choices: [{evenings: Evenings}, {weekends: Weekends}]
          - say: See you soon.
";

/// What a turn looked like from outside.
struct Seen {
    events: Vec<Arc<SessionEvent>>,
    finished: TurnFinished,
}

/// Talks a session through, from its opening to its end.
pub async fn a_session_is_talked_through(sessions: &dyn Sessions) {
    let (mut talk, opening) = start(sessions).await;
    assert!(opening.events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    assert_eq!(opening.finished.client_message_id, None);
    say(&talk, "m1", "Kim");
    let turn = turn(&mut talk.frames).await;
    assert_eq!(turn.finished.first_seq, opening.finished.last_seq + 1);
    assert_eq!(turn.events.last().map(|event| event.seq), Some(turn.finished.last_seq));
    send(&talk, choose("m2", "weekends"));
    let last = self::turn(&mut talk.frames).await;
    assert_eq!((last.finished.status, last.finished.position), (Status::Completed, None));
    say(&talk, "m3", "And now?");
    let ended = error(&mut talk.frames).await;
    assert!(matches!(ended, TurnError::Refused(InputRefused::Ended(_))), "{ended:?}");
}

/// Sends the same message again, on the stream and by itself: what came of it is told, and nothing happens again.
pub async fn a_message_sent_again_gives_what_came_of_it(sessions: &dyn Sessions) {
    let (mut talk, _) = start(sessions).await;
    say(&talk, "m1", "Kim");
    let first = turn(&mut talk.frames).await;
    say(&talk, "m1", "Kim");
    let again = turn(&mut talk.frames).await;
    assert_eq!((again.events.len(), &again.finished), (0, &first.finished));
    let id = &talk.opened.session_id;
    let alone = sessions.submit(&Principal::local(), id, said("m1", "Kim")).await.expect("it was answered before");
    assert_eq!(alone, first.finished);
}

/// Sends another message under an id that was used: it is refused, and the session stays where it was.
pub async fn an_id_names_one_message(sessions: &dyn Sessions) {
    let (mut talk, _) = start(sessions).await;
    say(&talk, "m1", "Kim");
    let first = turn(&mut talk.frames).await;
    say(&talk, "m1", "Not Kim");
    let reused = error(&mut talk.frames).await;
    assert!(matches!(reused, TurnError::KeyReused), "{reused:?}");
    let id = &talk.opened.session_id;
    let alone = sessions.submit(&Principal::local(), id, said("m1", "Not Kim")).await;
    assert!(matches!(alone, Err(SubmitError::Turn(TurnError::KeyReused))), "{alone:?}");
    let (_, mut frames) = sessions.watch(&Principal::local(), id, Some(0)).await.expect("it is there");
    let all = events_to(&mut frames, first.finished.last_seq).await;
    assert_eq!(all.len() as u64, first.finished.last_seq);
}

/// Comes back: what was missed comes first, whole and once; without a cursor only what is new.
pub async fn whoever_comes_back_gets_what_was_missed(sessions: &dyn Sessions) {
    let (mut talk, opening) = start(sessions).await;
    say(&talk, "m1", "Kim");
    let missed = turn(&mut talk.frames).await;
    let id = talk.opened.session_id.clone();
    drop(talk);
    let last = missed.finished.last_seq;
    for (after, expected) in [
        (0, [opening.events.as_slice(), &missed.events].concat()),
        (opening.finished.last_seq, missed.events.clone()),
        (last, Vec::new()),
    ] {
        let mut back = resume(sessions, &id, Some(after)).await;
        assert_eq!(back.opened.last_seq, last);
        assert_eq!(events_to(&mut back.frames, if expected.is_empty() { 0 } else { last }).await, expected);
    }
    let mut new = resume(sessions, &id, None).await;
    send(&new, choose("m2", "evenings"));
    assert_eq!(turn(&mut new.frames).await.events[0].seq, last + 1);
}

/// Talks from a second place: the first is sent away, and the second goes on.
pub async fn a_newer_conversation_takes_the_place_of_an_older(sessions: &dyn Sessions) {
    let (mut older, _) = start(sessions).await;
    let mut newer = resume(sessions, &older.opened.session_id, None).await;
    assert_eq!(end(&mut older.frames).await, Some(StreamEnd::Superseded));
    say(&newer, "m1", "Kim");
    let id = turn(&mut newer.frames).await.finished.client_message_id;
    assert_eq!(id.as_ref().map(MessageId::as_str), Some("m1"));
}

/// Looks on: all is seen, and nobody's place is taken, neither by a watcher nor by a single message.
pub async fn whoever_looks_on_takes_nobodys_place(sessions: &dyn Sessions) {
    let (mut talk, _) = start(sessions).await;
    let id = talk.opened.session_id.clone();
    let (opened, mut watched) = sessions.watch(&Principal::local(), &id, None).await.expect("it is there");
    assert_eq!((&opened.session_id, opened.last_seq), (&id, talk.opened.last_seq.max(opened.last_seq)));
    let alone = sessions.submit(&Principal::local(), &id, said("m1", "Kim")).await.expect("it is taken");
    let (seen, heard) = (turn(&mut watched).await, turn(&mut talk.frames).await);
    assert_eq!((&seen.finished, &heard.finished), (&alone, &alone));
    assert_eq!(seen.events, heard.events);
    send(&talk, choose("m2", "evenings"));
    assert_eq!(turn(&mut talk.frames).await.finished.status, Status::Completed);
}

/// Sends what the session does not wait for, and choices that there are not: refused with why, and the stream lives.
pub async fn what_does_not_fit_is_refused_and_the_conversation_goes_on(sessions: &dyn Sessions) {
    let (mut talk, _) = start(sessions).await;
    send(&talk, choose("early", "evenings"));
    let early = error(&mut talk.frames).await;
    assert!(matches!(early, TurnError::Refused(InputRefused::NotWaiting)), "{early:?}");
    say(&talk, "long", &"x".repeat(9 * 1024));
    let long = error(&mut talk.frames).await;
    assert!(matches!(long, TurnError::TextTooLong { bytes: 9_216, limit: 8_192 }), "{long:?}");
    say(&talk, "nul", "a\0b");
    assert!(matches!(error(&mut talk.frames).await, TurnError::BadEncoding));
    say(&talk, "m1", "Kim");
    turn(&mut talk.frames).await;
    send(&talk, choose("m2", "mornings"));
    let refused = error(&mut talk.frames).await;
    let TurnError::Refused(InputRefused::UnknownChoice { allowed }) = &refused else { panic!("{refused:?}") };
    assert_eq!(allowed, &["evenings", "weekends"]);
    send(&talk, choose("m3", "evenings"));
    assert_eq!(turn(&mut talk.frames).await.finished.status, Status::Completed);
}

/// Opens what is not there, and starts with what the script does not take.
pub async fn what_cannot_be_opened_says_why(sessions: &dyn Sessions) {
    let nobody = SessionId::new("nobody").expect("letters are an id");
    let opening = Opening::Resume { session_id: nobody.clone(), after_seq: None };
    let unknown = sessions.open(&Principal::local(), opening).await;
    assert!(matches!(unknown, Err(OpenError::NotFound)), "{unknown:?}");
    let unknown = sessions.submit(&Principal::local(), &nobody, said("m1", "Kim")).await;
    assert!(matches!(unknown, Err(SubmitError::Open(OpenError::NotFound))), "{unknown:?}");
    let erased = sessions.erase(&Principal::local(), &nobody).await;
    assert!(matches!(erased, Err(OpenError::NotFound)), "{erased:?}");

    let other = Open { script: ScriptId::new("other").expect("letters are an id"), ..open() };
    let none = sessions.open(&Principal::local(), Opening::Start(Box::new(other))).await;
    assert!(matches!(none, Err(OpenError::Script(LibraryError::NotFound))), "{none:?}");
    let with = |name: &str, value: Value| {
        let name = VariableName::new(name).expect("letters are a name");
        Opening::Start(Box::new(Open { variables: BTreeMap::from([(name, value)]), ..open() }))
    };
    let unknown = sessions.open(&Principal::local(), with("nmae", Value::from("Kim"))).await;
    let Err(OpenError::Start(StartRefused::UnknownVariable { name, .. })) = &unknown else { panic!("{unknown:?}") };
    assert_eq!(name.as_str(), "nmae");
    let other = sessions.open(&Principal::local(), with("age", Value::from("old"))).await;
    assert!(matches!(other, Err(OpenError::Start(StartRefused::OtherKind { .. }))), "{other:?}");
}

/// Erases a session: whoever is in it is sent away, and it is not found again.
pub async fn an_erased_session_is_gone(sessions: &dyn Sessions) {
    let (mut talk, _) = start(sessions).await;
    let id = talk.opened.session_id.clone();
    sessions.erase(&Principal::local(), &id).await.expect("it is there");
    assert_eq!(end(&mut talk.frames).await, Some(StreamEnd::Erased));
    drop(talk);
    let opening = Opening::Resume { session_id: id, after_seq: Some(0) };
    let gone = sessions.open(&Principal::local(), opening).await;
    assert!(matches!(gone, Err(OpenError::NotFound)), "{gone:?}");
}

/// Stops a session with a single message; whoever talks to it sees the end.
pub async fn a_stop_ends_the_session_for_all(sessions: &dyn Sessions) {
    let (mut talk, _) = start(sessions).await;
    let stop = ClientInput::Stop { id: message_id("stop") };
    let stopped = sessions.submit(&Principal::local(), &talk.opened.session_id, stop).await.expect("it is taken");
    assert_eq!(stopped.status, Status::Ended);
    let seen = turn(&mut talk.frames).await;
    assert_eq!(seen.finished, stopped);
    assert!(seen.events.iter().any(|event| matches!(event.body, EventBody::SessionEnded { .. })));
}

fn open() -> Open {
    Open {
        script: ScriptId::new("contract").expect("letters are an id"),
        version: None,
        subject: None,
        locale: None,
        country: None,
        variables: BTreeMap::new(),
    }
}

async fn start(sessions: &dyn Sessions) -> (Conversation, Seen) {
    let opening = Opening::Start(Box::new(open()));
    let mut talk = sessions.open(&Principal::local(), opening).await.expect("the contract's script is published");
    let opening = turn(&mut talk.frames).await;
    (talk, opening)
}

async fn resume(sessions: &dyn Sessions, id: &SessionId, after_seq: Option<u64>) -> Conversation {
    let opening = Opening::Resume { session_id: id.clone(), after_seq };
    sessions.open(&Principal::local(), opening).await.expect("it is there")
}

fn message_id(id: &str) -> MessageId {
    MessageId::new(id).expect("letters are an id")
}

fn said(id: &str, text: &str) -> ClientInput {
    ClientInput::Say { id: message_id(id), text: Text::from(text) }
}

fn choose(id: &str, key: &str) -> ClientInput {
    ClientInput::Choose { id: message_id(id), action: None, key: key.to_owned() }
}

fn say(talk: &Conversation, id: &str, text: &str) {
    send(talk, said(id, text));
}

fn send(talk: &Conversation, input: ClientInput) {
    talk.requests.send(input).expect("one message at a time has room");
}

/// Waits for the end of a turn.
async fn turn(frames: &mut Frames) -> Seen {
    let mut events = Vec::new();
    loop {
        match frames.next().await {
            Some(ServerFrame::Events(kept)) => events.extend(kept.iter().cloned()),
            Some(ServerFrame::Delta { .. } | ServerFrame::Retracted { .. }) => {}
            Some(ServerFrame::TurnFinished(finished)) => return Seen { events, finished },
            other => panic!("{other:?} in place of the end of a turn ({:?})", frames.ended()),
        }
    }
}

/// Waits for events up to this number.
async fn events_to(frames: &mut Frames, last: u64) -> Vec<Arc<SessionEvent>> {
    let mut events: Vec<Arc<SessionEvent>> = Vec::new();
    while events.last().map_or(0, |event| event.seq) < last {
        match frames.next().await {
            Some(ServerFrame::Events(kept)) => events.extend(kept.iter().cloned()),
            other => panic!("{other:?} in place of events ({:?})", frames.ended()),
        }
    }
    events
}

/// Waits for a message that made no turn.
async fn error(frames: &mut Frames) -> TurnError {
    match frames.next().await {
        Some(ServerFrame::TurnError { error, .. }) => error,
        other => panic!("{other:?} in place of an error ({:?})", frames.ended()),
    }
}

/// Waits for the end of the stream.
async fn end(frames: &mut Frames) -> Option<StreamEnd> {
    while frames.next().await.is_some() {}
    frames.ended()
}
