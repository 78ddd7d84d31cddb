//! One conversation on one stream: reads what the client sends, sends what the session says, and ends for a reason.
//!
//! It is polled by the connection itself, with no task and no queue of its own: a client that does not read leaves
//! frames with the engine, whose queue is bounded, and is sent away when that is full.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::Arc,
};

use futures_util::{Stream, StreamExt, stream};
use steersman_domain::id::SessionId;
use steersman_engine::{
    Principal,
    ports::{Archive, Conversation, Frames, MessageId, NotSent, Opening, Requests, ServerFrame, Sessions},
};
use steersman_proto::v1::{self, client_frame};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::{
    Config,
    frames::{message, opened, opening, sent_id, turn_error, written},
    refusals::reasoned,
    status::{Reason, Refused},
    view::view,
};

/// What a conversation needs.
#[derive(Debug, Clone)]
pub(super) struct Host {
    pub(super) sessions: Arc<dyn Sessions>,
    pub(super) archive: Arc<dyn Archive>,
    pub(super) config: Config,
    /// Asks streams that are not in a session yet to end.
    pub(super) closing: CancellationToken,
}

/// Talks over a stream whose first frame opens the session.
pub(super) fn converse<I>(
    host: Host,
    inbound: I,
    deadline: Option<Instant>,
) -> impl Stream<Item = Result<v1::ServerFrame, Status>>
where
    I: Stream<Item = Result<v1::ClientFrame, Status>> + Unpin + Send + 'static,
{
    run(Talk::new(host, Some(inbound), deadline))
}

/// Looks on at a session.
pub(super) async fn watch(
    host: Host,
    id: SessionId,
    after_seq: Option<u64>,
    deadline: Option<Instant>,
) -> Result<impl Stream<Item = Result<v1::ServerFrame, Status>>, Status> {
    let (told, frames) = host.sessions.watch(&Principal::local(), &id, after_seq).await.map_err(Refused::from)?;
    let session = host.archive.standing(&Principal::local(), &id).await.map_err(Refused::from)?;
    let mut talk = Talk::new(host, None::<stream::Pending<_>>, deadline);
    talk.out.push_back(opened(&told, Some(view(&session))));
    talk.seat = Some(Seat { frames, voice: None, unanswered: BTreeMap::new(), opening: Pending::No, missing: None });
    Ok(run(talk))
}

fn run<I>(talk: Talk<I>) -> impl Stream<Item = Result<v1::ServerFrame, Status>>
where
    I: Stream<Item = Result<v1::ClientFrame, Status>> + Unpin + Send + 'static,
{
    stream::unfold(talk, |mut talk| async move { talk.next().await.map(|frame| (frame, talk)) })
}

struct Talk<I> {
    host: Host,
    /// `None` once the client has closed its side.
    inbound: Option<I>,
    seat: Option<Seat>,
    out: VecDeque<v1::ServerFrame>,
    deadline: Option<Instant>,
    last_sign: Instant,
    is_over: bool,
}

/// A place in a session.
struct Seat {
    frames: Frames,
    /// `None` for whoever looks on.
    voice: Option<Requests>,
    /// The messages whose turns are not over.
    unanswered: BTreeMap<MessageId, usize>,
    opening: Pending,
    /// The last event that was missed and is still to come.
    missing: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pending {
    Yes,
    No,
}

/// What happened on either side.
enum Sign {
    Heard(Option<Result<v1::ClientFrame, Status>>),
    Told(Option<ServerFrame>),
    Late(Reason),
}

impl<I> fmt::Debug for Talk<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Talk").field("is_over", &self.is_over).finish_non_exhaustive()
    }
}

impl<I> Talk<I>
where
    I: Stream<Item = Result<v1::ClientFrame, Status>> + Unpin + Send,
{
    fn new(host: Host, inbound: Option<I>, deadline: Option<Instant>) -> Self {
        let (seat, out, last_sign) = (None, VecDeque::new(), Instant::now());
        Self { host, inbound, seat, out, deadline, last_sign, is_over: false }
    }

    async fn next(&mut self) -> Option<Result<v1::ServerFrame, Status>> {
        loop {
            if let Some(frame) = self.out.pop_front() {
                return Some(Ok(frame));
            }
            if self.is_over {
                return None;
            }
            if let Err(end) = self.step().await {
                self.is_over = true;
                if let End::Refused(status) = end {
                    return Some(Err(status));
                }
            }
        }
    }

    /// Waits for one sign of either side and does what it asks for.
    async fn step(&mut self) -> Result<(), End> {
        if self.inbound.is_none() {
            match &self.seat {
                None => return Err(End::refused(Reason::OpenRequired)),
                Some(seat) if seat.has_answered() => return Err(End::Done),
                Some(_) => {}
            }
        }
        match self.sign().await {
            Sign::Late(reason) => Err(End::refused(reason)),
            Sign::Heard(None) => {
                self.inbound = None;
                Ok(())
            }
            Sign::Heard(Some(Err(status))) => Err(End::Refused(reasoned(&status))),
            Sign::Heard(Some(Ok(v1::ClientFrame { frame }))) => match &mut self.seat {
                None => self.open(frame).await,
                Some(seat) => {
                    self.out.extend(seat.hear(frame));
                    Ok(())
                }
            },
            Sign::Told(None) => match self.seat.as_ref().and_then(|seat| seat.frames.ended()) {
                Some(why) => Err(End::Refused(Refused::from(why).into())),
                None => Err(End::Done),
            },
            Sign::Told(Some(frame)) => {
                if let Some(seat) = &mut self.seat {
                    seat.note(&frame)?;
                }
                self.out.extend(written(frame));
                Ok(())
            }
        }
    }

    async fn sign(&mut self) -> Sign {
        let Self { inbound, seat, deadline, last_sign, host, .. } = self;
        let idle = *last_sign + host.config.idle;
        let (late, reason) = match *deadline {
            Some(deadline) if deadline < idle => (deadline, Reason::DeadlineExceeded),
            Some(_) | None => (idle, Reason::StreamIdle),
        };
        let hear = async {
            match inbound {
                Some(inbound) => inbound.next().await,
                None => std::future::pending().await,
            }
        };
        let told = async {
            if let Some(seat) = seat {
                return Sign::Told(seat.frames.next().await);
            }
            host.closing.cancelled().await;
            Sign::Late(Reason::Draining)
        };
        let sign = tokio::select! {
            // What the session says goes first, so that an answer is not kept waiting by a client that says much.
            biased;
            told = told => told,
            heard = hear => Sign::Heard(heard),
            () = sleep_until(late) => return Sign::Late(reason),
        };
        *last_sign = Instant::now();
        sign
    }

    async fn open(&mut self, frame: Option<client_frame::Frame>) -> Result<(), End> {
        let Some(client_frame::Frame::Open(open)) = frame else { return Err(End::refused(Reason::OpenRequired)) };
        let opening = opening(open)?;
        let (is_new, asked) = match &opening {
            Opening::Start(_) => (Pending::Yes, None),
            Opening::Resume { after_seq, .. } => (Pending::No, *after_seq),
        };
        let principal = Principal::local();
        let conversation = self.host.sessions.open(&principal, opening).await.map_err(Refused::from)?;
        let Conversation { opened: told, requests, frames } = conversation;
        let session = match is_new {
            Pending::Yes => None,
            Pending::No => {
                let session = self.host.archive.standing(&principal, &told.session_id).await;
                Some(view(&session.map_err(Refused::from)?))
            }
        };
        self.out.push_back(opened(&told, session));
        let missing = asked.filter(|after| *after < told.last_seq).map(|_| told.last_seq);
        let (voice, unanswered) = (Some(requests), BTreeMap::new());
        self.seat = Some(Seat { frames, voice, unanswered, opening: is_new, missing });
        Ok(())
    }
}

impl Seat {
    /// Tells whether nothing that the client has asked for is still to come. Whoever looks on has always more to see.
    fn has_answered(&self) -> bool {
        self.voice.is_some() && self.unanswered.is_empty() && self.opening == Pending::No && self.missing.is_none()
    }

    /// Passes a message on; returns what the client is told at once.
    fn hear(&mut self, frame: Option<client_frame::Frame>) -> Option<v1::ServerFrame> {
        let Some(frame) = frame else {
            let allowed = "say exactly one of say, choose, submit_form, acknowledge, request_human, stop";
            return Some(turn_error(String::new(), Refused::field("frame", allowed)));
        };
        let id = MessageId::new(sent_id(&frame)).map(|id| id.as_str().to_owned()).unwrap_or_default();
        let input = match message(frame) {
            Ok(input) => input,
            Err(refused) => return Some(turn_error(id, refused)),
        };
        let sent = input.id().clone();
        match self.voice.as_ref()?.send(input) {
            Ok(()) => {
                *self.unanswered.entry(sent).or_default() += 1;
                None
            }
            Err(NotSent::QueueFull) => Some(turn_error(id, NotSent::QueueFull.into())),
            Err(NotSent::Closed) => None, // The frames come to their end, and say why.
        }
    }

    /// Notes what a frame answers.
    fn note(&mut self, frame: &ServerFrame) -> Result<(), End> {
        match frame {
            ServerFrame::Events(events) => {
                let last = events.last().map_or(0, |event| event.seq);
                self.missing = self.missing.filter(|missing| *missing > last);
            }
            ServerFrame::TurnFinished(finished) => match &finished.client_message_id {
                Some(id) => self.answered(id),
                None => self.opening = Pending::No,
            },
            ServerFrame::TurnError { id: Some(id), .. } => self.answered(id),
            // There is no session that could live on.
            ServerFrame::TurnError { id: None, error } => return Err(Refused::from(error.clone()).into()),
            ServerFrame::Delta { .. } | ServerFrame::Retracted { .. } | ServerFrame::Draining => {}
        }
        Ok(())
    }

    fn answered(&mut self, id: &MessageId) {
        if let Some(count) = self.unanswered.get_mut(id) {
            *count -= 1;
            if *count == 0 {
                self.unanswered.remove(id);
            }
        }
    }
}

/// How a stream ends.
enum End {
    /// All is said.
    Done,
    Refused(Status),
}

impl End {
    fn refused(reason: Reason) -> Self {
        Self::Refused(reason.into())
    }
}

impl From<Refused> for End {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused.into())
    }
}
