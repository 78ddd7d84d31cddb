//! Writes the next words.

use std::time::Duration;

use async_trait::async_trait;
use steersman_domain::{
    control::ModelPermit,
    session::{ModelFault, ModelVoice},
    utterance::Text,
};
use tokio::sync::mpsc;

use crate::turn::Prompt;

/// Writes the next words. Makes no promise about their form: callers must expect any text.
#[async_trait]
pub trait LanguageModel: Send + Sync + std::fmt::Debug {
    /// Returns what the model says to `prompt`. The permit is used up by the call.
    ///
    /// # Errors
    ///
    /// [`ModelError::Failed`] for anything that a conversation can go on after, [`ModelError::Exhausted`] when there is
    /// nothing left to say and going on would be a lie.
    async fn complete(&self, permit: ModelPermit, prompt: &Prompt) -> Result<Completion, ModelError>;

    /// Like [`LanguageModel::complete`], and sends what arrives meanwhile to `deltas`.
    ///
    /// The deltas, joined, need not be the whole completion: a model that cannot stream sends none.
    ///
    /// # Errors
    ///
    /// As [`LanguageModel::complete`]. What was sent before an error is void.
    async fn stream(&self, permit: ModelPermit, prompt: &Prompt, deltas: Deltas) -> Result<Completion, ModelError> {
        drop(deltas);
        self.complete(permit, prompt).await
    }

    /// Tells whether an answer costs time or money, so that it is worth keeping before it is used.
    fn is_paid(&self) -> bool {
        false
    }

    /// Tells who speaks.
    fn voice(&self) -> ModelVoice {
        ModelVoice::Model
    }
}

/// Where a model sends what it has written so far. Bounded: a model that writes faster than it is read waits.
pub type Deltas = mpsc::Sender<String>;

/// What a model said.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The raw reply.
    pub text: Text,
    /// The model's name.
    pub model: String,
    /// Tokens of the prompt, if known.
    pub tokens_in: Option<u32>,
    /// Tokens of the reply, if known.
    pub tokens_out: Option<u32>,
}

/// Why a model said nothing.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It failed; the session covers for it.
    #[error("the model failed")]
    Failed {
        /// How.
        #[source]
        fault: ModelFault,
        /// How long to wait before another attempt; without it the engine decides.
        retry_after: Option<Duration>,
    },
    /// There is nothing left to say, as at the end of a file of replies. The turn is not kept.
    #[error("{0}")]
    Exhausted(String),
}
