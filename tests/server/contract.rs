//! The contract of `Sessions`, in this process and over the wire to the real binary.

use std::sync::Arc;

use steersman_adapters::{
    grpc::RemoteSessions,
    host::{SystemClock, TimeOrderedIds},
    llm::Understudy,
    scripts::Library,
};
use steersman_engine::{
    Engine, Limits, Parts, Recording,
    memory::MemoryStore,
    ports::{Clock, ScriptLibrary, ScriptShelf, Sessions},
    prompts::PromptSet,
    testkit::sessions_contract::{self, SCRIPT},
};

use crate::{
    served::{Folder, Served},
    talk::soon,
};

async fn in_process() -> Arc<dyn Sessions> {
    let store = Arc::new(MemoryStore::default());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let library = Library::new(Arc::clone(&store) as Arc<dyn ScriptShelf>, Arc::clone(&clock));
    library.publish(SCRIPT).await.unwrap();
    Arc::new(Engine::new(Parts {
        detector: None,
        thresholds: steersman_domain::control::Thresholds::default(),
        model: Arc::new(Understudy),
        store: Arc::clone(&store) as _,
        records: store,
        scripts: Arc::new(library),
        clock,
        ids: Arc::new(TimeOrderedIds),
        prompts: PromptSet::shipped(),
        limits: Limits::default(),
        recording: Recording::None,
    }))
}

async fn over_the_wire(folder: &Folder) -> (Served, Arc<dyn Sessions>) {
    folder.file("scripts/contract.yaml", SCRIPT);
    let scripts = folder.path().join("scripts");
    let served = Served::start(folder.path(), &["--scripts", scripts.to_str().unwrap(), "--llm", "offline"]);
    let sessions = RemoteSessions::connect(&format!("http://{}", served.address)).await.unwrap();
    (served, Arc::new(sessions))
}

macro_rules! contract {
    ($($case:ident)*) => {
        mod engine {
            $(#[tokio::test]
            async fn $case() {
                super::soon(super::sessions_contract::$case(&*super::in_process().await)).await;
            })*
        }

        mod wire {
            $(#[tokio::test]
            async fn $case() {
                let folder = super::Folder::new();
                let (_served, sessions) = super::over_the_wire(&folder).await;
                super::soon(super::sessions_contract::$case(&*sessions)).await;
            })*
        }
    };
}

contract! {
    a_session_is_talked_through
    a_message_sent_again_gives_what_came_of_it
    an_id_names_one_message
    whoever_comes_back_gets_what_was_missed
    a_newer_conversation_takes_the_place_of_an_older
    whoever_looks_on_takes_nobodys_place
    what_does_not_fit_is_refused_and_the_conversation_goes_on
    what_cannot_be_opened_says_why
    an_erased_session_is_gone
    a_stop_ends_the_session_for_all
}
