//! A person at acute risk, a detector that does not answer, a clinician who clears: played through the machine itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{collections::BTreeMap, sync::Arc};

use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestRunner};
use serde_json::{Value as Json, json};
use steersman_domain::{
    clock::Timestamp,
    control::{
        Clearance, Latch, MessageScan, RiskScore, RiskSignal, Route, RouteReason, Score, Thresholds, UnknownReason,
        crisis::{self, CrisisText},
    },
    id::{SessionId, SubjectId},
    locale::Locale,
    script::{
        Script, check,
        draft::{
            ActionDraft, Draft, KindDraft, LimitsDraft, ModelDraft, ModelKind, PhaseDraft, Span, Spanned, TopicDraft,
            Words,
        },
    },
    session::{
        Awaiting, Basis, Input, InputRefused, ModelAnswer, ModelFault, ModelOutcome, ModelVoice, Scanned, Session,
        SessionEvent, Start, Status, WaitFor,
    },
};

const NOW: Timestamp = Timestamp::EPOCH;
/// Conversations that are made up.
const CASES: u32 = 10_000;
const ACUTE: &str = "I am going to kill myself tonight";
const REPLY: &str = r#"{"reply": "Tell me more."}"#;

/// Two questions that a model asks, at most `turns` turns.
fn script(turns: i64) -> Arc<Script> {
    let span = Span::default();
    let words = |text: &str| -> Words { Some(Spanned::new(text.to_owned(), span)) };
    let ask = |id: &str| ActionDraft {
        span,
        id: words(id),
        when: None,
        note: None,
        kind: KindDraft::Model(Box::new(ModelDraft {
            kind: ModelKind::Ask,
            task: words("find out how the person sleeps; the nurse answers at 0800 555 0199"),
            opening: words("How do you sleep?"),
            purpose: None,
            tone: None,
            role: None,
            temperature: None,
            timeout: None,
            exit: None,
            criteria: None,
            exit_sources: None,
            max_rounds: Some(Spanned::new(50, span)),
            outputs: Vec::new(),
            collect: None,
        })),
    };
    let topic = TopicDraft {
        span,
        id: words("talk"),
        title: None,
        goal: None,
        when: None,
        note: None,
        declare: Vec::new(),
        actions: vec![ask("first"), ask("second")],
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
    let draft = Draft {
        language: Some(Spanned::new(1, span)),
        id: words("safety"),
        locale: words("en"),
        limits: LimitsDraft { turns: Some(Spanned::new(turns, span)), ..LimitsDraft::default() },
        phases: vec![phase],
        ..Draft::default()
    };
    Arc::new(check(&draft, Vec::new()).script.expect("the script is right"))
}

/// A session with whoever answers it: a detector if there is one, and a model that says the same all the time.
struct Play {
    session: Session,
    detector: Option<Score>,
    reply: &'static str,
    /// The prompts' histories, as they were asked for.
    asked: Vec<String>,
}

impl Play {
    fn begin(turns: i64, latch: Option<Latch>) -> (Self, Vec<Json>) {
        let session = Session::new(script(turns), "digest", NOW);
        let mut play = Self { session, detector: None, reply: REPLY, asked: Vec::new() };
        let start = Start {
            session_id: SessionId::new("s1").unwrap(),
            subject: SubjectId::new("anna").ok(),
            locale: None,
            country: Some("US".to_owned()),
            voice: ModelVoice::Model,
            variables: BTreeMap::new(),
            subject_variables: BTreeMap::new(),
            thresholds: Thresholds::default(),
            latch,
            basis: Basis::default(),
        };
        let events = play.put(Input::Start(Box::new(start)));
        (play, events)
    }

    fn says(&mut self, text: &str) -> Vec<Json> {
        self.put(Input::Say { text: text.into() })
    }

    fn clears(&mut self) -> Vec<Json> {
        self.put(Input::ClearRisk { clearance: Clearance::new("Dr. Lin", "seen in person").unwrap() })
    }

    /// Feeds an input and whatever is waited for then; the state is written and read between any two inputs.
    fn put(&mut self, input: Input) -> Vec<Json> {
        let mut told: Vec<SessionEvent> = self.session.apply(input, NOW).expect("it is waited for");
        while let Some(next) = self.answer() {
            let state = serde_json::to_string(self.session.state()).unwrap();
            let state = serde_json::from_str(&state).unwrap();
            self.session = Session::restore(Arc::clone(self.session.script()), state).expect("a good state");
            told.extend(self.session.apply(next, NOW).expect("it is waited for"));
        }
        told.iter().map(|event| json!(event)).collect()
    }

    fn answer(&mut self) -> Option<Input> {
        match self.session.awaiting() {
            Awaiting::RiskScores(messages) => {
                let signal = |score| RiskSignal { score, labels: vec![], detector: "test".into(), language: None };
                let scan = |text: &str| MessageScan::of(text, self.detector.map(signal));
                let scans = messages
                    .iter()
                    .map(|line| Scanned { utterance: line.id, scan: scan(line.text.as_str()) })
                    .collect();
                Some(Input::Scored { scans })
            }
            Awaiting::Model(call) => {
                let history: Vec<&str> = call.history.iter().map(|line| line.text.as_str()).collect();
                let answer = answer((call.call_no, call.attempt), ModelOutcome::Replied(self.reply.into()));
                self.asked.push(history.join("|"));
                Some(answer)
            }
            Awaiting::Client(_) | Awaiting::Timer(_) | Awaiting::Nothing => None,
        }
    }

    fn waits_for(&self) -> Option<WaitFor> {
        match self.session.awaiting() {
            Awaiting::Client(wait_for) => Some(wait_for),
            Awaiting::RiskScores(_) | Awaiting::Model(_) | Awaiting::Timer(_) | Awaiting::Nothing => None,
        }
    }

    fn route(&self) -> Route {
        self.session.state().control().route()
    }
}

fn answer((call_no, attempt): (u32, u32), outcome: ModelOutcome) -> Input {
    Input::Answered(Box::new(ModelAnswer {
        call_no,
        attempt,
        outcome,
        speaker: ModelVoice::Model,
        model: "test".to_owned(),
        tokens_in: None,
        tokens_out: None,
        latency_ms: 0,
        prompt_hash: String::new(),
        reply_hash: None,
        prompt: None,
        recorded: false,
    }))
}

fn reviewed(which: CrisisText) -> String {
    crisis::text(which, Locale::En, "US".parse().ok().as_ref())
}

/// Returns the types of the events in order, without what every turn has.
fn types(events: &[Json]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).filter(|kind| *kind != "waiting").collect()
}

fn said(events: &[Json]) -> Vec<(&str, &str)> {
    let spoken = events.iter().filter(|event| event["type"] == "utterance" && event["role"] == "assistant");
    spoken.map(|event| (event["source"].as_str().unwrap(), event["text"].as_str().unwrap())).collect()
}

#[test]
fn at_acute_risk_the_reviewed_text_comes_and_the_running_action_ends_for_safety() {
    let (mut play, _) = Play::begin(50, None);
    play.says("badly");
    let events = play.says(ACUTE);
    let kinds = ["utterance", "risk_scored", "route_changed", "exit_decided", "action_finished", "utterance"];
    assert_eq!(types(&events), kinds);
    assert_eq!(events[1]["class"], "must_catch");
    assert_eq!((&events[2]["from"], &events[2]["to"]), (&json!("low"), &json!("high")));
    assert_eq!((&events[3]["source"], &events[4]["outcome"]), (&json!("safety"), &json!("safety")));
    assert_eq!(said(&events), [("crisis", reviewed(CrisisText::Opening).as_str())]);
    assert_eq!(play.waits_for(), Some(WaitFor::Ack));
    let position = play.session.position().unwrap();
    assert_eq!(position.action.unwrap().as_str(), "first", "the position names the suspended action");
    assert_eq!(play.session.status(), Status::WaitingInput);
}

#[test]
fn the_crisis_steps_lead_to_a_hand_off_and_no_message_reaches_a_model() {
    let (mut play, _) = Play::begin(3, None);
    play.says(ACUTE);
    let asked = play.asked.len();
    let second = play.put(Input::Acknowledge);
    assert_eq!(said(&second), [("crisis", reviewed(CrisisText::SafetyQuestion).as_str())]);
    let offered = second.iter().find(|event| event["type"] == "options_offered").unwrap();
    assert_eq!((&offered["action"], offered["choices"].as_array().unwrap().len()), (&Json::Null, 3));
    let wrong = Input::Choose { action: None, key: "fine".to_owned() };
    assert!(matches!(play.session.clone().apply(wrong, NOW), Err(InputRefused::UnknownChoice { .. })));
    let third = play.put(Input::Choose { action: None, key: "not_safe".to_owned() });
    assert_eq!(said(&third), [("crisis", reviewed(CrisisText::ResourcesAgain).as_str())]);
    assert!(third.iter().any(|event| event["type"] == "handoff_requested" && event["reason"] == "crisis"));
    for turn in 0..20 {
        let later = play.says("are you there?");
        assert_eq!(said(&later), [("crisis", reviewed(CrisisText::FollowUp(turn)).as_str())], "no limit ends it");
    }
    assert_eq!(play.asked.len(), asked);
    assert_eq!(play.session.state().usage().turns, 0, "none of these turns is charged");
}

#[test]
fn a_clinician_clears_and_the_same_action_begins_again_with_the_next_message() {
    let (mut play, _) = Play::begin(50, None);
    play.says("badly");
    play.says(ACUTE);
    let cleared = play.clears();
    assert_eq!(types(&cleared), ["risk_cleared", "route_changed", "utterance"]);
    assert_eq!(said(&cleared), [("crisis", reviewed(CrisisText::Return).as_str())]);
    assert_eq!((play.route(), play.session.state().control().risk_epoch()), (Route::Low, 2));
    let events = play.says("all right");
    let started = events.iter().find(|event| event["type"] == "action_started").unwrap();
    assert_eq!(started["action"], "first");
    let round = events.iter().find(|event| event["type"] == "round_started").unwrap();
    assert_eq!(round["round"], 1);
    assert!(!play.says("three hours").is_empty());
    assert!(play.asked.last().unwrap().ends_with("three hours"), "the model speaks again");
}

#[test]
fn a_latched_subject_starts_high_and_its_script_begins_when_that_is_cleared() {
    let latch = Latch { risk_epoch: 3, reason: RouteReason::ChatRisk, since: NOW };
    let (mut play, events) = Play::begin(50, Some(latch));
    assert_eq!(types(&events), ["session_started", "disclosed", "utterance"], "disclosure first, no script");
    assert_eq!(said(&events), [("crisis", reviewed(CrisisText::Opening).as_str())]);
    assert_eq!((play.route(), play.session.state().control().risk_epoch()), (Route::High, 3));
    play.says("hello");
    assert!(play.asked.is_empty());
    play.clears();
    let events = play.says("hello again");
    assert!(types(&events).starts_with(&["utterance", "risk_scored", "phase_entered", "topic_entered"]), "{events:?}");
}

#[test]
fn what_a_detector_does_not_answer_is_held_and_read_with_the_next_message_as_one_answer() {
    let (mut play, _) = Play::begin(50, None);
    play.detector = Some(Score::Unknown(UnknownReason::Timeout));
    let events = play.says("I wake at two");
    assert_eq!(types(&events), ["utterance", "risk_scored", "utterance"]);
    assert_eq!(
        (&events[1]["score"], &events[1]["unknown"], &events[1]["floor"]),
        (&Json::Null, &json!("timeout"), &json!(0.0))
    );
    assert_eq!(said(&events), [("crisis", reviewed(CrisisText::Holding).as_str())]);
    assert_eq!(said(&play.says("still me")), [("crisis", reviewed(CrisisText::HoldingAgain).as_str())]);
    assert_eq!((play.asked.len(), play.route(), play.session.state().usage().turns), (0, Route::Low, 0));
    play.detector = Some(Score::Known(RiskScore::new(0.1).unwrap()));
    let events = play.says("and then I read");
    let scored: Vec<&Json> =
        events.iter().filter(|event| event["type"] == "risk_scored").map(|event| &event["utterance"]).collect();
    assert_eq!(scored, ["u2", "u4", "u6"], "oldest held first");
    assert_eq!(said(&events), [("model", "Tell me more.")]);
    let history = play.asked.last().unwrap();
    assert!(history.contains("I wake at two") && history.ends_with("and then I read"), "{history}");
}

#[test]
fn an_acute_message_is_never_held_and_one_that_turns_out_acute_when_it_is_scanned_goes_high() {
    let (mut play, _) = Play::begin(50, None);
    play.detector = Some(Score::Unknown(UnknownReason::Failed));
    assert_eq!(said(&play.says(ACUTE)), [("crisis", reviewed(CrisisText::Opening).as_str())], "the floor stands");
    let (mut play, _) = Play::begin(50, None);
    play.detector = Some(Score::Unknown(UnknownReason::Failed));
    play.says("you know what I will do");
    play.detector = Some(Score::Known(RiskScore::new(0.97).unwrap()));
    play.says("hello?");
    assert_eq!((play.route(), play.asked.len()), (Route::High, 0));
}

#[test]
fn the_eighth_held_message_calls_a_human_and_a_ninth_waits_for_a_clinician() {
    let (mut play, _) = Play::begin(50, None);
    play.detector = Some(Score::Unknown(UnknownReason::Failed));
    for number in 1..=8 {
        let events = play.says("hello");
        let asks = events.iter().any(|event| event["type"] == "handoff_requested");
        assert_eq!(asks, number == 8, "message {number}");
    }
    play.says("one more");
    play.detector = Some(Score::Known(RiskScore::new(0.0).unwrap()));
    let events = play.says("and now?");
    assert_eq!(said(&events), [("crisis", reviewed(CrisisText::HoldingAgain).as_str())], "one was never scanned");
    play.clears();
    assert_eq!(said(&play.says("better")), [("model", "Tell me more.")]);
}

#[test]
fn stop_and_human_words_count_at_acute_risk_too() {
    let (mut play, _) = Play::begin(50, None);
    play.says(ACUTE);
    let human = play.says("a human please");
    assert!(human.iter().any(|event| event["type"] == "handoff_requested" && event["reason"] == "person_asked"));
    assert_eq!(play.route(), Route::High);
    let stopped = play.says("stop");
    assert_eq!(said(&stopped).last(), Some(&("crisis", reviewed(CrisisText::Closing).as_str())));
    assert_eq!(play.session.status(), Status::Ended);
    assert!(play.session.state().control().latch().is_some(), "it stays until somebody clears it");
    let cleared = play.clears();
    assert_eq!(types(&cleared), ["risk_cleared", "route_changed"], "also of a session that is over");
    assert_eq!(play.session.state().control().latch(), None);
}

#[test]
fn a_reply_that_is_not_fit_to_be_shown_is_a_fault_and_its_values_are_dropped() {
    let (mut play, _) = Play::begin(50, None);
    for (reply, reason) in [
        (r#"{"reply": "Call 555-867-5309 now.", "EXIT": true}"#, "phone_number"),
        (r#"{"reply": "I am a real person, trust me.", "EXIT": true}"#, "claims_human"),
        (r#"{"reply": "My instructions say mark-s1.", "EXIT": true}"#, "prompt_canary"),
    ] {
        play.reply = reply;
        let events = play.says("badly");
        let blocked: Vec<&Json> =
            events.iter().filter(|event| event["type"] == "reply_blocked").map(|event| &event["reason"]).collect();
        assert_eq!(blocked, [reason, reason, reason], "each attempt");
        assert_eq!(said(&events).first().map(|(source, _)| *source), Some("fallback"));
        assert!(!events.iter().any(|event| event["type"] == "exit_decided"), "its exit is dropped");
    }
    play.reply = r#"{"reply": "The nurse answers at 0800 555 0199."}"#;
    assert_eq!(said(&play.says("badly"))[0].0, "model", "a number of the script's own is allowed");
}

#[test]
fn a_turn_that_is_broken_off_shows_nothing_and_the_next_message_follows() {
    let (mut play, _) = Play::begin(50, None);
    let mut events = play.session.apply(Input::Say { text: "badly".into() }, NOW).unwrap();
    let Some(scored) = play.answer() else { panic!("the message is scanned") };
    events.extend(play.session.apply(scored, NOW).unwrap());
    let Awaiting::Model(call) = play.session.awaiting() else { panic!("a model is asked") };
    let broken = answer((call.call_no, call.attempt), ModelOutcome::Failed(ModelFault::Preempted));
    let events: Vec<Json> = play.session.apply(broken, NOW).unwrap().iter().map(|event| json!(event)).collect();
    assert_eq!(said(&events), []);
    let codes: Vec<&Json> = events.iter().filter(|event| event["type"] == "issue").map(|e| &e["code"]).collect();
    assert_eq!(codes, ["model_fault", "turn_preempted"]);
    assert_eq!(said(&play.says(ACUTE)), [("crisis", reviewed(CrisisText::Opening).as_str())]);
    play.clears();
    play.says("I am back");
    assert_eq!(said(&play.says("three hours")), [("model", "Tell me more.")]);
}

#[test]
fn scans_of_other_messages_are_refused() {
    let (mut play, _) = Play::begin(50, None);
    play.session.apply(Input::Say { text: "badly".into() }, NOW).unwrap();
    assert_eq!(play.session.apply(Input::Scored { scans: vec![] }, NOW), Err(InputRefused::UnexpectedScan));
    assert_eq!(play.session.apply(Input::Say { text: "x".into() }, NOW), Err(InputRefused::TurnRunning));
    let Some(scored) = play.answer() else { panic!("the message is scanned") };
    play.session.apply(scored.clone(), NOW).unwrap();
    assert_eq!(play.session.apply(scored, NOW), Err(InputRefused::UnexpectedScan));
}

/// What may happen next in a conversation.
#[derive(Debug, Clone)]
enum Step {
    Says(&'static str, Option<Score>),
    Acknowledges,
    Chooses(&'static str),
    AsksForHuman,
    Clears,
}

fn step() -> impl Strategy<Value = Step> {
    let texts = select(vec![
        "I sleep badly",
        "fine, thanks",
        "",
        "我很累",
        ACUTE,
        "我想自杀",
        "I wish I were dead",
        "nothing helps any more",
        "I feel hopeless",
        "my friend killed himself",
        "no",
        "2",
    ]);
    let known = select(vec![0.0, 0.5, 0.7, 0.85, 0.97]).prop_map(|score| Score::Known(RiskScore::new(score).unwrap()));
    let detector = prop_oneof![
        3 => Just(None),
        3 => known.prop_map(Some),
        1 => Just(Some(Score::Unknown(UnknownReason::Failed))),
    ];
    prop_oneof![
        12 => (texts, detector).prop_map(|(text, detector)| Step::Says(text, detector)),
        2 => Just(Step::Acknowledges),
        2 => select(vec!["alone", "not_safe", "with_someone"]).prop_map(Step::Chooses),
        1 => Just(Step::AsksForHuman),
        1 => Just(Step::Clears),
    ]
}

#[test]
fn whatever_is_said_and_whatever_fails_high_never_reaches_a_model_and_nothing_but_a_clinician_lowers_it() {
    let replies = select(vec![REPLY, "", "prose", r#"{"reply": "I am human"}"#, r#"{"reply": "ok", "EXIT": true}"#]);
    let config = ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() };
    let outcome = TestRunner::new(config).run(&(vec(step(), 1..9), replies), |(steps, reply)| {
        let (mut play, _) = Play::begin(200, None);
        play.reply = reply;
        for step in steps {
            let before = play.route();
            let asked = play.asked.len();
            let input = match step {
                Step::Says(text, detector) => {
                    play.detector = detector;
                    Input::Say { text: text.into() }
                }
                Step::Acknowledges => Input::Acknowledge,
                Step::Chooses(key) => Input::Choose { action: None, key: key.to_owned() },
                Step::AsksForHuman => Input::RequestHuman,
                Step::Clears => Input::ClearRisk { clearance: Clearance::new("Dr. Lin", "seen").unwrap() },
            };
            if play.session.would_take(&input).is_err() {
                continue;
            }
            let cleared = matches!(input, Input::ClearRisk { .. });
            let events = play.put(input);
            let after = play.route();
            prop_assert!(cleared || after >= before, "the route fell without a clinician");
            prop_assert!(after != Route::High || play.asked.len() == asked, "a model was asked at high");
            for event in events.iter().filter(|event| event["type"] == "utterance" && event["source"] == "crisis") {
                prop_assert!(crisis::is_reviewed(event["text"].as_str().unwrap(), Locale::En), "{event}");
            }
            let held = events.iter().any(|event| event["type"] == "risk_scored" && !event["unknown"].is_null());
            prop_assert!(!held || play.asked.len() == asked, "a model was asked while a score was unknown");
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
