//! The stores on databases: what every store promises, and what a file goes through.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod contract;
mod crash;
mod faults;
mod files;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns an empty folder that only this test uses.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stores").join(name);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}
