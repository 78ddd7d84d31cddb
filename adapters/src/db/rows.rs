//! Between what the engine keeps and rows: the one mapping of the stores on databases.

use serde::{Serialize, de::DeserializeOwned};
use steersman_domain::{
    clock::Timestamp,
    control::Latch,
    id::{ScriptId, SessionId, SubjectId},
    session::{JournalEntry, ModelAnswer, SessionEvent, Status},
    utterance::Text,
    variable::{Value, VariableName},
};
use steersman_engine::{
    TenantId, chain,
    ports::{
        ChainLink, ChainedEvent, KeptAnswer, LatchChange, RecordKind, ScriptEntry, SessionRecord, SessionSummary,
        ShelvedScript, StoredTurn, TurnCommit,
    },
};

use super::{
    entity::{Sealed, event, journal, model_reply, script, session, subject_control, subject_variable, turn},
    fault::Fault,
};

/// The status of a session that was erased; the others are those of the events.
pub(super) const ERASED: &str = "erased";

/// One turn as rows. Written where the turn was made, so that the writer of the store has nothing left to write.
#[derive(Debug, Clone)]
pub(super) struct TurnRows {
    pub(super) expected_version: i64,
    pub(super) session: session::Model,
    /// The first one's `prev_hash` is filled in when it is known which turn comes before.
    pub(super) events: Vec<event::Model>,
    pub(super) journal: Vec<journal::Model>,
    pub(super) turn: Option<turn::Model>,
    pub(super) variables: Vec<subject_variable::Model>,
    pub(super) control: Option<subject_control::Model>,
    pub(super) outbox: Vec<OutboxRow>,
}

/// A row of the outbox before it has its number.
#[derive(Debug, Clone)]
pub(super) struct OutboxRow {
    pub(super) session_id: String,
    pub(super) seq: i64,
    pub(super) topic: &'static str,
    pub(super) payload: Sealed,
    pub(super) created_at: i64,
}

/// What a latch becomes.
struct Latched {
    latch: Option<String>,
}

impl From<TurnCommit> for TurnRows {
    fn from(commit: TurnCommit) -> Self {
        let session_id = commit.session_id.as_str().to_owned();
        let at = commit.at.unix_ms();
        let tenant = commit.tenant.to_string();
        let subject = commit.snapshot.control().subject().map(|subject| Sealed(subject.as_str().to_owned()));
        let variables =
            commit.subject_variables.iter().zip(std::iter::repeat(&subject)).filter_map(|((name, value), subject)| {
                let (tenant, name) = (tenant.clone(), name.as_str().to_owned());
                Some(subject_variable::Model { tenant, subject: subject.clone()?, name, value: json(value) })
            });
        let latched = match commit.latch {
            LatchChange::Keep => None,
            LatchChange::Set(latch) => Some(Latched { latch: Some(json(&latch).0) }),
            LatchChange::Lift => Some(Latched { latch: None }),
        };
        let control = latched.zip(subject.clone()).map(|(Latched { latch }, subject)| {
            let tenant = tenant.clone();
            subject_control::Model { tenant, subject, latch }
        });
        Self {
            expected_version: number(commit.expected_version),
            control,
            variables: variables.collect(),
            session: session::Model {
                id: session_id.clone(),
                kind: kind(commit.kind).to_owned(),
                tenant: tenant.clone(),
                subject,
                script_id: commit.script.id.as_str().to_owned(),
                script_version: commit.script.version,
                script_digest: commit.script.digest,
                version: number(commit.expected_version + 1),
                owner_epoch: number(commit.owner_epoch),
                owner: None,
                owner_incarnation: None,
                status: commit.result.status.as_str().to_owned(),
                route: commit.snapshot.control().route().as_str().to_owned(),
                turns: i64::from(commit.snapshot.usage().turns),
                last_input: commit.journal.last().map_or(0, |entry| number(entry.n)),
                chain: commit.events.last().map_or_else(|| chain::ROOT.to_owned(), |event| event.hash.clone()),
                created_at: at,
                updated_at: at,
                state: Some(json(&commit.snapshot)),
            },
            turn: commit.request.map(|request| turn::Model {
                session_id: session_id.clone(),
                client_message_id: request.message.as_str().to_owned(),
                request_hash: request.body_digest,
                result: Some(json(&commit.result)),
            }),
            journal: commit
                .journal
                .iter()
                .map(|entry| journal::Model {
                    session_id: session_id.clone(),
                    n: number(entry.n),
                    input: Some(json(entry)),
                })
                .collect(),
            outbox: commit
                .outbox
                .into_iter()
                .map(|item| OutboxRow {
                    session_id: session_id.clone(),
                    seq: number(item.seq),
                    topic: item.topic,
                    payload: Sealed(item.payload.into_string()),
                    created_at: at,
                })
                .collect(),
            events: events(&session_id, commit.events),
        }
    }
}

impl TurnRows {
    /// Returns about how much is written for the turn.
    pub(super) fn bytes(&self) -> usize {
        let size = |text: &Option<Sealed>| text.as_ref().map_or(0, |text| text.0.len());
        let events: usize = self.events.iter().map(|event| size(&event.payload)).sum();
        let inputs: usize = self.journal.iter().map(|entry| size(&entry.input)).sum();
        size(&self.session.state) + events + inputs
    }
}

fn events(session_id: &str, chained: Vec<ChainedEvent>) -> Vec<event::Model> {
    let mut previous = String::new();
    let row = |chained: ChainedEvent| {
        let prev_hash = std::mem::replace(&mut previous, chained.hash.clone());
        event::Model {
            session_id: session_id.to_owned(),
            seq: number(chained.event.seq),
            turn: i64::from(chained.event.turn),
            kind: type_of(chained.payload.as_str()),
            payload: Some(Sealed(chained.payload.into_string())),
            payload_digest: chained.payload_digest,
            prev_hash,
            hash: chained.hash,
        }
    };
    chained.into_iter().map(row).collect()
}

impl From<KeptAnswer> for model_reply::Model {
    fn from(kept: KeptAnswer) -> Self {
        Self {
            session_id: kept.session_id.as_str().to_owned(),
            turn: i64::from(kept.turn),
            call_no: i64::from(kept.answer.call_no),
            attempt: i64::from(kept.answer.attempt),
            owner_epoch: number(kept.owner_epoch),
            request_hash: kept.answer.prompt_hash.clone(),
            reply: json(&kept.answer),
        }
    }
}

impl From<ShelvedScript> for script::Model {
    fn from(script: ShelvedScript) -> Self {
        Self {
            digest: script.entry.digest.as_ref().to_owned(),
            id: script.entry.id.as_str().to_owned(),
            version: script.entry.version,
            published_at: script.entry.published_at.map(Timestamp::unix_ms),
            body: script.source.as_ref().to_owned(),
        }
    }
}

/// Reads a session's row. A snapshot that cannot be read is no fault: the journal may still be read.
pub(super) fn record(row: session::Model) -> Result<Option<SessionRecord>, Fault> {
    if row.status == ERASED {
        return Ok(None);
    }
    Ok(Some(SessionRecord {
        script_digest: row.script_digest,
        state: row.state.and_then(|state| serde_json::from_str(&state.0).ok()),
        version: counted(row.version)?,
        owner_epoch: counted(row.owner_epoch)?,
        chain: row.chain,
        last_input: counted(row.last_input)?,
    }))
}

/// A session's row without what lists do not show.
#[derive(Debug, sea_orm::FromQueryResult)]
pub(super) struct Listed {
    id: String,
    script_id: String,
    script_version: String,
    subject: Option<Sealed>,
    status: String,
    turns: i64,
    created_at: i64,
    updated_at: i64,
}

pub(super) fn summary(row: Listed) -> Result<SessionSummary, Fault> {
    let bad = |_| Fault::Row("an id of a session or script");
    Ok(SessionSummary {
        id: SessionId::new(row.id).map_err(bad)?,
        script: ScriptId::new(row.script_id).map_err(bad)?,
        version: row.script_version,
        subject: match row.subject {
            Some(subject) => Some(SubjectId::new(subject.0).map_err(|_| Fault::Row("a subject"))?),
            None => None,
        },
        status: Status::ALL.into_iter().find(|known| known.as_str() == row.status).ok_or(Fault::Row("a status"))?,
        turns: u32::try_from(row.turns).map_err(|_| Fault::Row("a count"))?,
        created_at: Timestamp::from_unix_ms(row.created_at),
        updated_at: Timestamp::from_unix_ms(row.updated_at),
    })
}

pub(super) fn session_event(payload: &Sealed) -> Result<SessionEvent, Fault> {
    read(payload, "an event")
}

pub(super) fn journal_entry(input: &Sealed) -> Result<JournalEntry, Fault> {
    read(input, "an input")
}

pub(super) fn chain_link(row: event::Model) -> Result<ChainLink, Fault> {
    Ok(ChainLink {
        seq: counted(row.seq)?,
        turn: u32::try_from(row.turn).map_err(|_| Fault::Row("a turn"))?,
        payload: row.payload.map(|payload| Text::new(payload.0)),
        payload_digest: row.payload_digest,
        hash: row.hash,
    })
}

pub(super) fn stored_turn(row: turn::Model) -> Result<Option<StoredTurn>, Fault> {
    let Some(result) = row.result else { return Ok(None) };
    Ok(Some(StoredTurn { body_digest: row.request_hash, result: read(&result, "a result")? }))
}

pub(super) fn kept_answer(tenant: &TenantId, id: &SessionId, row: &model_reply::Model) -> Result<KeptAnswer, Fault> {
    Ok(KeptAnswer {
        tenant: tenant.clone(),
        session_id: id.clone(),
        owner_epoch: counted(row.owner_epoch)?,
        turn: u32::try_from(row.turn).map_err(|_| Fault::Row("a turn"))?,
        answer: read::<ModelAnswer>(&row.reply, "an answer of a model")?,
    })
}

pub(super) fn variable(row: subject_variable::Model) -> Result<(VariableName, Value), Fault> {
    let name = VariableName::new(row.name).map_err(|_| Fault::Row("the name of a variable"))?;
    Ok((name, read(&row.value, "the value of a variable")?))
}

pub(super) fn latch_of(row: subject_control::Model) -> Result<Option<Latch>, Fault> {
    row.latch.map(|latch| read(&Sealed(latch), "the latch of a subject")).transpose()
}

pub(super) fn shelved(row: script::Model) -> Result<ShelvedScript, Fault> {
    let source = row.body.as_str().into();
    Ok(ShelvedScript { entry: entry(row.digest, row.id, row.version, row.published_at)?, source })
}

pub(super) fn entry(
    digest: String,
    id: String,
    version: String,
    published_at: Option<i64>,
) -> Result<ScriptEntry, Fault> {
    Ok(ScriptEntry {
        digest: digest.into(),
        id: ScriptId::new(id).map_err(|_| Fault::Row("the id of a script"))?,
        version,
        published_at: published_at.map(Timestamp::from_unix_ms),
    })
}

/// Writes a count or number. Those that we give never come near the end of `i64`.
pub(super) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(super) const fn kind(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Session => "session",
        RecordKind::Discussion => "discussion",
    }
}

/// Returns the `type` of an event from what is written of it, where it stands before anything that was said.
fn type_of(payload: &str) -> String {
    let kind = payload.split_once(r#""type":""#).and_then(|(_, rest)| rest.split_once('"'));
    kind.map(|(kind, _)| kind.to_owned()).expect("every event is written with its type")
}

fn counted(number: i64) -> Result<u64, Fault> {
    u64::try_from(number).map_err(|_| Fault::Row("a count"))
}

fn json(value: &impl Serialize) -> Sealed {
    Sealed(serde_json::to_string(value).expect("what the engine keeps is plain data"))
}

fn read<T: DeserializeOwned>(text: &Sealed, what: &'static str) -> Result<T, Fault> {
    serde_json::from_str(&text.0).map_err(|_| Fault::Row(what))
}
