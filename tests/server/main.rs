//! The server from outside: the real binary and a real client of gRPC. Tests wait for frames, never for time.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod contract;
mod conversation;
mod drain;
mod example;
mod killed;
mod messages;
mod python;
mod running;
mod safety;
mod served;
mod settings;
mod surface;
mod talk;
mod unread;
