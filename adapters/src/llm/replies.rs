//! Replies from a file: one line an attempt, in order. When they run out the turn fails; nothing is made up.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value as Json;
use steersman_domain::{control::ModelPermit, session::ModelFault, utterance::Text};
use steersman_engine::{
    ports::{Completion, Deltas, LanguageModel, ModelError},
    turn::Prompt,
};

const FAULTS: [(&str, ModelFault); 6] = [
    ("timeout", ModelFault::Timeout),
    ("429", ModelFault::RateLimited),
    ("500", ModelFault::Unavailable),
    ("cut", ModelFault::Cut),
    ("empty", ModelFault::Empty),
    ("refusal", ModelFault::Refused),
];

/// Replies in the order of a file.
#[derive(Debug)]
pub struct RecordedReplies {
    lines: Mutex<VecDeque<Line>>,
    total: usize,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Reply(Text),
    Fault(ModelFault),
}

/// A line that is neither a reply nor a fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepliesError {
    /// It is not JSON.
    #[error("line {line}: not JSON ({why}); write one reply per line, as a string or an object")]
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// It is neither a string nor an object.
    #[error("line {line}: a reply is a string or an object")]
    NotAReply {
        /// The line, counted from 1.
        line: usize,
    },
    /// It names a fault that there is not.
    #[error("line {line}: no fault is called `{fault}`; there are timeout, 429, 500, cut, empty and refusal")]
    UnknownFault {
        /// The line, counted from 1.
        line: usize,
        /// The name.
        fault: String,
    },
}

impl RecordedReplies {
    /// Reads JSON lines: a string or an object is a raw reply as it stands, `{"fault": NAME}` is a fault.
    ///
    /// # Errors
    ///
    /// [`RepliesError`] with the number of the line.
    pub fn parse(text: &str) -> Result<Self, RepliesError> {
        let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines: VecDeque<Line> = numbered.map(|(at, line)| read(at + 1, line)).collect::<Result<_, _>>()?;
        let total = lines.len();
        Ok(Self { lines: Mutex::new(lines), total })
    }

    /// Returns how many replies were not used.
    pub fn unused(&self) -> usize {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[async_trait]
impl LanguageModel for RecordedReplies {
    async fn complete(&self, _: ModelPermit, prompt: &Prompt) -> Result<Completion, ModelError> {
        let next = self.lines.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        match next {
            Some(Line::Reply(text)) => {
                Ok(Completion { text, model: "replies".to_owned(), tokens_in: None, tokens_out: None })
            }
            Some(Line::Fault(fault)) => Err(ModelError::Failed { fault, retry_after: Some(Duration::ZERO) }),
            None => Err(ModelError::Exhausted(format!(
                "the file of replies is used up after {} lines, and `{}` of action `{}` needs another one",
                self.total,
                prompt.about.purpose.as_str(),
                prompt.about.action
            ))),
        }
    }

    async fn stream(&self, permit: ModelPermit, prompt: &Prompt, deltas: Deltas) -> Result<Completion, ModelError> {
        let completion = self.complete(permit, prompt).await?;
        // Nobody may be reading; the completion is what counts.
        let _unread = deltas.send(completion.text.as_str().to_owned()).await.is_err();
        Ok(completion)
    }
}

fn read(line: usize, text: &str) -> Result<Line, RepliesError> {
    match serde_json::from_str::<Json>(text) {
        Ok(Json::String(reply)) => Ok(Line::Reply(Text::new(reply))),
        Ok(Json::Object(object)) => match object.get("fault") {
            Some(fault) if object.len() == 1 => {
                let name = fault.as_str().map_or_else(|| fault.to_string(), str::to_owned);
                let known = FAULTS.iter().find(|(known, _)| *known == name);
                known.map(|(_, fault)| Line::Fault(*fault)).ok_or(RepliesError::UnknownFault { line, fault: name })
            }
            Some(_) | None => Ok(Line::Reply(Text::new(text))),
        },
        Ok(_) => Err(RepliesError::NotAReply { line }),
        Err(why) => Err(RepliesError::NotJson { line, why: why.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_raw_reply_or_a_fault() {
        let table = [
            (r#""just words""#, Ok(Line::Reply(Text::from("just words")))),
            (r#"{"reply": "a", "reply": "b"}"#, Ok(Line::Reply(Text::from(r#"{"reply": "a", "reply": "b"}"#)))),
            (r#"{"fault": "429"}"#, Ok(Line::Fault(ModelFault::RateLimited))),
            (r#"{"fault": 500}"#, Ok(Line::Fault(ModelFault::Unavailable))),
            (r#"{"fault": "x"}"#, Err(RepliesError::UnknownFault { line: 7, fault: "x".to_owned() })),
            ("3", Err(RepliesError::NotAReply { line: 7 })),
        ];
        for (text, expected) in table {
            assert_eq!(read(7, text), expected, "{text}");
        }
        assert!(matches!(RecordedReplies::parse("\n{\n").unwrap_err(), RepliesError::NotJson { line: 2, .. }));
    }
}
