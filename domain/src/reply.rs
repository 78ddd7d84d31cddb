//! What a model said, read tolerantly: never trusted, never an error. A reply becomes typed parts plus issues.

mod partial;
mod strict;

pub use partial::PartialReply;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{exit::ExitSignals, utterance::Text, variable::Value};

/// The longest raw reply that is read, in bytes; the rest is cut off.
pub const MAX_RAW_BYTES: usize = 256 * 1024;
/// The longest reason, brief or label of one reply, in characters; the rest is cut off.
const MAX_NOTE_CHARS: usize = 500;
/// The longest text that is shown of one reply, in characters.
pub const MAX_TEXT_CHARS: usize = 8_000;

const KEYS: [&str; 12] = [
    "EXIT",
    "exit_reason",
    "BRIEF",
    "variables",
    "progress",
    "blocked_by",
    "reply_relevance",
    "cooperation",
    "emotion",
    "assessment",
    "drift",
    "should_exit",
];

/// One reply of a model, as far as it could be understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// What the person is to read; `None` if there is nothing.
    pub text: Option<Text>,
    /// What it says about being done.
    pub signals: ExitSignals,
    /// `EXIT` as it came, for the record.
    pub raw_exit: Option<Text>,
    /// How the question went.
    pub progress: Option<Progress>,
    /// What stands in the way.
    pub blocked_by: Option<BlockedBy>,
    /// How well the answer meets the question.
    pub relevance: Option<Level>,
    /// How willing the person is.
    pub cooperation: Option<Level>,
    /// What the person feels.
    pub emotion: Option<Emotion>,
    /// Where the talk drifts.
    pub drift: Option<Drift>,
    /// Values by name, in the order given.
    pub variables: Vec<(String, Value)>,
    /// What could not be used.
    pub issues: Vec<ReplyIssue>,
}

/// How a question went, in the model's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// More is needed.
    ContinueNeeded,
    /// All is there.
    Completed,
    /// Something stands in the way.
    Blocked,
    /// The person does not want to.
    Declined,
    /// The person talks about something else.
    OffTopic,
}

/// What stands in the way of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockedBy {
    /// Strong emotion.
    Emotion,
    /// The person refuses.
    Refusal,
    /// The question is not understood.
    Confusion,
    /// The relation to the one who asks.
    Relation,
    /// Something else.
    Other,
}

/// Three steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// What the person feels, in the model's reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Emotion {
    /// The feeling, in words.
    pub label: Option<Text>,
    /// How strong, 0 to 10.
    pub intensity: Option<f64>,
}

/// Where the talk drifts, in the model's reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// Whether it is of value for the goal.
    pub valuable: bool,
    /// Why it drifts, `None` if nobody says.
    pub cause: Option<DriftCause>,
}

/// Why talk drifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftCause {
    /// The person does not understand.
    Confusion,
    /// The person avoids something.
    Avoidance,
    /// The relation to the one who asks.
    Relation,
    /// No particular cause.
    None,
}

/// A part of a reply that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyIssue {
    /// It is not one JSON object; the text counts as the reply, nothing else is taken from it.
    Unstructured,
    /// It is longer than [`MAX_RAW_BYTES`] or its text than [`MAX_TEXT_CHARS`]; the rest was cut off.
    TooLong,
    /// Keys that mean nothing here were ignored.
    UnknownKeys(usize),
    /// A key holds a value that it cannot have; ignored.
    BadValue(&'static str),
}

impl Reply {
    /// Reads what a model said. `names` are the role's names, accepted in place of `reply`.
    pub fn read(raw: &str, names: &[&str]) -> Self {
        let capped = cap_bytes(raw, MAX_RAW_BYTES);
        let mut reply = match strict::object_in(capped, |object| is_reply(object, names)) {
            Some(object) => Self::from_object(object, names),
            None => Self::unstructured(capped, names),
        };
        if capped.len() < raw.len() {
            reply.issues.push(ReplyIssue::TooLong);
        }
        reply
    }

    /// Tells whether there is nothing to show.
    pub fn is_silent(&self) -> bool {
        self.text.as_ref().is_none_or(Text::is_blank)
    }

    fn unstructured(raw: &str, names: &[&str]) -> Self {
        let mut reply = Self { issues: vec![ReplyIssue::Unstructured], ..Self::default() };
        let text = if holds_an_object(raw) { PartialReply::salvage(raw, names) } else { Some(raw.trim().to_owned()) };
        reply.show(text);
        reply
    }

    fn from_object(mut object: Map<String, Json>, names: &[&str]) -> Self {
        let mut reply = Self::default();
        let text = reply_keys(names).find_map(|key| object.shift_remove(key).filter(|text| !text.is_null()));
        if text.as_ref().is_some_and(|text| !text.is_string() && !text.is_null()) {
            reply.issues.push(ReplyIssue::BadValue("reply"));
        }
        reply.show(text.map(|text| Value::new(text).spoken()));
        reply.take_exit(object.shift_remove("EXIT"));
        reply.signals.exit_reason = reply.take_text("exit_reason", object.shift_remove("exit_reason"));
        reply.signals.brief = reply.take_text("BRIEF", object.shift_remove("BRIEF"));
        reply.signals.should_exit = match object.shift_remove("should_exit") {
            None | Some(Json::Null) => false,
            Some(raw) => read_flag(&raw).unwrap_or_else(|| {
                reply.issues.push(ReplyIssue::BadValue("should_exit"));
                false
            }),
        };
        reply.progress = reply.take_word("progress", object.shift_remove("progress"));
        reply.blocked_by = reply.take_word("blocked_by", object.shift_remove("blocked_by"));
        reply.relevance = reply.take_word("reply_relevance", object.shift_remove("reply_relevance"));
        reply.cooperation = reply.take_word("cooperation", object.shift_remove("cooperation"));
        reply.take_emotion(object.shift_remove("emotion"));
        reply.take_assessment(object.shift_remove("assessment"));
        reply.take_drift(object.shift_remove("drift"));
        match object.shift_remove("variables") {
            None | Some(Json::Null) => {}
            Some(Json::Object(values)) => {
                reply.variables = values.into_iter().map(|(name, value)| (name, Value::new(value))).collect();
            }
            Some(_) => reply.issues.push(ReplyIssue::BadValue("variables")),
        }
        if !object.is_empty() {
            reply.issues.push(ReplyIssue::UnknownKeys(object.len()));
        }
        reply
    }

    fn show(&mut self, text: Option<String>) {
        let Some(text) = text else { return };
        let clean: String = text.chars().filter(|&c| is_shown(c)).collect();
        let clean = clean.trim();
        let shown: String = clean.chars().take(MAX_TEXT_CHARS).collect();
        if shown.len() < clean.len() {
            self.issues.push(ReplyIssue::TooLong);
        }
        self.text = (!shown.is_empty()).then(|| Text::new(shown));
    }

    fn take_exit(&mut self, raw: Option<Json>) {
        let Some(raw) = raw else { return };
        self.raw_exit = Some(Text::new(Value::new(raw.clone()).spoken()));
        match read_flag(&raw) {
            Some(flag) => self.signals.exit_flag = flag,
            None => self.issues.push(ReplyIssue::BadValue("EXIT")),
        }
    }

    fn take_text(&mut self, key: &'static str, raw: Option<Json>) -> Option<Text> {
        match raw {
            None | Some(Json::Null) => None,
            Some(Json::String(text)) => Some(Text::new(text.chars().take(MAX_NOTE_CHARS).collect::<String>())),
            Some(_) => {
                self.issues.push(ReplyIssue::BadValue(key));
                None
            }
        }
    }

    fn take_word<T: for<'de> Deserialize<'de>>(&mut self, key: &'static str, raw: Option<Json>) -> Option<T> {
        let folded = match raw {
            None | Some(Json::Null) => return None,
            Some(Json::String(word)) => Json::String(word.trim().to_lowercase()),
            Some(other) => other,
        };
        let word = T::deserialize(folded).ok();
        if word.is_none() {
            self.issues.push(ReplyIssue::BadValue(key));
        }
        word
    }

    fn take_emotion(&mut self, raw: Option<Json>) {
        let Some(mut parts) = self.take_object("emotion", raw) else { return };
        let label = self.take_text("emotion", parts.shift_remove("label"));
        let intensity = self.take_measure("emotion", parts.shift_remove("intensity"), 10.0);
        self.signals.emotion_intensity = intensity;
        self.emotion = Some(Emotion { label, intensity });
    }

    fn take_assessment(&mut self, raw: Option<Json>) {
        let Some(mut parts) = self.take_object("assessment", raw) else { return };
        let level = parts.shift_remove("understanding_level");
        self.signals.understanding_level = self.take_measure("assessment", level, 100.0);
        self.signals.has_questions = match parts.shift_remove("has_questions") {
            None | Some(Json::Null) => None,
            Some(raw) => {
                let flag = read_flag(&raw);
                if flag.is_none() {
                    self.issues.push(ReplyIssue::BadValue("assessment"));
                }
                flag
            }
        };
    }

    fn take_drift(&mut self, raw: Option<Json>) {
        let Some(mut parts) = self.take_object("drift", raw) else { return };
        let valuable = parts.shift_remove("valuable").and_then(|raw| read_flag(&raw)).unwrap_or(false);
        let cause = self.take_word("drift", parts.shift_remove("cause"));
        self.drift = Some(Drift { valuable, cause });
    }

    fn take_object(&mut self, key: &'static str, raw: Option<Json>) -> Option<Map<String, Json>> {
        match raw {
            None | Some(Json::Null) => None,
            Some(Json::Object(parts)) => Some(parts),
            Some(_) => {
                self.issues.push(ReplyIssue::BadValue(key));
                None
            }
        }
    }

    fn take_measure(&mut self, key: &'static str, raw: Option<Json>, most: f64) -> Option<f64> {
        let raw = raw.filter(|raw| !raw.is_null())?;
        let measure = Value::new(raw).as_number().filter(|measure| (0.0..=most).contains(measure));
        if measure.is_none() {
            self.issues.push(ReplyIssue::BadValue(key));
        }
        measure
    }
}

/// Tells whether a character of a reply may reach a screen: control characters may not, but for line ends and tabs.
fn is_shown(c: char) -> bool {
    !c.is_control() || matches!(c, '\n' | '\t')
}

/// Reads a flag: a boolean, or the words true and false in any letter case; `None` for anything else.
pub fn read_flag(raw: &Json) -> Option<bool> {
    match raw {
        Json::Bool(flag) => Some(*flag),
        Json::String(word) if word.trim().eq_ignore_ascii_case("true") => Some(true),
        Json::String(word) if word.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn reply_keys<'a>(names: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    ["reply", "content"].into_iter().chain(names.iter().copied())
}

fn is_reply(object: &Map<String, Json>, names: &[&str]) -> bool {
    reply_keys(names).chain(KEYS).any(|key| object.contains_key(key))
}

/// Tells whether an object begins somewhere: words with a brace or a quotation in them are words all the same.
fn holds_an_object(raw: &str) -> bool {
    raw.match_indices('{').any(|(at, _)| raw[at + 1..].trim_start().starts_with('"'))
}

fn cap_bytes(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(reply: &Reply) -> &str {
        reply.text.as_ref().map_or("", Text::as_str)
    }

    #[test]
    fn a_full_reply_becomes_its_typed_parts() {
        let raw = r#"{"reply": "多久一次？", "EXIT": " TRUE ", "exit_reason": "说了", "BRIEF": "每周三次",
            "variables": {"a": 1, "b": "x"}, "progress": "Completed", "blocked_by": null, "reply_relevance": "high",
            "cooperation": "medium", "emotion": {"label": "累", "intensity": "7"},
            "assessment": {"understanding_level": "85", "has_questions": "false"},
            "drift": {"valuable": true, "cause": "avoidance"}, "should_exit": true}"#;
        let reply = Reply::read(raw, &[]);
        assert_eq!(reply.issues, []);
        assert_eq!(text(&reply), "多久一次？");
        assert!(reply.signals.exit_flag && reply.signals.should_exit);
        assert_eq!(reply.signals.understanding_level, Some(85.0));
        assert_eq!(reply.signals.has_questions, Some(false));
        assert_eq!(reply.signals.emotion_intensity, Some(7.0));
        assert_eq!(reply.progress, Some(Progress::Completed));
        assert_eq!(reply.relevance, Some(Level::High));
        assert_eq!(reply.drift, Some(Drift { valuable: true, cause: Some(DriftCause::Avoidance) }));
        let names: Vec<&str> = reply.variables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn fences_and_prose_around_the_object_are_tolerated() {
        for raw in [
            "```json\n{\"reply\": \"hi\", \"EXIT\": true}\n```",
            "Sure! Here is the JSON:\n{\"reply\": \"hi\", \"EXIT\": true}\nHope this helps {smile}.",
            "{not json} {\"reply\": \"hi\", \"EXIT\": true}",
            "\u{feff}  {\"content\": \"hi\", \"EXIT\": true}",
            "{\"咨询师\": \"hi\", \"EXIT\": \"true\"}",
        ] {
            let reply = Reply::read(raw, &["咨询师"]);
            assert_eq!((text(&reply), reply.signals.exit_flag), ("hi", true), "{raw}");
            assert_eq!(reply.issues, [], "{raw}");
        }
    }

    #[test]
    fn prose_is_the_reply_and_nothing_else_is_taken_from_it() {
        let reply = Reply::read("  How often does it happen? EXIT: true ", &[]);
        assert_eq!(text(&reply), "How often does it happen? EXIT: true");
        assert_eq!(reply.issues, [ReplyIssue::Unstructured]);
        assert!(!reply.signals.exit_flag);
        for prose in ["Say \"yes\" or {nothing}.", "{smile} \"fine\" }"] {
            assert_eq!(text(&Reply::read(prose, &[])), prose);
        }
    }

    #[test]
    fn broken_json_gives_its_reply_text_and_never_shows_its_braces() {
        let cases = [
            (r#"{"reply": "half a sen"#, "half a sen"),
            (r#"{"reply": "first", "reply": "second", "EXIT": true}"#, "first"),
            (r#"{"reply": "a \ud800 b"}"#, "a \u{fffd} b"),
            (r#"{"EXIT": true, "rep"#, ""),
            (r#"{"reply":"one","reply":"two","variables":{"EXIT":true,"reply":"INNER"}}"#, "one"),
            (r#"{"reply":"cut","variables":{"EXIT":true,"reply":"INNER"}, "x"#, "cut"),
        ];
        for (raw, shown) in cases {
            let reply = Reply::read(raw, &[]);
            assert_eq!(text(&reply), shown, "{raw}");
            assert_eq!(reply.issues, [ReplyIssue::Unstructured], "{raw}");
            assert!(!reply.signals.exit_flag && reply.variables.is_empty(), "{raw}");
        }
    }

    #[test]
    fn what_a_key_cannot_hold_is_ignored_and_said() {
        let reply = Reply::read(
            r#"{"reply": 3, "EXIT": "maybe", "progress": "great", "emotion": {"intensity": 11}, "variables": [1],
                "assessment": "good", "x": 1, "y": 2}"#,
            &[],
        );
        assert_eq!(text(&reply), "3");
        assert!(!reply.signals.exit_flag);
        assert_eq!(reply.raw_exit, Some(Text::from("maybe")));
        let said = |key| reply.issues.contains(&ReplyIssue::BadValue(key));
        assert!(["reply", "EXIT", "progress", "emotion", "variables", "assessment"].into_iter().all(said));
        assert!(reply.issues.contains(&ReplyIssue::UnknownKeys(2)));
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let deep = format!("{{\"reply\": \"hi\", \"variables\": {}1{}}}", "[".repeat(1000), "]".repeat(1000));
        assert_eq!(text(&Reply::read(&deep, &[])), "hi");
        let long = "好".repeat(1_000_000);
        let reply = Reply::read(&long, &[]);
        assert_eq!(text(&reply).chars().count(), MAX_TEXT_CHARS);
        assert!(reply.issues.contains(&ReplyIssue::TooLong));
    }

    #[test]
    fn control_characters_never_reach_the_person() {
        assert_eq!(text(&Reply::read("{\"reply\": \"a\\u0000b\\nc\"}", &[])), "ab\nc");
    }
}
