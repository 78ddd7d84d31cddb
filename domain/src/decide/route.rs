//! `decide route`: the route of questionnaires and a message, with everything that follows from it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Kind, Refusal, known_keys, read};
use crate::{
    clock::Timestamp,
    control::{
        Assessment, HIGHEST_ITEM, Instrument, InvalidAssessment, MessageRisk, RiskLabel, RiskScore, Route, RouteReason,
        Score, Signal, Signals, Thresholds, UnknownReason, judge, rigidity,
    },
};

pub(super) const KIND: Kind =
    Kind { name: "route", about: "the route of questionnaires and a message, and what follows from it", decide };

const KEYS: [&str; 10] = [
    "phq9_total",
    "phq9_items",
    "phq9_item9",
    "gad7_total",
    "gad7_items",
    "phq9",
    "gad7",
    "chat_risk",
    "chat_labels",
    "current_route",
];
const ASSESSMENT_KEYS: [&str; 5] = ["success", "items", "total", "item9", "error"];

#[derive(Deserialize)]
struct Input {
    phq9_total: Option<f64>,
    phq9_items: Option<Vec<Option<f64>>>,
    phq9_item9: Option<f64>,
    gad7_total: Option<f64>,
    gad7_items: Option<Vec<Option<f64>>>,
    phq9: Option<Value>,
    gad7: Option<Value>,
    #[serde(default)]
    chat_risk: Value,
    chat_labels: Option<Vec<i64>>,
    #[serde(default)]
    current_route: Route,
}

/// What is stated of one questionnaire.
#[derive(Default)]
struct Stated {
    items: Option<Vec<Option<f64>>>,
    total: Option<f64>,
    item9: Option<f64>,
}

#[derive(Deserialize)]
struct Result9 {
    success: bool,
    items: Option<Vec<Option<f64>>>,
    total: Option<f64>,
    item9: Option<f64>,
    #[serde(rename = "error")]
    _error: Option<Value>,
}

fn decide(input: &Value) -> Result<Value, Refusal> {
    let input: Input = read(input, &KEYS)?;
    let phq9 = Stated { items: input.phq9_items, total: input.phq9_total, item9: input.phq9_item9 };
    let gad7 = Stated { items: input.gad7_items, total: input.gad7_total, item9: None };
    let mut signals = Signals::default();
    let mut clinician_recommended = false;
    let instruments = [(Instrument::Phq9, phq9, input.phq9), (Instrument::Gad7, gad7, input.gad7)];
    for (instrument, stated, result) in instruments {
        let stated = merged(instrument, stated, result)?;
        if let Some(assessment) = assessed(instrument, &stated)? {
            clinician_recommended |= assessment.recommends_clinician();
            signals.take_assessment(&assessment, Timestamp::EPOCH);
        } else if let Some(item9) = stated.item9 {
            let value = answer(instrument, 9, item9)?;
            signals.phq9_item9 = Some(Signal::Known { value, at: Timestamp::EPOCH });
        }
    }
    let message = message_risk(&input.chat_risk, input.chat_labels.as_deref())?;
    if let Some(risk) = message {
        signals.take_message(risk, Timestamp::EPOCH);
    }
    let verdict = judge(input.current_route, &signals, Thresholds::default());
    let rigidity = rigidity(verdict.route, signals.worst_total());
    let standing = if verdict.route == Route::Low { "no_evidence" } else { "current_route" };
    Ok(json!({
        "route": verdict.route,
        "rigid_score": rigidity.rigid_score(),
        "temperature": rigidity.temperature(),
        "hold": message.is_some_and(MessageRisk::holds),
        "reason": verdict.raised_by.map_or(standing, RouteReason::as_str),
        "source": verdict.raised_by.map(|reason| reason.source().as_str()),
        "clinician_recommended": clinician_recommended,
    }))
}

/// Reads a message's score: nothing, a number from 0 to 1, or `"unknown"`.
pub(super) fn chat_risk(value: &Value) -> Result<Option<Score>, Refusal> {
    let invalid =
        || Refusal::new("invalid_chat_risk", "`chat_risk` is a number from 0 to 1, null, or \"unknown\"".to_owned());
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text == "unknown" => Ok(Some(Score::Unknown(UnknownReason::Failed))),
        Value::Number(number) => {
            let score = number.as_f64().and_then(|number| RiskScore::new(number).ok()).ok_or_else(invalid)?;
            Ok(Some(Score::Known(score)))
        }
        Value::String(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(invalid()),
    }
}

/// Reads score and labels together: the worse of the two, and unknown if either is.
fn message_risk(score: &Value, labels: Option<&[i64]>) -> Result<Option<MessageRisk>, Refusal> {
    let labels = match labels {
        None => None,
        Some(numbers) => {
            let label = |&number: &i64| u8::try_from(number).ok().and_then(|number| RiskLabel::try_from(number).ok());
            let labels: Option<Vec<RiskLabel>> = numbers.iter().map(label).collect();
            let message = "`chat_labels` is a list of numbers from 0 to 10";
            Some(Score::from_labels(&labels.ok_or_else(|| Refusal::new("invalid_chat_risk", message))?))
        }
    };
    Ok(match (chat_risk(score)?, labels) {
        (None, None) => None,
        (Some(only), None) | (None, Some(only)) => Some(MessageRisk { floor: RiskScore::NONE, detector: Some(only) }),
        (Some(Score::Known(score)), Some(other)) | (Some(other), Some(Score::Known(score))) => {
            Some(MessageRisk { floor: score, detector: Some(other) })
        }
        (Some(unknown @ Score::Unknown(_)), Some(Score::Unknown(_))) => {
            Some(MessageRisk { floor: RiskScore::NONE, detector: Some(unknown) })
        }
    })
}

/// Takes a questionnaire's result object in place of the flat keys; both at once would be two answers.
fn merged(instrument: Instrument, flat: Stated, result: Option<Value>) -> Result<Stated, Refusal> {
    let name = instrument.as_str();
    let Some(result) = result.filter(|result| !result.is_null()) else { return Ok(flat) };
    known_keys(name, &result, &ASSESSMENT_KEYS)?;
    let result: Result9 =
        serde_json::from_value(result).map_err(|error| Refusal::new("invalid_input", format!("`{name}`: {error}")))?;
    if flat.items.is_some() || flat.total.is_some() || flat.item9.is_some() {
        return Err(Refusal::new("invalid_input", format!("`{name}` and `{name}_…` are given; keep one of them")));
    }
    if !result.success || (result.items.is_none() && result.total.is_none()) {
        return Err(Refusal::new("assessment_missing", format!("`{name}` has no result; leave it out to go without")));
    }
    if instrument == Instrument::Gad7 && result.item9.is_some() {
        return Err(Refusal::new("invalid_item", "`gad7` has seven items and no item 9"));
    }
    Ok(Stated { items: result.items, total: result.total, item9: result.item9 })
}

fn assessed(instrument: Instrument, stated: &Stated) -> Result<Option<Assessment>, Refusal> {
    if let Some(items) = &stated.items {
        let numbered = items.iter().zip(1..);
        let items = numbered.map(|(item, number)| item.map(|item| answer(instrument, number, item)).transpose());
        let mut items: Vec<Option<u8>> = items.collect::<Result<_, _>>()?;
        if let (Some(item9), Some(ninth)) = (stated.item9, items.get_mut(8)) {
            let item9 = answer(instrument, 9, item9)?;
            let found = *ninth.get_or_insert(item9);
            if found != item9 {
                return Err(refuse(InvalidAssessment::Item9Mismatch { stated: item9.into(), found }));
            }
        }
        let assessment = Assessment::from_items(instrument, &items).map_err(refuse)?;
        return match stated.total {
            Some(total) => assessment.with_stated_total(total).map(Some).map_err(refuse),
            None => Ok(Some(assessment)),
        };
    }
    let Some(total) = stated.total else { return Ok(None) };
    let most = instrument.highest_total();
    let whole = whole(total).filter(|&total| total <= most).ok_or_else(|| {
        Refusal::new(
            "invalid_item",
            format!("a total of {} is a whole number from 0 to {most}, not {total}", instrument.as_str()),
        )
    })?;
    let assessment = match instrument {
        Instrument::Phq9 => {
            let item9 = stated.item9.map(|item9| answer(instrument, 9, item9)).transpose()?;
            Assessment::from_phq9_total(whole, item9)
        }
        Instrument::Gad7 => Assessment::from_gad7_total(whole),
    };
    assessment.map(Some).map_err(refuse)
}

fn answer(instrument: Instrument, number: usize, value: f64) -> Result<u8, Refusal> {
    whole(value).filter(|&value| value <= HIGHEST_ITEM).ok_or_else(|| {
        let name = instrument.as_str();
        Refusal::new("invalid_item", format!("item {number} of {name} is {value}; an answer is 0, 1, 2 or 3"))
    })
}

/// Returns a small whole number that was written as any number.
fn whole(value: f64) -> Option<u8> {
    (0..=u8::MAX).find(|&whole| (f64::from(whole) - value).abs() < f64::EPSILON)
}

fn refuse(error: InvalidAssessment) -> Refusal {
    let code = match error {
        InvalidAssessment::Count { .. }
        | InvalidAssessment::Item { .. }
        | InvalidAssessment::Total { .. }
        | InvalidAssessment::Item9Mismatch { .. } => "invalid_item",
        InvalidAssessment::TotalMismatch { .. } => "total_mismatch",
    };
    Refusal::new(code, error.to_string())
}
