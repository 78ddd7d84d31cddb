//! Where the person's words come from: the terminal, standard input, or a file, one line each.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal},
    path::Path,
};

use rustyline::{DefaultEditor, error::ReadlineError};
use serde_json::Value as Json;
use steersman_domain::session::WaitFor;

use crate::{cli::PlayFormat, failure::Failure};

const PROMPT: &str = "> ";

/// Where lines come from.
#[derive(Debug)]
pub(super) enum Inputs {
    /// A person at a terminal.
    Terminal(Option<Box<DefaultEditor>>),
    /// A file or a pipe; commands are words there if it is a file of inputs.
    Lines { reader: Option<Box<dyn LineReader>>, commands: bool, number: usize },
}

/// Reads lines, wherever they are.
pub(super) trait LineReader: BufRead + Send + std::fmt::Debug {}

impl<T: BufRead + Send + std::fmt::Debug> LineReader for T {}

/// One line.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// Something for the session.
    Given(Given),
    /// Something for the terminal, such as `/vars`.
    Command(String),
    /// There are no more.
    End,
}

/// Something for the session.
#[derive(Debug, PartialEq)]
pub(super) enum Given {
    /// Words.
    Text(String),
    /// The key of a choice.
    Choice(String),
    /// An acknowledgement.
    Acknowledgement,
    /// A call for a human.
    Human,
}

impl Inputs {
    /// Opens the file, or else standard input.
    pub(super) fn open(file: Option<&Path>, format: PlayFormat) -> Result<Self, Failure> {
        if let Some(path) = file {
            let file = File::open(path).map_err(|error| Failure::file("cannot read", path, &error))?;
            return Ok(Self::Lines { reader: Some(Box::new(BufReader::new(file))), commands: false, number: 0 });
        }
        if io::stdin().is_terminal() && format == PlayFormat::Text {
            let editor = DefaultEditor::new().map_err(|error| Failure::Environment(error.to_string()))?;
            return Ok(Self::Terminal(Some(Box::new(editor))));
        }
        let commands = format == PlayFormat::Text;
        Ok(Self::Lines { reader: Some(Box::new(BufReader::new(io::stdin()))), commands, number: 0 })
    }

    /// Tells whether a person sits there.
    pub(super) const fn is_interactive(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// Reads the next line; `waits_for` tells what an empty one means.
    pub(super) async fn next(&mut self, waits_for: Option<WaitFor>) -> Result<Line, Failure> {
        match self {
            Self::Terminal(editor) => {
                let Some(mut reading) = editor.take() else { return Ok(Line::End) };
                let joined = tokio::task::spawn_blocking(move || {
                    let line = reading.readline(PROMPT);
                    (reading, line)
                });
                let (read, line) = joined.await.map_err(|error| Failure::Environment(error.to_string()))?;
                let line = match line {
                    Ok(line) => line,
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(Line::End),
                    Err(error) => return Err(Failure::Environment(error.to_string())),
                };
                let mut read = read;
                read.add_history_entry(&line).map_err(|error| Failure::Environment(error.to_string()))?;
                *editor = Some(read);
                if line.trim().is_empty() && waits_for == Some(WaitFor::Ack) {
                    return Ok(Line::Given(Given::Acknowledgement));
                }
                Ok(typed(line))
            }
            Self::Lines { reader, commands, number } => {
                let Some(mut reading) = reader.take() else { return Ok(Line::End) };
                let joined = tokio::task::spawn_blocking(move || {
                    let mut line = Vec::new();
                    let read = reading.read_until(b'\n', &mut line);
                    (reading, read.map(|_| line))
                });
                let (read, line) = joined.await.map_err(|error| Failure::Environment(error.to_string()))?;
                let line = line?;
                if line.is_empty() {
                    return Ok(Line::End);
                }
                *reader = Some(read);
                *number += 1;
                let line = String::from_utf8(line)
                    .map_err(|_| Failure::Usage(format!("line {number} of the input is not UTF-8")))?;
                let line = line.trim_end_matches(['\n', '\r']).to_owned();
                if *commands {
                    return Ok(typed(line));
                }
                given(&line)
                    .map(Line::Given)
                    .map_err(|why| Failure::Usage(format!("line {number} of the input: {why}")))
            }
        }
    }
}

fn typed(line: String) -> Line {
    if line.starts_with('/') { Line::Command(line.trim().to_owned()) } else { Line::Given(Given::Text(line)) }
}

/// Reads a line of an input file: an object of one known key, or plain words.
fn given(line: &str) -> Result<Given, String> {
    let Ok(Json::Object(object)) = serde_json::from_str::<Json>(line) else { return Ok(Given::Text(line.to_owned())) };
    let mut entries = object.into_iter();
    match (entries.next(), entries.next()) {
        (Some((key, Json::String(text))), None) if key == "text" => Ok(Given::Text(text)),
        (Some((key, Json::String(choice))), None) if key == "choose" => Ok(Given::Choice(choice)),
        (Some((key, Json::Bool(true))), None) if key == "ack" => Ok(Given::Acknowledgement),
        (Some((key, Json::Bool(true))), None) if key == "human" => Ok(Given::Human),
        (Some((key, _)), None) if key == "answers" => Err("no form is open; `answers` has nowhere to go".to_owned()),
        (_, _) => {
            let shapes = r#"{"text": "…"}, {"choose": "…"}, {"ack": true} or {"human": true}"#;
            Err(format!("an object is one of {shapes}; anything else is plain words"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object_of_one_known_key_or_plain_words() {
        let table = [
            ("hello", Ok(Given::Text("hello".to_owned()))),
            ("{braces}", Ok(Given::Text("{braces}".to_owned()))),
            ("/vars", Ok(Given::Text("/vars".to_owned()))),
            (r#"{"text": "{\"a\": 1}"}"#, Ok(Given::Text("{\"a\": 1}".to_owned()))),
            (r#"{"choose": "sleep"}"#, Ok(Given::Choice("sleep".to_owned()))),
            (r#"{"ack": true}"#, Ok(Given::Acknowledgement)),
            (r#"{"human": true}"#, Ok(Given::Human)),
            ("", Ok(Given::Text(String::new()))),
            ("3", Ok(Given::Text("3".to_owned()))),
        ];
        for (line, expected) in table {
            assert_eq!(given(line), expected, "{line}");
        }
        assert!(given(r#"{"chose": "sleep"}"#).is_err() && given(r#"{"text": 3}"#).is_err());
    }
}
