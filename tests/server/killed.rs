//! The process is killed at a point with a name, and started again on the same database: the session goes on where it
//! was, nothing that was acknowledged is lost, and nothing is taken twice.

use std::time::Duration;

use steersman_proto::v1::{self, event::Body, server_frame::Frame, sessions_client::SessionsClient};
use steersman_tests::fake_model::{Behaviour, FakeModel, Manner};
use tonic::{Code, transport::Channel};

use crate::{
    served::{Folder, SCRIPT, Served},
    talk::{Talk, choose, resume, said, soon, start, told},
};

/// More requests than a test makes.
const MANY: usize = 100;

/// Where a server runs that will be killed.
struct Ground {
    folder: Folder,
    model: FakeModel,
}

/// What the client knows when the server is gone.
struct Known {
    session_id: String,
    /// The last event that it has seen.
    seen: u64,
    /// The end of the first message's turn, if it was told.
    answered: Option<v1::TurnFinished>,
}

impl Ground {
    async fn new(behaviour: Behaviour) -> Self {
        let folder = Folder::new();
        folder.file("scripts/demo.yaml", SCRIPT);
        let greeting = SCRIPT.replace("script: demo", "script: greeting");
        let greeting = greeting
            .replace("          - id: ask_name\n", "          - ai_say: welcome them\n          - id: ask_name\n");
        folder.file("scripts/greeting.yaml", &greeting);
        Self { folder, model: FakeModel::start(([127, 0, 0, 1], 0).into(), behaviour).await.unwrap() }
    }

    async fn held() -> Self {
        Self::new(Behaviour { manner: Manner::Held, ..Behaviour::default() }).await
    }

    async fn prompt() -> Self {
        Self::new(Behaviour::default()).await
    }

    /// Starts the server, the first time or again.
    async fn serve(&self) -> (Served, Channel) {
        let url = self.model.url();
        let arguments = ["--scripts", "scripts", "--llm", "ollama:small", "--llm-url", &url];
        let served = Served::start(self.folder.path(), &arguments);
        let channel = served.channel().await;
        (served, channel)
    }

    /// Starts the server again, comes back, sends the first message again, and talks the session through.
    async fn goes_on(&self, known: Known) {
        self.model.let_go(MANY);
        let (_served, channel) = self.serve().await;
        let (mut talk, opened) = Talk::resume(&channel, &known.session_id, Some(known.seen)).await;
        let missed = talk.events_to(if opened.last_seq > known.seen { opened.last_seq } else { 0 }).await;
        if let Some(first) = missed.first() {
            assert_eq!(first.seq, known.seen + 1, "what was missed comes whole");
        }
        let asked = self.model.asked().len();
        talk.say("m1", "Kim").await;
        let turn = talk.turn().await;
        if let Some(answered) = &known.answered {
            assert_eq!(&turn.finished, answered, "what was acknowledged stands");
        }
        if !said(&missed).contains(&("user", "Kim")) && known.answered.is_none() {
            assert_eq!(said(&turn.events)[0], ("user", "Kim"), "what was not kept is taken now");
        } else {
            assert_eq!((turn.events.len(), self.model.asked().len()), (0, asked), "what was kept is not taken again");
        }
        assert_eq!(turn.finished.position.unwrap().action.as_deref(), Some("ask_craft"));
        talk.say("m2", "pottery").await;
        assert_eq!(talk.turn().await.finished.position.unwrap().action.as_deref(), Some("pick"));
        talk.send(choose("m3", "weekends")).await;
        assert_eq!(talk.turn().await.finished.status, "completed");
        whole(&channel, &known.session_id).await;
    }
}

/// Checks that the events are numbered without gaps, and that each message is in them once.
async fn whole(channel: &Channel, session_id: &str) {
    let request = v1::ListEventsRequest { session_id: session_id.to_owned(), after_seq: 0, limit: 1_000 };
    let answer = soon(SessionsClient::new(channel.clone()).list_events(request)).await.unwrap().into_inner();
    assert!(!answer.has_more && answer.events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    for text in ["Kim", "pottery"] {
        let count = said(&answer.events).iter().filter(|line| **line == ("user", text)).count();
        assert_eq!(count, 1, "{text} was taken once");
    }
    let ends = answer.events.iter().filter(|event| matches!(event.body, Some(Body::SessionEnded(_)))).count();
    assert_eq!(ends, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn before_the_open_is_answered() {
    let ground = Ground::prompt().await;
    let (mut served, channel) = ground.serve().await;
    let talk = Talk::silent(&channel).await;
    talk.send(start("demo")).await;
    served.kill();
    let (_served, channel) = ground.serve().await;
    let (_talk, _, opening) = Talk::start(&channel).await;
    assert_eq!(opening.finished.position.unwrap().action.as_deref(), Some("ask_name"));
}

#[tokio::test(flavor = "multi_thread")]
async fn during_the_opening() {
    let ground = Ground::held().await;
    let (mut served, channel) = ground.serve().await;
    let mut talk = Talk::silent(&channel).await;
    talk.send(start("greeting")).await;
    let session_id = talk.opened().await.session_id;
    soon(ground.model.heard(1)).await;
    served.kill();
    ground.model.let_go(MANY);
    let (_served, channel) = ground.serve().await;
    let talk = Talk::silent(&channel).await;
    talk.send(resume(&session_id, Some(0))).await;
    let gone = told(&talk.end().await.unwrap_err());
    assert_eq!(gone, (Code::NotFound, "SESSION_NOT_FOUND".to_owned()), "an opening that was not kept did not happen");
    let mut talk = Talk::silent(&channel).await;
    talk.send(start("greeting")).await;
    talk.opened().await;
    assert_eq!(talk.turn().await.finished.status, "waiting_input");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_opening() {
    let ground = Ground::prompt().await;
    let (mut served, channel) = ground.serve().await;
    let (_talk, session_id, opening) = Talk::start(&channel).await;
    served.kill();
    ground.goes_on(Known { session_id, seen: opening.finished.last_seq, answered: None }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_middle_of_a_model_call() {
    let ground = Ground::held().await;
    let (mut served, channel) = ground.serve().await;
    let (talk, session_id, opening) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    soon(ground.model.heard(1)).await;
    served.kill();
    ground.goes_on(Known { session_id, seen: opening.finished.last_seq, answered: None }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_words_arrive() {
    let ground = Ground::new(Behaviour { pause: Duration::from_millis(20), ..Behaviour::default() }).await;
    let (mut served, channel) = ground.serve().await;
    let (mut talk, session_id, opening) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    assert!(matches!(talk.frame().await, Ok(Some(Frame::Delta(_)))), "words arrive first");
    served.kill();
    ground.goes_on(Known { session_id, seen: opening.finished.last_seq, answered: None }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn between_the_commit_and_the_answer() {
    let ground = Ground::prompt().await;
    let (mut served, channel) = ground.serve().await;
    let (mut talk, session_id, opening) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    // An event is shown only when it is kept; the end of the turn is not read any more.
    while !matches!(talk.frame().await.unwrap(), Some(Frame::Event(_))) {}
    served.kill();
    ground.goes_on(Known { session_id, seen: opening.finished.last_seq, answered: None }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_answer() {
    let ground = Ground::prompt().await;
    let (mut served, channel) = ground.serve().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    let turn = talk.turn().await;
    served.kill();
    ground.goes_on(Known { session_id, seen: turn.finished.last_seq, answered: Some(turn.finished) }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn during_the_second_message() {
    let ground = Ground::held().await;
    let (mut served, channel) = ground.serve().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    soon(ground.model.heard(1)).await;
    ground.model.let_go(2); // Judging, and taking the value.
    let turn = talk.turn().await;
    let asked = ground.model.asked().len();
    talk.say("m2", "pottery").await;
    soon(ground.model.heard(asked + 1)).await;
    served.kill();
    ground.goes_on(Known { session_id, seen: turn.finished.last_seq, answered: Some(turn.finished) }).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn while_it_drains() {
    let ground = Ground::held().await;
    let (mut served, channel) = ground.serve().await;
    let (talk, session_id, opening) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    soon(ground.model.heard(1)).await;
    served.terminate();
    // It takes nobody in any more, and waits for the turn.
    let refused = soon(async {
        while tokio::net::TcpStream::connect(&served.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    });
    refused.await;
    served.kill();
    ground.goes_on(Known { session_id, seen: opening.finished.last_seq, answered: None }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_nobody_is_there() {
    let ground = Ground::prompt().await;
    let (mut served, channel) = ground.serve().await;
    let (mut talk, session_id, _) = Talk::start(&channel).await;
    talk.say("m1", "Kim").await;
    let turn = talk.turn().await;
    talk.close();
    talk.end().await.expect("the client leaves");
    served.kill();
    ground.goes_on(Known { session_id, seen: turn.finished.last_seq, answered: Some(turn.finished) }).await;
}
