//! `decide risk`: what the lexical floor finds in a text.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Kind, Refusal, locales, read};
use crate::{
    control::{RiskScore, floor},
    locale::Locale,
};

pub(super) const KIND: Kind = Kind { name: "risk", about: "what the lexical floor finds in a text", decide };

#[derive(Deserialize)]
struct Input {
    text: String,
    locale: Option<Locale>,
}

fn decide(input: &Value) -> Result<Value, Refusal> {
    let Input { text, locale } = read(input, &["text", "locale"])?;
    let found = floor::scan_in(&text, locales(locale.as_ref()));
    Ok(json!({
        "score": found.as_ref().map_or(RiskScore::NONE, |finding| finding.class.score()),
        "class": found.as_ref().map(|finding| finding.class),
        "matched_rule": found.as_ref().map(|finding| &finding.rule),
    }))
}
