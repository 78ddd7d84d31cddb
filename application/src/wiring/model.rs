//! Reads who is to write the words, and sets that model up: one way for every command that needs a model.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use steersman_adapters::llm::{
    Address, Config, DEFAULT_TIMEOUT, Key, Provider, RecordedReplies, RemoteModel, Tell, Understudy,
};
use steersman_domain::nearest::nearest;
use steersman_engine::ports::LanguageModel;

use crate::{
    config::{Environment, NamedModel, Prices, Settings, unknown_provider},
    failure::Failure,
    terminal::Terminal,
};

/// The model that speaks where none is chosen.
const DEFAULT: &str = "offline";

/// Who was chosen to write the words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelChoice<'a> {
    llm: &'a str,
    url: Option<&'a str>,
    url_is_a_flag: bool,
    settings: &'a Settings,
    environment: &'a Environment,
}

/// A model that is set up.
#[derive(Debug)]
pub(crate) struct ChosenModel {
    /// What it was chosen by.
    pub(crate) name: String,
    /// It.
    pub(crate) model: Arc<dyn LanguageModel>,
    /// How long a call may take, if that is configured.
    pub(crate) timeout: Option<Duration>,
    /// What it costs, if that is configured.
    pub(crate) prices: Option<Prices>,
}

impl ChosenModel {
    /// The understudy, for whoever needs no words.
    pub(crate) fn offline() -> Self {
        Self { name: DEFAULT.to_owned(), model: Arc::new(Understudy), timeout: None, prices: None }
    }
}

/// A model behind a network, before its address and key are known.
struct Wanted<'a> {
    provider: Provider,
    model: &'a str,
    named: Option<&'a NamedModel>,
}

impl<'a> ModelChoice<'a> {
    /// Chooses by the flags `--llm` and `--llm-url`, else by the settings. An address belongs to the model that it was
    /// set with: the key of one provider never goes to the address of another.
    pub(crate) fn new(
        llm: Option<&'a str>,
        url: Option<&'a str>,
        settings: &'a Settings,
        environment: &'a Environment,
    ) -> Self {
        let of_settings = settings.llm_url.as_deref().filter(|_| llm.is_none());
        Self {
            llm: llm.or(settings.llm.as_deref()).unwrap_or(DEFAULT),
            url: url.or(of_settings),
            url_is_a_flag: url.is_some(),
            settings,
            environment,
        }
    }

    /// Sets the model up; nothing is sent yet. What goes wrong with its calls later is said on standard error.
    ///
    /// # Errors
    ///
    /// A model that there is not, with the nearest name; an address that cannot be; a key that is missing.
    pub(crate) fn set_up(&self, terminal: &Terminal) -> Result<ChosenModel, Failure> {
        if let Some(local) = self.local()? {
            if self.url_is_a_flag {
                return Err(Failure::Usage(format!("--llm-url: `{}` is reached at no address", self.llm)));
            }
            return Ok(ChosenModel { name: self.llm.to_owned(), model: local, timeout: None, prices: None });
        }
        let wanted = self.wanted()?;
        let config = self.config(&wanted)?;
        terminal.note(&format!(
            "note: what is said goes to {}:{} at {}",
            config.provider.as_str(),
            config.model,
            config.address
        ));
        if config.key.is_some() && config.address.is_plain() && !config.address.is_local() {
            terminal.note(&format!("note: the key goes to {} unencrypted", config.address));
        }
        let model = RemoteModel::new(config, tell(terminal.clone()))
            .map_err(|error| Failure::Environment(format!("{}: {error}", self.llm)))?;
        Ok(ChosenModel {
            name: self.llm.to_owned(),
            model: Arc::new(model),
            timeout: wanted.named.and_then(NamedModel::timeout),
            prices: wanted.named.and_then(NamedModel::prices),
        })
    }

    /// Returns a model that needs no network, if that was chosen.
    fn local(&self) -> Result<Option<Arc<dyn LanguageModel>>, Failure> {
        match self.llm.split_once(':') {
            None if self.llm == DEFAULT => Ok(Some(Arc::new(Understudy))),
            Some(("replies", file)) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| Failure::file("cannot read", Path::new(file), &error))?;
                let replies = RecordedReplies::parse(&text);
                let replies = replies.map_err(|error| Failure::Usage(format!("{file}: {error}")))?;
                Ok(Some(Arc::new(replies)))
            }
            Some(_) | None => Ok(None),
        }
    }

    fn wanted(&self) -> Result<Wanted<'a>, Failure> {
        let llm = self.llm;
        if let Some(named) = self.settings.models.get(llm) {
            let provider = Provider::named(&named.provider).expect("the settings were checked when they were read");
            return Ok(Wanted { provider, model: &named.model, named: Some(named) });
        }
        match llm.split_once(':') {
            Some((name, model)) => match Provider::named(name) {
                Some(_) if model.trim().is_empty() => {
                    Err(Failure::Usage(format!("`{llm}` names no model; write it as `{name}:MODEL`")))
                }
                Some(provider) => Ok(Wanted { provider, model, named: None }),
                None => Err(Failure::Usage(format!("{}\n{}", unknown_provider(name), self.offer()))),
            },
            None if Provider::named(llm).is_some() => {
                Err(Failure::Usage(format!("`{llm}` is a provider; name its model too, as `{llm}:MODEL`")))
            }
            None => {
                let names = self.settings.models.keys().map(String::as_str).chain([DEFAULT]);
                let hint = match nearest(llm, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => self.offer(),
                };
                Err(Failure::Usage(format!("no model is called `{llm}`; {hint}")))
            }
        }
    }

    fn config(&self, wanted: &Wanted<'_>) -> Result<Config, Failure> {
        let Wanted { provider, model, named } = *wanted;
        let refused = |what: String| Failure::Usage(format!("{}: {what}", self.llm));
        let of_model = named.and_then(|named| named.url.as_deref());
        // A named model's own address counts before one that was set for whichever model is the default.
        let url = if self.url_is_a_flag { self.url.or(of_model) } else { of_model.or(self.url) };
        let address = match url {
            Some(url) => Address::parse(url, provider).map_err(|error| refused(error.to_string()))?,
            None => Address::of(provider),
        };
        let asked_for = named.and_then(|named| named.key_env.as_deref());
        let variable = asked_for.or(provider.key_variable());
        let found = variable.and_then(|variable| self.environment.get(variable));
        let key = match (variable, found) {
            (Some(variable), Some(text)) => Some(
                Key::new(text).map_err(|error| refused(format!("the key in {variable} cannot be used: {error}")))?,
            ),
            // A server of one's own may need none.
            (Some(variable), None) if asked_for.is_some() || url.is_none() => {
                return Err(refused(format!(
                    "this needs a key in the environment variable {variable}, which is not set; \
                     set it, or use `--llm offline`, which needs none"
                )));
            }
            (_, None) | (None, Some(_)) => None,
        };
        let timeout = named.and_then(NamedModel::timeout).unwrap_or(DEFAULT_TIMEOUT);
        Ok(Config { provider, model: model.to_owned(), address, key, timeout })
    }

    fn offer(&self) -> String {
        let providers = Provider::ALL.into_iter().map(|provider| format!("`{}:MODEL`", provider.as_str()));
        let named = self.settings.models.keys().map(|name| format!("`{name}`"));
        let known: Vec<String> = providers.chain(named).collect();
        format!(
            "there are `offline` (needs nothing), `replies:FILE` (recorded replies), {}, and names that \
             `[models.NAME]` in steersman.toml gives",
            known.join(", ")
        )
    }
}

/// Says what goes wrong with calls, each thing once in a row: attempts of one call tend to fail alike.
fn tell(terminal: Terminal) -> Tell {
    let last = Mutex::new(String::new());
    Arc::new(move |trouble| {
        let told = trouble.to_string();
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != told {
            terminal.note(&told);
            *last = told;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(llm: &str, url: Option<&str>, settings: &Settings) -> String {
        let choice = ModelChoice::new(Some(llm), url, settings, &NOTHING);
        match choice.wanted().and_then(|wanted| choice.config(&wanted)) {
            Ok(config) => panic!("{llm}: {config:?}"),
            Err(failure) => failure.to_string(),
        }
    }

    static NOTHING: std::sync::LazyLock<Environment> = std::sync::LazyLock::new(Environment::default);

    #[test]
    fn a_choice_that_cannot_be_is_told_with_what_to_do() {
        let settings = Settings::named_for_tests("small", "openai", "gpt-5-mini");
        let table = [
            ("openai:gpt-5", "openai:gpt-5: this needs a key in the environment variable OPENAI_API_KEY"),
            ("small", "small: this needs a key in the environment variable OPENAI_API_KEY"),
            ("opnai:gpt-5", "no provider is called `opnai`; did you mean `openai`?"),
            ("mistral:large", "no provider is called `mistral`; there are openai, anthropic, gemini, ollama"),
            ("openai", "`openai` is a provider; name its model too, as `openai:MODEL`"),
            ("openai:", "`openai:` names no model"),
            ("smal", "no model is called `smal`; did you mean `small`?"),
            ("ofline", "no model is called `ofline`; did you mean `offline`?"),
            ("whatever", "no model is called `whatever`; there are `offline`"),
        ];
        for (llm, told) in table {
            let refusal = refusal(llm, None, &settings);
            assert!(refusal.starts_with(told), "{llm}: {refusal}");
        }
        assert!(refusal("openai:gpt-5", None, &settings).contains("`--llm offline`"));
        assert!(refusal("openai:gpt-5", Some("box"), &settings).contains("`box` is no address"));
    }

    #[test]
    fn a_server_of_one_s_own_needs_no_key() {
        let settings = Settings::default();
        for (llm, url) in [("openai:a", Some("http://box:1")), ("ollama:a", None)] {
            let choice = ModelChoice::new(Some(llm), url, &settings, &NOTHING);
            let wanted = choice.wanted().unwrap();
            assert!(choice.config(&wanted).unwrap().key.is_none(), "{llm}");
        }
    }

    #[test]
    fn an_address_of_the_settings_stays_with_the_model_of_the_settings() {
        let settings = Settings {
            llm: Some("ollama:a".to_owned()),
            llm_url: Some("http://box:1".to_owned()),
            ..Settings::default()
        };
        let address = |llm| {
            let choice = ModelChoice::new(llm, None, &settings, &NOTHING);
            choice.config(&choice.wanted().unwrap()).unwrap().address.to_string()
        };
        assert_eq!(address(None), "http://box:1/");
        assert_eq!(address(Some("ollama:b")), "http://localhost:11434/");
    }
}
