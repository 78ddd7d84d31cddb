//! Walks through the script: enters and leaves phases and topics, takes actions off the plan, opens and closes scopes.

use super::{
    DeclaredBy, EndReason, EndStatus, EventBody, Frame, IssueCode, ModelVoice, Operation, Speaker, Start,
    UtteranceSource,
    state::Stage,
    turn::{Flow, Scene, Turn},
};
use crate::{
    control::{ControlContext, Route},
    id::{PhaseId, TopicId},
    script::{Access, Condition, Declaration, MAX_STEPS_PER_TURN, Phase, Topic},
    topic::{Attainment, Ending, TopicPlan, TopicProgress},
    utterance::Text,
    variable::{Closed, Quality, Scope, Source, Writing},
};

impl Turn<'_> {
    /// Begins the session: who and where, the disclosure, what is known from the start.
    pub(super) fn start(&mut self, start: Start) -> Flow {
        self.state.locale = start.locale.unwrap_or(self.script.locale);
        self.state.session_id = Some(start.session_id.clone());
        self.state.country.clone_from(&start.country);
        self.state.thresholds = start.thresholds;
        self.state.control = match (&start.subject, start.latch) {
            (Some(subject), Some(latch)) => ControlContext::latched(subject.clone(), latch, self.now),
            (Some(_) | None, _) => ControlContext::new(start.subject.clone(), self.now),
        };
        self.emit(EventBody::SessionStarted {
            session_id: start.session_id.clone(),
            script: self.script.id.clone(),
            version: self.script.version.clone(),
            script_digest: self.state.digest.clone(),
            locale: self.state.locale,
        });
        self.emit(EventBody::Disclosed { text: Text::from(self.texts().disclosure.as_str()) });
        if start.voice == ModelVoice::Understudy {
            let text = Text::from(self.texts().understudy.as_str());
            self.utter(Speaker::System, text, UtteranceSource::Script);
        }
        self.declare_globals(&start);
        for declaration in &self.script.declare {
            self.declare(Scope::Session, declaration);
        }
        for (name, value) in start.variables {
            let writing = Writing { source: Source { action: None, turn: 0 }, quality: Quality::Client, at: self.now };
            self.write(&name, None, value, &writing, Operation::Set);
        }
        match self.state.control.route() {
            Route::Low | Route::Medium => Flow::GoesOn,
            Route::High => self.go_high(),
        }
    }

    /// Takes steps until something waits.
    pub(super) fn walk(&mut self) {
        loop {
            if self.state.steps_this_turn >= MAX_STEPS_PER_TURN {
                self.pause(&format!("{MAX_STEPS_PER_TURN} steps without waiting; any message goes on"));
                return;
            }
            self.state.steps_this_turn += 1;
            let flow = match self.state.position.last() {
                Some(Frame::Topic { .. }) => self.step_in_topic(),
                Some(Frame::Phase { .. }) => self.step_in_phase(),
                None => self.step_in_script(),
            };
            if flow == Flow::Waits {
                return;
            }
        }
    }

    fn step_in_script(&mut self) -> Flow {
        let phases = &self.script.phases;
        let Some(phase) = after(phases, self.state.last_phase.as_ref(), |phase| &phase.id) else {
            return self.end(EndStatus::Completed, EndReason::ScriptDone);
        };
        if self.is_skipped(phase.id.as_str(), phase.when.as_ref()) {
            self.state.last_phase = Some(phase.id.clone());
        } else {
            self.enter_phase(phase);
        }
        Flow::GoesOn
    }

    fn step_in_phase(&mut self) -> Flow {
        let Some(Frame::Phase { id, last_topic }) = self.state.position.last().cloned() else { return Flow::GoesOn };
        let topics = self.script.phase(&id).map_or(&[][..], |phase| &phase.topics);
        match after(topics, last_topic.as_ref(), |topic| &topic.id) {
            None => self.leave_phase(),
            Some(topic) if self.is_skipped(&format!("{id}/{}", topic.id), topic.when.as_ref()) => {
                self.finish_topic(topic.id.clone(), &TopicProgress::default(), Ending::Condition);
            }
            Some(topic) => self.enter_topic(&id, topic),
        }
        Flow::GoesOn
    }

    fn step_in_topic(&mut self) -> Flow {
        let broken_off = self.state.plan().and_then(TopicPlan::current).cloned();
        let is_anew = broken_off.is_some();
        let next = broken_off.or_else(|| self.state.topic_mut().and_then(|(plan, _)| plan.begin_next()));
        let Some(next) = next else {
            self.leave_topic(Ending::PlanDone);
            return Flow::GoesOn;
        };
        let Some((topic, ..)) = self.state.topic() else { return Flow::GoesOn };
        let topic = topic.clone();
        let action = self.script.topic(&topic).and_then(|topic| topic.action(&next));
        let action =
            action.expect("a plan holds actions of its topic: it is copied from the script, and checked when read");
        let phase = self.state.phase().map_or("", PhaseId::as_str);
        let path = format!("{phase}/{topic}/{next}");
        if !is_anew && self.is_skipped(&path, action.when.as_ref()) {
            if let Some((plan, _)) = self.state.topic_mut() {
                plan.skip_current();
            }
            return Flow::GoesOn;
        }
        self.begin_action(action)
    }

    fn enter_phase(&mut self, phase: &Phase) {
        self.state.position.push(Frame::Phase { id: phase.id.clone(), last_topic: None });
        self.state.variables.open(Scope::Phase, phase.id.as_str());
        self.emit(EventBody::PhaseEntered { phase: phase.id.clone() });
        for declaration in &phase.declare {
            self.declare(Scope::Phase, declaration);
        }
    }

    fn enter_topic(&mut self, phase: &PhaseId, topic: &Topic) {
        let plan = TopicPlan::of(topic);
        let ids = plan.ids();
        let progress = Box::<TopicProgress>::default();
        self.state.position.push(Frame::Topic { id: topic.id.clone(), plan, progress });
        self.state.variables.open(Scope::Topic, topic.id.as_str());
        self.emit(EventBody::TopicEntered { phase: phase.clone(), topic: topic.id.clone(), plan: ids });
        for declaration in &topic.declare {
            self.declare(Scope::Topic, declaration);
        }
    }

    /// Leaves the innermost topic, if the session is in one.
    pub(super) fn leave_topic(&mut self, ending: Ending) {
        let Some(Frame::Topic { .. }) = self.state.position.last() else { return };
        let Some(Frame::Topic { id, progress, .. }) = self.state.position.pop() else { return };
        self.finish_topic(id, &progress, ending);
        self.close_scope();
    }

    fn finish_topic(&mut self, topic: TopicId, progress: &TopicProgress, ending: Ending) {
        let attainment: Attainment = progress.attainment(ending);
        self.state.attainments.insert(topic.clone(), attainment);
        if let Some(Frame::Phase { last_topic, .. }) = self.state.position.last_mut() {
            *last_topic = Some(topic.clone());
        }
        let variables = progress.statuses();
        self.emit(EventBody::TopicFinished { topic, attainment, reason: ending, variables });
    }

    /// Leaves the phase, if the session is in one.
    pub(super) fn leave_phase(&mut self) {
        let Some(Frame::Phase { id, .. }) = self.state.position.pop() else { return };
        self.state.last_phase = Some(id.clone());
        self.emit(EventBody::PhaseLeft { phase: id });
        self.close_scope();
    }

    fn close_scope(&mut self) {
        if let Some(closed) = self.state.variables.close() {
            self.emit_closed(closed);
        }
    }

    fn emit_closed(&mut self, closed: Closed) {
        let Closed { scope, path, variables } = closed;
        self.emit(EventBody::ScopeClosed { scope, path, variables });
    }

    /// Ends the session: nothing runs any more, and its values are told for the last time.
    pub(super) fn end(&mut self, status: EndStatus, reason: EndReason) -> Flow {
        let closed = self.state.variables.session_snapshot();
        self.emit_closed(closed);
        self.state.activities.truncate(1); // The script's own; whatever was above is over with it.
        self.state.set_run(None);
        self.state.stage = Stage::Over { status, reason };
        self.emit(EventBody::SessionEnded { status, reason });
        Flow::Waits
    }

    /// Asks a `when`; false is an event.
    fn is_skipped(&mut self, path: &str, when: Option<&Condition>) -> bool {
        let Some(condition) = when else { return false };
        let tested = condition.test(&Scene(self.state));
        for comparison in tested.mismatches {
            self.issue(
                IssueCode::ConditionMismatch,
                format!("`{comparison}` cannot be compared here; it counts as false"),
            );
        }
        if !tested.met {
            self.emit(EventBody::Skipped { path: path.to_owned(), when: condition.source().to_owned() });
        }
        !tested.met
    }

    fn declare_globals(&mut self, start: &Start) {
        for global in &self.script.globals {
            let name = &global.declaration.name;
            let kept = start.subject_variables.get(name.as_str()).filter(|_| global.access == Access::Writable);
            let declaration = Declaration {
                value: kept.cloned().or_else(|| global.declaration.value.clone()),
                ..global.declaration.clone()
            };
            self.declare(Scope::Global, &declaration);
            if global.access == Access::ReadOnly {
                self.state.variables.seal(name);
            }
        }
    }

    fn declare(&mut self, scope: Scope, declaration: &Declaration) {
        let Declaration { name, kind, .. } = declaration;
        let value = declaration.value.as_ref().filter(|value| value.sets());
        if self.state.variables.declare(scope, name.clone(), *kind).is_none() {
            return;
        }
        if let Some(value) = value {
            self.state.variables.initialise(scope, name, value.clone(), self.now);
        }
        self.emit(EventBody::VariableDeclared {
            name: name.clone(),
            scope,
            by: DeclaredBy::Script,
            value: value.cloned(),
            action: None,
        });
    }
}

/// Returns what comes after the one named `last`, the first without one.
fn after<'a, T, I: PartialEq>(all: &'a [T], last: Option<&I>, id: impl Fn(&T) -> &I) -> Option<&'a T> {
    match last {
        None => all.first(),
        Some(last) => all.iter().skip_while(|item| id(item) != last).nth(1),
    }
}
