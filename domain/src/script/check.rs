//! Makes a script of a draft, or says everything that is wrong with it at once.
//!
//! One walk builds the script and notes each name that is read, set or declared; a second step looks at the notes. It
//! never stops at the first defect, and it never repeats what the reader of the file has said already.

mod action;
mod compare;
mod exits;
mod flow;
mod header;
mod notes;
mod scope;
mod text;

use super::{
    Script,
    bounds::{self, Bounds},
    defect::{Defect, Severity},
    draft::{Draft, Span},
};
use notes::Notes;

/// The most defects that are told at once.
pub const MAX_DEFECTS: usize = 50;

/// What came of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The script, if no defect is an error.
    pub script: Option<Script>,
    /// The defects, in the order of the file, at most [`MAX_DEFECTS`]; errors are kept before warnings.
    pub defects: Vec<Defect>,
    /// How much the script can cost at most, if there is one.
    pub bounds: Option<Bounds>,
}

/// Checks `draft`; `found` is what its reader found already.
pub fn check(draft: &Draft, found: Vec<Defect>) -> Checked {
    let mut checker = Checker { defects: found, notes: Notes::default(), incomplete: None };
    let script = checker.script(draft);
    scope::check(draft, &checker.notes, &mut checker.defects);
    compare::check(&checker.notes, &mut checker.defects);
    let refused = checker.defects.iter().any(|defect| defect.severity == Severity::Error);
    if let (false, Some(span)) = (refused, checker.incomplete.filter(|_| script.is_none())) {
        checker.defects.push(Defect::error("missing_key", span, "something required is missing here"));
    }
    let script = script.filter(|_| !refused);
    let bounds = script.as_ref().map(|script| {
        let (bounds, warnings) = bounds::of(script, draft);
        checker.defects.extend(warnings);
        bounds
    });
    Checked { script, defects: arranged(checker.defects), bounds }
}

struct Checker {
    defects: Vec<Defect>,
    notes: Notes,
    /// Where something required was absent; the reader has said so.
    incomplete: Option<Span>,
}

impl Checker {
    fn report(&mut self, defect: Defect) {
        self.defects.push(defect);
    }

    /// Takes a part that must be there; its absence was reported by whoever could not read it.
    fn required<T>(&mut self, part: Option<T>, of: Span) -> Option<T> {
        if part.is_none() {
            self.incomplete.get_or_insert(of);
        }
        part
    }
}

fn arranged(mut defects: Vec<Defect>) -> Vec<Defect> {
    if defects.len() > MAX_DEFECTS {
        defects.sort_by_key(|defect| std::cmp::Reverse(defect.severity));
        defects.truncate(MAX_DEFECTS);
    }
    defects.sort_by_key(|defect| (defect.span, defect.within.as_ref().map(|within| within.start)));
    defects.dedup();
    defects
}
