//! Events on the wire: one message per type, with the fields of the JSON.

use std::collections::BTreeMap;

use steersman_domain::{
    clock::Timestamp,
    control::RiskScore,
    exit::{Considered, Evidence, ExitDecision},
    session::{CallRecord, EventBody, SessionEvent},
    topic::{ActionResult, OutputResult},
    utterance::Text,
    variable::{Value, VariableName},
};
use steersman_proto::{
    json,
    v1::{self, event::Body},
};

use super::word;

/// Writes an event.
pub(super) fn event(event: &SessionEvent) -> v1::Event {
    v1::Event { seq: event.seq, turn: event.turn, at: Some(time(event.at)), body: Some(body(&event.body)) }
}

/// Writes a point in time.
pub(super) fn time(at: Timestamp) -> prost_types::Timestamp {
    let ms = at.unix_ms();
    let nanos = i32::try_from(ms.rem_euclid(1_000) * 1_000_000).expect("less than a second");
    prost_types::Timestamp { seconds: ms.div_euclid(1_000), nanos }
}

fn body(body: &EventBody) -> Body {
    match body {
        EventBody::SessionStarted { session_id, script, version, script_digest, locale } => {
            Body::SessionStarted(v1::SessionStarted {
                session_id: session_id.to_string(),
                script: script.to_string(),
                version: version.clone(),
                script_digest: script_digest.clone(),
                locale: locale.to_string(),
            })
        }
        EventBody::Disclosed { text } => Body::Disclosed(v1::Disclosed { text: words(text) }),
        EventBody::PhaseEntered { phase } => Body::PhaseEntered(v1::PhaseEntered { phase: phase.to_string() }),
        EventBody::PhaseLeft { phase } => Body::PhaseLeft(v1::PhaseLeft { phase: phase.to_string() }),
        EventBody::TopicEntered { phase, topic, plan } => Body::TopicEntered(v1::TopicEntered {
            phase: phase.to_string(),
            topic: topic.to_string(),
            plan: plan.iter().map(ToString::to_string).collect(),
        }),
        EventBody::TopicFinished { topic, attainment, reason, variables } => Body::TopicFinished(v1::TopicFinished {
            topic: topic.to_string(),
            attainment: word(attainment),
            reason: word(reason),
            variables: variables.iter().map(|(name, status)| (name.to_string(), word(status))).collect(),
        }),
        EventBody::ActionStarted { action, kind } => {
            Body::ActionStarted(v1::ActionStarted { action: action.to_string(), kind: kind.clone() })
        }
        EventBody::Skipped { path, when } => Body::Skipped(v1::Skipped { path: path.clone(), when: when.clone() }),
        EventBody::PictureShown { action, url, alt } => Body::PictureShown(v1::PictureShown {
            action: action.to_string(),
            url: url.clone(),
            alt: alt.as_ref().map(words),
        }),
        EventBody::Utterance { .. } => Body::Utterance(utterance(body).expect("it is one")),
        EventBody::RoundStarted { action, round, max_rounds } => {
            Body::RoundStarted(v1::RoundStarted { action: action.to_string(), round: *round, max_rounds: *max_rounds })
        }
        EventBody::OptionsOffered { action, choices } => Body::OptionsOffered(v1::OptionsOffered {
            action: named(action.as_ref()),
            choices: choices
                .iter()
                .map(|choice| v1::OfferedChoice { key: choice.key.clone(), text: words(&choice.text) })
                .collect(),
        }),
        EventBody::VariableDeclared { name, scope, by, value: initial, action } => {
            Body::VariableDeclared(v1::VariableDeclared {
                name: name.to_string(),
                scope: word(scope),
                by: word(by),
                value: initial.as_ref().map(value),
                action: named(action.as_ref()),
            })
        }
        EventBody::VariableChanged { name, scope, operation, value: new, previous, quality, action } => {
            Body::VariableChanged(v1::VariableChanged {
                name: name.to_string(),
                scope: word(scope),
                operation: word(operation),
                value: Some(value(new)),
                previous: previous.as_ref().map(value),
                quality: word(quality),
                action: named(action.as_ref()),
            })
        }
        EventBody::ScopeClosed { scope, path, variables } => Body::ScopeClosed(v1::ScopeClosed {
            scope: word(scope),
            path: path.clone(),
            variables: variables.iter().map(|(name, held)| (name.to_string(), value(held))).collect(),
        }),
        EventBody::ExitDecided { action, round, decision } => {
            Body::ExitDecided(exit_decided(action.to_string(), *round, decision))
        }
        EventBody::ActionFinished { result } => Body::ActionFinished(action_finished(result)),
        EventBody::ModelCalled { record } => Body::ModelCalled(model_called(record)),
        EventBody::Issue { code, message } => Body::Issue(v1::Issue { code: word(code), message: message.clone() }),
        EventBody::RiskScored { .. } => Body::RiskScored(risk_scored(body).expect("it is one")),
        EventBody::RouteChanged { change } => Body::RouteChanged(v1::RouteChanged {
            from: word(&change.from),
            to: word(&change.to),
            rigid_score: change.rigid_score,
            temperature: change.temperature,
            source: word(&change.source),
            reason: word(&change.reason),
        }),
        EventBody::RiskCleared { by, reason } => {
            Body::RiskCleared(v1::RiskCleared { by: words(by), reason: words(reason) })
        }
        EventBody::ReplyBlocked { reason } => Body::ReplyBlocked(v1::ReplyBlocked { reason: word(reason) }),
        EventBody::HandoffRequested { reason } => Body::HandoffRequested(v1::HandoffRequested { reason: word(reason) }),
        EventBody::Waiting { wait_for, action } => {
            Body::Waiting(v1::Waiting { r#for: word(wait_for), action: named(action.as_ref()) })
        }
        EventBody::SessionEnded { status, reason } => {
            Body::SessionEnded(v1::SessionEnded { status: word(status), reason: word(reason) })
        }
    }
}

/// Writes what was said, if the event is that something was said.
pub(super) fn utterance(body: &EventBody) -> Option<v1::Utterance> {
    let EventBody::Utterance { id, role, text, action, source } = body else { return None };
    Some(v1::Utterance {
        id: id.to_string(),
        role: word(role),
        text: words(text),
        action: named(action.as_ref()),
        source: word(source),
    })
}

fn risk_scored(body: &EventBody) -> Option<v1::RiskScored> {
    let EventBody::RiskScored { utterance, score, floor, class, unknown, detector, labels } = body else { return None };
    Some(v1::RiskScored {
        utterance: utterance.to_string(),
        score: score.map(RiskScore::get),
        floor: floor.get(),
        class: class.as_ref().map(word),
        unknown: unknown.as_ref().map(word),
        detector: detector.clone(),
        labels: labels.iter().map(|label| u32::from(u8::from(*label))).collect(),
    })
}

fn exit_decided(action: String, round: u32, decision: &ExitDecision) -> v1::ExitDecided {
    v1::ExitDecided {
        action,
        round,
        should_exit: decision.should_exit,
        source: decision.source.as_ref().map(word),
        reason: words(&decision.reason),
        evidence: decision.evidence.iter().map(evidence).collect(),
        considered: decision.considered.iter().copied().map(considered).collect(),
    }
}

fn evidence(evidence: &Evidence) -> v1::Evidence {
    v1::Evidence {
        what: evidence.what.clone(),
        operator: word(&evidence.operator),
        expected: Some(value(&evidence.expected)),
        actual: evidence.actual.as_ref().map(value),
        met: evidence.met,
        from: Some(v1::Origin { turn: evidence.from.turn, place: word(&evidence.from.place) }),
    }
}

fn considered(considered: Considered) -> v1::Considered {
    v1::Considered { source: word(&considered.source), enabled: considered.enabled, fired: considered.fired }
}

fn action_finished(result: &ActionResult) -> v1::ActionFinished {
    v1::ActionFinished {
        action: result.action.to_string(),
        group: result.group.clone(),
        kind: result.kind.clone(),
        completed: result.completed,
        outcome: word(&result.outcome),
        outputs: outputs(&result.outputs),
        brief: result.brief.as_ref().map(words),
        exit_source: result.exit_source.as_ref().map(word),
        exit_reason: result.exit_reason.as_ref().map(words),
        progress: result.progress.as_ref().map(word),
        blocked_by: result.blocked_by.as_ref().map(word),
        relevance: result.relevance.as_ref().map(word),
        cooperation: result.cooperation.as_ref().map(word),
        emotion: result
            .emotion
            .as_ref()
            .map(|emotion| v1::Emotion { label: emotion.label.as_ref().map(words), intensity: emotion.intensity }),
        drift: result.drift.map(|drift| v1::Drift { valuable: drift.valuable, cause: drift.cause.as_ref().map(word) }),
        rounds: result.rounds,
    }
}

fn outputs(outputs: &BTreeMap<VariableName, OutputResult>) -> BTreeMap<String, v1::OutputResult> {
    let written = |output: &OutputResult| v1::OutputResult {
        value: output.value.as_ref().map(value),
        completeness: word(&output.completeness),
    };
    outputs.iter().map(|(name, output)| (name.to_string(), written(output))).collect()
}

fn model_called(record: &CallRecord) -> v1::ModelCalled {
    v1::ModelCalled {
        purpose: word(&record.purpose),
        action: named(record.action.as_ref()),
        round: record.round,
        model: record.model.clone(),
        temperature: record.temperature,
        tokens_in: record.tokens_in,
        tokens_out: record.tokens_out,
        latency_ms: record.latency_ms,
        prompt_hash: record.prompt_hash.clone(),
        reply_hash: record.reply_hash.clone(),
        attempt: record.attempt,
        exit_text: record.exit_text.as_ref().map(words),
        raw_exit: record.raw_exit.as_ref().map(words),
        prompt: record.prompt.as_ref().map(words),
        reply: record.reply.as_ref().map(words),
    }
}

fn words(text: &Text) -> String {
    text.as_str().to_owned()
}

pub(super) fn value(value: &Value) -> json::Value {
    value.json().into()
}

fn named<T: ToString>(id: Option<&T>) -> Option<String> {
    id.map(ToString::to_string)
}

/// Reads an event back: its JSON is the same on both sides.
pub(super) fn read(event: &v1::Event) -> Option<SessionEvent> {
    serde_json::from_value(serde_json::to_value(event).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use prost::Message as _;
    use serde_json::Value as Json;

    use super::*;

    /// Every event of every scenario, as its JSON.
    fn corpus() -> Vec<Json> {
        let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
        let mut events = Vec::new();
        for scenario in fs::read_dir(scenarios).unwrap() {
            let file = scenario.unwrap().path().join("events.jsonl");
            let lines = fs::read_to_string(file).unwrap();
            let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
            events.extend(lines.filter(|line| line["type"] != "summary"));
        }
        events
    }

    /// The types that the wire has a message for.
    fn types_of_the_wire() -> BTreeSet<String> {
        let files = prost_types::FileDescriptorSet::decode(steersman_proto::DESCRIPTORS).unwrap();
        let messages =
            files.file.iter().filter(|file| file.package() == "steersman.v1").flat_map(|file| &file.message_type);
        let event = messages.into_iter().find(|message| message.name() == "Event").unwrap();
        let bodies = event.field.iter().filter(|field| field.oneof_index.is_some());
        bodies.map(|field| field.name().to_owned()).collect()
    }

    #[test]
    fn an_event_is_the_same_on_the_wire_and_as_json() {
        let mut met = BTreeSet::new();
        for json in corpus() {
            let event: SessionEvent = serde_json::from_value(json.clone()).unwrap();
            let bytes = super::event(&event).encode_to_vec();
            let wire = v1::Event::decode(bytes.as_slice()).unwrap();
            assert_eq!(serde_json::to_value(&wire).unwrap(), json);
            assert_eq!(read(&wire).as_ref(), Some(&event), "{json}");
            met.insert(json["type"].as_str().unwrap().to_owned());
        }
        assert_eq!(met, types_of_the_wire(), "each type of the wire is met in a scenario");
    }
}
