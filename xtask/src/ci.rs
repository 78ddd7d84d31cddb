//! The whole of CI, as a table of parts; each part can also be run alone.

use std::time::Instant;

use anyhow::{Context, bail};

use crate::{
    codegen::{self, Mode},
    lint, play, test, tidy,
};

struct Part {
    name: &'static str,
    run: fn() -> anyhow::Result<()>,
}

/// In the order in which they run: what answers soonest comes first, what needs a release build comes last.
const PARTS: &[Part] = &[
    Part { name: "lint", run: lint::run },
    Part { name: "tidy", run: tidy::run },
    Part { name: "codegen", run: || codegen::run(Mode::Check) },
    Part { name: "test", run: test::run },
    Part { name: "play", run: play::run },
];

/// Runs all parts up to the first that fails, then prints what each took.
pub(crate) fn run_all() -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut times = Vec::new();
    for part in PARTS {
        let started = Instant::now();
        (part.run)()
            .with_context(|| format!("ci stopped at `{}`; run it alone with `cargo xtask ci {0}`", part.name))?;
        times.push(format!("{} {:.1} s", part.name, started.elapsed().as_secs_f64()));
    }
    println!("ci: all passed in {:.1} s ({})", begun.elapsed().as_secs_f64(), times.join(", "));
    Ok(())
}

/// Runs the part of that name.
pub(crate) fn run_part(name: &str) -> anyhow::Result<()> {
    let Some(part) = PARTS.iter().find(|part| part.name == name) else {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("ci has no part `{name}`; there are {}", names.join(", "));
    };
    (part.run)()
}
