//! Reads settings: the environment and `steersman.toml`. The one place that looks at either.

use std::{collections::BTreeMap, io, path::Path};

use serde::Deserialize;
use steersman_domain::nearest::nearest;

use crate::failure::Failure;

/// The file of settings, looked for where the command runs.
const FILE: &str = "steersman.toml";
const KEYS: [&str; 1] = ["llm"];
const LLM_VARIABLE: &str = "STEERSMAN_LLM";

/// What the environment says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// Colours are not wanted (`NO_COLOR`, <https://no-color.org>).
    pub(crate) no_color: bool,
    variables: BTreeMap<String, String>,
}

/// What a command uses unless a flag says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Settings {
    /// Who writes the words.
    pub(crate) llm: Option<String>,
}

impl Environment {
    /// Looks at the process's environment.
    #[expect(clippy::disallowed_methods, reason = "this is the one reader of the environment")]
    pub(crate) fn of_process() -> Self {
        let variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self::of(variables)
    }

    fn of(variables: BTreeMap<String, String>) -> Self {
        let no_color = variables.get("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { no_color, variables }
    }
}

impl Settings {
    /// Reads `steersman.toml`, then the environment, which wins.
    ///
    /// # Errors
    ///
    /// A setting that does not exist, with the nearest name; a file that is no TOML.
    pub(crate) fn read(environment: &Environment) -> Result<Self, Failure> {
        let mut settings = match std::fs::read_to_string(FILE) {
            Ok(text) => Self::from_toml(&text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => return Err(Failure::file("cannot read", Path::new(FILE), &error)),
        };
        if let Some(llm) = environment.variables.get(LLM_VARIABLE) {
            settings.llm = Some(llm.clone());
        }
        Ok(settings)
    }

    fn from_toml(text: &str) -> Result<Self, Failure> {
        let table: toml::Table = text.parse().map_err(|error| Failure::Usage(format!("{FILE}: {error}")))?;
        if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let hint = match nearest(key, KEYS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", KEYS.join(", ")),
            };
            return Err(Failure::Usage(format!("{FILE}: no setting is called `{key}`; {hint}")));
        }
        Self::deserialize(table).map_err(|error| Failure::Usage(format!("{FILE}: {}", error.message())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_setting_is_told_with_the_nearest_name() {
        let told = Settings::from_toml("lm = 'offline'").unwrap_err().to_string();
        assert_eq!(told, "steersman.toml: no setting is called `lm`; did you mean `llm`?");
        assert!(Settings::from_toml("llm = 3").unwrap_err().to_string().contains("string"));
        assert_eq!(Settings::from_toml("llm = 'offline'").unwrap().llm.as_deref(), Some("offline"));
    }

    #[test]
    fn no_color_counts_only_with_a_value() {
        let of = |value: &str| Environment::of([("NO_COLOR".to_owned(), value.to_owned())].into()).no_color;
        assert!(of("1") && !of(""));
    }
}
