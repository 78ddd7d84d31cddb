//! Free JSON on the wire, as `google.protobuf.Value` and `Struct`, and how messages are written as JSON.
//!
//! These stand for the well-known types, byte for byte; they are our own so that they turn into JSON and back, and do
//! not show in `Debug` what they hold. The wire knows one kind of number, so that a whole number comes back as an
//! integer if a float holds it exactly.

use std::collections::BTreeMap;

use prost_types::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Number};

use crate::v1::{Event, event};

/// The whole numbers that a float holds exactly, up to this one.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Any JSON value: `google.protobuf.Value`.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(skip_debug)]
pub struct Value {
    /// What it is; absent means null.
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6")]
    pub kind: Option<Kind>,
}

/// What a JSON value is.
#[derive(Clone, PartialEq, prost::Oneof)]
#[prost(skip_debug)]
pub enum Kind {
    /// Null; the number means nothing.
    #[prost(int32, tag = "1")]
    Null(i32),
    /// A number.
    #[prost(double, tag = "2")]
    Number(f64),
    /// A text.
    #[prost(string, tag = "3")]
    String(String),
    /// True or false.
    #[prost(bool, tag = "4")]
    Bool(bool),
    /// Named values.
    #[prost(message, tag = "5")]
    Struct(Struct),
    /// Values in order.
    #[prost(message, tag = "6")]
    List(List),
}

/// A JSON object: `google.protobuf.Struct`.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(skip_debug)]
pub struct Struct {
    /// Its fields.
    #[prost(btree_map = "string, message", tag = "1")]
    pub fields: BTreeMap<String, Value>,
}

/// A JSON array: `google.protobuf.ListValue`.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(skip_debug)]
pub struct List {
    /// Its values.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<Value>,
}

crate::debug::by_size! {
    Value,
    Struct,
    List,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kind")
    }
}

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        let kind = match json {
            serde_json::Value::Null => Kind::Null(0),
            serde_json::Value::Bool(truth) => Kind::Bool(*truth),
            serde_json::Value::Number(number) => Kind::Number(number.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => Kind::String(text.clone()),
            serde_json::Value::Array(items) => Kind::List(List { values: items.iter().map(Self::from).collect() }),
            serde_json::Value::Object(fields) => Kind::Struct(Struct::from(fields)),
        };
        Self { kind: Some(kind) }
    }
}

impl From<&Map<String, serde_json::Value>> for Struct {
    fn from(json: &Map<String, serde_json::Value>) -> Self {
        Self { fields: json.iter().map(|(name, value)| (name.clone(), value.into())).collect() }
    }
}

impl From<Value> for serde_json::Value {
    fn from(value: Value) -> Self {
        match value.kind {
            None | Some(Kind::Null(_)) => Self::Null,
            Some(Kind::Bool(truth)) => Self::Bool(truth),
            Some(Kind::Number(number)) => number_of(number),
            Some(Kind::String(text)) => Self::String(text),
            Some(Kind::List(list)) => Self::Array(list.values.into_iter().map(Self::from).collect()),
            Some(Kind::Struct(fields)) => Self::Object(fields.into()),
        }
    }
}

impl From<Struct> for Map<String, serde_json::Value> {
    fn from(object: Struct) -> Self {
        object.fields.into_iter().map(|(name, value)| (name, value.into())).collect()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::Value::from(self.clone()).serialize(serializer)
    }
}

impl Serialize for Struct {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            seq: u64,
            turn: u32,
            #[serde(serialize_with = "time")]
            at: &'a Option<Timestamp>,
            #[serde(flatten)]
            body: &'a Option<event::Body>,
        }
        Line { seq: self.seq, turn: self.turn, at: &self.at, body: &self.body }.serialize(serializer)
    }
}

/// Writes a point in time as RFC 3339 with milliseconds, as all JSON of Steersman does.
#[expect(clippy::ref_option, reason = "serde calls it with a reference to the field")]
pub(crate) fn time<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(at) = at else { return serializer.serialize_none() };
    let whole = Timestamp { seconds: at.seconds, nanos: 0 }.to_string();
    let seconds = whole.strip_suffix('Z').unwrap_or(&whole);
    serializer.collect_str(&format_args!("{seconds}.{:03}Z", at.nanos / 1_000_000))
}

/// JSON has no NaN and no infinity: those are null.
fn number_of(number: f64) -> serde_json::Value {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough to be exact")]
    if number.fract() == 0.0 && number.abs() <= MAX_EXACT {
        return serde_json::Value::from(number as i64);
    }
    Number::from_f64(number).map_or(serde_json::Value::Null, serde_json::Value::Number)
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_passes_the_wire_and_comes_back_the_same() {
        let values = [
            json!(null),
            json!({"a": [1, 2.5, -3, "text", true, null, {"b": []}], "": 0}),
            json!(9_007_199_254_740_992_u64),
            json!("字"),
        ];
        for json in values {
            let bytes = Value::from(&json).encode_to_vec();
            let read = Value::decode(bytes.as_slice()).unwrap();
            assert_eq!(serde_json::Value::from(read.clone()), json);
            assert_eq!(serde_json::to_value(&read).unwrap(), json);
        }
    }

    #[test]
    fn these_are_the_well_known_types_byte_for_byte() {
        let json = json!({"list": [1.5, "a", false, null], "object": {"c": 1}});
        let bytes = Value::from(&json).encode_to_vec();
        let theirs = prost_types::Value::decode(bytes.as_slice()).unwrap();
        assert_eq!(theirs.encode_to_vec(), bytes);
        let Some(prost_types::value::Kind::StructValue(fields)) = theirs.kind else { panic!("an object") };
        assert!(
            matches!(&fields.fields["list"].kind, Some(prost_types::value::Kind::ListValue(list)) if list.values.len() == 4)
        );
    }

    #[test]
    fn what_json_cannot_say_is_null_and_debug_says_nothing() {
        for number in [f64::NAN, f64::INFINITY] {
            assert_eq!(serde_json::Value::from(Value { kind: Some(Kind::Number(number)) }), json!(null));
        }
        let shown = format!("{:?}", Value::from(&json!("my secret")));
        assert_eq!(shown, "Value(11 bytes)");
    }

    #[test]
    fn time_is_written_with_milliseconds() {
        let write = |seconds, nanos| {
            let mut out = Vec::new();
            time(&Some(Timestamp { seconds, nanos }), &mut serde_json::Serializer::new(&mut out)).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(write(0, 0), "\"1970-01-01T00:00:00.000Z\"");
        assert_eq!(write(1, 20_000_000), "\"1970-01-01T00:00:01.020Z\"");
    }
}
