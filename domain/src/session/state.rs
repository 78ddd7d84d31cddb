//! Everything a session knows: enough to go on after a crash, and bounded whatever is said.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::{Brief, EndReason, EndStatus, Purpose, Speaker, UtteranceId, WaitFor, turn::Heard};
use crate::{
    clock::Timestamp,
    control::{
        ControlContext, Perception, Route, Thresholds,
        crisis::{Country, Crisis},
        output::{OutputCheck, RiskScan},
    },
    exit::ExitDecision,
    id::{ActionId, PhaseId, SessionId, TopicId},
    locale::Locale,
    reply::{BlockedBy, Drift, Emotion, Level, Progress},
    script::{Action, Limits, Script},
    topic::{Attainment, Completeness, TopicPlan, TopicProgress},
    utterance::Text,
    variable::{VariableName, VariableStore},
};

/// The most utterances that are kept for prompts; all of them are in the events.
const MAX_LINES: usize = 64;
/// The most bytes of utterances that are kept for prompts; the last one stays, however long.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// The most bytes of values, their history and utterances that a session may hold between turns.
pub const STATE_BUDGET: usize = 256 * 1024;

/// The whole state of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) session_id: Option<SessionId>,
    pub(super) digest: String,
    pub(super) locale: Locale,
    pub(super) country: Option<String>,
    pub(super) limits: Limits,
    pub(super) seq: u64,
    pub(super) turn: u32,
    pub(super) stage: Stage,
    pub(super) activities: Vec<Activity>, // Invariant: the script's activity is at the bottom.
    pub(super) position: Vec<Frame>,
    pub(super) last_phase: Option<PhaseId>,
    pub(super) variables: VariableStore,
    pub(super) control: ControlContext,
    pub(super) perception: Perception,
    pub(super) thresholds: Thresholds,
    /// Messages whose risk nobody knows, oldest first; no model is called before they are scanned.
    pub(super) held: VecDeque<Line>,
    /// More was held than is kept: only a clinician leads on.
    pub(super) held_too_many: bool,
    pub(super) lines: VecDeque<Line>,
    pub(super) utterances: u32,
    pub(super) usage: Usage,
    pub(super) calls_this_turn: u32,
    pub(super) steps_this_turn: u32,
    pub(super) attainments: BTreeMap<TopicId, Attainment>,
    pub(super) last_round: Option<LastRound>,
    pub(super) waiting_since: Timestamp,
}

/// What a session has used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Turns, without the opening.
    pub turns: u32,
    /// Model calls, not attempts.
    pub model_calls: u32,
    /// Tokens of prompts, as far as they are known.
    pub tokens_in: u64,
    /// Tokens of replies, as far as they are known.
    pub tokens_out: u64,
}

/// How a session stands between turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It waits for its person.
    WaitingInput,
    /// Its script is done.
    Completed,
    /// It was ended before.
    Ended,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::WaitingInput, Self::Completed, Self::Ended];

    /// Returns the name, as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WaitingInput => "waiting_input",
            Self::Completed => "completed",
            Self::Ended => "ended",
        }
    }
}

/// Where the running turn stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// It has not begun.
    Fresh,
    /// It waits for the client.
    Listening { wait_for: WaitFor, pause: Pause },
    /// It waits to know the risk of what was said.
    Perceiving(Box<Hearing>),
    /// It waits for a model.
    Calling(Box<PendingCall>),
    /// It is over.
    Over { status: EndStatus, reason: EndReason },
}

/// What the client did, while it is not known yet whether it is dangerous to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Hearing {
    pub(super) heard: Heard,
    /// The message, where it is one.
    pub(super) line: Option<Line>,
    pub(super) wait_for: WaitFor,
    pub(super) pause: Pause,
}

/// Why a session listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pause {
    /// An action asked.
    Asked,
    /// A turn reached its bound; any input goes on where it stopped.
    Bound,
}

/// A model call that is being made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PendingCall {
    pub(super) call_no: u32,
    pub(super) attempt: u32,
    pub(super) brief: Brief,
    pub(super) blocked: Option<String>,
}

/// Something that is going on. What is above suspends what is below and gives it back where it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Activity {
    /// The script runs.
    Script {
        /// The action that runs, if one does.
        run: Option<Box<ActionRun>>,
    },
    /// The person is at acute risk: reviewed texts in fixed steps, until a clinician clears the risk.
    Crisis {
        /// How far the steps have come.
        crisis: Crisis,
    },
}

/// One level of the position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Frame {
    /// A phase.
    Phase {
        /// Which.
        id: PhaseId,
        /// The topic that was left last.
        last_topic: Option<TopicId>,
    },
    /// A topic.
    Topic {
        /// Which.
        id: TopicId,
        /// Its queue.
        plan: TopicPlan,
        /// What it has collected.
        progress: Box<TopicProgress>,
    },
}

/// A running action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionRun {
    pub(super) action: ActionId,
    pub(super) step: Step,
    /// The number of the first utterance that belongs to it.
    pub(super) since: u32,
    pub(super) round: u32,
    pub(super) off_target: u32,
    pub(super) answer: Option<Text>,
    /// The answer was not judged: the model failed, and the next one is read together with it.
    pub(super) unjudged: bool,
    pub(super) collected: BTreeMap<VariableName, Completeness>,
    pub(super) reading: Reading,
    pub(super) leaving: Option<ExitDecision>,
}

/// Where a running action stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    /// A model is to speak first; no round is open.
    Speaking,
    /// It waits for an answer.
    Asking,
    /// A model judges an answer.
    Judging,
    /// It is over but for values that a model is to extract.
    Extracting,
    /// A model works something out.
    Thinking,
}

/// What the last judged reply said about the person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Reading {
    pub(super) brief: Option<Text>,
    pub(super) progress: Option<Progress>,
    pub(super) blocked_by: Option<BlockedBy>,
    pub(super) relevance: Option<Level>,
    pub(super) cooperation: Option<Level>,
    pub(super) emotion: Option<Emotion>,
    pub(super) drift: Option<Drift>,
}

/// One utterance, as far as prompts need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its id.
    pub id: UtteranceId,
    /// Who said it.
    pub speaker: Speaker,
    /// What.
    pub text: Text,
}

/// The last round of an interactive action that was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastRound {
    /// The action.
    pub action: ActionId,
    /// The round.
    pub round: u32,
    /// The most rounds.
    pub max_rounds: u32,
    /// The decision.
    pub decision: ExitDecision,
}

impl State {
    pub(super) fn fresh(script: &Script, digest: String, now: Timestamp) -> Self {
        Self {
            session_id: None,
            digest,
            locale: script.locale,
            country: None,
            limits: script.limits,
            seq: 0,
            turn: 0,
            stage: Stage::Fresh,
            activities: vec![Activity::Script { run: None }],
            position: Vec::new(),
            last_phase: None,
            variables: VariableStore::default(),
            control: ControlContext::new(None, now),
            perception: Perception::NoText,
            thresholds: Thresholds::default(),
            held: VecDeque::new(),
            held_too_many: false,
            lines: VecDeque::new(),
            utterances: 0,
            usage: Usage::default(),
            calls_this_turn: 0,
            steps_this_turn: 0,
            attainments: BTreeMap::new(),
            last_round: None,
            waiting_since: now,
        }
    }

    /// Returns how the session stands between turns.
    pub const fn status(&self) -> Status {
        match self.stage {
            Stage::Fresh | Stage::Listening { .. } | Stage::Perceiving(_) | Stage::Calling(_) => Status::WaitingInput,
            Stage::Over { status: EndStatus::Completed, .. } => Status::Completed,
            Stage::Over { status: EndStatus::Ended, .. } => Status::Ended,
        }
    }

    /// Returns the session's id, once it has begun.
    pub const fn session_id(&self) -> Option<&SessionId> {
        self.session_id.as_ref()
    }

    /// Returns the digest of the script's text.
    pub fn script_digest(&self) -> &str {
        &self.digest
    }

    /// Returns the number of the last event.
    pub const fn last_seq(&self) -> u64 {
        self.seq
    }

    /// Returns the number of the running or last turn; the opening is 0.
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// Returns the variables.
    pub const fn variables(&self) -> &VariableStore {
        &self.variables
    }

    /// Returns what control knows and has decided.
    pub const fn control(&self) -> &ControlContext {
        &self.control
    }

    /// Returns what has been used up.
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the language of the built-in texts.
    pub const fn locale(&self) -> Locale {
        self.locale
    }

    /// Returns where the person is, if that is known.
    pub fn country(&self) -> Option<Country> {
        self.country.as_deref().and_then(|country| Country::new(country).ok())
    }

    /// Returns the id of the utterance that is said next.
    pub const fn next_utterance(&self) -> UtteranceId {
        UtteranceId::new(self.utterances + 1)
    }

    /// Returns what the words of the model that is asked now are checked against.
    pub(super) fn output_check(&self, script: &Script) -> OutputCheck {
        let is_scanned = self.control.rigidity().model().is_some_and(|columns| columns.reply_scanned);
        let risk = if is_scanned { RiskScan::On } else { RiskScan::Off };
        script.output_check.of_call(&self.canary(), risk)
    }

    /// Returns the mark that stands in every prompt of this session, and that no reply may repeat.
    pub(super) fn canary(&self) -> String {
        format!("mark-{}", self.session_id.as_ref().map_or("", SessionId::as_str))
    }

    /// Returns the plan of the running topic.
    pub fn plan(&self) -> Option<&TopicPlan> {
        self.topic().map(|(_, plan, _)| plan)
    }

    pub(super) fn run(&self) -> Option<&ActionRun> {
        self.activities.iter().rev().find_map(|activity| match activity {
            Activity::Script { run } => run.as_deref(),
            Activity::Crisis { .. } => None,
        })
    }

    pub(super) fn run_mut(&mut self) -> Option<&mut ActionRun> {
        self.activities.iter_mut().rev().find_map(|activity| match activity {
            Activity::Script { run } => run.as_deref_mut(),
            Activity::Crisis { .. } => None,
        })
    }

    pub(super) fn set_run(&mut self, new: Option<ActionRun>) {
        if let Some(Activity::Script { run }) = self.activities.last_mut() {
            *run = new.map(Box::new);
        }
    }

    /// Returns the crisis steps, while the person is at acute risk.
    pub(super) fn crisis(&self) -> Option<&Crisis> {
        match self.activities.last()? {
            Activity::Crisis { crisis } => Some(crisis),
            Activity::Script { .. } => None,
        }
    }

    pub(super) fn crisis_mut(&mut self) -> Option<&mut Crisis> {
        match self.activities.last_mut()? {
            Activity::Crisis { crisis } => Some(crisis),
            Activity::Script { .. } => None,
        }
    }

    /// Returns the messages that must be scanned before anything else, oldest first.
    pub(super) fn unscanned(&self) -> Vec<&Line> {
        let new = match &self.stage {
            Stage::Perceiving(hearing) => hearing.line.as_ref(),
            Stage::Fresh | Stage::Listening { .. } | Stage::Calling(_) | Stage::Over { .. } => None,
        };
        self.held.iter().chain(new).collect()
    }

    /// Tells whether no model may answer now: the route is high, or a message waits to be scanned.
    pub(super) fn is_guarded(&self) -> bool {
        self.control.route() == Route::High || !self.held.is_empty() || self.held_too_many
    }

    pub(super) fn phase(&self) -> Option<&PhaseId> {
        self.position.iter().find_map(|frame| match frame {
            Frame::Phase { id, .. } => Some(id),
            Frame::Topic { .. } => None,
        })
    }

    pub(super) fn topic(&self) -> Option<(&TopicId, &TopicPlan, &TopicProgress)> {
        self.position.iter().rev().find_map(|frame| match frame {
            Frame::Topic { id, plan, progress } => Some((id, plan, &**progress)),
            Frame::Phase { .. } => None,
        })
    }

    pub(super) fn topic_mut(&mut self) -> Option<(&mut TopicPlan, &mut TopicProgress)> {
        self.position.iter_mut().rev().find_map(|frame| match frame {
            Frame::Topic { plan, progress, .. } => Some((plan, &mut **progress)),
            Frame::Phase { .. } => None,
        })
    }

    /// Finds the action that runs, in the script.
    pub(super) fn running_action<'s>(&self, script: &'s Script) -> Option<&'s Action> {
        let run = self.run()?;
        let (topic, ..) = self.topic()?;
        script.topic(topic)?.action(&run.action)
    }

    pub(super) fn keep_line(&mut self, line: Line) {
        self.lines.push_back(line);
        let mut bytes: usize = self.lines.iter().map(|line| line.text.as_str().len()).sum();
        while self.lines.len() > MAX_LINES || (bytes > MAX_LINE_BYTES && self.lines.len() > 1) {
            bytes -= self.lines.pop_front().map_or(0, |line| line.text.as_str().len());
        }
    }

    /// Tells whether what the session holds has outgrown its budget. The rest of a state is bounded by its script.
    pub(super) fn is_over_budget(&self) -> bool {
        let lines: usize = self.lines.iter().map(|line| line.text.as_str().len()).sum();
        lines + self.variables.bytes() > STATE_BUDGET
    }

    /// Returns what a model may see: extraction its action's own rounds, all else the last rounds.
    pub(super) fn history_for(&self, brief: &Brief, rounds: u32) -> Vec<&Line> {
        if brief.purpose == Purpose::Extraction {
            let since = self.run().map_or(0, |run| run.since);
            return self.lines.iter().filter(|line| line.id.number() >= since).collect();
        }
        let wanted = usize::try_from(rounds).unwrap_or(usize::MAX);
        let mut answers = 0;
        let start = self.lines.iter().rposition(|line| {
            answers += usize::from(line.speaker == Speaker::User);
            answers > wanted
        });
        self.lines.iter().skip(start.map_or(0, |at| at + 1)).collect()
    }
}

impl ActionRun {
    pub(super) fn new(action: ActionId, step: Step, since: u32) -> Self {
        Self {
            action,
            step,
            since,
            round: 0,
            off_target: 0,
            answer: None,
            unjudged: false,
            collected: BTreeMap::new(),
            reading: Reading::default(),
            leaving: None,
        }
    }
}
