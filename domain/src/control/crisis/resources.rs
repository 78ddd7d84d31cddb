//! Where help is, by locale and country, and how long ago somebody looked whether that is still so.

use std::{fmt, str::FromStr, sync::LazyLock};

use serde::{Deserialize, Serialize};

use crate::{clock::Timestamp, locale::Locale};

/// A country by its two letters (ISO 3166-1), in capitals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Country(String); // Invariant: two capital letters.

/// The text is no country code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a country is two letters, such as US or CN")]
pub struct InvalidCountry;

/// One place where help is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrisisResource {
    /// The country that it serves; none for the international directory.
    pub country: Option<Country>,
    /// The country's name, in the locale's language.
    pub place: String,
    /// Its name.
    pub name: String,
    /// Its number, or address, as text.
    pub number: String,
    /// When it answers.
    pub hours: String,
    /// In which languages.
    pub language: String,
    /// Where that is published.
    pub source: String,
    /// The day on which somebody looked: `2026-01-31`.
    pub checked_on: CheckedOn,
}

/// A day, written `2026-01-31`; midnight UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct CheckedOn(Timestamp);

/// How long ago a resource was looked at. Ordered from the freshest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// At most 90 days, or later than now.
    Fresh,
    /// Over 90 days: a warning.
    Stale,
    /// Over 180 days: `check --deny warnings` fails, the server says so daily.
    Expired,
}

const STALE_AFTER_DAYS: u64 = 90;
const EXPIRED_AFTER_DAYS: u64 = 180;
const SECONDS_PER_DAY: u64 = 86_400;

/// Returns the resources that ship for a locale, without the international directory.
pub fn resources(locale: Locale) -> &'static [CrisisResource] {
    &list(locale).resources
}

/// Decides how fresh the oldest resource of a locale is.
pub fn freshness(locale: Locale, now: Timestamp) -> Freshness {
    let all = resources(locale).iter().chain(std::iter::once(pointer(locale)));
    all.map(|resource| resource.freshness(now)).max().unwrap_or(Freshness::Expired)
}

/// Returns the numbers and addresses that a text may name: those of the resources, and where they are published.
pub(in crate::control) fn reviewed_contacts(locale: Locale) -> impl Iterator<Item = &'static str> {
    let all = resources(locale).iter().chain(std::iter::once(pointer(locale)));
    all.flat_map(|resource| [resource.number.as_str(), resource.source.as_str()])
}

/// Returns the international directory.
pub(super) fn pointer(locale: Locale) -> &'static CrisisResource {
    &list(locale).pointer
}

/// Tells whether a locale's list has resources of that country.
pub(super) fn covers(locale: Locale, country: &Country) -> bool {
    resources(locale).iter().any(|resource| resource.country.as_ref() == Some(country))
}

impl CrisisResource {
    /// Decides how fresh it is.
    pub fn freshness(&self, now: Timestamp) -> Freshness {
        let age = now.since(self.checked_on.0).as_secs();
        if age > EXPIRED_AFTER_DAYS * SECONDS_PER_DAY {
            Freshness::Expired
        } else if age > STALE_AFTER_DAYS * SECONDS_PER_DAY {
            Freshness::Stale
        } else {
            Freshness::Fresh
        }
    }
}

impl Country {
    /// Checks `code` and makes it a country.
    pub fn new(code: &str) -> Result<Self, InvalidCountry> {
        let letters = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        if letters { Ok(Self(code.to_ascii_uppercase())) } else { Err(InvalidCountry) }
    }

    /// Returns the two letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Country {
    type Err = InvalidCountry;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        Self::new(code)
    }
}

impl TryFrom<String> for Country {
    type Error = InvalidCountry;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        Self::new(&code)
    }
}

impl From<Country> for String {
    fn from(country: Country) -> Self {
        country.0
    }
}

impl TryFrom<String> for CheckedOn {
    type Error = crate::clock::InvalidTimestamp;

    fn try_from(day: String) -> Result<Self, Self::Error> {
        format!("{day}T00:00:00Z").parse().map(Self)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(rename = "checked_by")]
    _checked_by: String,
    resources: Vec<CrisisResource>,
    pointer: CrisisResource,
}

fn list(locale: Locale) -> &'static List {
    static ZH_CN: LazyLock<List> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../../../packs/zh-CN/crisis_resources.json"))
            .expect("a test reads every list")
    });
    static EN: LazyLock<List> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../../../packs/en/crisis_resources.json")).expect("a test reads every list")
    });
    match locale {
        Locale::ZhCn => &ZH_CN,
        Locale::En => &EN,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_locale_ships_the_same_countries_and_numbers() {
        let numbers = |locale| {
            let mut all: Vec<_> =
                resources(locale).iter().map(|resource| (resource.country.clone(), resource.number.clone())).collect();
            all.sort();
            all
        };
        assert_eq!(numbers(Locale::ZhCn), numbers(Locale::En));
        assert!(resources(Locale::En).iter().all(|resource| resource.country.is_some()));
        assert_eq!(pointer(Locale::En).country, None);
    }

    #[test]
    fn a_resource_is_stale_after_90_days_expired_after_180_and_fresh_if_looked_at_later_than_now() {
        let resource = &resources(Locale::En)[0];
        let after = |days: u64, seconds: u64| resource.checked_on.0.plus(Duration::from_secs(days * 86_400 + seconds));
        for (now, expected) in [
            (after(0, 0), Freshness::Fresh),
            (after(90, 0), Freshness::Fresh),
            (after(90, 1), Freshness::Stale),
            (after(180, 0), Freshness::Stale),
            (after(180, 1), Freshness::Expired),
            (Timestamp::EPOCH, Freshness::Fresh),
        ] {
            assert_eq!(resource.freshness(now), expected, "{now}");
            assert_eq!(freshness(Locale::En, now), expected, "all were looked at on one day");
        }
    }

    #[test]
    fn a_country_is_two_letters() {
        let china = Country::new("cn").unwrap();
        assert_eq!((china.as_str(), china.to_string()), ("CN", "CN".to_owned()));
        assert_eq!(serde_json::to_string(&china).unwrap(), "\"CN\"");
        for code in ["", "U", "USA", "1A", "中"] {
            assert_eq!(Country::new(code), Err(InvalidCountry), "{code}");
        }
    }
}
