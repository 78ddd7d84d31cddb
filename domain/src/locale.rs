//! Names the languages whose built-in texts and word packs ship with the crate.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The language of the built-in texts of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Locale {
    /// Simplified Chinese, written `zh-CN`.
    ZhCn,
    /// English, written `en`.
    En,
}

/// The text names no language that ships.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no locale that ships; there are zh-CN and en")]
pub struct UnknownLocale(String);

impl Locale {
    /// All languages that ship, in the order in which they are listed.
    pub const ALL: [Self; 2] = [Self::ZhCn, Self::En];

    /// Returns the tag as scripts write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ZhCn => "zh-CN",
            Self::En => "en",
        }
    }

    /// Guesses in which language a text is written, for words that nobody's session tells.
    pub fn written_in(text: &str) -> Self {
        let is_han =
            |c: char| matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
        if text.chars().any(is_han) { Self::ZhCn } else { Self::En }
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Locale {
    type Err = UnknownLocale;

    fn from_str(tag: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|locale| locale.as_str().eq_ignore_ascii_case(tag))
            .ok_or_else(|| UnknownLocale(tag.chars().take(40).collect()))
    }
}

impl TryFrom<String> for Locale {
    type Error = UnknownLocale;

    fn try_from(tag: String) -> Result<Self, Self::Error> {
        tag.parse()
    }
}

impl From<Locale> for String {
    fn from(locale: Locale) -> Self {
        locale.as_str().to_owned()
    }
}
