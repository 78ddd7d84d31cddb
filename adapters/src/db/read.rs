//! Looks things up, on any database. Each question is one statement, so each answer is of one moment.

use std::collections::BTreeMap;

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Expr,
};
use steersman_domain::{
    id::{ScriptId, SessionId, SubjectId},
    session::{JournalEntry, SessionEvent},
    variable::{Value, VariableName},
};
use steersman_engine::{
    TenantId,
    ports::{
        ChainLink, KeptAnswer, MessageId, RecordKind, ScriptEntry, SessionFilter, SessionRecord, SessionSummary,
        ShelvedScript, StoredTurn, SubjectRecord,
    },
};

use super::{
    entity::{Sealed, event, journal, model_reply, script, session, subject_control, subject_variable, turn},
    fault::Fault,
    rows::{self, Listed},
};

type Read<T> = Result<T, Fault>;

pub(super) async fn load(db: &impl ConnectionTrait, tenant: &TenantId, id: &SessionId) -> Read<Option<SessionRecord>> {
    let row = session::Entity::find_by_id(id.as_str()).filter(session::Column::Tenant.eq(tenant.to_string()));
    row.one(db).await?.map_or(Ok(None), rows::record)
}

pub(super) async fn list(
    db: &impl ConnectionTrait,
    tenant: &TenantId,
    filter: &SessionFilter,
    limit: usize,
) -> Read<Vec<SessionSummary>> {
    use session::Column;
    let mut fits = Condition::all()
        .add(Column::Tenant.eq(tenant.to_string()))
        .add(Column::Kind.eq(rows::kind(RecordKind::Session)))
        .add(Column::Status.ne(rows::ERASED));
    if let Some(subject) = &filter.subject {
        fits = fits.add(Column::Subject.eq(Sealed(subject.as_str().to_owned())));
    }
    if let Some(status) = filter.status {
        fits = fits.add(Column::Status.eq(status.as_str()));
    }
    if let Some(script) = &filter.script {
        fits = fits.add(Column::ScriptId.eq(script.as_str()));
    }
    if let Some(after) = &filter.after {
        let Some(begun) = begun(db, tenant, after).await? else { return Ok(Vec::new()) };
        let same_moment = Condition::all().add(Column::CreatedAt.eq(begun)).add(Column::Id.lt(after.as_str()));
        fits = fits.add(Condition::any().add(Column::CreatedAt.lt(begun)).add(same_moment));
    }
    let listed = session::Entity::find()
        .select_only()
        .columns([Column::Id, Column::ScriptId, Column::ScriptVersion, Column::Subject, Column::Status])
        .columns([Column::Turns, Column::CreatedAt, Column::UpdatedAt])
        .filter(fits)
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
        .limit(wide(limit))
        .into_model::<Listed>();
    listed.all(db).await?.into_iter().map(rows::summary).collect()
}

/// Returns when a session began, also of one that was erased: a list may be continued behind it.
async fn begun(db: &impl ConnectionTrait, tenant: &TenantId, id: &SessionId) -> Read<Option<i64>> {
    use session::Column;
    let row = session::Entity::find_by_id(id.as_str()).select_only().column(Column::CreatedAt);
    Ok(row.filter(Column::Tenant.eq(tenant.to_string())).into_tuple().one(db).await?)
}

pub(super) async fn events(
    db: &impl ConnectionTrait,
    tenant: &TenantId,
    id: &SessionId,
    after_seq: u64,
    limit: usize,
) -> Read<Vec<SessionEvent>> {
    use event::Column;
    let payloads = event::Entity::find()
        .select_only()
        .column(Column::Payload)
        .filter(Column::SessionId.eq(id.as_str()))
        .filter(Column::Seq.gt(rows::number(after_seq)))
        .filter(Column::Payload.is_not_null())
        .filter(theirs(tenant, id))
        .order_by_asc(Column::Seq)
        .limit(wide(limit))
        .into_tuple::<Sealed>();
    payloads.all(db).await?.iter().map(rows::session_event).collect()
}

pub(super) async fn journal(
    db: &impl ConnectionTrait,
    tenant: &TenantId,
    id: &SessionId,
    after: u64,
    limit: usize,
) -> Read<Vec<JournalEntry>> {
    use journal::Column;
    let inputs = journal::Entity::find()
        .select_only()
        .column(Column::Input)
        .filter(Column::SessionId.eq(id.as_str()))
        .filter(Column::N.gt(rows::number(after)))
        .filter(Column::Input.is_not_null())
        .filter(theirs(tenant, id))
        .order_by_asc(Column::N)
        .limit(wide(limit))
        .into_tuple::<Sealed>();
    inputs.all(db).await?.iter().map(rows::journal_entry).collect()
}

pub(super) async fn chain(
    db: &impl ConnectionTrait,
    tenant: &TenantId,
    id: &SessionId,
    after_seq: u64,
    limit: usize,
) -> Read<Vec<ChainLink>> {
    use event::Column;
    let links = event::Entity::find()
        .filter(Column::SessionId.eq(id.as_str()))
        .filter(Column::Seq.gt(rows::number(after_seq)))
        .filter(theirs(tenant, id))
        .order_by_asc(Column::Seq)
        .limit(wide(limit));
    links.all(db).await?.into_iter().map(rows::chain_link).collect()
}

pub(super) async fn turn(
    db: &impl ConnectionTrait,
    tenant: &TenantId,
    id: &SessionId,
    message: &MessageId,
) -> Read<Option<StoredTurn>> {
    let key = (id.as_str().to_owned(), message.as_str().to_owned());
    let row = turn::Entity::find_by_id(key).filter(theirs(tenant, id)).one(db).await?;
    row.map_or(Ok(None), rows::stored_turn)
}

pub(super) async fn kept_answers(
    db: &impl ConnectionTrait,
    tenant: &TenantId,
    id: &SessionId,
    turn: u32,
) -> Read<Vec<KeptAnswer>> {
    use model_reply::Column;
    let answers = model_reply::Entity::find()
        .filter(Column::SessionId.eq(id.as_str()))
        .filter(Column::Turn.eq(i64::from(turn)))
        .filter(theirs(tenant, id))
        .order_by_asc(Column::CallNo)
        .order_by_asc(Column::Attempt);
    answers.all(db).await?.iter().map(|row| rows::kept_answer(tenant, id, row)).collect()
}

pub(super) async fn subject(db: &impl ConnectionTrait, tenant: &TenantId, subject: &SubjectId) -> Read<SubjectRecord> {
    let (tenant, subject) = (tenant.to_string(), Sealed(subject.as_str().to_owned()));
    let control = subject_control::Entity::find_by_id((tenant.clone(), subject.clone())).one(db).await?;
    let held = subject_variable::Entity::find()
        .filter(subject_variable::Column::Tenant.eq(tenant))
        .filter(subject_variable::Column::Subject.eq(subject));
    let variables: Read<BTreeMap<VariableName, Value>> = held.all(db).await?.into_iter().map(rows::variable).collect();
    let latch = control.map(rows::latch_of).transpose()?.flatten();
    Ok(SubjectRecord { variables: variables?, latch })
}

pub(super) async fn script(db: &impl ConnectionTrait, digest: &str) -> Read<Option<ShelvedScript>> {
    script::Entity::find_by_id(digest).one(db).await?.map(rows::shelved).transpose()
}

pub(super) async fn published(
    db: &impl ConnectionTrait,
    id: &ScriptId,
    version: Option<&str>,
) -> Read<Option<ShelvedScript>> {
    use script::Column;
    let mut rows = script::Entity::find().filter(Column::Id.eq(id.as_str())).filter(Column::PublishedAt.is_not_null());
    if let Some(version) = version {
        rows = rows.filter(Column::Version.eq(version));
    }
    let last = rows.order_by_desc(Column::PublishedAt).order_by_desc(Column::Version).one(db).await?;
    last.map(rows::shelved).transpose()
}

pub(super) async fn scripts(
    db: &impl ConnectionTrait,
    after: Option<&(ScriptId, String)>,
    limit: usize,
) -> Read<Vec<ScriptEntry>> {
    use script::Column;
    #[derive(FromQueryResult)]
    struct Named {
        digest: String,
        id: String,
        version: String,
        published_at: Option<i64>,
    }
    let mut named = script::Entity::find()
        .select_only()
        .columns([Column::Digest, Column::Id, Column::Version, Column::PublishedAt])
        .filter(Column::PublishedAt.is_not_null());
    if let Some((id, version)) = after {
        let same_id = Condition::all().add(Column::Id.eq(id.as_str())).add(Column::Version.gt(version));
        named = named.filter(Condition::any().add(Column::Id.gt(id.as_str())).add(same_id));
    }
    let named = named.order_by_asc(Column::Id).order_by_asc(Column::Version).limit(wide(limit)).into_model::<Named>();
    let entry = |row: Named| rows::entry(row.digest, row.id, row.version, row.published_at);
    named.all(db).await?.into_iter().map(entry).collect()
}

/// Lets rows of a session through only if it is the tenant's.
fn theirs(tenant: &TenantId, id: &SessionId) -> Condition {
    use session::Column;
    let owned = session::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Id.eq(id.as_str()))
        .filter(Column::Tenant.eq(tenant.to_string()));
    Condition::all().add(Expr::exists(sea_orm::QueryTrait::into_query(owned)))
}

fn wide(limit: usize) -> u64 {
    u64::try_from(limit).unwrap_or(u64::MAX).min(rows::number(u64::MAX).unsigned_abs())
}
