//! Cuts a condition into words. It knows no grammar, only what a name, a literal and a sign look like.

use std::ops::Range;

use super::ConditionError;
use crate::{
    script::duration::seconds,
    variable::{Operator, Value, VariableName},
};

/// A word of a condition and where it stands, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word {
    /// A name, with its dots.
    Name(String),
    Literal(Value),
    Operator(Operator),
    And,
    Or,
    Not,
    Exists,
    Open,
    Close,
}

/// Signs, the longer ones first.
const SIGNS: [(&str, Word); 13] = [
    ("===", Word::Operator(Operator::Equal)),
    ("!==", Word::Operator(Operator::NotEqual)),
    ("==", Word::Operator(Operator::Equal)),
    ("!=", Word::Operator(Operator::NotEqual)),
    ("<=", Word::Operator(Operator::LessOrEqual)),
    (">=", Word::Operator(Operator::GreaterOrEqual)),
    ("&&", Word::And),
    ("||", Word::Or),
    ("<", Word::Operator(Operator::Less)),
    (">", Word::Operator(Operator::Greater)),
    ("!", Word::Not),
    ("(", Word::Open),
    (")", Word::Close),
];

/// Cuts `source` into words.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, ConditionError> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(first) = source[from..].chars().next() {
        if first.is_whitespace() {
            from += first.len_utf8();
            continue;
        }
        let (word, length) = word(source, from, first)?;
        found.push(Token { word, at: from..from + length });
        from += length;
    }
    Ok(found)
}

fn word(source: &str, from: usize, first: char) -> Result<(Word, usize), ConditionError> {
    let rest = &source[from..];
    match first {
        '"' | '\'' => text(rest, from, first),
        '{' | '$' => braced(rest, from),
        '0'..='9' | '-' | '+' | '.' => number(rest, from),
        _ if first.is_alphabetic() || first == '_' => name(rest, from),
        _ => match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            Some((sign, word)) => Ok((word.clone(), sign.len())),
            None => Err(stray(from, first)),
        },
    }
}

fn stray(from: usize, first: char) -> ConditionError {
    let hint = match first {
        '=' | '＝' => "compare with `==`",
        '&' => "write `and`",
        '|' | '，' | ',' | ';' | '；' => "join conditions with `and` or `or`",
        '≠' => "write `!=`",
        '≤' => "write `<=`",
        '≥' => "write `>=`",
        '＜' | '《' => "write `<`",
        '＞' | '》' => "write `>`",
        '！' => "write `not` or `!=`",
        '（' | '）' => "write the plain brackets `(` and `)`",
        '“' | '”' | '‘' | '’' | '「' | '」' | '`' | '＂' | '＇' => {
            "put a text in plain quotes: \"…\" or '…'"
        }
        '+' | '*' | '/' | '%' => "conditions compare, they do not calculate",
        '[' | ']' => "a list cannot be written here: join comparisons with `or`",
        _ => "see the operators: == != < <= > >= contains exists(x) and or not ( )",
    };
    ConditionError::new(from..from + first.len_utf8(), format!("`{first}` has no meaning in a condition"), hint)
}

fn text(rest: &str, from: usize, quote: char) -> Result<(Word, usize), ConditionError> {
    let mut value = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next_if(|&(_, next)| matches!(next, '"' | '\'' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push(c),
            },
            _ if c == quote => return Ok((Word::Literal(Value::from(value.as_str())), at + 1)),
            _ => value.push(c),
        }
    }
    let at = from..from + rest.trim_end().len();
    Err(ConditionError::new(at, "this text has no closing quote", format!("close it with {quote}")))
}

/// `{x}`, `{{ x }}` and `${x}` are read as `x`.
fn braced(rest: &str, from: usize) -> Result<(Word, usize), ConditionError> {
    let body = rest.trim_start_matches('$');
    let inner = body.trim_start_matches(['{', ' ']);
    let name: &str = &inner[..inner.find(|c: char| !is_dotted(c)).unwrap_or(inner.len())];
    let after = inner[name.len()..].trim_start_matches(' ');
    let braces = body.chars().take_while(|&c| c == '{').count();
    let closed = after.chars().take_while(|&c| c == '}').take(braces).count();
    if braces == 0 || braces > 2 || closed != braces || !is_dotted_name(name) {
        let at = from..from + rest.chars().next().map_or(1, char::len_utf8);
        return Err(ConditionError::new(at, "these braces enclose no name", "write the name of the variable alone"));
    }
    Ok((Word::Name(name.to_owned()), rest.len() - after.len() + closed))
}

fn number(rest: &str, from: usize) -> Result<(Word, usize), ConditionError> {
    let signed = usize::from(rest.starts_with(['-', '+']));
    let digits = rest[signed..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len() - signed) + signed;
    let unit_length = rest[digits..].find(|c: char| !is_dotted(c)).unwrap_or(rest.len() - digits);
    let (digits, unit) = (&rest[..digits], &rest[digits..digits + unit_length]);
    let length = digits.len() + unit.len();
    let refused = |message: String, hint: &str| Err(ConditionError::new(from..from + length.max(1), message, hint));
    let bare = digits.trim_start_matches(['-', '+']);
    let value = match digits.trim_start_matches('+').parse::<f64>() {
        Ok(value) if value.is_finite() && bare.starts_with(|c: char| c.is_ascii_digit()) && bare.len() <= 24 => value,
        _ => return refused(format!("`{}` is no number", &rest[..length.max(1)]), "write a number like 3 or 0.5"),
    };
    if let ("", Ok(whole)) = (unit, digits.trim_start_matches('+').parse::<i64>()) {
        return Ok((Word::Literal(Value::new(whole)), length));
    }
    let Some(factor) = (if unit.is_empty() { Some(1) } else { seconds(unit) }) else {
        let hint = "durations are written 30s, 2min, 1h or 1d; the name of a variable does not start with a digit";
        return refused(format!("`{}` is neither a number nor a duration", &rest[..length]), hint);
    };
    Ok((Word::Literal(exact(value * f64::from(factor))), length))
}

/// Writes a whole number as one.
fn exact(number: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole and far below 2^53, as the test on the line before says"
    )]
    if number.fract() == 0.0 && number.abs() < 9e15 { Value::new(number as i64) } else { Value::new(number) }
}

fn name(rest: &str, from: usize) -> Result<(Word, usize), ConditionError> {
    let name = &rest[..rest.find(|c: char| !is_dotted(c)).unwrap_or(rest.len())];
    let word = match name {
        "and" => Word::And,
        "or" => Word::Or,
        "not" => Word::Not,
        "contains" => Word::Operator(Operator::Contains),
        "exists" => Word::Exists,
        "true" => Word::Literal(Value::new(true)),
        "false" => Word::Literal(Value::new(false)),
        "null" => {
            let hint = "nothing equals null: write `exists(x)` or `not exists(x)`";
            return Err(ConditionError::new(from..from + name.len(), "a value cannot be compared with null", hint));
        }
        _ if is_dotted_name(name) => Word::Name(name.to_owned()),
        _ => {
            let hint = "a name is letters, digits and `_`, and dots between the parts of `result.…` or `topic.…`";
            return Err(ConditionError::new(from..from + name.len(), format!("`{name}` is no name"), hint));
        }
    };
    Ok((word, name.len()))
}

fn is_dotted(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn is_dotted_name(text: &str) -> bool {
    text.split('.').all(VariableName::is_well_formed)
}
