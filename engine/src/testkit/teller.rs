//! Tells a session turn by turn, as a session task would commit it, without an engine around it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use steersman_domain::{
    clock::Timestamp,
    control::Thresholds,
    id::{SessionId, SubjectId},
    script::{
        Script, check,
        draft::{
            ActionDraft, Draft, KindDraft, LimitsDraft, ModelDraft, ModelKind, PhaseDraft, Span, Spanned, TopicDraft,
            Words,
        },
    },
    session::{
        Awaiting, Basis, Input, JournalEntry, ModelAnswer, ModelOutcome, ModelVoice, Scanned, Session, SessionEvent,
        Start,
    },
    variable::{Value, VariableName},
};

use crate::{
    Principal, TenantId, chain,
    ports::{
        ChainedEvent, KeptAnswer, LatchChange, MessageId, OutboxItem, RecordKind, RequestKey, ServedBy, SessionRecord,
        TurnCommit, TurnFinished,
    },
};

/// The questions of a told session, each with the most rounds that one may have.
const QUESTIONS: usize = 20;
const ROUNDS: i64 = 100;

/// Tells one session. A clone tells the same session from here on in another way, as a second writer does.
#[derive(Debug, Clone)]
pub struct Teller {
    /// Whose session it is.
    pub tenant: TenantId,
    /// The session.
    pub id: SessionId,
    /// The version that the next commit expects.
    pub version: u64,
    /// The ownership under which the next commit is written.
    pub owner_epoch: u64,
    /// What the next commits keep for the subject.
    pub for_subject: BTreeMap<VariableName, Value>,
    /// What the next commits do to the subject's latch.
    pub for_latch: LatchChange,
    subject: Option<SubjectId>,
    session: Session,
    at: Timestamp,
    chain: String,
    last_input: u64,
}

impl Teller {
    /// Tells a session of nobody in particular that begins at the epoch.
    pub fn new(id: &str) -> Self {
        Self::of(id, "told", None, Timestamp::EPOCH)
    }

    /// Tells a session of this script about this subject that begins then.
    pub fn of(id: &str, script: &str, subject: Option<&str>, at: Timestamp) -> Self {
        Self {
            tenant: Principal::local().tenant,
            id: SessionId::new(id).expect("tests give ids"),
            version: 0,
            owner_epoch: 1,
            for_subject: BTreeMap::new(),
            for_latch: LatchChange::Keep,
            subject: subject.map(|subject| SubjectId::new(subject).expect("tests give subjects")),
            session: Session::new(Arc::new(conversation(script)), chain::digest(script), at),
            at,
            chain: chain::ROOT.to_owned(),
            last_input: 0,
        }
    }

    /// Opens the session.
    pub fn opens(&mut self) -> TurnCommit {
        let start = Start {
            session_id: self.id.clone(),
            subject: self.subject.clone(),
            locale: None,
            country: None,
            voice: ModelVoice::Model,
            variables: BTreeMap::new(),
            subject_variables: BTreeMap::new(),
            thresholds: Thresholds::default(),
            latch: None,
            basis: Basis::default(),
        };
        self.turn(None, Input::Start(Box::new(start)))
    }

    /// The person says something under this message id, and a model answers.
    pub fn says(&mut self, message: &str, text: &str) -> TurnCommit {
        self.turn(Some(message), Input::Say { text: text.into() })
    }

    /// The person asks for a human.
    pub fn asks_for_a_human(&mut self, message: &str) -> TurnCommit {
        self.turn(Some(message), Input::RequestHuman)
    }

    /// The client stops the session.
    pub fn stops(&mut self, message: &str) -> TurnCommit {
        self.turn(Some(message), Input::Stop)
    }

    /// What a model answered to a call in the turn after the last one told.
    pub fn answer(&self, call_no: u32, reply: &str) -> KeptAnswer {
        KeptAnswer {
            tenant: self.tenant.clone(),
            session_id: self.id.clone(),
            owner_epoch: self.owner_epoch,
            turn: self.session.state().turn() + 1,
            answer: answer(call_no, 1, reply),
        }
    }

    /// Goes on from what the store has given: its ownership, and its session.
    pub fn goes_on(&mut self, record: SessionRecord) {
        self.owner_epoch = record.owner_epoch;
        self.version = record.version;
        self.chain = record.chain;
        self.last_input = record.last_input;
        let state = record.state.expect("the state can be read");
        self.session = Session::restore(Arc::clone(self.session.script()), state).expect("it was a good state");
    }

    /// Returns the chain up to and with the last event told.
    pub fn chain(&self) -> &str {
        &self.chain
    }

    fn turn(&mut self, message: Option<&str>, input: Input) -> TurnCommit {
        self.at = self.at.plus(Duration::from_secs(1));
        let request = message.map(|message| RequestKey {
            message: MessageId::new(message).expect("tests give message ids"),
            body_digest: chain::digest(&serde_json::to_string(&input).expect("an input is plain data")),
        });
        let (mut journal, mut events) = (Vec::new(), Vec::new());
        self.put(input, &mut journal, &mut events);
        while let Some(input) = self.answered() {
            self.put(input, &mut journal, &mut events);
        }
        let commit = TurnCommit {
            tenant: self.tenant.clone(),
            kind: RecordKind::Session,
            session_id: self.id.clone(),
            expected_version: self.version,
            owner_epoch: self.owner_epoch,
            script: self.session.script_ref(),
            at: self.at,
            result: self.finished(request.as_ref(), &events),
            request,
            journal,
            events: self.chained(events),
            snapshot: self.session.state().clone(),
            subject_variables: self.for_subject.clone(),
            latch: self.for_latch,
            outbox: Vec::new(),
        };
        self.version += 1;
        let told = commit.events.last().map(|last| OutboxItem {
            topic: "told",
            seq: last.event.seq,
            payload: last.payload.clone(),
        });
        TurnCommit { outbox: told.into_iter().collect(), ..commit }
    }

    fn put(&mut self, input: Input, journal: &mut Vec<JournalEntry>, events: &mut Vec<SessionEvent>) {
        events.extend(self.session.apply(input.clone(), self.at).expect("tests tell what fits"));
        self.last_input += 1;
        journal.push(JournalEntry { n: self.last_input, at: self.at, input });
    }

    fn answered(&self) -> Option<Input> {
        match self.session.awaiting() {
            Awaiting::Model(call) => {
                let said = r#"{"reply": "Go on, I am listening."}"#;
                Some(Input::Answered(Box::new(answer(call.call_no, call.attempt, said))))
            }
            Awaiting::RiskScores(messages) => {
                Some(Input::Scored { scans: messages.into_iter().map(Scanned::by_floor).collect() })
            }
            Awaiting::Client(_) | Awaiting::Timer(_) | Awaiting::Nothing => None,
        }
    }

    fn chained(&mut self, events: Vec<SessionEvent>) -> Vec<ChainedEvent> {
        let mut link = |event| {
            let chained = chain::link(&self.chain, event);
            self.chain.clone_from(&chained.hash);
            chained
        };
        events.into_iter().map(&mut link).collect()
    }

    fn finished(&self, request: Option<&RequestKey>, events: &[SessionEvent]) -> TurnFinished {
        TurnFinished {
            client_message_id: request.map(|request| request.message.clone()),
            status: self.session.status(),
            position: self.session.position(),
            exit_reason: None,
            exit_decision_source: None,
            durable: true,
            served_by: ServedBy::Model,
            first_seq: events.first().map_or(0, |event| event.seq),
            last_seq: self.session.state().last_seq(),
        }
    }
}

fn answer(call_no: u32, attempt: u32, reply: &str) -> ModelAnswer {
    ModelAnswer {
        call_no,
        attempt,
        outcome: ModelOutcome::Replied(reply.into()),
        speaker: ModelVoice::Model,
        model: "told".to_owned(),
        tokens_in: Some(7),
        tokens_out: None,
        latency_ms: 3,
        prompt_hash: chain::digest(reply),
        reply_hash: Some(chain::digest(reply)),
        prompt: None,
        recorded: false,
    }
}

/// Questions that go on as long as anybody answers.
fn conversation(id: &str) -> Script {
    let span = Span::default();
    let words = |text: &str| -> Words { Some(Spanned::new(text.to_owned(), span)) };
    let ask = KindDraft::Model(Box::new(ModelDraft {
        kind: ModelKind::Ask,
        task: words("listen"),
        opening: words("How are you?"),
        purpose: None,
        tone: None,
        role: None,
        temperature: None,
        timeout: None,
        exit: None,
        criteria: None,
        exit_sources: None,
        max_rounds: Some(Spanned::new(ROUNDS, span)),
        outputs: Vec::new(),
        collect: None,
    }));
    let action =
        |number| ActionDraft { span, id: words(&format!("ask{number}")), when: None, note: None, kind: ask.clone() };
    let topic = TopicDraft {
        span,
        id: words("talk"),
        title: None,
        goal: None,
        when: None,
        note: None,
        declare: Vec::new(),
        actions: (0..QUESTIONS).map(action).collect(),
    };
    let phase = PhaseDraft {
        span,
        id: words("main"),
        title: None,
        goal: None,
        when: None,
        note: None,
        declare: Vec::new(),
        topics: vec![topic],
    };
    let limits = LimitsDraft {
        turns: Some(Spanned::new(10_000, span)),
        model_calls: Some(Spanned::new(100_000, span)),
        ..LimitsDraft::default()
    };
    let draft = Draft {
        language: Some(Spanned::new(1, span)),
        id: words(id),
        locale: words("en"),
        limits,
        phases: vec![phase],
        ..Draft::default()
    };
    let checked = check(&draft, Vec::new());
    checked.script.unwrap_or_else(|| panic!("the told script is wrong: {:?}", checked.defects))
}
