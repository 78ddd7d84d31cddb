//! Reads the text of `reply` while its JSON object is still arriving, so that it can be shown as it is written.

/// A reply that is still arriving.
///
/// Every way to cut the raw reply into chunks gives the same text. What it gives is provisional: the whole reply, read
/// by [`crate::reply::Reply::read`], is what counts.
#[derive(Debug, Clone)]
pub struct PartialReply {
    names: Vec<String>,
    place: Place,
    depth: usize,
    key: String,
    escape: Escape,
    written: bool,
}

/// Where in the JSON text the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first `{`.
    Before,
    /// Between values of the object; a key may begin.
    Between,
    /// Inside a key of the outermost object.
    Key,
    /// After a key, before its value.
    AfterKey { wanted: bool },
    /// Inside the text of the reply.
    Text,
    /// Inside another string.
    OtherString,
    /// The text of the reply is complete.
    Done,
}

/// What of an escape sequence has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    Backslash,
    Unicode {
        code: u16,
        digits: u8,
        high: Option<u16>,
    },
    /// A high surrogate is complete and waits for its other half.
    High(u16),
    HighBackslash(u16),
}

impl PartialReply {
    /// Expects a reply; `names` are accepted in place of `reply`, as in [`crate::reply::Reply::read`].
    pub fn new(names: &[&str]) -> Self {
        let names = ["reply", "content"].iter().chain(names).map(|name| (*name).to_owned()).collect();
        Self { names, place: Place::Before, depth: 0, key: String::new(), escape: Escape::None, written: false }
    }

    /// Takes the next chunk and returns what it adds to the text.
    pub fn push(&mut self, chunk: &str) -> String {
        let mut text = String::new();
        for c in chunk.chars() {
            self.step(c, &mut text);
        }
        text.retain(super::is_shown);
        self.written |= !text.is_empty();
        text
    }

    /// Tells whether any text has arrived.
    pub const fn has_text(&self) -> bool {
        self.written
    }

    /// Returns the text of a reply whose JSON is broken, `None` if there is none.
    pub(super) fn salvage(raw: &str, names: &[&str]) -> Option<String> {
        let mut reader = Self::new(names);
        let text = reader.push(raw);
        (!text.trim().is_empty()).then_some(text)
    }

    fn step(&mut self, c: char, text: &mut String) {
        match self.place {
            Place::Before if c == '{' => {
                self.depth = 1;
                self.place = Place::Between;
            }
            Place::Before | Place::Done => {}
            Place::Between => self.between(c),
            Place::Key => {
                let mut key = std::mem::take(&mut self.key);
                let ended = self.string_char(c, &mut key);
                self.key = key;
                if ended {
                    let wanted = self.names.contains(&self.key);
                    self.place = Place::AfterKey { wanted };
                }
            }
            Place::AfterKey { wanted } => self.after_key(c, wanted),
            Place::Text => {
                if self.string_char(c, text) {
                    self.place = Place::Done;
                }
            }
            Place::OtherString => {
                if self.string_char(c, &mut String::new()) {
                    self.place = Place::Between;
                }
            }
        }
    }

    fn between(&mut self, c: char) {
        match c {
            '"' if self.depth == 1 => {
                self.key.clear();
                self.place = Place::Key;
            }
            '"' => self.place = Place::OtherString,
            '{' | '[' => self.depth += 1,
            '}' | ']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.place = Place::Before;
                }
            }
            _ => {}
        }
    }

    fn after_key(&mut self, c: char, wanted: bool) {
        match c {
            ':' => {}
            c if c.is_whitespace() => {}
            '"' => self.place = if wanted { Place::Text } else { Place::OtherString },
            _ => {
                self.place = Place::Between;
                self.between(c);
            }
        }
    }

    /// Reads one character of a JSON string into `out`; tells whether the string ends here.
    fn string_char(&mut self, c: char, out: &mut String) -> bool {
        match self.escape {
            Escape::None if c == '"' => return true,
            Escape::None if c == '\\' => self.escape = Escape::Backslash,
            Escape::None => out.push(c),
            Escape::Backslash if c == 'u' => self.escape = Escape::Unicode { code: 0, digits: 0, high: None },
            Escape::Backslash => {
                self.escape = Escape::None;
                out.push(unescaped(c));
            }
            Escape::Unicode { code, digits, high } => self.unicode_digit(c, code, digits, high, out),
            Escape::High(high) if c == '\\' => self.escape = Escape::HighBackslash(high),
            Escape::HighBackslash(high) if c == 'u' => {
                self.escape = Escape::Unicode { code: 0, digits: 0, high: Some(high) };
            }
            Escape::High(_) | Escape::HighBackslash(_) => {
                let escaped = matches!(self.escape, Escape::HighBackslash(_));
                self.escape = if escaped { Escape::Backslash } else { Escape::None };
                out.push(char::REPLACEMENT_CHARACTER);
                return self.string_char(c, out);
            }
        }
        false
    }

    fn unicode_digit(&mut self, c: char, code: u16, digits: u8, high: Option<u16>, out: &mut String) {
        let Some(digit) = c.to_digit(16).and_then(|digit| u16::try_from(digit).ok()) else {
            self.escape = Escape::None;
            out.push(char::REPLACEMENT_CHARACTER);
            return;
        };
        let code = code << 4 | digit;
        if digits < 3 {
            self.escape = Escape::Unicode { code, digits: digits + 1, high };
            return;
        }
        self.escape = Escape::None;
        match (high, code) {
            (Some(high), 0xDC00..=0xDFFF) => {
                out.extend(char::decode_utf16([high, code]).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
            }
            (high, _) => {
                out.extend(high.map(|_| char::REPLACEMENT_CHARACTER));
                match code {
                    0xD800..=0xDBFF => self.escape = Escape::High(code),
                    _ => out.push(char::from_u32(u32::from(code)).unwrap_or(char::REPLACEMENT_CHARACTER)),
                }
            }
        }
    }
}

const fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(raw: &str) -> String {
        PartialReply::new(&[]).push(raw)
    }

    #[test]
    fn the_text_is_found_wherever_the_key_stands() {
        let cases = [
            (r#"{"reply": "a\"b\\c\n", "x": 1}"#, "a\"b\\c\n"),
            (r#"prose {"variables": {"reply": "no"}, "list": ["reply", "x"], "reply" : "yes"}"#, "yes"),
            (r#"{"reply": null, "EXIT": true}"#, ""),
            (r#"{"content": "\u4f60\uD83D\uDE00"}"#, "你😀"),
            ("```json\n{\"reply\": \"好\"}\n```", "好"),
            ("no json", ""),
        ];
        for (raw, text) in cases {
            assert_eq!(whole(raw), text, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn every_chunking_gives_the_same_text(text in ".{0,40}", lead in "[a-z {}]{0,3}", cuts in proptest::collection::vec(1usize..5, 0..60)) {
            let raw = format!("{lead}{}", serde_json::json!({"x": {"reply": 1}, "reply": text}));
            let expected = whole(&raw);
            let mut reader = PartialReply::new(&[]);
            let mut chars = raw.chars();
            let mut joined = String::new();
            for cut in cuts {
                joined += &reader.push(&chars.by_ref().take(cut).collect::<String>());
            }
            joined += &reader.push(chars.as_str());
            prop_assert_eq!(joined, expected);
        }

        #[test]
        fn the_partial_text_is_the_text_of_the_whole_reply(text in "\\PC{1,40}") {
            let raw = serde_json::json!({"variables": {"a": ["}", "\""]}, "reply": text.clone()}).to_string();
            prop_assert_eq!(whole(&raw), text);
        }
    }
}
