//! A point in time as a value. It never asks what time it is: `now` is always an argument.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

const MS_PER_DAY: i64 = 86_400_000;

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z; written as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64); // Invariant: within the years 0000 to 9999, so that it can be written.

/// The text is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a point in time: write it like 2026-01-31T09:30:00Z (RFC 3339)")]
pub struct InvalidTimestamp;

impl Timestamp {
    /// The first moment of 1970, UTC.
    pub const EPOCH: Self = Self(0);
    const MIN: i64 = -62_167_219_200_000;
    const MAX: i64 = 253_402_300_799_999;

    /// Returns the point `ms` milliseconds after [`Timestamp::EPOCH`], clamped to the years 0000 to 9999.
    pub fn from_unix_ms(ms: i64) -> Self {
        Self(ms.clamp(Self::MIN, Self::MAX))
    }

    /// Returns the milliseconds since [`Timestamp::EPOCH`].
    pub const fn unix_ms(self) -> i64 {
        self.0
    }

    /// Returns the point `span` later.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        let ms = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self::from_unix_ms(self.0.saturating_add(ms))
    }

    /// Returns how long ago `earlier` was; zero if it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns the calendar day in UTC as year, month, day.
    pub fn date(self) -> (i64, u32, u32) {
        civil_from_days(self.0.div_euclid(MS_PER_DAY))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let ms = self.0.rem_euclid(MS_PER_DAY);
        let (hour, minute, second, milli) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map(Self::from_unix_ms).ok_or(InvalidTimestamp)
    }
}

impl TryFrom<String> for Timestamp {
    type Error = InvalidTimestamp;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> Self {
        at.to_string()
    }
}

fn parse(text: &str) -> Option<i64> {
    if !text.is_ascii() || text.len() < 20 {
        return None;
    }
    let punctuation = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let bytes = text.as_bytes();
    if punctuation.iter().any(|&(at, mark)| bytes[at] != mark) || !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    let (year, month, day) = (digits(&text[..4])?, digits(&text[5..7])?, digits(&text[8..10])?);
    let (hour, minute, second) = (digits(&text[11..13])?, digits(&text[14..16])?, digits(&text[17..19])?);
    let in_range = (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !in_range {
        return None;
    }
    let (milli, zone) = split_fraction(&text[19..])?;
    let days = days_from_civil(year, month, day);
    Some(days * MS_PER_DAY + hour * 3_600_000 + minute * 60_000 + second.min(59) * 1000 + milli - offset_ms(zone)?)
}

fn digits(text: &str) -> Option<i64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

fn split_fraction(rest: &str) -> Option<(i64, &str)> {
    let Some(after_dot) = rest.strip_prefix('.') else { return Some((0, rest)) };
    let length = after_dot.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return None;
    }
    let milli = format!("{:0<3}", &after_dot[..length.min(3)]).parse().ok()?;
    Some((milli, &after_dot[length..]))
}

fn offset_ms(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    if zone.len() != 6 || zone.as_bytes()[3] != b':' {
        return None;
    }
    let (hours, minutes) = (digits(&zone[1..3])?, digits(&zone[4..6])?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600_000 + minutes * 60_000))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a proleptic Gregorian date (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, u32::try_from(month).unwrap_or(1), u32::try_from(day).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_in_time_is_read_as_it_was_written() {
        for text in ["1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "1969-12-31T23:59:59.001Z"] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn offsets_and_short_fractions_are_understood() {
        let at: Timestamp = "2026-01-31T09:30:00.5+08:00".parse().unwrap();
        assert_eq!(at.to_string(), "2026-01-31T01:30:00.500Z");
    }

    #[test]
    fn what_is_no_point_in_time_is_refused() {
        for text in ["", "2026-02-30T00:00:00Z", "2026-01-31", "2026-01-31T25:00:00Z", "2026-01-31T09:30:00"] {
            assert_eq!(text.parse::<Timestamp>(), Err(InvalidTimestamp), "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_survives_the_calendar() {
        for days in -146_097..146_097 {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, i64::from(month), i64::from(day)), days);
        }
    }
}
