//! The wire contract steersman.v1.
