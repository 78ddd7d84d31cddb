//! The wire contract `steersman.v1`: its messages, its services, and their descriptors for reflection.
//!
//! `v1` and the descriptors are written by `cargo xtask codegen` from the `.proto` files beside them; whoever builds
//! Steersman needs no generator. Messages show their name and size in `Debug`, never what a person said.

mod debug;
pub mod json;
#[rustfmt::skip]
#[expect(clippy::pedantic, clippy::allow_attributes, unused_qualifications, reason = "generated")]
pub mod v1;

/// What reflection shows: all files of the wire and what they import, as an encoded `FileDescriptorSet`.
pub const DESCRIPTORS: &[u8] = include_bytes!("descriptors.bin");
