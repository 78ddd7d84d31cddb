//! One input on its way through a session: what every step of a turn shares.

use serde::{Deserialize, Serialize};

use super::{
    EventBody, Input, IssueCode, Line, SessionEvent, Speaker, State, UtteranceId, UtteranceSource, WaitFor,
    state::{Pause, Stage},
};
use crate::{
    clock::Timestamp,
    id::ActionId,
    script::{Action, Script, Template},
    texts::{self, SessionTexts},
    utterance::Text,
    variable::{Lookup, Value},
};

/// An input being taken.
#[derive(Debug)]
pub(super) struct Turn<'s> {
    pub(super) script: &'s Script,
    pub(super) state: &'s mut State,
    pub(super) now: Timestamp,
    events: Vec<SessionEvent>,
}

/// Whether the walk through the script goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// The next step may be taken.
    GoesOn,
    /// The session waits, or is over.
    Waits,
}

impl<'s> Turn<'s> {
    pub(super) const fn begin(script: &'s Script, state: &'s mut State, now: Timestamp) -> Self {
        Self { script, state, now, events: Vec::new() }
    }

    /// Takes an input that was admitted.
    pub(super) fn take(mut self, input: Input) -> Vec<SessionEvent> {
        let flow = match input {
            Input::Start(start) => self.start(*start),
            Input::Answered(answer) => self.answered(*answer),
            Input::Tick => {
                self.expire_if_idle();
                return self.events; // A look at the time is no turn: nothing is waited for anew.
            }
            Input::Say { text } => self.hear(Heard::Words(text)),
            Input::Choose { key, .. } => self.hear(Heard::Choice(key)),
            Input::Acknowledge => self.hear(Heard::Acknowledgement),
            Input::RequestHuman => self.hear(Heard::HumanRequest),
            Input::Stop => self.hear(Heard::Stop),
            Input::Scored { scans } => self.perceived(scans),
            Input::ClearRisk { clearance } => self.clear_risk(&clearance),
        };
        if flow == Flow::GoesOn {
            self.walk();
        }
        self.settle();
        self.events
    }

    pub(super) fn texts(&self) -> &'static SessionTexts {
        texts::session(self.state.locale)
    }

    pub(super) fn emit(&mut self, body: EventBody) {
        self.state.seq += 1;
        self.events.push(SessionEvent { seq: self.state.seq, turn: self.state.turn, at: self.now, body });
    }

    pub(super) fn issue(&mut self, code: IssueCode, message: impl Into<String>) {
        self.emit(EventBody::Issue { code, message: message.into() });
    }

    /// Says something, and keeps it for prompts.
    pub(super) fn utter(&mut self, speaker: Speaker, text: Text, source: UtteranceSource) -> Line {
        self.state.utterances += 1;
        let id = UtteranceId::new(self.state.utterances);
        let action = self.state.run().map(|run| run.action.clone());
        let line = Line { id, speaker, text: text.clone() };
        self.state.keep_line(line.clone());
        self.emit(EventBody::Utterance { id, role: speaker, text, action, source });
        line
    }

    /// Says a fixed text; an empty one is not said.
    pub(super) fn say(&mut self, text: String, source: UtteranceSource) {
        if !text.trim().is_empty() {
            self.utter(Speaker::Assistant, Text::new(text), source);
        }
    }

    pub(super) fn listen(&mut self, wait_for: WaitFor) -> Flow {
        self.state.stage = Stage::Listening { wait_for, pause: Pause::Asked };
        Flow::Waits
    }

    /// Pauses a turn that reached its bound.
    pub(super) fn pause(&mut self, message: &str) -> Flow {
        self.issue(IssueCode::TurnBound, message);
        self.state.stage = Stage::Listening { wait_for: WaitFor::Ack, pause: Pause::Bound };
        Flow::Waits
    }

    pub(super) fn running_action(&self) -> Option<&'s Action> {
        self.state.running_action(self.script)
    }

    pub(super) fn running_id(&self) -> Option<ActionId> {
        self.state.run().map(|run| run.action.clone())
    }

    /// Fills a text in; what is unset becomes an issue.
    pub(super) fn fill(&mut self, template: &Template) -> String {
        let filled = template.fill(&Scene(self.state), &SystemValues { turn: self });
        for name in filled.unset {
            self.issue(IssueCode::UnsetVariable, format!("`{name}` is unset where a text reads it"));
        }
        filled.text
    }

    /// Says that the session waits, or ends it at its limit of turns or of what it may hold.
    fn settle(&mut self) {
        let Stage::Listening { wait_for, .. } = self.state.stage else { return };
        if self.state.is_over_budget() && !self.state.is_guarded() {
            self.end_at_limit(super::EndReason::StateBudget);
            return;
        }
        if self.state.usage.turns >= self.state.limits.turns && !self.state.is_guarded() {
            self.end_at_limit(super::EndReason::TurnLimit);
            return;
        }
        self.state.waiting_since = self.now;
        let action = self.running_id();
        self.emit(EventBody::Waiting { wait_for, action });
    }
}

/// What the client did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Heard {
    Words(Text),
    Choice(String),
    Acknowledgement,
    HumanRequest,
    Stop,
}

/// What conditions and placeholders can read: variables, and `result.…` of the topic's last action.
#[derive(Debug)]
pub(super) struct Scene<'a>(pub(super) &'a State);

impl Lookup for Scene<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        let Some(path) = name.strip_prefix("result.") else { return self.0.variables.value(name) };
        let (_, _, progress) = self.0.topic()?;
        let result = serde_json::to_value(progress.last_result()?).ok()?;
        let field = path.split('.').try_fold(&result, |value, field| value.get(field))?;
        (!field.is_null()).then(|| Value::new(field.clone()))
    }
}

/// What `{%name%}` stands for; a name of which nothing is known yet is empty.
struct SystemValues<'a, 's> {
    turn: &'a Turn<'s>,
}

impl Lookup for SystemValues<'_, '_> {
    fn value(&self, name: &str) -> Option<Value> {
        let Turn { script, state, now, .. } = self.turn;
        let run = state.run();
        let action = state.running_action(script);
        let text = match name {
            "now" => now.to_string(),
            "locale" => state.locale.to_string(),
            "round" => run.map_or(0, |run| run.round).to_string(),
            "max_rounds" => action.map_or(0, Action::max_rounds).to_string(),
            "goal" => self.turn.topic_goal().map(|goal| plain(goal, state))?,
            "role" => self.turn.role_name().unwrap_or_default(),
            "tone" => self.turn.tone_template().map(|tone| plain(tone, state)).unwrap_or_default(),
            "outputs" => action.map(names_of_outputs).unwrap_or_default(),
            "history" => spoken_history(state),
            _ => String::new(),
        };
        Some(Value::from(text.as_str()))
    }
}

/// Fills in variables alone, so that no text can refer to itself.
fn plain(template: &Template, state: &State) -> String {
    struct Nothing;
    impl Lookup for Nothing {
        fn value(&self, _: &str) -> Option<Value> {
            None
        }
    }
    template.fill(&Scene(state), &Nothing).text
}

fn names_of_outputs(action: &Action) -> String {
    action.kind.outputs().iter().map(|output| output.name().as_str()).collect::<Vec<_>>().join(", ")
}

fn spoken_history(state: &State) -> String {
    let speaker = |speaker| match speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
        Speaker::System => "system",
    };
    let lines = state.lines.iter().map(|line| format!("{}: {}", speaker(line.speaker), line.text.as_str()));
    lines.collect::<Vec<_>>().join("\n")
}
