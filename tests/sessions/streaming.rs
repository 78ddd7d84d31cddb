//! Words as they arrive: provisional, named after the utterance they become, taken back when they come to nothing.

use steersman_domain::session::{EventBody, ModelFault, SessionEvent, UtteranceSource};
use steersman_engine::{
    ports::{ServerFrame, TurnError},
    testkit::{Said, ScriptedModel},
};
use steersman_tests::stage::{Seen, Setting, Stage, script};

use crate::stand_ins::{FullStore, QuietModel};

const ASK: &str = "steersman: 1\nscript: demo\nlocale: en\nphases:\n- phase: main\n  topics:\n  - topic: talk\n    actions:\n    \
    - {id: ask, ai_ask: ask how often, opening: How often?, max_rounds: 3, output: [{get: frequency}]}\n    \
    - {id: bye, ai_say: say goodbye}\n";

/// What arrived of words: `+` what is added to which utterance, `-` which is taken back, `=` what it became.
fn words(seen: &Seen) -> Vec<String> {
    let said = |event: &SessionEvent| match &event.body {
        EventBody::Utterance { id, text, source, .. } if *source != UtteranceSource::User => {
            Some(format!("={id} {}", text.as_str()))
        }
        _ => None,
    };
    let lines = |frame: &ServerFrame| match frame {
        ServerFrame::Delta { utterance_id, text } => vec![format!("+{utterance_id} {}", text.as_str())],
        ServerFrame::Retracted { utterance_id } => vec![format!("-{utterance_id}")],
        ServerFrame::Events(events) => events.iter().filter_map(|event| said(event)).collect(),
        ServerFrame::TurnFinished(_) | ServerFrame::TurnError { .. } | ServerFrame::Draining => Vec::new(),
    };
    seen.frames.iter().flat_map(lines).collect()
}

fn chunks(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_reply_arrives_in_pieces_under_the_id_it_will_have() {
    let model = ScriptedModel::new([Said::Chunks(chunks(&[
        r#"{"re"#,
        r#"ply": "How ma"#,
        r"ny ti\u006",
        r#"des?", "EXIT": fal"#,
        "se}",
    ]))]);
    let (mut stage, _) = Stage::open(&script(ASK), Setting::with(model)).await.unwrap();
    let seen = stage.say("often").await;
    assert_eq!(words(&seen), ["+u3 How ma", "+u3 ny ti", "+u3 mes?", "=u3 How many times?"]);
}

#[tokio::test(start_paused = true)]
async fn what_arrived_of_a_reply_that_breaks_off_is_taken_back_before_the_next_attempt() {
    let model = ScriptedModel::new([
        Said::CutAfter(chunks(&[r#"{"reply": "How m"#]), ModelFault::Cut),
        Said::Chunks(chunks(&[r#"{"reply": "How often, then?"}"#])),
    ]);
    let (mut stage, _) = Stage::open(&script(ASK), Setting::with(model)).await.unwrap();
    let seen = stage.say("often").await;
    assert_eq!(words(&seen), ["+u3 How m", "-u3", "+u3 How often, then?", "=u3 How often, then?"]);
}

#[tokio::test(start_paused = true)]
async fn what_arrived_before_the_fallback_is_taken_back() {
    let cut = || Said::CutAfter(chunks(&[r#"{"reply": "Hm"#]), ModelFault::Cut);
    let (mut stage, _) =
        Stage::open(&script(ASK), Setting::with(ScriptedModel::new([cut(), cut(), cut()]))).await.unwrap();
    let seen = stage.say("often").await;
    let words = words(&seen);
    assert_eq!(words[..6], ["+u3 Hm", "-u3", "+u3 Hm", "-u3", "+u3 Hm", "-u3"]);
    assert!(words[6].starts_with("=u3 Sorry"), "{words:?}");
}

#[tokio::test(start_paused = true)]
async fn values_and_thoughts_are_never_shown_while_they_arrive() {
    let yaml = ASK.replace("output: [{get: frequency}]", "output: [{get: frequency, define: how often}]");
    let model = ScriptedModel::new([
        Said::Reply(r#"{"reply": "Thanks.", "EXIT": true}"#.to_owned()),
        Said::Chunks(chunks(&[r#"{"reply": "secret", "variables": {"frequency": "x"}}"#])),
        Said::Chunks(chunks(&[r#"{"reply": "Bye."}"#])),
    ]);
    let (mut stage, _) = Stage::open(&script(&yaml), Setting::with(model)).await.unwrap();
    assert_eq!(words(&stage.say("often").await), ["+u4 Bye.", "=u3 Thanks.", "=u4 Bye."]);
}

#[tokio::test(start_paused = true)]
async fn words_of_a_turn_that_could_not_be_kept_are_taken_back() {
    let model = ScriptedModel::new([Said::Chunks(chunks(&[r#"{"reply": "How many times?"}"#]))]);
    let store = FullStore::after(1);
    let setting = Setting { store: store.clone(), ..Setting::with(model) };
    let (mut stage, _) = Stage::open(&script(ASK), setting).await.unwrap();
    let seen = stage.say("often").await;
    assert!(matches!(seen.outcome, Err(TurnError::StoreUnavailable)));
    assert_eq!(words(&seen), ["+u3 How many times?", "-u3"]);
}

#[tokio::test(start_paused = true)]
async fn words_of_a_turn_in_which_a_later_call_has_nothing_to_say_are_taken_back() {
    let model = QuietModel::after([r#"{"reply": "Thanks.", "EXIT": true, "variables": {"frequency": "x"}}"#]);
    let (mut stage, _) = Stage::open(&script(ASK), Setting::with(model)).await.unwrap();
    let seen = stage.say("often").await;
    assert!(matches!(seen.outcome, Err(TurnError::ModelExhausted(_))));
    assert_eq!(words(&seen), ["+u3 Thanks.", "-u3"]);
    assert_eq!(stage.view().await.usage.turns, 0);
}
