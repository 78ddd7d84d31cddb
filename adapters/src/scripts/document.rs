//! One YAML document as a tree of places, read with bounds on size, depth and number of nodes.
//!
//! It knows YAML and no kind of document. Aliases are shared, not copied, and counted as if they were copied, so that
//! no small file can grow large.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span as Marks, StrInput, Tag};
use steersman_domain::script::{defect::Defect, draft::Span};

use super::syntax;

/// The largest file, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// The deepest nesting.
const MAX_DEPTH: u32 = 64;
/// The most keys, values and entries, aliases counted as what they stand for.
const MAX_NODES: u32 = 100_000;
/// Up to this many keys a mapping is searched for duplicates by comparing each with each.
const FEW_KEYS: usize = 16;

/// A parsed document. The number of a [`Span`] is the index of its node.
#[derive(Debug)]
pub(super) struct Document<'i> {
    pub(super) text: &'i str,
    nodes: Vec<Node<'i>>,
    pub(super) root: Option<NodeId>,
    /// In order, because nodes are numbered in the order of the file.
    tagged: Vec<NodeId>,
}

/// The index of a node.
pub(super) type NodeId = u32;

#[derive(Debug)]
pub(super) struct Node<'i> {
    pub(super) content: Content<'i>,
    /// In characters from the start of the text.
    characters: Range<u32>,
}

#[derive(Debug)]
pub(super) enum Content<'i> {
    Scalar {
        text: Cow<'i, str>,
        style: ScalarStyle,
    },
    List(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
    /// A place without a value, for a defect of the file itself.
    Mark,
}

impl<'i> Document<'i> {
    /// Parses `text`; without a root what is wrong is in the defects.
    pub(super) fn parse(text: &'i str) -> (Self, Vec<Defect>) {
        let mut builder = Builder {
            document: Self { text, nodes: Vec::with_capacity(text.len() / 16), root: None, tagged: Vec::new() },
            sizes: Vec::with_capacity(text.len() / 16),
            open: Vec::new(),
            anchors: HashMap::new(),
            total: 0,
            defects: Vec::new(),
        };
        if let Err(defect) = builder.run() {
            builder.document.root = None;
            // What stopped the reading explains the rest.
            return (builder.document, vec![*defect]);
        }
        (builder.document, builder.defects)
    }

    /// Makes a document without a tree, whose only place is `bytes`.
    pub(super) fn unread(text: &'i str, bytes: Range<usize>) -> Self {
        let characters = |bytes: usize| u32::try_from(text[..bytes].chars().count()).unwrap_or(u32::MAX);
        let mark = Node { content: Content::Mark, characters: characters(bytes.start)..characters(bytes.end) };
        Self { text, nodes: vec![mark], root: None, tagged: Vec::new() }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<'i> {
        &self.nodes[id as usize]
    }

    /// Tells whether a node has a tag, which was reported.
    pub(super) fn is_tagged(&self, id: NodeId) -> bool {
        self.tagged.binary_search(&id).is_ok()
    }

    /// Returns where a node stands, in bytes.
    pub(super) fn bytes(&self, span: Span) -> Range<usize> {
        let Some(node) = self.nodes.get(span.number() as usize) else { return 0..0 };
        let start = byte_of(self.text, 0, node.characters.start);
        let end = byte_of(self.text, start, node.characters.end.saturating_sub(node.characters.start));
        start..end
    }
}

/// Returns the byte that is `characters` characters after `from`.
fn byte_of(text: &str, from: usize, characters: u32) -> usize {
    let rest = &text[from..];
    from + rest.char_indices().nth(characters as usize).map_or(rest.len(), |(at, _)| at)
}

impl Node<'_> {
    /// Returns the text of a scalar.
    pub(super) fn scalar(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            Content::List(_) | Content::Mapping(_) | Content::Mark => None,
        }
    }
}

struct Builder<'i> {
    document: Document<'i>,
    /// For each node how many nodes it stands for, and how deep it is.
    sizes: Vec<(u32, u32)>,
    open: Vec<Open>,
    anchors: HashMap<usize, NodeId>,
    total: u32,
    defects: Vec<Defect>,
}

/// A list or mapping whose end has not been read.
struct Open {
    id: NodeId,
    key: Option<NodeId>,
}

type Stopped = Result<(), Box<Defect>>;

impl<'i> Builder<'i> {
    fn run(&mut self) -> Stopped {
        let mut documents = 0;
        let mut parser: Parser<'i, StrInput<'i>> = Parser::new_from_str(self.document.text);
        while let Some(event) = parser.next_event() {
            let (event, marks) = match event {
                Ok(event) => event,
                Err(error) => return Err(Box::new(self.syntax(&error))),
            };
            match event {
                Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        let hint = "take the `---` out, or put the rest into its own file";
                        let message = "a second document begins here, a file holds one";
                        return self.stop(&marks, "several_documents", message, hint);
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let id = self.push(Content::Scalar { text, style }, &marks);
                    self.tagged(id, tag.as_deref());
                    self.anchored(anchor, id);
                    self.attach(id, &marks)?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.begin(Content::List(Vec::new()), anchor, tag.as_deref(), &marks)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.begin(Content::Mapping(Vec::new()), anchor, tag.as_deref(), &marks)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(&marks)?,
                Event::Alias(anchor) => self.alias(anchor, &marks)?,
            }
        }
        Ok(())
    }

    fn begin(&mut self, content: Content<'i>, anchor: usize, tag: Option<&Tag>, marks: &Marks) -> Stopped {
        if self.open.len() >= MAX_DEPTH as usize {
            return self.too_deep(marks);
        }
        let id = self.push(content, marks);
        self.tagged(id, tag);
        self.anchored(anchor, id);
        self.open.push(Open { id, key: None });
        Ok(())
    }

    fn end(&mut self, marks: &Marks) -> Stopped {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let end = index(marks.end.index()).max(self.document.node(open.id).characters.start);
        self.document.nodes[open.id as usize].characters.end = end;
        self.duplicates(open.id);
        self.attach(open.id, marks)
    }

    fn alias(&mut self, anchor: usize, marks: &Marks) -> Stopped {
        let Some(&id) = self.anchors.get(&anchor) else { return Ok(()) };
        if self.open.iter().any(|open| open.id == id) {
            let message = "this alias stands inside what it stands for";
            return self.stop(marks, "alias_loop", message, "write out what is meant here");
        }
        let (size, depth) = self.sizes[id as usize];
        self.total = self.total.saturating_add(size);
        if self.open.len() + depth as usize > MAX_DEPTH as usize {
            return self.too_deep(marks);
        }
        self.attach(id, marks)
    }

    /// Puts a finished node into the list or mapping that is open.
    fn attach(&mut self, id: NodeId, marks: &Marks) -> Stopped {
        if self.total > MAX_NODES {
            let message = format!("the file stands for more than {MAX_NODES} keys, values and entries");
            let hint = "shorten the script; aliases count as what they stand for";
            return self.stop(marks, "too_many_nodes", &message, hint);
        }
        let Some(open) = self.open.last_mut() else {
            self.document.root.get_or_insert(id);
            return Ok(());
        };
        let (size, depth) = self.sizes[id as usize];
        let parent = &mut self.sizes[open.id as usize];
        *parent = (parent.0.saturating_add(size), parent.1.max(depth + 1));
        match &mut self.document.nodes[open.id as usize].content {
            Content::List(entries) => entries.push(id),
            Content::Mapping(entries) => match open.key.take() {
                Some(key) => entries.push((key, id)),
                None => open.key = Some(id),
            },
            Content::Scalar { .. } | Content::Mark => {}
        }
        Ok(())
    }

    fn push(&mut self, content: Content<'i>, marks: &Marks) -> NodeId {
        let id = index(self.document.nodes.len());
        let characters = index(marks.start.index())..index(marks.end.index());
        self.document.nodes.push(Node { content, characters });
        self.sizes.push((1, 1));
        self.total = self.total.saturating_add(1);
        id
    }

    fn anchored(&mut self, anchor: usize, id: NodeId) {
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
    }

    fn tagged(&mut self, id: NodeId, tag: Option<&Tag>) {
        let Some(tag) = tag else { return };
        let written = if tag.is_yaml_core_schema() { format!("!!{}", tag.suffix) } else { tag.to_string() };
        let defect = if tag.suffix.contains("include") {
            Defect::error("include", Span::new(id), "a script is one file, it cannot include another")
                .hint("write the text here")
        } else {
            Defect::error("tag", Span::new(id), format!("the tag `{written}` has no meaning here"))
                .hint("take it out; put a text that begins with `!` in quotes")
        };
        self.document.tagged.push(id);
        self.defects.push(defect);
    }

    fn duplicates(&mut self, id: NodeId) {
        let Content::Mapping(entries) = &self.document.node(id).content else { return };
        let key = |id: NodeId| self.document.node(id).scalar();
        let mut found = Vec::new();
        if entries.len() <= FEW_KEYS {
            for (at, (second, _)) in entries.iter().enumerate() {
                let first =
                    entries[..at].iter().find(|(first, _)| key(*first).is_some() && key(*first) == key(*second));
                found.extend(first.map(|(first, _)| (*first, *second)));
            }
        } else {
            let mut seen = HashMap::with_capacity(entries.len());
            for (second, _) in entries {
                let Some(text) = key(*second) else { continue };
                let first = *seen.entry(text).or_insert(*second);
                found.extend((first != *second).then_some((first, *second)));
            }
        }
        let defects = found.into_iter().map(|(first, second)| {
            Defect::error(
                "duplicate_key",
                Span::new(second),
                format!("the key `{}` is here twice", key(second).unwrap_or_default()),
            )
            .related(Span::new(first), "the first time is here")
            .hint("keep one of the two; a second action or output needs its own `- `")
        });
        self.defects.extend(defects.collect::<Vec<_>>());
    }

    fn too_deep(&mut self, marks: &Marks) -> Stopped {
        let message = format!("lists and mappings are nested deeper than {MAX_DEPTH}");
        self.stop(marks, "too_deep", &message, syntax::NESTING)
    }

    fn stop(&mut self, marks: &Marks, code: &'static str, message: &str, hint: &str) -> Stopped {
        let id = self.push(Content::Mark, marks);
        Err(Box::new(Defect::error(code, Span::new(id), message).hint(hint)))
    }

    fn syntax(&mut self, error: &ScanError) -> Defect {
        let at = *error.marker();
        let id = self.push(Content::Mark, &Marks::empty(at));
        let byte = self.document.bytes(Span::new(id)).start;
        syntax::explain(self.document.text, byte, error.info(), Span::new(id))
    }
}

/// A file has at most [`MAX_BYTES`] bytes, so each index fits.
fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
