//! What a turn came to: its chained events, its result, and what else is kept with it.

use std::{collections::BTreeMap, sync::Arc};

use steersman_domain::{
    control::{
        crisis::{self, CrisisText},
        must_be_caught,
    },
    locale::Locale,
    script::Access,
    session::{EventBody, Session, SessionEvent, State, UtteranceSource},
    utterance::Text,
    variable::{Scope, Value, VariableName},
};

use crate::{
    chain,
    ports::{ChainedEvent, LatchChange, OutboxItem, RequestKey, ServedBy, StoreError, TurnError, TurnFinished},
    turn::DeltaGate,
};

/// Says what a failure of the store means for a turn.
pub(crate) fn unavailable(error: &StoreError) -> TurnError {
    match error {
        StoreError::Stale => TurnError::Stale,
        StoreError::Full => TurnError::StoreFull,
        StoreError::Corrupt(_) => TurnError::LogCorrupt,
        StoreError::Unavailable(_) => TurnError::StoreUnavailable,
    }
}

/// Tells whether the words that the gate showed became an utterance.
pub(super) fn spoke(events: &[SessionEvent], gate: &DeltaGate) -> bool {
    events.iter().any(|event| match &event.body {
        EventBody::Utterance { id, source: UtteranceSource::Model, .. } => *id == gate.utterance_id(),
        _ => false,
    })
}

/// Appends events to a session's chain.
pub(super) fn chained(chain: &str, events: Vec<SessionEvent>) -> Vec<ChainedEvent> {
    let mut previous = chain.to_owned();
    let link = |event| {
        let chained = chain::link(&previous, event);
        previous.clone_from(&chained.hash);
        chained
    };
    events.into_iter().map(link).collect()
}

/// Returns what others are to be told about the events.
pub(super) fn outbox(events: &[ChainedEvent]) -> Vec<OutboxItem> {
    let told = events.iter().filter(|chained| matches!(chained.event.body, EventBody::HandoffRequested { .. }));
    told.map(|chained| OutboxItem { topic: "handoff", seq: chained.event.seq, payload: chained.payload.clone() })
        .collect()
}

/// Returns the writable global values, to be kept for the subject.
pub(super) fn subject_variables(session: &Session) -> BTreeMap<VariableName, Value> {
    if session.state().control().subject().is_none() {
        return BTreeMap::new();
    }
    let held = session.state().variables().in_scope(Scope::Global);
    let writable = session.script().globals.iter().filter(|global| global.access == Access::Writable);
    writable
        .filter_map(|global| {
            let name = &global.declaration.name;
            Some((name.clone(), held.get(name)?.value.clone()))
        })
        .collect()
}

/// Says what the turn does to the latch of its subject.
pub(super) fn latch(session: &Session, events: &[Arc<SessionEvent>]) -> LatchChange {
    let cleared = events.iter().any(|event| matches!(event.body, EventBody::RiskCleared { .. }));
    let changed = events.iter().any(|event| matches!(event.body, EventBody::RouteChanged { .. }));
    match session.state().control().latch() {
        Some(latch) if changed => LatchChange::Set(latch),
        None if cleared => LatchChange::Lift,
        Some(_) | None => LatchChange::Keep,
    }
}

/// Returns what a person at acute risk must read though the message is not taken; nothing if the floor hears no such risk.
/// Of a session that cannot be read the message itself tells the language.
pub(super) fn notice_for(words: &Text, state: Option<&State>) -> Option<Text> {
    if !must_be_caught(words.as_str()) {
        return None;
    }
    let (locale, country) = match state {
        Some(state) => (state.locale(), state.country()),
        None => (Locale::written_in(words.as_str()), None),
    };
    Some(Text::new(crisis::text(CrisisText::Opening, locale, country.as_ref())))
}

/// Says what came of a turn.
pub(super) fn finished(session: &Session, events: &[SessionEvent], request: Option<&RequestKey>) -> TurnFinished {
    let exit = session.last_exit();
    TurnFinished {
        client_message_id: request.map(|request| request.message.clone()),
        status: session.status(),
        position: session.position(),
        exit_reason: exit.map(|(reason, _)| reason.clone()),
        exit_decision_source: exit.and_then(|(_, source)| source),
        durable: true,
        served_by: events.iter().filter_map(served_by).max().unwrap_or(ServedBy::Script),
        first_seq: events.first().map_or_else(|| session.state().last_seq() + 1, |event| event.seq),
        last_seq: session.state().last_seq(),
    }
}

fn served_by(event: &SessionEvent) -> Option<ServedBy> {
    match &event.body {
        EventBody::HandoffRequested { .. } => Some(ServedBy::Human),
        EventBody::Utterance { source, .. } => match source {
            UtteranceSource::Script | UtteranceSource::Moderator => Some(ServedBy::Script),
            UtteranceSource::Model => Some(ServedBy::Model),
            UtteranceSource::Fallback => Some(ServedBy::Fallback),
            UtteranceSource::Crisis => Some(ServedBy::Crisis),
            UtteranceSource::User => None,
        },
        _ => None,
    }
}
