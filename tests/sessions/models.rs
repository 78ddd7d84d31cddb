//! Models behind a network, through the real adapter: every fault of every provider, and what a session makes of it.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use steersman_adapters::{
    host::install_tls,
    llm::{Address, Config, Key, Provider, RemoteModel, Tell, Trouble},
};
use steersman_domain::{
    control::output::BlockReason,
    session::{EventBody, Input, ModelFault, ModelOutcome, SessionEvent, UtteranceSource},
};
use steersman_engine::{Limits, ports::ServerFrame};
use steersman_tests::{
    fake_model::{Answer, Behaviour, FakeModel, Fault},
    stage::{Seen, Setting, Stage, script},
};

const ASK: &str = "steersman: 1\nscript: demo\nlocale: en\nphases:\n- phase: main\n  topics:\n  - topic: talk\n    actions:\n    \
    - {id: ask, ai_ask: ask how often, opening: How often?, max_rounds: 3, output: [{get: frequency}]}\n    \
    - {id: bye, say: Goodbye., wait: true}\n";
const GOOD: &str =
    r#"{"reply": "Twice a week, then — 每周两次 “so”?", "EXIT": false, "variables": {"frequency": "twice"}}"#;
const GOOD_TEXT: &str = "Twice a week, then — 每周两次 “so”?";
/// What the person says; it must show up in nothing that is told about faults.
const SECRET: &str = "every night since the fire";

/// A model server, a model that reaches it, and what was told about its faults.
struct Remote {
    server: FakeModel,
    told: Arc<Mutex<Vec<Trouble>>>,
}

impl Remote {
    /// Starts a server that answers so, and opens a session that asks it.
    async fn open(provider: Provider, answers: &[Answer], timeout: Duration) -> (Self, Stage) {
        let behaviour = Behaviour { answers: answers.to_vec(), ..Behaviour::default() };
        let server = FakeModel::start("127.0.0.1:0".parse().unwrap(), behaviour).await.unwrap();
        let address = Address::parse(&server.url(), provider).unwrap();
        let (stage, told) = open(Config {
            provider,
            model: "fake-1".to_owned(),
            address,
            key: Some(Key::new("sk-fake").unwrap()),
            timeout,
        })
        .await;
        (Self { server, told }, stage)
    }

    fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().iter().map(ToString::to_string).collect()
    }
}

/// Opens a session whose engine does not rest between attempts, unless the provider asks it to.
async fn open(config: Config) -> (Stage, Arc<Mutex<Vec<Trouble>>>) {
    install_tls();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell: Tell = {
        let told = Arc::clone(&told);
        Arc::new(move |trouble| told.lock().unwrap().push(trouble.clone()))
    };
    let model = RemoteModel::new(config, tell).unwrap();
    let limits = Limits { retry: Duration::ZERO, ..Limits::default() };
    let (stage, _) = Stage::open(&script(ASK), Setting { limits, ..Setting::with(model) }).await.unwrap();
    (stage, told)
}

/// The faults of the attempts of a session, in order.
async fn faults(stage: &Stage) -> Vec<ModelFault> {
    let fault = |input: &Input| match input {
        Input::Answered(answer) => match &answer.outcome {
            ModelOutcome::Failed(fault) => Some(*fault),
            ModelOutcome::Replied(_) => None,
        },
        _ => None,
    };
    stage.journal().await.iter().filter_map(|entry| fault(&entry.input)).collect()
}

/// The utterance that the person got, and who wrote it.
fn answer(seen: &Seen) -> (String, UtteranceSource) {
    let events = seen.events();
    let spoken = events.iter().rev().find_map(|event| match &event.body {
        EventBody::Utterance { text, source, .. } if *source != UtteranceSource::User => {
            Some((text.as_str().to_owned(), *source))
        }
        _ => None,
    });
    spoken.unwrap()
}

/// The words that arrived before the event, without those that were taken back, and how often some were.
fn arrived(seen: &Seen) -> (String, usize) {
    let (mut words, mut retractions) = (String::new(), 0);
    for frame in &seen.frames {
        match frame {
            ServerFrame::Delta { text, .. } => words.push_str(text.as_str()),
            ServerFrame::Retracted { .. } => {
                words.clear();
                retractions += 1;
            }
            ServerFrame::Events(_)
            | ServerFrame::TurnFinished(_)
            | ServerFrame::TurnError { .. }
            | ServerFrame::Draining => {}
        }
    }
    (words, retractions)
}

const PATIENT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn every_provider_s_stream_is_shown_while_it_arrives() {
    for provider in Provider::ALL {
        let (remote, mut stage) = Remote::open(provider, &[Answer::Says(GOOD.to_owned())], PATIENT).await;
        let seen = stage.say(SECRET).await;
        assert_eq!(answer(&seen), (GOOD_TEXT.to_owned(), UtteranceSource::Model), "{provider:?}");
        assert_eq!(arrived(&seen), (GOOD_TEXT.to_owned(), 0), "{provider:?}");
        let pieces = seen.frames.iter().filter(|frame| matches!(frame, ServerFrame::Delta { .. })).count();
        assert!(pieces > 3, "{provider:?}: {pieces}");
        assert_eq!(faults(&stage).await, [], "{provider:?}");
        assert!(remote.told().is_empty(), "{provider:?}: {:?}", remote.told());
        let usage = stage.view().await.usage;
        assert_eq!((usage.tokens_in, usage.tokens_out > 0), (21, true), "{provider:?}");
    }
}

/// One way to fail, and what a session makes of it when the model is well again afterwards.
struct Row {
    name: &'static str,
    fault: Fault,
    /// The fault of the attempt.
    expected: ModelFault,
    /// Whether there is another attempt.
    again: bool,
    /// Whether words were shown before.
    shown: bool,
    /// What is told, after the model's name.
    told: &'static str,
}

const fn row(name: &'static str, fault: Fault, expected: ModelFault, again: bool, told: &'static str) -> Row {
    Row { name, fault, expected, again, shown: false, told }
}

fn table() -> Vec<Row> {
    let (again, not_again) = (true, false);
    let half = |row: Row| Row { shown: true, ..row };
    let limited = Fault::RateLimited { retry_after: Some("0".to_owned()) };
    vec![
        row("429", limited, ModelFault::RateLimited, again, "asks to slow down (status 429"),
        row("500", Fault::Broken, ModelFault::Unavailable, again, "has a fault of its own (status 500"),
        row("401", Fault::BadKey, ModelFault::Rejected, not_again, "does not accept the key (status 401"),
        row("404", Fault::NoModel, ModelFault::Rejected, not_again, "knows no such model, or not at this address"),
        half(row("cut", Fault::Cut, ModelFault::Cut, again, "broke off within a reply")),
        half(row(
            "error object",
            Fault::ErrorObject,
            ModelFault::Unavailable,
            again,
            "sent an error in place of words",
        )),
        row("empty", Fault::Empty, ModelFault::Empty, again, "replied without a word"),
        half(row("tokens", Fault::OutOfTokens, ModelFault::Cut, again, "wrote more than a reply may be long")),
        row("thought", Fault::EndlessThought, ModelFault::Cut, again, "wrote more than a reply may be long"),
        row("redirect", Fault::Elsewhere, ModelFault::Rejected, not_again, "points elsewhere, and is not followed"),
        row("web page", Fault::WebPage, ModelFault::Unavailable, again, "does not speak the provider's protocol"),
    ]
}

#[tokio::test]
async fn a_fault_is_tried_again_where_that_may_help_and_leaves_no_words_behind() {
    for provider in Provider::ALL {
        for Row { name, fault, expected, again, shown, told } in table() {
            let place = format!("{provider:?}, {name}");
            let answers = [Answer::Fails(fault), Answer::Says(GOOD.to_owned())];
            let (remote, mut stage) = Remote::open(provider, &answers, PATIENT).await;
            let seen = stage.say(SECRET).await;
            assert_eq!(faults(&stage).await, [expected], "{place}");
            let (text, source) = answer(&seen);
            if again {
                assert_eq!((text.as_str(), source), (GOOD_TEXT, UtteranceSource::Model), "{place}");
                assert_eq!(arrived(&seen), (GOOD_TEXT.to_owned(), usize::from(shown)), "{place}");
            } else {
                assert_eq!(source, UtteranceSource::Fallback, "{place}");
            }
            assert_eq!(remote.server.asked().len(), 1 + usize::from(again), "{place}");
            let model = format!("{}:fake-1 {told}", provider.as_str());
            assert!(matches!(&remote.told()[..], [one] if one.starts_with(&model)), "{place}: {:?}", remote.told());
            stage.stands_by_itself().await.unwrap_or_else(|why| panic!("{place}: {why}"));
        }
    }
}

#[tokio::test]
async fn after_three_attempts_the_fallback_is_shown_and_the_round_still_open() {
    for provider in Provider::ALL {
        let answers = [Answer::Fails(Fault::Broken), Answer::Fails(Fault::Cut), Answer::Fails(Fault::Empty)];
        let (remote, mut stage) = Remote::open(provider, &answers, PATIENT).await;
        let round = stage.view().await.position.unwrap().round;
        let seen = stage.say(SECRET).await;
        let expected = [ModelFault::Unavailable, ModelFault::Cut, ModelFault::Empty];
        assert_eq!(faults(&stage).await, expected, "{provider:?}");
        assert_eq!(answer(&seen).1, UtteranceSource::Fallback, "{provider:?}");
        assert_eq!(stage.view().await.position.unwrap().round, round, "{provider:?}");
        assert_eq!(remote.server.asked().len(), 3, "{provider:?}");
    }
}

#[tokio::test]
async fn a_refusal_is_a_fault_where_the_provider_has_a_word_for_it_and_a_reply_elsewhere() {
    for provider in Provider::ALL {
        let answers = [Answer::Fails(Fault::Refusal), Answer::Says(GOOD.to_owned())];
        let (_remote, mut stage) = Remote::open(provider, &answers, PATIENT).await;
        let seen = stage.say(SECRET).await;
        let (expected, text): (&[ModelFault], _) = match provider {
            Provider::OpenAi | Provider::Anthropic | Provider::Gemini => (&[ModelFault::Refused], GOOD_TEXT),
            Provider::Ollama => (&[], "I cannot help with that."),
        };
        assert_eq!(faults(&stage).await, expected, "{provider:?}");
        assert_eq!(answer(&seen).0, text, "{provider:?}");
    }
}

#[tokio::test]
async fn an_error_object_in_place_of_a_stream_is_a_fault() {
    for provider in Provider::ALL {
        let answers = [Answer::Fails(Fault::ErrorBody), Answer::Says(GOOD.to_owned())];
        let (_remote, mut stage) = Remote::open(provider, &answers, PATIENT).await;
        let seen = stage.say(SECRET).await;
        assert_eq!(faults(&stage).await, [ModelFault::Unavailable], "{provider:?}");
        assert_eq!(answer(&seen).0, GOOD_TEXT, "{provider:?}");
    }
}

#[tokio::test]
async fn prose_is_a_reply_and_the_model_is_not_asked_again() {
    for provider in Provider::ALL {
        let prose = "I'd rather talk about the weather.";
        let (remote, mut stage) = Remote::open(provider, &[Answer::Says(prose.to_owned())], PATIENT).await;
        let seen = stage.say(SECRET).await;
        assert_eq!(answer(&seen), (prose.to_owned(), UtteranceSource::Model), "{provider:?}");
        assert_eq!((faults(&stage).await.len(), remote.server.asked().len()), (0, 1), "{provider:?}");
    }
}

#[tokio::test]
async fn a_reply_without_an_end_is_left_not_shown_and_asked_for_again() {
    for provider in Provider::ALL {
        let answers = [Answer::Fails(Fault::Endless), Answer::Says(GOOD.to_owned())];
        let (remote, mut stage) = Remote::open(provider, &answers, PATIENT).await;
        let seen = stage.say(SECRET).await;
        let blocked = |event: &SessionEvent| match &event.body {
            EventBody::ReplyBlocked { reason } => Some(*reason),
            _ => None,
        };
        let blocked: Vec<BlockReason> = seen.events().iter().filter_map(blocked).collect();
        assert_eq!((blocked, remote.server.asked().len()), (vec![BlockReason::TooLong], 2), "{provider:?}");
        assert_eq!(answer(&seen).0, GOOD_TEXT, "{provider:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_silent_is_left_when_the_time_of_a_call_is_over() {
    for provider in Provider::ALL {
        let silent = || Answer::Fails(Fault::Silent);
        let timeout = Duration::from_millis(50);
        let (remote, mut stage) = Remote::open(provider, &[silent(), silent(), silent()], timeout).await;
        let seen = stage.say(SECRET).await;
        assert_eq!(faults(&stage).await, [ModelFault::Timeout; 3], "{provider:?}");
        assert_eq!(answer(&seen).1, UtteranceSource::Fallback, "{provider:?}");
        assert!(remote.told().iter().all(|told| told.ends_with("took too long")), "{:?}", remote.told());
    }
}

#[tokio::test]
async fn a_wait_that_does_not_fit_into_the_turn_is_not_waited_for() {
    for provider in Provider::ALL {
        let limited = Answer::Fails(Fault::RateLimited { retry_after: Some("3600".to_owned()) });
        let (remote, mut stage) = Remote::open(provider, &[limited], PATIENT).await;
        let seen = stage.say(SECRET).await;
        assert_eq!(faults(&stage).await, [ModelFault::RateLimited, ModelFault::TurnTimeUp], "{provider:?}");
        assert_eq!(answer(&seen).1, UtteranceSource::Fallback, "{provider:?}");
        assert_eq!(remote.server.asked().len(), 1, "{provider:?}");
    }
}

#[tokio::test]
async fn a_server_that_nobody_runs_is_told_with_its_address() {
    // A port that was free a moment ago and that nobody listens on now.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = Address::parse(&format!("http://{address}"), Provider::OpenAi).unwrap();
    let shown = address.to_string();
    let config =
        Config { provider: Provider::OpenAi, model: "fake-1".to_owned(), address, key: None, timeout: PATIENT };
    let (mut stage, told) = open(config).await;
    let seen = stage.say(SECRET).await;
    assert_eq!(faults(&stage).await, [ModelFault::Unavailable; 3]);
    assert_eq!(answer(&seen).1, UtteranceSource::Fallback);
    let told = told.lock().unwrap()[0].to_string();
    assert!(told.starts_with(&format!("openai:fake-1 cannot reach {shown} (Connection refused")), "{told}");
}

#[tokio::test]
async fn a_reply_is_held_to_its_schema_where_there_is_such_a_thing() {
    let places = [
        (Provider::OpenAi, "/response_format/json_schema/schema/properties/reply"),
        (Provider::Anthropic, "/output_config/format/schema/properties/reply"),
        (Provider::Gemini, "/generationConfig/responseJsonSchema/properties/reply"),
        (Provider::Ollama, "/format"),
    ];
    for (provider, place) in places {
        let (remote, mut stage) = Remote::open(provider, &[Answer::Says(GOOD.to_owned())], PATIENT).await;
        stage.say(SECRET).await;
        let asked = &remote.server.asked()[0];
        assert!(asked.body.pointer(place).is_some(), "{provider:?}: {}", asked.body);
        let key = (provider != Provider::Ollama).then(|| "sk-fake".to_owned());
        assert_eq!(asked.key, key, "{provider:?}");
        assert!(asked.body.to_string().contains(SECRET), "{provider:?}");
    }
}

#[tokio::test]
async fn what_a_server_objects_to_is_left_out_at_once_and_from_then_on() {
    let objects = |complaint: &str| Answer::Fails(Fault::Objects(complaint.to_owned()));
    let answers = [
        objects("Invalid parameter: 'response_format' of type 'json_schema' is not supported"),
        objects("Unsupported value: 'temperature' does not support 0.15 with this model"),
        objects("response_format: unknown field"),
        Answer::Says(GOOD.to_owned()),
        Answer::Says(GOOD.to_owned()),
    ];
    let (remote, mut stage) = Remote::open(Provider::OpenAi, &answers, PATIENT).await;
    stage.say(SECRET).await;
    stage.say("still").await;
    assert_eq!(faults(&stage).await, []);
    assert!(remote.told().is_empty(), "{:?}", remote.told());
    let asked: Vec<(bool, bool)> = remote
        .server
        .asked()
        .iter()
        .map(|asked| (asked.body.get("response_format").is_some(), asked.body.get("temperature").is_some()))
        .collect();
    assert_eq!(asked, [(true, true), (true, true), (true, false), (false, false), (false, false)]);
}

#[tokio::test]
async fn a_request_that_is_rejected_for_anything_else_is_a_fault_at_once() {
    let complaint = Answer::Fails(Fault::Objects(format!("maximum context length exceeded by: {SECRET}")));
    let (remote, mut stage) = Remote::open(Provider::OpenAi, &[complaint], PATIENT).await;
    stage.say(SECRET).await;
    assert_eq!(faults(&stage).await, [ModelFault::Rejected]);
    assert_eq!(remote.told(), ["openai:fake-1 does not accept the request (status 400: invalid_request_error)"]);
}

#[tokio::test]
async fn names_of_models_are_sent_as_they_are() {
    let server = FakeModel::start("127.0.0.1:0".parse().unwrap(), Behaviour::default()).await.unwrap();
    let address = Address::parse(&server.url(), Provider::OpenAi).unwrap();
    let config =
        Config { provider: Provider::OpenAi, model: "qwen-max".to_owned(), address, key: None, timeout: PATIENT };
    let (mut stage, _) = open(config).await;
    stage.say(SECRET).await;
    let asked = &server.asked()[0].body;
    assert_eq!((asked["model"].as_str(), asked.get("reasoning_effort")), (Some("qwen-max"), None));
}

/// Hears every log line of this thread.
#[derive(Debug, Default)]
struct Ear(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Ear {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::Id {
        tracing::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::Id, _: &tracing::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        self.0.lock().unwrap().push(event.metadata().target().to_owned());
    }

    fn enter(&self, _: &tracing::Id) {}

    fn exit(&self, _: &tracing::Id) {}
}

#[tokio::test]
async fn what_the_client_library_logs_is_heard_by_nobody() {
    let ear = Ear::default();
    let heard = Arc::clone(&ear.0);
    let _listening = tracing::subscriber::set_default(ear);
    tracing::error!("heard");
    for provider in Provider::ALL {
        for fault in [Fault::Broken, Fault::Cut, Fault::ErrorObject, Fault::WebPage] {
            let answers = [Answer::Fails(fault), Answer::Says(GOOD.to_owned())];
            let (_remote, mut stage) = Remote::open(provider, &answers, PATIENT).await;
            stage.say(SECRET).await;
        }
    }
    let heard = heard.lock().unwrap();
    assert!(heard.iter().any(|target| target.contains("models")), "the ear is deaf");
    assert!(!heard.iter().any(|target| target.starts_with("genai")), "{heard:?}");
}
