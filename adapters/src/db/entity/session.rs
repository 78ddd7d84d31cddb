//! One row a session, as its last commit left it.

use sea_orm::entity::prelude::*;

use super::Sealed;

#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub kind: String,
    pub tenant: String,
    pub subject: Option<Sealed>,
    pub script_id: String,
    pub script_version: String,
    pub script_digest: String,
    /// Counts commits.
    pub version: i64,
    pub owner_epoch: i64,
    /// The node that runs it, where there are several.
    pub owner: Option<String>,
    pub owner_incarnation: Option<i64>,
    /// As in the events, or `erased`.
    pub status: String,
    pub route: String,
    pub turns: i64,
    pub last_input: i64,
    /// The chain up to and with the last event.
    pub chain: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
    pub updated_at: i64,
    /// The snapshot as JSON; absent once erased. The last column, so that lists need not read past it.
    pub state: Option<Sealed>,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
