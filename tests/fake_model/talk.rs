//! What a fake model says when nobody told it what: thanks for the answer, which it takes for every value it is asked
//! for.

use serde_json::{Map, Value, json};

/// The places in a request where the providers' protocols have the schema of the reply.
const SCHEMAS: [&str; 3] =
    ["/response_format/json_schema/schema", "/output_config/format/schema", "/generationConfig/responseJsonSchema"];
/// The most characters of an answer that are repeated.
const REPEATED_CHARS: usize = 60;

/// Returns a reply to a request.
pub(super) fn reply(asked: &Value) -> String {
    let answer: String = last_answer(asked).unwrap_or_default().chars().take(REPEATED_CHARS).collect();
    let schema = SCHEMAS.iter().find_map(|place| asked.pointer(place));
    let keys = schema.and_then(|schema| schema.get("properties")?.as_object());
    let judges = keys.is_none_or(|keys| keys.contains_key("EXIT"));
    let mut reply = Map::new();
    if judges {
        reply.insert("reply".to_owned(), json!(format!("Thank you. I understand: “{answer}”.")));
        reply.insert("EXIT".to_owned(), json!(true));
        reply.insert("BRIEF".to_owned(), json!(answer));
    } else if keys.is_some_and(|keys| keys.contains_key("reply")) {
        reply.insert("reply".to_owned(), json!("Let us talk about this. What comes to mind first?"));
    }
    let values = keys.and_then(|keys| keys.get("variables")?.get("properties")?.as_object()).into_iter().flatten();
    let values: Map<String, Value> =
        values.filter(|(_, field)| takes_text(field)).map(|(name, _)| (name.clone(), json!(answer))).collect();
    if !values.is_empty() {
        reply.insert("variables".to_owned(), values.into());
    }
    Value::Object(reply).to_string()
}

fn takes_text(field: &Value) -> bool {
    match field.get("type") {
        None => true,
        Some(Value::Array(types)) => types.iter().any(|one| one == "string"),
        Some(one) => one == "string",
    }
}

/// Finds what the person said last, in any of the protocols.
fn last_answer(asked: &Value) -> Option<&str> {
    let messages = asked.get("messages").or_else(|| asked.get("contents"))?.as_array()?;
    let last = messages.iter().rev().find(|message| message.get("role").is_some_and(|role| role == "user"))?;
    last.get("content").and_then(Value::as_str).or_else(|| last.pointer("/parts/0/text")?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_for_every_text_that_is_asked_for() {
        let schema = json!({"properties": {"reply": {}, "EXIT": {}, "variables": {"properties": {
            "often": {"type": ["string", "null"]}, "days": {"type": "number"}}}}});
        let asked = json!({
            "messages": [{"role": "user", "content": "every night"}, {"role": "assistant", "content": "?"}],
            "response_format": {"json_schema": {"schema": schema}},
        });
        let reply: Value = serde_json::from_str(&reply(&asked)).unwrap();
        assert_eq!(reply["variables"], json!({"often": "every night"}));
        assert_eq!(reply["EXIT"], json!(true));
    }

    #[test]
    fn what_was_said_is_found_in_every_protocol() {
        let gemini = json!({"contents": [{"role": "user", "parts": [{"text": "a"}]}]});
        assert_eq!(last_answer(&gemini), Some("a"));
        assert_eq!(last_answer(&json!({"messages": []})), None);
    }
}
