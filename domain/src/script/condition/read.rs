//! What a condition reads and proves, for the checks at load.

use std::collections::BTreeSet;

use super::{Expression, Name, Operand};
use crate::variable::Operator;

/// A place where a condition reads a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameRead<'a> {
    /// The name and its place.
    pub name: &'a Name,
    /// Whether `exists(…)` reads it.
    pub exists: bool,
    /// Whether an unset value is provided for here: inside `exists(…)`, or where an earlier part proves that it is set.
    pub guarded: bool,
}

/// A comparison of a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison<'a> {
    /// The left side.
    pub left: &'a Operand,
    /// How the sides are compared.
    pub operator: Operator,
    /// The right side.
    pub right: &'a Operand,
    /// Where it stands in the source, in bytes.
    pub at: std::ops::Range<usize>,
}

pub(super) fn names(expression: &Expression) -> Vec<NameRead<'_>> {
    let mut found = Vec::new();
    collect(expression, &BTreeSet::new(), &mut found);
    found
}

pub(super) fn comparisons(expression: &Expression) -> Vec<Comparison<'_>> {
    match expression {
        Expression::Constant(_) | Expression::Exists(_) | Expression::Holds(_) => Vec::new(),
        Expression::Compare { left, operator, right, at } => {
            vec![Comparison { left, operator: *operator, right, at: at.clone() }]
        }
        Expression::Not(inner) => comparisons(inner),
        Expression::All(parts) | Expression::Any(parts) => parts.iter().flat_map(comparisons).collect(),
    }
}

/// Returns the names that are surely set if `expression` came out as `met`.
pub(super) fn proven(expression: &Expression, met: bool) -> BTreeSet<&str> {
    match (expression, met) {
        (Expression::Exists(name) | Expression::Holds(name), true) => [name.text.as_str()].into(),
        (Expression::Compare { left, right, .. }, true) => {
            [left, right].into_iter().filter_map(Operand::name).map(|name| name.text.as_str()).collect()
        }
        (Expression::Constant(_), _)
        | (Expression::Exists(_) | Expression::Holds(_) | Expression::Compare { .. }, false) => BTreeSet::new(),
        (Expression::Not(inner), met) => proven(inner, !met),
        (Expression::All(parts), true) | (Expression::Any(parts), false) => {
            parts.iter().flat_map(|part| proven(part, met)).collect()
        }
        (Expression::All(parts), false) | (Expression::Any(parts), true) => {
            let mut each = parts.iter().map(|part| proven(part, met));
            let first = each.next().unwrap_or_default();
            each.fold(first, |common, next| common.intersection(&next).copied().collect())
        }
    }
}

pub(super) fn constant(expression: &Expression) -> Option<bool> {
    match expression {
        Expression::Constant(truth) => Some(*truth),
        Expression::Exists(_) | Expression::Holds(_) | Expression::Compare { .. } => None,
        Expression::Not(inner) => constant(inner).map(|truth| !truth),
        Expression::All(parts) => decided(parts, false),
        Expression::Any(parts) => decided(parts, true),
    }
}

/// One part that comes out as `decisive` settles the whole.
fn decided(parts: &[Expression], decisive: bool) -> Option<bool> {
    let mut known = Some(!decisive);
    for part in parts {
        match constant(part) {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => known = None,
        }
    }
    known
}

fn collect<'a>(expression: &'a Expression, known: &BTreeSet<&'a str>, found: &mut Vec<NameRead<'a>>) {
    match expression {
        Expression::Constant(_) => {}
        Expression::Exists(name) => found.push(NameRead { name, exists: true, guarded: true }),
        Expression::Holds(name) => {
            found.push(NameRead { name, exists: false, guarded: known.contains(name.text.as_str()) });
        }
        Expression::Compare { left, right, .. } => {
            found.extend([left, right].into_iter().filter_map(Operand::name).map(|name| NameRead {
                name,
                exists: false,
                guarded: known.contains(name.text.as_str()),
            }));
        }
        Expression::Not(inner) => collect(inner, known, found),
        Expression::All(parts) => each(parts, true, known, found),
        Expression::Any(parts) => each(parts, false, known, found),
    }
}

/// A later part is only asked where each earlier one came out as `so_far`.
fn each<'a>(parts: &'a [Expression], so_far: bool, known: &BTreeSet<&'a str>, found: &mut Vec<NameRead<'a>>) {
    let mut known = known.clone();
    for part in parts {
        collect(part, &known, found);
        known.extend(proven(part, so_far));
    }
}

impl Operand {
    /// Returns the name, if it is one.
    pub fn name(&self) -> Option<&Name> {
        match self {
            Self::Name(name) => Some(name),
            Self::Literal(_) => None,
        }
    }
}
