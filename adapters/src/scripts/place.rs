//! Finds the place in the file that a defect means.

use std::ops::Range;

use saphyr_parser::ScalarStyle;
use steersman_domain::script::draft::Span;

use super::document::{Content, Document};

impl Document<'_> {
    /// Returns the bytes of the file that are meant: the value, or the part `within` of its text.
    pub(super) fn place(&self, span: Span, within: Option<&Range<usize>>) -> Range<usize> {
        let whole = self.bytes(span);
        within.and_then(|within| self.part(span, within)).unwrap_or_else(|| self.first_line(whole))
    }

    /// Keeps of a range what stands on its first line.
    fn first_line(&self, bytes: Range<usize>) -> Range<usize> {
        let text = &self.text[bytes.clone()];
        let line = text.find(['\n', '\r']).map_or(text, |end| &text[..end]);
        bytes.start..bytes.start + line.trim_end().len()
    }

    /// Finds a part of a scalar's text in the file, through quotes, escapes and folded lines.
    fn part(&self, span: Span, within: &Range<usize>) -> Option<Range<usize>> {
        let Content::Scalar { text, style } = &self.node(span.number()).content else { return None };
        let bytes = self.bytes(span);
        let raw = &self.text[bytes.clone()];
        let starts = Walk::new(raw, *style)?.advance(text, within.start)?;
        let ends = if within.is_empty() { starts } else { Walk::new(raw, *style)?.advance(text, within.end)? };
        let length = ends.saturating_sub(starts);
        Some(bytes.start + starts..bytes.start + starts + length)
    }
}

/// Walks over the file's spelling of a scalar and over its text side by side.
struct Walk<'a> {
    raw: &'a str,
    at: usize,
    style: ScalarStyle,
}

impl<'a> Walk<'a> {
    fn new(raw: &'a str, style: ScalarStyle) -> Option<Self> {
        let at = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
            // The parser's span of a block may or may not begin with the line of its sign.
            ScalarStyle::Literal | ScalarStyle::Folded if raw.starts_with(['|', '>']) => raw.find('\n')? + 1,
            ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => 0,
        };
        raw.is_char_boundary(at).then_some(Self { raw, at, style })
    }

    /// Returns where in the file the byte `wanted` of `text` is.
    fn advance(mut self, text: &str, wanted: usize) -> Option<usize> {
        let mut chars = text[..wanted].chars().peekable();
        while let Some(c) = chars.next() {
            if c.is_whitespace() {
                while chars.next_if(|next| next.is_whitespace()).is_some() {}
                self.skip_space(c)?;
                continue;
            }
            self.skip_line_start();
            self.one(c)?;
        }
        let ends_in_space = text[..wanted].ends_with(char::is_whitespace);
        if !ends_in_space && text[wanted..].starts_with(char::is_whitespace) || text[wanted..].is_empty() {
            return Some(self.at);
        }
        self.skip_line_start();
        Some(self.at)
    }

    /// Skips white space that stands for white space; an escape such as `\n` counts.
    fn skip_space(&mut self, c: char) -> Option<()> {
        let before = self.at;
        self.skip_line_start();
        while self.style == ScalarStyle::DoubleQuoted && self.rest().starts_with(['\\']) {
            let Some(length) = self.escape().filter(|(_, meant)| meant.is_whitespace()).map(|(length, _)| length)
            else {
                break;
            };
            self.at += length;
            self.skip_line_start();
        }
        (self.at > before || c == '\n').then_some(())
    }

    fn skip_line_start(&mut self) {
        self.at = self.raw.len() - self.rest().trim_start().len();
    }

    fn one(&mut self, c: char) -> Option<()> {
        if self.style == ScalarStyle::DoubleQuoted && self.rest().starts_with('\\') {
            let (length, meant) = self.escape()?;
            self.at += length;
            return (meant == c).then_some(());
        }
        let found = self.rest().chars().next()?;
        self.at += found.len_utf8();
        if self.style == ScalarStyle::SingleQuoted && c == '\'' && self.rest().starts_with('\'') {
            self.at += 1;
        }
        (found == c).then_some(())
    }

    /// Reads an escape: its length and the character it stands for.
    fn escape(&self) -> Option<(usize, char)> {
        let kind = self.rest()[1..].chars().next()?;
        let digits = match kind {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            't' => return Some((2, '\t')),
            'n' => return Some((2, '\n')),
            'r' => return Some((2, '\r')),
            '"' | '\\' | '/' | ' ' => return Some((2, kind)),
            _ => return None,
        };
        let code = u32::from_str_radix(self.rest().get(2..2 + digits)?, 16).ok()?;
        Some((2 + digits, char::from_u32(code)?))
    }

    fn rest(&self) -> &'a str {
        &self.raw[self.at..]
    }
}
