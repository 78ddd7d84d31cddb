//! Says in an author's words what a YAML parser found wrong.

use steersman_domain::script::{defect::Defect, draft::Span};

/// What to do about nesting.
pub(super) const NESTING: &str = "a script needs no more than ten levels; look for brackets that are not closed";
/// The signs that a plain value must not begin with.
const SPECIAL: [char; 11] = ['{', '[', '*', '&', '!', '%', '@', '`', '|', '>', '"'];

/// Explains the parser's `info` about the place `byte`.
pub(super) fn explain(text: &str, byte: usize, info: &str, span: Span) -> Defect {
    let line = line_at(text, byte);
    let before = line_before(text, byte);
    if indented_with_tab(line) || indented_with_tab(before) {
        return Defect::error("tab_indentation", span, "this line is indented with a tab")
            .hint("indent with spaces only, two for each level");
    }
    if info.contains("recursion limit") {
        return Defect::error("too_deep", span, "brackets are nested too deeply").hint(NESTING);
    }
    let defect = Defect::error("syntax", span, format!("this is not valid YAML: {}", plainly(info)));
    defect.hint(hint(line, before, info))
}

fn hint(line: &str, before: &str, info: &str) -> String {
    let value = value_of(line).or_else(|| value_of(before)).unwrap_or_default();
    if info.contains("unknown anchor") {
        return "a text that begins with `*` needs quotes".to_owned();
    }
    if info.contains("quoted scalar") || info.contains("unexpected end of stream") {
        return "look for a quote that is not closed, or a `\\` inside \"…\" (write `\\\\`, or use '…')".to_owned();
    }
    if let Some((open, close)) = [('[', ']'), ('{', '}')].into_iter().find(|signs| is_open(before, *signs)) {
        return format!("the line above opens a `{open}`: close it with `{close}`");
    }
    let balanced = value.ends_with([']', '}', '"']);
    if let Some(sign) = value.chars().next().filter(|first| SPECIAL.contains(first) && !balanced) {
        return format!("if the text is meant to begin with `{sign}`, put the whole text in quotes");
    }
    if value.contains(": ") || value.ends_with(':') {
        return "a text that contains `: ` needs quotes around it".to_owned();
    }
    if value.contains(" #") {
        return "in a text without quotes ` #` begins a comment: put the text in quotes".to_owned();
    }
    "check that the line is indented like its neighbours and that quotes and brackets are closed".to_owned()
}

fn is_open(line: &str, (open, close): (char, char)) -> bool {
    line.matches(open).count() > line.matches(close).count()
}

/// Says the parser's words without its jargon.
fn plainly(info: &str) -> String {
    let known = [
        ("mapping values are not allowed", "a `:` is not expected here"),
        ("did not find expected key", "a key is expected here, in line with the keys above"),
        ("did not find expected '-' indicator", "a `- ` is expected here, in line with those above"),
        ("simple key expect", "a key and its `:` are expected here"),
        ("unknown anchor", "this alias (`*name`) stands for nothing"),
        ("found unexpected end of stream", "a quote is not closed"),
        ("unknown escape character", "the sign after `\\` means nothing"),
        ("did not find expected ',' or '}'", "in `{…}` a `,` or `}` is missing"),
        ("expected ',' or ']'", "in `[…]` a `,` or `]` is missing"),
        ("invalid indentation in flow construct", "a `{` or `[` that began above is not closed"),
        ("invalid trailing content after double-quoted", "something follows the closing quote"),
        ("misplaced bracket", "this bracket closes nothing"),
        ("quoted scalar", "the text in quotes that begins here does not end where it should"),
        ("invalid indentation", "the indentation fits no line above"),
        ("handle wasn't declared", "a tag (`!name`) has no meaning here"),
        ("block sequence entries are not allowed", "a list entry (`- `) is not expected here"),
        ("did not find expected <document start>", "this does not belong to what stands above"),
        ("did not find expected node content", "a value is missing here"),
    ];
    known
        .iter()
        .find(|(jargon, _)| info.contains(jargon))
        .map_or_else(|| info.to_owned(), |(_, plain)| (*plain).to_owned())
}

fn line_at(text: &str, byte: usize) -> &str {
    let start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[byte..].find('\n').map_or(text.len(), |newline| byte + newline);
    &text[start..end]
}

/// Returns the nearest line before that of `byte` that is not blank.
fn line_before(text: &str, byte: usize) -> &str {
    let start = text[..byte].rfind('\n').unwrap_or(0);
    text[..start].lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

fn indented_with_tab(line: &str) -> bool {
    line.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\t')
}

/// Returns the value after the first key of a line.
fn value_of(line: &str) -> Option<&str> {
    let entry = line.trim_start().trim_start_matches("- ");
    entry.split_once(": ").map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}
