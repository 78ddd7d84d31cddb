//! Phases, topics and the ids of what they hold.

use std::collections::BTreeMap;

use super::{Checker, notes::Place, text::Asked};
use crate::{
    id::{ActionId, PhaseId, TopicId},
    script::{
        Action, Condition, Phase, Topic,
        defect::Defect,
        draft::{ActionDraft, Draft, PhaseDraft, Span, TopicDraft, Words},
    },
    variable::Scope,
};

/// Ids and where each was given first.
type Seen = BTreeMap<String, Span>;

impl Checker {
    /// Walks over the phases.
    pub(super) fn phases(&mut self, draft: &Draft) -> Option<Vec<Phase>> {
        let (mut phase_ids, mut topic_ids) = (Seen::new(), Seen::new());
        let mut phases = Vec::with_capacity(draft.phases.len());
        for (index, phase) in draft.phases.iter().enumerate() {
            let made = self.phase(index, phase, &mut phase_ids, &mut topic_ids);
            phases.extend(made);
        }
        self.notes.place = Place::Script;
        self.required((!phases.is_empty() && phases.len() == draft.phases.len()).then_some(phases), draft.span)
    }

    fn phase(&mut self, index: usize, draft: &PhaseDraft, ids: &mut Seen, topic_ids: &mut Seen) -> Option<Phase> {
        self.notes.place = Place::Phase(index);
        let id = self.id_of(draft.id.as_ref(), draft.span, "a phase", PhaseId::new);
        self.unique(draft.id.as_ref().map(|id| (id.value.as_str(), id.span)), "phase", "the script", ids);
        let (when, proven) = self.condition(&draft.when, Asked::OnEntering("phase"));
        self.reachable(when.as_ref(), &draft.when, "phase");
        self.notes.proven.push(proven);
        let declare = self.declarations(&draft.declare, Scope::Phase);
        let goal = self.text(&draft.goal, "goal");
        let mut topics = Vec::with_capacity(draft.topics.len());
        for (topic_index, topic) in draft.topics.iter().enumerate() {
            let made = self.topic((index, topic_index), topic, topic_ids);
            topics.extend(made);
        }
        self.notes.proven.pop();
        let whole = !topics.is_empty() && topics.len() == draft.topics.len();
        let topics = self.required(whole.then_some(topics), draft.span);
        Some(Phase {
            id: id?,
            title: plain(&draft.title),
            goal,
            when,
            note: plain(&draft.note),
            declare,
            topics: topics?,
        })
    }

    fn topic(&mut self, (phase, index): (usize, usize), draft: &TopicDraft, ids: &mut Seen) -> Option<Topic> {
        self.notes.place = Place::Topic(phase, index);
        let id = self.id_of(draft.id.as_ref(), draft.span, "a topic", TopicId::new);
        self.unique(draft.id.as_ref().map(|id| (id.value.as_str(), id.span)), "topic", "the script", ids);
        let (when, proven) = self.condition(&draft.when, Asked::OnEntering("topic"));
        self.reachable(when.as_ref(), &draft.when, "topic");
        self.notes.proven.push(proven);
        let declare = self.declarations(&draft.declare, Scope::Topic);
        let goal = self.text(&draft.goal, "goal");
        let ids = self.action_ids(&draft.actions);
        let mut actions = Vec::with_capacity(draft.actions.len());
        for (action, id) in draft.actions.iter().zip(ids) {
            let made = self.action(action, id);
            actions.extend(made);
        }
        self.notes.proven.pop();
        let whole = !actions.is_empty() && actions.len() == draft.actions.len();
        let actions = self.required(whole.then_some(actions), draft.span);
        Some(Topic {
            id: id?,
            title: plain(&draft.title),
            goal,
            when,
            note: plain(&draft.note),
            declare,
            actions: actions?,
        })
    }

    fn action(&mut self, draft: &ActionDraft, id: Option<ActionId>) -> Option<Action> {
        let (when, proven) = self.condition(&draft.when, Asked::BeforeAction);
        if when.as_ref().and_then(Condition::constant) == Some(false) {
            let message = "this action is never run: its condition is never true";
            let span = draft.when.as_ref().map_or(draft.span, |when| when.span);
            self.report(
                Defect::warning("never_runs", span, message).hint("change the condition, or take the action out"),
            );
        }
        self.notes.proven.push(proven);
        self.notes.conditional = draft.when.is_some();
        let kind = self.action_kind(draft);
        self.notes.conditional = false;
        self.notes.proven.pop();
        let kind = self.required(kind, draft.span);
        Some(Action { id: id?, when, note: plain(&draft.note), kind: kind? })
    }

    /// Gives each action its id: the author's, or its kind and number in the topic.
    fn action_ids(&mut self, drafts: &[ActionDraft]) -> Vec<Option<ActionId>> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut seen = Seen::new();
        let mut ids = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let number = draft.kind.name().map(|kind| {
                let count = counts.entry(kind).or_default();
                *count += 1;
                format!("{kind}_{count}")
            });
            let id = match &draft.id {
                Some(given) => {
                    self.unique(Some((&given.value, given.span)), "action", "the topic", &mut seen);
                    self.id_of(Some(given), draft.span, "an action", ActionId::new)
                }
                None => number.and_then(|id| {
                    self.unique(Some((&id, draft.span)), "action", "the topic", &mut seen);
                    ActionId::new(id).ok()
                }),
            };
            ids.push(id);
        }
        ids
    }

    fn unique(&mut self, given: Option<(&str, Span)>, what: &str, of: &str, seen: &mut Seen) {
        let Some((id, span)) = given else { return };
        if let Some(first) = seen.insert(id.to_owned(), span) {
            seen.insert(id.to_owned(), first);
            self.report(
                Defect::error("duplicate_id", span, format!("two {what}s of {of} have the id `{id}`"))
                    .related(first, "the first one is here")
                    .hint("give one of them another id"),
            );
        }
    }

    fn reachable(&mut self, when: Option<&Condition>, words: &Words, what: &str) {
        let (Some(when), Some(words)) = (when, words) else { return };
        match when.constant() {
            Some(false) => self.report(
                Defect::error(
                    "unreachable",
                    words.span,
                    format!("this {what} is never reached: its condition is never true"),
                )
                .hint(format!("change the condition, or take the {what} out")),
            ),
            Some(true) => {}
            None => {
                self.notes.skippable.insert(self.notes.place);
            }
        }
    }
}

fn plain(words: &Words) -> Option<String> {
    words.as_ref().map(|words| words.value.clone())
}
