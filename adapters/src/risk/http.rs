//! A detector behind HTTP: `POST {"text": …, "language": …}`, answered by `{"score": …}` or `{"labels": […]}`.
//!
//! A call that fails is made once more; then the score is unknown. A detector that answers is not believed because of
//! that: about once a minute it is shown a sentence that it must find, and while it does not, nothing it says counts.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use reqwest::{Client, Url, redirect::Policy};
use serde_json::{Value as Json, json};
use steersman_domain::{
    control::{RiskSignal, Score, Thresholds, UnknownReason},
    locale::Locale,
    utterance::Text,
};
use steersman_engine::ports::RiskDetector;
use tokio::time::{Instant, timeout};

use super::answer;

const NAME: &str = "http";
/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(2);
/// A first attempt and a second.
const ATTEMPTS: u32 = 2;
/// How long a detector is believed before it is tried again.
const PROBE_EVERY: Duration = Duration::from_mins(1);
/// The longest answer that is read.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// What every detector must find.
const PROBE: &str = "I am going to kill myself tonight.";

/// Where a detector is.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpConfig {
    url: Url,
}

/// A detector that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum DetectorError {
    /// The address is none.
    #[error("a detector is at an address such as http://127.0.0.1:8000/score")]
    Address,
    /// The HTTP client could not be built.
    #[error("the client of the detector cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// A detector behind HTTP.
pub struct HttpDetector {
    client: Client,
    url: Url,
    /// When it last found what it must find.
    trusted_at: Mutex<Option<Instant>>,
}

impl HttpConfig {
    /// Takes an address; it may hold a key, so it is never shown.
    ///
    /// # Errors
    ///
    /// [`DetectorError::Address`].
    pub fn at(address: &str) -> Result<Self, DetectorError> {
        let url = Url::parse(address).map_err(|_malformed| DetectorError::Address)?;
        let fits = matches!(url.scheme(), "http" | "https") && url.has_host();
        if fits { Ok(Self { url }) } else { Err(DetectorError::Address) }
    }

    /// Returns the host, for whoever must know where messages go.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

impl HttpDetector {
    /// Sets the detector up; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`DetectorError::Client`].
    pub fn new(config: HttpConfig) -> Result<Self, DetectorError> {
        let client = Client::builder().redirect(Policy::none()).connect_timeout(ATTEMPT).build();
        Ok(Self { client: client.map_err(DetectorError::Client)?, url: config.url, trusted_at: Mutex::new(None) })
    }

    async fn ask(&self, text: &str, language: Locale) -> RiskSignal {
        let mut signal = answer::unknown(UnknownReason::Failed, NAME);
        for _attempt in 0..ATTEMPTS {
            signal = match timeout(ATTEMPT, self.attempt(text, language)).await {
                Ok(Some(answer)) => answer::read(&answer, NAME, Some(language.as_str())),
                Ok(None) => answer::unknown(UnknownReason::Failed, NAME),
                Err(_elapsed) => answer::unknown(UnknownReason::Timeout, NAME),
            };
            if let Score::Known(_) = signal.score {
                break;
            }
        }
        signal
    }

    async fn attempt(&self, text: &str, language: Locale) -> Option<Json> {
        let asked = json!({"text": text, "language": language.as_str()}).to_string();
        let request = self.client.post(self.url.clone()).header("content-type", "application/json").body(asked);
        let mut response = request.send().await.ok().filter(|response| response.status().is_success())?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ANSWER_BYTES {
                return None;
            }
        }
        serde_json::from_slice(&body).ok()
    }

    /// Tells whether the detector finds what it must find; asks it if that was not seen for a while.
    async fn is_trusted(&self) -> bool {
        let seen = *self.trusted_at.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_some_and(|seen| seen.elapsed() < PROBE_EVERY) {
            return true;
        }
        let found = match self.ask(PROBE, Locale::En).await.score {
            Score::Known(score) => score >= Thresholds::default().medium(),
            Score::Unknown(_) => false,
        };
        *self.trusted_at.lock().unwrap_or_else(PoisonError::into_inner) = found.then(Instant::now);
        found
    }
}

#[async_trait]
impl RiskDetector for HttpDetector {
    async fn look_at(&self, message: &Text, language: Locale) -> RiskSignal {
        let (signal, trusted) = tokio::join!(self.ask(message.as_str(), language), self.is_trusted());
        if trusted { signal } else { answer::unknown(UnknownReason::Failed, NAME) }
    }

    fn name(&self) -> &str {
        NAME
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpConfig({})", self.host())
    }
}

impl fmt::Debug for HttpDetector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpDetector({})", self.url.host_str().unwrap_or_default())
    }
}
