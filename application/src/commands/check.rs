//! `steersman check PATH…`: everything that is wrong with scripts, and what a session of each can cost at most.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::json;
use steersman_adapters::scripts::{Diagnosed, load, scenario};
use steersman_domain::script::{Bounds, Cost};

use crate::{
    cli::{Check, CheckFormat},
    failure::Failure,
    terminal::{ASIDE, Terminal},
};

/// Folders in a folder that are followed at most.
const MAX_DEPTH: usize = 16;

/// Checks each file; exits 1 if one has an error, or a warning where warnings are denied.
pub(super) fn run(check: &Check, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let mut files = Vec::new();
    for path in &check.paths {
        collect(path, 0, &mut files)?;
    }
    if files.is_empty() {
        return Err(Failure::Usage("there is no .yaml or .yml file to check".to_owned()));
    }
    let (mut errors, mut warnings) = (0, 0);
    for file in &files {
        let bytes = std::fs::read(file).map_err(|error| Failure::file("cannot read", file, &error))?;
        let checked = Checked::of(file, &bytes, terminal.colours_output());
        errors += checked.errors;
        warnings += checked.warnings;
        match check.format {
            CheckFormat::Text => checked.tell(&mut terminal.out())?,
            CheckFormat::Json => checked.tell_json(&mut terminal.data())?,
        }
    }
    if check.format == CheckFormat::Text && files.len() > 1 {
        writeln!(terminal.out(), "{} files, {}", files.len(), counted(errors, warnings))?;
    }
    let failed = errors > 0 || (check.deny.is_some() && warnings > 0);
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Lists the files at a path: itself, or what is below a folder.
pub(super) fn collect(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error| Failure::file("cannot read", path, &error);
    if !std::fs::metadata(path).map_err(failed)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    if depth == MAX_DEPTH {
        return Err(Failure::Usage(format!("{}: folders are followed {MAX_DEPTH} deep at most", path.display())));
    }
    let entries: Result<Vec<_>, _> = std::fs::read_dir(path).map_err(failed)?.collect();
    let mut below: Vec<PathBuf> = entries.map_err(failed)?.into_iter().map(|entry| entry.path()).collect();
    below.sort();
    for entry in below {
        let is_script = entry.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if entry.is_dir() || is_script {
            collect(&entry, depth + 1, files)?;
        }
    }
    Ok(())
}

/// What came of one file, of whichever kind it is.
struct Checked {
    file: String,
    defects: Vec<Diagnosed>,
    report: String,
    errors: usize,
    warnings: usize,
    bound: Option<Bound>,
}

/// What the file can cost at most.
enum Bound {
    /// A script: answers and model calls.
    Script(Bounds),
    /// A scenario: decisions of the moderator until the discussion is over.
    Scenario(u32),
}

impl Checked {
    fn of(path: &Path, bytes: &[u8], colour: bool) -> Self {
        let file = path.display().to_string();
        if scenario::is_scenario(bytes) {
            let loaded = scenario::load(&file, bytes);
            let ((errors, warnings), report) = (loaded.counts(), loaded.report(colour));
            let bound = loaded.bound.map(Bound::Scenario);
            return Self { file, report, errors, warnings, bound, defects: loaded.defects };
        }
        let loaded = load(&file, bytes);
        let ((errors, warnings), report) = (loaded.counts(), loaded.report(colour));
        let bound = loaded.bounds.map(Bound::Script);
        Self { file, report, errors, warnings, bound, defects: loaded.defects }
    }

    fn tell(&self, out: &mut impl Write) -> Result<(), Failure> {
        if !self.report.is_empty() {
            writeln!(out, "{}\n", self.report)?;
        }
        writeln!(out, "{}: {}", self.file, counted(self.errors, self.warnings))?;
        match &self.bound {
            Some(Bound::Script(bounds)) => tell_bounds(bounds, out),
            Some(Bound::Scenario(decisions)) => {
                writeln!(out, "it ends after at most {decisions} decisions of the moderator, whatever anybody does")?;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn tell_json(&self, out: &mut impl Write) -> Result<(), Failure> {
        for defect in &self.defects {
            writeln!(out, "{}", json!(defect))?;
        }
        let bounds = match &self.bound {
            Some(Bound::Script(bounds)) => json!(bounds),
            Some(Bound::Scenario(decisions)) => json!({"decisions": decisions}),
            None => json!(null),
        };
        let summary = json!({
            "type": "summary",
            "file": self.file,
            "errors": self.errors,
            "warnings": self.warnings,
            "bounds": bounds,
        });
        writeln!(out, "{summary}")?;
        Ok(())
    }
}

fn tell_bounds(bounds: &Bounds, out: &mut impl Write) -> Result<(), Failure> {
    let cost = |cost: &Cost| format!("{} answers, {} model calls", cost.turns, cost.model_calls);
    writeln!(
        out,
        "at most {}; with blank messages and failing models {}",
        cost(&bounds.script),
        cost(&bounds.session)
    )?;
    for topic in bounds.phases.iter().flat_map(|phase| &phase.topics) {
        for action in topic.actions.iter().filter(|action| action.cost != Cost::default()) {
            writeln!(out, "{ASIDE}  {}/{}: {}{ASIDE:#}", topic.topic, action.action, cost(&action.cost))?;
        }
    }
    Ok(())
}

fn counted(errors: usize, warnings: usize) -> String {
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, 0) => "nothing is wrong".to_owned(),
        (_, 0) => plural(errors, "error"),
        (0, _) => plural(warnings, "warning"),
        (_, _) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}
