//! `steersman decide KIND`: one decision per line of JSON.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::Path,
    process::ExitCode,
};

use steersman_domain::decide::{Verdict, kind};

use crate::{cli::Decide, failure::Failure, terminal::Terminal};

/// Decides each line; a bad case gives an error in its place, and the rest go on.
pub(super) fn run(decide: &Decide, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let kind = kind(&decide.kind).map_err(|refusal| Failure::Usage(refusal.message))?;
    let mut out = terminal.data();
    let mut failed = false;
    for line in lines(decide.file.as_deref())?.split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        let answer = kind.answer(&line);
        writeln!(out, "{}", answer.json)?;
        failed |= answer.verdict != Verdict::Fine;
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn lines(file: Option<&Path>) -> Result<Box<dyn BufRead>, Failure> {
    match file {
        None => Ok(Box::new(io::stdin().lock())),
        Some(path) if path == Path::new("-") => Ok(Box::new(io::stdin().lock())),
        Some(path) => {
            let file = File::open(path).map_err(|error| Failure::file("cannot read", path, &error))?;
            Ok(Box::new(BufReader::new(file)))
        }
    }
}
