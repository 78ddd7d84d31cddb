//! The engine: opens sessions, each in a task of its own, over the ports it was given.

use std::sync::Arc;

use async_trait::async_trait;
use steersman_domain::{
    id::SessionId,
    session::{Input, InputRefused, Session, SessionView, Start},
};
use tokio_util::task::TaskTracker;

use crate::{
    chain,
    limits::Limits,
    ports::{
        Clock, Conversation, IdSource, LanguageModel, Open, OpenError, Opened, ScriptLibrary, SessionStore, Sessions,
        TurnError, sessions::channel,
    },
    principal::Principal,
    prompts::PromptSet,
    session_task::{Held, SessionTask},
};

/// How many events are read at once to look at a session.
const VIEW_PAGE: usize = 100_000;

/// What an engine works with.
#[derive(Debug)]
pub struct Parts {
    /// Writes the next words.
    pub model: Arc<dyn LanguageModel>,
    /// Keeps sessions.
    pub store: Arc<dyn SessionStore>,
    /// Finds scripts.
    pub scripts: Arc<dyn ScriptLibrary>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives ids.
    pub ids: Arc<dyn IdSource>,
    /// The words with which models are asked.
    pub prompts: PromptSet,
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
    tasks: TaskTracker,
}

impl Engine {
    /// Builds an engine; nothing runs before a session is opened.
    pub fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts), tasks: TaskTracker::new() }
    }

    /// Waits until every session's task is over; each ends when its client is gone.
    pub async fn drained(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[async_trait]
impl Sessions for Engine {
    async fn open(&self, principal: &Principal, open: Open) -> Result<Conversation, OpenError> {
        let pinned = self.parts.scripts.find(&open.script, open.version.as_deref()).await?;
        let subject_variables = match &open.subject {
            Some(subject) => self.parts.store.subject_variables(&principal.tenant, subject).await,
            None => Ok(std::collections::BTreeMap::new()),
        };
        let id = self.parts.ids.session_id();
        let session = Session::new(pinned.script, &*pinned.digest, self.parts.clock.now());
        let (requests, inbox, out, frames) = channel(self.parts.limits.inbox, self.parts.limits.outbox);
        let start = Start {
            session_id: id.clone(),
            subject: open.subject,
            locale: open.locale,
            country: open.country,
            voice: self.parts.model.voice(),
            variables: open.variables,
            subject_variables: subject_variables.map_err(|_unavailable| TurnError::StoreUnavailable)?,
        };
        let held = Held { session, version: 0, owner_epoch: 1, chain: chain::ROOT.to_owned(), last_input: 0 };
        let mut task = SessionTask {
            parts: Arc::clone(&self.parts),
            principal: principal.clone(),
            id: id.clone(),
            out: out.clone(),
            held: Some(held),
        };
        // The session is refused here or never: a start that the script does not take must reach the caller.
        held_admits(&task, &start)?;
        let opening = async move {
            let frame = match task.start(Input::Start(start)).await {
                Ok(finished) => crate::ports::ServerFrame::TurnFinished(finished),
                Err(error) => crate::ports::ServerFrame::TurnError { id: None, error },
            };
            if out.send(frame).await.is_ok() {
                task.run(inbox).await;
            }
        };
        self.tasks.spawn(opening);
        Ok(Conversation { opened: Opened { session_id: id, last_seq: 0 }, requests, frames })
    }

    async fn view(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, OpenError> {
        let store = &self.parts.store;
        let unavailable = |_| OpenError::Turn(TurnError::StoreUnavailable);
        let record = store.load(&principal.tenant, id).await.map_err(unavailable)?.ok_or(OpenError::NotFound)?;
        let pinned = self.parts.scripts.pinned(record.state.script_digest()).await?;
        let events = store.events(&principal.tenant, id, 0, VIEW_PAGE).await.map_err(unavailable)?;
        Ok(SessionView::of(&Session::restore(pinned.script, record.state), &events))
    }
}

fn held_admits(task: &SessionTask, start: &Start) -> Result<(), OpenError> {
    let Some(held) = &task.held else { return Ok(()) };
    match held.session.would_take(&Input::Start(start.clone())) {
        Ok(()) => Ok(()),
        Err(InputRefused::Start(refused)) => Err(OpenError::Start(refused)),
        Err(other) => Err(OpenError::Turn(TurnError::Refused(other))),
    }
}
