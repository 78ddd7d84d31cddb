//! What control calls things: one spelling in records, events and decisions, and every value is in its list.

use serde::Serialize;
use serde_json::json;
use steersman_domain::control::{
    Instrument, Route, RouteReason, RouteSource, Structure, Trigger, UnknownReason,
    crisis::SafetyAnswer,
    floor::RiskClass,
    output::BlockReason,
    referral::{ReferralOutcome, ReferralState, Resistance},
};

fn spelled<T: Serialize + Copy>(all: &[T], word: impl Fn(T) -> &'static str, expected: &[&str]) {
    let words: Vec<&str> = all.iter().map(|&one| word(one)).collect();
    assert_eq!(words, expected);
    assert_eq!(json!(all), json!(expected), "as records have it");
}

#[test]
fn a_value_has_one_spelling_in_records_events_and_decisions() {
    spelled(&Route::ALL, Route::as_str, &["low", "medium", "high"]);
    assert_eq!(Route::ALL.map(|route| route.to_string()), ["low", "medium", "high"]);
    spelled(&RouteSource::ALL, RouteSource::as_str, &["questionnaire", "chat_content", "human"]);
    let reasons = ["chat_risk", "phq9_item9", "phq9_total", "gad7_total", "form_trigger", "risk_cleared"];
    spelled(&RouteReason::ALL, RouteReason::as_str, &reasons);
    let sources = RouteReason::ALL.map(|reason| reason.source().as_str());
    assert_eq!(sources, ["chat_content", "questionnaire", "questionnaire", "questionnaire", "questionnaire", "human"]);
    let unknown = ["missing", "not_a_number", "out_of_range", "timeout", "failed", "exhausted", "incomplete"];
    spelled(&UnknownReason::ALL, UnknownReason::as_str, &unknown);
    let triggers = ["high_risk_direct", "suicide_intent", "turn_count", "not_ready"];
    spelled(&Trigger::ALL, Trigger::as_str, &triggers);
    spelled(&Structure::ALL, Structure::as_str, &["free", "outline", "slots", "script"]);
    spelled(&Instrument::ALL, Instrument::as_str, &["phq9", "gad7"]);
    spelled(&RiskClass::ALL, RiskClass::as_str, &["distress", "intent", "must_catch"]);
    let blocked = [
        "too_long",
        "prompt_canary",
        "phone_number",
        "url",
        "claims_human",
        "diagnosis",
        "prescription",
        "guarantee",
        "risk",
    ];
    spelled(&BlockReason::ALL, BlockReason::as_str, &blocked);
    spelled(&Resistance::ALL, Resistance::as_str, &["privacy", "time", "stigma", "doubt"]);
    let states = [
        "initial_suggestion",
        "detecting_resistance",
        "handling_resistance",
        "accepted",
        "rejected",
        "providing_resources",
    ];
    spelled(&ReferralState::ALL, ReferralState::as_str, &states);
    let outcomes = [ReferralOutcome::Accepted, ReferralOutcome::Rejected, ReferralOutcome::Interrupted];
    spelled(&outcomes, ReferralOutcome::as_str, &["accepted", "rejected", "interrupted"]);
    spelled(&SafetyAnswer::ALL, SafetyAnswer::key, &["with_someone", "alone", "not_safe"]);
    assert_eq!(SafetyAnswer::ALL.map(|answer| SafetyAnswer::from_key(answer.key())), SafetyAnswer::ALL.map(Some));
}
