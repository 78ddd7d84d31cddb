//! One row a thing that others are to be told, at least once.

use sea_orm::entity::prelude::*;

use super::Sealed;

#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub session_id: String,
    /// The event that brought it about.
    pub seq: i64,
    pub topic: String,
    /// As JSON.
    pub payload: Sealed,
    /// Milliseconds since 1970.
    pub created_at: i64,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
