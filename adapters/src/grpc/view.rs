//! How a session stands, on the wire.

use serde::Serialize;
use steersman_domain::session::{Position, SessionView, Usage, VariableView};
use steersman_engine::ports::SessionSummary;
use steersman_proto::{json::Struct, v1};

use super::{
    events::{event, time, value},
    word,
};

/// Writes how a session stands.
pub(super) fn view(view: &SessionView) -> v1::SessionView {
    v1::SessionView {
        session_id: view.session_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        subject: view.subject.as_ref().map(|subject| subject.as_str().to_owned()),
        script: Some(v1::ScriptRef {
            id: view.script.id.to_string(),
            version: view.script.version.clone(),
            digest: view.script.digest.clone(),
        }),
        locale: view.locale.to_string(),
        status: word(&view.status),
        position: view.position.as_ref().map(position),
        variables: view
            .variables
            .iter()
            .map(|(scope, held)| {
                let variables = held.iter().map(|(name, held)| (name.to_string(), variable(held))).collect();
                (scope.as_str().to_owned(), v1::ScopeView { variables })
            })
            .collect(),
        variable_operations: view.variable_operations.iter().map(event).collect(),
        scope_snapshots: view.scope_snapshots.iter().map(event).collect(),
        last_round: view.last_round.as_ref().map(object),
        exit_history: view.exit_history.iter().map(object).collect(),
        plan: view.plan.as_ref().map(object),
        attainments: view.attainments.iter().map(|(topic, came_to)| (topic.to_string(), word(came_to))).collect(),
        control: Some(object(&view.control)),
        usage: Some(usage(view.usage)),
    }
}

/// Writes where a session stands.
pub(super) fn position(position: &Position) -> v1::Position {
    v1::Position {
        phase: position.phase.as_ref().map(ToString::to_string),
        topic: position.topic.as_ref().map(ToString::to_string),
        action: position.action.as_ref().map(ToString::to_string),
        round: position.round,
        max_rounds: position.max_rounds,
    }
}

/// Writes a session in a list.
pub(super) fn summary(summary: &SessionSummary) -> v1::SessionSummary {
    v1::SessionSummary {
        session_id: summary.id.to_string(),
        script_id: summary.script.to_string(),
        version: summary.version.clone(),
        subject_id: summary.subject.as_ref().map(|subject| subject.as_str().to_owned()),
        status: word(&summary.status),
        turns: summary.turns,
        created_at: Some(time(summary.created_at)),
        updated_at: Some(time(summary.updated_at)),
    }
}

fn variable(held: &VariableView) -> v1::VariableView {
    v1::VariableView {
        value: Some(value(&held.value)),
        kind: held.kind.as_str().to_owned(),
        source: Some(v1::VariableSource {
            action: held.source.action.as_ref().map(ToString::to_string),
            turn: held.source.turn,
        }),
        updated_at: Some(time(held.updated_at)),
        quality: word(&held.quality),
    }
}

const fn usage(usage: Usage) -> v1::Usage {
    v1::Usage {
        turns: usage.turns,
        model_calls: usage.model_calls,
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
    }
}

/// Writes what the wire leaves as JSON, with the field names of the command line's.
fn object(part: &impl Serialize) -> Struct {
    match serde_json::to_value(part) {
        Ok(serde_json::Value::Object(fields)) => (&fields).into(),
        Ok(_) | Err(_) => Struct::default(),
    }
}
