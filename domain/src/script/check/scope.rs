//! Which names can be read and written where: unknown names, closed and later scopes, what may be unset, shadows.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    notes::{Declared, How, Notes, Place, Read, Reader, Write, frame, visible},
    text::printable,
};
use crate::{
    nearest::nearest,
    script::{
        MAX_DEFECTS,
        defect::Defect,
        draft::{Draft, Span},
    },
    variable::{Scope, Value, VariableName},
};

pub(super) fn check(draft: &Draft, notes: &Notes, defects: &mut Vec<Defect>) {
    let book = Book::new(draft, notes);
    book.shadows(defects);
    book.writes(defects);
    book.reads(defects);
    book.unused(defects);
}

/// Everything that is known of the names, by name.
struct Book<'a> {
    draft: &'a Draft,
    notes: &'a Notes,
    names: BTreeMap<&'a str, Entry<'a>>,
}

#[derive(Default)]
struct Entry<'a> {
    declared: Vec<&'a Declared>,
    writes: Vec<(&'a Write, Place)>,
    reads: Vec<&'a Read>,
}

impl<'a> Book<'a> {
    fn new(draft: &'a Draft, notes: &'a Notes) -> Self {
        let mut names: BTreeMap<&str, Entry<'_>> = BTreeMap::new();
        for declared in &notes.declared {
            names.entry(&declared.name).or_default().declared.push(declared);
        }
        for write in &notes.writes {
            let entry = names.entry(&write.name).or_default();
            let place = entry.target(write);
            entry.writes.push((write, place));
        }
        for read in &notes.reads {
            names.entry(&read.name).or_default().reads.push(read);
        }
        Self { draft, notes, names }
    }

    fn shadows(&self, defects: &mut Vec<Defect>) {
        for entry in self.names.values() {
            // The first that hide another; more of the same name say nothing new.
            for (index, inner) in entry.declared.iter().enumerate().take(MAX_DEFECTS) {
                let outer = entry.declared[..index]
                    .iter()
                    .rev()
                    .find(|outer| outer.scope != inner.scope && visible(outer.place, inner.place));
                let Some(outer) = outer else { continue };
                let message =
                    format!("this `{}` hides the one declared {}", printable(&inner.name), outer.whereabouts());
                defects.push(
                    Defect::warning("shadowed", inner.span, message)
                        .related(outer.span, "the hidden one is here")
                        .hint("if both are meant, give one of them another name"),
                );
            }
        }
    }

    fn writes(&self, defects: &mut Vec<Defect>) {
        for write in &self.notes.writes {
            let entry = &self.names[write.name.as_str()];
            let Some(declared) = entry.visible_declaration(write.place) else {
                if write.scope == Some(Scope::Global) {
                    let message = format!("`{}` is not declared under `global:`", printable(&write.name));
                    let hint = format!("add `{{var: {}, writable: true}}` to `global:`", printable(&write.name));
                    defects.push(Defect::error("undeclared_global", write.span, message).hint(hint));
                }
                continue;
            };
            if declared.read_only {
                let message = format!("`{}` is a constant, nothing can set it", printable(&write.name));
                defects.push(
                    Defect::error("read_only", write.span, message)
                        .related(declared.span, "it is declared here")
                        .hint("make it `writable: true`, or use another name"),
                );
            } else if let Some(scope) = write.scope.filter(|scope| !entry.declared_in(*scope, write.place)) {
                let message = format!(
                    "`{}` is declared {}, so an output with `scope: {}` writes nothing",
                    printable(&write.name),
                    declared.whereabouts(),
                    scope.as_str()
                );
                defects.push(
                    Defect::warning("scope_conflict", write.span, message)
                        .related(declared.span, "it is declared here")
                        .hint("take `scope:` out, or write the same scope in both places"),
                );
            }
        }
    }

    fn reads(&self, defects: &mut Vec<Defect>) {
        let mut warned: BTreeSet<&str> = BTreeSet::new();
        let told = defects.len();
        for read in &self.notes.reads {
            if defects.len() > told + MAX_DEFECTS {
                return; // To look for the nearest name of each would take long, and nobody would see it.
            }
            let entry = &self.names[read.name.as_str()];
            let defect = match entry.found(read) {
                Found::Nowhere => self.unknown(read),
                Found::Closed(at) => self.elsewhere(read, at, "closed_scope", "has ended"),
                Found::Later(at) => self.elsewhere(read, at, "later_scope", "has not begun"),
                Found::MaybeUnset(since) if warns(read, Some(&since)) && warned.insert(&read.name) => {
                    maybe_unset(read, &since, "may be unset here")
                }
                Found::NotYet(since) if warns(read, None) && warned.insert(&read.name) => {
                    maybe_unset(read, &since, "is only set later")
                }
                Found::Set | Found::MaybeUnset(_) | Found::NotYet(_) => continue,
            };
            defects.push(match &read.within {
                Some(within) => defect.within(within.clone()),
                None => defect,
            });
        }
    }

    fn unknown(&self, read: &Read) -> Defect {
        let known = self.names.iter().filter(|(_, entry)| !entry.is_unknown()).map(|(name, _)| *name);
        let name = printable(&read.name);
        let hint = match nearest(&read.name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it (`declare: [{{var: {name}}}]`), or collect it as an output before it is read"),
        };
        let message = format!("nothing declares or sets `{name}`");
        let defect = match read.by {
            Reader::Exists => {
                let message = format!("{message}, so `exists({name})` is never true");
                Defect::warning("unknown_variable", read.span, message)
            }
            Reader::Criteria => {
                Defect::warning("unknown_variable", read.span, format!("{message}, so this criterion is never met"))
            }
            Reader::Text | Reader::Condition => Defect::error("unknown_variable", read.span, message),
        };
        defect.hint(hint)
    }

    fn elsewhere(&self, read: &Read, at: (Place, Span), code: &'static str, how: &str) -> Defect {
        let (place, span) = at;
        let name = printable(&read.name);
        let message = format!("`{name}` belongs to {}, which {how} here", self.called(place));
        let defect = match read.by {
            Reader::Exists => Defect::warning(code, read.span, message),
            Reader::Text | Reader::Condition | Reader::Criteria => Defect::error(code, read.span, message),
        };
        let hint = match place {
            _ if code == "later_scope" => {
                format!("declare `{name}` in the script's own `declare:`, or move this behind what sets it")
            }
            Place::Topic(phase, _) if visible(Place::Phase(phase), read.place) => {
                format!("to keep it, declare `{name}` in the phase's `declare:`, or give its output `scope: phase`")
            }
            Place::Script | Place::Phase(_) | Place::Topic(..) => {
                format!(
                    "to keep it, declare `{name}` in the script's own `declare:`, or give its output `scope: session`"
                )
            }
        };
        defect.related(span, "it comes from here").hint(hint)
    }

    fn unused(&self, defects: &mut Vec<Defect>) {
        for (name, entry) in &self.names {
            if !entry.reads.is_empty() || VariableName::new(*name).is_err() {
                continue;
            }
            let output = entry.writes.iter().find(|(write, _)| write.how == How::Output);
            let (Some((write, Place::Phase(_) | Place::Topic(..))), false) = (output, entry.is_kept()) else {
                continue;
            };
            let message = format!("nothing reads `{name}` before its scope closes, and then its value is gone");
            defects.push(
                Defect::warning("unused_output", write.span, message)
                    .hint("give it `scope: session` to keep it, use it in a text or a condition, or take it out"),
            );
        }
    }

    fn called(&self, place: Place) -> String {
        let (level, id) = match place {
            Place::Script => return "the script".to_owned(),
            Place::Phase(phase) => ("phase", self.draft.phases[phase].id.as_ref()),
            Place::Topic(phase, topic) => ("topic", self.draft.phases[phase].topics[topic].id.as_ref()),
        };
        id.map_or_else(|| format!("another {level}"), |id| format!("the {level} `{}`", printable(&id.value)))
    }
}

/// What a read finds.
enum Found {
    Nowhere,
    Closed((Place, Span)),
    Later((Place, Span)),
    Set,
    MaybeUnset(Since),
    NotYet(Since),
}

/// Why a name may be unset, and where that comes from.
enum Since {
    Declared(Span),
    Output(Span),
    Answer(Span),
}

impl<'a> Entry<'a> {
    fn is_unknown(&self) -> bool {
        self.declared.is_empty() && self.writes.is_empty()
    }

    /// Tells whether a value of that name outlives every phase.
    fn is_kept(&self) -> bool {
        self.writes.iter().any(|(_, place)| *place == Place::Script)
    }

    /// Returns the innermost declaration that can be seen from `place`.
    fn visible_declaration(&self, place: Place) -> Option<&'a Declared> {
        self.declared
            .iter()
            .filter(|declared| visible(declared.place, place))
            .max_by_key(|declared| declared.scope)
            .copied()
    }

    fn declared_in(&self, scope: Scope, place: Place) -> bool {
        self.declared.iter().any(|declared| declared.scope == scope && visible(declared.place, place))
    }

    /// Returns where the value that `write` gives lives: where it says, where it is declared, else in its topic.
    fn target(&self, write: &Write) -> Place {
        if let Some(scope) = write.scope {
            return frame(scope, write.place);
        }
        let declared = self.visible_declaration(write.place).map(|declared| (declared.scope, declared.place));
        let by_output = self
            .writes
            .iter()
            .filter(|(other, place)| other.scope.is_some() && visible(*place, write.place))
            .map(|(other, place)| (other.scope.unwrap_or(Scope::Topic), *place));
        declared.into_iter().chain(by_output).max_by_key(|(scope, _)| *scope).map_or(write.place, |(_, place)| place)
    }

    fn found(&self, read: &Read) -> Found {
        let declared = self.visible_declaration(read.place);
        let seen: Vec<_> = self.writes.iter().filter(|(_, place)| visible(*place, read.place)).collect();
        let before = || seen.iter().filter(|(write, _)| write.at < read.at);
        if before().any(|(write, _)| surely(write, read))
            || declared.is_some_and(|d| d.value.as_ref().is_some_and(Value::sets))
        {
            return Found::Set;
        }
        if before().any(|(write, _)| write.how == How::Broken) {
            return Found::Set;
        }
        if let Some((write, _)) = before().next_back() {
            return Found::MaybeUnset(match write.how {
                How::Answer => Since::Answer(write.span),
                How::Output | How::Set | How::Broken => Since::Output(write.span),
            });
        }
        if let Some(declared) = declared {
            return Found::MaybeUnset(Since::Declared(declared.span));
        }
        if let Some((write, _)) = seen.first() {
            return Found::NotYet(Since::Output(write.span));
        }
        self.out_of_sight(read)
    }

    fn out_of_sight(&self, read: &Read) -> Found {
        let declared = self.declared.iter().map(|declared| (declared.place, declared.span));
        let written = self.writes.iter().map(|(write, place)| (*place, write.span));
        let mut places: Vec<_> = declared.chain(written).collect();
        places.sort();
        let earlier = places.iter().rev().find(|(place, _)| before(*place, read.place));
        match (earlier, places.first()) {
            (Some(place), _) => Found::Closed(*place),
            (None, Some(place)) => Found::Later(*place),
            (None, None) => Found::Nowhere,
        }
    }
}

/// Tells whether `place` has ended when `now` is reached.
fn before(place: Place, now: Place) -> bool {
    let order = |place| match place {
        Place::Script => (0, 0),
        Place::Phase(phase) => (phase, 0),
        Place::Topic(phase, topic) => (phase, topic + 1),
    };
    let (then, now) = (order(place), order(now));
    then.0 < now.0 || then.0 == now.0 && matches!(place, Place::Topic(..)) && then.1 < now.1
}

/// Tells whether `read` surely finds what `write` sets.
fn surely(write: &Write, read: &Read) -> bool {
    let sets = write.literal.as_ref().is_none_or(Value::sets);
    write.how == How::Set && sets && write.unconditional && (write.always_entered || write.place == read.place)
}

/// Tells whether an unset value is worth a word here. A criterion waits for what is being collected, and a condition on
/// a choice asks which one was made, if any.
fn warns(read: &Read, since: Option<&Since>) -> bool {
    match read.by {
        Reader::Exists => false,
        Reader::Criteria => since.is_none(),
        Reader::Condition => !read.guarded && !matches!(since, Some(Since::Answer(_))),
        Reader::Text => !read.guarded,
    }
}

fn maybe_unset(read: &Read, since: &Since, how: &str) -> Defect {
    let name = printable(&read.name);
    let (span, what, hint) = match since {
        Since::Declared(span) => (
            *span,
            "it is declared here, without a value",
            format!("give it a `value:`, or ask for `exists({name})` first"),
        ),
        Since::Output(span) | Since::Answer(span) => (
            *span,
            "it is set here, if at all",
            format!("ask for `exists({name})` in a `when:` first, or declare it with a `value:` to fall back on"),
        ),
    };
    let effect = match read.by {
        Reader::Text => "then the text stays empty here",
        Reader::Condition | Reader::Exists | Reader::Criteria => "then the comparison is false",
    };
    Defect::warning("maybe_unset", read.span, format!("`{name}` {how}; {effect}")).related(span, what).hint(hint)
}
