//! `steersman play SCRIPT`: a conversation in the terminal, in this process, without a server or a key.

mod input;
mod look;
mod screen;
mod summary;

use std::{collections::BTreeMap, io::Write, path::Path, process::ExitCode, sync::Arc};

use anstream::AutoStream;
use serde_json::json;
use steersman_adapters::db::Creation;
use steersman_domain::{
    id::{SessionId, SubjectId},
    script::Script,
    session::{CallRecord, EventBody, SessionEvent, SessionView, Status, WaitFor},
    variable::{Value, VariableName},
};
use steersman_engine::{
    Engine, Principal, Recording,
    ports::{
        Archive, ClientInput, Conversation, LookError, MessageId, Open, OpenError, Opening, PinnedScript, ServerFrame,
        Sessions, TurnError,
    },
};

use self::{
    input::{Given, Inputs, Line},
    screen::Screen,
};
use super::export;
use crate::{
    cli::{Play, PlayFormat, Record},
    config::{Environment, Prices, Settings},
    failure::Failure,
    terminal::Terminal,
    wiring::{self, Database, ModelChoice, Storage, Watch, Wiring},
};

/// Plays the script until it, the input or the person ends it.
pub(super) fn run(
    play: &Play,
    settings: &Settings,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<ExitCode, Failure> {
    let script = play.script.as_deref().map(|script| wiring::script(script, terminal)).transpose()?;
    let beginning = Beginning::of(play, script.as_ref())?;
    let model = ModelChoice::new(play.llm.as_deref(), play.llm_url.as_deref(), settings, environment);
    let model = model.set_up(terminal)?;
    let watch = Watch::set_up(play.risk.as_deref(), settings, terminal)?;
    let wiring = Wiring {
        model: &model,
        watch: &watch,
        now: play.now,
        seed: play.seed,
        recording: match play.record {
            Record::Full => Recording::Full,
            Record::None => Recording::None,
        },
        prompts: play.prompts.as_deref(),
    };
    terminal.detail(|| format!("words by {}, kept in {}", model.name, play.db));
    if let Some(script) = &script {
        let Script { id, version, .. } = &*script.script;
        terminal.detail(|| format!("script {id}, version {version}, digest {}", script.digest));
    }
    let inputs = Inputs::open(play.input.as_deref(), play.format)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let storage = Storage::open(&play.db, Creation::IfMissing).await?;
        let (parts, library) = wiring.parts(&storage)?;
        let engine = Engine::new(parts);
        let played = async {
            if let Some(script) = script {
                library.draft(script).await.map_err(|error| Failure::Environment(error.to_string()))?;
            }
            let conversation = beginning.open(&engine, &play.db).await?;
            let mut game = Game::new(&engine, conversation, play, !inputs.is_interactive(), terminal);
            game.prices = model.prices;
            game.run(inputs, &beginning, play).await
        };
        let played = played.await;
        engine.drain().await;
        let closed = storage.close().await;
        played.and_then(|code| closed.map(|()| code))
    });
    runtime.shutdown_background(); // A terminal that is being read cannot be interrupted.
    outcome
}

/// The events that are looked through for the last turn; a turn has at most a few for each of its steps.
const LOOKED_BACK: u64 = 1_000;

/// How a conversation begins.
enum Beginning {
    /// With a new session.
    Start(Open),
    /// With one that is kept.
    Resume(SessionId),
}

impl Beginning {
    fn of(play: &Play, script: Option<&PinnedScript>) -> Result<Self, Failure> {
        match (&play.resume, script) {
            (Some(_), _) if play.db == Database::Memory => {
                let why = "--resume needs --db: a session in memory is gone with its process";
                Err(Failure::Usage(why.to_owned()))
            }
            (Some(id), _) => Ok(Self::Resume(id.clone())),
            (None, Some(script)) => Ok(Self::Start(open(play, &script.script)?)),
            (None, None) => Err(Failure::Usage("name a script, or a session with --resume".to_owned())),
        }
    }

    async fn open(&self, engine: &Engine, database: &Database) -> Result<Conversation, Failure> {
        let opening = match self {
            Self::Start(open) => Opening::Start(Box::new(open.clone())),
            Self::Resume(id) => Opening::Resume { session_id: id.clone(), after_seq: None },
        };
        engine.open(&Principal::local(), opening).await.map_err(|error| match (&error, self) {
            (OpenError::NotFound, Self::Resume(id)) => {
                Failure::Usage(format!("there is no session {id} in {database}"))
            }
            (error, _) => refused(error),
        })
    }
}

/// One conversation in the terminal.
struct Game<'e> {
    engine: &'e Engine,
    conversation: Conversation,
    id: SessionId,
    events: Vec<Arc<SessionEvent>>,
    terminal: Terminal,
    screen: Option<Screen>,
    out: AutoStream<std::io::Stdout>,
    data: std::io::Stdout,
    /// The last event before this conversation: what tells its messages from those of earlier ones.
    begun_at: u64,
    sent: u64,
    waits_for: Option<WaitFor>,
    over: bool,
    failed: Option<TurnError>,
    prices: Option<Prices>,
}

impl<'e> Game<'e> {
    fn new(engine: &'e Engine, conversation: Conversation, play: &Play, echoes: bool, terminal: &Terminal) -> Self {
        Self {
            engine,
            id: conversation.opened.session_id.clone(),
            begun_at: conversation.opened.last_seq,
            conversation,
            terminal: terminal.clone(),
            events: Vec::new(),
            screen: (play.format == PlayFormat::Text).then(|| Screen::new(echoes)),
            out: terminal.out(),
            data: terminal.data(),
            sent: 0,
            waits_for: None,
            over: false,
            failed: None,
            prices: None,
        }
    }

    /// Plays to the end, and says what it came to also where it failed.
    async fn run(&mut self, inputs: Inputs, beginning: &Beginning, play: &Play) -> Result<ExitCode, Failure> {
        if play.db != Database::Memory {
            self.terminal.note(&format!("session {}; --resume goes on with it", self.id));
        }
        let begun = match beginning {
            Beginning::Start(_) => self.finish_turn().await,
            Beginning::Resume(_) => self.show_where_it_stands().await,
        };
        let played = match begun {
            Ok(()) => self.play(inputs).await,
            Err(failure) => Err(failure),
        };
        self.summarise().await?;
        if let Some(path) = &play.export {
            self.export(path).await?;
        }
        played
    }

    async fn play(&mut self, mut inputs: Inputs) -> Result<ExitCode, Failure> {
        while !self.over && self.failed.is_none() {
            let interactive = inputs.is_interactive();
            let next = tokio::select! {
                next = inputs.next(self.waits_for) => next?,
                _ = tokio::signal::ctrl_c() => Line::End,
            };
            match next {
                Line::End => break,
                Line::Given(given) => self.send(given).await?,
                Line::Command(command) if interactive || self.screen.is_some() => {
                    if command == "/quit" {
                        break;
                    }
                    let view = self.view().await?;
                    look::show(&command, &view, &self.events, &mut self.out)?;
                }
                Line::Command(text) => self.send(Given::Text(text)).await?,
            }
        }
        match &self.failed {
            Some(error) => Err(Failure::Environment(error.to_string())),
            None => Ok(ExitCode::SUCCESS),
        }
    }

    async fn send(&mut self, given: Given) -> Result<(), Failure> {
        self.sent += 1;
        let id = format!("m{}-{}", self.begun_at, self.sent);
        let id = MessageId::new(id).expect("letters, digits and `-` are an id");
        if let Some(screen) = &mut self.screen {
            let words = match &given {
                Given::Text(words) | Given::Choice(words) => Some(words.as_str()),
                Given::Acknowledgement | Given::Human => None,
            };
            screen.begin_turn(words, &mut self.out)?;
        }
        let message = match given {
            Given::Text(text) => ClientInput::Say { id, text: text.into() },
            Given::Choice(key) => ClientInput::Choose { id, action: None, key },
            Given::Acknowledgement => ClientInput::Acknowledge { id },
            Given::Human => ClientInput::RequestHuman { id },
        };
        self.conversation.requests.send(message).map_err(|error| Failure::Environment(error.to_string()))?;
        self.finish_turn().await
    }

    /// Shows frames until the turn is over.
    async fn finish_turn(&mut self) -> Result<(), Failure> {
        loop {
            let frame = tokio::select! {
                frame = self.conversation.frames.next() => frame,
                _ = tokio::signal::ctrl_c() => {
                    self.over = true; // The running turn is finished first; another Ctrl-C stops at once.
                    stop_at_the_next_ctrl_c();
                    self.conversation.frames.next().await
                }
            };
            let Some(frame) = frame else {
                self.over = true;
                return Ok(());
            };
            match frame {
                ServerFrame::Delta { utterance_id, text } => {
                    if let Some(screen) = &mut self.screen {
                        screen.delta(utterance_id, &text, &mut self.out)?;
                    }
                }
                ServerFrame::Retracted { utterance_id } => {
                    if let Some(screen) = &mut self.screen {
                        screen.retract(utterance_id, &mut self.out)?;
                    }
                }
                ServerFrame::Events(events) => events.iter().try_for_each(|event| self.show(event))?,
                ServerFrame::TurnFinished(finished) => {
                    self.over |= finished.status != Status::WaitingInput;
                    return Ok(());
                }
                ServerFrame::TurnError { error, .. } => return self.fail(error),
                ServerFrame::Draining => self.over = true,
            }
        }
    }

    fn note_wait(&mut self, event: &SessionEvent) {
        if let EventBody::Waiting { wait_for, .. } = &event.body {
            self.waits_for = Some(*wait_for);
        }
    }

    fn show(&mut self, event: &Arc<SessionEvent>) -> Result<(), Failure> {
        self.note_wait(event);
        self.tell(event);
        match &mut self.screen {
            Some(screen) => screen.event(event, &mut self.out)?,
            None => writeln!(self.data, "{}", json!(&**event))?,
        }
        self.events.push(Arc::clone(event));
        Ok(())
    }

    /// Says what stands behind the conversation, for `--verbose`.
    fn tell(&self, event: &SessionEvent) {
        match &event.body {
            EventBody::ModelCalled { record } => self.terminal.detail(|| told_call(record)),
            EventBody::Issue { code, message } => {
                self.terminal.detail(|| format!("{}: {message}", json!(code).as_str().unwrap_or_default()));
            }
            _ => {}
        }
    }

    /// A message that the session does not take changes nothing; anything else ends the conversation.
    fn fail(&mut self, error: TurnError) -> Result<(), Failure> {
        match error {
            TurnError::Refused(_) | TurnError::TextTooLong { .. } | TurnError::BadEncoding | TurnError::KeyReused => {
                self.out.flush()?;
                let mut stderr = anstream::stderr();
                writeln!(stderr, "not taken: {error}")?;
            }
            TurnError::Stale
            | TurnError::StoreUnavailable
            | TurnError::StoreFull
            | TurnError::Gone
            | TurnError::LogCorrupt
            | TurnError::Draining
            | TurnError::ModelExhausted(_) => self.failed = Some(error),
            TurnError::AtRisk { notice, why } => {
                writeln!(self.out, "{}", notice.as_str())?;
                return self.fail(*why);
            }
        }
        Ok(())
    }

    /// Shows the last turn of a session that is gone on with; programs have its events and are shown what is new.
    async fn show_where_it_stands(&mut self) -> Result<(), Failure> {
        let view = self.view().await?;
        let principal = Principal::local();
        let after = self.begun_at.saturating_sub(LOOKED_BACK);
        let events = self.engine.events(&principal, &self.id, after, usize::MAX).await;
        let events = events.map_err(|error| Failure::Environment(error.to_string()))?;
        let last = events.last().map_or(0, |event| event.turn);
        for event in events.into_iter().filter(|event| event.turn == last) {
            let event = Arc::new(event);
            match self.screen {
                Some(_) => self.show(&event)?,
                None => self.note_wait(&event),
            }
        }
        self.over = view.status != Status::WaitingInput;
        Ok(())
    }

    async fn export(&self, path: &Path) -> Result<(), Failure> {
        match self.engine.record(&Principal::local(), &self.id).await {
            Ok(recorded) => export::write(path, &self.id, recorded),
            Err(LookError::NotFound) => {
                self.terminal.note(&format!("nothing was kept, so {} is not written", path.display()));
                Ok(())
            }
            Err(error) => Err(Failure::Environment(error.to_string())),
        }
    }

    async fn view(&self) -> Result<SessionView, Failure> {
        let view = self.engine.get(&Principal::local(), &self.id).await;
        view.map_err(|error| Failure::Environment(error.to_string()))
    }

    async fn summarise(&mut self) -> Result<(), Failure> {
        let view = match self.engine.get(&Principal::local(), &self.id).await {
            Ok(view) => Some(view),
            Err(LookError::NotFound) => None, // The opening itself failed: nothing was kept.
            Err(error) => return Err(Failure::Environment(error.to_string())),
        };
        match &self.screen {
            None => writeln!(self.data, "{}", summary::json(view.as_ref(), self.failed.is_some()))?,
            Some(_) => summary::text(view.as_ref(), self.prices, &mut self.out)?,
        }
        Ok(())
    }
}

fn told_call(record: &CallRecord) -> String {
    let CallRecord { purpose, model, attempt, latency_ms, tokens_in, tokens_out, .. } = record;
    let model = if model.is_empty() { "no answer" } else { model.as_str() };
    let tokens = match (tokens_in, tokens_out) {
        (Some(read), Some(written)) => format!(", {read} tokens read, {written} written"),
        (_, _) => String::new(),
    };
    format!("{}: {model}, attempt {attempt}, {latency_ms} ms{tokens}", purpose.as_str())
}

fn stop_at_the_next_ctrl_c() {
    tokio::spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            #[expect(clippy::exit, reason = "the person asked twice to stop at once")]
            std::process::exit(130);
        }
    });
}

fn open(play: &Play, script: &Script) -> Result<Open, Failure> {
    let usage = |text: String| Failure::Usage(text);
    let mut variables = BTreeMap::new();
    for set in &play.set {
        let (name, value) =
            set.split_once('=').ok_or_else(|| usage(format!("`--set {set}`: write it as NAME=VALUE")))?;
        let name = VariableName::new(name.trim()).map_err(|error| usage(format!("`--set {set}`: {error}")))?;
        variables.insert(name, value_of(value));
    }
    let subject = play.subject.as_deref().map(SubjectId::new).transpose();
    if let Some(country) = &play.country
        && !(country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_alphabetic()))
    {
        return Err(usage(format!("`--country {country}`: write two letters, such as US or CN")));
    }
    Ok(Open {
        script: script.id.clone(),
        version: None,
        subject: subject.map_err(|error| usage(format!("--subject: {error}")))?,
        locale: play.locale,
        country: play.country.as_ref().map(|country| country.to_ascii_uppercase()),
        variables,
    })
}

/// Reads lists and objects as JSON; all else is a text, which the declaration's type converts.
fn value_of(text: &str) -> Value {
    let is_structured = text.starts_with(['[', '{']);
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) if is_structured => Value::new(json),
        Ok(_) | Err(_) => Value::from(text),
    }
}

fn refused(error: &OpenError) -> Failure {
    match error {
        OpenError::Start(_) => Failure::Usage(error.to_string()),
        OpenError::NotFound | OpenError::TooManyWatchers | OpenError::Script(_) | OpenError::Turn(_) => {
            Failure::Environment(error.to_string())
        }
    }
}
