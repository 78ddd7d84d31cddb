//! Reads how long a provider asks to wait: `Retry-After` as seconds or as a date, and the two that providers made up.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// `OpenAI`'s own, in milliseconds; finer than the standard one, so it counts first.
const MILLISECONDS: &str = "retry-after-ms";

/// Returns how long the headers of an answer ask to wait. A date is counted from the answer's own date, if it has one,
/// since two clocks seldom agree.
pub(super) fn in_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text(MILLISECONDS).and_then(seconds) {
        return Some(ms / 1000);
    }
    let asked = text(RETRY_AFTER.as_str())?;
    seconds(asked).or_else(|| {
        let until = httpdate::parse_http_date(asked).ok()?;
        let from = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
        Some(until.duration_since(from).unwrap_or(Duration::ZERO))
    })
}

/// Returns how long the error object of an answer asks to wait, as Gemini writes it: `"retryDelay": "7s"`.
pub(super) fn in_error(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    details.iter().find_map(|detail| seconds(detail.get("retryDelay")?.as_str()?.strip_suffix('s')?))
}

/// Reads a number that is no less than 0; what is too large for a duration is the longest one.
fn seconds(text: &str) -> Option<Duration> {
    let number: f64 = text.parse().ok().filter(|number: &f64| *number >= 0.0)?;
    Some(Duration::try_from_secs_f64(number).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    type Headers = &'static [(&'static str, &'static str)];

    fn asked(headers: Headers) -> Option<Duration> {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<reqwest::header::HeaderName>().unwrap(), HeaderValue::from_static(value))
        });
        in_headers(&headers.collect(), httpdate::parse_http_date("Mon, 05 Jan 2026 09:00:00 GMT").unwrap())
    }

    #[test]
    fn a_wait_is_read_as_seconds_as_a_date_and_in_milliseconds() {
        const DATE: &str = "Mon, 05 Jan 2026 09:00:30 GMT";
        let table: [(Headers, Option<u64>); 10] = [
            (&[], None),
            (&[("retry-after", "7")], Some(7_000)),
            (&[("retry-after", " 1.5 ")], Some(1_500)),
            (&[("retry-after", DATE)], Some(30_000)),
            (&[("retry-after", DATE), ("date", "Mon, 05 Jan 2026 09:00:28 GMT")], Some(2_000)),
            (&[("retry-after", "Mon, 05 Jan 2026 08:00:00 GMT")], Some(0)),
            (&[("retry-after", "9"), ("retry-after-ms", "250")], Some(250)),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "NaN")], None),
        ];
        for (headers, expected) in table {
            assert_eq!(asked(headers), expected.map(Duration::from_millis), "{headers:?}");
        }
        assert_eq!(asked(&[("retry-after", "1e300")]), Some(Duration::MAX));
    }

    #[test]
    fn gemini_says_it_within_the_error() {
        let error = json!({"code": 429, "details": [{"@type": "x"}, {"@type": "y", "retryDelay": "7.5s"}]});
        assert_eq!(in_error(&error), Some(Duration::from_millis(7_500)));
        assert_eq!(in_error(&json!({"code": 429})), None);
    }
}
