//! What a model behind a network needs to be reached, checked before anything is sent.

use std::{fmt, time::Duration};

use reqwest::Url;

use crate::llm::Provider;

/// How long a call may take, unless the configuration says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// How to reach a model.
#[derive(Debug, Clone)]
pub struct Config {
    /// Who runs it.
    pub provider: Provider,
    /// The model's name, as the provider knows it.
    pub model: String,
    /// Where it is reached.
    pub address: Address,
    /// The key; `None` where the server asks for none.
    pub key: Option<Key>,
    /// How long one call may take, from the connection to the last word.
    pub timeout: Duration,
}

/// Where a model is reached: the part of its address that all requests share, ending in `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

/// A key. It shows in no log, no error and no `Debug`.
#[derive(Clone)]
pub struct Key(String);

/// An address that no request can be sent to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It cannot be read.
    #[error("`{0}` is no address; write it as http://HOST:PORT or https://HOST/PATH")]
    Unreadable(String),
    /// It asks for another protocol than HTTP.
    #[error("`{0}` is no HTTP address; it must begin with http:// or https://")]
    NotHttp(String),
    /// It carries a user name, a password, a query or a fragment.
    #[error("the address of a model has a host and a path and nothing else; a key goes into an environment variable")]
    TooMuch,
}

/// Something that cannot be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// It holds what no request header can carry.
    #[error("it holds a space, a line break or a character that no header can carry")]
    Unsendable,
}

impl Address {
    /// Returns where a provider listens by custom.
    pub fn of(provider: Provider) -> Self {
        Self(Url::parse(provider.url()).expect("the addresses of the providers are tested"))
    }

    /// Reads an address. One without a path gets the path that servers of this provider's kind listen under.
    ///
    /// # Errors
    ///
    /// [`AddressError`].
    pub fn parse(text: &str, provider: Provider) -> Result<Self, AddressError> {
        let mut url = Url::parse(text.trim()).map_err(|_| AddressError::Unreadable(text.to_owned()))?;
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::TooMuch);
        }
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(AddressError::NotHttp(text.to_owned()));
        }
        let path = match url.path() {
            "" | "/" => provider.path().to_owned(),
            path => format!("{}/", path.trim_end_matches('/')),
        };
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Tells whether the address is on this machine, where no proxy belongs between.
    pub fn is_local(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Tells whether requests go there in the open.
    pub fn is_plain(&self) -> bool {
        self.0.scheme() == "http"
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Key {
    /// Takes a key; white space around it, as files end with, is not part of it.
    ///
    /// # Errors
    ///
    /// [`KeyError`], without the key.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(KeyError::Unsendable);
        }
        Ok(Self(text.to_owned()))
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_path_gets_the_one_of_its_kind() {
        let table = [
            ("http://127.0.0.1:8080", Provider::OpenAi, "http://127.0.0.1:8080/v1/"),
            ("http://127.0.0.1:8080/", Provider::Anthropic, "http://127.0.0.1:8080/v1/"),
            ("http://127.0.0.1:8080", Provider::Gemini, "http://127.0.0.1:8080/v1beta/"),
            ("http://box:11434", Provider::Ollama, "http://box:11434/"),
            ("https://gateway.example/llm/v2", Provider::OpenAi, "https://gateway.example/llm/v2/"),
            (" https://gateway.example/llm/ ", Provider::OpenAi, "https://gateway.example/llm/"),
        ];
        for (text, provider, expected) in table {
            assert_eq!(Address::parse(text, provider).unwrap().as_str(), expected, "{text}");
        }
        for provider in Provider::ALL {
            assert_eq!(Address::parse(provider.url(), provider), Ok(Address::of(provider)));
        }
    }

    #[test]
    fn an_address_that_nothing_can_be_sent_to_is_refused_with_what_to_write() {
        let read = |text| Address::parse(text, Provider::OpenAi).unwrap_err();
        assert_eq!(read("localhost"), AddressError::Unreadable("localhost".to_owned()));
        assert_eq!(read("localhost:8080"), AddressError::NotHttp("localhost:8080".to_owned()));
        assert_eq!(read("ftp://host/"), AddressError::NotHttp("ftp://host/".to_owned()));
        for text in ["https://me:secret@host/", "https://host/?key=secret", "https://host/#top"] {
            assert_eq!(read(text), AddressError::TooMuch, "{text}");
            assert!(!read(text).to_string().contains("secret"));
        }
    }

    #[test]
    fn only_addresses_on_this_machine_are_local() {
        let local = |text| Address::parse(text, Provider::OpenAi).unwrap().is_local();
        assert!(local("http://localhost:1") && local("http://127.0.0.9:1") && local("http://[::1]:1"));
        assert!(!local("http://10.0.0.1:1") && !local("https://localhost.example"));
    }

    #[test]
    fn a_key_is_trimmed_checked_and_never_shown() {
        let key = Key::new("sk-123\n").unwrap();
        assert_eq!((key.reveal(), format!("{key:?}").as_str()), ("sk-123", "Key(…)"));
        assert_eq!(Key::new(" \n").unwrap_err(), KeyError::Empty);
        assert_eq!(Key::new("sk 1").unwrap_err(), KeyError::Unsendable);
    }
}
