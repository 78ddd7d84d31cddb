//! Keeps turns, on any database: many at once, in as few statements as there are tables.
//!
//! All of it happens inside a transaction that the caller has begun and will commit.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::{
    entity::{Sealed, event, journal, model_reply, outbox, script, session, subject_control, subject_variable, turn},
    fault::Fault,
    rows::{self, OutboxRow, TurnRows},
    statements::{ROWS, Statements},
};

/// A session as the transaction sees it, with what was done in the transaction already.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    tenant: String,
    version: i64,
    owner_epoch: i64,
    last_input: i64,
    chain: String,
    status: String,
    created_at: i64,
}

/// The session was changed by another writer, or erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stale;

/// That version of a script is published with another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PublishedOtherwise;

/// Rows that wait to be written together, and the sessions they belong to.
#[derive(Debug)]
pub(super) struct Gathered<'s> {
    standings: BTreeMap<String, Standing>,
    sessions: BTreeMap<String, session::Model>,
    events: Vec<event::ActiveModel>,
    journal: Vec<journal::ActiveModel>,
    turns: Vec<turn::ActiveModel>,
    outbox: Vec<outbox::ActiveModel>,
    variables: BTreeMap<(String, Sealed, String), Sealed>,
    controls: BTreeMap<(String, Sealed), subject_control::Model>,
    answers: BTreeMap<(String, i64, i64, i64), model_reply::Model>,
    /// Sessions whose kept answers have been used.
    answered: BTreeSet<String>,
    statements: &'s mut Statements,
}

impl<'s> Gathered<'s> {
    /// Looks at all sessions that are to be written, in one statement.
    pub(super) async fn look(
        db: &impl ConnectionTrait,
        ids: BTreeSet<&str>,
        statements: &'s mut Statements,
    ) -> Result<Self, Fault> {
        let mut gathered = Self {
            standings: BTreeMap::new(),
            sessions: BTreeMap::new(),
            events: Vec::new(),
            journal: Vec::new(),
            turns: Vec::new(),
            outbox: Vec::new(),
            variables: BTreeMap::new(),
            controls: BTreeMap::new(),
            answers: BTreeMap::new(),
            answered: BTreeSet::new(),
            statements,
        };
        let ids: Vec<&str> = ids.into_iter().collect();
        for ids in ids.chunks(ROWS) {
            gathered.look_at(db, ids).await?;
        }
        Ok(gathered)
    }

    async fn look_at(&mut self, db: &impl ConnectionTrait, ids: &[&str]) -> Result<(), Fault> {
        use session::Column;
        let rows = session::Entity::find()
            .select_only()
            .columns([Column::Id, Column::Tenant, Column::Version, Column::OwnerEpoch, Column::LastInput])
            .columns([Column::Chain, Column::Status, Column::CreatedAt])
            .filter(Column::Id.is_in(ids.iter().copied()))
            .into_tuple::<(String, String, i64, i64, i64, String, String, i64)>();
        for (id, tenant, version, owner_epoch, last_input, chain, status, created_at) in rows.all(db).await? {
            let standing = Standing { tenant, version, owner_epoch, last_input, chain, status, created_at };
            self.standings.insert(id, standing);
        }
        Ok(())
    }

    /// Takes a turn in, if nobody was first.
    pub(super) fn take_turn(&mut self, rows: &TurnRows) -> Result<(), Stale> {
        let id = &rows.session.id;
        let mut session = rows.session.clone();
        let mut previous = steersman_engine::chain::ROOT.to_owned();
        match self.standings.get(id) {
            Some(standing) => {
                standing.admits(&session.tenant, session.owner_epoch)?;
                if standing.version != rows.expected_version {
                    return Err(Stale);
                }
                session.created_at = standing.created_at;
                if rows.journal.is_empty() {
                    session.last_input = standing.last_input;
                }
                previous.clone_from(&standing.chain);
                if rows.events.is_empty() {
                    session.chain.clone_from(&previous);
                }
            }
            None if rows.expected_version != 0 => return Err(Stale),
            None => {}
        }
        self.standings.insert(id.clone(), Standing::of(&session));
        for row in &rows.events {
            let mut row = row.clone();
            if row.prev_hash.is_empty() {
                row.prev_hash.clone_from(&previous);
            }
            self.events.push(row.into_active_model());
        }
        self.journal.extend(rows.journal.iter().cloned().map(IntoActiveModel::into_active_model));
        self.turns.extend(rows.turn.iter().cloned().map(IntoActiveModel::into_active_model));
        self.outbox.extend(rows.outbox.iter().map(outbox_row));
        for row in &rows.variables {
            let key = (row.tenant.clone(), row.subject.clone(), row.name.clone());
            self.variables.insert(key, row.value.clone());
        }
        if let Some(row) = &rows.control {
            self.controls.insert((row.tenant.clone(), row.subject.clone()), row.clone());
        }
        self.answers.retain(|(session, ..), _| session != id);
        self.answered.insert(id.clone());
        self.sessions.insert(id.clone(), session);
        Ok(())
    }

    /// Takes an answer in that a turn is about to use.
    pub(super) fn take_answer(&mut self, tenant: &str, row: &model_reply::Model) -> Result<(), Stale> {
        let standing = self.standings.get(&row.session_id).ok_or(Stale)?;
        standing.admits(tenant, row.owner_epoch)?;
        self.answers.insert((row.session_id.clone(), row.turn, row.call_no, row.attempt), row.clone());
        Ok(())
    }

    /// Writes what was taken in.
    pub(super) async fn write(&mut self, db: &impl ConnectionTrait) -> Result<(), Fault> {
        self.forget_answers(db).await?;
        let sessions = std::mem::take(&mut self.sessions).into_values().map(IntoActiveModel::into_active_model);
        self.statements.insert(db, sessions.collect(), Some(session_conflict())).await?;
        self.statements.insert(db, std::mem::take(&mut self.events), None).await?;
        self.statements.insert(db, std::mem::take(&mut self.journal), None).await?;
        self.statements.insert(db, std::mem::take(&mut self.turns), None).await?;
        self.statements.insert(db, std::mem::take(&mut self.outbox), None).await?;
        let variables = std::mem::take(&mut self.variables).into_iter().map(|((tenant, subject, name), value)| {
            subject_variable::Model { tenant, subject, name, value }.into_active_model()
        });
        self.statements.insert(db, variables.collect(), Some(variable_conflict())).await?;
        let controls = std::mem::take(&mut self.controls).into_values().map(IntoActiveModel::into_active_model);
        self.statements.insert(db, controls.collect(), Some(control_conflict())).await?;
        let answers = std::mem::take(&mut self.answers).into_values().map(IntoActiveModel::into_active_model);
        self.statements.insert(db, answers.collect(), Some(answer_conflict())).await
    }

    async fn forget_answers(&mut self, db: &impl ConnectionTrait) -> Result<(), Fault> {
        let answered: Vec<String> = std::mem::take(&mut self.answered).into_iter().collect();
        for ids in answered.chunks(ROWS) {
            let used = model_reply::Column::SessionId.is_in(ids.iter().map(String::as_str));
            model_reply::Entity::delete_many().filter(used).exec(db).await?;
        }
        Ok(())
    }

    /// Takes a session over.
    pub(super) async fn claim(
        &mut self,
        db: &impl ConnectionTrait,
        tenant: &str,
        id: &str,
    ) -> Result<Option<session::Model>, Fault> {
        use session::Column;
        self.write(db).await?;
        let raised = session::Entity::update_many()
            .col_expr(Column::OwnerEpoch, Expr::col(Column::OwnerEpoch).add(1))
            .filter(Column::Id.eq(id))
            .filter(Column::Tenant.eq(tenant))
            .filter(Column::Status.ne(rows::ERASED));
        if raised.exec(db).await?.rows_affected == 0 {
            return Ok(None);
        }
        let row = session::Entity::find_by_id(id).one(db).await?;
        if let Some(row) = &row {
            self.standings.insert(id.to_owned(), Standing::of(row));
        }
        Ok(row)
    }

    /// Erases what a session holds; digests stay.
    pub(super) async fn erase(&mut self, db: &impl ConnectionTrait, tenant: &str, id: &str) -> Result<bool, Fault> {
        use session::Column;
        self.write(db).await?;
        let nothing = || Expr::value(None::<String>);
        let erased = session::Entity::update_many()
            .col_expr(Column::OwnerEpoch, Expr::col(Column::OwnerEpoch).add(1))
            .col_expr(Column::Status, Expr::value(rows::ERASED))
            .col_expr(Column::Subject, nothing())
            .col_expr(Column::State, nothing())
            .filter(Column::Id.eq(id))
            .filter(Column::Tenant.eq(tenant))
            .filter(Column::Status.ne(rows::ERASED));
        if erased.exec(db).await?.rows_affected == 0 {
            return Ok(false);
        }
        let of_it = |column: event::Column| column.eq(id);
        let payloads = event::Entity::update_many().col_expr(event::Column::Payload, nothing());
        payloads.filter(of_it(event::Column::SessionId)).exec(db).await?;
        let inputs = journal::Entity::update_many().col_expr(journal::Column::Input, nothing());
        inputs.filter(journal::Column::SessionId.eq(id)).exec(db).await?;
        let results = turn::Entity::update_many().col_expr(turn::Column::Result, nothing());
        results.filter(turn::Column::SessionId.eq(id)).exec(db).await?;
        model_reply::Entity::delete_many().filter(model_reply::Column::SessionId.eq(id)).exec(db).await?;
        outbox::Entity::delete_many().filter(outbox::Column::SessionId.eq(id)).exec(db).await?;
        if let Some(standing) = self.standings.get_mut(id) {
            rows::ERASED.clone_into(&mut standing.status);
        }
        Ok(true)
    }
}

impl Standing {
    fn of(session: &session::Model) -> Self {
        Self {
            tenant: session.tenant.clone(),
            version: session.version,
            owner_epoch: session.owner_epoch,
            last_input: session.last_input,
            chain: session.chain.clone(),
            status: session.status.clone(),
            created_at: session.created_at,
        }
    }

    fn admits(&self, tenant: &str, owner_epoch: i64) -> Result<(), Stale> {
        let open = self.tenant == tenant && self.owner_epoch == owner_epoch && self.status != rows::ERASED;
        if open { Ok(()) } else { Err(Stale) }
    }
}

/// Keeps the text of a script; a draft may become published.
pub(super) async fn keep_script(
    db: &impl ConnectionTrait,
    row: &script::Model,
) -> Result<Result<(), PublishedOtherwise>, Fault> {
    use script::Column;
    if row.published_at.is_some() {
        let other = script::Entity::find()
            .filter(Column::Id.eq(&row.id))
            .filter(Column::Version.eq(&row.version))
            .filter(Column::PublishedAt.is_not_null())
            .filter(Column::Digest.ne(&row.digest));
        if other.one(db).await?.is_some() {
            return Ok(Err(PublishedOtherwise));
        }
    }
    let there = OnConflict::column(Column::Digest).do_nothing().to_owned();
    let kept = script::Entity::insert(row.clone().into_active_model()).on_conflict(there);
    kept.exec_without_returning(db).await?;
    if let Some(at) = row.published_at {
        let draft = script::Entity::update_many().col_expr(Column::PublishedAt, Expr::value(at));
        draft.filter(Column::Digest.eq(&row.digest)).filter(Column::PublishedAt.is_null()).exec(db).await?;
    }
    Ok(Ok(()))
}

/// A commit replaces all of a session but what it was born with.
fn session_conflict() -> OnConflict {
    use session::Column;
    OnConflict::column(Column::Id)
        .update_columns([Column::Subject, Column::Version, Column::Status, Column::Route, Column::Turns])
        .update_columns([Column::LastInput, Column::Chain, Column::UpdatedAt, Column::State])
        .to_owned()
}

fn variable_conflict() -> OnConflict {
    use subject_variable::Column;
    OnConflict::columns([Column::Tenant, Column::Subject, Column::Name]).update_column(Column::Value).to_owned()
}

fn control_conflict() -> OnConflict {
    use subject_control::Column;
    OnConflict::columns([Column::Tenant, Column::Subject]).update_column(Column::Latch).to_owned()
}

fn answer_conflict() -> OnConflict {
    use model_reply::Column;
    OnConflict::columns([Column::SessionId, Column::Turn, Column::CallNo, Column::Attempt])
        .update_columns([Column::OwnerEpoch, Column::RequestHash, Column::Reply])
        .to_owned()
}

fn outbox_row(row: &OutboxRow) -> outbox::ActiveModel {
    outbox::ActiveModel {
        session_id: Set(row.session_id.clone()),
        seq: Set(row.seq),
        topic: Set(row.topic.to_owned()),
        payload: Set(row.payload.clone()),
        created_at: Set(row.created_at),
        ..Default::default()
    }
}
