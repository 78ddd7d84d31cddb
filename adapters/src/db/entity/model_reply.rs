//! One row an answer that a model gave in a turn that is not committed yet.

use sea_orm::entity::prelude::*;

use super::Sealed;

#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "model_reply")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub turn: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub call_no: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub attempt: i64,
    pub owner_epoch: i64,
    pub request_hash: String,
    /// The answer as JSON.
    pub reply: Sealed,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
