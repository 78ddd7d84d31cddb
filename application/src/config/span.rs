//! Spans of time as people write them, always with their unit: `30s`, `15min`.

use std::{fmt, str::FromStr, time::Duration};

use serde::Deserialize;

/// The units, and how many milliseconds each has.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)];
/// The shortest and the longest span that can be set.
const BOUNDS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_hours(24));

/// A span of time that was set: between 100 ms and 24 h.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Span(Duration);

/// The text is no span of time that can be set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SpanInvalid {
    /// A number alone says nothing.
    NoUnit(u64),
    /// Neither number nor unit.
    Unreadable,
    /// Too short or too long.
    OutOfBounds,
}

impl Span {
    pub(crate) const fn duration(self) -> Duration {
        self.0
    }
}

impl FromStr for Span {
    type Err = SpanInvalid;

    fn from_str(text: &str) -> Result<Self, SpanInvalid> {
        let text = text.trim();
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let number: u64 = number.parse().map_err(|_no_number| SpanInvalid::Unreadable)?;
        if unit.is_empty() {
            return Err(SpanInvalid::NoUnit(number));
        }
        let unit = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or(SpanInvalid::Unreadable)?;
        let span = Duration::from_millis(number.saturating_mul(unit.1));
        if (BOUNDS.0..=BOUNDS.1).contains(&span) { Ok(Self(span)) } else { Err(SpanInvalid::OutOfBounds) }
    }
}

impl TryFrom<String> for Span {
    type Error = SpanInvalid;

    fn try_from(text: String) -> Result<Self, SpanInvalid> {
        text.parse()
    }
}

impl fmt::Display for SpanInvalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoUnit(number) => {
                write!(f, "{number} of what? write {number}ms, {number}s, {number}min or {number}h")
            }
            Self::Unreadable => f.write_str("write a whole number and its unit, ms, s, min or h, such as 15min"),
            Self::OutOfBounds => f.write_str("write a span from 100ms to 24h"),
        }
    }
}

impl std::error::Error for SpanInvalid {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_a_number_and_a_unit() {
        let rows = [
            ("15min", Ok(Span(Duration::from_mins(15)))),
            (" 250 ms ", Ok(Span(Duration::from_millis(250)))),
            ("24h", Ok(Span(Duration::from_hours(24)))),
            ("15", Err(SpanInvalid::NoUnit(15))),
            ("15 minutes", Err(SpanInvalid::Unreadable)),
            ("1.5h", Err(SpanInvalid::Unreadable)),
            ("-1s", Err(SpanInvalid::Unreadable)),
            ("", Err(SpanInvalid::Unreadable)),
            ("99ms", Err(SpanInvalid::OutOfBounds)),
            ("25h", Err(SpanInvalid::OutOfBounds)),
            ("18446744073709551615h", Err(SpanInvalid::OutOfBounds)),
        ];
        for (text, expected) in rows {
            assert_eq!(text.parse::<Span>(), expected, "{text}");
        }
    }
}
