//! Lets go of answers whose client has stopped reading.
//!
//! A connection asks an answer for more only while its client takes in what was sent. So whoever never reads would keep
//! what the answer holds, such as a seat in a session, for as long as the connection lives, and no clock inside the
//! answer would ever be looked at. This one is looked at by the connection itself.

use std::{
    collections::BTreeMap,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, Response, header::CONTENT_TYPE};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;
use tonic::Status;

use super::status::{Reason, Refused};

/// The answers of one connection that are being sent: no more than its streams.
#[derive(Debug)]
pub(super) struct Unread<B>(Arc<Mutex<Answers<B>>>);

#[derive(Debug)]
struct Answers<B> {
    next: u64,
    sending: BTreeMap<u64, Arc<Mutex<Sending<B>>>>,
}

#[derive(Debug)]
struct Sending<B> {
    stage: Stage<B>,
    /// When a part was handed over, if no further one was asked for since.
    handed_over: Option<Instant>,
}

#[derive(Debug)]
enum Stage<B> {
    Open(B),
    /// Nobody read it; it is still to be said why it ends.
    LetGo,
    Over,
}

/// An answer that can be let go of.
#[derive(Debug)]
pub(super) struct Answer<B> {
    number: u64,
    is_grpc: bool,
    sending: Arc<Mutex<Sending<B>>>,
    all: Unread<B>,
}

/// The client had stopped reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the answer was not read in time")]
struct NotRead;

impl<B> Unread<B> {
    /// Keeps an eye on an answer.
    pub(super) fn attend(&self, response: Response<B>) -> Response<Answer<B>> {
        let kind = response.headers().get(CONTENT_TYPE).map(http::HeaderValue::as_bytes);
        let is_grpc = kind.is_some_and(|kind| kind == b"application/grpc" || kind.starts_with(b"application/grpc+"));
        response.map(|body| {
            let sending = Arc::new(Mutex::new(Sending { stage: Stage::Open(body), handed_over: None }));
            let mut answers = lock(&self.0);
            let number = answers.next;
            answers.next += 1;
            answers.sending.insert(number, Arc::clone(&sending));
            Answer { number, is_grpc, sending, all: self.clone() }
        })
    }

    /// Lets go of the answers of which nothing was taken in for this long.
    pub(super) fn let_go(&self, idle: Duration) {
        let now = Instant::now();
        let mut given_up = Vec::new();
        for sending in lock(&self.0).sending.values() {
            let mut sending = lock(sending);
            let is_idle = sending.handed_over.is_some_and(|at| now.saturating_duration_since(at) >= idle);
            if is_idle && matches!(sending.stage, Stage::Open(_)) {
                given_up.push(mem::replace(&mut sending.stage, Stage::LetGo));
            }
        }
        drop(given_up); // Outside the locks: what an answer holds may be much.
    }
}

impl<B> Clone for Unread<B> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<B> Default for Unread<B> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Answers { next: 0, sending: BTreeMap::new() })))
    }
}

impl<B> Body for Answer<B>
where
    B: Body + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = B::Data;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, Self::Error>>> {
        let mut sending = lock(&self.sending);
        let polled = match &mut sending.stage {
            Stage::Open(body) => Pin::new(body).poll_frame(context),
            Stage::LetGo => {
                sending.stage = Stage::Over;
                return Poll::Ready(Some(self.why()));
            }
            Stage::Over => return Poll::Ready(None),
        };
        sending.handed_over = match &polled {
            Poll::Ready(Some(Ok(_))) => Some(Instant::now()),
            Poll::Ready(Some(Err(_)) | None) | Poll::Pending => None,
        };
        polled.map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        match &lock(&self.sending).stage {
            Stage::Open(body) => body.is_end_stream(),
            Stage::LetGo => false,
            Stage::Over => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &lock(&self.sending).stage {
            Stage::Open(body) => body.size_hint(),
            Stage::LetGo | Stage::Over => SizeHint::default(),
        }
    }
}

impl<B> Answer<B> {
    /// Says why the answer ends: as a status where its protocol has one, else as a connection that breaks off.
    fn why<D>(&self) -> Result<Frame<D>, Box<dyn std::error::Error + Send + Sync>> {
        if !self.is_grpc {
            return Err(NotRead.into());
        }
        let mut trailers = HeaderMap::new();
        Status::from(Refused::new(Reason::StreamIdle)).add_header(&mut trailers)?;
        Ok(Frame::trailers(trailers))
    }
}

impl<B> Drop for Answer<B> {
    fn drop(&mut self) {
        lock(&self.all.0).sending.remove(&self.number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, convert::Infallible, task::Waker};

    use tonic::Code;

    use super::*;

    const IDLE: Duration = Duration::from_mins(15);

    /// Gives its parts, then waits for ever.
    struct Parts(VecDeque<&'static [u8]>);

    impl Body for Parts {
        type Data = &'static [u8];
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Self::Data>, Infallible>>> {
            self.0.pop_front().map_or(Poll::Pending, |part| Poll::Ready(Some(Ok(Frame::data(part)))))
        }
    }

    fn attended(unread: &Unread<Parts>, content_type: &str) -> Answer<Parts> {
        let body = Parts([b"one".as_slice(), b"two"].into());
        unread.attend(Response::builder().header(CONTENT_TYPE, content_type).body(body).unwrap()).into_body()
    }

    type Polled = Poll<Option<Result<Frame<&'static [u8]>, Box<dyn std::error::Error + Send + Sync>>>>;

    fn read(answer: &mut Answer<Parts>) -> Polled {
        Pin::new(answer).poll_frame(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_nobody_reads_on_is_let_go_and_its_client_is_told_why() {
        let unread = Unread::default();
        let mut answer = attended(&unread, "application/grpc");
        assert!(read(&mut answer).is_ready());
        tokio::time::advance(IDLE / 2).await;
        unread.let_go(IDLE);
        assert!(matches!(lock(&answer.sending).stage, Stage::Open(_)), "there is time left");
        tokio::time::advance(IDLE / 2).await;
        unread.let_go(IDLE);
        assert!(matches!(lock(&answer.sending).stage, Stage::LetGo), "what it held is gone before anybody reads on");
        let Poll::Ready(Some(Ok(end))) = read(&mut answer) else { panic!("it says how it ends") };
        let status = Status::from_header_map(end.trailers_ref().unwrap()).unwrap();
        assert_eq!(status.code(), Code::DeadlineExceeded);
        assert!(matches!(read(&mut answer), Poll::Ready(None)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_whose_client_waits_for_more_is_never_let_go() {
        let unread = Unread::default();
        let mut answer = attended(&unread, "application/grpc");
        while read(&mut answer).is_ready() {}
        tokio::time::advance(IDLE * 10).await;
        unread.let_go(IDLE);
        assert!(matches!(lock(&answer.sending).stage, Stage::Open(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_status_the_connection_breaks_off() {
        let unread = Unread::default();
        let mut answer = attended(&unread, "application/grpc-web");
        assert!(read(&mut answer).is_ready());
        tokio::time::advance(IDLE).await;
        unread.let_go(IDLE);
        assert!(matches!(read(&mut answer), Poll::Ready(Some(Err(_)))));
    }

    #[test]
    fn an_answer_that_is_over_is_forgotten() {
        let unread = Unread::default();
        drop(attended(&unread, "application/grpc"));
        assert!(lock(&unread.0).sending.is_empty());
    }
}
