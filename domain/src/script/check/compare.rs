//! Comparisons that can never hold because of their kinds. Only an explicit `type:` and a literal have a kind here.

use super::{
    notes::{Compares, Notes, Place, Write},
    text::printable,
};
use crate::{
    script::{Comparison, Operand, defect::Defect, draft::Span},
    variable::{Compared, Kind, Operator, Value},
};

pub(super) fn check(notes: &Notes, defects: &mut Vec<Defect>) {
    for compares in &notes.compares {
        match compares {
            Compares::Condition { condition, span, place, at } => {
                for comparison in condition.comparisons() {
                    let sides = [comparison.left, comparison.right].map(|side| Side::of(notes, side, *place, *at));
                    defects.extend(mismatch(&sides, &comparison, *span));
                }
            }
            Compares::Criteria { name, operator, value, span, place, at } => {
                let Some(kind) = notes.explicit_kind(name, *place, *at) else { continue };
                let sides = [Side::Typed(name, kind), Side::Literal(value)];
                if !can_hold(&sides, *operator) {
                    defects.push(refused(&sides, *operator, *span));
                }
            }
        }
    }
    for write in &notes.writes {
        defects.extend(unfit(notes, write));
    }
}

/// One side of a comparison, as far as its kind is known.
enum Side<'a> {
    Unknown,
    Typed(&'a str, Kind),
    Literal(&'a Value),
}

impl<'a> Side<'a> {
    fn of(notes: &Notes, operand: &'a Operand, place: Place, at: u32) -> Self {
        match operand {
            Operand::Literal(value) => Self::Literal(value),
            Operand::Name(name) => {
                notes.explicit_kind(&name.text, place, at).map_or(Self::Unknown, |kind| Self::Typed(&name.text, kind))
            }
        }
    }

    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Unknown => None,
            Self::Typed(_, kind) => Some(*kind),
            Self::Literal(value) => Some(value.kind()),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Unknown => "a value".to_owned(),
            Self::Typed(name, kind) => format!("`{}` (type {})", printable(name), kind.as_str()),
            Self::Literal(value) => format!("a {}", value.kind().as_str()),
        }
    }
}

fn mismatch(sides: &[Side<'_>; 2], comparison: &Comparison<'_>, span: Span) -> Option<Defect> {
    (!can_hold(sides, comparison.operator))
        .then(|| refused(sides, comparison.operator, span).within(comparison.at.clone()))
}

fn refused(sides: &[Side<'_>; 2], operator: Operator, span: Span) -> Defect {
    let message =
        format!("{} and {} can never be compared with `{}`", sides[0].words(), sides[1].words(), operator.as_str());
    Defect::error("type_mismatch", span, message).hint("compare values of one type, or change the `type:`")
}

/// Tells whether some values of these kinds compare.
fn can_hold(sides: &[Side<'_>; 2], operator: Operator) -> bool {
    let [Some(left), Some(right)] = [sides[0].kind(), sides[1].kind()] else { return true };
    let number_and_text = |kind| matches!(kind, Kind::Number | Kind::String);
    if operator == Operator::Contains {
        return match left {
            Kind::List => !matches!(right, Kind::List | Kind::Object),
            Kind::String | Kind::Number => number_and_text(right),
            Kind::Boolean | Kind::Object | Kind::Null => false,
        };
    }
    let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
    match (left, right) {
        (Kind::Number, Kind::String) | (Kind::String, Kind::Number) => match sides {
            [Side::Literal(text), _] | [_, Side::Literal(text)] if text.kind() == Kind::String => {
                operator.compare(Some(&Value::new(0)), Some(text)) != Compared::Mismatch
            }
            _ => true,
        },
        (Kind::Number, Kind::Number) | (Kind::String, Kind::String) => true,
        (left, right) => equality && left == right,
    }
}

/// A fixed value that the explicit kind of its variable does not take.
fn unfit(notes: &Notes, write: &Write) -> Option<Defect> {
    let literal = write.literal.as_ref().filter(|literal| literal.sets())?;
    let kind = notes.explicit_kind(&write.name, write.place, write.at)?;
    literal.clone().convert(kind).is_none().then(|| {
        let (is, wanted) = (literal.kind().as_str(), kind.as_str());
        let message = format!("`{}` has type {wanted}, it cannot be set to a {is}", printable(&write.name));
        Defect::error("type_mismatch", write.span, message).hint(format!("write a {wanted}, or change the `type:`"))
    })
}
