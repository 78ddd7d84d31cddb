//! One row a value that is kept for a subject across sessions.

use sea_orm::entity::prelude::*;

use super::Sealed;

#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "subject_variable")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: Sealed,
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// As JSON.
    pub value: Sealed,
}

#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
