//! Acts on what the domain decides: fetches what a session waits for, keeps what happened, and only then shows it.
//!
//! It decides nothing about a conversation; every such question goes to `steersman-domain`. It knows no foreign
//! library: models, stores and scripts are ports.

mod basis;
pub mod chain;
pub mod executor;
pub mod export;
pub mod limits;
mod live;
pub mod memory;
pub mod ports;
pub mod principal;
pub mod prompts;
pub mod reading_room;
mod session_task;
pub mod turn;

#[cfg(any(test, feature = "testkit"))]
pub mod testkit;

pub use basis::basis;
pub use executor::{Engine, Parts, Recording};
pub use limits::Limits;
pub use principal::{Principal, TenantId};
pub use reading_room::ReadingRoom;
