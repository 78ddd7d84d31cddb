//! The whole prompt of each purpose in each language, so that a change of what models are told is a decision.

use std::{fmt::Write as _, sync::Arc};

use steersman_adapters::scripts::load;
use steersman_domain::{
    clock::Timestamp,
    id::SessionId,
    session::{Awaiting, Basis, Input, ModelAnswer, ModelOutcome, ModelVoice, Scanned, Session, Start},
};
use steersman_engine::{prompts::PromptSet, turn::Prompt};

const ZH_CN: &str = include_str!("../prompts/zh-CN.yaml");
const EN: &str = include_str!("../prompts/en.yaml");

#[test]
fn what_models_are_told_in_chinese() {
    compare("zh-CN", &told(ZH_CN, &["说不好", "大概{三}次吧，{%role%}"]));
}

#[test]
fn what_models_are_told_in_english() {
    compare("en", &told(EN, &["hard to say", "about {three} times, {%role%}"]));
}

fn compare(locale: &str, told: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../prompts");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(locale, told));
}

/// Plays a script with a model that never gives a value, and writes down every prompt it is given.
fn told(script: &str, answers: &[&str]) -> String {
    let now: Timestamp = "2026-01-05T09:00:00Z".parse().expect("it is a time");
    let loaded = load("prompts.yaml", script.as_bytes());
    let mut session = Session::new(Arc::new(loaded.script.expect("it is without errors")), "digest", now);
    let start = Start {
        session_id: SessionId::new("s1").expect("it is an id"),
        subject: None,
        locale: None,
        country: None,
        voice: ModelVoice::Model,
        variables: [].into(),
        subject_variables: [].into(),
        thresholds: steersman_domain::control::Thresholds::default(),
        latch: None,
        basis: Basis::default(),
    };
    let prompts = PromptSet::shipped();
    let mut answers = answers.iter();
    let mut told = String::new();
    let mut input = Input::Start(Box::new(start));
    loop {
        session.apply(input, now).expect("the session waits for it");
        input = match session.awaiting() {
            Awaiting::Model(call) => {
                let (call_no, attempt) = (call.call_no, call.attempt);
                write(&mut told, &Prompt::write(&call, &prompts));
                Input::Answered(Box::new(answered(call_no, attempt)))
            }
            Awaiting::Client(_) => match answers.next() {
                Some(text) => Input::Say { text: (*text).into() },
                None => return told,
            },
            Awaiting::RiskScores(messages) => {
                Input::Scored { scans: messages.into_iter().map(Scanned::by_floor).collect() }
            }
            Awaiting::Timer(_) | Awaiting::Nothing => return told,
        };
    }
}

fn answered(call_no: u32, attempt: u32) -> ModelAnswer {
    let reply = r#"{"reply": "…", "EXIT": false, "reply_relevance": "low", "variables": {}}"#;
    ModelAnswer {
        call_no,
        attempt,
        outcome: ModelOutcome::Replied(reply.into()),
        speaker: ModelVoice::Model,
        model: "none".to_owned(),
        tokens_in: None,
        tokens_out: None,
        latency_ms: 0,
        prompt_hash: String::new(),
        reply_hash: None,
        prompt: None,
        recorded: false,
    }
}

fn write(told: &mut String, prompt: &Prompt) {
    let Prompt { messages, schema, temperature, max_tokens, about, .. } = prompt;
    let purpose = about.purpose.as_str();
    writeln!(told, "=== {purpose} for {}, temperature {temperature}, {max_tokens} tokens", about.action).unwrap();
    for message in messages {
        writeln!(told, "--- {:?}\n{}", message.role, message.text.as_str()).unwrap();
    }
    writeln!(told, "--- schema\n{schema}\n").unwrap();
}
