//! What the toolchain can check: format, lints, documentation, and licences where cargo-deny is installed.

use std::process::{Command, Stdio};

use crate::step::cargo_step;

const DENY: &[&str] = &["deny", "--workspace", "--locked", "check", "bans", "licenses", "sources"];

/// Runs each check with warnings denied.
pub(crate) fn run() -> anyhow::Result<()> {
    cargo_step(&["fmt", "--all", "--check"], &[])?;
    cargo_step(&["clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-D", "warnings"], &[])?;
    cargo_step(&["doc", "--workspace", "--all-features", "--no-deps", "--locked"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    if has_cargo_deny() {
        cargo_step(DENY, &[])
    } else {
        println!("==> cargo {}", DENY.join(" "));
        println!("    SKIPPED: cargo-deny is not installed; tidy still checks the bans, nothing here checks licences");
        Ok(())
    }
}

fn has_cargo_deny() -> bool {
    let asked = Command::new("cargo-deny").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}
