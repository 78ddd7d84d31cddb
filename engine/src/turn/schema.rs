//! The JSON Schema of a reply, for models that can be held to one. `reply` comes first, so that it can be streamed.

use serde_json::{Map, Value, json};
use steersman_domain::session::{Brief, Purpose};

use super::prompt::schema_type;

/// Returns the schema of the reply to a call.
pub(super) fn of(brief: &Brief) -> Value {
    match brief.purpose {
        Purpose::Judging => judging(brief),
        Purpose::Speaking => {
            let mut keys = Map::from_iter([("reply".to_owned(), json!({"type": "string"}))]);
            if brief.fills_while_speaking() {
                keys.insert("variables".to_owned(), variables(brief));
            }
            object(keys, &["reply"])
        }
        Purpose::Thinking | Purpose::Extraction => {
            object(Map::from_iter([("variables".to_owned(), variables(brief))]), &["variables"])
        }
        Purpose::IntentReading | Purpose::StrategyGeneration | Purpose::Planning => json!({"type": "object"}),
    }
}

fn judging(brief: &Brief) -> Value {
    let level = json!({"enum": ["high", "medium", "low"]});
    let keys = json!({
        "reply": {"type": "string"},
        "EXIT": {"type": "boolean"},
        "exit_reason": {"type": "string"},
        "BRIEF": {"type": "string"},
        "variables": variables(brief),
        "progress": {"enum": ["continue_needed", "completed", "blocked", "declined", "off_topic"]},
        "blocked_by": {"enum": ["emotion", "refusal", "confusion", "relation", "other"]},
        "reply_relevance": level,
        "cooperation": level,
        "emotion": {
            "type": "object",
            "properties": {"label": {"type": "string"}, "intensity": {"type": "number"}},
        },
        "assessment": {
            "type": "object",
            "properties": {"understanding_level": {"type": "number"}, "has_questions": {"type": "boolean"}},
        },
        "drift": {
            "type": "object",
            "properties": {
                "valuable": {"type": "boolean"},
                "cause": {"enum": ["confusion", "avoidance", "relation", "none"]},
            },
        },
        "should_exit": {"type": "boolean"},
    });
    match keys {
        Value::Object(keys) => object(keys, &["reply"]),
        other => other,
    }
}

fn variables(brief: &Brief) -> Value {
    let fields = brief.outputs.iter().map(|output| {
        let mut field = Map::new();
        if let Some(kind) = output.kind {
            field.insert("type".to_owned(), schema_type(kind).into());
        }
        if let Some(define) = &output.define {
            field.insert("description".to_owned(), define.as_str().into());
        }
        (output.name.as_str().to_owned(), Value::Object(field))
    });
    let fields: Map<_, _> = fields.collect();
    match &brief.collect {
        None => object(fields, &[]),
        Some(list) => {
            let records = json!({"type": "array", "items": object(fields, &[])});
            object(Map::from_iter([(list.as_str().to_owned(), records)]), &[])
        }
    }
}

fn object(properties: Map<String, Value>, required: &[&str]) -> Value {
    let mut schema =
        Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), properties.into())]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.into()
}
