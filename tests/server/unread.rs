//! Streams that are left alone: clients that do not read, streams on which nothing happens, too many of them.

use steersman_proto::v1::{self, server_frame::Frame, sessions_client::SessionsClient, submit_turn_request::Input};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{
    Code, Streaming,
    transport::{Channel, Endpoint},
};

use crate::{
    served::Served,
    talk::{Talk, soon, told},
};

/// The streams that the server lets one connection have.
const STREAMS: usize = 100;
/// Those who may look on at one session.
const WATCHERS: usize = 32;
/// Much more than any queue on the way holds: those of the client, the wire and the engine.
const TURNS: usize = 60;
/// So few bytes may be under way to a client that does not read.
const NARROW: u32 = 16;

/// Connects so that hardly anything is under way unread.
async fn narrow(served: &Served) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", served.address)).unwrap();
    endpoint.initial_stream_window_size(NARROW).connect().await.unwrap()
}

async fn submit(channel: &Channel, session_id: &str, id: &str) -> v1::TurnFinished {
    let request = v1::SubmitTurnRequest {
        session_id: session_id.to_owned(),
        client_message_id: id.to_owned(),
        input: Some(Input::Say(" ".to_owned())), // Blank text is a turn that asks no model.
    };
    let done = soon(SessionsClient::new(channel.clone()).submit_turn(request)).await.unwrap().into_inner();
    done.turn_finished.unwrap()
}

async fn watch(channel: &Channel, session_id: &str) -> Result<Streaming<v1::ServerFrame>, tonic::Status> {
    let request = v1::WatchSessionRequest { session_id: session_id.to_owned(), after_seq: Some(0) };
    Ok(soon(SessionsClient::new(channel.clone()).watch_session(request)).await?.into_inner())
}

#[tokio::test]
async fn whoever_leaves_too_much_unread_is_sent_away_and_reads_on_from_the_last_event() {
    let served = Served::offline();
    let others = served.channel().await;
    let (talk, session_id, opening) = Talk::start(&others).await;
    drop(talk);
    let (mut slow, _) = Talk::resume(&narrow(&served).await, &session_id, None).await;
    let mut last = 0;
    for number in 1..=TURNS {
        last = submit(&others, &session_id, &format!("m{number}")).await.last_seq;
    }
    let mut seen = opening.finished.last_seq;
    let end = loop {
        match slow.frame().await {
            Ok(Some(Frame::Event(event))) => {
                assert_eq!(event.seq, seen + 1, "nothing is left out before the end");
                seen = event.seq;
            }
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended without a reason"),
            Err(end) => break end,
        }
    };
    assert_eq!(told(&end), (Code::ResourceExhausted, "SLOW_READER".to_owned()));
    assert!(seen < last, "something was left unread");
    let (mut back, opened) = Talk::resume(&others, &session_id, Some(seen)).await;
    assert_eq!(opened.last_seq, last);
    let rest = back.events_to(last).await;
    assert!(rest.iter().zip(seen + 1..).all(|(event, seq)| event.seq == seq), "what was missed comes without a gap");
}

#[tokio::test]
async fn a_stream_on_which_nothing_happens_ends_with_a_reason_and_its_session_goes_on() {
    let served = Served::with(&["--llm", "offline", "--stream-idle", "3s"]);
    let channel = served.channel().await;
    let (talk, session_id, opening) = Talk::start(&channel).await;
    assert_eq!(told(&talk.end().await.unwrap_err()), (Code::DeadlineExceeded, "STREAM_IDLE".to_owned()));
    let silent = Talk::silent(&channel).await;
    assert_eq!(told(&silent.end().await.unwrap_err()), (Code::DeadlineExceeded, "STREAM_IDLE".to_owned()));
    let (mut back, opened) = Talk::resume(&channel, &session_id, None).await;
    assert_eq!(opened.last_seq, opening.finished.last_seq);
    back.say("m1", "Kim").await;
    assert_eq!(back.turn().await.finished.client_message_id, "m1");
}

#[tokio::test]
async fn whoever_never_reads_does_not_keep_a_seat_for_ever() {
    let served = Served::with(&["--llm", "offline", "--stream-idle", "3s"]);
    let channel = served.channel().await;
    let (talk, session_id, _) = Talk::start(&channel).await;
    drop(talk);
    let mut blind = Vec::new();
    let narrow = narrow(&served).await;
    for _ in 0..WATCHERS {
        blind.push(watch(&narrow, &session_id).await.unwrap());
    }
    let refused = watch(&channel, &session_id).await.unwrap_err();
    assert_eq!(told(&refused), (Code::ResourceExhausted, "TOO_MANY_WATCHERS".to_owned()));
    let seated = async {
        loop {
            match watch(&channel, &session_id).await {
                Ok(frames) => return frames,
                Err(status) => assert_eq!(told(&status).1, "TOO_MANY_WATCHERS"),
            }
        }
    };
    let mut seated = soon(seated).await;
    assert!(matches!(soon(seated.message()).await.unwrap().unwrap().frame, Some(Frame::Opened(_))));
    // Whoever reads again after all is told what happened.
    let mut late = blind.remove(0);
    let end = loop {
        match soon(late.message()).await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended without a reason"),
            Err(end) => break end,
        }
    };
    assert_eq!(told(&end), (Code::DeadlineExceeded, "STREAM_IDLE".to_owned()));
}

#[tokio::test]
async fn a_connection_has_a_hundred_streams_and_the_next_waits_for_one_to_end() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut first, _, _) = Talk::start(&channel).await;
    let mut others = Vec::new();
    for _ in 1..STREAMS {
        others.push(Talk::silent(&channel).await);
    }
    let mut next = std::pin::pin!(Talk::start(&channel));
    let waiting = async {
        first.say("m1", "Kim").await;
        first.turn().await // The connection is alive, and takes no further stream.
    };
    tokio::select! {
        biased;
        _started = &mut next => panic!("the limit is not kept"),
        turn = waiting => assert_eq!(turn.finished.client_message_id, "m1"),
    }
    others.pop();
    let (_talk, session_id, _) = soon(next).await;
    assert!(!session_id.is_empty());
}

#[tokio::test]
async fn the_limit_of_streams_is_announced_to_every_client() {
    let served = Served::offline();
    let mut connection = TcpStream::connect(&served.address).await.unwrap();
    // The preface of HTTP/2 and an empty SETTINGS frame.
    connection.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut head = [0; 9];
    soon(connection.read_exact(&mut head)).await.unwrap();
    assert_eq!(head[3], 4, "the first frame is SETTINGS");
    let mut settings = vec![0; usize::from(head[2]) + (usize::from(head[1]) << 8)];
    soon(connection.read_exact(&mut settings)).await.unwrap();
    // Each setting is a number of two bytes and a value of four.
    let streams = settings.chunks_exact(6).find(|setting| setting[..2] == [0, 3]).map(|setting| &setting[2..]);
    assert_eq!(streams, Some(&u32::try_from(STREAMS).unwrap().to_be_bytes()[..]));
}
