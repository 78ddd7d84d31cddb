//! Writes a prompt as a request, in the form that the server takes: what a server objects to is left out next time.

use std::{sync::Arc, time::Duration};

use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, JsonSpec, ReasoningEffort};
use steersman_engine::turn::{Prompt, Role};

use super::{frames::Frames, schema};
use crate::llm::Provider;

/// The name that a schema has to have.
const SCHEMA_NAME: &str = "reply";
/// What servers call the parameters that hold a model to a form, in small letters and as they stand in complaints.
const FORM_WORDS: [&str; 8] = [
    "response_format",
    "json_schema",
    "output_config",
    "output_format",
    "responsejsonschema",
    "response_json_schema",
    "responsemimetype",
    "response_mime_type",
];

/// What a request asks for beyond words. Starts with everything and only ever asks for less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    shape: Shape,
    temperature: Temperature,
}

/// How the model is held to the form of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// By a JSON Schema.
    Schema,
    /// To be JSON; which, the instruction says.
    Json,
    /// By the instruction alone.
    Words,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Temperature {
    /// As the route says.
    Ours,
    /// As the model has it: some take no other.
    Theirs,
}

impl Form {
    /// Everything that there is.
    pub(super) const FULL: Self = Self { shape: Shape::Schema, temperature: Temperature::Ours };

    /// Returns the next form to try after a server did not accept a request, by the words of its complaint; `None` if
    /// it complains about something that cannot be left out.
    pub(super) fn after(self, complaint: &str) -> Option<Self> {
        let complaint = complaint.to_lowercase();
        if FORM_WORDS.iter().any(|word| complaint.contains(word)) {
            return match self.shape {
                Shape::Schema => Some(Self { shape: Shape::Json, ..self }),
                Shape::Json => Some(Self { shape: Shape::Words, ..self }),
                Shape::Words => None,
            };
        }
        match self.temperature {
            Temperature::Ours if complaint.contains("temperature") => {
                Some(Self { temperature: Temperature::Theirs, ..self })
            }
            Temperature::Ours | Temperature::Theirs => None,
        }
    }

    fn response_format(self, schema: &serde_json::Value, provider: Provider) -> Option<ChatResponseFormat> {
        match (self.shape, provider) {
            (Shape::Words, _) => None,
            // The client library passes no schema on to Ollama.
            (Shape::Json, _) | (Shape::Schema, Provider::Ollama) => Some(ChatResponseFormat::JsonMode),
            (Shape::Schema, Provider::OpenAi | Provider::Anthropic | Provider::Gemini) => {
                Some(match schema::fitted(schema, provider) {
                    Some(schema) => JsonSpec::new(SCHEMA_NAME, schema).into(),
                    None => ChatResponseFormat::JsonMode,
                })
            }
        }
    }
}

/// Returns what is said to the model.
pub(super) fn messages(prompt: &Prompt) -> ChatRequest {
    let messages = prompt.messages.iter().map(|message| {
        let text = message.text.as_str();
        match message.role {
            Role::System => ChatMessage::system(text),
            Role::User => ChatMessage::user(text),
            Role::Assistant => ChatMessage::assistant(text),
        }
    });
    ChatRequest::new(messages.collect())
}

/// Returns how it is to be answered.
pub(super) fn options(
    prompt: &Prompt,
    provider: Provider,
    form: Form,
    timeout: Duration,
    frames: &Arc<Frames>,
) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_max_tokens(prompt.max_tokens)
        .with_capture_usage(true)
        .with_stream_header_timeout(timeout)
        .with_stream_read_timeout(timeout)
        .with_raw_frame_sink_arc(Arc::clone(frames) as _);
    if form.temperature == Temperature::Ours {
        options = options.with_temperature(prompt.temperature);
    }
    if let Some(format) = form.response_format(&prompt.schema, provider) {
        options = options.with_response_format(format);
    }
    if provider == Provider::OpenAi {
        // Otherwise the client library takes the end of names such as `qwen-max` for an effort and cuts it off. A
        // budget is the one effort that this protocol cannot say, so that nothing is sent.
        options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_asks_for_less_by_what_the_server_complains_about() {
        let json = Form { shape: Shape::Json, ..Form::FULL };
        let words = Form { shape: Shape::Words, ..Form::FULL };
        let theirs = Form { temperature: Temperature::Theirs, ..Form::FULL };
        let table = [
            (Form::FULL, "Invalid parameter: 'response_format' of type 'json_schema'", Some(json)),
            (json, "response_format is not supported", Some(words)),
            (words, "response_format is not supported", None),
            (Form::FULL, "output_config: Extra inputs are not permitted", Some(json)),
            (Form::FULL, "Unknown name \"responseJsonSchema\" at 'generation_config'", Some(json)),
            (Form::FULL, "Unsupported value: 'temperature' does not support 0.15", Some(theirs)),
            (theirs, "Unsupported value: 'temperature'", None),
            (Form::FULL, "maximum context length exceeded", None),
        ];
        for (form, complaint, expected) in table {
            assert_eq!(form.after(complaint), expected, "{complaint}");
        }
    }
}
