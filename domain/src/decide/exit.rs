//! `decide exit`: is an interactive action done?

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{Kind, Refusal, known_keys, read};
use crate::{
    control::Route,
    exit::{ExitCriteria, ExitFacts, ExitPolicy, ExitSignals, ExitSource, Readings},
    locale::Locale,
    reply::read_flag,
    utterance::Text,
    variable::Value,
};

/// The row of the registry.
pub(super) const KIND: Kind =
    Kind { name: "exit", about: "whether an interactive action is done, and which source says so", decide };

const KEYS: [&str; 14] = [
    "kind",
    "enabled",
    "round",
    "max_rounds",
    "exit_flag",
    "exit_reason",
    "brief",
    "criteria",
    "assessment",
    "emotion",
    "variables",
    "should_exit",
    "route",
    "locale",
];

#[derive(Deserialize)]
struct Case {
    kind: Interactive,
    enabled: Option<Vec<ExitSource>>,
    round: u32,
    max_rounds: u32,
    exit_flag: Option<Json>,
    exit_reason: Option<String>,
    brief: Option<String>,
    criteria: Option<Json>,
    assessment: Option<Json>,
    emotion: Option<Json>,
    #[serde(default)]
    variables: BTreeMap<String, Value>,
    should_exit: Option<bool>,
    #[serde(default)]
    route: Route,
    #[serde(default = "default_locale")]
    locale: Locale,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Interactive {
    AiAsk,
    AiSay,
    FillForm,
}

#[derive(Deserialize, Default)]
struct Assessment {
    understanding_level: Option<f64>,
    has_questions: Option<bool>,
    completeness: Option<f64>,
}

#[derive(Deserialize, Default)]
struct Emotion {
    intensity: Option<f64>,
}

#[derive(Debug)]
struct Stated(BTreeMap<String, Value>);

impl Readings for Stated {
    fn read(&self, name: &str) -> Option<(Value, Option<u32>)> {
        self.0.get(name).map(|value| (value.clone(), None))
    }
}

fn default_locale() -> Locale {
    Locale::En
}

fn decide(input: &Json) -> Result<Json, Refusal> {
    let case: Case = read(input, &KEYS)?;
    if case.round == 0 || case.max_rounds == 0 {
        return Err(Refusal::new("invalid_input", "`round` and `max_rounds` count from 1"));
    }
    let criteria = case.criteria.as_ref().map(|json| criteria(&case.kind, json)).transpose()?;
    let assessment: Assessment =
        part("assessment", case.assessment.as_ref(), &["understanding_level", "has_questions", "completeness"])?;
    let emotion: Emotion = part("emotion", case.emotion.as_ref(), &["label", "intensity"])?;
    let signals = ExitSignals {
        exit_flag: case.exit_flag.as_ref().is_some_and(|raw| read_flag(raw).unwrap_or(false)),
        exit_reason: case.exit_reason.map(Text::new),
        brief: case.brief.map(Text::new),
        should_exit: case.should_exit.unwrap_or(false),
        understanding_level: assessment.understanding_level,
        has_questions: assessment.has_questions,
        emotion_intensity: emotion.intensity,
    };
    let mut policy = ExitPolicy::new(case.max_rounds, criteria);
    if let Some(enabled) = case.enabled {
        policy = policy.listening_to(enabled);
    }
    let facts = ExitFacts {
        turn: None,
        round: case.round,
        route: case.route,
        cancelled: false,
        signals: &signals,
        off_target: 0,
        completeness: assessment.completeness,
        variables: &Stated(case.variables),
    };
    serde_json::to_value(policy.decide(&facts, case.locale))
        .map_err(|error| Refusal::new("internal", error.to_string()))
}

fn criteria(kind: &Interactive, json: &Json) -> Result<ExitCriteria, Refusal> {
    let keys: &[&str] = match kind {
        Interactive::AiAsk | Interactive::AiSay => {
            &["understanding_threshold", "has_questions", "min_rounds", "emotion_intensity", "custom_conditions"]
        }
        Interactive::FillForm => &["completeness", "min_rounds", "custom_conditions"],
    };
    part("criteria", Some(json), keys)
}

fn part<T: serde::de::DeserializeOwned + Default>(
    name: &str,
    json: Option<&Json>,
    keys: &[&str],
) -> Result<T, Refusal> {
    let Some(json) = json else { return Ok(T::default()) };
    known_keys(name, json, keys)?;
    T::deserialize(json).map_err(|error| Refusal::new("invalid_input", format!("`{name}`: {error}")))
}
