//! One row a message that was answered, so that a resent one gets the same answer.

use sea_orm::entity::prelude::*;

use super::Sealed;

#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "turn")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub client_message_id: String,
    pub request_hash: String,
    /// What the client was told, as JSON; absent once erased.
    pub result: Option<Sealed>,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
