//! One row an event, in the chain of its session.

use sea_orm::entity::prelude::*;

use super::Sealed;

#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    pub turn: i64,
    #[sea_orm(column_name = "type")]
    pub kind: String,
    /// The event as JSON; absent once erased.
    pub payload: Option<Sealed>,
    pub payload_digest: String,
    pub prev_hash: String,
    pub hash: String,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
