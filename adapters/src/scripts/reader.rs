//! Reads values of the kinds that a document may have, and notes each that is of another.
//!
//! It is the same for every kind of document. What keys a mapping may have it takes from the mapping's [`Shape`], and
//! in debug builds it makes sure that exactly those are read.

use saphyr_parser::ScalarStyle;
use steersman_domain::{
    script::{
        MAX_DEFECTS,
        defect::Defect,
        draft::{Span, Spanned},
    },
    variable::Value,
};

use super::{
    document::{Content, Document, NodeId},
    key,
    scalar::Plain,
    shape::Shape,
};

/// Reads one document.
#[derive(Debug)]
pub(super) struct Reader<'d> {
    pub(super) document: &'d Document<'d>,
    pub(super) defects: Vec<Defect>,
}

/// A mapping whose keys were compared with its shape.
#[derive(Debug)]
pub(super) struct Fields {
    /// The whole mapping.
    pub(super) span: Span,
    shape: &'static Shape,
    values: Vec<Option<NodeId>>,
    asked: Vec<bool>,
}

impl<'d> Reader<'d> {
    pub(super) fn new(document: &'d Document<'d>) -> Self {
        Self { document, defects: Vec::new() }
    }

    pub(super) fn report(&mut self, defect: Defect) {
        if !self.is_full() {
            self.defects.push(defect);
        }
    }

    /// Tells whether there is so much wrong that more would not be told.
    fn is_full(&self) -> bool {
        self.defects.len() > 4 * MAX_DEFECTS
    }

    /// Reads a mapping: unknown, missing and not yet known keys are noted here.
    pub(super) fn fields(&mut self, id: NodeId, shape: &'static Shape) -> Option<Fields> {
        let Content::Mapping(entries) = &self.document.node(id).content else {
            self.wrong(
                id,
                shape.what,
                "a mapping: lines of `key: value`",
                &format!("allowed keys: {}", shape.listed()),
            );
            return None;
        };
        let span = Span::new(id);
        let mut fields =
            Fields { span, shape, values: vec![None; shape.keys.len()], asked: vec![false; shape.keys.len()] };
        for (key, value) in entries {
            let Some(name) = self.document.node(*key).scalar() else {
                self.report(
                    Defect::error("key_not_text", Span::new(*key), "a key must be a text")
                        .hint(format!("allowed: {}", shape.listed())),
                );
                continue;
            };
            match shape.position(name) {
                None if self.is_full() => {}
                None => self.report(key::unknown(name, Span::new(*key), shape)),
                Some(at) if shape.keys[at].not_yet => self.report(key::not_yet(name, Span::new(*key))),
                Some(at) => {
                    fields.values[at].get_or_insert(*value);
                }
            }
        }
        if entries.iter().any(|(key, _)| self.document.node(*key).scalar().is_some_and(|name| shape.is_not_yet(name))) {
            return Some(fields); // What is missing may be missing because of what does not run yet.
        }
        for (key, _) in shape.keys.iter().zip(&fields.values).filter(|(key, value)| key.required && value.is_none()) {
            let message = format!("{} needs the key `{}`", shape.what, key.name);
            self.report(Defect::error("missing_key", span, message).hint(key.example()));
        }
        Some(fields)
    }

    /// Returns the keys and values of any mapping.
    pub(super) fn entries(&self, id: NodeId) -> Option<&'d [(NodeId, NodeId)]> {
        match &self.document.node(id).content {
            Content::Mapping(entries) => Some(entries),
            Content::Scalar { .. } | Content::List(_) | Content::Mark => None,
        }
    }

    /// Reads a text. Its line breaks at the end are taken off.
    pub(super) fn text(&mut self, fields: &mut Fields, key: &str) -> Option<Spanned<String>> {
        let id = fields.take(key)?;
        self.text_at(id, key)
    }

    /// Reads the text of a node; `key` names it in messages.
    pub(super) fn text_at(&mut self, id: NodeId, key: &str) -> Option<Spanned<String>> {
        let (text, plain) = self.scalar(id, key, "a text")?;
        match plain {
            Some(Plain::Nothing) if text.is_empty() => {
                let message = format!("`{key}` has no value");
                self.report(
                    Defect::error("empty_value", Span::new(id), message)
                        .hint(format!("write a text, or take `{key}` out")),
                );
                return None;
            }
            None | Some(Plain::Text) => {}
            Some(_) if self.document.is_tagged(id) => {}
            Some(_) => {
                let message = format!("`{text}` is taken as a text here");
                let hint = format!("put it in quotes to make that plain: \"{text}\"");
                self.report(Defect::warning("unquoted_text", Span::new(id), message).hint(hint));
            }
        }
        Some(Spanned::new(text.trim_end_matches(['\n', '\r']).to_owned(), Span::new(id)))
    }

    /// Reads a condition: a text, or a plain `true` or `false`.
    pub(super) fn condition(&mut self, fields: &mut Fields, key: &str) -> Option<Spanned<String>> {
        let id = fields.take(key)?;
        match self.document.node(id).scalar() {
            Some(text @ ("true" | "false")) => Some(Spanned::new(text.to_owned(), Span::new(id))),
            _ => self.text_at(id, key),
        }
    }

    /// Reads a span of time as it is written.
    pub(super) fn duration(&mut self, fields: &mut Fields, key: &str) -> Option<Spanned<String>> {
        let id = fields.take(key)?;
        let (text, _) = self.scalar(id, key, "a span of time, such as 30s, 2min, 1h or 30d")?;
        Some(Spanned::new(text.to_owned(), Span::new(id)))
    }

    /// Reads `true` or `false`.
    pub(super) fn flag(&mut self, fields: &mut Fields, key: &str) -> Option<bool> {
        let id = fields.take(key)?;
        let (text, plain) = self.scalar(id, key, "true or false")?;
        if let Some(Plain::Truth(truth)) = plain {
            return Some(truth);
        }
        let hint = match text.to_ascii_lowercase().as_str() {
            "yes" | "on" | "true" => "write `true`, without quotes",
            "no" | "off" | "false" => "write `false`, without quotes",
            _ => "write `true` or `false`",
        };
        self.report(
            Defect::error(
                "wrong_kind",
                Span::new(id),
                format!("`{key}` must be true or false, this is {}", quoted(text)),
            )
            .hint(hint),
        );
        None
    }

    /// Reads a whole number.
    pub(super) fn whole(&mut self, fields: &mut Fields, key: &str) -> Option<Spanned<i64>> {
        let id = fields.take(key)?;
        let (text, plain) = self.scalar(id, key, "a whole number")?;
        if let Some(Plain::Whole(number)) = plain {
            return Some(Spanned::new(number, Span::new(id)));
        }
        self.no_number(id, key, text, plain, "a whole number");
        None
    }

    /// Reads a number.
    pub(super) fn number(&mut self, fields: &mut Fields, key: &str) -> Option<Spanned<f64>> {
        let id = fields.take(key)?;
        let (text, plain) = self.scalar(id, key, "a number")?;
        match plain {
            #[expect(clippy::cast_precision_loss, reason = "no setting of a script is near 2^53")]
            Some(Plain::Whole(number)) => Some(Spanned::new(number as f64, Span::new(id))),
            Some(Plain::Decimal(number)) => Some(Spanned::new(number, Span::new(id))),
            _ => {
                self.no_number(id, key, text, plain, "a number");
                None
            }
        }
    }

    /// Reads a value of any kind.
    pub(super) fn value(&mut self, fields: &mut Fields, key: &str) -> Option<Spanned<Value>> {
        let id = fields.take(key)?;
        self.json(id, key).map(|json| Spanned::new(Value::new(json), Span::new(id)))
    }

    /// Returns the entries of a list.
    pub(super) fn list(&mut self, fields: &mut Fields, key: &str) -> Option<&'d [NodeId]> {
        let id = fields.take(key)?;
        if let Content::List(entries) = &self.document.node(id).content {
            return Some(entries);
        }
        self.wrong(
            id,
            &format!("`{key}`"),
            "a list",
            "begin each entry with `- ` on a line of its own, or write `[first, second]`",
        );
        None
    }

    /// Reads a list of texts.
    pub(super) fn texts(&mut self, fields: &mut Fields, key: &str) -> Vec<Spanned<String>> {
        let entries = self.list(fields, key).unwrap_or_default();
        entries.iter().filter_map(|entry| self.text_at(*entry, key)).collect()
    }

    /// Says that a value is of another kind than it must be.
    pub(super) fn wrong(&mut self, id: NodeId, what: &str, wanted: &str, hint: &str) {
        let node = self.document.node(id);
        if self.document.is_tagged(id) {
            return; // The tag has been told, and it explains the value.
        }
        let is = match &node.content {
            Content::Scalar { text, .. } if text.is_empty() => "nothing",
            Content::Scalar { .. } => "a single value",
            Content::List(_) => "a list",
            Content::Mapping(_) => "a mapping",
            Content::Mark => "unreadable",
        };
        let message = format!("{what} must be {wanted}, this is {is}");
        self.report(Defect::error("wrong_kind", Span::new(id), message).hint(hint));
    }

    /// Returns a scalar's text and, without quotes, what it would mean.
    fn scalar(&mut self, id: NodeId, key: &str, wanted: &str) -> Option<(&'d str, Option<Plain>)> {
        let document = self.document;
        let Content::Scalar { text, style } = &document.node(id).content else {
            if self.is_full() || self.document.is_tagged(id) {
                return None;
            }
            let braces = self.document.text[self.document.bytes(Span::new(id)).start..].starts_with('{');
            let hint = if braces {
                "put the whole text in quotes: without them a value that begins with `{` is a mapping".to_owned()
            } else {
                format!("write {wanted} on one line behind `{key}:`, in quotes if it is a text with special signs")
            };
            self.wrong(id, &format!("`{key}`"), wanted, &hint);
            return None;
        };
        Some((text, (*style == ScalarStyle::Plain).then(|| Plain::of(text))))
    }

    fn no_number(&mut self, id: NodeId, key: &str, text: &str, plain: Option<Plain>, wanted: &str) {
        let hint = match plain {
            None if matches!(Plain::of(text), Plain::Whole(_) | Plain::Decimal(_)) => {
                "write it without quotes".to_owned()
            }
            Some(Plain::Decimal(_)) => "write it without a decimal point".to_owned(),
            Some(Plain::NoNumber) => "no number here is that large or that small".to_owned(),
            Some(Plain::Ambiguous) => "write a number without leading zeros, letters or `_`".to_owned(),
            Some(Plain::Nothing) => format!("write a number, or take `{key}` out"),
            _ => "write a number such as 3".to_owned(),
        };
        let message = format!("`{key}` must be {wanted}, this is {}", quoted(text));
        let code = if plain == Some(Plain::NoNumber) { "number_out_of_range" } else { "wrong_kind" };
        self.report(Defect::error(code, Span::new(id), message).hint(hint));
    }

    /// Reads a node as JSON; the depth is bounded by the document's.
    pub(super) fn json(&mut self, id: NodeId, key: &str) -> Option<serde_json::Value> {
        let document = self.document;
        match &document.node(id).content {
            Content::Scalar { text, style } if *style == ScalarStyle::Plain => self.plain_json(id, text, key),
            Content::Scalar { text, .. } => Some(text.trim_end_matches(['\n', '\r']).into()),
            Content::List(entries) => {
                entries.iter().map(|entry| self.json(*entry, key)).collect::<Option<Vec<_>>>().map(Into::into)
            }
            Content::Mapping(entries) => {
                let mut object = serde_json::Map::new();
                for (name, value) in entries {
                    let Some(name) = document.node(*name).scalar() else {
                        self.report(
                            Defect::error("key_not_text", Span::new(*name), "a key must be a text")
                                .hint("write the key as one word, in quotes if it has special signs"),
                        );
                        return None;
                    };
                    object.insert(name.to_owned(), self.json(*value, key)?);
                }
                Some(object.into())
            }
            Content::Mark => None,
        }
    }

    fn plain_json(&mut self, id: NodeId, text: &str, key: &str) -> Option<serde_json::Value> {
        match Plain::of(text) {
            Plain::Nothing => Some(serde_json::Value::Null),
            Plain::Truth(truth) => Some(truth.into()),
            Plain::Whole(number) => Some(number.into()),
            Plain::Decimal(number) => Some(number.into()),
            Plain::Text => Some(text.into()),
            Plain::Ambiguous => {
                let hint =
                    format!("put it in quotes to make that plain: \"{text}\"; or write a number or true or false");
                self.report(
                    Defect::warning("unquoted_text", Span::new(id), format!("`{text}` is taken as a text here"))
                        .hint(hint),
                );
                Some(text.into())
            }
            Plain::NoNumber => {
                let message = format!("`{key}` is {}, which is no number that can be used", quoted(text));
                self.report(
                    Defect::error("number_out_of_range", Span::new(id), message)
                        .hint("write a finite number, or put a text in quotes"),
                );
                None
            }
        }
    }
}

impl Fields {
    /// Returns the value of a key, once.
    pub(super) fn take(&mut self, key: &str) -> Option<NodeId> {
        let at = self.shape.position(key);
        debug_assert!(at.is_some(), "the reader asks {} for `{key}`, which its shape lacks", self.shape.what);
        let at = at?;
        self.asked[at] = true;
        self.values[at].take()
    }

    /// Returns where the value of a key stands.
    pub(super) fn place(&self, key: &str) -> Option<Span> {
        self.values[self.shape.position(key)?].map(Span::new)
    }

    /// Makes sure that every key of the shape was read.
    pub(super) fn done(self) {
        if cfg!(debug_assertions) {
            let forgotten = self.shape.keys.iter().zip(&self.asked).find(|(key, asked)| !key.not_yet && !**asked);
            assert!(
                forgotten.is_none(),
                "the reader forgets `{}` of {}",
                forgotten.map_or("", |(key, _)| key.name.as_str()),
                self.shape.what
            );
        }
    }
}

/// Shows a value of the file in a message, shortened.
fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(40).filter(|c| !c.is_control()).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    if shown.is_empty() { "nothing".to_owned() } else { format!("`{shown}`") }
}
