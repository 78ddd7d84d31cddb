//! A session as others may look at it: its state, and the lists folded from its events. Changing it changes nothing.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::{EventBody, Frame, LastRound, Session, SessionEvent, Status, Usage};
use crate::{
    clock::Timestamp,
    control::ControlContext,
    exit::{ExitDecision, ExitSource},
    id::{ActionId, PhaseId, ScriptId, SessionId, SubjectId, TopicId},
    locale::Locale,
    script::Action,
    topic::{Attainment, TopicPlan},
    utterance::Text,
    variable::{Kind, Quality, Scope, Source, Value, VariableName},
};

/// The most entries of each list that is folded from the events.
const MAX_FOLDED: usize = 200;

/// A session as others may look at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    /// Its id.
    pub session_id: Option<SessionId>,
    /// Whom it is about.
    pub subject: Option<SubjectId>,
    /// Its script, which stays the same for life.
    pub script: ScriptRef,
    /// The language of the built-in texts.
    pub locale: Locale,
    /// How it stands.
    pub status: Status,
    /// Where it stands; `None` when it is over.
    pub position: Option<Position>,
    /// What is set, by scope.
    pub variables: BTreeMap<Scope, BTreeMap<VariableName, VariableView>>,
    /// The last writes, oldest first.
    pub variable_operations: Vec<SessionEvent>,
    /// The last scopes that were closed, oldest first.
    pub scope_snapshots: Vec<SessionEvent>,
    /// The last round that was decided.
    pub last_round: Option<LastRound>,
    /// The last exit decisions, oldest first.
    pub exit_history: Vec<ExitRecord>,
    /// The running topic's queue.
    pub plan: Option<TopicPlan>,
    /// What the topics that are over came to.
    pub attainments: BTreeMap<TopicId, Attainment>,
    /// What control knows and has decided.
    pub control: ControlContext,
    /// What has been used up.
    pub usage: Usage,
}

/// Which script a session runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptRef {
    /// Its id.
    pub id: ScriptId,
    /// Its version.
    pub version: String,
    /// The digest of its text.
    pub digest: String,
}

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The phase.
    pub phase: Option<PhaseId>,
    /// The topic.
    pub topic: Option<TopicId>,
    /// The action.
    pub action: Option<ActionId>,
    /// The round of the action; 0 before its first.
    pub round: u32,
    /// The most rounds; 0 for what has none.
    pub max_rounds: u32,
}

/// A variable as others may look at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableView {
    /// Its value.
    pub value: Value,
    /// The value's kind.
    pub kind: Kind,
    /// What wrote it.
    pub source: Source,
    /// When.
    pub updated_at: Timestamp,
    /// How far it can be relied on.
    pub quality: Quality,
}

/// One exit decision and where it was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExitRecord {
    /// The action.
    pub action: ActionId,
    /// The round that was answered.
    pub round: u32,
    /// The turn.
    pub turn: u32,
    /// When.
    pub at: Timestamp,
    /// The decision.
    pub decision: ExitDecision,
}

impl SessionView {
    /// Looks at a session and the events it has brought about.
    pub fn of<'e>(session: &Session, events: impl IntoIterator<Item = &'e SessionEvent>) -> Self {
        let state = session.state();
        let mut view = Self {
            session_id: state.session_id.clone(),
            subject: state.control.subject().cloned(),
            script: session.script_ref(),
            locale: state.locale,
            status: state.status(),
            position: session.position(),
            variables: session.variables_by_scope(),
            variable_operations: Vec::new(),
            scope_snapshots: Vec::new(),
            last_round: state.last_round.clone(),
            exit_history: Vec::new(),
            plan: state.plan().cloned(),
            attainments: state.attainments.clone(),
            control: state.control.clone(),
            usage: state.usage,
        };
        view.fold(events);
        view
    }

    fn fold<'e>(&mut self, events: impl IntoIterator<Item = &'e SessionEvent>) {
        let (mut writes, mut closed, mut exits) = (Last::default(), Last::default(), Last::default());
        for event in events {
            match &event.body {
                EventBody::VariableChanged { .. } => writes.push(event.clone()),
                EventBody::ScopeClosed { .. } => closed.push(event.clone()),
                EventBody::ExitDecided { action, round, decision } => exits.push(ExitRecord {
                    action: action.clone(),
                    round: *round,
                    turn: event.turn,
                    at: event.at,
                    decision: decision.clone(),
                }),
                _ => {}
            }
        }
        self.variable_operations = writes.0.into();
        self.scope_snapshots = closed.0.into();
        self.exit_history = exits.0.into();
    }
}

impl Session {
    /// Says which script the session runs.
    pub fn script_ref(&self) -> ScriptRef {
        let script = self.script();
        ScriptRef { id: script.id.clone(), version: script.version.clone(), digest: self.state().digest.clone() }
    }

    /// Returns where the session stands; `None` before it begins and when it is over.
    pub fn position(&self) -> Option<Position> {
        let state = self.state();
        if state.position.is_empty() || state.status() != Status::WaitingInput {
            return None;
        }
        let action = state.running_action(self.script());
        let suspended = || state.topic().and_then(|(_, plan, _)| plan.current().cloned());
        Some(Position {
            phase: state.phase().cloned(),
            topic: state.position.iter().rev().find_map(|frame| match frame {
                Frame::Topic { id, .. } => Some(id.clone()),
                Frame::Phase { .. } => None,
            }),
            action: action.map(|action| action.id.clone()).or_else(suspended),
            round: state.run().map_or(0, |run| run.round),
            max_rounds: action.map_or(0, Action::max_rounds),
        })
    }

    /// Returns what is set, by scope; all four scopes are there.
    pub fn variables_by_scope(&self) -> BTreeMap<Scope, BTreeMap<VariableName, VariableView>> {
        let store = self.state().variables();
        let view = |held: &crate::variable::VariableValue| VariableView {
            value: held.value.clone(),
            kind: held.kind,
            source: held.source.clone(),
            updated_at: held.updated_at,
            quality: held.quality,
        };
        let in_scope =
            |scope| store.in_scope(scope).into_iter().map(|(name, held)| (name.clone(), view(held))).collect();
        Scope::ALL.into_iter().map(|scope| (scope, in_scope(scope))).collect()
    }

    /// Returns the last exit decision's reason and source.
    pub fn last_exit(&self) -> Option<(&Text, Option<ExitSource>)> {
        let last = self.state().last_round.as_ref()?;
        Some((&last.decision.reason, last.decision.source))
    }
}

/// A list that keeps its last entries.
struct Last<T>(VecDeque<T>);

impl<T> Default for Last<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Last<T> {
    fn push(&mut self, item: T) {
        if self.0.len() == MAX_FOLDED {
            self.0.pop_front();
        }
        self.0.push_back(item);
    }
}
