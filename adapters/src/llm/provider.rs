//! The providers that models are reached through: their names, where they listen, and where their keys are looked for.

use genai::adapter::AdapterKind;

/// Who runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// `OpenAI`, and every server that speaks its chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// An Ollama server, by its own protocol.
    Ollama,
}

impl Provider {
    /// All providers, in the order in which they are named to people.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Returns the provider's name, as settings and the command line write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the provider of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }

    /// Returns the environment variable that holds the key by custom; `None` where none is needed.
    pub const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama => None,
        }
    }

    /// Returns where the provider listens.
    pub const fn url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/",
        }
    }

    /// Returns the path under which servers of this kind listen, for addresses that name only a host.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic => "/v1/",
            Self::Gemini => "/v1beta/",
            Self::Ollama => "/",
        }
    }

    pub(super) const fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Gemini => AdapterKind::Gemini,
            Self::Ollama => AdapterKind::Ollama,
        }
    }

    /// Tells whether a stream that ends is only over if it says so in its frames: the client library makes up an end
    /// for these, also where the connection broke.
    pub(super) const fn tells_its_end(self) -> bool {
        match self {
            Self::OpenAi | Self::Anthropic => false,
            Self::Gemini | Self::Ollama => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_found_by_the_name_it_has() {
        for provider in Provider::ALL {
            assert_eq!(Provider::named(provider.as_str()), Some(provider));
        }
        assert_eq!(Provider::named("OpenAI"), None);
    }
}
