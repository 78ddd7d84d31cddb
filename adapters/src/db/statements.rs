//! Statements that keep rows, each written once and used again: with the rows of a busy second, writing them anew would
//! cost more than the database does.

use std::collections::BTreeMap;

use sea_orm::{
    ActiveModelTrait, ConnectionTrait, EntityName, EntityTrait, Iterable, QueryTrait, Statement,
    sea_query::{OnConflict, Value},
};

use super::fault::Fault;

/// The most rows of one statement: well below every database's limit of parameters, and few enough that the statements
/// of all row counts stay prepared.
pub(super) const ROWS: usize = 64;

/// The statements that were written before, by table and number of rows: at most [`ROWS`] a table.
#[derive(Debug, Default)]
pub(super) struct Statements(BTreeMap<(&'static str, usize), String>);

impl Statements {
    /// Inserts rows, as few statements as can be. A table always has the same `conflict`, and its rows always set the same
    /// columns.
    pub(super) async fn insert<A>(
        &mut self,
        db: &impl ConnectionTrait,
        rows: Vec<A>,
        conflict: Option<OnConflict>,
    ) -> Result<(), Fault>
    where
        A: ActiveModelTrait + Send,
    {
        let mut rows = rows.into_iter();
        loop {
            let chunk: Vec<A> = rows.by_ref().take(ROWS).collect();
            if chunk.is_empty() {
                return Ok(());
            }
            let sql = self.sql(db, &chunk, conflict.as_ref());
            let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values(chunk));
            db.execute_raw(statement).await?;
        }
    }

    fn sql<A: ActiveModelTrait>(
        &mut self,
        db: &impl ConnectionTrait,
        rows: &[A],
        conflict: Option<&OnConflict>,
    ) -> String {
        let table = A::Entity::default().table_name();
        let written = self.0.entry((table, rows.len())).or_insert_with(|| {
            let mut statement = A::Entity::insert_many(rows.iter().cloned());
            if let Some(conflict) = conflict {
                statement = statement.on_conflict(conflict.clone());
            }
            statement.build(db.get_database_backend()).sql
        });
        written.clone()
    }
}

/// Takes the values out of rows, in the order of the columns; a number that the database gives is not among them.
fn values<A: ActiveModelTrait>(rows: Vec<A>) -> Vec<Value> {
    let columns: Vec<_> = <A::Entity as EntityTrait>::Column::iter().collect();
    let mut values = Vec::with_capacity(rows.len() * columns.len());
    for mut row in rows {
        values.extend(columns.iter().filter_map(|column| row.take(*column).into_value()));
    }
    values
}
