//! The JSON Schema of scripts, for editors.

use schemars::{
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::Value;

use super::shape::Script;

/// Returns the JSON Schema of a script.
pub fn schema() -> Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Script>();
    RecursiveTransform(close).transform(&mut schema);
    schema.to_value()
}

/// Returns the JSON Schema of a script as the text of its file, `docs/schema/script.schema.json`.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

/// Forbids unknown keys in a way that editors understand.
fn close(schema: &mut schemars::Schema) {
    if schema.remove("unevaluatedProperties").is_some() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
}
