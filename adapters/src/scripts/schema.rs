//! The JSON Schemas of scripts and scenarios, for editors.

use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Map, Value, json};

use super::shape::{Scenario, Script};

/// Returns the JSON Schema of a script.
pub fn schema() -> Value {
    schema_of::<Script>()
}

/// Returns the JSON Schema of a scenario.
pub fn scenario_schema() -> Value {
    schema_of::<Scenario>()
}

/// Returns the JSON Schema of a scenario as the text of its file, `docs/schema/scenario.schema.json`.
pub fn scenario_schema_text() -> String {
    format!("{:#}\n", scenario_schema())
}

/// Returns the JSON Schema of a script as the text of its file, `docs/schema/script.schema.json`.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>();
    RecursiveTransform(as_read).transform(&mut schema);
    let mut schema = schema.to_value();
    let mut first = Map::new();
    for key in ["$schema", "title", "description"] {
        first.extend(schema.as_object_mut().and_then(|object| object.shift_remove_entry(key)));
    }
    first.extend(schema.as_object().cloned().unwrap_or_default());
    first.into()
}

/// Says what the reader does: unknown keys are refused, and a key without a value is no absent key.
fn as_read(schema: &mut Schema) {
    if schema.remove("unevaluatedProperties").is_some() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({"type": "null"}));
        if let [only] = choices.as_slice() {
            let only = only.as_object().cloned().unwrap_or_default();
            object.shift_remove("anyOf");
            object.extend(only);
        }
    }
}
