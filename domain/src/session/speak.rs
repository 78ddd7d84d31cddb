//! Begins actions: what the script says itself is said at once, what a model is to write becomes a call.

use super::{
    Brief, EndReason, EventBody, OfferedChoice, Operation, OutputBrief, Purpose, Style, UtteranceSource, WaitFor,
    state::{ActionRun, PendingCall, Stage, Step},
    turn::{Flow, Turn},
};
use crate::{
    control::Structure,
    script::{Action, ActionKind, MAX_CALLS_PER_TURN, Output, Role, SetValue, Template, UserOption, Voice},
    topic::{Completeness, Outcome},
    utterance::Text,
    variable::{Quality, Source, Value, VariableName, Writing},
};

impl Turn<'_> {
    /// Begins an action whose `when` holds.
    pub(super) fn begin_action(&mut self, action: &Action) -> Flow {
        let since = self.state.utterances + 1;
        let step = match action.kind {
            ActionKind::AiThink(_) => Step::Thinking,
            ActionKind::AiSay(_) | ActionKind::AiAsk(_) => Step::Speaking,
            ActionKind::Say(_) | ActionKind::UserOption(_) | ActionKind::ShowPic(_) | ActionKind::Set(_) => {
                Step::Asking
            }
        };
        self.state.set_run(Some(ActionRun::new(action.id.clone(), step, since)));
        self.emit(EventBody::ActionStarted { action: action.id.clone(), kind: action.kind.name().to_owned() });
        self.expect_outputs(action);
        match &action.kind {
            ActionKind::Say(say) => {
                let text = self.fill(&say.text);
                self.say(text, UtteranceSource::Script);
                if say.wait { self.listen(WaitFor::Ack) } else { self.finish_action(Outcome::Satisfied) }
            }
            ActionKind::AiSay(_) => self.call(Purpose::Speaking),
            ActionKind::AiAsk(ask) => match &ask.opening {
                Some(opening) => {
                    let text = self.fill(opening);
                    self.say(text, UtteranceSource::Script);
                    self.open_round(WaitFor::Text)
                }
                None => self.call(Purpose::Speaking),
            },
            ActionKind::AiThink(_) => self.call(Purpose::Thinking),
            ActionKind::UserOption(option) => {
                let text = self.fill(&option.ask);
                self.say(text, UtteranceSource::Script);
                self.offer(option)
            }
            ActionKind::ShowPic(picture) => {
                let alt = picture.alt.as_ref().map(|alt| Text::new(self.fill(alt)));
                let action = action.id.clone();
                self.emit(EventBody::PictureShown { action, url: picture.url.clone(), alt });
                self.finish_action(Outcome::Satisfied)
            }
            ActionKind::Set(setting) => {
                self.set(&setting.variable, &setting.value);
                self.finish_action(Outcome::Satisfied)
            }
        }
    }

    /// Opens the next round of the running action: its utterance has been shown.
    pub(super) fn open_round(&mut self, wait_for: WaitFor) -> Flow {
        let max_rounds = self.running_action().map_or(1, Action::max_rounds);
        if let Some(run) = self.state.run_mut() {
            run.round += 1;
            run.step = Step::Asking;
            let (action, round) = (run.action.clone(), run.round);
            self.emit(EventBody::RoundStarted { action, round, max_rounds });
        }
        self.listen(wait_for)
    }

    /// Shows the choices once more.
    pub(super) fn offer(&mut self, option: &UserOption) -> Flow {
        let mut choices = Vec::with_capacity(option.choices.len());
        for choice in &option.choices {
            choices.push(OfferedChoice { key: choice.key.clone(), text: Text::new(self.fill(&choice.text)) });
        }
        let action = self.running_id();
        self.emit(EventBody::OptionsOffered { action, choices });
        self.open_round(WaitFor::Choice)
    }

    /// Sets a variable as the script says.
    pub(super) fn set(&mut self, name: &VariableName, value: &SetValue) {
        let value = match value {
            SetValue::Literal(value) => value.clone(),
            SetValue::Template(template) => Value::from(self.fill(template).as_str()),
        };
        let writing = self.writing(Quality::Literal);
        self.write(name, None, value, &writing, Operation::Set);
    }

    pub(super) fn writing(&self, quality: Quality) -> Writing {
        let source = Source { action: self.running_id(), turn: self.state.turn };
        Writing { source, quality, at: self.now }
    }

    /// Asks a model for something; charged before it is made.
    pub(super) fn call(&mut self, purpose: Purpose) -> Flow {
        if self.state.usage.model_calls >= self.state.limits.model_calls {
            return self.end_at_limit(EndReason::ModelCallLimit);
        }
        if self.state.calls_this_turn >= MAX_CALLS_PER_TURN {
            return self.pause(&format!("{MAX_CALLS_PER_TURN} model calls in one turn; any message goes on"));
        }
        let Some(action) = self.running_action() else { return Flow::GoesOn };
        let brief = self.brief(action, purpose);
        self.state.usage.model_calls += 1;
        self.state.calls_this_turn += 1;
        let call_no = self.state.usage.model_calls;
        self.state.stage = Stage::Calling(Box::new(PendingCall { call_no, attempt: 1, brief, blocked: None }));
        Flow::Waits
    }

    fn brief(&mut self, action: &Action, purpose: Purpose) -> Brief {
        let columns = self.state.control.rigidity().structure();
        let default_voice = Voice::default();
        let voice = action.voice().unwrap_or(&default_voice);
        let task = action.task().map(|task| self.fill(task)).unwrap_or_default();
        let opening = action.opening().map(|opening| Text::new(self.fill(opening)));
        let goal = self.topic_goal().map(|goal| Text::new(self.fill(goal)));
        let tone = self.tone_template().map(|tone| Text::new(self.fill(tone)));
        let dialogue = action.kind.dialogue();
        let exit = dialogue.and_then(|dialogue| dialogue.exit.as_ref()).map(|exit| Text::new(self.fill(exit)));
        let outputs = self.output_briefs(action);
        let run = self.state.run();
        let answered = purpose == Purpose::Judging;
        let opens = purpose == Purpose::Speaking && dialogue.is_some();
        Brief {
            purpose,
            action: action.id.clone(),
            kind: action.kind.name().to_owned(),
            task: Text::new(task),
            speech: action.speech().map(str::to_owned),
            opening,
            goal,
            role: self.role_name(),
            tone,
            exits: dialogue.map(|dialogue| dialogue.policy.optional_sources()).unwrap_or_default(),
            exit,
            criteria: dialogue.and_then(|dialogue| dialogue.policy.criteria.clone()),
            outputs,
            collect: action.collect().cloned(),
            round: run.map_or(0, |run| run.round) + u32::from(opens),
            max_rounds: dialogue.map_or(0, |dialogue| dialogue.policy.max_rounds),
            style: run.and_then(|run| run.answer.as_ref()).filter(|_| answered).and_then(Style::after),
            off_target: run.map_or(0, |run| run.off_target),
            temperature: voice.temperature,
            timeout: voice.timeout,
            structure: if purpose == Purpose::Extraction { Structure::Free } else { columns },
            locale: self.state.locale,
            reply_names: self.role_names(),
        }
    }

    fn output_briefs(&mut self, action: &Action) -> Vec<OutputBrief> {
        let mut briefs = Vec::new();
        for output in action.kind.outputs() {
            let Output::Get { name, define, kind, required, .. } = output else { continue };
            let define = define.as_ref().map(|define| Text::new(self.fill(define)));
            let kind = kind.or_else(|| self.state.variables.declared_kind(name));
            let completeness = self.completeness(action.collect().unwrap_or(name));
            briefs.push(OutputBrief { name: name.clone(), define, kind, required: *required, completeness });
        }
        briefs
    }

    pub(super) fn completeness(&self, name: &VariableName) -> Completeness {
        let collected = self.state.run().and_then(|run| run.collected.get(name.as_str()));
        collected.copied().unwrap_or(Completeness::Missing)
    }

    fn expect_outputs(&mut self, action: &Action) {
        let expected: Vec<(VariableName, bool)> = match (&action.kind, action.collect()) {
            (ActionKind::UserOption(option), _) => vec![(option.variable.clone(), true)],
            (_, Some(list)) => {
                let required = action.kind.outputs().iter().any(Output::is_required);
                vec![(list.clone(), required)]
            }
            (_, None) => action
                .kind
                .outputs()
                .iter()
                .filter(|output| matches!(output, Output::Get { .. }))
                .map(|output| (output.name().clone(), output.is_required()))
                .collect(),
        };
        if let Some((_, progress)) = self.state.topic_mut() {
            for (name, required) in expected {
                progress.expect(name, required);
            }
        }
    }
}

impl<'s> Turn<'s> {
    pub(super) fn topic_goal(&self) -> Option<&'s Template> {
        let (topic, ..) = self.state.topic()?;
        let script = self.script;
        let phase = self.state.phase().and_then(|phase| script.phase(phase));
        script.topic(topic)?.goal.as_ref().or_else(|| phase?.goal.as_ref())
    }

    /// The role that the running action names, else the only one the script has.
    fn role(&self) -> Option<(&'s str, &'s Role)> {
        let named = self.running_action().and_then(Action::voice).and_then(|voice| voice.role.as_deref());
        let script = self.script;
        let mut roles = script.roles.iter();
        match named {
            Some(named) => script.roles.get_key_value(named).map(|(id, role)| (id.as_str(), role)),
            None => roles.next().filter(|_| roles.next().is_none()).map(|(id, role)| (id.as_str(), role)),
        }
    }

    pub(super) fn role_name(&self) -> Option<String> {
        self.role().map(|(id, role)| role.name.clone().unwrap_or_else(|| id.to_owned()))
    }

    fn role_names(&self) -> Vec<String> {
        let named = self.role();
        named.into_iter().flat_map(|(id, role)| [Some(id.to_owned()), role.name.clone()]).flatten().collect()
    }

    pub(super) fn tone_template(&self) -> Option<&'s Template> {
        let own = self.running_action().and_then(Action::voice).and_then(|voice| voice.tone.as_ref());
        own.or_else(|| self.role()?.1.tone.as_ref())
    }
}
