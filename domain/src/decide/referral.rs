//! `decide referral`: one step of a referral from a given state, or all steps from the start.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Kind, Refusal, read};
use crate::{
    control::referral::{Answer, MAX_PERSUASIONS, Referral, ReferralState, ReferralStep, Resistance},
    locale::Locale,
};

pub(super) const KIND: Kind =
    Kind { name: "referral", about: "one step of a referral, or all steps from the start", decide };

#[derive(Deserialize)]
struct Course {
    messages: Vec<String>,
    max_persuasions: Option<u32>,
}

#[derive(Deserialize)]
struct Moment {
    state: ReferralState,
    persuasions: u32,
    max_persuasions: Option<u32>,
    offered: Option<bool>,
    #[serde(default)]
    reoffered: bool,
    last_type: Option<Resistance>,
    message: String,
}

fn decide(input: &Value) -> Result<Value, Refusal> {
    if input.get("messages").is_some() {
        let Course { messages, max_persuasions } = read(input, &["messages", "max_persuasions"])?;
        let mut referral = Referral::new(max_persuasions.unwrap_or(MAX_PERSUASIONS));
        let steps = messages.iter().map(|message| written(&referral.step(&Answer::read(message, &Locale::ALL))));
        return Ok(json!({"steps": steps.collect::<Vec<_>>()}));
    }
    let keys = ["state", "persuasions", "max_persuasions", "offered", "reoffered", "last_type", "message"];
    let moment: Moment = read(input, &keys)?;
    // Before the first suggestion nothing was offered, unless the case says that it was.
    let offered = moment.offered.unwrap_or(moment.state != ReferralState::InitialSuggestion);
    let max_persuasions = moment.max_persuasions.unwrap_or(MAX_PERSUASIONS);
    let (state, persuasions) = (moment.state, moment.persuasions);
    let mut referral = Referral::at(state, persuasions, max_persuasions, offered, moment.reoffered, moment.last_type);
    Ok(written(&referral.step(&Answer::read(&moment.message, &Locale::ALL))))
}

fn written(step: &ReferralStep) -> Value {
    json!({
        "state": step.state,
        "type": step.resistance,
        "addressed": step.addressed,
        "reply": step.reply,
        "persuasions": step.persuasions,
    })
}
