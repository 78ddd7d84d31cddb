//! An engine in memory with one session open: a still clock, seeded ids, and a client that waits for each turn.

use std::{collections::BTreeMap, sync::Arc};

use steersman_adapters::{
    host::SeededIds,
    scripts::{Library, load},
};
use steersman_domain::{
    clock::Timestamp,
    control::{Clearance, Thresholds},
    id::{SessionId, SubjectId},
    locale::Locale,
    session::{JournalEntry, Session, SessionEvent, SessionView, replay},
    variable::{Value, VariableName},
};
use steersman_engine::{
    Engine, Limits, Parts, Principal, Recording, chain,
    memory::MemoryStore,
    ports::{
        Archive, ClientInput, Clock, Conversation, FixedClock, LanguageModel, MessageId, Open, OpenError, Opening,
        PinnedScript, RiskDetector, ServerFrame, SessionRecords, SessionStore, Sessions, StreamEnd, SubmitError,
        TurnError, TurnFinished,
    },
    prompts::PromptSet,
};

/// When every test takes place.
pub const NOW: &str = "2026-01-05T09:00:00Z";

/// A store as a test needs it: it keeps sessions and shows them.
pub trait Store: SessionStore + SessionRecords {}

impl<S: SessionStore + SessionRecords> Store for S {}

/// How a stage is set. Every field has a plain default but the model.
#[derive(Debug)]
pub struct Setting {
    /// Who speaks where the script asks for a model.
    pub model: Arc<dyn LanguageModel>,
    /// What looks at messages beside the floor.
    pub detector: Option<Arc<dyn RiskDetector>>,
    /// Where the session is kept.
    pub store: Arc<dyn Store>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The bounds of the engine.
    pub limits: Limits,
    /// Values that the client sets.
    pub variables: BTreeMap<VariableName, Value>,
    /// Whom the session is about.
    pub subject: Option<SubjectId>,
    /// The language of the built-in texts.
    pub locale: Option<Locale>,
}

/// A session that is open.
#[derive(Debug)]
pub struct Stage {
    /// The script that is played.
    pub script: PinnedScript,
    /// Where the session is kept.
    pub store: Arc<dyn Store>,
    /// The session.
    pub id: SessionId,
    engine: Engine,
    conversation: Conversation,
    sent: u32,
}

/// What a client saw of one turn.
#[derive(Debug)]
pub struct Seen {
    /// Everything that arrived before the end of the turn, in order.
    pub frames: Vec<ServerFrame>,
    /// How the turn ended.
    pub outcome: Result<TurnFinished, TurnError>,
}

impl Setting {
    /// Sets a stage with this model.
    pub fn with(model: impl LanguageModel + 'static) -> Self {
        Self {
            model: Arc::new(model),
            detector: None,
            store: Arc::new(MemoryStore::default()),
            clock: Arc::new(FixedClock(now())),
            limits: Limits::default(),
            variables: BTreeMap::new(),
            subject: None,
            locale: None,
        }
    }
}

impl Stage {
    /// Opens a session and waits for its opening.
    ///
    /// # Errors
    ///
    /// As the engine says.
    pub async fn open(script: &PinnedScript, setting: Setting) -> Result<(Self, Seen), OpenError> {
        let Setting { model, detector, store, clock, limits, variables, subject, locale } = setting;
        let engine = engine(script, (model, detector), &store, clock, limits).await?;
        let open = Open { script: script.script.id.clone(), version: None, subject, locale, country: None, variables };
        let conversation = engine.open(&Principal::local(), Opening::Start(Box::new(open))).await?;
        let id = conversation.opened.session_id.clone();
        let mut stage = Self { script: script.clone(), store, id, engine, conversation, sent: 0 };
        let seen = stage.seen().await;
        Ok((stage, seen))
    }

    /// Goes on with the session in another process: whatever was not kept is lost. `after_seq` as when resuming.
    ///
    /// # Errors
    ///
    /// As the engine says.
    pub async fn resume(self, model: Arc<dyn LanguageModel>, after_seq: Option<u64>) -> Result<Self, OpenError> {
        let Self { script, store, id, engine: before, conversation, sent } = self;
        drop((conversation, before));
        let clock = Arc::new(FixedClock(now()));
        let engine = engine(&script, (model, None), &store, clock, Limits::default()).await?;
        let opening = Opening::Resume { session_id: id.clone(), after_seq };
        let conversation = engine.open(&Principal::local(), opening).await?;
        Ok(Self { script, store, id, engine, conversation, sent })
    }

    /// Returns the engine, to talk to the session in other ways.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the next frame of the conversation; `None` when it is over.
    pub async fn frame(&mut self) -> Option<ServerFrame> {
        self.conversation.frames.next().await
    }

    /// Tells why the session's side closed the conversation.
    pub fn ended(&self) -> Option<StreamEnd> {
        self.conversation.frames.ended()
    }

    /// Says something and waits for the end of the turn.
    pub async fn say(&mut self, text: &str) -> Seen {
        let id = self.next_id();
        self.send(ClientInput::Say { id, text: text.into() }).await
    }

    /// Sends a message and waits for the end of its turn.
    pub async fn send(&mut self, input: ClientInput) -> Seen {
        self.conversation.requests.send(input).expect("one message at a time never fills the queue");
        self.seen().await
    }

    /// Clears the risk as a clinician, and waits for the end of the turn.
    ///
    /// # Errors
    ///
    /// As the engine says.
    pub async fn clear(&mut self, clearance: Clearance) -> Result<Seen, SubmitError> {
        let id = self.next_id();
        self.engine.clear_risk(&Principal::local(), &self.id, id, clearance).await?;
        Ok(self.seen().await)
    }

    /// Returns an id that no message had.
    pub fn next_id(&mut self) -> MessageId {
        self.sent += 1;
        MessageId::new(format!("m{}", self.sent)).expect("letters and digits are an id")
    }

    /// Looks at the session.
    pub async fn view(&self) -> SessionView {
        self.engine.get(&Principal::local(), &self.id).await.expect("the session is kept")
    }

    /// Returns all events that are kept.
    pub async fn events(&self) -> Vec<SessionEvent> {
        let tenant = Principal::local().tenant;
        self.store.events(&tenant, &self.id, 0, usize::MAX).await.expect("memory keeps events")
    }

    /// Returns the journal.
    pub async fn journal(&self) -> Vec<JournalEntry> {
        self.store.journal(&Principal::local().tenant, &self.id, 0, usize::MAX).await.expect("memory keeps journals")
    }

    /// Checks that what is kept stands by itself: the journal gives the same events and state, also if the state goes
    /// through JSON before every input.
    ///
    /// # Errors
    ///
    /// What differs.
    pub async fn stands_by_itself(&self) -> Result<(), String> {
        let journal: Vec<JournalEntry> = through_json(&self.journal().await)?;
        let events: Vec<SessionEvent> = through_json(&self.events().await)?;
        if events != self.events().await {
            return Err("an event changes when it is written and read".to_owned());
        }
        let kept = self.store.load(&Principal::local().tenant, &self.id).await.expect("memory keeps states");
        let kept = kept.ok_or("the session was not kept")?.state;
        let script = Arc::clone(&self.script.script);
        let (replayed, difference) = replay(Arc::clone(&script), &self.script.digest, journal.clone(), events.clone())
            .map_err(|error| format!("the journal does not replay: {error}"))?;
        if let Some(difference) = difference {
            return Err(format!("the replay differs at event {}: {}", difference.seq, json(&difference.replayed)));
        }
        if Some(json(replayed.state())) != kept.as_ref().map(json) {
            return Err("the replay leads to another state than the one that was kept".to_owned());
        }
        let mut session = Session::new(script, &*self.script.digest, journal.first().map_or(now(), |first| first.at));
        let mut again = Vec::new();
        for entry in journal {
            session = reread(&session)?;
            let n = entry.n;
            again.extend(session.apply(entry.input, entry.at).map_err(|why| format!("input {n}: {why}"))?);
        }
        if again != events {
            return Err("a session that went through JSON before every input went on otherwise".to_owned());
        }
        Ok(())
    }

    async fn seen(&mut self) -> Seen {
        let mut frames = Vec::new();
        loop {
            match self.conversation.frames.next().await {
                None => panic!("the conversation ended within a turn"),
                Some(ServerFrame::TurnFinished(finished)) => return Seen { frames, outcome: Ok(finished) },
                Some(ServerFrame::TurnError { error, .. }) => return Seen { frames, outcome: Err(error) },
                Some(frame) => frames.push(frame),
            }
        }
    }
}

async fn engine(
    script: &PinnedScript,
    (model, detector): (Arc<dyn LanguageModel>, Option<Arc<dyn RiskDetector>>),
    store: &Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    limits: Limits,
) -> Result<Engine, OpenError> {
    let library = Library::new(Arc::new(MemoryStore::default()), Arc::clone(&clock));
    library.draft(script.clone()).await?;
    Ok(Engine::new(Parts {
        detector,
        thresholds: Thresholds::default(),
        model,
        store: Arc::clone(store) as _,
        records: Arc::clone(store) as _,
        scripts: Arc::new(library),
        clock,
        ids: Arc::new(SeededIds::new(1, now())),
        prompts: PromptSet::shipped(),
        limits,
        recording: Recording::None,
    }))
}

impl Seen {
    /// Returns the events that arrived.
    pub fn events(&self) -> Vec<SessionEvent> {
        let events = |frame: &ServerFrame| match frame {
            ServerFrame::Events(events) => events.iter().map(|event| SessionEvent::clone(event)).collect(),
            ServerFrame::Delta { .. }
            | ServerFrame::Retracted { .. }
            | ServerFrame::TurnFinished(_)
            | ServerFrame::TurnError { .. }
            | ServerFrame::Draining => Vec::new(),
        };
        self.frames.iter().flat_map(events).collect()
    }
}

/// Returns [`NOW`].
pub fn now() -> Timestamp {
    NOW.parse().expect("it is a time")
}

/// Loads a script that has no errors.
///
/// # Panics
///
/// With the report of its defects.
pub fn script(yaml: &str) -> PinnedScript {
    let loaded = load("script.yaml", yaml.as_bytes());
    let report = loaded.report(false);
    let script = loaded.script.unwrap_or_else(|| panic!("{report}"));
    PinnedScript { script: Arc::new(script), digest: chain::digest(yaml).into(), source: yaml.into() }
}

/// Writes the state as JSON and reads it back.
///
/// # Errors
///
/// If something is lost.
pub fn reread(session: &Session) -> Result<Session, String> {
    let written = json(session.state());
    let state = serde_json::from_str(&written).map_err(|error| format!("a state cannot be read back: {error}"))?;
    let read = Session::restore(Arc::clone(session.script()), state)
        .map_err(|damage| format!("a state that was written is refused: {damage}"))?;
    if read.state() == session.state() && json(read.state()) == written {
        Ok(read)
    } else {
        Err("a state changes when it is written and read".to_owned())
    }
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> Result<T, String> {
    serde_json::from_str(&json(value)).map_err(|error| format!("what was written cannot be read back: {error}"))
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("sessions are plain data")
}
