//! The variables of one session: a stack of scopes that open and close, each value with its provenance.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::{Kind, Lookup, Scope, Value, VariableName};
use crate::{clock::Timestamp, id::ActionId};

/// How many earlier values a variable keeps; all of them are in the events.
pub const HISTORY: usize = 8;

/// All variables that live at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Form")]
pub struct VariableStore {
    frames: Vec<Frame>, // Invariant: global, session, then at most a phase and above it topics; never empty.
}

/// One open scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Frame {
    scope: Scope,
    path: String,
    slots: BTreeMap<VariableName, Slot>,
}

/// One declared name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Slot {
    kind: Option<Kind>,
    read_only: bool,
    held: Option<VariableValue>,
}

/// The forms in which variables may be kept.
#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    /// By scope, as they are written now.
    Layered { frames: Vec<Frame> },
    /// Names and values alone, as they were written before there were scopes.
    Flat(BTreeMap<VariableName, Value>),
}

/// What a variable holds, and where it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableValue {
    /// The value.
    pub value: Value,
    /// Its kind.
    pub kind: Kind,
    /// The scope it lives in.
    pub scope: Scope,
    /// What wrote it.
    pub source: Source,
    /// When it was written.
    pub updated_at: Timestamp,
    /// How far it can be relied on.
    pub quality: Quality,
    /// What it was before, oldest first, at most [`HISTORY`].
    pub history: VecDeque<Earlier>,
}

/// A value that was replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    /// The value.
    pub value: Value,
    /// What had written it.
    pub source: Source,
    /// When it had been written.
    pub at: Timestamp,
}

/// What wrote a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The action, `None` for clients, declarations and the script.
    pub action: Option<ActionId>,
    /// The turn.
    pub turn: u32,
}

/// How a value came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// The model's reply gave it.
    Reply,
    /// A call of its own extracted it.
    Extraction,
    /// The person's own words, unread.
    Raw,
    /// The script gave it.
    Literal,
    /// The person chose it.
    Choice,
    /// A form gave it.
    Form,
    /// The client gave it.
    Client,
    /// It comes from an older form of the state.
    Migrated,
}

/// A variable was announced.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// Its name.
    pub name: VariableName,
    /// The scope it lives in.
    pub scope: Scope,
    /// Its initial value.
    pub value: Option<Value>,
}

/// A value was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The declaration that the write brought about, if the name had none.
    pub declared: Option<Declared>,
    /// The scope that was written.
    pub scope: Scope,
    /// What it was before.
    pub previous: Option<Value>,
    /// What it is now.
    pub value: Value,
}

/// A scope was closed; its values are gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// Which.
    pub scope: Scope,
    /// The phase or topic it belonged to.
    pub path: String,
    /// What it held at the end.
    pub variables: BTreeMap<VariableName, Value>,
}

/// Why a value was not written. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The name is a constant of the script.
    #[error("`{name}` is a constant of the script")]
    ReadOnly {
        /// Whose write was refused.
        name: VariableName,
    },
    /// The declaration visible here lives in another scope.
    #[error("`{name}` is declared in {declared} scope and cannot be written in {wanted} scope", declared = declared.as_str(), wanted = wanted.as_str())]
    OtherScope {
        /// Whose write was refused.
        name: VariableName,
        /// Where it is declared.
        declared: Scope,
        /// Where it should have been written.
        wanted: Scope,
    },
    /// The value has another kind than the declaration asks for, and cannot be converted without loss.
    #[error("`{name}` takes a {expected}, not a {found}", expected = expected.as_str(), found = found.as_str())]
    OtherKind {
        /// Whose write was refused.
        name: VariableName,
        /// The declared kind.
        expected: Kind,
        /// The kind of the value.
        found: Kind,
    },
    /// The scope is not open here.
    #[error("no {scope} scope is open here for `{name}`", scope = scope.as_str())]
    NotOpen {
        /// Whose write was refused.
        name: VariableName,
        /// The scope that is not open.
        scope: Scope,
    },
}

/// Who writes, when, and how far it can be relied on.
#[derive(Debug, Clone, PartialEq)]
pub struct Writing {
    /// What writes.
    pub source: Source,
    /// How the value came to be.
    pub quality: Quality,
    /// When.
    pub at: Timestamp,
}

impl Default for VariableStore {
    fn default() -> Self {
        let frame = |scope| Frame { scope, path: String::new(), slots: BTreeMap::new() };
        Self { frames: vec![frame(Scope::Global), frame(Scope::Session)] }
    }
}

impl From<Form> for VariableStore {
    /// Takes values without a scope into the session scope; those by scope stay as they are.
    fn from(form: Form) -> Self {
        let values = match form {
            Form::Layered { frames } => return Self { frames },
            Form::Flat(values) => values,
        };
        let mut store = Self::default();
        let source = Source { action: None, turn: 0 };
        let writing = Writing { source, quality: Quality::Migrated, at: Timestamp::EPOCH };
        for (name, value) in values {
            let mut slot = Slot { kind: None, read_only: false, held: None };
            slot.hold(value, Scope::Session, &writing);
            store.frames[1].slots.insert(name, slot); // The session scope is the second; it is always there.
        }
        store
    }
}

impl VariableStore {
    /// Opens a phase or topic scope, empty.
    pub fn open(&mut self, scope: Scope, path: impl Into<String>) {
        self.frames.push(Frame { scope, path: path.into(), slots: BTreeMap::new() });
    }

    /// Closes the innermost scope; the global and the session scope stay open.
    pub fn close(&mut self) -> Option<Closed> {
        if self.frames.len() <= 2 {
            return None;
        }
        self.frames.pop().map(Frame::into_closed)
    }

    /// Returns what the session scope holds at the end. The values stay readable: they are what a session leaves.
    pub fn session_snapshot(&self) -> Closed {
        let held = self.in_scope(Scope::Session);
        let variables = held.into_iter().map(|(name, held)| (name.clone(), held.value.clone())).collect();
        Closed { scope: Scope::Session, path: String::new(), variables }
    }

    /// Announces a name in the innermost open scope of that kind. A name already declared there keeps its value.
    pub fn declare(&mut self, scope: Scope, name: VariableName, kind: Option<Kind>) -> Option<Declared> {
        let frame = self.frame_mut(scope)?;
        if frame.slots.contains_key(name.as_str()) {
            return None;
        }
        frame.slots.insert(name.clone(), Slot { kind, read_only: false, held: None });
        Some(Declared { name, scope, value: None })
    }

    /// Gives a declared name its initial value; not a write.
    pub fn initialise(&mut self, scope: Scope, name: &VariableName, value: Value, at: Timestamp) {
        let source = Source { action: None, turn: 0 };
        if let Some(slot) = self.frame_mut(scope).and_then(|frame| frame.slots.get_mut(name.as_str())) {
            slot.hold(value, scope, &Writing { source, quality: Quality::Literal, at });
        }
    }

    /// Makes a declared global name a constant.
    pub fn seal(&mut self, name: &VariableName) {
        if let Some(slot) = self.frame_mut(Scope::Global).and_then(|frame| frame.slots.get_mut(name.as_str())) {
            slot.read_only = true;
        }
    }

    /// Writes a value where the declaration visible here says; an undeclared name is declared for the current topic,
    /// outside a topic for the session. `wanted` asks for a scope.
    ///
    /// # Errors
    ///
    /// [`WriteError`]; nothing has changed then.
    pub fn write(
        &mut self,
        name: &VariableName,
        wanted: Option<Scope>,
        value: Value,
        writing: &Writing,
    ) -> Result<Written, WriteError> {
        let visible = self.declared_scope(name);
        if let (Some(wanted), Some(declared)) = (wanted, visible)
            && wanted != declared
        {
            return Err(WriteError::OtherScope { name: name.clone(), declared, wanted });
        }
        let innermost = self.frames.last().map_or(Scope::Session, |frame| frame.scope);
        let scope = visible.or(wanted).unwrap_or(innermost.max(Scope::Session));
        let frame = self.frame_mut(scope).ok_or_else(|| WriteError::NotOpen { name: name.clone(), scope })?;
        let undeclared = !frame.slots.contains_key(name.as_str());
        let slot = frame.slots.entry(name.clone()).or_insert(Slot { kind: None, read_only: false, held: None });
        let value = slot.accept(name, value)?;
        let previous = slot.hold(value.clone(), scope, writing);
        let declared = undeclared.then(|| Declared { name: name.clone(), scope, value: None });
        Ok(Written { declared, scope, previous, value })
    }

    /// Returns what a name holds here: topic, phase, session, global, the first that is set.
    pub fn get(&self, name: &str) -> Option<&VariableValue> {
        self.frames.iter().rev().find_map(|frame| frame.slots.get(name)?.held.as_ref())
    }

    /// Returns the scope of the declaration visible here.
    pub fn declared_scope(&self, name: &VariableName) -> Option<Scope> {
        self.frames.iter().rev().find(|frame| frame.slots.contains_key(name.as_str())).map(|frame| frame.scope)
    }

    /// Returns the kind that the declaration visible here asks for.
    pub fn declared_kind(&self, name: &VariableName) -> Option<Kind> {
        self.frames.iter().rev().find_map(|frame| frame.slots.get(name.as_str()))?.kind
    }

    /// Lists what is set in the open scopes of one kind; of nested topics the innermost wins.
    pub fn in_scope(&self, scope: Scope) -> BTreeMap<&VariableName, &VariableValue> {
        self.frames
            .iter()
            .filter(|frame| frame.scope == scope)
            .flat_map(|frame| &frame.slots)
            .filter_map(|(name, slot)| Some((name, slot.held.as_ref()?)))
            .collect()
    }

    /// Lists the scopes that are open, outermost first, each with the phase or topic it belongs to.
    pub fn open_scopes(&self) -> impl Iterator<Item = (Scope, &str)> {
        self.frames.iter().map(|frame| (frame.scope, frame.path.as_str()))
    }

    /// Tells whether every value has the kind that was noted for it and the one that its declaration asks for.
    pub fn kinds_match(&self) -> bool {
        self.frames.iter().flat_map(|frame| frame.slots.values()).all(|slot| {
            let Some(held) = &slot.held else { return true };
            held.kind == held.value.kind()
                && slot.kind.is_none_or(|declared| held.value.clone().convert(declared).is_some())
        })
    }

    /// Counts the bytes of all values, with their history, as they are written.
    pub fn bytes(&self) -> usize {
        let held = self.frames.iter().flat_map(|frame| frame.slots.values()).filter_map(|slot| slot.held.as_ref());
        held.map(|held| held.value.bytes() + held.history.iter().map(|earlier| earlier.value.bytes()).sum::<usize>())
            .sum()
    }

    fn frame_mut(&mut self, scope: Scope) -> Option<&mut Frame> {
        self.frames.iter_mut().rev().find(|frame| frame.scope == scope)
    }
}

impl Lookup for VariableStore {
    fn value(&self, name: &str) -> Option<Value> {
        self.get(name).map(|held| held.value.clone())
    }
}

impl Frame {
    fn into_closed(self) -> Closed {
        let variables = self.slots.into_iter().filter_map(|(name, slot)| Some((name, slot.held?.value))).collect();
        Closed { scope: self.scope, path: self.path, variables }
    }
}

impl Slot {
    fn accept(&self, name: &VariableName, value: Value) -> Result<Value, WriteError> {
        if self.read_only {
            return Err(WriteError::ReadOnly { name: name.clone() });
        }
        let Some(expected) = self.kind else { return Ok(value) };
        let found = value.kind();
        value.convert(expected).ok_or_else(|| WriteError::OtherKind { name: name.clone(), expected, found })
    }

    fn hold(&mut self, value: Value, scope: Scope, writing: &Writing) -> Option<Value> {
        let before = self.held.take();
        let previous = before.as_ref().map(|held| held.value.clone());
        let mut history = VecDeque::new();
        if let Some(held) = before {
            history = held.history;
            history.push_back(Earlier { value: held.value, source: held.source, at: held.updated_at });
            while history.len() > HISTORY {
                history.pop_front();
            }
        }
        self.held = Some(VariableValue {
            kind: value.kind(),
            value,
            scope,
            source: writing.source.clone(),
            updated_at: writing.at,
            quality: writing.quality,
            history,
        });
        previous
    }
}
