//! `steersman play SCRIPT`: a conversation in the terminal, in this process, without a server or a key.

mod input;
mod look;
mod screen;
mod summary;

use std::{collections::BTreeMap, io::Write, process::ExitCode, sync::Arc};

use anstream::AutoStream;
use serde_json::json;
use steersman_domain::{
    id::SubjectId,
    script::Script,
    session::{SessionEvent, SessionView, Status, WaitFor},
    variable::{Value, VariableName},
};
use steersman_engine::{
    Engine, Principal, Recording,
    ports::{
        Archive, ClientInput, Conversation, LookError, MessageId, Open, OpenError, Opening, ServerFrame, Sessions,
        TurnError,
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
    wiring::{self, ModelChoice, Storage, Wiring},
};

/// Plays the script until it, the input or the person ends it.
pub(super) fn run(
    play: &Play,
    settings: &Settings,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<ExitCode, Failure> {
    let pinned = wiring::script(&play.script, terminal)?;
    let open = open(play, &pinned.script)?;
    let storage = Storage::in_memory();
    let model = ModelChoice::new(play.llm.as_deref(), play.llm_url.as_deref(), settings, environment);
    let model = model.set_up(terminal)?;
    let wiring = Wiring {
        model: &model,
        now: play.now,
        seed: play.seed,
        recording: match play.record {
            Record::Full => Recording::Full,
            Record::None => Recording::None,
        },
        prompts: play.prompts.as_deref(),
    };
    let (parts, library) = wiring.parts(&storage)?;
    let inputs = Inputs::open(play.input.as_deref(), play.format)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let engine = Engine::new(parts);
        library.draft(pinned.clone()).await.map_err(|error| Failure::Environment(error.to_string()))?;
        let opening = Opening::Start(Box::new(open));
        let conversation = engine.open(&Principal::local(), opening).await.map_err(|error| refused(&error))?;
        let mut game = Game::new(&engine, conversation, play, !inputs.is_interactive(), terminal);
        game.prices = model.prices;
        let played = game.play(inputs).await;
        let summarised = game.summarise().await;
        if let Some(path) = &play.export {
            export::write(path, &engine, &game.id).await?;
        }
        summarised?;
        played
    });
    runtime.shutdown_background(); // A terminal that is being read cannot be interrupted.
    outcome
}

/// One conversation in the terminal.
struct Game<'e> {
    engine: &'e Engine,
    conversation: Conversation,
    id: steersman_domain::id::SessionId,
    events: Vec<Arc<SessionEvent>>,
    screen: Option<Screen>,
    out: AutoStream<std::io::Stdout>,
    data: std::io::Stdout,
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
            conversation,
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

    async fn play(&mut self, mut inputs: Inputs) -> Result<ExitCode, Failure> {
        self.finish_turn().await?;
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
        let id = MessageId::new(format!("m{}", self.sent)).expect("letters and digits are an id");
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

    fn show(&mut self, event: &Arc<SessionEvent>) -> Result<(), Failure> {
        if let steersman_domain::session::EventBody::Waiting { wait_for, .. } = &event.body {
            self.waits_for = Some(*wait_for);
        }
        match &mut self.screen {
            Some(screen) => screen.event(event, &mut self.out)?,
            None => writeln!(self.data, "{}", json!(&**event))?,
        }
        self.events.push(Arc::clone(event));
        Ok(())
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
        }
        Ok(())
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
