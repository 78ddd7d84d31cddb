//! The rows of the tables, one file each. Nothing outside `db` sees them.

use std::fmt;

use sea_orm::{DbErr, DeriveValueType, TryFromU64};

pub mod event;
pub mod journal;
pub mod model_reply;
pub mod outbox;
pub mod script;
pub mod session;
pub mod subject_control;
pub mod subject_variable;
pub mod turn;

/// A text of a person or about one: `Debug` prints its length only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, DeriveValueType)]
pub struct Sealed(pub String);

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

/// A key may be one; none is ever counted.
impl TryFromU64 for Sealed {
    fn try_from_u64(_: u64) -> Result<Self, DbErr> {
        Err(DbErr::ConvertFromU64("Sealed"))
    }
}
