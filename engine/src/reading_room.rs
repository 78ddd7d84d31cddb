//! Shows what is kept of sessions, also of those that another process runs. Reads only.

use std::sync::Arc;

use async_trait::async_trait;
use steersman_domain::{
    id::SessionId,
    session::{Input, JournalEntry, Session, SessionEvent, SessionView, replay},
};

use crate::{
    chain,
    ports::{
        Archive, BrokenLink, ChainFault, ChainLink, Clock, LookError, PinnedScript, Recorded, ScriptLibrary,
        SessionFilter, SessionRecord, SessionRecords, SessionSummary, StoreError, TurnError, Verified,
    },
    principal::{Principal, TenantId},
};

/// How many events, inputs or links are read at once.
const PAGE: usize = 1_000;
/// How many of a session's last events are looked through for the lists of its view.
const VIEWED: u64 = 10_000;

/// Shows what is kept of sessions.
#[derive(Debug, Clone)]
pub struct ReadingRoom {
    records: Arc<dyn SessionRecords>,
    scripts: Arc<dyn ScriptLibrary>,
    clock: Arc<dyn Clock>,
}

impl ReadingRoom {
    /// Shows these records.
    pub fn new(records: Arc<dyn SessionRecords>, scripts: Arc<dyn ScriptLibrary>, clock: Arc<dyn Clock>) -> Self {
        Self { records, scripts, clock }
    }

    async fn session(&self, principal: &Principal, id: &SessionId) -> Result<Session, LookError> {
        let tenant = &principal.tenant;
        let (record, pinned) = self.load(tenant, id).await?;
        let restored = record.state.and_then(|state| Session::restore(Arc::clone(&pinned.script), state).ok());
        match restored {
            Some(session) => Ok(session),
            None => rebuild(&*self.records, &pinned, tenant, id).await.map_err(|_broken| LookError::LogCorrupt),
        }
    }

    /// A session that has waited too long is over, though nobody has come to notice it in the store.
    fn view(&self, mut session: Session, mut events: Vec<SessionEvent>) -> SessionView {
        events.extend(session.apply(Input::Tick, self.clock.now()).unwrap_or_default());
        SessionView::of(&session, &events)
    }

    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<(SessionRecord, PinnedScript), LookError> {
        let record = self.records.load(tenant, id).await.map_err(LookError::Unavailable)?;
        let record = record.ok_or(LookError::NotFound)?;
        let pinned = self.scripts.pinned(&record.script_digest).await?;
        Ok((record, pinned))
    }
}

#[async_trait]
impl Archive for ReadingRoom {
    async fn get(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, LookError> {
        let session = self.session(principal, id).await?;
        let after = session.state().last_seq().saturating_sub(VIEWED);
        let kept = events(&*self.records, &principal.tenant, id, after).await.map_err(LookError::Unavailable)?;
        Ok(self.view(session, kept))
    }

    async fn standing(&self, principal: &Principal, id: &SessionId) -> Result<SessionView, LookError> {
        let session = self.session(principal, id).await?;
        Ok(self.view(session, Vec::new()))
    }

    async fn list(
        &self,
        principal: &Principal,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, LookError> {
        self.records.list(&principal.tenant, filter, limit).await.map_err(LookError::Unavailable)
    }

    async fn events(
        &self,
        principal: &Principal,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, LookError> {
        let tenant = &principal.tenant;
        let events = self.records.events(tenant, id, after_seq, limit).await.map_err(LookError::Unavailable)?;
        if events.is_empty() && self.records.load(tenant, id).await.map_err(LookError::Unavailable)?.is_none() {
            return Err(LookError::NotFound);
        }
        Ok(events)
    }

    async fn record(&self, principal: &Principal, id: &SessionId) -> Result<Recorded, LookError> {
        let tenant = &principal.tenant;
        let (_, script) = self.load(tenant, id).await?;
        let journal = journal(&*self.records, tenant, id).await.map_err(LookError::Unavailable)?;
        let events = events(&*self.records, tenant, id, 0).await.map_err(LookError::Unavailable)?;
        Ok(Recorded { script, journal, events })
    }

    async fn verify(&self, principal: &Principal, id: &SessionId) -> Result<Verified, LookError> {
        let tenant = &principal.tenant;
        let links = links(&*self.records, tenant, id).await.map_err(LookError::Unavailable)?;
        if links.is_empty() {
            return Err(LookError::NotFound);
        }
        let end = self.records.load(tenant, id).await.map_err(LookError::Unavailable)?.map(|record| record.chain);
        Ok(walk(links, end.as_deref()))
    }
}

/// Follows the links from the first; `end` is where the session's record says that they end.
fn walk(links: Vec<ChainLink>, end: Option<&str>) -> Verified {
    let mut verified = Verified { events: 0, erased: 0, broken: None };
    let mut previous = chain::ROOT.to_owned();
    let count = links.len();
    for (at, link) in links.into_iter().enumerate() {
        let is_last = at + 1 == count;
        let fault = if link.seq != verified.events + 1 {
            Some(ChainFault::Gap)
        } else if link.payload.as_ref().is_some_and(|payload| chain::digest(payload.as_str()) != link.payload_digest) {
            Some(ChainFault::Payload)
        } else if chain::next(&previous, link.seq, link.turn, &link.payload_digest) != link.hash {
            Some(ChainFault::Order)
        } else if is_last && end.is_some_and(|end| end != link.hash) {
            Some(ChainFault::End)
        } else {
            None
        };
        if let Some(fault) = fault {
            verified.broken = Some(BrokenLink { link, fault });
            return verified;
        }
        verified.events += 1;
        verified.erased += u64::from(link.payload.is_none());
        previous = link.hash;
    }
    verified
}

/// Makes a session anew from its inputs, for one whose snapshot is damaged.
pub(crate) async fn rebuild(
    records: &dyn SessionRecords,
    pinned: &PinnedScript,
    tenant: &TenantId,
    id: &SessionId,
) -> Result<Session, TurnError> {
    let journal = journal(records, tenant, id).await.map_err(|error| match error {
        StoreError::Corrupt(_) => TurnError::LogCorrupt,
        StoreError::Stale | StoreError::Full | StoreError::Unavailable(_) => TurnError::StoreUnavailable,
    })?;
    if journal.is_empty() {
        return Err(TurnError::LogCorrupt);
    }
    match replay(Arc::clone(&pinned.script), &pinned.digest, journal, None) {
        Ok((session, _)) => Ok(session),
        Err(_refused) => Err(TurnError::LogCorrupt),
    }
}

async fn journal(
    records: &dyn SessionRecords,
    tenant: &TenantId,
    id: &SessionId,
) -> Result<Vec<JournalEntry>, StoreError> {
    let mut all: Vec<JournalEntry> = Vec::new();
    loop {
        let page = records.journal(tenant, id, all.last().map_or(0, |entry| entry.n), PAGE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

async fn events(
    records: &dyn SessionRecords,
    tenant: &TenantId,
    id: &SessionId,
    after: u64,
) -> Result<Vec<SessionEvent>, StoreError> {
    let mut all: Vec<SessionEvent> = Vec::new();
    loop {
        let page = records.events(tenant, id, all.last().map_or(after, |event| event.seq), PAGE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

async fn links(records: &dyn SessionRecords, tenant: &TenantId, id: &SessionId) -> Result<Vec<ChainLink>, StoreError> {
    let mut all: Vec<ChainLink> = Vec::new();
    loop {
        let page = records.chain(tenant, id, all.last().map_or(0, |link| link.seq), PAGE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}
