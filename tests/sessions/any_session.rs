//! Any session: scripts, replies and inputs at random, and a driver that plays them on the bare machine.

use std::{fmt::Write as _, sync::Arc};

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value as Json, json};
use steersman_adapters::scripts::load;
use steersman_domain::{
    clock::Timestamp,
    id::SessionId,
    script::{Bounds, Cost, Script},
    session::{
        Awaiting, Basis, Input, JournalEntry, ModelAnswer, ModelFault, ModelOutcome, ModelVoice, Scanned, Session,
        SessionEvent, Start, WaitFor,
    },
};
use steersman_tests::stage::now;

/// Stands in everything that a person or a model says, so that a leak is found.
pub(crate) const SECRET: &str = "s3cr3t";

/// A script at random, and what is said in it.
#[derive(Debug, Clone)]
pub(crate) struct AnySession {
    pub(crate) yaml: String,
    pub(crate) said: Vec<Said>,
    pub(crate) replies: Vec<ModelOutcome>,
}

/// What a person does; where the session waits for something else, words are said instead.
#[derive(Debug, Clone)]
pub(crate) enum Said {
    Words(String),
    Choice(String),
    Notice,
    Human,
}

/// A session that was played to its end.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) session: Session,
    pub(crate) journal: Vec<JournalEntry>,
    pub(crate) events: Vec<SessionEvent>,
    pub(crate) bounds: Bounds,
}

/// Which replies and inputs there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weather {
    /// Every message is an answer and no model fails.
    Fair,
    /// Faults, garbage, blank messages, stop words, calls for a human.
    Foul,
}

impl AnySession {
    pub(crate) fn in_weather(weather: Weather) -> impl Strategy<Value = Self> {
        let limits = match weather {
            Weather::Fair => Just(Cost { turns: 10_000, model_calls: 10_000 }).boxed(),
            Weather::Foul => {
                (1..40_u32, 1..60_u32).prop_map(|(turns, model_calls)| Cost { turns, model_calls }).boxed()
            }
        };
        let said = match weather {
            Weather::Fair => fair_said().boxed(),
            Weather::Foul => prop_oneof![6 => fair_said(), 2 => foul_said()].boxed(),
        };
        let replies = match weather {
            Weather::Fair => fair_reply().boxed(),
            Weather::Foul => prop_oneof![4 => fair_reply(), 2 => foul_reply()].boxed(),
        };
        (script(), limits, vec(said, 1..12), vec(replies, 1..24)).prop_map(|(body, limits, said, replies)| {
            let Cost { turns, model_calls } = limits;
            let yaml = format!("{HEAD}limits: {{turns: {turns}, model_calls: {model_calls}}}\n{body}");
            Self { yaml, said, replies }
        })
    }

    /// Plays on the bare machine until the session is over; `look` sees the session before every input.
    ///
    /// What is said and replied begins anew when it is used up. A session that outlasts every bound is cut off.
    pub(crate) fn play(&self, mut look: impl FnMut(&Session)) -> Played {
        let loaded = load("any.yaml", self.yaml.as_bytes());
        let report = loaded.report(false);
        let script: Arc<Script> = Arc::new(loaded.script.unwrap_or_else(|| panic!("{report}\n{}", self.yaml)));
        let bounds = loaded.bounds.unwrap();
        let most = 2 + 2 * bounds.session.turns + 4 * bounds.session.model_calls; // Each message is scanned.
        let mut session = Session::new(script, "digest", now());
        let (mut journal, mut events) = (Vec::new(), Vec::new());
        let (mut said, mut replies) = (self.said.iter().cycle(), self.replies.iter().cycle());
        let mut input = Input::Start(Box::new(start()));
        for n in 1..=u64::from(most) {
            look(&session);
            let at = Timestamp::from_unix_ms(now().unix_ms() + i64::try_from(n - 1).unwrap() * 1_000);
            events.extend(session.apply(input.clone(), at).unwrap());
            journal.push(JournalEntry { n, at, input });
            input = match session.awaiting() {
                Awaiting::Model(call) => {
                    let outcome = replies.next().unwrap().clone();
                    Input::Answered(Box::new(answer((call.call_no, call.attempt), outcome)))
                }
                Awaiting::Client(wait_for) => said.next().unwrap().input(wait_for),
                Awaiting::Nothing => break,
                Awaiting::RiskScores(messages) => {
                    Input::Scored { scans: messages.into_iter().map(Scanned::by_floor).collect() }
                }
                other @ Awaiting::Timer(_) => panic!("nothing asks for {other:?} yet"),
            };
        }
        Played { session, journal, events, bounds }
    }
}

impl Said {
    fn input(&self, wait_for: WaitFor) -> Input {
        match (self, wait_for) {
            (Self::Human, _) => Input::RequestHuman,
            (Self::Choice(key), WaitFor::Choice) => Input::Choose { action: None, key: key.clone() },
            (Self::Notice, WaitFor::Ack) => Input::Acknowledge,
            (Self::Words(text), _) => Input::Say { text: text.as_str().into() },
            (Self::Choice(_) | Self::Notice, _) => Input::Say { text: SECRET.into() },
        }
    }
}

const HEAD: &str = "steersman: 1\nscript: any\nlocale: en\nglobal: [{var: place, value: here}, {var: nick, writable: true}]\n\
    declare: [{var: v0}, {var: v1, value: x}, {var: v2, type: number, value: 2}, {var: records, type: list}]\n\
    stop_words: [basta]\n";

fn start() -> Start {
    Start {
        session_id: SessionId::new("any").unwrap(),
        subject: None,
        locale: None,
        country: None,
        voice: ModelVoice::Model,
        variables: [].into(),
        subject_variables: [].into(),
        thresholds: steersman_domain::control::Thresholds::default(),
        latch: None,
        basis: Basis::default(),
    }
}

fn answer((call_no, attempt): (u32, u32), outcome: ModelOutcome) -> ModelAnswer {
    ModelAnswer {
        call_no,
        attempt,
        outcome,
        speaker: ModelVoice::Model,
        model: "any".to_owned(),
        tokens_in: Some(1),
        tokens_out: None,
        latency_ms: 3,
        prompt_hash: "p".to_owned(),
        reply_hash: None,
        prompt: Some(SECRET.into()),
        recorded: true,
    }
}

fn script() -> impl Strategy<Value = String> {
    let topic = (condition(), vec((action(), times()), 1..5));
    let phase = (condition(), vec(topic, 1..4));
    vec(phase, 1..4).prop_map(|phases| {
        let mut text = "phases:\n".to_owned();
        for (at, (when, topics)) in phases.iter().enumerate() {
            write!(
                text,
                "- phase: p{at}\n{}  declare: [{{var: v1, value: of the phase}}]\n  topics:\n",
                line("  ", *when)
            )
            .unwrap();
            for (number, (when, actions)) in topics.iter().enumerate() {
                write!(text, "  - topic: t{at}_{number}\n{}    actions:\n", line("    ", *when)).unwrap();
                for (action, times) in actions {
                    text.push_str(&format!("    - {action}\n").repeat(*times));
                }
            }
        }
        text
    })
}

/// How often the same action follows itself: mostly not, sometimes often enough to reach a bound of one turn.
fn times() -> impl Strategy<Value = usize> {
    prop_oneof![90 => Just(1), 8 => 2..12_usize, 1 => 60..70_usize]
}

fn line(indent: &str, when: Option<&'static str>) -> String {
    when.map(|when| format!("{indent}when: '{when}'\n")).unwrap_or_default()
}

fn condition() -> impl Strategy<Value = Option<&'static str>> {
    let conditions = ["exists(v0)", "v1 == \"x\"", "not (v2 > 3)", "v0 contains \"a\" or v2 <= 0"];
    option::weighted(0.25, select(conditions.to_vec()))
}

fn action() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        3 => any::<bool>().prop_map(|wait| format!("say: \"Hello {{v0}} {{place}}\", wait: {wait}")),
        2 => select(vec!["4", "null", "0"]).prop_map(|value| format!("set: v2, value: {value}")),
        1 => Just("set: v0, value: \"{v1} {nick}\"".to_owned()),
        1 => Just("show_pic: a.png, alt: \"{v1}\"".to_owned()),
        2 => (1..4_u32).prop_map(|rounds| format!("user_option: v1, ask: \"Which?\", choices: [{{x: Ex}}, {{y: Why}}], max_rounds: {rounds}")),
        3 => outputs().prop_map(|outputs| format!("ai_think: \"think about {{v0}}\", output: [{outputs}]")),
        3 => (1..4_u32, outputs(), rules()).prop_map(|(rounds, outputs, rules)| {
            let rules = if rounds > 1 { rules } else { String::new() };
            format!("ai_say: \"speak of {{v1}}\", max_rounds: {rounds}, output: [{outputs}]{rules}")
        }),
        5 => (any::<bool>(), 1..5_u32, outputs(), rules()).prop_map(|(opening, rounds, outputs, rules)| {
            let opening = if opening { ", opening: \"Well {v0}?\"" } else { "" };
            format!("ai_ask: \"ask about {{v2}}\"{opening}, max_rounds: {rounds}, output: [{outputs}]{rules}")
        }),
        1 => (1..4_u32).prop_map(|rounds| format!("ai_ask: ask who, max_rounds: {rounds}, collect: records, output: [{{get: who, define: who}}, {{get: age, type: number}}]")),
    ];
    (kind, condition()).prop_map(|(kind, when)| {
        let when = when.map(|when| format!(", when: '{when}'")).unwrap_or_default();
        format!("{{{kind}{when}}}")
    })
}

fn outputs() -> impl Strategy<Value = String> {
    let outputs = [
        "{get: v0}",
        "{get: v2, define: a number}",
        "{get: nick, define: a name, required: false}",
        "{get: free, type: boolean}",
    ];
    proptest::sample::subsequence(outputs.to_vec(), 0..=4).prop_map(|outputs| outputs.join(", "))
}

fn rules() -> impl Strategy<Value = String> {
    let criteria = [
        "",
        ", exit_criteria: {understanding_threshold: 60, has_questions: false}",
        ", exit_criteria: {min_rounds: 1}",
        ", exit_criteria: {emotion_intensity: 7}",
        ", exit_criteria: {custom_conditions: [{variable: v2, operator: \">\", value: 3}]}",
    ];
    let sources = ["", ", exit_sources: [exit_criteria]", ", exit_sources: [llm_suggestion]"];
    (select(criteria.to_vec()), select(sources.to_vec())).prop_map(|(criteria, sources)| format!("{criteria}{sources}"))
}

fn fair_said() -> impl Strategy<Value = Said> {
    let words = ["a", "{v0} {%history%}", "well, it is\nso", "Ex", "why not", "好的。", "a human being I am"];
    prop_oneof![
        4 => select(words.to_vec()).prop_map(|words| Said::Words(format!("{words} {SECRET}"))),
        1 => select(vec!["Ex", "y"]).prop_map(|word| Said::Words(word.to_owned())),
        2 => select(vec!["x", "y"]).prop_map(|key| Said::Choice(key.to_owned())),
        2 => Just(Said::Notice),
    ]
}

fn foul_said() -> impl Strategy<Value = Said> {
    let words = ["", " \u{200b}\n", "a human please", "\u{202e}...", "{"];
    prop_oneof![
        12 => select(words.to_vec()).prop_map(|words| Said::Words(words.to_owned())),
        4 => Just(Said::Human),
        1 => Just(Said::Words("Basta!".to_owned())),
    ]
}

/// A reply with words in it, for no reply without any could be shown.
fn fair_reply() -> impl Strategy<Value = ModelOutcome> {
    let values = [
        json!(null),
        json!(""),
        json!(0),
        json!(5),
        json!("7"),
        json!(false),
        json!(SECRET),
        json!([1]),
        json!({"who": SECRET}),
    ];
    let value = || option::weighted(0.4, select(values.to_vec()));
    let word = |words: &'static [&'static str]| option::weighted(0.3, select(words));
    let records = option::weighted(
        0.3,
        select(vec![json!([{"who": SECRET}, {"who": "b", "age": "x"}]), json!({"who": "c"}), json!("d")]),
    );
    let variables = (value(), value(), value(), value(), records);
    let flags = (
        option::weighted(0.5, select(vec![json!(true), json!("TRUE"), json!(false), json!("maybe"), json!(1)])),
        any::<bool>(),
    );
    let words = (
        word(&["continue_needed", "completed", "blocked", "declined", "off_topic", "odd"]),
        word(&["high", "medium", "low", "low"]),
    );
    let measures =
        (option::weighted(0.4, 0..120_u32), option::weighted(0.4, any::<bool>()), option::weighted(0.2, 0..12_u32));
    (variables, flags, words, measures, 0..12_u8).prop_map(|(variables, flags, words, measures, form)| {
        let reply = object(variables, flags, words, measures).to_string();
        ModelOutcome::Replied(
            match form {
                0 => format!("Words alone, {SECRET}."),
                1 => format!("```json\n{reply}\n```"),
                2 => format!("Here: {reply} {{smile}}"),
                3 => format!("{{\"reply\": \"{SECRET}\", \"reply\": \"twice\", \"EXIT\": true}}"),
                4 => format!("{{\"reply\": \"cut {SECRET}"),
                _ => reply,
            }
            .into(),
        )
    })
}

type Variables = (Option<Json>, Option<Json>, Option<Json>, Option<Json>, Option<Json>);

fn object(
    variables: Variables,
    (exit, suggests): (Option<Json>, bool),
    (progress, relevance): (Option<&str>, Option<&str>),
    (understands, asks, feels): (Option<u32>, Option<bool>, Option<u32>),
) -> Json {
    let (v0, v2, nick, free, records) = variables;
    let values: Map<String, Json> =
        [("v0", v0), ("v2", v2), ("nick", nick), ("free", free), ("records", records), ("route", Some(json!("high")))]
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect();
    let mut reply =
        json!({"reply": format!("So, {SECRET}?"), "variables": values, "should_exit": suggests, "BRIEF": SECRET});
    let parts = [
        ("EXIT", exit),
        ("progress", progress.map(Json::from)),
        ("reply_relevance", relevance.map(Json::from)),
        ("assessment", understands.map(|level| json!({"understanding_level": level, "has_questions": asks}))),
        ("emotion", feels.map(|intensity| json!({"label": SECRET, "intensity": intensity}))),
    ];
    for (key, value) in parts {
        if let Some(value) = value {
            reply[key] = value;
        }
    }
    reply
}

fn foul_reply() -> impl Strategy<Value = ModelOutcome> {
    let faults = [
        ModelFault::Timeout,
        ModelFault::RateLimited,
        ModelFault::Unavailable,
        ModelFault::Cut,
        ModelFault::Empty,
        ModelFault::Refused,
        ModelFault::Rejected,
        ModelFault::TurnTimeUp,
    ];
    let garbage = [
        "",
        "  \u{200b}",
        "{}",
        "[1,2]",
        "{\"reply\": \"\"}",
        "\u{0}\u{1}",
        "{\"EXIT\": true}",
        "{\"reply\": \"\\ud800\"}",
        "null",
        "{\"a\":",
    ];
    prop_oneof![
        3 => select(faults.to_vec()).prop_map(ModelOutcome::Failed),
        2 => select(garbage.to_vec()).prop_map(|text| ModelOutcome::Replied(text.into())),
        1 => Just(ModelOutcome::Replied(format!("{}{SECRET}", "[".repeat(1_000)).into())),
    ]
}
