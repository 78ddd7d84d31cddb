//! Reads the files that authors write, and says what is wrong with them: all of it at once, each defect with its place.
//!
//! A file is untrusted: its size, depth and number of nodes are bounded before anything is built of it. The same reader,
//! places and reports serve every kind of document; a kind brings its shape and its own reading. What a script means is
//! decided in the domain.

mod diagnosis;
mod document;
mod file;
mod key;
mod library;
mod place;
mod read_scenario;
mod read_script;
mod reader;
mod scalar;
pub mod scenario;
mod schema;
mod shape;
mod syntax;

pub use diagnosis::Diagnosed;
pub use document::MAX_BYTES;
pub use library::Library;
pub use schema::{schema, schema_text};

use steersman_domain::script::{Bounds, Checked, Script, check, defect::Severity};

/// What came of a script file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The script, if no defect is an error.
    pub script: Option<Script>,
    /// What is wrong, in the order of the file.
    pub defects: Vec<Diagnosed>,
    /// How much the script can cost at most, if there is one.
    pub bounds: Option<Bounds>,
    text: String,
}

/// Loads and checks a script; `file_name` is only shown.
///
/// What cannot be read at all is a defect like any other.
pub fn load(file_name: &str, bytes: &[u8]) -> Loaded {
    let (text, unread) = file::text(bytes);
    let (document, defects) = match unread {
        Some((place, defect)) => (document::Document::unread(&text, place), vec![defect]),
        None => document::Document::parse(&text),
    };
    let Checked { script, defects, bounds } = match document.root {
        Some(_) => {
            let (draft, found) = read_script::read(&document);
            check(&draft, defects.into_iter().chain(found).collect())
        }
        None => Checked { script: None, defects: file::or_empty(defects), bounds: None },
    };
    let defects = defects.into_iter().map(|defect| Diagnosed::new(file_name, &document, defect)).collect();
    Loaded { script, defects, bounds, text: text.into_owned() }
}

/// Reads any YAML file as JSON, as far as its values have a meaning in scripts; for checks against the schema.
pub fn as_json(bytes: &[u8]) -> Option<serde_json::Value> {
    let (text, unread) = file::text(bytes);
    if unread.is_some() {
        return None;
    }
    let (document, _) = document::Document::parse(&text);
    reader::Reader::new(&document).json(document.root?, "the file")
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
