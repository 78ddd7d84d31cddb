//! Partial JSON: what an expectation lists must be there, what it does not list may be anything.

use serde_json::Value;

/// Tells whether `actual` has everything that `expected` lists: keys of objects, all elements of lists, equal values.
pub fn matches(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().all(|(key, value)| actual.get(key).is_some_and(|found| matches(value, found)))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected.iter().zip(actual).all(|(expected, actual)| matches(expected, actual))
        }
        (Value::Number(expected), Value::Number(actual)) => expected.as_f64() == actual.as_f64(),
        _ => expected == actual,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::matches;

    #[test]
    fn what_is_listed_must_be_there_and_the_rest_may_be_anything() {
        let actual = json!({"a": 1, "b": [{"c": 2, "d": 3}, null]});
        for fits in [json!({}), json!({"a": 1.0}), json!({"b": [{"c": 2}, null]})] {
            assert!(matches(&fits, &actual), "{fits}");
        }
        for fails in [json!({"a": 2}), json!({"z": null}), json!({"b": [{"c": 2}]}), json!([]), json!({"b": [{}, {}]})]
        {
            assert!(!matches(&fails, &actual), "{fails}");
        }
    }
}
