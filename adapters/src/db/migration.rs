//! The history of the schema: the same steps on SQLite and on PostgreSQL, so nothing in them is of one database alone.
//!
//! A step that was published is never changed; a new one is added behind it.

mod m0001_sessions;

use sea_orm::{ConnectionTrait, DbErr};
use sea_orm::{EntityTrait, QueryOrder};
use sea_orm_migration::{MigrationTrait, MigratorTrait, seaql_migrations};

/// All steps, in order.
pub(super) struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m0001_sessions::Step)]
    }
}

/// How the schema of a database stands to the one that this build knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaFound {
    /// It is the one.
    Current,
    /// It lacks the last steps.
    Older(u32),
    /// It has steps that this build does not know.
    Newer(u32),
    /// Another program made it.
    Foreign,
}

/// Returns the schema that this build knows: the number of its last step.
pub(super) fn known() -> u32 {
    Migrator::migrations().iter().filter_map(|step| number(step.name())).max().unwrap_or(0)
}

/// Looks at the schema of a database that has a table of steps. Writes nothing.
pub(super) async fn look(db: &impl ConnectionTrait) -> Result<SchemaFound, DbErr> {
    let steps = seaql_migrations::Entity::find().order_by_asc(seaql_migrations::Column::Version).all(db).await?;
    let ours = Migrator::migrations();
    let mut last = 0;
    for step in &steps {
        let Some(number) = number(&step.version) else { return Ok(SchemaFound::Foreign) };
        last = last.max(number);
        if number <= known() && !ours.iter().any(|our| our.name() == step.version) {
            return Ok(SchemaFound::Foreign);
        }
    }
    Ok(match last.cmp(&known()) {
        std::cmp::Ordering::Less => SchemaFound::Older(last),
        std::cmp::Ordering::Equal => SchemaFound::Current,
        std::cmp::Ordering::Greater => SchemaFound::Newer(last),
    })
}

/// Reads the number of a step from its name: `m0001_sessions` is 1.
fn number(name: &str) -> Option<u32> {
    name.strip_prefix('m')?.split('_').next()?.parse().ok()
}
