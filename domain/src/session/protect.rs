//! What a session does when no model may speak: the crisis steps, holding, and going on when a clinician has cleared it.

use super::{
    EventBody, OfferedChoice, Speaker, UtteranceSource, WaitFor,
    state::{ActionRun, Activity, Hearing, Pause},
    turn::{Flow, Heard, Turn},
};
use crate::{
    control::{
        Clearance, HandoffReason, Perception,
        crisis::{self, Crisis, CrisisMove, CrisisStep, CrisisText, SafetyAnswer},
    },
    exit::{ExitFacts, ExitSignals},
    topic::Outcome,
    utterance::Text,
};

/// The most messages that are held unscanned; then a human is asked for.
const MAX_HELD: usize = 8;

impl Turn<'_> {
    /// The route went high: the running action ends for safety, its place in the plan stays, and the crisis text is said.
    pub(super) fn go_high(&mut self) -> Flow {
        self.state.held.clear(); // All of it was scanned, or does not matter any more: no model is called before a human looks.
        self.state.held_too_many = false;
        self.break_off_for_safety();
        let (crisis, first) = Crisis::begin();
        self.state.activities.push(Activity::Crisis { crisis });
        self.make(&first)
    }

    /// Takes whatever the person did at acute risk. Each leads on to the next step, none to a model.
    pub(super) fn step_crisis(&mut self, heard: Heard) -> Flow {
        let answer = match heard {
            Heard::Choice(key) => {
                let answer = SafetyAnswer::from_key(&key);
                let named = crisis::choices(self.state.locale).iter().find(|choice| Some(choice.answer) == answer);
                if let Some(choice) = named {
                    self.utter(Speaker::User, Text::from(choice.text.as_str()), UtteranceSource::User);
                }
                answer
            }
            Heard::Words(text) => SafetyAnswer::named(text.as_str(), self.state.locale),
            Heard::Acknowledgement | Heard::HumanRequest | Heard::Stop => None,
        };
        self.state.held.clear();
        match self.state.crisis_mut().map(|crisis| crisis.step(answer)) {
            Some(next) => self.make(&next),
            None => Flow::GoesOn,
        }
    }

    fn make(&mut self, next: &CrisisMove) -> Flow {
        self.say_reviewed(next.say);
        if next.hand_off {
            self.hand_off(HandoffReason::Crisis);
        }
        let wait_for = self.crisis_waits(next.awaits);
        self.listen(wait_for)
    }

    fn crisis_waits(&mut self, step: CrisisStep) -> WaitFor {
        match step {
            CrisisStep::Acknowledgement => WaitFor::Ack,
            CrisisStep::Safety => {
                let choices = crisis::choices(self.state.locale).iter().map(|choice| OfferedChoice {
                    key: choice.answer.key().to_owned(),
                    text: Text::from(choice.text.as_str()),
                });
                let choices = choices.collect();
                self.emit(EventBody::OptionsOffered { action: None, choices });
                WaitFor::Choice
            }
            CrisisStep::HandedOff => WaitFor::Text,
        }
    }

    /// Answers with a fixed text while a detector does not say whether it is safe to answer; what was said is scanned first
    /// as soon as it can be.
    pub(super) fn hold(&mut self, hearing: Hearing) -> Flow {
        let Hearing { line, wait_for, pause, .. } = hearing;
        let is_first = self.state.held.is_empty() && !self.state.held_too_many;
        if let Some(line) = line {
            if self.state.held.len() < MAX_HELD {
                self.state.held.push_back(line);
            } else {
                self.state.held_too_many = true; // It was said and never scanned: only a human leads on.
            }
        }
        let is_last_straw = self.state.held.len() == MAX_HELD && self.asks_for_nobody_yet();
        if is_last_straw {
            self.say_reviewed(CrisisText::HeldTooLong);
            self.hand_off(HandoffReason::TooManyHeld);
        } else {
            self.say_reviewed(if is_first { CrisisText::Holding } else { CrisisText::HoldingAgain });
        }
        self.listen_again(wait_for, pause)
    }

    fn asks_for_nobody_yet(&self) -> bool {
        self.state.control.handoff().is_none_or(|handoff| handoff.reason != HandoffReason::TooManyHeld)
    }

    /// Takes back that nobody may go on. With the person's next message the script goes on at the entry of the plan that safety
    /// broke off, from its first round; what was collected stays.
    pub(super) fn clear_risk(&mut self, clearance: &Clearance) -> Flow {
        self.state.turn += 1;
        self.state.calls_this_turn = 0;
        self.state.steps_this_turn = 0;
        self.state.held.clear();
        self.state.held_too_many = false;
        self.state.perception = Perception::NoText;
        let change = self.state.control.clear_risk(clearance, self.state.thresholds, self.now);
        self.emit(EventBody::RiskCleared { by: clearance.by().into(), reason: clearance.reason().into() });
        if let Some(change) = change {
            self.emit(EventBody::RouteChanged { change });
        }
        let super::state::Stage::Listening { wait_for, pause } = self.state.stage else { return Flow::Waits };
        self.say_reviewed(CrisisText::Return);
        if self.state.crisis().is_none() {
            return self.listen_again(wait_for, pause);
        }
        self.state.activities.pop();
        self.listen_again(WaitFor::Ack, Pause::Bound)
    }

    /// Says a reviewed text of the crisis set, byte for byte.
    pub(super) fn say_reviewed(&mut self, which: CrisisText) {
        let text = crisis::text(which, self.state.locale, self.state.country().as_ref());
        self.say(text, UtteranceSource::Crisis);
    }

    fn hand_off(&mut self, reason: HandoffReason) {
        self.state.control.request_handoff(reason, self.now);
        self.emit(EventBody::HandoffRequested { reason });
    }

    /// Ends the running action for safety. Its entry in the plan stays current, and the topic is told nothing.
    fn break_off_for_safety(&mut self) {
        let Some(action) = self.running_action() else { return };
        if let Some(dialogue) = action.kind.dialogue() {
            let signals = ExitSignals::default();
            let facts = ExitFacts {
                turn: Some(self.state.turn),
                round: self.state.run().map_or(0, |run| run.round),
                route: self.state.control.route(),
                cancelled: false,
                signals: &signals,
                off_target: 0,
                completeness: None,
                variables: &self.state.variables,
            };
            let decision = dialogue.policy.decide(&facts, self.state.locale);
            self.record_exit(action, decision.clone());
            if let Some(ActionRun { leaving, .. }) = self.state.run_mut() {
                *leaving = Some(decision);
            }
        }
        let result = self.result_of(action, Outcome::Safety, false);
        self.emit(EventBody::ActionFinished { result });
        self.state.set_run(None);
    }
}
