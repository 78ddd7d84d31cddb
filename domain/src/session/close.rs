//! Ends sessions before their script does: stop words, the client, limits, too long a wait.

use super::{
    EndReason, EndStatus, UtteranceSource,
    state::ActionRun,
    turn::{Flow, Turn},
};
use crate::{
    control::crisis::CrisisText,
    exit::{ExitFacts, ExitSignals},
    script::Safety,
    topic::{Ending, Outcome},
};

impl Turn<'_> {
    /// The person said a stop word, or the client stopped the session.
    pub(super) fn stop_by_person(&mut self) -> Flow {
        self.cancel_running();
        let closing = self.texts().closing.clone();
        self.say(closing, UtteranceSource::Script);
        if self.script.safety == Safety::Counselling || self.state.is_guarded() {
            self.say_reviewed(CrisisText::Closing);
        }
        self.close_all(Ending::Stopped, EndReason::Stopped)
    }

    /// A limit of the script was reached.
    pub(super) fn end_at_limit(&mut self, reason: EndReason) -> Flow {
        self.cut_short();
        let closing = self.texts().closing_limit.clone();
        self.say(closing, UtteranceSource::Script);
        self.close_all(Ending::Limit, reason)
    }

    /// Ends a session without a word to the person.
    pub(super) fn stop_running(&mut self, reason: EndReason) -> Flow {
        self.cut_short();
        let ending = match reason {
            EndReason::Expired => Ending::Expired,
            EndReason::TurnLimit | EndReason::ModelCallLimit | EndReason::StateBudget => Ending::Limit,
            EndReason::Stopped | EndReason::ScriptDone => Ending::Stopped,
        };
        self.close_all(ending, reason)
    }

    /// An interactive action decides that it was cancelled; the others just end so.
    fn cancel_running(&mut self) {
        let Some(action) = self.running_action() else { return };
        if let Some(dialogue) = action.kind.dialogue() {
            let signals = ExitSignals::default();
            let facts = ExitFacts {
                turn: Some(self.state.turn),
                round: self.state.run().map_or(0, |run| run.round),
                route: self.state.control.route(),
                cancelled: true,
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
        self.finish_action(Outcome::Cancelled);
    }

    /// An action that a bound of the session breaks off took no decision about its exit.
    fn cut_short(&mut self) {
        if self.running_action().is_some() {
            self.finish_action(Outcome::Cancelled);
        }
    }

    fn close_all(&mut self, ending: Ending, reason: EndReason) -> Flow {
        self.leave_topic(ending);
        self.leave_phase();
        self.end(EndStatus::Ended, reason)
    }
}
