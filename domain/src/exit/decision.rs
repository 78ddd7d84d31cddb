//! Decides whether an interactive action is done, and says which source decided and on what evidence.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{ExitCriteria, ExitPolicy, ExitSource, reason};
use crate::{
    control::Route,
    locale::Locale,
    utterance::Text,
    variable::{Operator, Value, VariableStore},
};

/// The low-relevance answers in a row that end an action.
pub const OFF_TARGET_LIMIT: u32 = 3;

/// Whether an interactive action is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExitDecision {
    /// Whether it ends.
    pub should_exit: bool,
    /// What ended it; `None` when it goes on.
    pub source: Option<ExitSource>,
    /// Why, in the session's locale.
    pub reason: Text,
    /// Every check that was made.
    pub evidence: Vec<Evidence>,
    /// Every source, highest precedence first.
    pub considered: Vec<Considered>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was looked at: a measure, or a variable's name.
    pub what: String,
    /// How it was compared.
    pub operator: Operator,
    /// With what.
    pub expected: Value,
    /// What it was, `None` if unknown.
    pub actual: Option<Value>,
    /// Whether the check holds.
    pub met: bool,
    /// Where the actual value comes from.
    pub from: Origin,
}

/// Where an actual value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The turn that brought it, `None` where there are no turns.
    pub turn: Option<u32>,
    /// What kind of place it is.
    pub place: Place,
}

/// What kind of place an actual value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The model's assessment of this turn.
    Assessment,
    /// A variable.
    Variable,
    /// A flag of the model's reply, or of the client.
    Flag,
    /// The rounds of the action.
    Round,
    /// The route.
    Route,
}

/// One source, as far as the decision went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Considered {
    /// The source.
    pub source: ExitSource,
    /// Whether the action listens to it.
    pub enabled: bool,
    /// Whether it fired; `None` if a higher one decided first, or it is switched off.
    pub fired: Option<bool>,
}

/// What is known when the decision is taken.
#[derive(Debug, Clone, Copy)]
pub struct ExitFacts<'a> {
    /// The turn, `None` where there are no turns.
    pub turn: Option<u32>,
    /// The round that was just answered; the first is 1.
    pub round: u32,
    /// How closely the conversation is led.
    pub route: Route,
    /// Whether the person or the client asked to stop.
    pub cancelled: bool,
    /// What the model's reply says.
    pub signals: &'a ExitSignals,
    /// The low-relevance answers in a row, this one included.
    pub off_target: u32,
    /// The part of a form that is answered, 0 to 1.
    pub completeness: Option<f64>,
    /// The variables, read where the action stands.
    pub variables: &'a dyn Readings,
}

/// What a model's reply says about being done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExitSignals {
    /// `EXIT`.
    pub exit_flag: bool,
    /// The model's words for it.
    pub exit_reason: Option<Text>,
    /// The model's summary.
    pub brief: Option<Text>,
    /// `should_exit`.
    pub should_exit: bool,
    /// How well the person understood, 0 to 100, this turn.
    pub understanding_level: Option<f64>,
    /// Whether questions are open, this turn.
    pub has_questions: Option<bool>,
    /// How strong the emotion is, 0 to 10, this turn.
    pub emotion_intensity: Option<f64>,
}

/// Reads variables together with the turn that set them.
pub trait Readings: std::fmt::Debug {
    /// Returns the value and the turn of `name`, `None` if it is unset.
    fn read(&self, name: &str) -> Option<(Value, Option<u32>)>;
}

impl Readings for VariableStore {
    fn read(&self, name: &str) -> Option<(Value, Option<u32>)> {
        self.get(name).map(|held| (held.value.clone(), Some(held.source.turn)))
    }
}

impl ExitPolicy {
    /// Decides whether the action is done (design: "Exit decision"). The first source that fires decides.
    pub fn decide(&self, facts: &ExitFacts<'_>, locale: Locale) -> ExitDecision {
        let mut evidence = Vec::new();
        let mut considered = Vec::with_capacity(ExitSource::ALL.len());
        let criteria = self.weigh(facts);
        let mut decided = None;
        for source in ExitSource::ALL {
            let enabled = self.enables(source);
            let fired = (decided.is_none() && enabled).then(|| self.fires(source, facts, &criteria, &mut evidence));
            if fired == Some(true) {
                decided = Some(source);
            }
            considered.push(Considered { source, enabled, fired });
        }
        let reason = reason::sentence(decided, facts.signals, &evidence, locale);
        ExitDecision { should_exit: decided.is_some(), source: decided, reason, evidence, considered }
    }

    fn fires(
        &self,
        source: ExitSource,
        facts: &ExitFacts<'_>,
        criteria: &Weighed,
        evidence: &mut Vec<Evidence>,
    ) -> bool {
        let signals = facts.signals;
        let check = match source {
            ExitSource::Safety => {
                facts.check("route", Operator::Equal, json!(Route::High), json!(facts.route), Place::Route)
            }
            ExitSource::Cancelled => facts.flag("cancelled", facts.cancelled, Place::Flag),
            ExitSource::MaxRounds => {
                facts.check("round", Operator::GreaterOrEqual, json!(self.max_rounds), json!(facts.round), Place::Round)
            }
            ExitSource::ExitFlag => facts.flag("exit_flag", signals.exit_flag, Place::Flag),
            ExitSource::ExitCriteria => {
                evidence.extend(criteria.evidence.iter().cloned());
                return criteria.verdict == Verdict::Exit;
            }
            ExitSource::LlmSuggestion => {
                let check = facts.flag("should_exit", signals.should_exit, Place::Flag);
                let fired = check.met && criteria.verdict != Verdict::Unmet;
                if !self.enables(ExitSource::ExitCriteria) {
                    evidence.extend(criteria.evidence.iter().cloned());
                }
                evidence.push(check);
                return fired;
            }
            ExitSource::OffTopic => facts.check(
                "low_relevance",
                Operator::GreaterOrEqual,
                json!(OFF_TARGET_LIMIT),
                json!(facts.off_target),
                Place::Round,
            ),
        };
        let fired = check.met;
        evidence.push(check);
        fired
    }

    /// Weighs the criteria once; unmet ones veto the suggestion even where the source itself is switched off.
    fn weigh(&self, facts: &ExitFacts<'_>) -> Weighed {
        let Some(criteria) = &self.criteria else { return Weighed { verdict: Verdict::Silent, evidence: Vec::new() } };
        let mut evidence = Vec::new();
        if let Some(threshold) = criteria.emotion_intensity {
            let actual = facts.signals.emotion_intensity.map(number);
            let check = facts.check_known(
                "emotion_intensity",
                Operator::GreaterOrEqual,
                number(threshold),
                actual,
                Place::Assessment,
            );
            let reached = check.met;
            evidence.push(check);
            if reached {
                return Weighed { verdict: Verdict::Exit, evidence };
            }
        }
        let floor = criteria.min_rounds.map(|least| {
            facts.check("round", Operator::GreaterOrEqual, json!(least), json!(facts.round), Place::Round)
        });
        let positive = positive_checks(criteria, facts);
        let verdict = match (&floor, positive.as_slice()) {
            (None, []) => Verdict::Silent,
            (Some(floor), []) if floor.met => Verdict::Silent,
            (Some(floor), _) if !floor.met => Verdict::Unmet,
            (_, checks) if checks.iter().all(|check| check.met) => Verdict::Exit,
            (_, _) => Verdict::Unmet,
        };
        evidence.extend(floor);
        evidence.extend(positive);
        Weighed { verdict, evidence }
    }
}

impl ExitDecision {
    /// Tells whether strong emotion alone ended the action.
    pub fn ended_by_emotion(&self) -> bool {
        self.source == Some(ExitSource::ExitCriteria)
            && self.evidence.iter().any(|check| check.is_emotion() && check.met)
    }
}

impl Evidence {
    /// Tells whether it is the emotion of this turn that was looked at, not a variable of that name.
    pub(super) fn is_emotion(&self) -> bool {
        self.what == "emotion_intensity" && self.from.place == Place::Assessment
    }
}

impl ExitFacts<'_> {
    fn origin(&self, place: Place) -> Origin {
        Origin { turn: self.turn, place }
    }

    fn flag(&self, what: &str, actual: bool, place: Place) -> Evidence {
        self.check(what, Operator::Equal, json!(true), json!(actual), place)
    }

    fn check(&self, what: &str, operator: Operator, expected: Json, actual: Json, place: Place) -> Evidence {
        self.check_known(what, operator, expected, Some(actual), place)
    }

    fn check_known(
        &self,
        what: &str,
        operator: Operator,
        expected: Json,
        actual: Option<Json>,
        place: Place,
    ) -> Evidence {
        evidence(what, operator, Value::new(expected), actual.map(Value::new), self.origin(place))
    }

    /// Reads a measure of this turn's assessment, else the variable of that name.
    fn assessed(&self, name: &str, stated: Option<Json>, operator: Operator, expected: Json) -> Evidence {
        if stated.is_some() {
            return self.check_known(name, operator, expected, stated, Place::Assessment);
        }
        let (actual, turn) = self.variables.read(name).map_or((None, self.turn), |(value, turn)| (Some(value), turn));
        evidence(name, operator, Value::new(expected), actual, Origin { turn, place: Place::Variable })
    }
}

/// What the criteria come to.
struct Weighed {
    verdict: Verdict,
    evidence: Vec<Evidence>,
}

/// What the criteria say, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// They ask for the exit.
    Exit,
    /// Something is unmet: no exit by criteria, and no exit by suggestion.
    Unmet,
    /// They say nothing: none configured, or only a floor that is reached.
    Silent,
}

fn positive_checks(criteria: &ExitCriteria, facts: &ExitFacts<'_>) -> Vec<Evidence> {
    let mut checks = Vec::new();
    let signals = facts.signals;
    if let Some(threshold) = criteria.understanding_threshold {
        let stated = signals.understanding_level.map(number);
        checks.push(facts.assessed("understanding_level", stated, Operator::GreaterOrEqual, number(threshold)));
    }
    if criteria.has_questions == Some(false) {
        let stated = signals.has_questions.map(Json::from);
        checks.push(facts.assessed("has_questions", stated, Operator::Equal, json!(false)));
    }
    if let Some(part) = criteria.completeness {
        let actual = facts.completeness.map(number);
        checks.push(facts.check_known("completeness", Operator::GreaterOrEqual, number(part), actual, Place::Variable));
    }
    for condition in &criteria.custom_conditions {
        let read = facts.variables.read(condition.variable.as_str());
        let (actual, turn) = read.map_or((None, facts.turn), |(value, turn)| (Some(value), turn));
        let origin = Origin { turn, place: Place::Variable };
        checks.push(evidence(condition.variable.as_str(), condition.operator, condition.value.clone(), actual, origin));
    }
    checks
}

fn evidence(what: &str, operator: Operator, expected: Value, actual: Option<Value>, from: Origin) -> Evidence {
    let actual = actual.filter(|value| !value.json().is_null()); // Nothing is unknown, and is written like it.
    let met = operator.compare(actual.as_ref(), Some(&expected)).holds();
    Evidence { what: what.to_owned(), operator, expected, actual, met, from }
}

/// Writes a whole number without a fraction.
fn number(value: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "only taken where nothing is cut off")]
    let whole = value as i64;
    #[expect(clippy::cast_precision_loss, reason = "compared with what it came from")]
    let is_whole = (whole as f64).to_bits() == value.to_bits();
    if is_whole { json!(whole) } else { json!(value) }
}
