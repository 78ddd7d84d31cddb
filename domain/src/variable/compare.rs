//! How two values compare: total, typed, never an error. Conditions and exit criteria share it.

use std::{cmp::Ordering, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::Value;

/// A comparison that scripts may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Operator {
    /// The same value.
    #[serde(rename = "==")]
    Equal,
    /// Another value.
    #[serde(rename = "!=")]
    NotEqual,
    /// Smaller.
    #[serde(rename = "<")]
    Less,
    /// Smaller or the same.
    #[serde(rename = "<=")]
    LessOrEqual,
    /// Greater.
    #[serde(rename = ">")]
    Greater,
    /// Greater or the same.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// A text within a text, or a member of a list.
    #[serde(rename = "contains")]
    Contains,
}

/// How a comparison came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// It holds.
    Met,
    /// It does not hold.
    Unmet,
    /// The two kinds cannot be compared so, or a side is unset: counts as not holding.
    Mismatch,
}

impl Operator {
    /// All operators, as a message lists them.
    pub const ALL: [Self; 7] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Contains,
    ];

    /// Returns the operator as scripts write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Contains => "contains",
        }
    }

    /// Compares `left` with `right`; `None` and `null` are unset and never compare.
    ///
    /// Numbers compare as numbers, also when one side is a numeric text; two other texts by code point; booleans, lists
    /// and objects only for being the same. Values of different kinds are a mismatch, for `!=` too.
    pub fn compare(self, left: Option<&Value>, right: Option<&Value>) -> Compared {
        let (Some(left), Some(right)) = (left, right) else { return Compared::Mismatch };
        if left.json().is_null() || right.json().is_null() {
            return Compared::Mismatch;
        }
        match self {
            Self::Contains => contains(left, right),
            Self::Equal => equal(left, right),
            Self::NotEqual => match equal(left, right) {
                Compared::Met => Compared::Unmet,
                Compared::Unmet => Compared::Met,
                Compared::Mismatch => Compared::Mismatch,
            },
            Self::Less => ordered(left, right, Ordering::is_lt),
            Self::LessOrEqual => ordered(left, right, Ordering::is_le),
            Self::Greater => ordered(left, right, Ordering::is_gt),
            Self::GreaterOrEqual => ordered(left, right, Ordering::is_ge),
        }
    }
}

impl Compared {
    /// Tells whether the comparison holds.
    pub const fn holds(self) -> bool {
        matches!(self, Self::Met)
    }

    const fn of(holds: bool) -> Self {
        if holds { Self::Met } else { Self::Unmet }
    }
}

impl FromStr for Operator {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|operator| operator.as_str() == text).ok_or(())
    }
}

fn equal(left: &Value, right: &Value) -> Compared {
    if let Some(order) = numeric_order(left, right) {
        return Compared::of(order.is_eq());
    }
    if left.kind() == right.kind() { Compared::of(left == right) } else { Compared::Mismatch }
}

fn ordered(left: &Value, right: &Value, holds: fn(Ordering) -> bool) -> Compared {
    if let Some(order) = numeric_order(left, right) {
        return Compared::of(holds(order));
    }
    match (left.json(), right.json()) {
        (Json::String(left), Json::String(right)) => Compared::of(holds(left.chars().cmp(right.chars()))),
        _ => Compared::Mismatch,
    }
}

/// Returns the order as numbers if at least one side is a number and the other is one or reads as one.
fn numeric_order(left: &Value, right: &Value) -> Option<Ordering> {
    if !left.json().is_number() && !right.json().is_number() {
        return None;
    }
    match (left.json().as_i64(), right.json().as_i64()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_number()?.partial_cmp(&right.as_number()?),
    }
}

fn contains(left: &Value, right: &Value) -> Compared {
    match (left.json(), right.json()) {
        (Json::Array(_), Json::Array(_) | Json::Object(_)) => Compared::Mismatch,
        (Json::Array(members), _) => {
            Compared::of(members.iter().any(|member| equal(&Value::new(member.clone()), right).holds()))
        }
        (Json::String(_) | Json::Number(_), Json::String(_) | Json::Number(_)) => {
            Compared::of(left.spoken().contains(&right.spoken()))
        }
        _ => Compared::Mismatch,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compare(left: Json, operator: &str, right: Json) -> Compared {
        let operator: Operator = operator.parse().unwrap();
        operator.compare(Some(&Value::new(left)), Some(&Value::new(right)))
    }

    #[test]
    fn numbers_compare_as_numbers_also_when_one_side_is_a_numeric_text() {
        assert_eq!(compare(json!(10), ">", json!(9)), Compared::Met);
        assert_eq!(compare(json!("10"), ">", json!(9)), Compared::Met);
        assert_eq!(compare(json!("10"), ">", json!("9")), Compared::Unmet);
        assert_eq!(compare(json!(1.0), "==", json!("1")), Compared::Met);
        assert_eq!(compare(json!(3), "==", json!("three")), Compared::Mismatch);
    }

    #[test]
    fn values_of_different_kinds_never_hold_and_unset_never_compares() {
        assert_eq!(compare(json!(true), "==", json!("true")), Compared::Mismatch);
        assert_eq!(compare(json!(true), "!=", json!("true")), Compared::Mismatch);
        assert_eq!(compare(json!(null), "==", json!(null)), Compared::Mismatch);
        assert_eq!(Operator::NotEqual.compare(None, Some(&Value::new(1))), Compared::Mismatch);
        assert_eq!(compare(json!([1]), "<", json!([2])), Compared::Mismatch);
    }

    #[test]
    fn contains_finds_a_text_in_a_text_and_a_member_in_a_list() {
        assert_eq!(compare(json!("失眠三年"), "contains", json!("失眠")), Compared::Met);
        assert_eq!(compare(json!("room 12"), "contains", json!(12)), Compared::Met);
        assert_eq!(compare(json!(["a", "b"]), "contains", json!("b")), Compared::Met);
        assert_eq!(compare(json!([1, 2]), "contains", json!("2")), Compared::Met);
        assert_eq!(compare(json!(["ab"]), "contains", json!("b")), Compared::Unmet);
        assert_eq!(compare(json!(true), "contains", json!("t")), Compared::Mismatch);
    }
}
