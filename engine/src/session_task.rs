//! One session, one task: takes messages one after the other, lets the domain decide, keeps the turn, then shows it.

mod inbox;
mod load;
mod outcome;

use std::sync::Arc;

use self::outcome::{chained, finished, latch, notice_for, outbox, spoke, subject_variables};
pub(crate) use self::{inbox::Inbox, outcome::unavailable};
use crate::{
    chain,
    executor::Parts,
    live::{Ask, From, Letter, Live, Readiness, Room},
    ports::{
        ClientInput, KeptAnswer, MessageId, RecordKind, RequestKey, ServerFrame, StreamEnd, TurnCommit, TurnError,
        TurnFinished,
    },
    turn::{Caller, DeltaGate, Prompt, Scanner, TurnClock},
};
use steersman_domain::{
    clock::Timestamp,
    control::{ModelPermit, output::OutputCheck},
    session::{Awaiting, Input, InputRefused, JournalEntry, ModelAnswer, Session, SessionEvent},
    utterance::Text,
};

/// A session while somebody is in its room.
#[derive(Debug)]
pub(crate) struct SessionTask {
    pub(crate) parts: Arc<Parts>,
    pub(crate) live: Arc<Live>,
    pub(crate) room: Arc<Room>,
    /// `None` before it is read, and after a turn that could not be kept.
    pub(crate) held: Option<Held>,
}

/// The session in memory, as its last commit left it.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) session: Session,
    pub(crate) version: u64,
    pub(crate) owner_epoch: u64,
    pub(crate) chain: String,
    pub(crate) last_input: u64,
    /// What models have answered already in a turn that was never kept.
    pub(crate) answers: Vec<ModelAnswer>,
}

/// What a turn has brought about so far.
#[derive(Debug, Default)]
struct Progress {
    journal: Vec<JournalEntry>,
    events: Vec<SessionEvent>,
    /// The gates whose words became utterances; a turn that fails takes them back.
    spoken: Vec<DeltaGate>,
}

impl SessionTask {
    /// Starts the session, or reads it; then takes messages until nobody is in its room or the engine drains.
    pub(crate) async fn run(mut self, start: Option<Input>, mut inbox: Inbox) {
        let begun = match start {
            Some(start) => self.open(start, &mut inbox).await,
            None => self.read_from_store().await,
        };
        if let Err(error) = begun {
            self.live.close(&self.room);
            self.room.now(Readiness::Failed(error.clone()));
            self.refuse_all(&mut inbox, &error);
            return self.room.audience().close(None);
        }
        let (live, room) = (Arc::clone(&self.live), Arc::clone(&self.room));
        while !live.close_if_empty(&room, &inbox) {
            tokio::select! {
                biased;
                () = live.closing.cancelled() => {
                    live.close(&room);
                    self.refuse_all(&mut inbox, &TurnError::Draining);
                    room.audience().close(Some(StreamEnd::Draining));
                    return;
                }
                letter = inbox.next() => match letter {
                    Some(letter) => self.answer(letter, &mut inbox).await,
                    None => return,
                },
                () = room.somebody_left() => {}
            }
        }
    }

    /// Opens the session: turn 0. Whoever opened it is told how it went.
    async fn open(&mut self, start: Input, inbox: &mut Inbox) -> Result<(), TurnError> {
        self.room.now(Readiness::Ready);
        let opened = self.turn(start, None, inbox).await;
        opened.map(drop).inspect_err(|error| {
            let frame = ServerFrame::TurnError { id: None, error: error.clone() };
            self.room.audience().tell(1, frame); // Nobody else can have joined a session that has no id yet.
        })
    }

    /// Takes a message and tells its sender what came of it; whatever was kept was shown to all.
    async fn answer(&mut self, Letter { ask, from }: Letter, inbox: &mut Inbox) {
        let id = ask.id().clone();
        let words = ask.words().cloned();
        let taken = self.take(ask, inbox).await.map_err(|error| self.answered_anyway(error, words.as_ref()));
        match (from, taken) {
            (From::Call(reply), taken) => {
                let _gone = reply.send(taken.map(Taken::into_result)).is_err(); // The caller's deadline may be over.
            }
            (From::Conversation(_), Ok(Taken::Kept(_))) => {}
            (From::Conversation(number), Ok(Taken::Before(result))) => {
                self.room.audience().tell(number, ServerFrame::TurnFinished(result));
            }
            (From::Conversation(number), Err(error)) => {
                self.room.audience().tell(number, ServerFrame::TurnError { id: Some(id), error });
            }
        }
    }

    /// What was said to no avail was looked at all the same: at acute risk the crisis text comes with the refusal.
    fn answered_anyway(&self, error: TurnError, words: Option<&Text>) -> TurnError {
        let state = self.held.as_ref().map(|held| held.session.state());
        match words.and_then(|words| notice_for(words, state)) {
            Some(notice) => TurnError::AtRisk { notice, why: Box::new(error) },
            None => error,
        }
    }

    fn refuse_all(&self, inbox: &mut Inbox, error: &TurnError) {
        for Letter { ask, from } in inbox.close() {
            let error = error.clone();
            match from {
                From::Call(reply) => {
                    let _gone = reply.send(Err(error)).is_err();
                }
                From::Conversation(number) => {
                    let frame = ServerFrame::TurnError { id: Some(ask.id().clone()), error };
                    self.room.audience().tell(number, frame);
                }
            }
        }
    }

    async fn take(&mut self, ask: Ask, inbox: &mut Inbox) -> Result<Taken, TurnError> {
        let (id, input) = self.read(ask)?;
        let body = serde_json::to_string(&input).expect("an input is plain data");
        let body_digest = chain::digest(&body);
        let (tenant, session) = self.room.key();
        let before = self.parts.store.turn(tenant, session, &id).await.map_err(|error| unavailable(&error))?;
        match before {
            Some(stored) if stored.body_digest == body_digest => return Ok(Taken::Before(stored.result)),
            Some(_) => return Err(TurnError::KeyReused),
            None => {}
        }
        self.turn(input, Some(RequestKey { message: id, body_digest }), inbox).await.map(Taken::Kept)
    }

    fn read(&self, ask: Ask) -> Result<(MessageId, Input), TurnError> {
        let message = match ask {
            Ask::Client(message) => message,
            Ask::ClearRisk(id, clearance) => return Ok((id, Input::ClearRisk { clearance })),
        };
        Ok(match message {
            ClientInput::Say { id, text } => {
                self.check_text(&text)?;
                (id, Input::Say { text })
            }
            ClientInput::Choose { id, action, key } => (id, Input::Choose { action, key }),
            ClientInput::Acknowledge { id } => (id, Input::Acknowledge),
            ClientInput::RequestHuman { id } => (id, Input::RequestHuman),
            ClientInput::Stop { id } => (id, Input::Stop),
        })
    }

    fn check_text(&self, text: &Text) -> Result<(), TurnError> {
        let (bytes, limit) = (text.as_str().len(), self.parts.limits.message_bytes);
        if bytes > limit {
            return Err(TurnError::TextTooLong { bytes, limit });
        }
        if text.as_str().contains('\0') {
            return Err(TurnError::BadEncoding);
        }
        Ok(())
    }

    async fn turn(
        &mut self,
        input: Input,
        request: Option<RequestKey>,
        inbox: &mut Inbox,
    ) -> Result<TurnFinished, TurnError> {
        let mut held = match self.held.take() {
            Some(held) => held,
            None => self.load().await?,
        };
        let mut progress = Progress::default();
        let done = match self.run_through(&mut held, &mut progress, input, inbox).await {
            Ok(()) => self.commit(&mut held, &mut progress, request).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(finished) => {
                self.held = Some(held);
                Ok(finished)
            }
            Err(error) => {
                // What was not kept did not happen; the session is read again from the store.
                progress.spoken.into_iter().for_each(DeltaGate::retract);
                Err(error)
            }
        }
    }

    /// Feeds the session what it waits for until it waits for its client.
    async fn run_through(
        &self,
        held: &mut Held,
        progress: &mut Progress,
        input: Input,
        inbox: &mut Inbox,
    ) -> Result<(), TurnError> {
        self.apply(held, progress, input)?;
        let mut clock = TurnClock::start(&self.parts.limits);
        loop {
            match held.session.awaiting() {
                Awaiting::RiskScores(messages) => {
                    let scans = self.scanner(&held.session).scan(messages).await;
                    self.apply(held, progress, Input::Scored { scans })?;
                }
                Awaiting::Model(call) => {
                    let prompt = Prompt::write(&call, &self.parts.prompts);
                    let call =
                        Call { number: (call.call_no, call.attempt), check: call.check, permit: call.permit, prompt };
                    self.call(held, progress, call, inbox, &mut clock).await?;
                }
                Awaiting::Client(_) | Awaiting::Timer(_) | Awaiting::Nothing => return Ok(()),
            }
        }
    }

    /// Lets a model speak once, and feeds the session what came of it.
    async fn call(
        &self,
        held: &mut Held,
        progress: &mut Progress,
        call: Call,
        inbox: &mut Inbox,
        clock: &mut TurnClock,
    ) -> Result<(), TurnError> {
        let mut gate = self.gate(&held.session, &call);
        let answer = match answered_before(&mut held.answers, call.number, &call.prompt) {
            Some(answer) => Ok(answer),
            None => self.ask(held, call, gate.as_mut(), inbox, clock).await,
        };
        let seen = progress.events.len();
        let applied = match answer {
            Ok(answer) => self.apply(held, progress, Input::Answered(Box::new(answer))).map_err(TurnError::from),
            Err(error) => Err(error),
        };
        match gate {
            Some(gate) if applied.is_ok() && spoke(&progress.events[seen..], &gate) => progress.spoken.push(gate),
            Some(gate) => gate.retract(),
            None => {}
        }
        applied
    }

    /// Makes one attempt of a model call. An answer that was paid for is kept before it is used.
    async fn ask(
        &self,
        held: &Held,
        call: Call,
        gate: Option<&mut DeltaGate>,
        inbox: &mut Inbox,
        clock: &mut TurnClock,
    ) -> Result<ModelAnswer, TurnError> {
        let Call { permit, prompt, number, .. } = call;
        let caller = self.caller();
        let answer = tokio::select! {
            biased;
            () = inbox.until_one_cannot_wait() => return Ok(caller.preempted(&prompt, number)),
            answer = caller.attempt(permit, &prompt, number, gate, clock) => answer,
        };
        let answer = answer.map_err(TurnError::ModelExhausted)?;
        // An opening that is not kept leaves no session that could use the answer.
        if self.parts.model.is_paid() && held.version > 0 {
            let (tenant, session_id) = self.room.key().clone();
            let (owner_epoch, turn) = (held.owner_epoch, held.session.state().turn());
            let kept = KeptAnswer { tenant, session_id, owner_epoch, turn, answer: answer.clone() };
            self.parts.store.keep_answer(kept).await.map_err(|error| unavailable(&error))?;
        }
        Ok(answer)
    }

    /// Feeds one input to the session and notes it for the journal.
    fn apply(&self, held: &mut Held, progress: &mut Progress, input: Input) -> Result<(), InputRefused> {
        let at: Timestamp = self.parts.clock.now();
        let events = held.session.apply(input.clone(), at)?;
        let n = held.last_input + 1 + u64::try_from(progress.journal.len()).unwrap_or(u64::MAX);
        progress.journal.push(JournalEntry { n, at, input });
        progress.events.extend(events);
        Ok(())
    }

    /// Words are shown while they arrive only if the person is to read them and nothing asks to check them whole first.
    /// The opening shows nothing early: the first thing that a session sends is that this is an AI.
    fn gate(&self, session: &Session, call: &Call) -> Option<DeltaGate> {
        let about = &call.prompt.about;
        let is_opening = session.state().turn() == 0;
        let shows = about.purpose.speaks() && !call.permit.columns().buffered && !is_opening;
        shows.then(|| {
            let id = session.state().next_utterance();
            DeltaGate::new(id, &about.reply_names, call.check.clone(), Arc::clone(&self.room))
        })
    }

    fn scanner(&self, session: &Session) -> Scanner<'_> {
        let Parts { detector, limits, .. } = &*self.parts;
        Scanner { detector: detector.as_deref(), language: session.state().locale(), time: limits.scan }
    }

    fn caller(&self) -> Caller<'_> {
        let Parts { model, clock, limits, recording, .. } = &*self.parts;
        Caller { model, clock, limits, recording: *recording }
    }

    async fn commit(
        &self,
        held: &mut Held,
        progress: &mut Progress,
        request: Option<RequestKey>,
    ) -> Result<TurnFinished, TurnError> {
        let result = finished(&held.session, &progress.events, request.as_ref());
        let events = chained(&held.chain, std::mem::take(&mut progress.events));
        let shown: Arc<[Arc<SessionEvent>]> = events.iter().map(|chained| Arc::clone(&chained.event)).collect();
        let last = events.last().map(|event| event.hash.clone());
        let last_input = progress.journal.last().map_or(held.last_input, |entry| entry.n);
        let (tenant, session_id) = self.room.key().clone();
        let commit = TurnCommit {
            tenant,
            kind: RecordKind::Session,
            session_id,
            expected_version: held.version,
            owner_epoch: held.owner_epoch,
            script: held.session.script_ref(),
            at: progress.journal.first().map_or_else(|| self.parts.clock.now(), |entry| entry.at),
            request,
            journal: std::mem::take(&mut progress.journal),
            outbox: outbox(&events),
            events,
            snapshot: held.session.state().clone(),
            result: result.clone(),
            subject_variables: subject_variables(&held.session),
            latch: latch(&held.session, &shown),
        };
        self.parts.store.commit(commit).await.map_err(|error| unavailable(&error))?;
        held.version += 1;
        held.last_input = last_input;
        if let Some(last) = last {
            held.chain = last;
        }
        self.room.audience().publish(&shown, &result);
        Ok(result)
    }
}

/// One attempt of a model call that is about to be made.
#[derive(Debug)]
struct Call {
    number: (u32, u32),
    permit: ModelPermit,
    prompt: Prompt,
    check: OutputCheck,
}

/// What came of a message.
#[derive(Debug)]
enum Taken {
    /// It made a turn, which was kept and shown to all.
    Kept(TurnFinished),
    /// It had made one before.
    Before(TurnFinished),
}

impl Taken {
    fn into_result(self) -> TurnFinished {
        match self {
            Self::Kept(result) | Self::Before(result) => result,
        }
    }
}

/// Takes the answer that a model gave to the same prompt when this turn was run before.
fn answered_before(answers: &mut Vec<ModelAnswer>, number: (u32, u32), prompt: &Prompt) -> Option<ModelAnswer> {
    if answers.is_empty() {
        return None;
    }
    let digest = chain::digest(&prompt.digest_text());
    let fits = |answer: &ModelAnswer| (answer.call_no, answer.attempt) == number && answer.prompt_hash == digest;
    let at = answers.iter().position(fits)?;
    Some(answers.swap_remove(at))
}
