//! A model server for tests and for trying things out: it speaks the streams of `OpenAI`, Anthropic, Gemini and Ollama
//! on one address, says what a script tells it to, and fails in every way that a provider can.
//!
//! It judges nothing and no text of it is any good; without a script it thanks the person and takes every answer.

mod answer;
mod protocol;
mod talk;

use std::{
    collections::VecDeque,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header::CONTENT_TYPE},
    response::Response,
};
use futures_util::stream;
use serde_json::Value;
use tokio::{
    net::TcpListener,
    sync::{Semaphore, watch},
    task::JoinHandle,
};

use self::protocol::{Ending, Written};
pub use self::{
    answer::{Answer, AnswerError, Fault},
    protocol::Protocol,
};

/// What the server does.
#[derive(Debug, Clone, Default)]
pub struct Behaviour {
    /// What it says, one answer a request, in order; then it thanks the person.
    pub answers: Vec<Answer>,
    /// How long it rests between two pieces of a reply, so that a person sees them arrive.
    pub pause: Duration,
    /// Whether it answers at once.
    pub manner: Manner,
}

/// When it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    /// At once.
    #[default]
    Prompt,
    /// Each request when it is let go, with [`FakeModel::let_go`].
    Held,
}

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Where to.
    pub path: String,
    /// The key, in whichever header the protocol has it.
    pub key: Option<String>,
    /// What was asked.
    pub body: Value,
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct FakeModel {
    address: SocketAddr,
    desk: Arc<Desk>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Desk {
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Asked>>,
    pause: Duration,
    /// How many requests have come.
    heard: watch::Sender<usize>,
    /// How many requests may be answered.
    gate: Option<Semaphore>,
}

impl FakeModel {
    /// Listens; port 0 takes any that is free.
    ///
    /// # Errors
    ///
    /// If the address cannot be listened on.
    pub async fn start(listen: SocketAddr, behaviour: Behaviour) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let Behaviour { answers, pause, manner } = behaviour;
        let gate = match manner {
            Manner::Prompt => None,
            Manner::Held => Some(Semaphore::new(0)),
        };
        let answers = Mutex::new(answers.into());
        let desk = Arc::new(Desk { answers, asked: Mutex::default(), pause, heard: watch::Sender::new(0), gate });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&desk));
        let task = tokio::spawn(async move {
            // It serves until the task is ended; an error in between concerns one connection.
            let _ended = axum::serve(listener, router).await.is_err();
        });
        Ok(Self { address, desk, task })
    }

    /// Returns where it listens, as `http://HOST:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far, in the order in which they came.
    pub fn asked(&self) -> Vec<Asked> {
        held(&self.desk.asked).clone()
    }

    /// Waits until this many requests have come.
    pub async fn heard(&self, count: usize) {
        let mut heard = self.desk.heard.subscribe();
        let _came = heard.wait_for(|heard| *heard >= count).await.is_ok(); // The desk holds the other side.
    }

    /// Lets this many requests be answered, those that wait first.
    pub fn let_go(&self, count: usize) {
        if let Some(gate) = &self.desk.gate {
            gate.add_permits(count);
        }
    }

    /// Waits for as long as it serves.
    pub async fn serve(mut self) {
        let _ended = (&mut self.task).await.is_err();
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(desk): State<Arc<Desk>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let Some(protocol) = Protocol::of_path(uri.path()) else {
        let known =
            "POST /v1/chat/completions, /v1/messages, /v1beta/models/MODEL:streamGenerateContent or /api/chat\n";
        return response(StatusCode::NOT_FOUND, "text/plain", &[], Body::from(known));
    };
    let asked = Asked {
        path: uri.path().to_owned(),
        key: key(&headers),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let answer = held(&desk.answers).pop_front().unwrap_or_else(|| Answer::Says(talk::reply(&asked.body)));
    held(&desk.asked).push(asked.clone());
    desk.heard.send_modify(|heard| *heard += 1);
    if let Some(gate) = &desk.gate {
        // Nobody closes the gate.
        if let Ok(leave) = gate.acquire().await {
            leave.forget();
        }
    }
    if answer == Answer::Fails(Fault::Silent) {
        std::future::pending::<()>().await;
    }
    let Written { status, kind, headers, frames, ending } = protocol.write(&answer, &asked.body);
    response(status, kind, &headers, flow(frames, ending, desk.pause))
}

fn response(status: StatusCode, kind: &str, headers: &[(&'static str, String)], body: Body) -> Response {
    let response = Response::builder().status(status).header(CONTENT_TYPE, kind);
    let with = headers.iter().fold(response, |response, (name, value)| response.header(*name, value));
    with.body(body).expect("the headers of a script were checked when it was read")
}

/// Sends frames one by one, then ends as it should.
fn flow(frames: Vec<String>, ending: Ending, pause: Duration) -> Body {
    let frames = VecDeque::from(frames);
    Body::from_stream(stream::unfold((frames, ending, pause), |(mut frames, ending, pause)| async move {
        // What came before goes out first, also where the connection breaks next.
        tokio::task::yield_now().await;
        if let Some(frame) = frames.pop_front() {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            return Some((Ok(frame), (frames, ending, pause)));
        }
        match ending {
            Ending::Whole => None,
            Ending::BrokenOff => {
                let broken = io::Error::new(io::ErrorKind::ConnectionReset, "as the script says");
                Some((Err(broken), (frames, Ending::Whole, pause)))
            }
            Ending::Endless(frame) => Some((Ok(frame.clone()), (frames, Ending::Endless(frame), pause))),
        }
    }))
}

fn key(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text("authorization").map(|value| value.trim_start_matches("Bearer "));
    bearer.or_else(|| text("x-api-key")).or_else(|| text("x-goog-api-key")).map(str::to_owned)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
