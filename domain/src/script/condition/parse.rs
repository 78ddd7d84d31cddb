//! The grammar of conditions: `not` binds closest, then `and`, then `or`. Depth and length are bounded.

use std::ops::Range;

use super::{
    Expression, Name, Operand,
    token::{Token, Word, tokens},
};
use crate::variable::Operator;

/// The deepest nesting of brackets and `not`.
const MAX_DEPTH: usize = 24;
/// The longest condition, in bytes.
const MAX_BYTES: usize = 4096;
/// The dotted names that are questions with one argument.
const QUESTIONS: [&str; 1] = ["phase.attained"];

/// The text is no condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConditionError {
    /// Where, in bytes from the start of the condition.
    pub offset: usize,
    /// How many bytes are meant; 0 at the end of the condition.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub hint: String,
}

impl ConditionError {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { offset: at.start, length: at.len(), message: message.into(), hint: hint.into() }
    }
}

pub(super) fn parse(source: &str) -> Result<Expression, ConditionError> {
    if source.len() > MAX_BYTES {
        let message = format!("the condition has {} bytes, the most is {MAX_BYTES}", source.len());
        return Err(ConditionError::new(0..0, message, "split it over several actions"));
    }
    let mut parser = Parser { source, tokens: tokens(source)?, next: 0, depth: 0 };
    let expression = parser.any()?;
    match parser.peek() {
        None => Ok(expression),
        Some(token) => Err(parser.after_expression(token)),
    }
}

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Expression, ConditionError> {
        let mut parts = vec![self.all()?];
        while self.take(&Word::Or) {
            parts.push(self.all()?);
        }
        Ok(single_or(parts, Expression::Any))
    }

    fn all(&mut self) -> Result<Expression, ConditionError> {
        let mut parts = vec![self.part()?];
        while self.take(&Word::And) {
            parts.push(self.part()?);
        }
        Ok(single_or(parts, Expression::All))
    }

    fn part(&mut self) -> Result<Expression, ConditionError> {
        let Some(token) = self.peek().cloned() else { return Err(self.ended("a comparison is missing here")) };
        if self.depth >= MAX_DEPTH {
            let message = format!("brackets and `not` are nested deeper than {MAX_DEPTH}");
            return Err(ConditionError::new(token.at, message, "take some of the brackets out"));
        }
        match token.word {
            Word::Not => {
                self.next += 1;
                self.deeper(Self::part).map(|inner| Expression::Not(Box::new(inner)))
            }
            Word::Open => {
                self.next += 1;
                let inner = self.deeper(Self::any)?;
                self.close(&token)?;
                Ok(inner)
            }
            Word::Exists => self.exists(&token),
            Word::Name(_) | Word::Literal(_) => self.comparison(&token),
            Word::Operator(_) | Word::And | Word::Or | Word::Close => Err(ConditionError::new(
                token.at.clone(),
                format!("a comparison is missing before `{}`", self.written(&token)),
                "write for example `mood == \"calm\"`",
            )),
        }
    }

    fn exists(&mut self, exists: &Token) -> Result<Expression, ConditionError> {
        self.next += 1;
        let wrong = |at: Range<usize>| {
            ConditionError::new(at, "`exists` asks for one name in brackets", "write for example `exists(mood)`")
        };
        if !self.take(&Word::Open) {
            return Err(wrong(exists.at.clone()));
        }
        let Some(Token { word: Word::Name(text), at }) = self.peek().cloned() else {
            return Err(wrong(self.peek().map_or(exists.at.clone(), |token| token.at.clone())));
        };
        self.next += 1;
        if !self.take(&Word::Close) {
            return Err(wrong(self.peek().map_or(exists.at.start..at.end, |token| token.at.clone())));
        }
        Ok(Expression::Exists(Name { text, at }))
    }

    fn comparison(&mut self, first: &Token) -> Result<Expression, ConditionError> {
        let left = self.operand("a name or a value is missing here")?;
        let Some(operator) = self.operator() else { return self.alone(left, first) };
        let right = self.operand(&format!("what to compare with is missing after `{}`", operator.as_str()))?;
        let at = first.at.start..self.tokens[self.next - 1].at.end;
        if let Some(token) = self.peek().filter(|token| matches!(token.word, Word::Operator(_))) {
            let hint = "compare two sides at a time, for example `1 < x and x < 3`";
            return Err(ConditionError::new(token.at.clone(), "a comparison has two sides, this one goes on", hint));
        }
        if let (Operand::Literal(_), Operand::Literal(_)) = (&left, &right) {
            let hint = "the name of a variable is written without quotes";
            return Err(ConditionError::new(at, "this compares two fixed values", hint));
        }
        Ok(Expression::Compare { left, operator, right, at })
    }

    fn alone(&self, operand: Operand, first: &Token) -> Result<Expression, ConditionError> {
        match operand {
            Operand::Name(name) if name.text.ends_with(')') => Ok(Expression::Holds(name)),
            Operand::Literal(value) if value.json().is_boolean() => {
                Ok(Expression::Constant(value.json().as_bool() == Some(true)))
            }
            Operand::Name(name) => {
                if let Some(token) =
                    self.peek().filter(|token| !matches!(token.word, Word::And | Word::Or | Word::Close))
                {
                    return Err(self.after_expression(token));
                }
                let text = &name.text;
                let hint = match text.to_lowercase().as_str() {
                    word @ ("and" | "or" | "not" | "contains" | "exists" | "true" | "false") => {
                        format!("the word is written `{word}`")
                    }
                    _ => format!("write `exists({text})`, or compare it, for example `{text} == true`"),
                };
                Err(ConditionError::new(name.at, format!("`{text}` alone is no condition"), hint))
            }
            Operand::Literal(_) => {
                let message = format!("{} alone is no condition", self.written(first));
                Err(ConditionError::new(first.at.clone(), message, "compare it with a variable"))
            }
        }
    }

    fn operand(&mut self, missing: &str) -> Result<Operand, ConditionError> {
        let Some(token) = self.peek().cloned() else { return Err(self.ended(missing)) };
        match token.word {
            Word::Literal(value) => {
                self.next += 1;
                Ok(Operand::Literal(value))
            }
            Word::Name(text) => {
                self.next += 1;
                self.name(text, token.at).map(Operand::Name)
            }
            Word::Operator(Operator::Equal) if self.written(&token) == "==" => {
                Err(ConditionError::new(token.at, missing, "one `==` is enough"))
            }
            Word::Operator(_) | Word::And | Word::Or | Word::Not | Word::Exists | Word::Open | Word::Close => {
                Err(ConditionError::new(token.at, missing, "a text is written in quotes: \"…\" or '…'"))
            }
        }
    }

    /// Reads the rest of a name: the argument, if it is a question.
    fn name(&mut self, text: String, at: Range<usize>) -> Result<Name, ConditionError> {
        if self.peek().is_none_or(|token| token.word != Word::Open) {
            return Ok(Name { text, at });
        }
        if !QUESTIONS.contains(&text.as_str()) {
            let hint = format!("there are exists(x) and {}(topic)", QUESTIONS.join("(topic), "));
            return Err(ConditionError::new(at, format!("`{text}` is no question that can be asked"), hint));
        }
        self.next += 1;
        let argument = self.peek().cloned();
        self.next += 1;
        match argument {
            Some(Token { word: Word::Name(argument), .. }) if self.take(&Word::Close) => {
                let at = at.start..self.tokens[self.next - 1].at.end;
                Ok(Name { text: format!("{text}({argument})"), at })
            }
            _ => Err(ConditionError::new(
                at,
                format!("`{text}` asks for one name in brackets"),
                format!("write `{text}(id)`"),
            )),
        }
    }

    fn operator(&mut self) -> Option<Operator> {
        let Some(Token { word: Word::Operator(operator), .. }) = self.peek() else { return None };
        let operator = *operator;
        self.next += 1;
        Some(operator)
    }

    fn close(&mut self, open: &Token) -> Result<(), ConditionError> {
        if self.take(&Word::Close) {
            return Ok(());
        }
        match self.peek() {
            Some(token) => Err(self.after_expression(token)),
            None => Err(ConditionError::new(open.at.clone(), "this bracket is not closed", "add `)`")),
        }
    }

    fn after_expression(&self, token: &Token) -> ConditionError {
        let written = self.written(token);
        let (message, hint) = match &token.word {
            Word::Close => ("this bracket closes nothing".to_owned(), "take it out, or add `(` before".to_owned()),
            Word::Name(name) if matches!(name.to_lowercase().as_str(), "and" | "or" | "not" | "contains") => {
                (format!("`{name}` is not understood here"), format!("the word is written `{}`", name.to_lowercase()))
            }
            Word::Name(name) if matches!(name.as_str(), "is" | "equals" | "eq") => {
                (format!("`{name}` is not understood here"), "compare with `==`".to_owned())
            }
            Word::Name(_) | Word::Literal(_) | Word::Exists | Word::Not | Word::Open => (
                format!("`{written}` is not expected here"),
                "join conditions with `and` or `or`; compare with == != < <= > >= or contains".to_owned(),
            ),
            Word::Operator(_) | Word::And | Word::Or => {
                (format!("`{written}` is not expected here"), "one side of the comparison is missing".to_owned())
            }
        };
        ConditionError::new(token.at.clone(), message, hint)
    }

    fn ended(&self, message: &str) -> ConditionError {
        let end = self.source.trim_end().len();
        let hint = "a condition looks like `mood == \"calm\" and exists(name)`";
        ConditionError::new(end..end, if end == 0 { "the condition is empty" } else { message }, hint)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ConditionError>) -> Result<T, ConditionError> {
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    fn take(&mut self, word: &Word) -> bool {
        let found = self.peek().is_some_and(|token| token.word == *word);
        self.next += usize::from(found);
        found
    }

    fn written(&self, token: &Token) -> &str {
        &self.source[token.at.clone()]
    }
}

fn single_or(mut parts: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Expression {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => Expression::Constant(true),
    }
}
