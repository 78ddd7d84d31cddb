//! `steersman init`: lays out a first script, with what an editor needs to help.

use std::{fs, io::Write, path::Path, process::ExitCode};

use steersman_domain::locale::Locale;

use crate::{cli::Init, failure::Failure, terminal::Terminal};

/// Writes the files; one that is there already stays as it is.
pub(super) fn run(init: &Init, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let script = match init.locale {
        Locale::En => include_str!("../../starter/en.yaml"),
        Locale::ZhCn => include_str!("../../starter/zh-CN.yaml"),
    };
    let schema = steersman_adapters::scripts::schema_text();
    let files = [("script.yaml", script), ("script.schema.json", schema.as_str())];
    for (name, _) in files {
        let path = init.folder.join(name);
        if path.exists() {
            let path = path.display();
            return Err(Failure::Usage(format!("{path} is there already; nothing was written (name another folder)")));
        }
    }
    for (name, text) in files {
        put(&init.folder.join(name), text)?;
    }
    let path = init.folder.join("script.yaml");
    writeln!(terminal.out(), "wrote {0}\nnow: steersman play {0}", path.display())?;
    Ok(ExitCode::SUCCESS)
}

fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file("cannot write", path, &error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}
