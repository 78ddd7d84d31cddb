//! Reads settings: the environment and `steersman.toml`. The one place that looks at either.

mod models;
mod span;
mod thresholds;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use steersman_domain::nearest::nearest;

use self::thresholds::WrittenThresholds;
pub(crate) use self::{
    models::{NamedModel, Prices, unknown_provider},
    span::Span,
};
use crate::{
    failure::Failure,
    wiring::{DEFAULT_DATABASE, Database},
};

/// The file of settings, looked for where the command runs.
const FILE: &str = "steersman.toml";
const KEYS: [&str; 9] = ["db", "listen", "llm", "llm_url", "models", "risk", "scripts", "stream_idle", "thresholds"];
const LISTEN_VARIABLE: &str = "STEERSMAN_LISTEN";
const LLM_VARIABLE: &str = "STEERSMAN_LLM";
const LLM_URL_VARIABLE: &str = "STEERSMAN_LLM_URL";
const RISK_VARIABLE: &str = "STEERSMAN_RISK";
const SCRIPTS_VARIABLE: &str = "STEERSMAN_SCRIPTS";
const STREAM_IDLE_VARIABLE: &str = "STEERSMAN_STREAM_IDLE";
/// Where sessions are kept: ours, and the one that others use too. The first that is set counts.
const DB_VARIABLES: [&str; 2] = ["STEERSMAN_DB", "DATABASE_URL"];

/// What the environment says.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    /// Colours are not wanted (`NO_COLOR`, <https://no-color.org>).
    pub(crate) no_color: bool,
    variables: BTreeMap<String, String>,
}

/// What a command uses unless a flag says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct Settings {
    /// Where sessions are kept.
    pub(crate) db: Option<String>,
    /// Where `serve` listens.
    pub(crate) listen: Option<String>,
    /// Who writes the words.
    pub(crate) llm: Option<String>,
    /// Where that model is reached, if not where its provider listens.
    pub(crate) llm_url: Option<String>,
    /// Models that have a name.
    #[serde(default)]
    pub(crate) models: BTreeMap<String, NamedModel>,
    /// What looks at messages beside the lexical floor.
    pub(crate) risk: Option<String>,
    /// From which scores on a message raises the route.
    #[serde(default)]
    pub(crate) thresholds: WrittenThresholds,
    /// The folder of the scripts that `serve` publishes.
    pub(crate) scripts: Option<PathBuf>,
    /// How long `serve` keeps a stream open on which nothing happens.
    pub(crate) stream_idle: Option<Span>,
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

    /// Returns a variable that is set to something; a name that nobody knows before, as that of a key.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }
}

// What variables hold may be keys.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("no_color", &self.no_color).finish_non_exhaustive()
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
        settings.overlay(environment)?;
        Ok(settings)
    }

    /// Returns the database that a command uses: the one that its flag names, else the one that is set, else the default.
    ///
    /// # Errors
    ///
    /// An address that cannot be one; it is not repeated, for it may hold a password.
    pub(crate) fn database(&self, flag: Option<&Database>) -> Result<Database, Failure> {
        match (flag, self.db.as_deref()) {
            (Some(database), _) => Ok(database.clone()),
            (None, address) => address.unwrap_or(DEFAULT_DATABASE).parse().map_err(|why| {
                Failure::Usage(format!("the database in {}, {FILE} or the environment: {why}", DB_VARIABLES.join(", ")))
            }),
        }
    }

    fn overlay(&mut self, environment: &Environment) -> Result<(), Failure> {
        if let Some(llm) = environment.variables.get(LLM_VARIABLE) {
            self.llm = Some(llm.clone());
            self.llm_url = None; // It belonged to the model that is replaced.
        }
        if let Some(address) = DB_VARIABLES.into_iter().find_map(|name| environment.get(name)) {
            self.db = Some(address.to_owned());
        }
        if let Some(url) = environment.get(LLM_URL_VARIABLE) {
            self.llm_url = Some(url.to_owned());
        }
        if let Some(listen) = environment.get(LISTEN_VARIABLE) {
            self.listen = Some(listen.to_owned());
        }
        if let Some(risk) = environment.get(RISK_VARIABLE) {
            self.risk = Some(risk.to_owned());
        }
        if let Some(scripts) = environment.get(SCRIPTS_VARIABLE) {
            self.scripts = Some(scripts.into());
        }
        if let Some(span) = environment.get(STREAM_IDLE_VARIABLE) {
            let span = span.parse().map_err(|why| Failure::Usage(format!("{STREAM_IDLE_VARIABLE}: {why}")))?;
            self.stream_idle = Some(span);
        }
        Ok(())
    }

    fn from_toml(text: &str) -> Result<Self, Failure> {
        let table: toml::Table = text.parse().map_err(|error| Failure::Usage(format!("{FILE}: {error}")))?;
        refuse_unknown(&table, &KEYS, "")?;
        models::check(&table)?;
        if let Some(toml::Value::Table(thresholds)) = table.get("thresholds") {
            refuse_unknown(thresholds, &thresholds::KEYS, "thresholds.")?;
        }
        Self::deserialize(table).map_err(|error| Failure::Usage(format!("{FILE}: {}", error.message())))
    }
}

/// Refuses a key that means nothing, with the nearest that does; `within` is the path of the table, ending in a dot.
fn refuse_unknown(table: &toml::Table, known: &[&str], within: &str) -> Result<(), Failure> {
    let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let hint = match nearest(key, known.iter().copied()) {
        Some(near) => format!("did you mean `{within}{near}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    Err(Failure::Usage(format!("{FILE}: no setting is called `{within}{key}`; {hint}")))
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
    fn an_address_of_the_file_does_not_outlive_its_model() {
        let overlaid = |variables: &[(&str, &str)]| {
            let mut settings = Settings::from_toml("llm = 'ollama:a'\nllm_url = 'http://box:1'").unwrap();
            let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            settings.overlay(&Environment::of(variables.collect())).unwrap();
            (settings.llm.unwrap(), settings.llm_url)
        };
        assert_eq!(overlaid(&[]), ("ollama:a".to_owned(), Some("http://box:1".to_owned())));
        assert_eq!(overlaid(&[("STEERSMAN_LLM", "openai:b")]), ("openai:b".to_owned(), None));
        assert_eq!(
            overlaid(&[("STEERSMAN_LLM_URL", "http://box:2")]),
            ("ollama:a".to_owned(), Some("http://box:2".to_owned()))
        );
    }

    #[test]
    fn the_flag_names_the_database_before_the_environment_before_the_file_before_the_default() {
        let used = |file: &str, variables: &[(&str, &str)], flag: Option<&str>| {
            let mut settings = Settings::from_toml(file).unwrap();
            let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            settings.overlay(&Environment::of(variables.collect())).unwrap();
            let flag = flag.map(|flag| flag.parse().unwrap());
            settings.database(flag.as_ref()).map(|database| database.to_string())
        };
        let (file, both) = ("db = 'sqlite://f'", [("DATABASE_URL", "sqlite://d"), ("STEERSMAN_DB", "sqlite://s")]);
        assert_eq!(used("", &[], None).unwrap(), "sqlite://steersman.db");
        assert_eq!(used(file, &[], None).unwrap(), "sqlite://f");
        assert_eq!(used(file, &both[..1], None).unwrap(), "sqlite://d");
        assert_eq!(used(file, &both, None).unwrap(), "sqlite://s");
        assert_eq!(used(file, &both, Some("memory")).unwrap(), "memory");
        let told = used("", &[("DATABASE_URL", "mysql://me:secret@box")], None).unwrap_err().to_string();
        assert!(told.contains("write sqlite://FILE") && !told.contains("secret"), "{told}");
    }

    #[test]
    fn a_span_without_its_unit_is_refused_wherever_it_is_set() {
        assert!(Settings::from_toml("stream_idle = '15min'").unwrap().stream_idle.is_some());
        let told = Settings::from_toml("stream_idle = '15'").unwrap_err().to_string();
        assert!(told.contains("15 of what?"), "{told}");
        let variables = [("STEERSMAN_STREAM_IDLE".to_owned(), "15".to_owned())];
        let told = Settings::default().overlay(&Environment::of(variables.into())).unwrap_err().to_string();
        assert!(told.starts_with("STEERSMAN_STREAM_IDLE: 15 of what?"), "{told}");
    }

    #[test]
    fn no_color_counts_only_with_a_value() {
        let of = |value: &str| Environment::of([("NO_COLOR".to_owned(), value.to_owned())].into()).no_color;
        assert!(of("1") && !of(""));
    }
}
