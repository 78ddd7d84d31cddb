//! Keeps sessions in memory: what `play` uses by itself, and what the contract suite compares every other store with.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use steersman_domain::{
    id::{SessionId, SubjectId},
    session::{JournalEntry, SessionEvent},
    variable::{Value, VariableName},
};

use crate::{
    chain,
    ports::{
        ChainedEvent, MessageId, OutboxItem, RecordKind, SessionRecord, SessionStore, StoreError, StoredTurn,
        TurnCommit,
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
    subjects: BTreeMap<(TenantId, SubjectId), BTreeMap<VariableName, Value>>,
    outbox: Vec<OutboxItem>,
}

#[derive(Debug)]
struct Session {
    kind: RecordKind,
    record: SessionRecord,
    journal: Vec<JournalEntry>,
    events: Vec<ChainedEvent>,
    turns: BTreeMap<MessageId, StoredTurn>,
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
    async fn commit(&self, turn: TurnCommit) -> Result<(), StoreError> {
        let mut kept = self.lock();
        let key = (turn.tenant.clone(), turn.session_id.clone());
        let before = kept.sessions.get(&key).map_or((0, 0), |held| (held.record.version, held.record.owner_epoch));
        if before.0 != turn.expected_version || before.1 > turn.owner_epoch {
            return Err(StoreError::Stale);
        }
        if let Some(subject) = turn.snapshot.control().subject() {
            let variables = kept.subjects.entry((turn.tenant.clone(), subject.clone())).or_default();
            variables.extend(turn.subject_variables);
        }
        kept.outbox.extend(turn.outbox);
        let chain = turn.events.last().map(|event| event.hash.clone());
        let record = SessionRecord {
            state: turn.snapshot,
            version: turn.expected_version + 1,
            owner_epoch: turn.owner_epoch,
            chain: chain.unwrap_or_else(|| chain::ROOT.to_owned()),
            last_input: turn.journal.last().map_or(0, |entry| entry.n),
        };
        let session = kept.sessions.entry(key).or_insert_with(|| Session {
            kind: turn.kind,
            record: record.clone(),
            journal: Vec::new(),
            events: Vec::new(),
            turns: BTreeMap::new(),
        });
        session.record = record;
        session.journal.extend(turn.journal);
        session.events.extend(turn.events);
        if let Some(request) = turn.request {
            let stored = StoredTurn { body_digest: request.body_digest, result: turn.result };
            session.turns.insert(request.message, stored);
        }
        Ok(())
    }

    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(self.read(tenant, id, |session| session.record.clone()))
    }

    async fn turn(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Option<StoredTurn>, StoreError> {
        Ok(self.read(tenant, id, |session| session.turns.get(message).cloned()).flatten())
    }

    async fn events(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let later = |session: &Session| {
            let from = session.events.partition_point(|chained| chained.event.seq <= after_seq);
            session.events[from..].iter().take(limit).map(|chained| chained.event.clone()).collect()
        };
        Ok(self.read(tenant, id, later).unwrap_or_default())
    }

    async fn journal(&self, tenant: &TenantId, id: &SessionId) -> Result<Vec<JournalEntry>, StoreError> {
        Ok(self.read(tenant, id, |session| session.journal.clone()).unwrap_or_default())
    }

    async fn subject_variables(
        &self,
        tenant: &TenantId,
        subject: &SubjectId,
    ) -> Result<BTreeMap<VariableName, Value>, StoreError> {
        Ok(self.lock().subjects.get(&(tenant.clone(), subject.clone())).cloned().unwrap_or_default())
    }
}
