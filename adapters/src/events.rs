//! The JSON Schema of the events of a session, for programs that read them.
//!
//! The closed lists of words are read off the domain's own types, so that they cannot fall behind; the fields are
//! written out here, and every event of every scenario is held against them.

mod words;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use steersman_domain::{
    control::{HandoffReason, Route, RouteReason, RouteSource, UnknownReason, floor::RiskClass, output::BlockReason},
    exit::{ExitSource, Place},
    locale::Locale,
    reply::{BlockedBy, DriftCause, Level, Progress},
    session::{DeclaredBy, EndReason, EndStatus, IssueCode, Operation, Purpose, Speaker, UtteranceSource, WaitFor},
    topic::{Attainment, Collected, Completeness, Ending, Outcome},
    variable::{Operator, Quality, Scope},
};

use self::words::words;

/// Returns the schema as it is committed and printed.
pub fn schema_text() -> String {
    let text = serde_json::to_string_pretty(&schema()).expect("a schema is plain data");
    format!("{text}\n")
}

/// Returns the JSON Schema of one event: one object a line, `type` tells which.
pub fn schema() -> Value {
    let kinds: Vec<Value> = kinds().into_iter().map(|(name, what, fields)| event(name, what, fields)).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Event",
        "description": "One thing that happened in a session, and is kept.",
        "oneOf": kinds,
    })
}

/// A field: its name, what it means, its schema.
type Field = (&'static str, &'static str, Value);
type Fields = Vec<Field>;
/// A kind of event: its name, what it means, its fields.
type Kind = (&'static str, &'static str, Fields);

/// Lists every kind of event with its fields. Every field is there, but those of [`recorded`].
fn kinds() -> Vec<Kind> {
    [of_the_script(), of_the_talk(), of_variables(), of_decisions(), of_control()].into_iter().flatten().collect()
}

/// Where the session is in its script.
fn of_the_script() -> Vec<Kind> {
    vec![
        (
            "session_started",
            "A session began.",
            vec![
                ("session_id", "The session.", text()),
                ("script", "Its script.", text()),
                ("version", "The script's version.", text()),
                ("script_digest", "The digest of the script's text; the session stays on it.", text()),
                ("locale", "The language of the built-in texts.", json!({"enum": Locale::ALL.map(Locale::as_str)})),
            ],
        ),
        ("disclosed", "The person was told that this is an AI.", vec![("text", "In these words.", text())]),
        ("phase_entered", "A phase was entered.", vec![("phase", "Which.", text())]),
        ("phase_left", "A phase was left.", vec![("phase", "Which.", text())]),
        (
            "topic_entered",
            "A topic was entered.",
            vec![
                ("phase", "Its phase.", text()),
                ("topic", "Which.", text()),
                ("plan", "Its actions, in order.", list(&text())),
            ],
        ),
        (
            "topic_finished",
            "A topic ended.",
            vec![
                ("topic", "Which.", text()),
                ("attainment", "Whether it reached its goal.", one_of::<Attainment>()),
                ("reason", "Why it ended.", one_of::<Ending>()),
                ("variables", "How far each of its variables is.", by_name(&one_of::<Collected>())),
            ],
        ),
        ("action_started", "An action began.", vec![action(), ("kind", "Its kind, as scripts write it.", text())]),
        (
            "skipped",
            "A phase, topic or action was passed over.",
            vec![("path", "Its full name.", text()), ("when", "The condition that was false.", text())],
        ),
        (
            "picture_shown",
            "A picture was passed on.",
            vec![action(), ("url", "Where it is.", text()), ("alt", "What it shows, in words.", or_null(&text()))],
        ),
    ]
}

/// What is said and shown.
fn of_the_talk() -> Vec<Kind> {
    vec![
        (
            "utterance",
            "Something was said.",
            vec![
                ("id", "Its id: u1, u2 and so on.", text()),
                ("role", "By whom.", one_of::<Speaker>()),
                ("text", "In these words.", text()),
                maybe_action(),
                ("source", "Where the words come from.", one_of::<UtteranceSource>()),
            ],
        ),
        (
            "round_started",
            "An action waits for an answer once more.",
            vec![
                action(),
                ("round", "The round; the first is 1.", count()),
                ("max_rounds", "The most rounds.", count()),
            ],
        ),
        (
            "options_offered",
            "Choices were shown.",
            vec![
                maybe_action(),
                (
                    "choices",
                    "In order.",
                    list(&object(vec![
                        ("key", "What the variable becomes.", text()),
                        ("text", "What the person reads.", text()),
                    ])),
                ),
            ],
        ),
    ]
}

/// What is remembered.
fn of_variables() -> Vec<Kind> {
    vec![
        (
            "variable_declared",
            "A variable was announced.",
            vec![
                ("name", "Its name.", text()),
                ("scope", "How long it lives.", one_of::<Scope>()),
                ("by", "What announced it.", one_of::<DeclaredBy>()),
                ("value", "Its initial value.", json!(true)),
                maybe_action(),
            ],
        ),
        (
            "variable_changed",
            "A variable was written.",
            vec![
                ("name", "Its name.", text()),
                ("scope", "The scope that was written.", one_of::<Scope>()),
                ("operation", "What kind of writing it was.", one_of::<Operation>()),
                ("value", "Its new value.", json!(true)),
                ("previous", "Its value before.", json!(true)),
                ("quality", "How far the value can be relied on.", one_of::<Quality>()),
                maybe_action(),
            ],
        ),
        (
            "scope_closed",
            "A scope was closed.",
            vec![
                ("scope", "Which.", one_of::<Scope>()),
                ("path", "The phase or topic it belonged to.", text()),
                ("variables", "What it held at the end.", by_name(&json!(true))),
            ],
        ),
    ]
}

/// What was decided, called, or went wrong, and how it ends.
fn of_decisions() -> Vec<Kind> {
    vec![
        ("exit_decided", "An interactive action was asked whether it is done.", exit_decided(action())),
        ("action_finished", "An action is over.", action_finished(action())),
        ("model_called", "A model was called, once for each attempt.", model_called(maybe_action())),
        (
            "issue",
            "Something did not go as it should; the session went on.",
            vec![
                ("code", "What kind of thing.", one_of::<IssueCode>()),
                ("message", "In words, without anything that a person said.", text()),
            ],
        ),
        ("handoff_requested", "A human is needed.", vec![("reason", "Why.", one_of::<HandoffReason>())]),
        (
            "waiting",
            "The session waits for the client.",
            vec![("for", "What for.", one_of::<WaitFor>()), maybe_action()],
        ),
        (
            "session_ended",
            "The session is over.",
            vec![("status", "How.", one_of::<EndStatus>()), ("reason", "Why.", one_of::<EndReason>())],
        ),
    ]
}

/// How dangerous it is, and what follows.
fn of_control() -> Vec<Kind> {
    let degree = || json!({"type": "number", "minimum": 0, "maximum": 1});
    vec![
        (
            "risk_scored",
            "A message was scanned for signs of danger.",
            vec![
                ("utterance", "The message.", text()),
                (
                    "score",
                    "The worse of floor and detector; null while a detector does not answer.",
                    or_null(&degree()),
                ),
                ("floor", "What the lexical floor found.", degree()),
                ("class", "The worst class that the floor found.", or_null(&one_of::<RiskClass>())),
                ("unknown", "Why the detector's score is unknown.", or_null(&one_of::<UnknownReason>())),
                ("detector", "Which detector was asked.", or_null(&text())),
                ("labels", "What the detector saw, by number, 0 to 10.", list(&count())),
            ],
        ),
        (
            "route_changed",
            "The route or the rigid score changed.",
            vec![
                ("from", "The route before.", one_of::<Route>()),
                ("to", "The route now; it may be the same.", one_of::<Route>()),
                ("rigid_score", "The rigid score now.", degree()),
                ("temperature", "The temperature now; null when no model may speak.", or_null(&degree())),
                ("source", "What kind of input changed it.", one_of::<RouteSource>()),
                ("reason", "Which input changed it.", one_of::<RouteReason>()),
            ],
        ),
        ("risk_cleared", "A clinician cleared the risk.", vec![("by", "Who.", text()), ("reason", "Why.", text())]),
        ("reply_blocked", "What a model wrote was not shown.", vec![("reason", "Why.", one_of::<BlockReason>())]),
    ]
}

fn action() -> Field {
    ("action", "The action.", text())
}

fn maybe_action() -> Field {
    ("action", "The action, if one is concerned.", or_null(&text()))
}

fn exit_decided(action: Field) -> Fields {
    let origin = object(vec![
        ("turn", "The turn that brought it, where there are turns.", or_null(&count())),
        ("place", "What kind of place it is.", one_of::<Place>()),
    ]);
    let evidence = object(vec![
        ("what", "What was looked at.", text()),
        ("operator", "How it was compared.", one_of::<Operator>()),
        ("expected", "With what.", json!(true)),
        ("actual", "What it was; null if unknown.", json!(true)),
        ("met", "Whether the check holds.", json!({"type": "boolean"})),
        ("from", "Where the actual value comes from.", origin),
    ]);
    let considered = object(vec![
        ("source", "The source.", one_of::<ExitSource>()),
        ("enabled", "Whether the action listens to it.", json!({"type": "boolean"})),
        ("fired", "Whether it ended the action; null if it was not reached.", json!({"type": ["boolean", "null"]})),
    ]);
    vec![
        action,
        ("round", "The round that was answered.", count()),
        ("should_exit", "Whether the action ends.", json!({"type": "boolean"})),
        ("source", "What ended it; null when it goes on.", or_null(&one_of::<ExitSource>())),
        ("reason", "Why, in the session's locale.", text()),
        ("evidence", "Every check that was made.", list(&evidence)),
        ("considered", "Every source, highest precedence first.", list(&considered)),
    ]
}

fn action_finished(action: Field) -> Fields {
    let output = object(vec![
        ("value", "The value.", json!(true)),
        ("completeness", "How it came to be filled.", one_of::<Completeness>()),
    ]);
    let emotion = object(vec![
        ("label", "Which.", or_null(&text())),
        ("intensity", "How strong, 0 to 10.", json!({"type": ["number", "null"]})),
    ]);
    let drift = object(vec![
        ("valuable", "Whether it serves the goal.", json!({"type": "boolean"})),
        ("cause", "Why the talk drifted.", or_null(&one_of::<DriftCause>())),
    ]);
    vec![
        action,
        ("group", "The group it belongs to, where a template made it.", or_null(&text())),
        ("kind", "Its kind, as scripts write it.", text()),
        ("completed", "Whether it ran to its end.", json!({"type": "boolean"})),
        ("outcome", "How it went.", one_of::<Outcome>()),
        ("outputs", "What it collected, by name.", by_name(&output)),
        ("brief", "The model's summary.", or_null(&text())),
        ("exit_source", "What ended it, where it decides about exits.", or_null(&one_of::<ExitSource>())),
        ("exit_reason", "Why, where it decides about exits.", or_null(&text())),
        ("progress", "How the model says it went.", or_null(&one_of::<Progress>())),
        ("blocked_by", "What stood in the way.", or_null(&one_of::<BlockedBy>())),
        ("relevance", "How well the last answer met the question.", or_null(&one_of::<Level>())),
        ("cooperation", "How willing the person was.", or_null(&one_of::<Level>())),
        ("emotion", "What the person felt.", or_null(&emotion)),
        ("drift", "Where the talk drifted.", or_null(&drift)),
        ("rounds", "The rounds it took; 0 for what has none.", count()),
    ]
}

fn model_called(action: Field) -> Fields {
    let mut fields = vec![
        ("purpose", "What for.", one_of::<Purpose>()),
        action,
        ("round", "The round, where there are rounds.", or_null(&count())),
        ("model", "The model's name.", text()),
        ("temperature", "The temperature of the call.", json!({"type": "number"})),
        ("tokens_in", "Tokens of the prompt, if known.", or_null(&count())),
        ("tokens_out", "Tokens of the reply, if known.", or_null(&count())),
        ("latency_ms", "How long it took, in milliseconds.", count()),
        ("prompt_hash", "The digest of the prompt.", text()),
        ("reply_hash", "The digest of the raw reply; null if the attempt failed.", or_null(&text())),
        ("attempt", "Counted from 1.", count()),
        ("exit_text", "The prose condition for being done that stood in the prompt.", or_null(&text())),
        ("raw_exit", "`EXIT` as it came.", or_null(&text())),
    ];
    fields.extend(recorded());
    fields
}

/// The fields that are there only where prompts are recorded.
fn recorded() -> Fields {
    vec![
        ("prompt", "The prompt, where prompts are recorded.", text()),
        ("reply", "The raw reply, where prompts are recorded.", text()),
    ]
}

fn event(name: &str, what: &str, fields: Fields) -> Value {
    let mut all: Fields = vec![
        ("seq", "Counts from 1 without gaps.", count()),
        ("turn", "The turn it happened in; the opening is 0.", count()),
        ("at", "When.", json!({"type": "string", "format": "date-time"})),
        ("type", "What happened.", json!({"const": name})),
    ];
    all.extend(fields);
    let mut event = object(all);
    event["title"] = name.into();
    event["description"] = what.into();
    event
}

fn object(fields: Fields) -> Value {
    let optional: Vec<&str> = recorded().into_iter().map(|(name, ..)| name).collect();
    let required: Vec<&str> = fields.iter().map(|(name, ..)| *name).filter(|name| !optional.contains(name)).collect();
    let described = |(name, what, schema): (&str, &str, Value)| {
        let schema = match schema {
            Value::Object(mut schema) => {
                schema.insert("description".to_owned(), what.into());
                Value::Object(schema)
            }
            _ => json!({"description": what}),
        };
        (name.to_owned(), schema)
    };
    let properties: Map<String, Value> = fields.into_iter().map(described).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

fn by_name(values: &Value) -> Value {
    json!({"type": "object", "additionalProperties": values})
}

fn or_null(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn one_of<T: DeserializeOwned>() -> Value {
    json!({"enum": words::<T>()})
}
