//! An engine over SQLite, with a model that answers at once.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use steersman_adapters::{
    db::{Creation, SqliteStore},
    host::SystemClock,
    scripts::Library,
};
use steersman_domain::{control::ModelPermit, id::SessionId, utterance::Text};
use steersman_engine::{
    Engine, Limits, Parts, Principal, Recording,
    ports::{
        ClientInput, Clock, Completion, Deltas, Frames, IdSource, LanguageModel, MessageId, ModelError, Open, Opening,
        ScriptLibrary, ServerFrame, Sessions,
    },
    prompts::PromptSet,
    turn::Prompt,
};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
};

const REPLY: &str = r#"{"reply": "谢谢你告诉我。那么一周里大概有几个晚上会这样？", "EXIT": false, "BRIEF": "睡不好", "variables": {"frequency": "经常"}, "progress": "continue_needed", "reply_relevance": "high", "cooperation": "high", "emotion": {"label": "累", "intensity": 4}, "assessment": {"understanding_level": 60, "has_questions": false}, "should_exit": false}"#;
/// What a person says.
pub(crate) const ANSWER: &str = "最近三个星期都睡不好，夜里两三点醒来就再也睡不着了。";
/// The questions of the script; each takes a hundred answers.
const QUESTIONS: usize = 110;

/// An engine over a file of its own.
pub(crate) struct House {
    pub(crate) runtime: Runtime,
    engine: Arc<Engine>,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) file: PathBuf,
    sent: AtomicU64,
}

impl House {
    pub(crate) fn open(name: &str) -> Self {
        let file = fresh(name);
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        let (engine, store) = runtime.block_on(async {
            let store = Arc::new(SqliteStore::open(&file, Creation::IfMissing).await.expect("a new file"));
            let clock: Arc<dyn Clock> = Arc::new(SystemClock);
            let library = Library::new(Arc::clone(&store) as _, Arc::clone(&clock));
            library.publish(&script()).await.expect("the script is right");
            let parts = Parts {
                detector: None,
                thresholds: steersman_domain::control::Thresholds::default(),
                model: Arc::new(InstantModel),
                store: Arc::clone(&store) as _,
                records: Arc::clone(&store) as _,
                scripts: Arc::new(library),
                clock,
                ids: Arc::new(Counted(AtomicU64::new(0))),
                prompts: PromptSet::shipped(),
                limits: Limits::default(),
                recording: Recording::None,
            };
            (Arc::new(Engine::new(parts)), store)
        });
        Self { runtime, engine, store, file, sent: AtomicU64::new(0) }
    }

    pub(crate) fn session(&self) -> SessionId {
        let open = Open {
            script: "bench".parse().expect("an id"),
            version: None,
            subject: None,
            locale: None,
            country: None,
            variables: std::collections::BTreeMap::new(),
        };
        self.runtime.block_on(async {
            let mut conversation =
                self.engine.open(&Principal::local(), Opening::Start(Box::new(open))).await.expect("it opens");
            conversation.frames.next().await.expect("the opening");
            conversation.opened.session_id
        })
    }

    /// Stays in the sessions, so that none of them is read anew for every turn.
    pub(crate) fn enter(&self, ids: &[SessionId]) -> Vec<Frames> {
        self.runtime.block_on(async {
            let mut seats = Vec::new();
            for id in ids {
                seats.push(self.engine.watch(&Principal::local(), id, None).await.expect("it is there").1);
            }
            seats
        })
    }

    /// One turn of each session, all at once.
    pub(crate) fn turns(&self, ids: &[SessionId]) {
        self.runtime.block_on(async {
            let mut running = JoinSet::new();
            for id in ids {
                let (engine, id, input) = (Arc::clone(&self.engine), id.clone(), self.message());
                running.spawn(async move { engine.submit(&Principal::local(), &id, input).await.expect("a turn") });
            }
            while running.join_next().await.is_some() {}
        });
    }

    pub(crate) fn resumed_turn(&self, id: &SessionId) {
        self.runtime.block_on(async {
            let opening = Opening::Resume { session_id: id.clone(), after_seq: None };
            let mut conversation = self.engine.open(&Principal::local(), opening).await.expect("it is there");
            conversation.requests.send(self.message()).expect("there is room");
            while !matches!(conversation.frames.next().await.expect("it goes on"), ServerFrame::TurnFinished(_)) {}
        });
    }

    fn message(&self) -> ClientInput {
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        ClientInput::Say { id: MessageId::new(format!("m{number}")).expect("an id"), text: ANSWER.into() }
    }

    /// Lets the file be read by others.
    pub(crate) fn leave(self) -> PathBuf {
        let Self { runtime, engine, store, file, .. } = self;
        runtime.block_on(async {
            engine.drain().await;
            store.close().await.expect("it closes");
        });
        file
    }
}

fn script() -> String {
    let mut script = "steersman: 1\nscript: bench\nlocale: zh-CN\nlimits: {turns: 10000, model_calls: 100000}\n\
                      declare: [{var: frequency}]\nphases:\n  - phase: main\n    topics:\n      - topic: talk\n        \
                      goal: 了解多久一次\n        actions:\n"
        .to_owned();
    for question in 0..QUESTIONS {
        writeln!(
            script,
            "          - {{id: ask{question}, ai_ask: 了解多久发生一次, opening: 多久会有一次？, max_rounds: 100, \
             output: [{{get: frequency, define: 多久一次}}]}}"
        )
        .expect("a string takes it");
    }
    script
}

/// Returns a file that is not there yet.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-store");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("{name}.db"));
    for ending in ["", "-wal", "-shm", ".lock"] {
        let _none = fs::remove_file(format!("{}{ending}", file.display())).is_ok();
    }
    file
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
        drop(deltas);
        self.complete(permit, prompt).await
    }
}

/// Ids as long as those of sessions.
#[derive(Debug)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn session_id(&self) -> SessionId {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        SessionId::new(format!("01980000-0000-7000-8000-{number:012}")).expect("an id")
    }
}
