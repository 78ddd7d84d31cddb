//! What the gate promises, each under the name by which the safety document calls it. Tests only.
//!
//! `STEERSMAN_PROPERTY_CASES` raises the number of cases.

use std::time::Duration;

use proptest::{collection::vec, option, prelude::*, test_runner::TestRunner};
use serde_json::json;

use super::{ModelPermit, Perception};
use crate::{
    clock::Timestamp,
    control::{
        Assessment, Clearance, ControlContext, Evidence, Instrument, MessageRisk, RiskScore, Route, Score, Structure,
        Thresholds, TriggeredRoute, UnknownReason,
        floor::{self, RiskClass},
        referral::Answer,
        temperature,
    },
    id::SubjectId,
    locale::Locale,
};

const NOON: Timestamp = Timestamp::EPOCH;
const LEAST_CASES: u32 = 10_000;
const PERCEPTIONS: [Perception; 3] = [Perception::NoText, Perception::Unscanned, Perception::Scanned];

fn holds<S: Strategy>(name: &str, strategy: &S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    #[expect(clippy::disallowed_methods, reason = "a test may run longer when asked to")]
    let asked = std::env::var("STEERSMAN_PROPERTY_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(LEAST_CASES).max(LEAST_CASES);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(error) = TestRunner::new(config).run(strategy, property) {
        panic!("{name}: {error}");
    }
}

fn detector() -> impl Strategy<Value = Option<Score>> {
    let edges = prop::sample::select(vec![0.0, 0.699, 0.70, 0.85, 0.949, 0.95, 0.96, 1.0]);
    let known = edges.prop_map(|score| Score::Known(RiskScore::new(score).expect("it is in range")));
    option::of(prop_oneof![
        4 => known,
        1 => prop::sample::select(UnknownReason::ALL.to_vec()).prop_map(Score::Unknown),
    ])
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let floor = prop::sample::select(vec![0.0, 0.70, 0.85, 0.96]);
    let message = (floor, detector()).prop_map(|(floor, detector)| {
        Evidence::Message(MessageRisk { floor: RiskScore::new(floor).expect("it is in range"), detector })
    });
    let phq9 = vec(option::weighted(0.9, 0..=3_u8), Instrument::Phq9.items()).prop_map(|items| {
        Evidence::Assessment(Assessment::from_items(Instrument::Phq9, &items).expect("items in range"))
    });
    let trigger = prop::sample::select(vec![TriggeredRoute::Medium, TriggeredRoute::High]);
    prop_oneof![6 => message, 2 => phq9, 1 => trigger.prop_map(Evidence::FormTrigger)]
}

fn subject() -> SubjectId {
    SubjectId::new("subject").expect("a plain id")
}

fn later(minutes: usize) -> Timestamp {
    NOON.plus(Duration::from_mins(minutes as u64))
}

/// Tells whether the evidence alone, by the words of the design, makes the route high.
fn is_acute(evidence: &Evidence) -> bool {
    match evidence {
        Evidence::Message(risk) => risk.at_least().get() >= 0.95,
        Evidence::Assessment(assessment) => assessment.item9().is_some_and(|item9| item9 >= 1),
        Evidence::FormTrigger(route) => *route == TriggeredRoute::High,
    }
}

#[test]
fn high_never_reaches_a_model() {
    let course = vec((evidence(), prop::bool::weighted(0.05)), 1..12);
    holds("high_never_reaches_a_model", &(course, 0..12_usize), |(course, restarted_at)| {
        let clearance = Clearance::new("a clinician", "looked at it").expect("neither is blank");
        let mut context = ControlContext::new(Some(subject()), NOON);
        let mut high = false;
        for (minute, (piece, clear)) in course.iter().enumerate() {
            if *clear {
                context.clear_risk(&clearance, Thresholds::default(), later(minute));
                high = false;
            }
            context.raise(piece, Thresholds::default(), later(minute));
            high |= is_acute(piece);
            if minute == restarted_at {
                let kept = serde_json::to_string(&context).expect("a context can be written");
                context = serde_json::from_str(&kept).expect("a context can be read");
            }
            for perception in PERCEPTIONS {
                let permit = ModelPermit::mint(&context, perception);
                let expected = !high && perception != Perception::Unscanned;
                prop_assert_eq!(permit.is_some(), expected, "{:?} on {:?}", perception, context.route());
            }
            if high {
                prop_assert_eq!((context.route(), context.rigidity().structure()), (Route::High, Structure::Script));
                let latch = context.latch().expect("a high route is latched");
                let next = ControlContext::latched(subject(), latch, later(minute));
                let permits = PERCEPTIONS.map(|perception| ModelPermit::mint(&next, perception));
                prop_assert!(permits.iter().all(Option::is_none), "a new session of the subject starts high");
            }
        }
        Ok(())
    });
}

const CORES: [&str; 5] =
    ["I want to kill myself", "I'm going to end my life", "我想自杀", "我要结束自己的生命", "I will take my own life"];

/// A message, with whether it must be caught.
fn message() -> impl Strategy<Value = (String, bool)> {
    let around = prop::sample::select(vec![
        "The weather is nice. ",
        "Yes, okay. ",
        "好的，我参加。",
        "今天下雨。",
        "No. ",
        "He said hello. ",
        "\"ok\" ",
        "In the film it rained. ",
    ]);
    let core = option::weighted(0.4, prop::sample::select(CORES.to_vec()));
    (vec(around.clone(), 0..3), core, vec(around, 0..3), any::<bool>()).prop_map(|(before, core, after, disguised)| {
        let written = core.map_or(String::new(), |core| {
            let plain = format!("{core}. ");
            if disguised { plain.chars().flat_map(|c| [c, '\u{200b}']).collect() } else { plain }
        });
        (format!("{}{written}{}", before.concat(), after.concat()), core.is_some())
    })
}

#[test]
fn risk_precedes_reply() {
    let course = vec((message(), detector()), 1..5);
    holds("risk_precedes_reply", &(course, ".{0,40}"), |(course, noise)| {
        let mut context = ControlContext::new(None, NOON);
        let mut high = false;
        for (minute, ((text, caught), detector)) in course.iter().enumerate() {
            // What has come in gets no reply, whatever the route and however much the message agrees to something.
            prop_assert_eq!(ModelPermit::mint(&context, Perception::Unscanned), None);
            let agrees = Answer::read(text, &Locale::ALL).acceptance();
            let found = floor::scan(text).map(|finding| finding.class);
            prop_assert_eq!(found == Some(RiskClass::MustCatch), *caught, "{}", text);
            let floor = found.map_or(RiskScore::NONE, RiskClass::score);
            let risk = MessageRisk { floor, detector: *detector };
            prop_assert!(risk.at_least() >= floor, "no detector takes back what the floor found");
            context.raise(&Evidence::Message(risk), Thresholds::default(), later(minute));
            high |= *caught || is_acute(&Evidence::Message(risk));
            let permit = ModelPermit::mint(&context, Perception::after(risk));
            prop_assert_eq!(permit.is_some(), !high && !risk.holds(), "agrees: {}", agrees);
            if let Some(permit) = permit {
                prop_assert_eq!(Some(permit.columns()), context.rigidity().model(), "with the route that it raised");
                let asked = [None, Some(0.5), Some(2.0)].map(|base| permit.temperature_for(base));
                let (ceiling, lowered) = (permit.columns().temperature, temperature(0.5, context.rigid_score()));
                prop_assert_eq!(json!(asked), json!([ceiling, lowered.min(ceiling), ceiling]));
            }
        }
        // Whatever stands in a message: the scan ends, and is the same again.
        prop_assert_eq!(floor::scan(&noise), floor::scan(&noise));
        Ok(())
    });
}
