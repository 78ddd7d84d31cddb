//! The engine: opens sessions, each in a task of its own, over the ports it was given.

use std::sync::Arc;

use async_trait::async_trait;
use steersman_domain::{
    control::{Clearance, Thresholds},
    id::SessionId,
    session::{Input, InputRefused, Session, SessionEvent, SessionView, Start},
};
use tokio::sync::{
    mpsc::{self, error::TrySendError},
    oneshot,
};

use crate::{
    basis::basis,
    chain,
    limits::Limits,
    live::{Ask, Entered, From, Joined, Letter, Live, Role, Room, RoomKey, Seat},
    ports::{
        Archive, ClientInput, Clock, Conversation, Frames, IdSource, LanguageModel, LookError, MessageId, NotSent,
        Open, OpenError, Opened, Opening, Past, Recorded, Requests, RiskDetector, ScriptLibrary, SessionFilter,
        SessionRecords, SessionStore, SessionSummary, Sessions, StreamEnd, SubjectRecord, SubmitError, TurnError,
        TurnFinished, Verified,
    },
    principal::Principal,
    prompts::PromptSet,
    reading_room::ReadingRoom,
    session_task::{Held, Inbox, SessionTask, unavailable},
};

/// The ownership under which a session is begun.
const FIRST_OWNER: u64 = 1;

/// What an engine works with.
#[derive(Debug)]
pub struct Parts {
    /// Writes the next words.
    pub model: Arc<dyn LanguageModel>,
    /// Keeps sessions.
    pub store: Arc<dyn SessionStore>,
    /// Reads what is kept.
    pub records: Arc<dyn SessionRecords>,
    /// Finds scripts.
    pub scripts: Arc<dyn ScriptLibrary>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives ids.
    pub ids: Arc<dyn IdSource>,
    /// The words with which models are asked.
    pub prompts: PromptSet,
    /// Looks at messages beside the lexical floor, if there is one.
    pub detector: Option<Arc<dyn RiskDetector>>,
    /// From which scores on a message raises the route.
    pub thresholds: Thresholds,
    /// The bounds.
    pub limits: Limits,
    /// What is kept of model calls.
    pub recording: Recording,
}

/// What is kept of model calls beside their digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// Prompts and replies go into the events.
    Full,
    /// Replies are in the journal alone, prompts nowhere.
    None,
}

/// Runs sessions.
#[derive(Debug)]
pub struct Engine {
    parts: Arc<Parts>,
    live: Arc<Live>,
    reading_room: ReadingRoom,
}

impl Engine {
    /// Builds an engine; nothing runs before a session is opened.
    pub fn new(parts: Parts) -> Self {
        let Parts { records, scripts, clock, .. } = &parts;
        let reading_room = ReadingRoom::new(Arc::clone(records), Arc::clone(scripts), Arc::clone(clock));
        Self { parts: Arc::new(parts), live: Arc::default(), reading_room }
    }

    /// Comes to an end: opens nothing any more, lets running turns finish, tells every stream that it drains, and waits
    /// until all sessions are let go.
    pub async fn drain(&self) {
        self.live.closing.cancel();
        self.live.tasks.close();
        self.live.tasks.wait().await;
    }

    async fn start(&self, principal: &Principal, open: Open) -> Result<Conversation, OpenError> {
        let pinned = self.parts.scripts.find(&open.script, open.version.as_deref()).await?;
        let known = match &open.subject {
            Some(subject) => self.parts.store.subject(&principal.tenant, subject).await,
            None => Ok(SubjectRecord::default()),
        };
        let known = known.map_err(|error| unavailable(&error))?;
        let id = self.parts.ids.session_id();
        let basis = basis(&pinned.digest, &self.parts.prompts);
        let session = Session::new(pinned.script, &*pinned.digest, self.parts.clock.now());
        let start = Start {
            session_id: id.clone(),
            subject: open.subject,
            locale: open.locale,
            country: open.country,
            voice: self.parts.model.voice(),
            variables: open.variables,
            subject_variables: known.variables,
            thresholds: self.parts.thresholds,
            latch: known.latch,
            basis,
        };
        let start = Input::Start(Box::new(start));
        // The session is refused here or never: a start that the script does not take must reach the caller.
        session.would_take(&start).map_err(refused)?;
        let held = Held {
            session,
            version: 0,
            owner_epoch: FIRST_OWNER,
            chain: chain::ROOT.to_owned(),
            last_input: 0,
            answers: Vec::new(),
        };
        let Entered::Opened(seat, inbox) = self.live.enter((principal.tenant.clone(), id), self.parts.limits.inbox)
        else {
            return Err(OpenError::Turn(TurnError::Draining));
        };
        let task = self.task(seat.room(), Some(held));
        let (joined, seat) = self.join(seat, Role::Converser);
        self.live.tasks.spawn(task.run(Some(start), self.inbox(inbox)));
        Ok(self.conversation(seat, joined, None))
    }

    /// Enters the room of a session that is there, and waits until it is read.
    async fn enter(&self, principal: &Principal, id: &SessionId) -> Result<Seat, OpenError> {
        let key: RoomKey = (principal.tenant.clone(), id.clone());
        let seat = match self.live.enter(key, self.parts.limits.inbox) {
            Entered::Joined(seat) => seat,
            Entered::Opened(seat, inbox) => {
                self.live.tasks.spawn(self.task(seat.room(), None).run(None, self.inbox(inbox)));
                seat
            }
            Entered::Closing => return Err(OpenError::Turn(TurnError::Draining)),
        };
        match seat.room().ready().await {
            Ok(()) => Ok(seat),
            Err(TurnError::Gone) => Err(OpenError::NotFound),
            Err(error) => Err(OpenError::Turn(error)),
        }
    }

    /// Asks something of a session, and waits for the end of the turn.
    async fn ask(&self, principal: &Principal, id: &SessionId, ask: Ask) -> Result<TurnFinished, SubmitError> {
        let seat = self.enter(principal, id).await?;
        let (reply, result) = oneshot::channel();
        seat.room().letters().try_send(Letter { ask, from: From::Call(reply) }).map_err(|error| not_sent(&error))?;
        let result = result.await.map_err(|_dropped| SubmitError::NotSent(NotSent::Closed))?;
        Ok(result?)
    }

    fn inbox(&self, letters: mpsc::Receiver<Letter>) -> Inbox {
        Inbox::new(letters, self.parts.limits.inbox)
    }

    fn task(&self, room: &Arc<Room>, held: Option<Held>) -> SessionTask {
        SessionTask { parts: Arc::clone(&self.parts), live: Arc::clone(&self.live), room: Arc::clone(room), held }
    }

    fn join(&self, seat: Seat, role: Role) -> (Joined, Arc<Seat>) {
        let joined = seat.room().audience().join(role, self.parts.limits.outbox);
        (joined, Arc::new(seat))
    }

    fn conversation(&self, seat: Arc<Seat>, joined: Joined, after_seq: Option<u64>) -> Conversation {
        let number = joined.conversation;
        let sender = Arc::clone(&seat);
        let requests = Requests::new(move |input| {
            let room = sender.room();
            if !room.audience().speaks(number) {
                return Err(NotSent::Closed);
            }
            room.letters()
                .try_send(Letter { ask: Ask::Client(input), from: From::Conversation(number) })
                .map_err(|error| not_sent(&error))
        });
        let (opened, frames) = self.frames(seat, joined, after_seq);
        Conversation { opened, requests, frames }
    }

    /// Makes the side to listen to: what is missed from `after_seq` on, then what happens.
    fn frames(&self, seat: Arc<Seat>, joined: Joined, after_seq: Option<u64>) -> (Opened, Frames) {
        let (tenant, session_id) = seat.room().key().clone();
        let Joined { frames, end, last_seq, .. } = joined;
        let opened = Opened { session_id: session_id.clone(), last_seq };
        let records = Arc::clone(&self.parts.records);
        let past = after_seq.map(|after_seq| Past { records, tenant, session_id, after_seq, last_seq });
        (opened, Frames::new(past, frames, end, seat))
    }
}

#[async_trait]
impl Sessions for Engine {
    async fn open(&self, principal: &Principal, opening: Opening) -> Result<Conversation, OpenError> {
        match opening {
            Opening::Start(open) => self.start(principal, *open).await,
            Opening::Resume { session_id, after_seq } => {
                let seat = self.enter(principal, &session_id).await?;
                let (joined, seat) = self.join(seat, Role::Converser);
                Ok(self.conversation(seat, joined, after_seq))
            }
        }
    }

    async fn watch(
        &self,
        principal: &Principal,
        id: &SessionId,
        after_seq: Option<u64>,
    ) -> Result<(Opened, Frames), OpenError> {
        let seat = self.enter(principal, id).await?;
        if seat.room().audience().watchers() >= self.parts.limits.watchers {
            return Err(OpenError::TooManyWatchers);
        }
        let (joined, seat) = self.join(seat, Role::Watcher);
        Ok(self.frames(seat, joined, after_seq))
    }

    async fn submit(
        &self,
        principal: &Principal,
        id: &SessionId,
        input: ClientInput,
    ) -> Result<TurnFinished, SubmitError> {
        self.ask(principal, id, Ask::Client(input)).await
    }

    async fn clear_risk(
        &self,
        principal: &Principal,
        id: &SessionId,
        message: MessageId,
        clearance: Clearance,
    ) -> Result<TurnFinished, SubmitError> {
        self.ask(principal, id, Ask::ClearRisk(message, clearance)).await
    }

    async fn erase(&self, principal: &Principal, id: &SessionId) -> Result<(), OpenError> {
        let erased = self.parts.store.erase(&principal.tenant, id).await.map_err(|error| unavailable(&error))?;
        if let Some(seat) = self.live.join(&(principal.tenant.clone(), id.clone())) {
            // Whoever comes from now on looks into the store, and finds nothing.
            self.live.close(seat.room());
            seat.room().audience().close(Some(StreamEnd::Erased));
        }
        if erased { Ok(()) } else { Err(OpenError::NotFound) }
    }
}

#[async_trait]
impl Archive for Engine {
    async fn get(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, LookError> {
        self.reading_room.get(principal, id).await
    }

    async fn standing(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, LookError> {
        self.reading_room.standing(principal, id).await
    }

    async fn list(
        &self,
        principal: &Principal,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, LookError> {
        self.reading_room.list(principal, filter, limit).await
    }

    async fn events(
        &self,
        principal: &Principal,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, LookError> {
        self.reading_room.events(principal, id, after_seq, limit).await
    }

    async fn record(&self, principal: &Principal, id: &SessionId) -> Result<Recorded, LookError> {
        self.reading_room.record(principal, id).await
    }

    async fn verify(&self, principal: &Principal, id: &SessionId) -> Result<Verified, LookError> {
        self.reading_room.verify(principal, id).await
    }
}

fn not_sent(error: &TrySendError<Letter>) -> NotSent {
    match error {
        TrySendError::Full(_) => NotSent::QueueFull,
        TrySendError::Closed(_) => NotSent::Closed,
    }
}

fn refused(refused: InputRefused) -> OpenError {
    match refused {
        InputRefused::Start(refused) => OpenError::Start(refused),
        other => OpenError::Turn(TurnError::Refused(other)),
    }
}
