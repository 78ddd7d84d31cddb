//! The understudy: no network, no key, the same words each time. It speaks the opening or the task itself, and takes a
//! substantive answer as what was asked for.

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};
use steersman_domain::{
    control::ModelPermit,
    exit::ExitSource,
    session::{Brief, ModelVoice, OutputBrief, Purpose},
    texts,
    topic::Completeness,
    utterance::Text,
    variable::{Kind, Value},
};
use steersman_engine::{
    ports::{Completion, Deltas, LanguageModel, ModelError},
    turn::Prompt,
};

/// The words of a task that stand for what is to be worked out.
const FIRST_WORDS_CHARS: usize = 24;

/// Speaks where no model is connected. Never fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct Understudy;

#[async_trait]
impl LanguageModel for Understudy {
    async fn complete(&self, _: ModelPermit, prompt: &Prompt) -> Result<Completion, ModelError> {
        let reply = reply(&prompt.about, prompt.last_answer.as_ref());
        Ok(Completion {
            text: Text::new(reply.to_string()),
            model: "offline".to_owned(),
            tokens_in: None,
            tokens_out: None,
        })
    }

    async fn stream(&self, permit: ModelPermit, prompt: &Prompt, deltas: Deltas) -> Result<Completion, ModelError> {
        let completion = self.complete(permit, prompt).await?;
        // Nobody may be reading; the completion is what counts.
        let _unread = deltas.send(completion.text.as_str().to_owned()).await.is_err();
        Ok(completion)
    }

    fn voice(&self) -> ModelVoice {
        ModelVoice::Understudy
    }
}

fn reply(about: &Brief, answer: Option<&Text>) -> Json {
    match about.purpose {
        Purpose::Speaking => json!({"reply": spoken(about)}),
        Purpose::Judging => judged(about, answer),
        Purpose::Thinking => json!({"variables": thought(about)}),
        Purpose::Extraction => json!({"variables": {}}),
        Purpose::IntentReading | Purpose::StrategyGeneration | Purpose::Planning => json!({}),
    }
}

fn spoken(about: &Brief) -> &str {
    about.opening.as_ref().unwrap_or(&about.task).as_str()
}

fn judged(about: &Brief, answer: Option<&Text>) -> Json {
    let answer = answer.map(|answer| answer.as_str().trim()).unwrap_or_default();
    if !texts::session(about.locale).is_substantive(answer) {
        return json!({"reply": spoken(about)});
    }
    let missing = || about.outputs.iter().filter(|output| output.completeness == Completeness::Missing);
    let values: Map<String, Json> = match &about.collect {
        Some(list) => {
            let first = missing().next().map(|output| json!([{output.name.as_str(): answer}]));
            first.into_iter().map(|records| (list.as_str().to_owned(), records)).collect()
        }
        None => {
            missing().filter_map(|output| Some((output.name.as_str().to_owned(), fitted(output, answer)?))).collect()
        }
    };
    // Where its flag is not heard, it has to say something, or nothing would be said at all.
    let closing = if about.exits.contains(&ExitSource::ExitFlag) { "" } else { spoken(about) };
    json!({"reply": closing, "EXIT": true, "BRIEF": answer, "variables": values, "progress": "completed"})
}

/// Converts an answer to what an output asks for; what does not fit stays missing.
fn fitted(output: &OutputBrief, answer: &str) -> Option<Json> {
    let value = Value::from(answer);
    match output.kind {
        None => Some(value.into_json()),
        Some(kind) => value.convert(kind).map(Value::into_json),
    }
}

fn thought(about: &Brief) -> Map<String, Json> {
    let words: String = about.task.as_str().chars().take(FIRST_WORDS_CHARS).collect();
    let takes_text = |output: &&OutputBrief| matches!(output.kind, None | Some(Kind::String));
    about.outputs.iter().filter(takes_text).map(|output| (output.name.as_str().to_owned(), json!(words))).collect()
}
