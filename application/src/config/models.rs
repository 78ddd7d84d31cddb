//! Models with a name: `[models.NAME]` in the file of settings.

use std::time::Duration;

use serde::Deserialize;
use steersman_adapters::llm::Provider;
use steersman_domain::nearest::nearest;

use super::{FILE, refuse_unknown};
use crate::failure::Failure;

const KEYS: [&str; 7] = ["provider", "model", "url", "key_env", "timeout_ms", "price_in", "price_out"];
/// The longest time of a call: that of a turn, which it is a part of.
const MAX_TIMEOUT_MS: u64 = 60_000;
/// Names that mean something else after `--llm`.
const TAKEN: [&str; 2] = ["offline", "replies"];

/// A model that has a name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct NamedModel {
    /// Who runs it.
    pub(crate) provider: String,
    /// What the provider calls it.
    pub(crate) model: String,
    /// Where it is reached, if not where its provider listens.
    pub(crate) url: Option<String>,
    /// The environment variable that holds the key, if not the one that the provider's has by custom.
    pub(crate) key_env: Option<String>,
    /// How long a call may take.
    timeout_ms: Option<u64>,
    price_in: Option<f64>,
    price_out: Option<f64>,
}

/// What a model costs, in any currency, for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prices {
    price_in: f64,
    price_out: f64,
}

impl NamedModel {
    /// Returns how long a call may take, if that is set.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout_ms.map(Duration::from_millis)
    }

    /// Returns what the model costs, if any price is set.
    pub(crate) fn prices(&self) -> Option<Prices> {
        let of = |price: Option<f64>| price.unwrap_or(0.0);
        (self.price_in.is_some() || self.price_out.is_some())
            .then(|| Prices { price_in: of(self.price_in), price_out: of(self.price_out) })
    }
}

impl Prices {
    /// Returns what this many tokens cost.
    #[expect(clippy::cast_precision_loss, reason = "an estimate, and no conversation has 2^52 tokens")]
    pub(crate) fn cost(self, tokens_in: u64, tokens_out: u64) -> f64 {
        (tokens_in as f64 * self.price_in + tokens_out as f64 * self.price_out) / 1e6
    }
}

/// Checks the tables of models, so that each complaint names the place.
pub(super) fn check(settings: &toml::Table) -> Result<(), Failure> {
    let Some(models) = settings.get("models").and_then(toml::Value::as_table) else { return Ok(()) };
    let refused = |what: String| Err(Failure::Usage(format!("{FILE}: {what}")));
    for (name, model) in models {
        if TAKEN.contains(&name.as_str()) || Provider::named(name).is_some() || name.contains(':') {
            return refused(format!("a model cannot be called `{name}`: after `--llm` that means something else"));
        }
        let Some(model) = model.as_table() else { continue };
        refuse_unknown(model, &KEYS, &format!("models.{name}."))?;
        for needed in ["provider", "model"] {
            if !model.contains_key(needed) {
                return refused(format!("models.{name} needs `{needed}`"));
            }
        }
        if let Some(provider) = model.get("provider").and_then(toml::Value::as_str)
            && Provider::named(provider).is_none()
        {
            return refused(format!("models.{name}.provider: {}", unknown_provider(provider)));
        }
        if let Some(timeout) = model.get("timeout_ms").and_then(toml::Value::as_integer)
            && !u64::try_from(timeout).is_ok_and(|timeout| (1..=MAX_TIMEOUT_MS).contains(&timeout))
        {
            return refused(format!(
                "models.{name}.timeout_ms is {timeout}; a call may take from 1 to {MAX_TIMEOUT_MS}, the time of a turn"
            ));
        }
        for price in ["price_in", "price_out"] {
            let is_price = |value: &toml::Value| match value {
                toml::Value::Integer(number) => *number >= 0,
                toml::Value::Float(number) => number.is_finite() && *number >= 0.0,
                _ => false,
            };
            if model.get(price).is_some_and(|value| !is_price(value)) {
                return refused(format!("models.{name}.{price} must be a number, 0 or more, for a million tokens"));
            }
        }
    }
    Ok(())
}

/// Says that there is no such provider, and which one may have been meant.
pub(crate) fn unknown_provider(name: &str) -> String {
    let known = || Provider::ALL.into_iter().map(Provider::as_str);
    match nearest(name, known()) {
        Some(near) => format!("no provider is called `{name}`; did you mean `{near}`?"),
        None => format!("no provider is called `{name}`; there are {}", known().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;

    impl Settings {
        /// Settings with one named model.
        pub(crate) fn named_for_tests(name: &str, provider: &str, model: &str) -> Self {
            Self::from_toml(&format!("[models.{name}]\nprovider = '{provider}'\nmodel = '{model}'")).unwrap()
        }
    }

    #[test]
    fn a_model_with_a_name_has_everything_that_it_may_have() {
        let text = "[models.small]\nprovider = 'ollama'\nmodel = 'qwen3:8b'\nurl = 'http://box:11434'\n\
                    key_env = 'BOX_KEY'\ntimeout_ms = 45000\nprice_in = 1\nprice_out = 2.5\n";
        let settings = Settings::from_toml(text).unwrap();
        let model = &settings.models["small"];
        assert_eq!((model.provider.as_str(), model.model.as_str()), ("ollama", "qwen3:8b"));
        assert_eq!(model.timeout().unwrap().as_millis(), 45_000);
        assert!((model.prices().unwrap().cost(2_000_000, 1_000_000) - 4.5).abs() < 1e-9);
    }

    #[test]
    fn what_is_wrong_with_a_model_is_told_with_its_place() {
        let table = [
            ("prvider = 'openai'", "no setting is called `models.m.prvider`; did you mean `models.m.provider`?"),
            ("model = 'a'", "models.m needs `provider`"),
            ("provider = 'openai'", "models.m needs `model`"),
            (
                "provider = 'opnai'\nmodel = 'a'",
                "models.m.provider: no provider is called `opnai`; did you mean `openai`?",
            ),
            (
                "provider = 'openai'\nmodel = 'a'\ntimeout_ms = 0",
                "models.m.timeout_ms is 0; a call may take from 1 to 60000, the time of a turn",
            ),
            (
                "provider = 'openai'\nmodel = 'a'\nprice_in = -1",
                "models.m.price_in must be a number, 0 or more, for a million tokens",
            ),
        ];
        for (text, told) in table {
            let failure = Settings::from_toml(&format!("[models.m]\n{text}")).unwrap_err().to_string();
            assert_eq!(failure, format!("steersman.toml: {told}"), "{text}");
        }
        let taken = Settings::from_toml("[models.openai]\nprovider = 'openai'\nmodel = 'a'").unwrap_err().to_string();
        assert!(taken.contains("a model cannot be called `openai`"), "{taken}");
    }
}
