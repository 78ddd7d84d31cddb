//! One session, one task: takes messages one after the other, lets the domain decide, keeps the turn, then shows it.

use std::{collections::BTreeMap, sync::Arc};

use steersman_domain::{
    clock::Timestamp,
    control::ModelPermit,
    id::SessionId,
    script::Access,
    session::{Awaiting, EventBody, Input, InputRefused, JournalEntry, Session, SessionEvent, UtteranceSource},
    utterance::Text,
    variable::{Scope, Value, VariableName},
};
use tokio::sync::mpsc;

use crate::{
    chain,
    executor::Parts,
    ports::{
        ChainedEvent, ClientInput, MessageId, OutboxItem, RecordKind, RequestKey, ServedBy, ServerFrame, StoreError,
        TurnCommit, TurnError, TurnFinished,
    },
    principal::Principal,
    turn::{Caller, DeltaGate, Prompt, TurnClock},
};

/// A session while somebody talks to it.
#[derive(Debug)]
pub(crate) struct SessionTask {
    pub(crate) parts: Arc<Parts>,
    pub(crate) principal: Principal,
    pub(crate) id: SessionId,
    pub(crate) out: mpsc::Sender<ServerFrame>,
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
    /// Takes messages until the client is gone.
    pub(crate) async fn run(mut self, mut inbox: mpsc::Receiver<ClientInput>) {
        while let Some(message) = inbox.recv().await {
            let id = message.id().clone();
            let frame = match self.take(message).await {
                Ok(finished) => ServerFrame::TurnFinished(finished),
                Err(error) => {
                    self.held = None; // What was not kept is read again from the store.
                    ServerFrame::TurnError { id: Some(id), error }
                }
            };
            if self.out.send(frame).await.is_err() {
                return;
            }
        }
    }

    /// Opens the session: turn 0.
    pub(crate) async fn start(&mut self, start: Input) -> Result<TurnFinished, TurnError> {
        self.turn(start, None).await
    }

    async fn take(&mut self, message: ClientInput) -> Result<TurnFinished, TurnError> {
        let (id, input) = self.read(message)?;
        let body = serde_json::to_string(&input).expect("an input is plain data");
        let body_digest = chain::digest(&body);
        let before =
            self.parts.store.turn(&self.principal.tenant, &self.id, &id).await.map_err(|error| unavailable(&error))?;
        match before {
            Some(stored) if stored.body_digest == body_digest => return Ok(stored.result),
            Some(_) => return Err(TurnError::KeyReused),
            None => {}
        }
        self.turn(input, Some(RequestKey { message: id, body_digest })).await
    }

    fn read(&self, message: ClientInput) -> Result<(MessageId, Input), TurnError> {
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

    async fn turn(&mut self, input: Input, request: Option<RequestKey>) -> Result<TurnFinished, TurnError> {
        let mut held = match self.held.take() {
            Some(held) => held,
            None => self.load().await?,
        };
        let mut progress = Progress::default();
        let done = match self.run_through(&mut held, &mut progress, input).await {
            Ok(()) => self.commit(&mut held, &mut progress, request).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(finished) => {
                self.held = Some(held);
                Ok(finished)
            }
            Err(error) => {
                for gate in progress.spoken {
                    gate.retract().await;
                }
                Err(error)
            }
        }
    }

    /// Feeds the session what it waits for until it waits for its client.
    async fn run_through(&self, held: &mut Held, progress: &mut Progress, input: Input) -> Result<(), TurnError> {
        self.apply(held, progress, input)?;
        let mut clock = TurnClock::start(&self.parts.limits);
        while let Awaiting::Model(call) = held.session.awaiting() {
            let prompt = Prompt::write(&call, &self.parts.prompts);
            let number = (call.call_no, call.attempt);
            let permit = call.permit;
            let mut gate = self.gate(&held.session, &prompt, &permit);
            let attempt = self.caller().attempt(permit, &prompt, number, gate.as_mut(), &mut clock).await;
            let seen = progress.events.len();
            let applied = match attempt {
                Ok(answer) => self.apply(held, progress, Input::Answered(Box::new(answer))).map_err(TurnError::from),
                Err(why) => Err(TurnError::ModelExhausted(why)),
            };
            match gate {
                Some(gate) if applied.is_ok() && spoke(&progress.events[seen..], &gate) => progress.spoken.push(gate),
                Some(gate) => gate.retract().await,
                None => {}
            }
            applied?;
        }
        Ok(())
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
    fn gate(&self, session: &Session, prompt: &Prompt, permit: &ModelPermit) -> Option<DeltaGate> {
        let is_opening = session.state().turn() == 0;
        let shows = prompt.about.purpose.speaks() && !permit.columns().buffered && !is_opening;
        shows.then(|| {
            let id = session.state().next_utterance();
            DeltaGate::new(id, &prompt.about.reply_names, self.out.clone())
        })
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
        let shown: Vec<Arc<SessionEvent>> = events.iter().map(|chained| Arc::new(chained.event.clone())).collect();
        let last = events.last().map(|event| event.hash.clone());
        let last_input = progress.journal.last().map_or(held.last_input, |entry| entry.n);
        let commit = TurnCommit {
            tenant: self.principal.tenant.clone(),
            kind: RecordKind::Session,
            session_id: self.id.clone(),
            expected_version: held.version,
            owner_epoch: held.owner_epoch,
            request,
            journal: std::mem::take(&mut progress.journal),
            outbox: outbox(&events),
            events,
            snapshot: held.session.state().clone(),
            result: result.clone(),
            subject_variables: subject_variables(&held.session),
        };
        self.parts.store.commit(commit).await.map_err(|error| unavailable(&error))?;
        held.version += 1;
        held.last_input = last_input;
        if let Some(last) = last {
            held.chain = last;
        }
        for event in shown {
            if self.out.send(ServerFrame::Event(event)).await.is_err() {
                break; // The reader is gone; what happened is kept.
            }
        }
        Ok(result)
    }

    async fn load(&self) -> Result<Held, TurnError> {
        let record =
            self.parts.store.load(&self.principal.tenant, &self.id).await.map_err(|error| unavailable(&error))?;
        let record = record.ok_or(TurnError::StoreUnavailable)?;
        let script = self.parts.scripts.pinned(record.state.script_digest()).await;
        let script = script.map_err(|_missing| TurnError::StoreUnavailable)?;
        Ok(Held {
            session: Session::restore(script.script, record.state),
            version: record.version,
            owner_epoch: record.owner_epoch,
            chain: record.chain,
            last_input: record.last_input,
        })
    }
}

fn unavailable(error: &StoreError) -> TurnError {
    match error {
        StoreError::Stale => TurnError::Stale,
        StoreError::Unavailable(_) => TurnError::StoreUnavailable,
    }
}

/// Tells whether the words that the gate showed became an utterance.
fn spoke(events: &[SessionEvent], gate: &DeltaGate) -> bool {
    events.iter().any(|event| match &event.body {
        EventBody::Utterance { id, source: UtteranceSource::Model, .. } => *id == gate.utterance_id(),
        _ => false,
    })
}

fn chained(chain: &str, events: Vec<SessionEvent>) -> Vec<ChainedEvent> {
    let mut previous = chain.to_owned();
    let link = |event| {
        let chained = chain::link(&previous, event);
        previous.clone_from(&chained.hash);
        chained
    };
    events.into_iter().map(link).collect()
}

fn outbox(events: &[ChainedEvent]) -> Vec<OutboxItem> {
    let told = events.iter().filter(|chained| matches!(chained.event.body, EventBody::HandoffRequested { .. }));
    told.map(|chained| OutboxItem { topic: "handoff", seq: chained.event.seq, payload: chained.payload.clone() })
        .collect()
}

/// Returns the writable global values, to be kept for the subject.
fn subject_variables(session: &Session) -> BTreeMap<VariableName, Value> {
    if session.state().control().subject().is_none() {
        return BTreeMap::new();
    }
    let held = session.state().variables().in_scope(Scope::Global);
    let writable = session.script().globals.iter().filter(|global| global.access == Access::Writable);
    writable
        .filter_map(|global| {
            let name = &global.declaration.name;
            Some((name.clone(), held.get(name)?.value.clone()))
        })
        .collect()
}

fn finished(session: &Session, events: &[SessionEvent], request: Option<&RequestKey>) -> TurnFinished {
    let exit = session.last_exit();
    TurnFinished {
        client_message_id: request.map(|request| request.message.clone()),
        status: session.status(),
        position: session.position(),
        exit_reason: exit.map(|(reason, _)| reason.clone()),
        exit_decision_source: exit.and_then(|(_, source)| source),
        durable: true,
        served_by: events.iter().filter_map(served_by).max().unwrap_or(ServedBy::Script),
        first_seq: events.first().map_or_else(|| session.state().last_seq() + 1, |event| event.seq),
        last_seq: session.state().last_seq(),
    }
}

fn served_by(event: &SessionEvent) -> Option<ServedBy> {
    match &event.body {
        EventBody::HandoffRequested { .. } => Some(ServedBy::Human),
        EventBody::Utterance { source, .. } => match source {
            UtteranceSource::Script | UtteranceSource::Moderator => Some(ServedBy::Script),
            UtteranceSource::Model => Some(ServedBy::Model),
            UtteranceSource::Fallback => Some(ServedBy::Fallback),
            UtteranceSource::Crisis => Some(ServedBy::Crisis),
            UtteranceSource::User => None,
        },
        _ => None,
    }
}
