//! Makes text of the bytes of a file, or says why they are none.

use std::{borrow::Cow, ops::Range};

use steersman_domain::script::{defect::Defect, draft::Span};

use super::document::MAX_BYTES;

/// A defect of the file as a whole and its place in bytes.
pub(super) type Unread = Option<(Range<usize>, Defect)>;

/// Returns the text of a file; if it cannot be parsed, what can be shown of it and why.
pub(super) fn text(bytes: &[u8]) -> (Cow<'_, str>, Unread) {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} bytes, the most is {MAX_BYTES} (1 MiB)", bytes.len());
        return whole(Defect::error("file_too_large", Span::new(0), message).hint("split it into several scripts"));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) || looks_like_utf16(bytes) {
        let defect = Defect::error("not_utf8", Span::new(0), "the file is encoded as UTF-16");
        return whole(defect.hint("save it as UTF-8 (in the editor: Save with encoding, UTF-8)"));
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let readable = String::from_utf8_lossy(bytes);
            let start = error.valid_up_to();
            let end = start + readable[start..].chars().next().map_or(0, char::len_utf8);
            let defect = Defect::error("not_utf8", Span::new(0), "the file is not encoded as UTF-8").hint(
                "save it as UTF-8 (in the editor: Save with encoding, UTF-8); older files are often GBK or Latin-1",
            );
            return (Cow::Owned(readable.into_owned()), Some((start..end, defect)));
        }
    };
    let control = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{85}'));
    let unread = control.map(|(at, c)| {
        let message = format!("the file contains the control character U+{:04X}", u32::from(c));
        (at..at + c.len_utf8(), Defect::error("control_character", Span::new(0), message).hint("delete it"))
    });
    (Cow::Borrowed(text), unread)
}

/// Says that there is nothing in a file, unless something was said already.
pub(super) fn or_empty(defects: Vec<Defect>) -> Vec<Defect> {
    if !defects.is_empty() {
        return defects;
    }
    let defect = Defect::error("empty_file", Span::new(0), "the file is empty");
    vec![defect.hint("a script begins with `steersman: 1` and `script: <id>`; `steersman init` makes a small one")]
}

fn whole(defect: Defect) -> (Cow<'static, str>, Unread) {
    (Cow::Borrowed(""), Some((0..0, defect)))
}

/// Without a byte order mark, UTF-16 of a YAML file has a zero in every other byte of its first key.
fn looks_like_utf16(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(8)];
    let zeros = |first: usize| start.iter().skip(first).step_by(2).all(|byte| *byte == 0);
    start.len() >= 4 && (zeros(0) || zeros(1))
}
