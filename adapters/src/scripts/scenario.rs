//! Loads the files that describe discussions, with the same reader, places and reports as scripts.

use steersman_domain::{
    moderator::{Checked, Scenario, check},
    script::{
        defect::{Defect, Severity},
        draft::Span,
    },
};

use super::{Diagnosed, document::Document, file, read_scenario};

pub use super::schema::{scenario_schema as schema, scenario_schema_text as schema_text};

/// What came of a scenario file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The scenario, if no defect is an error.
    pub scenario: Option<Scenario>,
    /// What is wrong, in the order of the file.
    pub defects: Vec<Diagnosed>,
    /// The most decisions until the discussion ends, whatever anyone wants.
    pub bound: Option<u32>,
    text: String,
}

/// Tells whether a file describes a discussion: its top level has the key `scenario`.
pub fn is_scenario(bytes: &[u8]) -> bool {
    let (text, unread) = file::text(bytes);
    unread.is_none() && Document::parse(&text).0.has_key("scenario")
}

/// Loads and checks a scenario; `file_name` is only shown.
///
/// What cannot be read at all is a defect like any other.
pub fn load(file_name: &str, bytes: &[u8]) -> Loaded {
    let (text, unread) = file::text(bytes);
    let (document, defects) = match unread {
        Some((place, defect)) => (Document::unread(&text, place), vec![defect]),
        None => Document::parse(&text),
    };
    let Checked { scenario, defects, bound } = match document.root {
        Some(_) => {
            let (draft, found) = read_scenario::read(&document);
            check(&draft, defects.into_iter().chain(found).collect())
        }
        None => Checked { scenario: None, defects: or_empty(defects), bound: None },
    };
    let defects = defects.into_iter().map(|defect| Diagnosed::new(file_name, &document, defect)).collect();
    Loaded { scenario, defects, bound, text: text.into_owned() }
}

impl Loaded {
    /// Counts the errors and the warnings.
    pub fn counts(&self) -> (usize, usize) {
        let errors = self.defects.iter().filter(|defect| defect.severity == Severity::Error).count();
        (errors, self.defects.len() - errors)
    }

    /// Writes the defects for a person, one after the other with an empty line between.
    pub fn report(&self, colour: bool) -> String {
        self.defects.iter().map(|defect| defect.written(&self.text, colour)).collect::<Vec<_>>().join("\n\n")
    }
}

impl Document<'_> {
    fn has_key(&self, wanted: &str) -> bool {
        let Some(super::document::Content::Mapping(entries)) = self.root.map(|root| &self.node(root).content) else {
            return false;
        };
        entries.iter().any(|(key, _)| self.node(*key).scalar() == Some(wanted))
    }
}

/// Says that there is nothing in a file, unless something was said already.
fn or_empty(defects: Vec<Defect>) -> Vec<Defect> {
    if !defects.is_empty() {
        return defects;
    }
    let defect = Defect::error("empty_file", Span::new(0), "the file is empty");
    vec![defect.hint("a scenario begins with `steersman: 1` and `scenario: <id>`")]
}
