//! Takes what came of a model call: a reply is read and acted on, a fault is tried again or covered by the locale's text.

use super::{
    CallRecord, IssueCode, MAX_ATTEMPTS, ModelAnswer, ModelFault, ModelOutcome, ModelVoice, Purpose, Speaker,
    UtteranceSource, WaitFor,
    collect::Given,
    event::EventBody,
    state::{LastRound, Pause, PendingCall, Reading, Stage, Step},
    turn::{Flow, Turn},
};
use crate::{
    control::output::BlockReason,
    exit::{ExitDecision, ExitFacts, ExitSource, Readings},
    reply::{Level, Reply, ReplyIssue},
    script::{Action, Dialogue},
    topic::{Completeness, Outcome},
    variable::{Quality, Value, VariableStore},
};

impl Turn<'_> {
    /// Takes what came of one attempt.
    pub(super) fn answered(&mut self, answer: ModelAnswer) -> Flow {
        let listening = Stage::Listening { wait_for: WaitFor::Text, pause: Pause::Asked };
        let Stage::Calling(call) = std::mem::replace(&mut self.state.stage, listening) else { return Flow::Waits };
        self.state.usage.tokens_in += u64::from(answer.tokens_in.unwrap_or(0));
        self.state.usage.tokens_out += u64::from(answer.tokens_out.unwrap_or(0));
        let names: Vec<&str> = call.brief.reply_names.iter().map(String::as_str).collect();
        let read = match &answer.outcome {
            ModelOutcome::Replied(raw) if raw.is_blank() => Err(ModelFault::Empty),
            ModelOutcome::Replied(raw) => Ok(Reply::read(raw.as_str(), &names)),
            ModelOutcome::Failed(fault) => Err(*fault),
        };
        let voice = answer.speaker;
        self.emit_call(&call, answer, read.as_ref().ok());
        let reply = match read {
            Ok(reply) if self.says_too_little(call.brief.purpose, &reply) => {
                return self.fail(*call, ModelFault::Empty);
            }
            Ok(reply) => reply,
            Err(fault) => return self.fail(*call, fault),
        };
        if let Err(reason) = self.check_output(call.brief.purpose, &reply) {
            self.emit(EventBody::ReplyBlocked { reason });
            let told = PendingCall { blocked: Some(reason.as_str().to_owned()), ..*call };
            return self.fail(told, ModelFault::Blocked);
        }
        self.report(&reply.issues);
        self.take_reply(call.brief.purpose, reply, voice)
    }

    fn take_reply(&mut self, purpose: Purpose, reply: Reply, voice: ModelVoice) -> Flow {
        let Some(action) = self.running_action() else { return Flow::GoesOn };
        match purpose {
            Purpose::Judging => match action.kind.dialogue() {
                Some(dialogue) => self.judge(action, dialogue, reply),
                None => Flow::GoesOn,
            },
            Purpose::Speaking => self.speak(action, &reply),
            Purpose::Extraction => {
                let missing = self.only_missing(action, reply);
                self.take_values(action, &missing, Quality::Extraction);
                self.finish_after_ladder(action)
            }
            Purpose::Thinking => {
                let quality = match voice {
                    ModelVoice::Model => Quality::Reply,
                    ModelVoice::Understudy => Quality::Raw,
                };
                self.take_values(action, &reply, quality);
                let outcome = self.outcome_by_outputs(action);
                self.finish_action(outcome)
            }
            Purpose::IntentReading | Purpose::StrategyGeneration | Purpose::Planning => Flow::GoesOn,
        }
    }

    /// Shows the first utterance of an action; its exit fields mean nothing yet.
    fn speak(&mut self, action: &Action, reply: &Reply) -> Flow {
        let text = reply.text.clone().unwrap_or_default();
        self.utter(Speaker::Assistant, text, UtteranceSource::Model);
        self.take_values(action, reply, Quality::Reply);
        if action.kind.dialogue().is_some() {
            return self.open_round(WaitFor::Text);
        }
        let outcome = self.outcome_by_outputs(action);
        self.finish_action(outcome)
    }

    /// Judges an answer: values are written, the exit is decided, and the reply is shown.
    fn judge(&mut self, action: &Action, dialogue: &Dialogue, reply: Reply) -> Flow {
        let off_target = self.off_target_with(&reply);
        self.take_values(action, &reply, Quality::Reply);
        if let Some(run) = self.state.run_mut() {
            run.off_target = off_target;
            run.unjudged = false;
            run.reading = Reading {
                brief: reply.signals.brief.clone(),
                progress: reply.progress,
                blocked_by: reply.blocked_by,
                relevance: reply.relevance,
                cooperation: reply.cooperation,
                emotion: reply.emotion.clone(),
                drift: reply.drift,
            };
        }
        let decision = self.decide_exit(dialogue, &reply, off_target, &self.state.variables);
        self.record_exit(action, decision.clone());
        if let Some(text) = reply.text.filter(|text| !text.is_blank()) {
            self.utter(Speaker::Assistant, text, UtteranceSource::Model);
        }
        if decision.should_exit { self.leave(action, decision) } else { self.open_round(WaitFor::Text) }
    }

    /// Decides what follows an exit: an extraction call for what is missing, where there is a reason to ask for it.
    fn leave(&mut self, action: &Action, decision: ExitDecision) -> Flow {
        let asks = match decision.source {
            Some(
                ExitSource::MaxRounds | ExitSource::ExitFlag | ExitSource::ExitCriteria | ExitSource::LlmSuggestion,
            ) => self.misses_a_defined_output(action),
            Some(ExitSource::Safety | ExitSource::Cancelled | ExitSource::OffTopic) | None => false,
        };
        if let Some(run) = self.state.run_mut() {
            run.leaving = Some(decision);
            run.step = Step::Extracting;
        }
        let can_ask = self.state.usage.model_calls < self.state.limits.model_calls;
        if asks && can_ask { self.call(Purpose::Extraction) } else { self.finish_after_ladder(action) }
    }

    pub(super) fn record_exit(&mut self, action: &Action, decision: ExitDecision) {
        let round = self.state.run().map_or(0, |run| run.round);
        let last = LastRound { action: action.id.clone(), round, max_rounds: action.max_rounds(), decision };
        self.state.last_round = Some(last.clone());
        self.emit(EventBody::ExitDecided { action: last.action, round, decision: last.decision });
    }

    /// A speaking reply must say something; a judging one too, unless it ends the action.
    fn says_too_little(&self, purpose: Purpose, reply: &Reply) -> bool {
        if !reply.is_silent() {
            return false;
        }
        match purpose {
            Purpose::Speaking => true,
            Purpose::Judging => {
                let Some(action) = self.running_action() else { return false };
                let Some(dialogue) = action.kind.dialogue() else { return false };
                let foreseen = Foreseen { store: &self.state.variables, given: self.given(action, reply) };
                !self.decide_exit(dialogue, reply, self.off_target_with(reply), &foreseen).should_exit
            }
            Purpose::IntentReading
            | Purpose::StrategyGeneration
            | Purpose::Extraction
            | Purpose::Planning
            | Purpose::Thinking => false,
        }
    }

    fn decide_exit(
        &self,
        dialogue: &Dialogue,
        reply: &Reply,
        off_target: u32,
        variables: &dyn Readings,
    ) -> ExitDecision {
        let facts = ExitFacts {
            turn: Some(self.state.turn),
            round: self.state.run().map_or(0, |run| run.round),
            route: self.state.control.route(),
            cancelled: false,
            signals: &reply.signals,
            off_target,
            completeness: None,
            variables,
        };
        dialogue.policy.decide(&facts, self.state.locale)
    }

    fn off_target_with(&self, reply: &Reply) -> u32 {
        match reply.relevance {
            Some(Level::Low) => self.state.run().map_or(0, |run| run.off_target) + 1,
            Some(Level::Medium | Level::High) | None => 0,
        }
    }

    /// Looks at what the person would read of a reply.
    fn check_output(&self, purpose: Purpose, reply: &Reply) -> Result<(), BlockReason> {
        match &reply.text {
            Some(text) if purpose.speaks() => self.state.output_check(self.script).check(text.as_str()),
            Some(_) | None => Ok(()),
        }
    }

    /// Tries the call again, or covers for it.
    fn fail(&mut self, call: PendingCall, fault: ModelFault) -> Flow {
        let (attempt, purpose) = (call.attempt, call.brief.purpose);
        self.issue(
            IssueCode::ModelFault,
            format!("{purpose}, attempt {attempt} of {MAX_ATTEMPTS}: {fault}", purpose = purpose.as_str()),
        );
        if fault.may_retry() && attempt < MAX_ATTEMPTS {
            self.state.stage = Stage::Calling(Box::new(PendingCall { attempt: attempt + 1, ..call }));
            return Flow::Waits;
        }
        match fault {
            ModelFault::TurnTimeUp if attempt == 1 => {
                self.pause("the time of the turn is used up; any message goes on")
            }
            ModelFault::Preempted => {
                self.issue(IssueCode::TurnPreempted, "a message that cannot wait came in; its turn follows");
                self.state.stage = Stage::Listening { wait_for: WaitFor::Ack, pause: Pause::Bound };
                Flow::Waits
            }
            ModelFault::TurnTimeUp
            | ModelFault::Timeout
            | ModelFault::RateLimited
            | ModelFault::Unavailable
            | ModelFault::Cut
            | ModelFault::Empty
            | ModelFault::Refused
            | ModelFault::Blocked
            | ModelFault::Rejected => self.cover_for(purpose),
        }
    }

    /// Goes on without the model. No round is used up, and nothing that was said is lost.
    fn cover_for(&mut self, purpose: Purpose) -> Flow {
        let Some(action) = self.running_action() else { return Flow::GoesOn };
        match purpose {
            Purpose::Judging => {
                if let Some(run) = self.state.run_mut() {
                    run.step = Step::Asking;
                    run.unjudged = true;
                }
                self.say_fallback()
            }
            Purpose::Speaking if action.kind.dialogue().is_some() => self.say_fallback(),
            Purpose::Speaking | Purpose::Thinking => self.finish_action(Outcome::Error),
            Purpose::Extraction => self.finish_after_ladder(action),
            Purpose::IntentReading | Purpose::StrategyGeneration | Purpose::Planning => Flow::GoesOn,
        }
    }

    fn say_fallback(&mut self) -> Flow {
        let text = self.texts().fallback.clone();
        self.say(text, UtteranceSource::Fallback);
        self.listen(WaitFor::Text)
    }

    fn emit_call(&mut self, call: &PendingCall, answer: ModelAnswer, read: Option<&Reply>) {
        let columns = self.state.control.rigidity().model().copied();
        let rigid_score = self.state.control.rigid_score();
        let ceiling = columns.map_or(0.0, |columns| columns.temperature_for(call.brief.temperature, rigid_score));
        let reply = match answer.outcome {
            ModelOutcome::Replied(raw) if answer.recorded => Some(raw),
            ModelOutcome::Replied(_) | ModelOutcome::Failed(_) => None,
        };
        let record = CallRecord {
            purpose: call.brief.purpose,
            action: Some(call.brief.action.clone()),
            round: (call.brief.max_rounds > 0).then_some(call.brief.round),
            model: answer.model,
            temperature: call.brief.purpose.temperature(ceiling),
            tokens_in: answer.tokens_in,
            tokens_out: answer.tokens_out,
            latency_ms: answer.latency_ms,
            prompt_hash: answer.prompt_hash,
            reply_hash: answer.reply_hash,
            attempt: call.attempt,
            exit_text: call.brief.exit.clone(),
            raw_exit: read.and_then(|reply| reply.raw_exit.clone()),
            prompt: answer.prompt,
            reply,
        };
        self.emit(EventBody::ModelCalled { record: Box::new(record) });
    }

    fn report(&mut self, issues: &[ReplyIssue]) {
        for issue in issues {
            match issue {
                ReplyIssue::Unstructured => {
                    self.issue(
                        IssueCode::UnstructuredReply,
                        "the reply was not one JSON object; only its text was used",
                    );
                }
                ReplyIssue::TooLong => self.issue(IssueCode::ReplyTooLong, "the reply was cut off at its bound"),
                ReplyIssue::UnknownKeys(count) => {
                    self.issue(IssueCode::UnknownKeys, format!("{count} unknown keys of the reply were ignored"));
                }
                ReplyIssue::BadValue(key) => {
                    self.issue(IssueCode::BadReplyValue, format!("`{key}` of the reply holds a value it cannot have"));
                }
            }
        }
    }
}

/// The variables as they would be with the values of a reply.
#[derive(Debug)]
struct Foreseen<'a> {
    store: &'a VariableStore,
    given: Given,
}

impl Readings for Foreseen<'_> {
    fn read(&self, name: &str) -> Option<(Value, Option<u32>)> {
        match self.given.get(name) {
            Some(value) => Some((value.clone(), None)),
            None => self.store.read(name),
        }
    }
}

impl Turn<'_> {
    /// Marks how complete an output of the running action is.
    pub(super) fn mark_collected(&mut self, name: &crate::variable::VariableName, completeness: Completeness) {
        if let Some(run) = self.state.run_mut() {
            run.collected.insert(name.clone(), completeness);
        }
    }
}
