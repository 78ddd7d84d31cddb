//! Texts with placeholders: `{name}` for script variables, `{%name%}` for system variables. One pass, never re-expanded.

use std::ops::Range;

use crate::variable::{Lookup, Value, VariableName};

/// A text with placeholders, parsed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    source: String,
    placeholders: Vec<Placeholder>, // Invariant: in order, on character boundaries of `source`, not overlapping.
}

/// A place in a template that a value goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    /// Whose value.
    pub subject: Subject,
    /// How it is written.
    pub spelling: Spelling,
    /// Where it stands in the source, in bytes, braces included.
    pub at: Range<usize>,
}

/// What a placeholder stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A variable of the script.
    Variable(VariableName),
    /// A system variable, by the name between the percent signs.
    System(String),
}

/// How a placeholder is written; all spellings mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// `{name}` or `{%name%}`.
    Short,
    /// `{{name}}` or `{{ name }}`.
    Doubled,
    /// `${name}`.
    Dollar,
}

/// A template after its placeholders were filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// The script variables that were unset and became the empty text, each once, in order.
    pub unset: Vec<VariableName>,
}

impl Template {
    /// Parses any text; a brace that encloses no valid name is literal.
    pub fn parse(source: &str) -> Self {
        let mut placeholders = Vec::new();
        let mut from = 0;
        while let Some(found) = source[from..].find(['{', '$']) {
            let start = from + found;
            match placeholder(&source[start..]) {
                Some((subject, spelling, length)) => {
                    from = start + length;
                    placeholders.push(Placeholder { subject, spelling, at: start..from });
                }
                None => from = start + 1,
            }
        }
        Self { source: source.to_owned(), placeholders }
    }

    /// Returns the text as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns its placeholders, in order.
    pub fn placeholders(&self) -> &[Placeholder] {
        &self.placeholders
    }

    /// Returns the script variables it reads, in order, one entry for each place.
    pub fn variables(&self) -> impl Iterator<Item = &VariableName> {
        self.placeholders.iter().filter_map(|placeholder| match &placeholder.subject {
            Subject::Variable(name) => Some(name),
            Subject::System(_) => None,
        })
    }

    /// Returns the system variables it reads, in order, one entry for each place.
    pub fn system_variables(&self) -> impl Iterator<Item = &str> {
        self.placeholders.iter().filter_map(|placeholder| match &placeholder.subject {
            Subject::Variable(_) => None,
            Subject::System(name) => Some(name.as_str()),
        })
    }

    /// Returns where braces enclose what looks like a name and is none, such as `{ name }` or `{first-name}`; they stay in
    /// the text as they are.
    pub fn literal_braces(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(open) = self.source[from..].find('{').map(|at| from + at) {
            let inner = &self.source[open + 1..];
            let length = inner.find(|c| !looks_named(c)).unwrap_or(inner.len());
            from = open + 1;
            let whole = open..open + length + 2;
            let named = inner[..length].chars().any(char::is_alphanumeric) && inner[length..].starts_with('}');
            if named && !self.is_placeholder(open) {
                from = whole.end;
                found.push(whole);
            }
        }
        found
    }

    /// Fills the placeholders in, one pass; `system` answers `{%name%}`.
    ///
    /// A value is put in as it stands: braces inside it mean nothing. What is unset becomes the empty text.
    pub fn fill(&self, variables: &dyn Lookup, system: &dyn Lookup) -> Filled {
        let mut filled = Filled { text: String::with_capacity(self.source.len()), unset: Vec::new() };
        let mut from = 0;
        for placeholder in &self.placeholders {
            filled.text.push_str(&self.source[from..placeholder.at.start]);
            from = placeholder.at.end;
            match &placeholder.subject {
                Subject::Variable(name) => match set(variables.value(name.as_str())) {
                    Some(value) => filled.text.push_str(&value.spoken()),
                    None if filled.unset.contains(name) => {}
                    None => filled.unset.push(name.clone()),
                },
                Subject::System(name) => {
                    if let Some(value) = set(system.value(name)) {
                        filled.text.push_str(&value.spoken());
                    }
                }
            }
        }
        filled.text.push_str(&self.source[from..]);
        filled
    }

    fn is_placeholder(&self, byte: usize) -> bool {
        let after = self.placeholders.partition_point(|placeholder| placeholder.at.end <= byte);
        self.placeholders.get(after).is_some_and(|placeholder| placeholder.at.contains(&byte))
    }
}

impl Subject {
    /// Returns the name without its braces and percent signs.
    pub fn name(&self) -> &str {
        match self {
            Self::Variable(name) => name.as_str(),
            Self::System(name) => name,
        }
    }
}

impl Placeholder {
    /// Returns the short spelling: `{name}` or `{%name%}`.
    pub fn short(&self) -> String {
        match &self.subject {
            Subject::Variable(name) => format!("{{{name}}}"),
            Subject::System(name) => format!("{{%{name}%}}"),
        }
    }
}

fn set(value: Option<Value>) -> Option<Value> {
    value.filter(|value| !value.json().is_null())
}

/// Reads the placeholder that `text` begins with, and its length in bytes.
fn placeholder(text: &str) -> Option<(Subject, Spelling, usize)> {
    let forms = [("${", "}", Spelling::Dollar), ("{{", "}}", Spelling::Doubled), ("{", "}", Spelling::Short)];
    if let Some(rest) = text.strip_prefix("{%") {
        let name = &rest[..rest.find(|c: char| !is_name_char(c))?];
        let closed = rest[name.len()..].starts_with("%}") && VariableName::is_well_formed(name);
        return closed.then(|| (Subject::System(name.to_owned()), Spelling::Short, name.len() + 4));
    }
    forms.into_iter().find_map(|(open, close, spelling)| {
        let rest = text.strip_prefix(open)?;
        let inner = if spelling == Spelling::Doubled { rest.trim_start_matches(' ') } else { rest };
        let name = &inner[..inner.find(|c: char| !is_name_char(c))?];
        let after = &inner[name.len()..];
        let end = if spelling == Spelling::Doubled { after.trim_start_matches(' ') } else { after };
        let end = end.strip_prefix(close)?;
        let name = VariableName::new(name).ok()?;
        Some((Subject::Variable(name), spelling, text.len() - end.len()))
    })
}

/// Tells whether a character can stand in what an author may have meant as a name.
fn looks_named(c: char) -> bool {
    is_name_char(c) || matches!(c, ' ' | '.' | '-' | '%' | '$')
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    struct Table(BTreeMap<String, Value>);

    impl Lookup for Table {
        fn value(&self, name: &str) -> Option<Value> {
            self.0.get(name).cloned()
        }
    }

    fn table(entries: &[(&str, serde_json::Value)]) -> Table {
        Table(entries.iter().map(|(name, value)| ((*name).to_owned(), Value::new(value.clone()))).collect())
    }

    #[test]
    fn placeholders_of_every_spelling_are_filled_and_other_braces_stay() {
        let variables = table(&[("name", json!("Ann")), ("姓名", json!("安")), ("n", json!(0)), ("no", json!(null))]);
        let system = table(&[("now", json!("today")), ("name", json!("not me"))]);
        let cases = [
            ("hello {name}!", "hello Ann!"),
            ("你好{姓名}，", "你好安，"),
            ("{name}{name}", "AnnAnn"),
            ("{n} is set", "0 is set"),
            ("{{name}} {{ name }} ${name}", "Ann Ann Ann"),
            ("{{{name}}}", "{Ann}"),
            ("{{name}", "{Ann"),
            ("${name} costs $5 $ {", "Ann costs $5 $ {"),
            ("{%now%} {name}", "today Ann"),
            ("{ name } {name } ${ name } {% now %} {%now}", "{ name } {name } ${ name } {% now %} {%now}"),
            (r#"{"name": "{name}"}"#, r#"{"name": "Ann"}"#),
            ("{} {1} {a.b} {a-b} {and}", "{} {1} {a.b} {a-b} {and}"),
            ("{unset}|{no}|{%unset%}|", "|||"),
            ("{name", "{name"),
            ("{%now%", "{%now%"),
            ("{{ {name} }}", "{{ Ann }}"),
            ("", ""),
        ];
        for (source, text) in cases {
            assert_eq!(Template::parse(source).fill(&variables, &system).text, text, "{source}");
        }
    }

    #[test]
    fn unset_names_are_told_once_each_in_order() {
        let filled = Template::parse("{b}{a}{b}{%c%}").fill(&table(&[]), &table(&[]));
        assert_eq!(filled.unset.iter().map(VariableName::as_str).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn braces_that_look_like_a_placeholder_and_are_none_are_found() {
        let cases: [(&str, &[&str]); 5] = [
            ("{name} {{name}} ${name} {%now%}", &[]),
            ("{ name } {first-name} {result.outcome}", &["{ name }", "{first-name}", "{result.outcome}"]),
            ("{% now %} {exists} {2nd}", &["{% now %}", "{exists}", "{2nd}"]),
            (r#"{"a": 1} {} { } {a: b} {a|b} {a"#, &[]),
            ("{{ first-name }}", &["{ first-name }"]),
        ];
        for (source, braces) in cases {
            let found: Vec<_> = Template::parse(source).literal_braces().into_iter().map(|at| &source[at]).collect();
            assert_eq!(found, braces, "{source}");
        }
    }

    #[test]
    fn the_places_of_placeholders_are_known() {
        let template = Template::parse("你{a}{{ b }}{%now%}");
        let places: Vec<_> = template.placeholders().iter().map(|p| (p.subject.name(), p.at.clone())).collect();
        assert_eq!(places, [("a", 3..6), ("b", 6..13), ("now", 13..20)]);
        assert_eq!(template.placeholders()[1].short(), "{b}");
        assert_eq!(template.system_variables().collect::<Vec<_>>(), ["now"]);
    }

    proptest! {
        #[test]
        fn a_placeholder_never_re_expands(value in "[{}$%a-c ]{0,12}|\\{(name|other|%now%)\\}", before in "[{$ ]{0,3}") {
            let variables = table(&[("name", json!(value)), ("other", json!("EXPANDED"))]);
            let system = table(&[("now", json!("EXPANDED"))]);
            let filled = Template::parse(&format!("{before}|{{name}}|")).fill(&variables, &system);
            prop_assert_eq!(filled.text, format!("{before}|{value}|"));
        }

        #[test]
        fn any_text_parses_and_keeps_what_is_no_placeholder(source in "[{}$%a名 ]{0,24}") {
            let template = Template::parse(&source);
            let mut kept = String::new();
            let mut from = 0;
            for placeholder in template.placeholders() {
                kept.push_str(&source[from..placeholder.at.start]);
                from = placeholder.at.end;
            }
            kept.push_str(&source[from..]);
            prop_assert_eq!(template.fill(&table(&[]), &table(&[])).text, kept);
        }
    }
}
