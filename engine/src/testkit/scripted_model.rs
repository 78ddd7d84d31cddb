//! A model that says what a test tells it to, and nothing else.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use steersman_domain::{control::ModelPermit, session::ModelFault, utterance::Text};

use crate::{
    ports::{Completion, Deltas, LanguageModel, ModelError},
    turn::Prompt,
};

/// What a scripted model does at one attempt.
#[derive(Debug, Clone)]
pub enum Said {
    /// It replies.
    Reply(String),
    /// It sends chunks, then replies with all of them.
    Chunks(Vec<String>),
    /// It sends chunks, then fails.
    CutAfter(Vec<String>, ModelFault),
    /// It fails.
    Fault(ModelFault),
    /// It never answers.
    Silence,
}

/// Says what it was told to, in order; keeps the prompts. A call beyond the script is a failure of the test.
#[derive(Debug, Default)]
pub struct ScriptedModel {
    script: Mutex<VecDeque<Said>>,
    prompts: Mutex<Vec<Prompt>>,
}

impl ScriptedModel {
    /// Will say these.
    pub fn new(script: impl IntoIterator<Item = Said>) -> Self {
        Self { script: Mutex::new(script.into_iter().collect()), prompts: Mutex::default() }
    }

    /// Returns the prompts it was given, in order.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns how much of its script is left.
    pub fn unsaid(&self) -> usize {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn next(&self, prompt: &Prompt) -> Said {
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner).push(prompt.clone());
        let next = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| panic!("an unexpected model call: {:?}", prompt.about.purpose))
    }
}

#[async_trait]
impl LanguageModel for ScriptedModel {
    async fn complete(&self, permit: ModelPermit, prompt: &Prompt) -> Result<Completion, ModelError> {
        let (deltas, _unread) = tokio::sync::mpsc::channel(1024);
        self.stream(permit, prompt, deltas).await
    }

    async fn stream(&self, _: ModelPermit, prompt: &Prompt, deltas: Deltas) -> Result<Completion, ModelError> {
        let (chunks, outcome) = match self.next(prompt) {
            Said::Reply(text) => (vec![], Ok(text)),
            Said::Chunks(chunks) => {
                let whole = chunks.concat();
                (chunks, Ok(whole))
            }
            Said::CutAfter(chunks, fault) => (chunks, Err(fault)),
            Said::Fault(fault) => (vec![], Err(fault)),
            Said::Silence => std::future::pending().await,
        };
        for chunk in chunks {
            // The gate may have been closed by a reader that left.
            let _gone = deltas.send(chunk).await.is_err();
        }
        match outcome {
            Ok(text) => Ok(Completion {
                text: Text::new(text),
                model: "scripted".to_owned(),
                tokens_in: None,
                tokens_out: None,
            }),
            Err(fault) => Err(ModelError::Failed { fault, retry_after: Some(Duration::ZERO) }),
        }
    }
}
