//! How much a script can cost at most: answers of the person and calls of the model, before anything runs.

use serde::Serialize;

use super::{
    Action, ActionKind, Output, Script, Topic,
    defect::Defect,
    draft::{Draft, Span},
};
use crate::id::{ActionId, PhaseId, TopicId};

/// The most steps of one turn that wait for nobody; at the bound the turn pauses and any input goes on.
pub const MAX_STEPS_PER_TURN: u32 = 64;
/// The most model calls of one turn; at the bound the turn pauses and any input goes on.
pub const MAX_CALLS_PER_TURN: u32 = 8;

/// The worst case of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// The most that the script itself asks for: each message is an answer and no model fails.
    pub script: Cost,
    /// The most that a session can take: blank messages and failing models add to the script's own, up to its limits.
    pub session: Cost,
    /// The phases, in order.
    pub phases: Vec<PhaseBounds>,
}

/// Turns and model calls. The opening of a session is not counted as a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// Messages, choices and acknowledgements of the person.
    pub turns: u32,
    /// Model calls; attempts are not counted.
    pub model_calls: u32,
}

/// The worst case of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseBounds {
    /// The phase.
    pub phase: PhaseId,
    /// Its most.
    #[serde(flatten)]
    pub cost: Cost,
    /// Its topics, in order.
    pub topics: Vec<TopicBounds>,
}

/// The worst case of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopicBounds {
    /// The topic.
    pub topic: TopicId,
    /// Its most.
    #[serde(flatten)]
    pub cost: Cost,
    /// Its actions, in order.
    pub actions: Vec<ActionBounds>,
}

/// The worst case of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionBounds {
    /// The action.
    pub action: ActionId,
    /// Its most.
    #[serde(flatten)]
    pub cost: Cost,
}

impl Cost {
    fn sum(costs: impl IntoIterator<Item = Self>) -> Self {
        costs.into_iter().fold(Self::default(), |sum, cost| Self {
            turns: sum.turns.saturating_add(cost.turns),
            model_calls: sum.model_calls.saturating_add(cost.model_calls),
        })
    }
}

/// Returns the bounds of a script, and where one turn can run into a bound of its own.
pub(super) fn of(script: &Script, draft: &Draft) -> (Bounds, Vec<Defect>) {
    let (pauses, mut warnings) = pauses(script, draft);
    let mut pauses = pauses.into_iter();
    let phases: Vec<PhaseBounds> = script
        .phases
        .iter()
        .map(|phase| {
            let topics: Vec<_> = phase.topics.iter().map(|topic| topic_bounds(topic, &mut pauses)).collect();
            let cost = Cost::sum(topics.iter().map(|topic| topic.cost));
            PhaseBounds { phase: phase.id.clone(), cost, topics }
        })
        .collect();
    let own = Cost::sum(phases.iter().map(|phase| phase.cost));
    let session = Cost { turns: script.limits.turns, model_calls: script.limits.model_calls };
    warnings.extend(above_limits(own, session, draft));
    (Bounds { script: own, session, phases }, warnings)
}

/// Returns the most that one action can cost.
fn action_cost(kind: &ActionKind) -> Cost {
    let (turns, model_calls) = match kind {
        ActionKind::Say(say) => (u32::from(say.wait), 0),
        ActionKind::AiThink(_) => (0, 1),
        ActionKind::UserOption(option) => (option.max_rounds, 0),
        ActionKind::ShowPic(_) | ActionKind::Set(_) => (0, 0),
        ActionKind::AiAsk(_) | ActionKind::AiSay(_) => match kind.dialogue() {
            None => (0, 1),
            Some(dialogue) => {
                let rounds = dialogue.policy.max_rounds;
                (rounds, first_utterance(kind).saturating_add(rounds).saturating_add(extraction(kind)))
            }
        },
    };
    Cost { turns, model_calls }
}

fn topic_bounds(topic: &Topic, pauses: &mut impl Iterator<Item = u32>) -> TopicBounds {
    let mut actions = Vec::with_capacity(topic.actions.len());
    for action in &topic.actions {
        let mut cost = action_cost(&action.kind);
        cost.turns = cost.turns.saturating_add(pauses.next().unwrap_or(0));
        actions.push(ActionBounds { action: action.id.clone(), cost });
    }
    TopicBounds { topic: topic.id.clone(), cost: Cost::sum(actions.iter().map(|action| action.cost)), actions }
}

/// The call that writes the first utterance of an interactive action.
fn first_utterance(kind: &ActionKind) -> u32 {
    match kind {
        ActionKind::AiAsk(ask) => u32::from(ask.opening.is_none()),
        ActionKind::AiSay(_) | ActionKind::AiThink(_) => 1,
        ActionKind::Say(_) | ActionKind::UserOption(_) | ActionKind::ShowPic(_) | ActionKind::Set(_) => 0,
    }
}

/// The call that extracts outputs that are still missing.
fn extraction(kind: &ActionKind) -> u32 {
    u32::from(kind.outputs().iter().any(|output| matches!(output, Output::Get { define: Some(_), .. })))
}

/// What can have run in the turn so far, counted along the script: at every place at least as much as in any session.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    steps: u32,
    calls: u32,
    /// How often a turn has paused at a bound since the last action.
    pauses: u32,
}

/// Returns how often a turn can pause at its bound on the way through each action, and a warning for each place.
///
/// Each pause costs a turn: any message goes on.
fn pauses(script: &Script, draft: &Draft) -> (Vec<u32>, Vec<Defect>) {
    let mut spans = draft.phases.iter().flat_map(|phase| &phase.topics).flat_map(|topic| &topic.actions);
    let mut warnings = Vec::new();
    let mut pauses: Vec<u32> = Vec::new();
    let mut run = Run::default();
    for phase in &script.phases {
        run.step();
        for topic in &phase.topics {
            run.step();
            for action in &topic.actions {
                let skips = phase.when.is_some() || topic.when.is_some() || action.when.is_some();
                let (busy, next) = through(run, action, skips);
                if let (Some(busy), Some(draft)) = (busy, spans.next()) {
                    warnings.push(busy_turn(busy, draft.span));
                }
                pauses.push(next.pauses);
                run = Run { pauses: 0, ..next };
            }
            run.step();
        }
        run.step();
    }
    run.step();
    if let Some(last) = pauses.last_mut() {
        *last += run.pauses;
    }
    (pauses, warnings)
}

/// Returns what can have run once `action` is behind the session, and what was too much where a turn pauses at it.
fn through(before: Run, action: &Action, skips: bool) -> (Option<Run>, Run) {
    let mut run = before;
    run.step();
    let cost = action_cost(&action.kind);
    if cost.turns == 0 {
        run.call(cost.model_calls);
        return (before.too_much(cost.model_calls), run);
    }
    let first = first_utterance(&action.kind);
    run.call(first);
    let judged = u32::from(action.kind.dialogue().is_some());
    let answered = Run { steps: 0, calls: judged * (1 + extraction(&action.kind)), pauses: run.pauses };
    let next = if skips && run.pauses == before.pauses {
        Run { steps: run.steps, calls: before.calls.max(answered.calls), pauses: run.pauses }
    } else {
        answered
    };
    (before.too_much(first), next)
}

impl Run {
    fn step(&mut self) {
        self.steps += 1;
        if self.steps > MAX_STEPS_PER_TURN {
            *self = Self { steps: 1, calls: 0, pauses: self.pauses + 1 };
        }
    }

    fn call(&mut self, calls: u32) {
        self.calls += calls;
        if self.calls > MAX_CALLS_PER_TURN {
            *self = Self { steps: 0, calls, pauses: self.pauses + 1 };
        }
    }

    /// Returns what would run in one turn with one more step and `calls`, if that is over a bound.
    fn too_much(self, calls: u32) -> Option<Self> {
        let asked = Self { steps: self.steps + 1, calls: self.calls + calls, ..self };
        (asked.steps > MAX_STEPS_PER_TURN || asked.calls > MAX_CALLS_PER_TURN || self.pauses > 0).then_some(asked)
    }
}

fn busy_turn(run: Run, span: Span) -> Defect {
    let (what, most) = if run.calls > MAX_CALLS_PER_TURN {
        (format!("{} model calls", run.calls), MAX_CALLS_PER_TURN)
    } else {
        (format!("over {MAX_STEPS_PER_TURN} actions and changes of topic"), MAX_STEPS_PER_TURN)
    };
    let message =
        format!("up to here, {what} can run in one turn; the most is {most}, then the session waits for the person");
    Defect::warning("busy_turn", span, message)
        .hint("let the person speak in between: a question, or `wait: true` on a `say`")
}

fn above_limits(own: Cost, session: Cost, draft: &Draft) -> Vec<Defect> {
    let limits = [
        ("turns", own.turns, session.turns, draft.limits.turns.as_ref()),
        ("model_calls", own.model_calls, session.model_calls, draft.limits.model_calls.as_ref()),
    ];
    limits
        .into_iter()
        .filter(|(_, own, limit, _)| own > limit)
        .map(|(key, own, limit, given)| {
            let span = given.map_or(draft.span, |given| given.span);
            let message =
                format!("the script can take {own} {}, but `limits.{key}` ends it at {limit}", key.replace('_', " "));
            Defect::warning("above_limit", span, message)
                .hint(format!("raise `limits: {{{key}: {own}}}`, or shorten the script"))
        })
        .collect()
}
