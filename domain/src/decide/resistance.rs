//! `decide resistance`: how a message answers an offer.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Kind, Refusal, locales, read};
use crate::{control::referral::Answer, locale::Locale};

pub(super) const KIND: Kind =
    Kind { name: "resistance", about: "how a message answers an offer: objection, yes, no", decide };

#[derive(Deserialize)]
struct Input {
    message: String,
    locale: Option<Locale>,
}

fn decide(input: &Value) -> Result<Value, Refusal> {
    let Input { message, locale } = read(input, &["message", "locale"])?;
    let answer = Answer::read(&message, locales(locale.as_ref()));
    Ok(json!({
        "type": answer.resistance(),
        "also": answer.resistances().iter().skip(1).collect::<Vec<_>>(),
        "acceptance": answer.acceptance(),
        "refusal": answer.refusal(),
    }))
}
