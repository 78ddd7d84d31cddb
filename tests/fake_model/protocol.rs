//! How each provider writes a stream, its end and its errors.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::answer::{Answer, Fault};

/// The characters of one piece of a reply: few, so that keys, escapes and characters are cut in two.
const PIECE_CHARS: usize = 5;
/// The length of an endless thought's pieces.
const THOUGHT_BYTES: usize = 64 * 1024;
const JSON: &str = "application/json";

/// How a provider's API speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
    /// `streamGenerateContent`.
    Gemini,
    /// Ollama's own chat.
    Ollama,
}

/// An answer, ready to be sent.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) status: StatusCode,
    pub(super) kind: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) frames: Vec<String>,
    pub(super) ending: Ending,
}

/// How a body ends.
#[derive(Debug)]
pub(super) enum Ending {
    /// As it should.
    Whole,
    /// With the connection.
    BrokenOff,
    /// Not at all: this is sent again and again.
    Endless(String),
}

/// Why a reply ends.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Done,
    OutOfTokens,
    Refused,
}

impl Protocol {
    /// Returns the protocol that is spoken at a path.
    pub fn of_path(path: &str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self::OpenAi)
        } else if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else if path.ends_with("/api/chat") {
            Some(Self::Ollama)
        } else {
            None
        }
    }

    /// Writes an answer to a request.
    pub(super) fn write(self, answer: &Answer, asked: &Value) -> Written {
        let model = asked.get("model").and_then(Value::as_str).unwrap_or("fake");
        let half = r#"{"reply": "This is only half of"#;
        match answer {
            Answer::Says(text) => self.stream(self.told(model, text, Some(Stop::Done)), Ending::Whole),
            Answer::Fails(fault) => match fault {
                Fault::RateLimited { retry_after } => {
                    let headers = retry_after.iter().map(|value| ("retry-after", value.clone())).collect();
                    Written { headers, ..self.error(StatusCode::TOO_MANY_REQUESTS, &quoting(asked)) }
                }
                Fault::Broken => self.error(StatusCode::INTERNAL_SERVER_ERROR, &quoting(asked)),
                Fault::BadKey => self.error(StatusCode::UNAUTHORIZED, &quoting(asked)),
                Fault::NoModel => self.error(StatusCode::NOT_FOUND, &quoting(asked)),
                Fault::Objects(complaint) => self.error(StatusCode::BAD_REQUEST, complaint),
                Fault::Cut | Fault::Silent => self.stream(self.told(model, half, None), Ending::BrokenOff),
                Fault::ErrorObject => {
                    let mut frames = self.told(model, half, None);
                    let error = self.error_object(StatusCode::INTERNAL_SERVER_ERROR, &quoting(asked));
                    frames.push(self.frame("error", &error));
                    self.stream(frames, Ending::Whole)
                }
                Fault::ErrorBody => {
                    let error = self.error(StatusCode::INTERNAL_SERVER_ERROR, &quoting(asked));
                    Written { status: StatusCode::OK, ..error }
                }
                Fault::Refusal => self.stream(self.refusal(model), Ending::Whole),
                Fault::Empty => self.stream(self.told(model, "", Some(Stop::Done)), Ending::Whole),
                Fault::OutOfTokens => self.stream(self.told(model, half, Some(Stop::OutOfTokens)), Ending::Whole),
                Fault::Endless => {
                    let piece = self.piece(model, &"and on ".repeat(512));
                    self.stream(self.told(model, half, None), Ending::Endless(piece))
                }
                Fault::EndlessThought => {
                    let thought = self.thought(model, &"hm".repeat(THOUGHT_BYTES / 2));
                    self.stream(self.told(model, "", None), Ending::Endless(thought))
                }
                Fault::Elsewhere => Written {
                    headers: vec![("location", "/elsewhere/v1/chat/completions".to_owned())],
                    ..self.error(StatusCode::TEMPORARY_REDIRECT, &quoting(asked))
                },
                Fault::WebPage => Written {
                    kind: "text/html",
                    ..self.stream(vec!["<html><body>Please log in.</body></html>\n".to_owned()], Ending::Whole)
                },
            },
        }
    }

    fn stream(self, frames: Vec<String>, ending: Ending) -> Written {
        let kind = match self {
            Self::OpenAi | Self::Anthropic | Self::Gemini => "text/event-stream",
            Self::Ollama => "application/x-ndjson",
        };
        Written { status: StatusCode::OK, kind, headers: Vec::new(), frames, ending }
    }

    fn error(self, status: StatusCode, message: &str) -> Written {
        let body = self.error_object(status, message).to_string();
        Written { status, kind: JSON, headers: Vec::new(), frames: vec![body], ending: Ending::Whole }
    }

    fn error_object(self, status: StatusCode, message: &str) -> Value {
        let named = match status.as_u16() {
            429 => "rate_limit_error",
            401 => "authentication_error",
            404 => "not_found_error",
            400 => "invalid_request_error",
            _ => "server_error",
        };
        match self {
            Self::OpenAi => json!({"error": {"message": message, "type": named, "code": null}}),
            Self::Anthropic => json!({"type": "error", "error": {"type": named, "message": message}}),
            Self::Gemini => {
                let named = if status == StatusCode::TOO_MANY_REQUESTS { "RESOURCE_EXHAUSTED" } else { "INTERNAL" };
                json!({"error": {"code": status.as_u16(), "message": message, "status": named}})
            }
            Self::Ollama => json!({"error": message}),
        }
    }

    /// Writes a reply in pieces; without a stop it is left open.
    fn told(self, model: &str, text: &str, stop: Option<Stop>) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters.chunks(PIECE_CHARS).map(|piece| self.piece(model, &piece.iter().collect::<String>()));
        let mut frames = self.beginning(model);
        frames.extend(pieces);
        if let Some(stop) = stop {
            frames.extend(self.end(model, stop, text.len()));
        }
        frames
    }

    fn beginning(self, model: &str) -> Vec<String> {
        match self {
            Self::OpenAi => {
                vec![self.frame("", &completion(model, &json!({"role": "assistant", "content": ""}), None))]
            }
            Self::Anthropic => {
                let message = json!({"role": "assistant", "model": model, "content": [], "usage": {"input_tokens": 21, "output_tokens": 1}});
                let block =
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
                vec![
                    self.frame("message_start", &json!({"type": "message_start", "message": message})),
                    self.frame("content_block_start", &block),
                    self.frame("ping", &json!({"type": "ping"})),
                ]
            }
            Self::Gemini | Self::Ollama => Vec::new(),
        }
    }

    fn piece(self, model: &str, text: &str) -> String {
        match self {
            Self::OpenAi => self.frame("", &completion(model, &json!({"content": text, "refusal": null}), None)),
            Self::Anthropic => {
                let delta = json!({"type": "text_delta", "text": text});
                self.frame("content_block_delta", &json!({"type": "content_block_delta", "index": 0, "delta": delta}))
            }
            Self::Gemini => self.frame("", &candidate(&[json!({"text": text})], None)),
            Self::Ollama => self
                .frame("", &json!({"model": model, "message": {"role": "assistant", "content": text}, "done": false})),
        }
    }

    fn thought(self, model: &str, text: &str) -> String {
        match self {
            Self::OpenAi => self.frame("", &completion(model, &json!({"reasoning_content": text}), None)),
            Self::Anthropic => self.frame("ping", &json!({"type": "ping", "rest": text})),
            Self::Gemini => self.frame("", &candidate(&[json!({"text": text, "thought": true})], None)),
            Self::Ollama => self.frame("", &json!({"model": model, "message": {"thinking": text}, "done": false})),
        }
    }

    fn end(self, model: &str, stop: Stop, tokens: usize) -> Vec<String> {
        let reason = self.reason(stop);
        match self {
            Self::OpenAi => {
                let usage = json!({"model": model, "choices": [], "usage": {"prompt_tokens": 21, "completion_tokens": tokens, "total_tokens": 21 + tokens}});
                vec![
                    self.frame("", &completion(model, &json!({}), Some(reason))),
                    self.frame("", &usage),
                    "data: [DONE]\n\n".to_owned(),
                ]
            }
            Self::Anthropic => {
                let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": tokens}});
                vec![
                    self.frame("content_block_stop", &json!({"type": "content_block_stop", "index": 0})),
                    self.frame("message_delta", &delta),
                    self.frame("message_stop", &json!({"type": "message_stop"})),
                ]
            }
            Self::Gemini => {
                let mut last = candidate(&[], Some(reason));
                last["usageMetadata"] =
                    json!({"promptTokenCount": 21, "candidatesTokenCount": tokens, "totalTokenCount": 21 + tokens});
                vec![self.frame("", &last)]
            }
            Self::Ollama => vec![self.frame("", &json!({
                "model": model, "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
                "prompt_eval_count": 21, "eval_count": tokens,
            }))],
        }
    }

    fn refusal(self, model: &str) -> Vec<String> {
        let mut frames = self.beginning(model);
        match self {
            Self::OpenAi => {
                frames.push(self.frame("", &completion(model, &json!({"refusal": "I cannot help with that."}), None)));
                frames.extend(self.end(model, Stop::Done, 0));
            }
            Self::Anthropic => frames.extend(self.end(model, Stop::Refused, 0)),
            Self::Gemini => {
                frames.push(self.frame("", &json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})));
            }
            // This one has no word for it: whatever the model says is a reply.
            Self::Ollama => frames.extend(self.told(model, "I cannot help with that.", Some(Stop::Done))),
        }
        frames
    }

    const fn reason(self, stop: Stop) -> &'static str {
        match (self, stop) {
            (Self::OpenAi | Self::Ollama, Stop::Done) => "stop",
            (Self::OpenAi | Self::Ollama, Stop::OutOfTokens) => "length",
            (Self::OpenAi | Self::Ollama, Stop::Refused) => "content_filter",
            (Self::Anthropic, Stop::Done) => "end_turn",
            (Self::Anthropic, Stop::OutOfTokens) => "max_tokens",
            (Self::Anthropic, Stop::Refused) => "refusal",
            (Self::Gemini, Stop::Done) => "STOP",
            (Self::Gemini, Stop::OutOfTokens) => "MAX_TOKENS",
            (Self::Gemini, Stop::Refused) => "SAFETY",
        }
    }

    fn frame(self, event: &str, data: &Value) -> String {
        match self {
            Self::OpenAi | Self::Gemini => format!("data: {data}\n\n"),
            Self::Anthropic => format!("event: {event}\ndata: {data}\n\n"),
            Self::Ollama => format!("{data}\n"),
        }
    }
}

fn completion(model: &str, delta: &Value, finish: Option<&str>) -> Value {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    json!({"id": "fake", "object": "chat.completion.chunk", "model": model, "choices": [choice]})
}

fn candidate(parts: &[Value], finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    json!({"candidates": [candidate]})
}

/// Complains the way providers do: by quoting what was asked.
fn quoting(asked: &Value) -> String {
    format!("this went wrong: {asked}")
}
