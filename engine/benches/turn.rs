//! What a turn costs beside the model: the whole engine in memory with a model that answers at once, the machine by
//! itself, and replay.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    sync::Arc,
};

use async_trait::async_trait;
use divan::{Bencher, black_box, counter::ItemsCount};
use steersman_domain::{
    clock::Timestamp,
    control::{ModelPermit, Thresholds},
    id::{ScriptId, SessionId},
    script::{
        Checked, Script, check,
        draft::{
            ActionDraft, DeclarationDraft, Draft, KindDraft, ModelDraft, ModelKind, OutputDraft, PhaseDraft, Span,
            Spanned, TopicDraft,
        },
    },
    session::{
        Awaiting, Basis, Input, JournalEntry, ModelAnswer, ModelOutcome, ModelVoice, Scanned, Session, SessionEvent,
        Start, State, replay,
    },
    utterance::Text,
};
use steersman_engine::{
    Engine, Limits, Parts, Principal, Recording,
    memory::MemoryStore,
    ports::{
        ClientInput, Completion, Conversation, Deltas, FixedClock, IdSource, LanguageModel, LibraryError, MessageId,
        ModelError, Open, Opening, PinnedScript, ScriptEntry, ScriptLibrary, ServerFrame, Sessions,
    },
    prompts::PromptSet,
    turn::Prompt,
};
use tokio::runtime::{Builder, Runtime};

/// A reply of ordinary length, with a value, an assessment and a Chinese sentence.
const REPLY: &str = r#"{"reply": "谢谢你告诉我。那么一周里大概有几个晚上会这样？", "EXIT": false, "BRIEF": "睡不好", "variables": {"frequency": "经常"}, "progress": "continue_needed", "reply_relevance": "high", "cooperation": "high", "emotion": {"label": "累", "intensity": 4}, "assessment": {"understanding_level": 60, "has_questions": false}, "should_exit": false}"#;
const ANSWER: &str = "最近三个星期都睡不好，夜里两三点醒来就再也睡不着了。";
/// The turns of one question.
const ROUNDS: u32 = 90;

fn main() {
    divan::main();
}

/// One message through the engine: inbox, machine, prompt, model, reader, machine, commit, frames.
#[divan::bench(sample_count = 100, sample_size = ROUNDS)]
fn engine_turn(bencher: Bencher<'_, '_>) {
    turns(bencher, Recording::None);
}

/// The same while prompts and replies are recorded, as `play` does by default.
#[divan::bench(sample_count = 100, sample_size = ROUNDS)]
fn engine_turn_recorded(bencher: Bencher<'_, '_>) {
    turns(bencher, Recording::Full);
}

/// The decisions of one turn alone: an answer and the reply to it.
#[divan::bench]
fn machine_turn(bencher: Bencher<'_, '_>) {
    let session = played(10).0;
    let at = Timestamp::EPOCH;
    bencher.with_inputs(|| session.clone()).bench_values(|mut session| {
        let heard = session.apply(Input::Say { text: ANSWER.into() }, at).expect("it waits for words");
        let answer = answer(&session).expect("it asks the model");
        let judged = session.apply(answer, at).expect("it waits for the answer");
        (heard, judged, session)
    });
}

/// The snapshot of one turn, written as a store does it.
#[divan::bench]
fn snapshot(bencher: Bencher<'_, '_>) {
    let session = played(10).0;
    let bytes = serde_json::to_string(session.state()).expect("a state is plain data").len();
    bencher.counter(divan::counter::BytesCount::new(bytes)).bench(|| serde_json::to_string(black_box(session.state())));
}

/// A snapshot, read again as on resume.
#[divan::bench]
fn resume(bencher: Bencher<'_, '_>) {
    let written = serde_json::to_string(played(10).0.state()).expect("a state is plain data");
    bencher.bench(|| serde_json::from_str::<State>(black_box(&written)));
}

/// A journal folded through a fresh machine and compared with its events.
#[divan::bench(args = [100, 1000])]
fn replay_turns(bencher: Bencher<'_, '_>, turns: u32) {
    let (session, journal, events) = played(turns);
    let script = Arc::clone(session.script());
    bencher
        .counter(ItemsCount::new(events.len()))
        .with_inputs(|| (journal.clone(), events.clone()))
        .bench_values(|(journal, events)| replay(Arc::clone(&script), "digest", journal, events));
}

fn turns(bencher: Bencher<'_, '_>, recording: Recording) {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime can be built");
    let open = RefCell::new(conversation(&runtime, recording));
    let sent = Cell::new(0);
    let next = || {
        let number: u32 = sent.get();
        if number.is_multiple_of(ROUNDS) {
            open.replace(conversation(&runtime, recording)); // A question has no more rounds than that.
        }
        sent.set(number + 1);
        MessageId::new(number.to_string()).expect("digits are an id")
    };
    bencher.with_inputs(next).bench_local_values(|id| {
        let conversation = &mut *open.borrow_mut();
        conversation.requests.send(ClientInput::Say { id, text: ANSWER.into() }).expect("the inbox is empty");
        runtime.block_on(finish(conversation))
    });
}

fn conversation(runtime: &Runtime, recording: Recording) -> Conversation {
    let script = PinnedScript { script: Arc::new(script(1)), digest: "digest".into(), source: "".into() };
    let store = Arc::new(MemoryStore::default());
    let engine = Engine::new(Parts {
        detector: None,
        thresholds: Thresholds::default(),
        model: Arc::new(InstantModel),
        store: Arc::clone(&store) as _,
        records: store,
        scripts: Arc::new(Only(script.clone())),
        clock: Arc::new(FixedClock(Timestamp::EPOCH)),
        ids: Arc::new(OneId),
        prompts: PromptSet::shipped(),
        limits: Limits::default(),
        recording,
    });
    let open = Open {
        script: script.script.id.clone(),
        version: None,
        subject: None,
        locale: None,
        country: None,
        variables: BTreeMap::new(),
    };
    runtime.block_on(async {
        let mut conversation =
            engine.open(&Principal::local(), Opening::Start(Box::new(open))).await.expect("the script is there");
        finish(&mut conversation).await;
        conversation
    })
}

async fn finish(conversation: &mut Conversation) -> u64 {
    loop {
        match conversation.frames.next().await.expect("the conversation goes on") {
            ServerFrame::TurnFinished(finished) => return finished.last_seq,
            ServerFrame::TurnError { error, .. } => panic!("{error}"),
            ServerFrame::Delta { .. }
            | ServerFrame::Retracted { .. }
            | ServerFrame::Events(_)
            | ServerFrame::Draining => {}
        }
    }
}

/// Plays that many turns on the bare machine.
fn played(turns: u32) -> (Session, Vec<JournalEntry>, Vec<SessionEvent>) {
    let at = Timestamp::EPOCH;
    let mut session = Session::new(Arc::new(script(turns / ROUNDS + 1)), "digest", at);
    let (mut journal, mut events) = (Vec::new(), Vec::new());
    let mut put = |session: &mut Session, input: Input| {
        events.extend(session.apply(input.clone(), at).expect("it fits"));
        journal.push(JournalEntry { n: u64::try_from(journal.len()).expect("a few") + 1, at, input });
    };
    put(&mut session, start());
    for _ in 0..turns {
        put(&mut session, Input::Say { text: ANSWER.into() });
        while let Some(answer) = answer(&session) {
            put(&mut session, answer);
        }
    }
    (session, journal, events)
}

fn start() -> Input {
    Input::Start(Box::new(Start {
        session_id: SessionId::new("s1").expect("it is an id"),
        subject: None,
        locale: None,
        country: None,
        voice: ModelVoice::Model,
        variables: BTreeMap::new(),
        subject_variables: BTreeMap::new(),
        thresholds: Thresholds::default(),
        latch: None,
        basis: Basis::default(),
    }))
}

fn answer(session: &Session) -> Option<Input> {
    let call = match session.awaiting() {
        Awaiting::Model(call) => call,
        Awaiting::RiskScores(messages) => {
            return Some(Input::Scored { scans: messages.into_iter().map(Scanned::by_floor).collect() });
        }
        Awaiting::Client(_) | Awaiting::Timer(_) | Awaiting::Nothing => return None,
    };
    Some(Input::Answered(Box::new(ModelAnswer {
        call_no: call.call_no,
        attempt: call.attempt,
        outcome: ModelOutcome::Replied(REPLY.into()),
        speaker: ModelVoice::Model,
        model: "instant".to_owned(),
        tokens_in: None,
        tokens_out: None,
        latency_ms: 0,
        prompt_hash: "0".repeat(64),
        reply_hash: None,
        prompt: None,
        recorded: false,
    })))
}

/// Answers at once.
#[derive(Debug)]
struct InstantModel;

#[async_trait]
impl LanguageModel for InstantModel {
    async fn complete(&self, _: ModelPermit, _: &Prompt) -> Result<Completion, ModelError> {
        Ok(Completion { text: Text::from(REPLY), model: "instant".to_owned(), tokens_in: None, tokens_out: None })
    }

    async fn stream(&self, permit: ModelPermit, prompt: &Prompt, deltas: Deltas) -> Result<Completion, ModelError> {
        let completion = self.complete(permit, prompt).await?;
        // Nobody may be reading; the completion is what counts.
        let _unread = deltas.send(completion.text.as_str().to_owned()).await.is_err();
        Ok(completion)
    }
}

/// Every store here keeps one session.
#[derive(Debug)]
struct OneId;

impl IdSource for OneId {
    fn session_id(&self) -> SessionId {
        SessionId::new("s1").expect("it is an id")
    }
}

/// A library of one script.
#[derive(Debug)]
struct Only(PinnedScript);

#[async_trait]
impl ScriptLibrary for Only {
    async fn find(&self, _: &ScriptId, _: Option<&str>) -> Result<PinnedScript, LibraryError> {
        Ok(self.0.clone())
    }

    async fn pinned(&self, _: &str) -> Result<PinnedScript, LibraryError> {
        Ok(self.0.clone())
    }

    fn check(&self, _: &str, _: &str) -> steersman_engine::ports::Checked {
        unreachable!("nothing is checked here")
    }

    async fn publish(&self, _: &str) -> Result<PinnedScript, LibraryError> {
        unreachable!("nothing is published here")
    }

    async fn list(&self, _: Option<&(ScriptId, String)>, _: usize) -> Result<Vec<ScriptEntry>, LibraryError> {
        unreachable!("nothing is listed here")
    }
}

/// One question that goes on, after ten others that are over: what a session looks like in its middle.
fn script(questions: u32) -> Script {
    let actions = (0..10).map(|n| say(&format!("Line {n} for {{name}}."))).chain((0..questions).map(ask)).collect();
    let topic = TopicDraft {
        span: span(),
        id: words("talk"),
        title: None,
        goal: words("learn how often it happens"),
        when: None,
        note: None,
        declare: vec![],
        actions,
    };
    let phase = PhaseDraft {
        span: span(),
        id: words("main"),
        title: None,
        goal: None,
        when: None,
        note: None,
        declare: vec![],
        topics: vec![topic],
    };
    let draft = Draft {
        language: Some(Spanned::new(1, span())),
        id: words("bench"),
        locale: words("zh-CN"),
        declare: ["name", "issue", "frequency"].map(declaration).into(),
        limits: steersman_domain::script::draft::LimitsDraft {
            turns: Some(Spanned::new(10_000, span())),
            model_calls: Some(Spanned::new(100_000, span())),
            ..Default::default()
        },
        phases: vec![phase],
        ..Draft::default()
    };
    let Checked { script, defects, .. } = check(&draft, vec![]);
    script.unwrap_or_else(|| panic!("{defects:?}"))
}

fn say(text: &str) -> ActionDraft {
    ActionDraft {
        span: span(),
        id: None,
        when: None,
        note: None,
        kind: KindDraft::Say { text: words(text), wait: false },
    }
}

fn ask(number: u32) -> ActionDraft {
    let output = |name: &str| OutputDraft::Get {
        name: Spanned::new(name.to_owned(), span()),
        define: words("what it means, in the person's own words"),
        kind: None,
        scope: None,
        required: true,
    };
    let kind = KindDraft::Model(Box::new(ModelDraft {
        kind: ModelKind::Ask,
        task: words("find out how often it happens, and since when"),
        opening: words("How often does it happen?"),
        purpose: None,
        tone: words("warm"),
        role: None,
        temperature: None,
        timeout: None,
        exit: words("a frequency was given"),
        criteria: None,
        exit_sources: None,
        max_rounds: Some(Spanned::new(i64::from(ROUNDS), span())),
        outputs: vec![output("issue"), output("frequency")],
        collect: None,
    }));
    ActionDraft { span: span(), id: words(&format!("ask{number}")), when: None, note: None, kind }
}

fn declaration(name: &str) -> DeclarationDraft {
    DeclarationDraft {
        name: Spanned::new(name.to_owned(), span()),
        define: None,
        kind: None,
        value: None,
        writable: false,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what a draft says in words may be missing")]
fn words(text: &str) -> Option<Spanned<String>> {
    Some(Spanned::new(text.to_owned(), span()))
}

fn span() -> Span {
    Span::default()
}
