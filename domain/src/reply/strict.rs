//! Finds the one JSON object in a model's text. Duplicate keys, at any depth, are no object.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// How many places of a text are tried as the start of an object.
const TRIES: usize = 16;

/// Returns the first object in `text` that `wanted` accepts.
pub(super) fn object_in(text: &str, wanted: impl Fn(&Map<String, Value>) -> bool) -> Option<Map<String, Value>> {
    let mut from = 0;
    for _ in 0..TRIES {
        let at = from + text[from..].find('{')?;
        let length = outermost(&text[at..]);
        match first_object(&text[at..at + length]) {
            Some(object) if wanted(&object) => return Some(object),
            _ => from = at + length,
        }
    }
    None
}

/// Returns how much of a text that begins with a brace is to be tried or passed over as one piece.
///
/// What begins like an object ends with its brace, or with the text if it was cut off: an object within a broken one is
/// never taken for the reply. A brace that begins no object is passed over alone.
fn outermost(text: &str) -> usize {
    if !text[1..].trim_start().starts_with(['"', '}']) {
        return 1;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '{' if !in_string => depth += 1,
            '}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn first_object(text: &str) -> Option<Map<String, Value>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Strict>();
    match values.next()?.ok()?.0 {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// A JSON value without duplicate keys.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value without duplicate keys")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if object.insert(key, value).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(Value::Object(object))
    }
}
