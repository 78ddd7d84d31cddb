//! Fits the schema of a reply to what a provider can hold a model to.
//!
//! Where every key has to be given, as with `OpenAI`, a key that may be missing may be `null` instead: otherwise the
//! model would have to make up values that nobody named.

use serde_json::{Map, Value, json};

use crate::llm::Provider;

/// A key that is a plain yes or no in every reply: asking for `null` there would gain nothing.
const ALWAYS_GIVEN: &str = "EXIT";
/// The types that a value without a declared type may have.
const PLAIN_TYPES: [&str; 3] = ["string", "number", "boolean"];

/// Returns the schema as `provider` takes it; `None` if it cannot say what is meant, as an object with any keys.
pub(super) fn fitted(schema: &Value, provider: Provider) -> Option<Value> {
    match provider {
        Provider::OpenAi => closed(schema, Missing::Null),
        Provider::Anthropic => closed(schema, Missing::Absent),
        Provider::Gemini | Provider::Ollama => Some(schema.clone()),
    }
}

/// How a reply leaves a key out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Null,
    Absent,
}

fn closed(schema: &Value, missing: Missing) -> Option<Value> {
    let schema = schema.as_object()?;
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => closed_object(schema, missing),
        Some("array") => {
            let mut list = schema.clone();
            let items = match schema.get("items") {
                Some(items) => closed(items, missing)?,
                None => json!({"type": PLAIN_TYPES}),
            };
            list.insert("items".to_owned(), items);
            Some(list.into())
        }
        Some(_) => Some(schema.clone().into()),
        None => {
            let mut typed = schema.clone();
            let of = if schema.contains_key("enum") { json!("string") } else { json!(PLAIN_TYPES) };
            typed.insert("type".to_owned(), of);
            Some(typed.into())
        }
    }
}

fn closed_object(schema: &Map<String, Value>, missing: Missing) -> Option<Value> {
    // Without names it may hold any key, which a closed schema cannot say.
    let properties = schema.get("properties")?.as_object()?;
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fitted = Map::new();
    for (name, property) in properties {
        let property = closed(property, missing)?;
        let is_optional = !required.contains(&name.as_str()) && name != ALWAYS_GIVEN;
        fitted
            .insert(name.clone(), if is_optional && missing == Missing::Null { nullable(property) } else { property });
    }
    let mut object = schema.clone();
    if missing == Missing::Null {
        object.insert("required".to_owned(), fitted.keys().cloned().collect());
    }
    object.insert("properties".to_owned(), fitted.into());
    object.insert("additionalProperties".to_owned(), json!(false));
    Some(object.into())
}

fn nullable(mut schema: Value) -> Value {
    let types = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().cloned().chain([json!("null")]).collect(),
        Some(one) => json!([one, "null"]),
        None => return schema,
    };
    schema["type"] = types;
    if let Some(Value::Array(allowed)) = schema.get_mut("enum") {
        allowed.push(Value::Null);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply() -> Value {
        json!({"type": "object", "required": ["reply"], "properties": {
            "reply": {"type": "string"},
            "EXIT": {"type": "boolean"},
            "variables": {"type": "object", "properties": {
                "often": {"description": "how often"}, "days": {"type": "array"}, "n": {"type": "number"},
            }},
            "progress": {"enum": ["completed", "blocked"]},
        }})
    }

    #[test]
    fn where_every_key_must_be_given_what_may_be_missing_may_be_null() {
        let expected = json!({"type": "object", "required": ["reply", "EXIT", "variables", "progress"], "properties": {
            "reply": {"type": "string"},
            "EXIT": {"type": "boolean"},
            "variables": {"type": ["object", "null"], "properties": {
                "often": {"description": "how often", "type": ["string", "number", "boolean", "null"]},
                "days": {"type": ["array", "null"], "items": {"type": ["string", "number", "boolean"]}},
                "n": {"type": ["number", "null"]},
            }, "required": ["often", "days", "n"], "additionalProperties": false},
            "progress": {"enum": ["completed", "blocked", null], "type": ["string", "null"]},
        }, "additionalProperties": false});
        assert_eq!(fitted(&reply(), Provider::OpenAi), Some(expected));
    }

    #[test]
    fn where_keys_may_be_missing_nothing_is_null_and_the_reply_stays_first() {
        let fitted = fitted(&reply(), Provider::Anthropic).unwrap();
        assert_eq!(fitted["required"], json!(["reply"]));
        assert_eq!(fitted["properties"]["variables"]["additionalProperties"], json!(false));
        assert!(!fitted.to_string().contains("null"));
        assert_eq!(fitted["properties"].as_object().unwrap().keys().next().unwrap(), "reply");
    }

    #[test]
    fn an_object_with_any_keys_cannot_be_held_to_a_closed_schema() {
        let open = json!({"type": "object", "properties": {"variables": {"type": "object", "properties": {
            "address": {"type": "object"}}}}});
        assert_eq!(fitted(&open, Provider::OpenAi), None);
        assert_eq!(fitted(&json!({"type": "object"}), Provider::Anthropic), None);
        assert_eq!(fitted(&open, Provider::Gemini), Some(open));
    }
}
