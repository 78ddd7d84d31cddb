//! How much a script can cost at most: answers of the person and calls of the model, before anything runs.

use serde::Serialize;

use super::{
    Action, ActionKind, Output, Script, Topic,
    defect::Defect,
    draft::{Draft, Span},
};
use crate::id::{ActionId, PhaseId, TopicId};

/// The most internal steps of one turn.
pub const MAX_STEPS_PER_TURN: u32 = 64;
/// The most model calls of one turn.
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
    let phases: Vec<PhaseBounds> = script
        .phases
        .iter()
        .map(|phase| {
            let topics: Vec<_> = phase.topics.iter().map(topic_bounds).collect();
            let cost = Cost::sum(topics.iter().map(|topic| topic.cost));
            PhaseBounds { phase: phase.id.clone(), cost, topics }
        })
        .collect();
    let own = Cost::sum(phases.iter().map(|phase| phase.cost));
    let session = Cost { turns: script.limits.turns, model_calls: script.limits.model_calls };
    let mut warnings = busy_turns(script, draft);
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

fn topic_bounds(topic: &Topic) -> TopicBounds {
    let actions: Vec<_> = topic
        .actions
        .iter()
        .map(|action| ActionBounds { action: action.id.clone(), cost: action_cost(&action.kind) })
        .collect();
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

/// What can run in one turn, counted along the script.
#[derive(Clone, Copy, Default)]
struct Run {
    /// Actions that begin, and phases and topics that begin or end.
    steps: u32,
    calls: u32,
}

fn busy_turns(script: &Script, draft: &Draft) -> Vec<Defect> {
    let mut walk = Walk { run: Run::default(), warnings: Vec::new() };
    for (phase, phase_draft) in script.phases.iter().zip(&draft.phases) {
        walk.step(phase_draft.span);
        for (topic, topic_draft) in phase.topics.iter().zip(&phase_draft.topics) {
            walk.step(topic_draft.span);
            let skips = phase.when.is_some() || topic.when.is_some();
            for (action, action_draft) in topic.actions.iter().zip(&topic_draft.actions) {
                walk.action(action, skips || action.when.is_some(), action_draft.span);
            }
            walk.step(topic_draft.span);
        }
        walk.step(phase_draft.span);
    }
    walk.warnings
}

/// Walks over a script as a person would who answers everything.
struct Walk {
    run: Run,
    warnings: Vec<Defect>,
}

impl Walk {
    fn step(&mut self, span: Span) {
        self.add(Run { steps: 1, calls: 0 }, span);
    }

    fn action(&mut self, action: &Action, skips: bool, span: Span) {
        let cost = action_cost(&action.kind);
        if cost.turns == 0 {
            return self.add(Run { steps: 1, calls: cost.model_calls }, span);
        }
        self.add(Run { steps: 1, calls: first_utterance(&action.kind) }, span);
        let judged = u32::from(action.kind.dialogue().is_some());
        let answered = Run { steps: 0, calls: judged * (1 + extraction(&action.kind)) };
        let skipped = Run { calls: self.run.calls - self.run.calls.min(first_utterance(&action.kind)), ..self.run };
        self.run = if skips {
            Run { steps: skipped.steps.max(answered.steps), calls: skipped.calls.max(answered.calls) }
        } else {
            answered
        };
    }

    fn add(&mut self, more: Run, span: Span) {
        self.run = Run { steps: self.run.steps + more.steps, calls: self.run.calls + more.calls };
        if self.run.steps <= MAX_STEPS_PER_TURN && self.run.calls <= MAX_CALLS_PER_TURN {
            return;
        }
        let what = if self.run.calls > MAX_CALLS_PER_TURN {
            format!("more than {MAX_CALLS_PER_TURN} model calls")
        } else {
            format!("more than {MAX_STEPS_PER_TURN} steps (actions, and phases and topics that begin or end)")
        };
        let message = format!("here {what} can have run in one turn; the session then pauses until any message comes");
        self.warnings.push(
            Defect::warning("busy_turn", span, message)
                .hint("let the person speak in between: a question, or `wait: true` on a `say`"),
        );
        self.run = more; // The turn has paused and goes on from here.
    }
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
