//! Models behind a network: `OpenAI`, Anthropic, Gemini and Ollama, and every server that speaks like one of them.
//!
//! When the other side fails, nothing is made up and nothing is tried again here: a call ends in one of the session's
//! faults, with the wait that the provider asked for, and the session decides whether there is another attempt within
//! the turn's time. What arrived before a fault is void. A server that is slow, silent or endless is left after the
//! configured time, one that sends too much after [`MAX_STREAM_BYTES`]; a redirect is not followed, since the key would
//! go along. Only one thing is asked again at once: a request that the server rejected for its form goes out without
//! the part it objected to, so that servers without structured output are held to a reply by the instruction alone.
//!
//! Every call is a stream, also where nobody reads along: one path, bounded from its first byte on. The client library
//! logs what providers send, and that may quote the conversation; while it works, its logs go nowhere.

mod config;
mod fault;
mod frames;
mod request;
mod retry_after;
mod schema;

use std::{
    fmt,
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};

use async_trait::async_trait;
use futures_util::StreamExt;
use genai::{
    Client, ModelIden, ServiceTarget,
    chat::{ChatStream, ChatStreamEvent, StopReason, StreamEnd},
    resolver::{AuthData, Endpoint},
};
use steersman_domain::{control::ModelPermit, reply::MAX_RAW_BYTES, utterance::Text};
use steersman_engine::{
    ports::{Completion, Deltas, LanguageModel, ModelError},
    turn::Prompt,
};
use tracing::{instrument::WithSubscriber, subscriber::NoSubscriber};

pub use self::{
    config::{Address, AddressError, Config, DEFAULT_TIMEOUT, Key, KeyError},
    fault::Cause,
};
use self::{fault::Failed, frames::Frames, request::Form};

/// The most bytes that are read of one stream. A reply may have [`MAX_RAW_BYTES`]; each word comes in a frame that is
/// many times as long, and some models think aloud first.
pub const MAX_STREAM_BYTES: usize = 8 * 1024 * 1024;
/// The longest wait for a connection, within the time of the call.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// What is sent in place of a key to servers that ask for none: the client library insists on one.
const NO_KEY: &str = "none";

/// Who is told about calls that failed, beside the session.
pub type Tell = Arc<dyn Fn(&Trouble) + Send + Sync>;

/// A call that failed, for whoever runs the program. Holds nothing of what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The model, as `PROVIDER:MODEL`.
    pub model: String,
    /// What went wrong.
    pub cause: Cause,
}

/// Why a model cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// No TLS provider was installed before.
    #[error("no TLS provider was installed")]
    NoTls,
    /// The HTTP client cannot be built, as without any root certificate.
    #[error("the HTTP client cannot be set up; are the system's root certificates installed?")]
    Client(#[source] reqwest::Error),
    /// The client library refused it.
    #[error("the model client cannot be set up")]
    Library,
}

/// A model behind a network.
pub struct RemoteModel {
    config: Config,
    name: String,
    client: Client,
    form: Mutex<Form>,
    tell: Tell,
}

impl RemoteModel {
    /// Sets up a model; nothing is sent yet. The process must have its TLS provider, see [`crate::host::install_tls`].
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn new(config: Config, tell: Tell) -> Result<Self, SetupError> {
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            return Err(SetupError::NoTls);
        }
        let mut http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT.min(config.timeout))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_gzip()
            .tcp_nodelay(true);
        if config.address.is_local() {
            http = http.no_proxy();
        }
        if config.address.is_plain() {
            // No certificate is ever looked at, and reading those of the system takes a while.
            http = http.tls_certs_only([]);
        }
        let http = http.build().map_err(SetupError::Client)?;
        let client = Client::builder().with_reqwest(http).build().map_err(|_| SetupError::Library)?;
        let name = format!("{}:{}", config.provider.as_str(), config.model);
        Ok(Self { config, name, client, form: Mutex::new(Form::FULL), tell })
    }

    /// Asks in the form that the server took last, and in a lesser one for as long as it objects to the form.
    async fn ask(&self, prompt: &Prompt, deltas: Option<Deltas>) -> Result<Completion, ModelError> {
        let mut form = *self.form.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = async {
            loop {
                match self.attempt(prompt, form, deltas.as_ref()).await {
                    Ok(completion) => return Ok((completion, form)),
                    // Ends, because every form asks for less than the one before.
                    Err(failed) => match failed.complaint.as_deref().and_then(|complaint| form.after(complaint)) {
                        Some(less) => form = less,
                        None => return Err(failed),
                    },
                }
            }
        };
        let asked = tokio::time::timeout(self.config.timeout, asked).with_subscriber(NoSubscriber::new());
        match asked.await.unwrap_or_else(|_| Err(Failed::slow())) {
            Ok((completion, form)) => {
                *self.form.lock().unwrap_or_else(PoisonError::into_inner) = form;
                Ok(completion)
            }
            Err(Failed { fault, retry_after, cause, complaint: _ }) => {
                (self.tell)(&Trouble { model: self.name.clone(), cause });
                Err(ModelError::Failed { fault, retry_after })
            }
        }
    }

    async fn attempt(&self, prompt: &Prompt, form: Form, deltas: Option<&Deltas>) -> Result<Completion, Failed> {
        let frames = Arc::new(Frames::default());
        let options = request::options(prompt, self.config.provider, form, self.config.timeout, &frames);
        let sent = self.client.exec_chat_stream(self.target(), request::messages(prompt), Some(&options)).await;
        let mut stream = sent.map_err(|error| self.failed(error, ""))?.stream;
        let mut text = String::new();
        let mut end = None;
        while end.is_none() && text.len() <= MAX_RAW_BYTES {
            match next(&mut stream, &frames).await? {
                None => break,
                Some(Ok(ChatStreamEvent::Chunk(chunk))) => {
                    text.push_str(&chunk.content);
                    if let Some(deltas) = deltas {
                        // Nobody may be reading any more; the completion is what counts.
                        let _unread = deltas.send(chunk.content).await.is_err();
                    }
                }
                Some(Ok(ChatStreamEvent::End(ended))) => end = Some(ended),
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    let seen = frames.seen();
                    return Err(match seen.error {
                        _ if seen.refused => Failed::refused(),
                        Some(error) => Failed::by_error(&error),
                        None => self.failed(error, &text),
                    });
                }
            }
        }
        self.judged(text, end, &frames)
    }

    /// Decides whether what arrived is a reply. One that is too long is passed on as far as it was read: how much of it
    /// counts is not decided here.
    fn judged(&self, text: String, end: Option<StreamEnd>, frames: &Frames) -> Result<Completion, Failed> {
        let seen = frames.seen();
        let stop = end.as_ref().and_then(|end| end.captured_stop_reason.as_ref());
        if seen.refused || matches!(stop, Some(StopReason::ContentFilter(_))) {
            return Err(Failed::refused());
        }
        if let Some(error) = &seen.error {
            return Err(Failed::by_error(error));
        }
        if text.len() <= MAX_RAW_BYTES {
            if matches!(stop, Some(StopReason::MaxTokens(_))) {
                return Err(Failed::too_long());
            }
            let is_whole = seen.finished || (end.is_some() && !self.config.provider.tells_its_end());
            if !is_whole {
                return Err(if seen.bytes == 0 { Failed::not_the_protocol() } else { Failed::broken_off() });
            }
            if text.trim().is_empty() {
                return Err(Failed::empty());
            }
        }
        let usage = end.and_then(|end| end.captured_usage).unwrap_or_default();
        let tokens = |count: Option<i32>| count.and_then(|count| u32::try_from(count).ok());
        Ok(Completion {
            text: Text::new(text),
            model: self.name.clone(),
            tokens_in: tokens(usage.prompt_tokens),
            tokens_out: tokens(usage.completion_tokens),
        })
    }

    fn failed(&self, error: genai::Error, text: &str) -> Failed {
        Failed::by_library(error, self.config.address.as_str(), !text.is_empty())
    }

    fn target(&self) -> ServiceTarget {
        let key = self.config.key.as_ref().map_or(NO_KEY, Key::reveal);
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.config.address.as_str()),
            auth: AuthData::from_single(key),
            model: ModelIden::new(self.config.provider.adapter(), self.config.model.as_str()),
        }
    }
}

#[async_trait]
impl LanguageModel for RemoteModel {
    async fn complete(&self, _: ModelPermit, prompt: &Prompt) -> Result<Completion, ModelError> {
        self.ask(prompt, None).await
    }

    async fn stream(&self, _: ModelPermit, prompt: &Prompt, deltas: Deltas) -> Result<Completion, ModelError> {
        self.ask(prompt, Some(deltas)).await
    }

    fn is_paid(&self) -> bool {
        true
    }
}

impl fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteModel").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.model, self.cause)
    }
}

/// Waits for the next event, and looks at each step how much was read: frames that come to nothing give no event.
async fn next(stream: &mut ChatStream, frames: &Frames) -> Result<Option<genai::Result<ChatStreamEvent>>, Failed> {
    poll_fn(|context| {
        let next = stream.poll_next_unpin(context);
        if frames.bytes() > MAX_STREAM_BYTES { Poll::Ready(Err(Failed::too_long())) } else { next.map(Ok) }
    })
    .await
}
