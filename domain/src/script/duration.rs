//! Spans of time as scripts write them: `30s`, `2min`, `1h`, `30d`.

use std::time::Duration;

/// Returns the seconds of a unit.
pub(super) fn seconds(unit: &str) -> Option<u32> {
    match unit {
        "s" => Some(1),
        "min" => Some(60),
        "h" => Some(3600),
        "d" => Some(86_400),
        _ => None,
    }
}

/// Reads a whole number with its unit.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let count: u64 = text[..digits].parse().ok()?;
    let unit = seconds(&text[digits..])?;
    count.checked_mul(unit.into()).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_of_time_is_a_whole_number_and_a_unit() {
        let cases = [
            ("30s", Some(30)),
            ("2min", Some(120)),
            ("1h", Some(3600)),
            ("30d", Some(2_592_000)),
            ("30", None),
            ("s", None),
            ("1.5h", None),
            ("-1s", None),
            ("1 h", None),
            ("99999999999999999999s", None),
            ("18446744073709551615d", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(parse(text).map(|span| span.as_secs()), seconds, "{text}");
        }
    }
}
