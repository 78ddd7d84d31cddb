//! `steersman session …`: looks at what is kept of sessions, also beside a running server, and erases.

mod listing;
mod showing;

use std::{io::Write, path::Path, process::ExitCode};

use steersman_adapters::{db::Creation, host::SystemClock};
use steersman_domain::{
    control::Clearance,
    id::SessionId,
    session::{EventBody, SessionEvent, Speaker},
};
use steersman_engine::{
    Engine, Principal, Recording,
    ports::{
        Archive, Clock, LibraryError, LookError, MessageId, OpenError, SessionFilter, Sessions, ShelfError, StoreError,
        SubmitError,
    },
};

use super::export;
use crate::{
    cli::{SessionCommand, SessionFormat, SessionList, SessionOf},
    config::Settings,
    failure::Failure,
    terminal::{ASIDE, ASSISTANT, Terminal},
    wiring::{ChosenModel, Database, Records, Storage, Watch, Wiring},
};

/// How many sessions or events are read at once.
const PAGE: usize = 500;

/// Runs the command on the database that the flag or the settings name.
pub(super) fn run(of: &SessionOf, settings: &Settings, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let database = settings.database(of.db.as_ref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let look = || Looking::open(&database, of.format, terminal);
    runtime.block_on(async {
        match &of.command {
            SessionCommand::List(list) => look().await?.list(list).await,
            SessionCommand::Show { id, verify: false } => look().await?.show(id).await,
            SessionCommand::Show { id, verify: true } => look().await?.verify(id).await,
            SessionCommand::Events { id, after } => look().await?.events(id, *after).await,
            SessionCommand::Transcript { id } => look().await?.transcript(id).await,
            SessionCommand::Export { id, to } => look().await?.export(id, to.as_deref()).await,
            SessionCommand::Erase { id } => erase(&database, id, terminal).await,
            SessionCommand::ClearRisk { id, reason, by } => {
                let clearance = Clearance::new(by, reason).map_err(|error| Failure::Usage(error.to_string()))?;
                clear_risk(&database, id, clearance, terminal).await
            }
        }
    })
}

/// Looks at one database.
struct Looking<'a> {
    records: Records,
    database: &'a Database,
    format: SessionFormat,
    terminal: &'a Terminal,
}

impl<'a> Looking<'a> {
    async fn open(database: &'a Database, format: SessionFormat, terminal: &'a Terminal) -> Result<Self, Failure> {
        Ok(Self { records: Records::open(database).await?, database, format, terminal })
    }

    async fn list(&self, wanted: &SessionList) -> Result<ExitCode, Failure> {
        let mut filter = SessionFilter {
            subject: wanted.subject.clone(),
            status: wanted.status.map(Into::into),
            script: wanted.script.clone(),
            after: wanted.after.clone(),
        };
        let mut out = self.terminal.out();
        let mut left = wanted.limit;
        let mut listed = 0;
        while left > 0 {
            let page = self.records.archive.list(&Principal::local(), &filter, left.min(PAGE)).await;
            let page = page.map_err(|error| self.failed(&error, None))?;
            for summary in &page {
                match self.format {
                    SessionFormat::Text => listing::text(summary, &mut out)?,
                    SessionFormat::Json => writeln!(self.terminal.data(), "{}", listing::json(summary))?,
                }
            }
            listed += page.len();
            left -= page.len();
            let Some(last) = page.last() else { break };
            filter.after = Some(last.id.clone());
        }
        if left == 0 && self.format == SessionFormat::Text {
            let last = filter.after.map(|id| id.to_string()).unwrap_or_default();
            self.terminal.note(&format!("there may be more: --after {last}"));
        } else if listed == 0 {
            self.terminal.note(&format!("no session in {} fits", self.database));
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn show(&self, id: &SessionId) -> Result<ExitCode, Failure> {
        let view = self.records.archive.get(&Principal::local(), id).await;
        let view = view.map_err(|error| self.failed(&error, Some(id)))?;
        match self.format {
            SessionFormat::Text => showing::text(&view, &mut self.terminal.out())?,
            SessionFormat::Json => writeln!(self.terminal.data(), "{}", serde_json::json!(view))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn verify(&self, id: &SessionId) -> Result<ExitCode, Failure> {
        let verified = self.records.archive.verify(&Principal::local(), id).await;
        let verified = verified.map_err(|error| self.failed(&error, Some(id)))?;
        match self.format {
            SessionFormat::Text => showing::verified(id, &verified, &mut self.terminal.out())?,
            SessionFormat::Json => writeln!(self.terminal.data(), "{}", showing::verified_json(id, &verified))?,
        }
        if verified.broken.is_some() {
            return Err(Failure::Checked);
        }
        // The view of an erased session is gone with it; that its chain holds is all that can be said.
        match self.records.archive.get(&Principal::local(), id).await {
            Err(LookError::NotFound) => Ok(ExitCode::SUCCESS),
            Ok(_) | Err(_) if self.format == SessionFormat::Json => Ok(ExitCode::SUCCESS),
            Ok(view) => {
                showing::text(&view, &mut self.terminal.out())?;
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => Err(self.failed(&error, Some(id))),
        }
    }

    async fn events(&self, id: &SessionId, after: u64) -> Result<ExitCode, Failure> {
        self.each_event(id, after, |event, looking| match looking.format {
            SessionFormat::Text => listing::event(event, &mut looking.terminal.out()),
            SessionFormat::Json => writeln!(looking.terminal.data(), "{}", serde_json::json!(event)),
        })
        .await
    }

    async fn transcript(&self, id: &SessionId) -> Result<ExitCode, Failure> {
        self.each_event(id, 0, |event, looking| {
            let (role, text) = match &event.body {
                EventBody::Utterance { role, text, .. } => (*role, text),
                EventBody::Disclosed { text } => (Speaker::System, text),
                _ => return Ok(()),
            };
            if looking.format == SessionFormat::Json {
                return writeln!(looking.terminal.data(), "{}", serde_json::json!(event));
            }
            let mut out = looking.terminal.out();
            match role {
                Speaker::User => writeln!(out, "{ASIDE}>{ASIDE:#} {}", text.as_str()),
                Speaker::Assistant => writeln!(out, "{ASSISTANT}{}{ASSISTANT:#}", text.as_str()),
                Speaker::System => writeln!(out, "{ASIDE}{}{ASIDE:#}", text.as_str()),
            }
        })
        .await
    }

    /// Does something with every event, in order, a page in memory at a time.
    async fn each_event(
        &self,
        id: &SessionId,
        after: u64,
        each: impl Fn(&SessionEvent, &Self) -> std::io::Result<()>,
    ) -> Result<ExitCode, Failure> {
        let mut last = after;
        loop {
            let page = self.records.archive.events(&Principal::local(), id, last, PAGE).await;
            let page = page.map_err(|error| self.failed(&error, Some(id)))?;
            let Some(end) = page.last() else { return Ok(ExitCode::SUCCESS) };
            last = end.seq;
            page.iter().try_for_each(|event| each(event, self))?;
        }
    }

    async fn export(&self, id: &SessionId, to: Option<&Path>) -> Result<ExitCode, Failure> {
        let recorded = self.records.archive.record(&Principal::local(), id).await;
        let recorded = recorded.map_err(|error| self.failed(&error, Some(id)))?;
        match to {
            Some(path) => export::write(path, id, recorded)?,
            None => export::put(&mut std::io::BufWriter::new(self.terminal.data()), id, recorded)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn failed(&self, error: &LookError, id: Option<&SessionId>) -> Failure {
        look_failed(error, id, self.database)
    }
}

/// Says why a session cannot be looked at.
pub(super) fn look_failed(error: &LookError, id: Option<&SessionId>, database: &Database) -> Failure {
    match (error, id) {
        (LookError::NotFound, Some(id)) => Failure::Usage(format!("there is no session {id} in {database}")),
        (LookError::Unavailable(source @ StoreError::Corrupt(_)), Some(id)) => Failure::Environment(format!(
            "session {id} in {database}: {source}; `session show {id} --verify` tells which event was changed"
        )),
        (LookError::Script(LibraryError::Unavailable(ShelfError::Store(StoreError::Corrupt(source)))), Some(id)) => {
            Failure::Environment(format!("session {id} in {database}: {source}"))
        }
        (LookError::Unavailable(source), _) => Failure::Environment(format!("{database}: {source}")),
        (_, Some(id)) => Failure::Environment(format!("session {id} in {database}: {error}")),
        (_, None) => Failure::Environment(format!("{database}: {error}")),
    }
}

async fn erase(database: &Database, id: &SessionId, terminal: &Terminal) -> Result<ExitCode, Failure> {
    if *database == Database::Memory {
        return Err(Failure::Usage("sessions in memory are gone with their process; name a database".to_owned()));
    }
    let storage = Storage::open(database, Creation::Never).await?;
    let erased = storage.sessions.erase(&Principal::local().tenant, id).await;
    storage.close().await?;
    match erased {
        Ok(true) => {
            terminal.note(&format!("session {id} is erased; only the digests of its events are left"));
            Ok(ExitCode::SUCCESS)
        }
        Ok(false) => Err(look_failed(&LookError::NotFound, Some(id), database)),
        Err(error) => Err(Failure::Environment(format!("{database}: {error}"))),
    }
}

/// Clears the risk of a session that nobody runs now. No model speaks: the session goes on with the person's next message.
async fn clear_risk(
    database: &Database,
    id: &SessionId,
    clearance: Clearance,
    terminal: &Terminal,
) -> Result<ExitCode, Failure> {
    if *database == Database::Memory {
        return Err(Failure::Usage("sessions in memory are gone with their process; name a database".to_owned()));
    }
    let storage = Storage::open(database, Creation::Never).await?;
    let (model, watch) = (ChosenModel::offline(), Watch::floor());
    let wiring =
        Wiring { model: &model, watch: &watch, now: None, seed: None, recording: Recording::None, prompts: None };
    let engine = Engine::new(wiring.parts(&storage)?.0);
    let message = MessageId::new(format!("clear-risk-{}", SystemClock.now().unix_ms())).expect("visible ASCII");
    let cleared = engine.clear_risk(&Principal::local(), id, message, clearance).await;
    engine.drain().await;
    storage.close().await?;
    match cleared {
        Ok(_) => {
            terminal.note(&format!("session {id}: the risk is cleared; it goes on with the next message"));
            Ok(ExitCode::SUCCESS)
        }
        Err(SubmitError::Open(OpenError::NotFound)) => Err(look_failed(&LookError::NotFound, Some(id), database)),
        Err(error) => Err(Failure::Environment(format!("{database}: {error}"))),
    }
}
