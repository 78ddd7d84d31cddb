//! Sessions with their events, inputs and answers; scripts; what is kept for subjects; what others are to be told.

use sea_orm::{
    DbErr,
    sea_query::{ColumnDef, ForeignKey, ForeignKeyCreateStatement, Index, IntoIden, Table, TableCreateStatement},
};
use sea_orm_migration::{MigrationName, MigrationTrait, SchemaManager, async_trait};

pub(super) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m0001_sessions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// All of it or nothing, on every database.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [
            session(),
            event(),
            journal(),
            turn(),
            model_reply(),
            outbox(),
            script(),
            subject_variable(),
            subject_control(),
            node(),
        ] {
            manager.create_table(table).await?;
        }
        for (name, table, columns) in INDICES {
            let mut index = Index::create().name(name).table(table).to_owned();
            for column in columns {
                index.col(*column);
            }
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

/// Lists go by time; what changes with each turn is in no index.
const INDICES: [(&str, &str, &[&str]); 5] = [
    ("session_by_time", "session", &["tenant", "created_at", "id"]),
    ("session_by_subject", "session", &["tenant", "subject", "created_at", "id"]),
    ("session_by_script", "session", &["tenant", "script_id", "created_at", "id"]),
    ("script_by_name", "script", &["id", "version"]),
    ("outbox_by_session", "outbox", &["session_id"]),
];

fn session() -> TableCreateStatement {
    Table::create()
        .table("session")
        .col(text("id").primary_key())
        .col(text("kind"))
        .col(text("tenant"))
        .col(optional_text("subject"))
        .col(text("script_id"))
        .col(text("script_version"))
        .col(text("script_digest"))
        .col(number("version"))
        .col(number("owner_epoch"))
        .col(optional_text("owner"))
        .col(optional_number("owner_incarnation"))
        .col(text("status"))
        .col(text("route"))
        .col(number("turns"))
        .col(number("last_input"))
        .col(text("chain"))
        .col(number("created_at"))
        .col(number("updated_at"))
        .col(optional_text("state"))
        .to_owned()
}

fn event() -> TableCreateStatement {
    Table::create()
        .table("event")
        .col(text("session_id"))
        .col(number("seq"))
        .col(number("turn"))
        .col(text("type"))
        .col(optional_text("payload"))
        .col(text("payload_digest"))
        .col(text("prev_hash"))
        .col(text("hash"))
        .primary_key(Index::create().col("session_id").col("seq"))
        .foreign_key(&mut of_session("event"))
        .to_owned()
}

fn journal() -> TableCreateStatement {
    Table::create()
        .table("journal")
        .col(text("session_id"))
        .col(number("n"))
        .col(optional_text("input"))
        .primary_key(Index::create().col("session_id").col("n"))
        .foreign_key(&mut of_session("journal"))
        .to_owned()
}

fn turn() -> TableCreateStatement {
    Table::create()
        .table("turn")
        .col(text("session_id"))
        .col(text("client_message_id"))
        .col(text("request_hash"))
        .col(optional_text("result"))
        .primary_key(Index::create().col("session_id").col("client_message_id"))
        .foreign_key(&mut of_session("turn"))
        .to_owned()
}

fn model_reply() -> TableCreateStatement {
    Table::create()
        .table("model_reply")
        .col(text("session_id"))
        .col(number("turn"))
        .col(number("call_no"))
        .col(number("attempt"))
        .col(number("owner_epoch"))
        .col(text("request_hash"))
        .col(text("reply"))
        .primary_key(Index::create().col("session_id").col("turn").col("call_no").col("attempt"))
        .foreign_key(&mut of_session("model_reply"))
        .to_owned()
}

fn outbox() -> TableCreateStatement {
    Table::create()
        .table("outbox")
        .col(ColumnDef::new("id").big_integer().not_null().auto_increment().primary_key())
        .col(text("session_id"))
        .col(number("seq"))
        .col(text("topic"))
        .col(text("payload"))
        .col(number("created_at"))
        .foreign_key(&mut of_session("outbox"))
        .to_owned()
}

fn script() -> TableCreateStatement {
    Table::create()
        .table("script")
        .col(text("digest").primary_key())
        .col(text("id"))
        .col(text("version"))
        .col(optional_number("published_at"))
        .col(text("body"))
        .to_owned()
}

fn subject_variable() -> TableCreateStatement {
    Table::create()
        .table("subject_variable")
        .col(text("tenant"))
        .col(text("subject"))
        .col(text("name"))
        .col(text("value"))
        .primary_key(Index::create().col("tenant").col("subject").col("name"))
        .to_owned()
}

fn subject_control() -> TableCreateStatement {
    Table::create()
        .table("subject_control")
        .col(text("tenant"))
        .col(text("subject"))
        .col(optional_text("latch"))
        .col(optional_text("referral"))
        .primary_key(Index::create().col("tenant").col("subject"))
        .to_owned()
}

fn node() -> TableCreateStatement {
    Table::create()
        .table("node")
        .col(text("id").primary_key())
        .col(number("incarnation"))
        .col(text("address"))
        .col(number("expires_at"))
        .col(ColumnDef::new("draining").boolean().not_null())
        .to_owned()
}

fn text(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().not_null().take()
}

fn optional_text(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().take()
}

fn number(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().not_null().take()
}

fn optional_number(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().take()
}

fn of_session(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(format!("{table}_of_session"))
        .from(table.into_iden(), "session_id")
        .to("session", "id")
        .take()
}
