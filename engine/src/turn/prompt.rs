//! Writes the prompt of a model call from what the session asks for. It decides nothing.

use std::collections::BTreeMap;

use serde::Serialize;
use steersman_domain::{
    control::{JSON_OVERHEAD_TOKENS, Structure},
    session::{Brief, Line, ModelCall, OutputBrief, Purpose, Speaker, Style},
    topic::Completeness,
    utterance::Text,
    variable::Kind,
};

use super::schema;
use crate::prompts::{LocalePrompts, Phrases, PromptSet};

/// Everything a model needs for one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prompt {
    /// What is said to the model, in order; the first is the instruction.
    pub messages: Vec<Message>,
    /// The JSON Schema of the reply, for models that can be held to one.
    pub schema: serde_json::Value,
    /// The temperature.
    pub temperature: f64,
    /// The most tokens of the reply.
    pub max_tokens: u32,
    /// What the call is about, for models that are none.
    pub about: Brief,
    /// The person's last message, for models that are none.
    pub last_answer: Option<Text>,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What.
    pub text: Text,
}

/// Who speaks in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The instruction.
    System,
    /// The person.
    User,
    /// The model, before.
    Assistant,
}

impl Prompt {
    /// Writes the prompt of a call.
    pub fn write(call: &ModelCall<'_>, prompts: &PromptSet) -> Self {
        let brief = call.brief;
        let locale = prompts.of(brief.locale);
        let instruction = locale.write(brief.purpose, &values(call, locale));
        let mut messages = vec![Message { role: Role::System, text: Text::new(instruction) }];
        for message in call.history.iter().filter_map(|line| message(line)) {
            append(&mut messages, message);
        }
        match messages.last().map(|message| message.role) {
            Some(Role::User) => {}
            Some(Role::Assistant) if brief.purpose.speaks() => {
                append(&mut messages, Message::user(&locale.phrases.go_on));
            }
            Some(Role::Assistant) => append(&mut messages, Message::user(&locale.phrases.end)),
            Some(Role::System) | None => append(&mut messages, Message::user(&locale.phrases.begin)),
        }
        Self {
            messages,
            schema: schema::of(brief),
            temperature: brief.purpose.temperature(call.permit.temperature_for(brief.temperature)),
            max_tokens: call.permit.columns().reply_tokens + JSON_OVERHEAD_TOKENS,
            about: brief.clone(),
            last_answer: last_answer(&call.history),
        }
    }

    /// Returns the text whose digest stands for the prompt: everything that a model is shown.
    pub fn digest_text(&self) -> String {
        let shown = (&self.messages, &self.schema, self.temperature, self.max_tokens);
        serde_json::to_string(&shown).expect("a prompt is plain data")
    }
}

impl Message {
    fn user(text: &str) -> Self {
        Self { role: Role::User, text: Text::from(text) }
    }
}

/// Appends a message; what one side says in a row becomes one message, since models expect the sides to take turns.
fn append(messages: &mut Vec<Message>, message: Message) {
    match messages.last_mut() {
        Some(last) if last.role == message.role => {
            last.text = Text::new(format!("{}\n{}", last.text.as_str(), message.text.as_str()));
        }
        Some(_) | None => messages.push(message),
    }
}

fn message(line: &Line) -> Option<Message> {
    let role = match line.speaker {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
        Speaker::System => return None,
    };
    Some(Message { role, text: line.text.clone() })
}

fn last_answer(history: &[&Line]) -> Option<Text> {
    history.iter().rev().find(|line| line.speaker == Speaker::User).map(|line| line.text.clone())
}

fn values(call: &ModelCall<'_>, locale: &LocalePrompts) -> BTreeMap<&'static str, String> {
    let brief = call.brief;
    let phrases = &locale.phrases;
    let text = |text: &Option<Text>| text.as_ref().map(|text| text.as_str().to_owned()).unwrap_or_default();
    let numbered = |number: u32| if number == 0 { String::new() } else { number.to_string() };
    let judged = brief.purpose == Purpose::Judging;
    BTreeMap::from([
        ("role", brief.role.clone().unwrap_or_default()),
        ("tone", text(&brief.tone)),
        ("goal", text(&brief.goal)),
        ("task", brief.task.as_str().to_owned()),
        ("speech", brief.speech.clone().unwrap_or_default()),
        ("outputs", if brief.collect.is_some() { String::new() } else { outputs(&brief.outputs, phrases, |_| true) }),
        ("missing", if brief.collect.is_some() { String::new() } else { outputs(&brief.outputs, phrases, is_missing) }),
        (
            "values",
            if brief.fills_while_speaking() { outputs(&brief.outputs, phrases, |_| true) } else { String::new() },
        ),
        ("collect", records(brief, phrases)),
        ("exit", text(&brief.exit)),
        ("criteria", criteria(brief, phrases)),
        ("round", if judged { numbered(brief.round) } else { String::new() }),
        ("max_rounds", if judged { numbered(brief.max_rounds) } else { String::new() }),
        ("style", brief.style.map(|style| style_phrase(style, phrases)).unwrap_or_default()),
        ("bring_back", bring_back(brief, phrases)),
        ("strategy_prompt", String::new()),
        ("structure", structure(brief.structure, phrases)),
        ("blocked", call.blocked.unwrap_or_default().to_owned()),
        ("canary", call.canary.clone()),
        ("locale", brief.locale.to_string()),
    ])
}

fn outputs(outputs: &[OutputBrief], phrases: &Phrases, wanted: impl Fn(&OutputBrief) -> bool) -> String {
    let told = outputs.iter().filter(|output| wanted(output)).map(|output| {
        let define = output.define.as_ref().map(|define| format!(" = {}", define.as_str())).unwrap_or_default();
        let mut notes: Vec<&str> =
            output.kind.and_then(|kind| phrases.kinds.get(kind.as_str())).map(String::as_str).into_iter().collect();
        if !output.required {
            notes.push(&phrases.optional);
        }
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        format!("{}{define}{notes}", output.name)
    });
    told.collect::<Vec<_>>().join(&phrases.separator)
}

fn is_missing(output: &OutputBrief) -> bool {
    output.completeness == Completeness::Missing
}

fn records(brief: &Brief, phrases: &Phrases) -> String {
    let Some(list) = &brief.collect else { return String::new() };
    let fields = outputs(&brief.outputs, phrases, |_| true);
    phrases.records.replace("{fields}", &fields).replace("{list}", list.as_str())
}

fn criteria(brief: &Brief, phrases: &Phrases) -> String {
    let Some(criteria) = &brief.criteria else { return String::new() };
    let with = |phrase: &str, value: f64| phrase.replace("{value}", &value.to_string());
    let mut told = Vec::new();
    told.extend(criteria.understanding_threshold.map(|value| with(&phrases.understanding_threshold, value)));
    told.extend(criteria.has_questions.filter(|open| !open).map(|_| phrases.has_questions.clone()));
    told.extend(criteria.min_rounds.map(|value| with(&phrases.min_rounds, f64::from(value))));
    told.extend(criteria.emotion_intensity.map(|value| with(&phrases.emotion_intensity, value)));
    told.extend(criteria.custom_conditions.iter().map(|condition| {
        format!("{} {} {}", condition.variable, condition.operator.as_str(), condition.value.spoken())
    }));
    told.join(&phrases.separator)
}

fn style_phrase(style: Style, phrases: &Phrases) -> String {
    match style {
        Style::OfferChoice => phrases.offer_choice.clone(),
        Style::Open => phrases.open.clone(),
    }
}

fn bring_back(brief: &Brief, phrases: &Phrases) -> String {
    if brief.off_target == 0 {
        String::new()
    } else {
        phrases.bring_back.replace("{count}", &brief.off_target.to_string())
    }
}

fn structure(structure: Structure, phrases: &Phrases) -> String {
    match structure {
        Structure::Free | Structure::Script => String::new(),
        Structure::Outline => phrases.structure_outline.clone(),
        Structure::Slots => phrases.structure_slots.clone(),
    }
}

/// Names a kind as a JSON Schema does; without one any value is allowed.
pub(super) const fn schema_type(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "string",
        Kind::Number => "number",
        Kind::Boolean => "boolean",
        Kind::List => "array",
        Kind::Object => "object",
        Kind::Null => "null",
    }
}
