//! Goes on with a session where its state says it is, unless the state contradicts itself or its script.

use std::sync::Arc;

use super::{Frame, Session, State, state::Stage};
use crate::{
    control::Route,
    id::{ActionId, PhaseId, TopicId},
    script::Script,
    variable::Scope,
};

/// What a state contradicts. It must not be gone on with; the journal tells what it should have been.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateDamaged {
    /// It belongs to a session that never began, though it has events.
    #[error("the state has events, but no session")]
    NoSession,
    /// It stands in a phase that the script does not have.
    #[error("the script has no phase `{0}`")]
    UnknownPhase(PhaseId),
    /// It stands in a topic that its phase does not have.
    #[error("the phase has no topic `{0}`")]
    UnknownTopic(TopicId),
    /// Its plan or its running action names an action that the topic does not have.
    #[error("the topic has no action `{0}`")]
    UnknownAction(ActionId),
    /// A topic stands outside a phase, or a phase inside another.
    #[error("the position is no path through phases and topics")]
    Position,
    /// The open scopes are not those of the position.
    #[error("the open scopes are not those of the position")]
    Scopes,
    /// The kind of a value is not the one that was noted, or not the one that was declared.
    #[error("a value has another kind than was noted")]
    Kinds,
    /// The route is high without the crisis steps, or the steps are there on another route.
    #[error("the route and the crisis steps contradict each other")]
    Route,
    /// It waits for a model, but no action runs.
    #[error("a model is waited for, but no action runs")]
    NothingRuns,
}

impl Session {
    /// Goes on with a session where its state says it is.
    ///
    /// # Errors
    ///
    /// [`StateDamaged`] if the state contradicts itself or the script.
    pub fn restore(script: Arc<Script>, state: State) -> Result<Self, StateDamaged> {
        check(&script, &state)?;
        Ok(Self { script, state })
    }
}

fn check(script: &Script, state: &State) -> Result<(), StateDamaged> {
    if state.session_id.is_none() && state.seq > 0 {
        return Err(StateDamaged::NoSession);
    }
    let scopes = check_position(script, &state.position)?;
    let open: Vec<(Scope, &str)> = state.variables.open_scopes().collect();
    // A session that is over keeps its session scope only.
    let begins_well = open.starts_with(&[(Scope::Global, ""), (Scope::Session, "")]);
    if !begins_well || open[2..] != *scopes {
        return Err(StateDamaged::Scopes);
    }
    if !state.variables.kinds_match() {
        return Err(StateDamaged::Kinds);
    }
    check_run(script, state)
}

/// Walks through the position; returns the scopes that must be open in it.
fn check_position<'s>(script: &Script, position: &'s [Frame]) -> Result<Vec<(Scope, &'s str)>, StateDamaged> {
    let mut scopes = Vec::new();
    let mut phase = None;
    for frame in position {
        match frame {
            Frame::Phase { id, .. } => {
                if phase.is_some() {
                    return Err(StateDamaged::Position);
                }
                phase = Some(script.phase(id).ok_or_else(|| StateDamaged::UnknownPhase(id.clone()))?);
                scopes.push((Scope::Phase, id.as_str()));
            }
            Frame::Topic { id, plan, .. } => {
                let phase = phase.ok_or(StateDamaged::Position)?;
                let topic = phase.topics.iter().find(|topic| topic.id == *id);
                let topic = topic.ok_or_else(|| StateDamaged::UnknownTopic(id.clone()))?;
                if let Some(lost) = plan.entries().iter().find(|entry| topic.action(&entry.id).is_none()) {
                    return Err(StateDamaged::UnknownAction(lost.id.clone()));
                }
                scopes.push((Scope::Topic, id.as_str()));
            }
        }
    }
    Ok(scopes)
}

fn check_run(script: &Script, state: &State) -> Result<(), StateDamaged> {
    let waits = matches!(state.stage, Stage::Listening { .. } | Stage::Perceiving(_));
    if waits && (state.control.route() == Route::High) != state.crisis().is_some() {
        return Err(StateDamaged::Route);
    }
    match (state.run(), &state.stage) {
        (Some(run), _) if state.running_action(script).is_none() => {
            Err(StateDamaged::UnknownAction(run.action.clone()))
        }
        (None, Stage::Calling(_)) => Err(StateDamaged::NothingRuns),
        (_, Stage::Fresh | Stage::Listening { .. } | Stage::Perceiving(_) | Stage::Calling(_) | Stage::Over { .. }) => {
            Ok(())
        }
    }
}
