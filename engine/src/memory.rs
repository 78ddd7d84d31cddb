//! Keeps sessions in memory: what `play` uses by itself, and what the contract suite compares every other store with.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use steersman_domain::{
    id::{ScriptId, SessionId, SubjectId},
    session::{JournalEntry, SessionEvent},
};

use crate::{
    chain,
    ports::{
        ChainLink, ChainedEvent, KeptAnswer, LatchChange, MessageId, OutboxItem, RecordKind, ScriptEntry, ScriptShelf,
        SessionFilter, SessionRecord, SessionRecords, SessionStore, SessionSummary, ShelfError, ShelvedScript,
        StoreError, StoredTurn, SubjectRecord, TurnCommit,
    },
    principal::TenantId,
};

/// Sessions in memory. What the process forgets, it forgets.
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    sessions: BTreeMap<(TenantId, SessionId), Session>,
    subjects: BTreeMap<(TenantId, SubjectId), SubjectRecord>,
    scripts: BTreeMap<Arc<str>, ShelvedScript>,
    outbox: Vec<OutboxItem>,
}

#[derive(Debug)]
struct Session {
    kind: RecordKind,
    summary: SessionSummary,
    /// `None` once the session was erased.
    record: Option<SessionRecord>,
    journal: Vec<JournalEntry>,
    /// `None` in place of an event that was erased.
    events: Vec<Option<Arc<SessionEvent>>>,
    chain: Vec<ChainLink>,
    turns: BTreeMap<MessageId, StoredTurn>,
    answers: Vec<KeptAnswer>,
}

impl MemoryStore {
    /// Returns what others are to be told, in order.
    pub fn outbox(&self) -> Vec<OutboxItem> {
        self.lock().outbox.clone()
    }

    /// Returns how many records of a kind there are.
    pub fn count(&self, kind: RecordKind) -> usize {
        self.lock().sessions.values().filter(|session| session.kind == kind).count()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, tenant: &TenantId, id: &SessionId, look: impl FnOnce(&Session) -> T) -> Option<T> {
        self.lock().sessions.get(&(tenant.clone(), id.clone())).map(look)
    }
}

#[async_trait]
impl SessionStore for MemoryStore {
    async fn claim(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let mut kept = self.lock();
        let session = kept.sessions.get_mut(&(tenant.clone(), id.clone()));
        let Some(record) = session.and_then(|session| session.record.as_mut()) else { return Ok(None) };
        record.owner_epoch += 1;
        Ok(Some(record.clone()))
    }

    async fn commit(&self, turn: TurnCommit) -> Result<(), StoreError> {
        let mut kept = self.lock();
        let key = (turn.tenant.clone(), turn.session_id.clone());
        let before = match kept.sessions.get(&key) {
            None => (0, turn.owner_epoch),
            Some(Session { record: Some(record), .. }) => (record.version, record.owner_epoch),
            Some(Session { record: None, .. }) => return Err(StoreError::Stale),
        };
        if before != (turn.expected_version, turn.owner_epoch) {
            return Err(StoreError::Stale);
        }
        if let Some(subject) = turn.snapshot.control().subject() {
            let record = kept.subjects.entry((turn.tenant.clone(), subject.clone())).or_default();
            record.variables.extend(turn.subject_variables);
            match turn.latch {
                LatchChange::Keep => {}
                LatchChange::Set(latch) => record.latch = Some(latch),
                LatchChange::Lift => record.latch = None,
            }
        }
        kept.outbox.extend(turn.outbox);
        let summary = SessionSummary {
            id: turn.session_id,
            script: turn.script.id,
            version: turn.script.version,
            subject: turn.snapshot.control().subject().cloned(),
            status: turn.result.status,
            turns: turn.snapshot.usage().turns,
            created_at: turn.at,
            updated_at: turn.at,
        };
        let session = kept.sessions.entry(key).or_insert_with(|| Session {
            kind: turn.kind,
            summary: summary.clone(),
            record: None,
            journal: Vec::new(),
            events: Vec::new(),
            chain: Vec::new(),
            turns: BTreeMap::new(),
            answers: Vec::new(),
        });
        session.summary = SessionSummary { created_at: session.summary.created_at, ..summary };
        session.journal.extend(turn.journal);
        for chained in turn.events {
            let ChainedEvent { event, payload, payload_digest, hash } = chained;
            session.chain.push(ChainLink {
                seq: event.seq,
                turn: event.turn,
                payload: Some(payload),
                payload_digest,
                hash,
            });
            session.events.push(Some(event));
        }
        session.record = Some(SessionRecord {
            script_digest: turn.script.digest,
            state: Some(turn.snapshot),
            version: turn.expected_version + 1,
            owner_epoch: turn.owner_epoch,
            chain: session.chain.last().map_or_else(|| chain::ROOT.to_owned(), |link| link.hash.clone()),
            last_input: session.journal.last().map_or(0, |entry| entry.n),
        });
        session.answers.clear();
        if let Some(request) = turn.request {
            let stored = StoredTurn { body_digest: request.body_digest, result: turn.result };
            session.turns.insert(request.message, stored);
        }
        Ok(())
    }

    async fn turn(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Option<StoredTurn>, StoreError> {
        Ok(self.read(tenant, id, |session| session.turns.get(message).cloned()).flatten())
    }

    async fn keep_answer(&self, answer: KeptAnswer) -> Result<(), StoreError> {
        let mut kept = self.lock();
        let session = kept.sessions.get_mut(&(answer.tenant.clone(), answer.session_id.clone()));
        match session {
            Some(Session { record: Some(record), answers, .. }) if record.owner_epoch == answer.owner_epoch => {
                answers.push(answer);
                Ok(())
            }
            Some(_) | None => Err(StoreError::Stale),
        }
    }

    async fn kept_answers(&self, tenant: &TenantId, id: &SessionId, turn: u32) -> Result<Vec<KeptAnswer>, StoreError> {
        let of_turn =
            |session: &Session| session.answers.iter().filter(|answer| answer.turn == turn).cloned().collect();
        Ok(self.read(tenant, id, of_turn).unwrap_or_default())
    }

    async fn subject(&self, tenant: &TenantId, subject: &SubjectId) -> Result<SubjectRecord, StoreError> {
        Ok(self.lock().subjects.get(&(tenant.clone(), subject.clone())).cloned().unwrap_or_default())
    }

    async fn erase(&self, tenant: &TenantId, id: &SessionId) -> Result<bool, StoreError> {
        let mut kept = self.lock();
        let Some(session) = kept.sessions.get_mut(&(tenant.clone(), id.clone())) else { return Ok(false) };
        let there = session.record.take().is_some();
        session.journal.clear();
        session.turns.clear();
        session.answers.clear();
        session.events.iter_mut().for_each(|event| *event = None);
        session.chain.iter_mut().for_each(|link| link.payload = None);
        Ok(there)
    }
}

#[async_trait]
impl SessionRecords for MemoryStore {
    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(self.read(tenant, id, |session| session.record.clone()).flatten())
    }

    async fn list(
        &self,
        tenant: &TenantId,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        let kept = self.lock();
        let order = |summary: &SessionSummary| (summary.created_at, summary.id.clone());
        let theirs = kept.sessions.iter().filter(|((owner, _), _)| owner == tenant).map(|(_, session)| session);
        let after = match &filter.after {
            None => None,
            Some(id) => match theirs.clone().find(|session| session.summary.id == *id) {
                Some(session) => Some(order(&session.summary)),
                None => return Ok(Vec::new()),
            },
        };
        let mut fitting: Vec<_> = theirs
            .filter(|session| session.record.is_some() && session.kind == RecordKind::Session)
            .map(|session| &session.summary)
            .filter(|summary| filter.lets_through(summary))
            .filter(|summary| after.as_ref().is_none_or(|after| order(summary) < *after))
            .cloned()
            .collect();
        fitting.sort_by_key(|summary| std::cmp::Reverse(order(summary)));
        fitting.truncate(limit);
        Ok(fitting)
    }

    async fn events(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let later = |session: &Session| {
            let later = session.events.iter().flatten().skip_while(|event| event.seq <= after_seq);
            later.take(limit).map(|event| SessionEvent::clone(event)).collect()
        };
        Ok(self.read(tenant, id, later).unwrap_or_default())
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        let later = |session: &Session| {
            session.journal.iter().skip_while(|entry| entry.n <= after).take(limit).cloned().collect()
        };
        Ok(self.read(tenant, id, later).unwrap_or_default())
    }

    async fn chain(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<ChainLink>, StoreError> {
        let later = |session: &Session| {
            session.chain.iter().skip_while(|link| link.seq <= after_seq).take(limit).cloned().collect()
        };
        Ok(self.read(tenant, id, later).unwrap_or_default())
    }
}

#[async_trait]
impl ScriptShelf for MemoryStore {
    async fn keep(&self, script: ShelvedScript) -> Result<(), ShelfError> {
        let mut kept = self.lock();
        let ScriptEntry { digest, id, version, published_at } = &script.entry;
        let same_name = |other: &&ShelvedScript| other.entry.id == *id && other.entry.version == *version;
        let other_text = |other: &ShelvedScript| other.entry.published_at.is_some() && other.entry.digest != *digest;
        if published_at.is_some() && kept.scripts.values().filter(same_name).any(other_text) {
            return Err(ShelfError::Published);
        }
        match kept.scripts.get_mut(digest) {
            Some(there) => there.entry.published_at = there.entry.published_at.or(*published_at),
            None => {
                kept.scripts.insert(Arc::clone(digest), script);
            }
        }
        Ok(())
    }

    async fn text(&self, digest: &str) -> Result<Option<ShelvedScript>, ShelfError> {
        Ok(self.lock().scripts.get(digest).cloned())
    }

    async fn published(&self, id: &ScriptId, version: Option<&str>) -> Result<Option<ShelvedScript>, ShelfError> {
        let kept = self.lock();
        let published = kept.scripts.values().filter(|script| script.entry.published_at.is_some());
        let named = published.filter(|script| script.entry.id == *id);
        let fitting = named.filter(|script| version.is_none_or(|version| script.entry.version == version));
        let last = fitting.max_by_key(|script| (script.entry.published_at, script.entry.version.clone()));
        Ok(last.cloned())
    }

    async fn list(&self, after: Option<&(ScriptId, String)>, limit: usize) -> Result<Vec<ScriptEntry>, ShelfError> {
        let kept = self.lock();
        let published = kept.scripts.values().filter(|script| script.entry.published_at.is_some());
        let mut entries: Vec<ScriptEntry> = published.map(|script| script.entry.clone()).collect();
        entries.sort_by(|a, b| (&a.id, &a.version).cmp(&(&b.id, &b.version)));
        entries.retain(|entry| after.is_none_or(|(id, version)| (&entry.id, &entry.version) > (id, version)));
        entries.truncate(limit);
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::store_contract::RULES;

    #[tokio::test]
    async fn the_store_in_memory_keeps_every_rule_of_stores() {
        for rule in RULES {
            println!("{rule:?}");
            rule.hold(Arc::new(MemoryStore::default())).await;
        }
    }
}
