//! Makes one attempt of a model call within the time that the turn has left.

use std::{sync::Arc, time::Duration};

use steersman_domain::{
    control::ModelPermit,
    reply::MAX_RAW_BYTES,
    session::{ModelAnswer, ModelFault, ModelOutcome},
    utterance::Text,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};

use super::{DeltaGate, Prompt};
use crate::{
    chain::digest,
    executor::Recording,
    limits::Limits,
    ports::{Clock, Completion, LanguageModel, ModelError},
};

/// Calls the model for a session.
#[derive(Debug)]
pub(crate) struct Caller<'a> {
    /// The model.
    pub(crate) model: &'a Arc<dyn LanguageModel>,
    /// What time it is, for latencies.
    pub(crate) clock: &'a Arc<dyn Clock>,
    /// The bounds.
    pub(crate) limits: &'a Limits,
    /// Whether prompts and replies are kept.
    pub(crate) recording: Recording,
}

/// How much time a turn has left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnClock {
    ends: Instant,
    wait: Duration,
}

impl TurnClock {
    /// Starts the time of a turn.
    pub(crate) fn start(limits: &Limits) -> Self {
        Self { ends: Instant::now() + limits.turn, wait: Duration::ZERO }
    }

    fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }
}

/// Keeps a reply that is too long from filling the journal; what is kept is still seen to be too long.
fn capped(text: Text) -> Text {
    let most = MAX_RAW_BYTES + 1;
    if text.as_str().len() <= most {
        return text;
    }
    Text::new(
        text.as_str()
            .chars()
            .scan(0, |bytes, c| {
                *bytes += c.len_utf8();
                (*bytes <= most + 3).then_some(c)
            })
            .collect::<String>(),
    )
}

impl Caller<'_> {
    /// Makes one attempt; waits first if the attempt before asked for it.
    ///
    /// # Errors
    ///
    /// The model's own words when it has nothing left to say; every other failure is an answer.
    pub(crate) async fn attempt(
        &self,
        permit: ModelPermit,
        prompt: &Prompt,
        number: (u32, u32),
        gate: Option<&mut DeltaGate>,
        clock: &mut TurnClock,
    ) -> Result<ModelAnswer, String> {
        let began = self.clock.now();
        let (call_no, attempt) = number;
        let spoken = self.speak(permit, prompt, gate, clock, attempt).await?;
        let latency = self.clock.now().since(began);
        let digest_text = prompt.digest_text();
        let (outcome, model, tokens_in, tokens_out) = match spoken {
            Ok(said) => (ModelOutcome::Replied(capped(said.text)), said.model, said.tokens_in, said.tokens_out),
            Err(fault) => (ModelOutcome::Failed(fault), String::new(), None, None),
        };
        let reply_hash = match &outcome {
            ModelOutcome::Replied(text) => Some(digest(text.as_str())),
            ModelOutcome::Failed(_) => None,
        };
        Ok(ModelAnswer {
            call_no,
            attempt,
            outcome,
            speaker: self.model.voice(),
            model,
            tokens_in,
            tokens_out,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            prompt_hash: digest(&digest_text),
            reply_hash,
            prompt: (self.recording == Recording::Full).then(|| Text::new(digest_text)),
            recorded: self.recording == Recording::Full,
        })
    }

    /// Says that an attempt was broken off by a message that cannot wait.
    pub(crate) fn preempted(&self, prompt: &Prompt, (call_no, attempt): (u32, u32)) -> ModelAnswer {
        let digest_text = prompt.digest_text();
        ModelAnswer {
            call_no,
            attempt,
            outcome: ModelOutcome::Failed(ModelFault::Preempted),
            speaker: self.model.voice(),
            model: String::new(),
            tokens_in: None,
            tokens_out: None,
            latency_ms: 0,
            prompt_hash: digest(&digest_text),
            reply_hash: None,
            prompt: (self.recording == Recording::Full).then(|| Text::new(digest_text)),
            recorded: self.recording == Recording::Full,
        }
    }

    async fn speak(
        &self,
        permit: ModelPermit,
        prompt: &Prompt,
        gate: Option<&mut DeltaGate>,
        clock: &mut TurnClock,
        attempt: u32,
    ) -> Result<Result<Completion, ModelFault>, String> {
        if attempt == 1 {
            clock.wait = Duration::ZERO;
        }
        if clock.wait >= clock.left() {
            return Ok(Err(ModelFault::TurnTimeUp));
        }
        if !clock.wait.is_zero() {
            sleep(clock.wait).await;
        }
        let allowed = prompt.about.timeout.unwrap_or(self.limits.call).min(clock.left());
        let outcome = match gate {
            None => timeout(allowed, self.model.complete(permit, prompt)).await,
            Some(gate) => timeout(allowed, self.stream(permit, prompt, gate)).await,
        };
        match outcome {
            Ok(Ok(completion)) => {
                clock.wait = self.backoff(attempt);
                Ok(Ok(completion))
            }
            Ok(Err(ModelError::Failed { fault, retry_after })) => {
                clock.wait = retry_after.unwrap_or_else(|| self.backoff(attempt));
                Ok(Err(fault))
            }
            Ok(Err(ModelError::Exhausted(why))) => Err(why),
            Err(_elapsed) => {
                clock.wait = self.backoff(attempt);
                Ok(Err(ModelFault::Timeout))
            }
        }
    }

    async fn stream(
        &self,
        permit: ModelPermit,
        prompt: &Prompt,
        gate: &mut DeltaGate,
    ) -> Result<Completion, ModelError> {
        let (deltas, mut chunks) = mpsc::channel(self.limits.deltas);
        let speaking = self.model.stream(permit, prompt, deltas);
        let showing = async {
            while let Some(chunk) = chunks.recv().await {
                gate.push(&chunk);
            }
        };
        let (spoken, ()) = tokio::join!(speaking, showing);
        spoken
    }

    fn backoff(&self, attempt: u32) -> Duration {
        self.limits.retry * 2_u32.saturating_pow(attempt.saturating_sub(1).min(8))
    }
}
