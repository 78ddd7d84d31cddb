//! Stand-ins for ports that fail on demand.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use steersman_domain::{
    clock::Timestamp,
    control::ModelPermit,
    id::{SessionId, SubjectId},
    session::{JournalEntry, SessionEvent, State},
    utterance::Text,
};
use steersman_engine::{
    memory::MemoryStore,
    ports::{
        ChainLink, Clock, Completion, Deltas, KeptAnswer, LanguageModel, MessageId, ModelError, SessionFilter,
        SessionRecord, SessionRecords, SessionStore, SessionSummary, StoreError, StoredTurn, SubjectRecord, TurnCommit,
    },
    principal::TenantId,
    testkit::ScriptedModel,
    turn::Prompt,
};
use steersman_tests::stage::now;

/// A store that keeps some turns and then no more, until it is emptied; what it kept of a state may be spoilt.
#[derive(Debug)]
pub(crate) struct FullStore {
    kept: MemoryStore,
    left: AtomicU32,
    spoil: fn(&State) -> Option<State>,
}

impl FullStore {
    /// Keeps this many turns.
    pub(crate) fn after(turns: u32) -> Arc<Self> {
        Arc::new(Self { kept: MemoryStore::default(), left: AtomicU32::new(turns), spoil: |state| Some(state.clone()) })
    }

    /// Keeps everything, and gives states back as `spoil` leaves them; `None` for one that cannot be read.
    pub(crate) fn spoiling(spoil: fn(&State) -> Option<State>) -> Arc<Self> {
        Arc::new(Self { kept: MemoryStore::default(), left: AtomicU32::new(u32::MAX), spoil })
    }

    fn spoilt(&self, record: SessionRecord) -> SessionRecord {
        SessionRecord { state: record.state.as_ref().and_then(self.spoil), ..record }
    }

    /// Makes room for this many turns.
    pub(crate) fn make_room(&self, turns: u32) {
        self.left.store(turns, Ordering::SeqCst);
    }
}

#[async_trait]
impl SessionStore for FullStore {
    async fn commit(&self, turn: TurnCommit) -> Result<(), StoreError> {
        let room = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match room {
            Ok(_) => self.kept.commit(turn).await,
            Err(_) => Err(StoreError::Unavailable("no room".into())),
        }
    }

    async fn claim(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(self.kept.claim(tenant, id).await?.map(|record| self.spoilt(record)))
    }

    async fn turn(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Option<StoredTurn>, StoreError> {
        self.kept.turn(tenant, id, message).await
    }

    async fn keep_answer(&self, answer: KeptAnswer) -> Result<(), StoreError> {
        self.kept.keep_answer(answer).await
    }

    async fn kept_answers(&self, tenant: &TenantId, id: &SessionId, turn: u32) -> Result<Vec<KeptAnswer>, StoreError> {
        self.kept.kept_answers(tenant, id, turn).await
    }

    async fn subject(&self, tenant: &TenantId, subject: &SubjectId) -> Result<SubjectRecord, StoreError> {
        self.kept.subject(tenant, subject).await
    }

    async fn erase(&self, tenant: &TenantId, id: &SessionId) -> Result<bool, StoreError> {
        self.kept.erase(tenant, id).await
    }
}

#[async_trait]
impl SessionRecords for FullStore {
    async fn load(&self, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(self.kept.load(tenant, id).await?.map(|record| self.spoilt(record)))
    }

    async fn list(
        &self,
        tenant: &TenantId,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.kept.list(tenant, filter, limit).await
    }

    async fn events(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        self.kept.events(tenant, id, after_seq, limit).await
    }

    async fn journal(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        self.kept.journal(tenant, id, after, limit).await
    }

    async fn chain(
        &self,
        tenant: &TenantId,
        id: &SessionId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<ChainLink>, StoreError> {
        self.kept.chain(tenant, id, after_seq, limit).await
    }
}

/// A model that says a few things and then has nothing left to say, which is no fault of the conversation.
#[derive(Debug)]
pub(crate) struct QuietModel(Mutex<VecDeque<String>>);

impl QuietModel {
    /// Says these.
    pub(crate) fn after<const N: usize>(replies: [&str; N]) -> Self {
        Self(Mutex::new(replies.into_iter().map(str::to_owned).collect()))
    }
}

#[async_trait]
impl LanguageModel for QuietModel {
    async fn complete(&self, _: ModelPermit, _: &Prompt) -> Result<Completion, ModelError> {
        let next = self.0.lock().unwrap().pop_front();
        let text = next.ok_or_else(|| ModelError::Exhausted("nothing left to say".to_owned()))?;
        Ok(Completion { text: Text::new(text), model: "quiet".to_owned(), tokens_in: None, tokens_out: None })
    }

    async fn stream(&self, permit: ModelPermit, prompt: &Prompt, deltas: Deltas) -> Result<Completion, ModelError> {
        let completion = self.complete(permit, prompt).await?;
        deltas.send(completion.text.as_str().to_owned()).await.unwrap();
        Ok(completion)
    }
}

/// A model that is paid, says what another says, and stops answering when that has nothing left.
#[derive(Debug)]
pub(crate) struct PaidModel(pub(crate) Arc<ScriptedModel>);

#[async_trait]
impl LanguageModel for PaidModel {
    async fn complete(&self, permit: ModelPermit, prompt: &Prompt) -> Result<Completion, ModelError> {
        if self.0.unsaid() == 0 {
            return Err(ModelError::Exhausted("the money is spent".to_owned()));
        }
        self.0.complete(permit, prompt).await
    }

    fn is_paid(&self) -> bool {
        true
    }
}

/// A clock that a test moves by hand.
#[derive(Debug, Default)]
pub(crate) struct HandClock(AtomicI64);

impl HandClock {
    /// Moves it on.
    pub(crate) fn wait(&self, time: Duration) {
        self.0.fetch_add(i64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(now().unix_ms() + self.0.load(Ordering::SeqCst))
    }
}
