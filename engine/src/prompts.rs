//! The words with which models are asked: files per locale, linted when they are loaded, never changed while running.

use std::collections::BTreeMap;

use serde::Deserialize;
use steersman_domain::{
    locale::Locale,
    script::Template,
    session::Purpose,
    variable::{Lookup, Value},
};

use crate::basis::digest_of_files;

/// The placeholders that a prompt file may use.
pub const PLACEHOLDERS: [&str; 20] = [
    "role",
    "tone",
    "goal",
    "task",
    "speech",
    "outputs",
    "missing",
    "values",
    "collect",
    "exit",
    "criteria",
    "round",
    "max_rounds",
    "style",
    "bring_back",
    "strategy_prompt",
    "structure",
    "blocked",
    "canary",
    "locale",
];
/// The purposes that have a prompt file.
pub const PURPOSES: [Purpose; 4] = [Purpose::Speaking, Purpose::Judging, Purpose::Thinking, Purpose::Extraction];

/// All prompts of all locales.
#[derive(Debug, Clone)]
pub struct PromptSet {
    locales: BTreeMap<Locale, LocalePrompts>,
    digest: String,
}

/// The prompts of one locale.
#[derive(Debug, Clone)]
pub struct LocalePrompts {
    files: BTreeMap<Purpose, Vec<Line>>,
    /// The phrases that stand for settings and states.
    pub phrases: Phrases,
}

/// One line of a prompt file: left out where all of its placeholders are empty.
#[derive(Debug, Clone)]
pub struct Line {
    template: Template,
}

/// The phrases that stand for settings and states.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrases {
    /// After a short answer.
    pub offer_choice: String,
    /// After a long answer.
    pub open: String,
    /// After answers that miss the question; `{count}`.
    pub bring_back: String,
    /// The outline structure.
    pub structure_outline: String,
    /// The slots structure.
    pub structure_slots: String,
    /// A criterion; `{value}`.
    pub understanding_threshold: String,
    /// A criterion.
    pub has_questions: String,
    /// A criterion; `{value}`.
    pub min_rounds: String,
    /// A criterion; `{value}`.
    pub emotion_intensity: String,
    /// Stands between list entries.
    pub separator: String,
    /// How records are noted; `{list}` and `{fields}`.
    pub records: String,
    /// Marks an output that may stay missing.
    pub optional: String,
    /// What kinds of values are called.
    pub kinds: BTreeMap<String, String>,
    /// Stands for the person's message where nothing has been said yet.
    pub begin: String,
    /// Stands for the person's message where it is not theirs to speak.
    pub go_on: String,
    /// Stands after a conversation that is only read.
    pub end: String,
}

/// What is wrong with a set of prompt files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptDefect {
    /// A file is not there.
    #[error("{path} is missing")]
    Missing {
        /// Its path below the folder of prompts.
        path: String,
    },
    /// A file is none of the prompts, so it would never be read.
    #[error("{path} is no prompt{hint}")]
    Unknown {
        /// Its path below the folder of prompts.
        path: String,
        /// The nearest one, in words.
        hint: String,
    },
    /// A placeholder means nothing.
    #[error("{path}:{line}: `{{%{name}%}}` means nothing here{hint}")]
    UnknownPlaceholder {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// The placeholder.
        name: String,
        /// The nearest one, in words.
        hint: String,
    },
    /// A placeholder for a variable of a script, which prompts do not read.
    #[error("{path}:{line}: a prompt reads no variable of a script; did you mean `{{%{name}%}}`?")]
    ScriptVariable {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// The variable.
        name: String,
    },
    /// A prompt never says what is to be done.
    #[error("{path} never uses `{{%task%}}`, so the model would not know what to do")]
    NoTask {
        /// The file.
        path: String,
    },
    /// The phrases cannot be read.
    #[error("{path}: {why}")]
    Phrases {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
}

impl PromptSet {
    /// Returns the prompts that ship.
    pub fn shipped() -> Self {
        Self::from_files(&shipped_files()).expect("the shipped prompts are linted in a test")
    }

    /// Reads prompt files by their path below the folder, such as `zh-CN/judging.txt`; what is not given ships.
    ///
    /// # Errors
    ///
    /// All defects at once.
    pub fn with_files(given: &BTreeMap<String, String>) -> Result<Self, Vec<PromptDefect>> {
        let mut files = shipped_files();
        let unknown: Vec<PromptDefect> = given.keys().filter_map(|path| unknown(path, &files)).collect();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        files.extend(given.iter().map(|(path, text)| (path.clone(), text.clone())));
        Self::from_files(&files)
    }

    /// Returns the prompts of a locale.
    pub fn of(&self, locale: Locale) -> &LocalePrompts {
        self.locales.get(&locale).expect("a set is read with all locales")
    }

    /// Returns the digest of all files, as the journal of a session keeps it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    fn from_files(files: &BTreeMap<String, String>) -> Result<Self, Vec<PromptDefect>> {
        let mut defects = Vec::new();
        let mut locales = BTreeMap::new();
        for locale in Locale::ALL {
            let mut prompts = BTreeMap::new();
            for purpose in PURPOSES {
                let path = format!("{locale}/{}.txt", purpose.as_str());
                if let Some(text) = files.get(&path) {
                    prompts.insert(purpose, lines(&path, text, &mut defects));
                } else {
                    defects.push(PromptDefect::Missing { path });
                }
            }
            if let Some(phrases) = phrases(locale, files, &mut defects) {
                locales.insert(locale, LocalePrompts { files: prompts, phrases });
            }
        }
        let digest = digest_of_files(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        if defects.is_empty() { Ok(Self { locales, digest }) } else { Err(defects) }
    }
}

impl LocalePrompts {
    /// Writes the prompt for a purpose; a line whose placeholders are all empty is left out.
    pub fn write(&self, purpose: Purpose, values: &BTreeMap<&'static str, String>) -> String {
        let lines = self.files.get(&purpose).map_or(&[][..], Vec::as_slice);
        let filled = lines.iter().filter_map(|line| line.fill(values));
        filled.collect::<Vec<_>>().join("\n")
    }
}

impl Line {
    fn fill(&self, values: &BTreeMap<&'static str, String>) -> Option<String> {
        let mut names = self.template.system_variables().peekable();
        let has_names = names.peek().is_some();
        let value = |name: &str| values.get(name).filter(|value| !value.is_empty());
        if has_names && !names.any(|name| value(name).is_some()) {
            return None;
        }
        Some(self.template.fill(&NoVariables, &Values(values)).text)
    }
}

/// A prompt reads no variable of a script by itself; what the script says is already filled in.
struct NoVariables;

impl Lookup for NoVariables {
    fn value(&self, _: &str) -> Option<Value> {
        None
    }
}

struct Values<'a>(&'a BTreeMap<&'static str, String>);

impl Lookup for Values<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        self.0.get(name).map(|value| Value::from(value.as_str()))
    }
}

fn unknown(path: &str, shipped: &BTreeMap<String, String>) -> Option<PromptDefect> {
    if shipped.contains_key(path) {
        return None;
    }
    let near = steersman_domain::nearest::nearest(path, shipped.keys().map(String::as_str));
    let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Some(PromptDefect::Unknown { path: path.to_owned(), hint })
}

fn lines(path: &str, text: &str, defects: &mut Vec<PromptDefect>) -> Vec<Line> {
    let lines: Vec<Line> = text.lines().map(|line| Line { template: Template::parse(line) }).collect();
    let mut asks = false;
    for (at, line) in lines.iter().enumerate() {
        for name in line.template.system_variables() {
            asks |= name == "task";
            if !PLACEHOLDERS.contains(&name) {
                let near = steersman_domain::nearest::nearest(name, PLACEHOLDERS);
                defects.push(PromptDefect::UnknownPlaceholder {
                    path: path.to_owned(),
                    line: at + 1,
                    name: name.to_owned(),
                    hint: near.map(|near| format!("; did you mean `{{%{near}%}}`?")).unwrap_or_default(),
                });
            }
        }
    }
    for (at, line) in lines.iter().enumerate() {
        for name in line.template.variables() {
            defects.push(PromptDefect::ScriptVariable { path: path.to_owned(), line: at + 1, name: name.to_string() });
        }
    }
    if !asks {
        defects.push(PromptDefect::NoTask { path: path.to_owned() });
    }
    lines
}

fn phrases(locale: Locale, files: &BTreeMap<String, String>, defects: &mut Vec<PromptDefect>) -> Option<Phrases> {
    let path = format!("{locale}/phrases.json");
    let Some(text) = files.get(&path) else {
        defects.push(PromptDefect::Missing { path });
        return None;
    };
    match serde_json::from_str(text) {
        Ok(phrases) => Some(phrases),
        Err(error) => {
            defects.push(PromptDefect::Phrases { path, why: error.to_string() });
            None
        }
    }
}

fn shipped_files() -> BTreeMap<String, String> {
    let files = [
        ("zh-CN/speaking.txt", include_str!("../prompts/zh-CN/speaking.txt")),
        ("zh-CN/judging.txt", include_str!("../prompts/zh-CN/judging.txt")),
        ("zh-CN/thinking.txt", include_str!("../prompts/zh-CN/thinking.txt")),
        ("zh-CN/extraction.txt", include_str!("../prompts/zh-CN/extraction.txt")),
        ("zh-CN/phrases.json", include_str!("../prompts/zh-CN/phrases.json")),
        ("en/speaking.txt", include_str!("../prompts/en/speaking.txt")),
        ("en/judging.txt", include_str!("../prompts/en/judging.txt")),
        ("en/thinking.txt", include_str!("../prompts/en/thinking.txt")),
        ("en/extraction.txt", include_str!("../prompts/en/extraction.txt")),
        ("en/phrases.json", include_str!("../prompts/en/phrases.json")),
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_prompts_have_no_defect() {
        assert!(PromptSet::from_files(&shipped_files()).is_ok());
    }

    #[test]
    fn all_defects_are_told_at_once() {
        let mut files = shipped_files();
        files.insert("en/judging.txt".to_owned(), "Do it.\n{%tsk%}".to_owned());
        files.insert("en/phrases.json".to_owned(), "{}".to_owned());
        files.remove("zh-CN/thinking.txt");
        let told: Vec<String> = PromptSet::from_files(&files).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(told[0], "zh-CN/thinking.txt is missing");
        assert_eq!(told[1], "en/judging.txt:2: `{%tsk%}` means nothing here; did you mean `{%task%}`?");
        assert!(told[2].starts_with("en/judging.txt never uses"));
        assert!(told[3].starts_with("en/phrases.json: missing field"));
    }

    #[test]
    fn a_file_that_is_no_prompt_is_told_with_the_one_that_was_meant() {
        let file = ("en/juging.txt".to_owned(), "{%task%}".to_owned());
        let told = PromptSet::with_files(&BTreeMap::from([file])).unwrap_err();
        assert_eq!(told[0].to_string(), "en/juging.txt is no prompt; did you mean en/judging.txt?");
    }

    #[test]
    fn a_line_whose_placeholders_are_all_empty_is_left_out() {
        let prompts = PromptSet::shipped();
        let values = BTreeMap::from([("task", "greet".to_owned()), ("role", "Guide".to_owned())]);
        let text = prompts.of(Locale::En).write(Purpose::Speaking, &values);
        assert!(text.contains("The task of this step: greet") && !text.contains("Tone:"));
    }

    #[test]
    fn what_a_value_holds_is_never_filled_in_again() {
        let prompts = PromptSet::shipped();
        let values = BTreeMap::from([("task", "say {%role%} and {name}".to_owned()), ("role", "Guide".to_owned())]);
        assert!(prompts.of(Locale::En).write(Purpose::Speaking, &values).contains("say {%role%} and {name}"));
    }
}
