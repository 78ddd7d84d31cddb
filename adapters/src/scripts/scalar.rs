//! What a plain YAML value means: YAML 1.2's core schema, and the traps of YAML 1.1.

/// What a value without quotes is read as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plain {
    Nothing,
    Truth(bool),
    Whole(i64),
    Decimal(f64),
    /// A number that no number can hold: `.nan`, `.inf`, `1e999`, twenty digits.
    NoNumber,
    /// `yes`, `no`, `on`, `off`, `0123`, `0x1F`, `1_000`: other readers of YAML take it for something else than a text.
    Ambiguous,
    Text,
}

impl Plain {
    /// Reads a value without quotes.
    pub(super) fn of(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Self::Nothing,
            "true" | "True" | "TRUE" => return Self::Truth(true),
            "false" | "False" | "FALSE" => return Self::Truth(false),
            _ => {}
        }
        let bare = text.strip_prefix(['-', '+']).unwrap_or(text);
        match bare.as_bytes().first() {
            Some(b'0'..=b'9' | b'.') => Self::number(text, bare),
            Some(b'y' | b'Y' | b'n' | b'N' | b'o' | b'O') if is_old_truth(text) => Self::Ambiguous,
            _ => Self::Text,
        }
    }

    fn number(text: &str, bare: &str) -> Self {
        if matches!(bare, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
            return Self::NoNumber;
        }
        let digits_only = bare.bytes().all(|byte| byte.is_ascii_digit());
        let old = bare.starts_with("0x") || bare.starts_with("0o") || bare.starts_with("0b");
        if digits_only && bare.len() > 1 && bare.starts_with('0') {
            return Self::Ambiguous;
        }
        if digits_only {
            return text.trim_start_matches('+').parse().map_or(Self::NoNumber, Self::Whole);
        }
        if old && bare[2..].bytes().all(|byte| byte.is_ascii_hexdigit()) && bare.len() > 2 {
            return Self::Ambiguous;
        }
        if bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
            return Self::Ambiguous;
        }
        let decimal = bare.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
        match text.parse::<f64>() {
            Ok(number) if decimal && number.is_finite() => Self::Decimal(number),
            Ok(_) if decimal => Self::NoNumber,
            _ => Self::Text,
        }
    }
}

fn is_old_truth(text: &str) -> bool {
    ["yes", "no", "on", "off", "y", "n"].iter().any(|word| text.eq_ignore_ascii_case(word)) && text.len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_value_is_read_by_the_core_schema_and_the_traps_are_seen() {
        let cases = [
            ("", Plain::Nothing),
            ("~", Plain::Nothing),
            ("null", Plain::Nothing),
            ("True", Plain::Truth(true)),
            ("0", Plain::Whole(0)),
            ("-12", Plain::Whole(-12)),
            ("+3", Plain::Whole(3)),
            ("1.5", Plain::Decimal(1.5)),
            ("1e3", Plain::Decimal(1000.0)),
            (".5", Plain::Decimal(0.5)),
            (".nan", Plain::NoNumber),
            ("-.inf", Plain::NoNumber),
            ("1e999", Plain::NoNumber),
            ("99999999999999999999", Plain::NoNumber),
            ("no", Plain::Ambiguous),
            ("Yes", Plain::Ambiguous),
            ("0123", Plain::Ambiguous),
            ("0x1F", Plain::Ambiguous),
            ("1_000", Plain::Ambiguous),
            ("n", Plain::Text),
            ("nobody", Plain::Text),
            ("1.0.0", Plain::Text),
            ("30d", Plain::Text),
            ("10^9", Plain::Text),
            ("...", Plain::Text),
            ("你好", Plain::Text),
        ];
        for (text, plain) in cases {
            assert_eq!(Plain::of(text), plain, "{text}");
        }
    }
}
