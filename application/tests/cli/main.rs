//! The command line as its users meet it: arguments in, bytes and an exit code out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bytes;
mod checked;
mod decided;
mod examples;
mod kept;
mod looked;
mod models;
mod terminal;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// What a command came to.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

/// Runs `steersman` at the root of the repository, with this on its standard input.
fn steersman<S: AsRef<std::ffi::OsStr>>(arguments: &[S], typed: &str) -> Ran {
    let mut child =
        command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    let typed = typed.to_owned();
    // A session may be over before all was typed.
    let typing = std::thread::spawn(move || keyboard.write_all(typed.as_bytes()).is_ok());
    let output = child.wait_with_output().unwrap();
    typing.join().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn command<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steersman"));
    command.args(arguments).current_dir(root()).env_remove("NO_COLOR");
    for variable in ["STEERSMAN_LLM", "STEERSMAN_LLM_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(variable);
    }
    for variable in ["STEERSMAN_DB", "DATABASE_URL"] {
        command.env_remove(variable);
    }
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Writes a file that only this test uses, and returns its path.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns a path for a file that a command will write.
fn place(name: &str) -> String {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).to_str().unwrap().to_owned()
}

impl Ran {
    fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))).collect()
    }

    fn summary(&self) -> Value {
        let last = self.lines().pop().unwrap_or_default();
        assert_eq!(last["type"], "summary", "{}{}", self.out, self.err);
        last
    }
}

/// A question and a choice, in English.
const ASK: &str = r"steersman: 1
script: ask
locale: en
declare: [{var: frequency}, {var: visits, type: number}]
phases:
  - phase: main
    topics:
      - topic: talk
        actions:
          - id: ask
            ai_ask: find out how often it happens
            opening: How often does it happen?
            max_rounds: 3
            exit_criteria: {understanding_threshold: 80}
            output: [{get: frequency, define: how often}]
          - {id: pick, user_option: way, ask: Which way?, choices: [{left: To the left}, {right: To the right}]}
          - {id: bye, say: Goodbye., wait: true}
";
