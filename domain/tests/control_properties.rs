//! The promises of control, each under the name by which the safety document calls it; those of the gate, of which
//! only the domain has the key, are in `src/control/gate/promises.rs`.
//!
//! `STEERSMAN_PROPERTY_CASES` raises the number of cases; the number is printed with `--nocapture`.

#![expect(clippy::print_stdout, reason = "the number of cases is printed for the report")]

use std::{collections::BTreeMap, time::Duration};

use proptest::{collection::vec, option, prelude::*, test_runner::TestRunner};
use steersman_domain::{
    clock::Timestamp,
    control::{
        Assessment, Clearance, ControlContext, Evidence, HandoffReason, Instrument, MessageRisk, RiskLabel, RiskScore,
        Route, Score, Thresholds, TriggeredRoute, UnknownReason,
        crisis::{self, Country, Crisis, CrisisText, SafetyAnswer},
        questionnaire::{FillStep, Filling, Form, FormAnswer, FormDraft, FormItem, FormOption, Mode},
        referral::{Answer, MAX_PERSUASIONS, Referral, ReferralReply, ReferralState},
        rigidity, temperature,
    },
    decide::kind,
    id::SubjectId,
    locale::Locale,
    variable::{Lookup, Value},
};

const NOON: Timestamp = Timestamp::EPOCH;
const LEAST_CASES: u32 = 10_000;

/// Runs a property over at least [`LEAST_CASES`] cases.
fn holds<S: Strategy>(name: &str, strategy: &S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    #[expect(clippy::disallowed_methods, reason = "a test may run longer when asked to")]
    let asked = std::env::var("STEERSMAN_PROPERTY_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(LEAST_CASES).max(LEAST_CASES);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let outcome = TestRunner::new(config).run(strategy, property);
    println!("{name}: {cases} cases");
    if let Err(error) = outcome {
        panic!("{name}: {error}");
    }
}

fn score() -> impl Strategy<Value = RiskScore> {
    let edges = prop::sample::select(vec![0.0, 0.699, 0.70, 0.799, 0.80, 0.85, 0.949, 0.95, 0.96, 1.0]);
    prop_oneof![edges, 0.0..=1.0_f64].prop_map(|score| RiskScore::new(score).expect("it is in range"))
}

fn detector() -> impl Strategy<Value = Score> {
    prop_oneof![
        3 => score().prop_map(Score::Known),
        1 => prop::sample::select(UnknownReason::ALL.to_vec()).prop_map(Score::Unknown),
    ]
}

fn message() -> impl Strategy<Value = MessageRisk> {
    (score(), option::of(detector())).prop_map(|(floor, detector)| MessageRisk { floor, detector })
}

fn items(instrument: Instrument) -> impl Strategy<Value = Vec<Option<u8>>> {
    vec(option::weighted(0.9, 0..=3_u8), instrument.items())
}

fn assessment() -> impl Strategy<Value = Assessment> {
    let of = |instrument| {
        items(instrument).prop_map(move |items| Assessment::from_items(instrument, &items).expect("items in range"))
    };
    prop_oneof![of(Instrument::Phq9), of(Instrument::Gad7)]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    prop_oneof![
        6 => message().prop_map(Evidence::Message),
        3 => assessment().prop_map(Evidence::Assessment),
        1 => prop::sample::select(vec![TriggeredRoute::Medium, TriggeredRoute::High]).prop_map(Evidence::FormTrigger),
    ]
}

fn tightened() -> impl Strategy<Value = Thresholds> {
    (0.01..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64).prop_map(|(medium, intent, direct)| {
        let medium = 0.70 * medium;
        let intent = medium + (0.80 - medium) * intent;
        let direct = intent + (0.95 - intent) * direct;
        let [medium, intent, direct] = [medium, intent, direct].map(|score| RiskScore::new(score).ok());
        Thresholds::tightened(medium, intent, direct).expect("they are in order and below the defaults")
    })
}

fn later(minutes: usize) -> Timestamp {
    NOON.plus(Duration::from_mins(minutes as u64))
}

fn fresh() -> ControlContext {
    ControlContext::new(Some(SubjectId::new("subject").expect("a plain id")), NOON)
}

fn after(evidence: &[Evidence], thresholds: Thresholds) -> ControlContext {
    let mut context = fresh();
    for (minute, piece) in evidence.iter().enumerate() {
        context.raise(piece, thresholds, later(minute));
    }
    context
}

#[test]
fn route_never_falls_within_an_epoch() {
    let course = vec((evidence(), prop::bool::weighted(0.05)), 1..16);
    holds("route_never_falls_within_an_epoch", &(course, tightened()), |(course, thresholds)| {
        let clearance = Clearance::new("a clinician", "looked at it").expect("neither is blank");
        let mut context = fresh();
        for (minute, (piece, clear)) in course.iter().enumerate() {
            let before = (context.route(), context.rigid_score(), context.risk_epoch());
            if *clear {
                context.clear_risk(&clearance, thresholds, later(minute));
                prop_assert_eq!(context.risk_epoch(), before.2 + 1);
                prop_assert!(context.route() < Route::High, "a clinician has looked at what was acute");
                continue;
            }
            let change = context.raise(piece, thresholds, later(minute));
            context.request_handoff(HandoffReason::PersonAsked, later(minute));
            prop_assert_eq!(context.risk_epoch(), before.2);
            prop_assert!(context.route() >= before.0 && context.rigid_score() >= before.1);
            prop_assert_eq!(change.is_some(), (context.route(), context.rigid_score()) != (before.0, before.1));
            if let Some(change) = change {
                prop_assert_eq!((change.from, change.to), (before.0, context.route()));
                prop_assert_eq!(change.temperature, context.temperature());
            }
        }
        Ok(())
    });
}

#[test]
fn unknown_never_lowers() {
    let course =
        (vec(evidence(), 0..6), score(), prop::sample::select(UnknownReason::ALL.to_vec()), vec(0..9_usize, 0..9));
    holds("unknown_never_lowers", &course, |(before, floor, reason, missing)| {
        let unknown = MessageRisk { floor, detector: Some(Score::Unknown(reason)) };
        prop_assert!(unknown.holds() && unknown.at_least() == floor && unknown.score() == Score::Unknown(reason));
        let standing = after(&before, Thresholds::default());
        let mut with_unknown = standing.clone();
        with_unknown.raise(&Evidence::Message(unknown), Thresholds::default(), later(60));
        prop_assert!(with_unknown.route() >= standing.route());
        let mut with_floor = standing.clone();
        with_floor.raise(&Evidence::Message(MessageRisk::floor_only(floor)), Thresholds::default(), later(60));
        prop_assert_eq!(with_unknown.route(), with_floor.route(), "the floor stands");

        let mut items = [Some(3); 9];
        for &item in &missing {
            items[item] = None;
        }
        let partial = Assessment::from_items(Instrument::Phq9, &items).expect("items in range");
        prop_assert_eq!(partial.total().is_none(), !missing.is_empty());
        let mut with_partial = with_unknown.clone();
        with_partial.raise(&Evidence::Assessment(partial), Thresholds::default(), later(61));
        prop_assert!(with_partial.route() >= with_unknown.route());
        prop_assert!(with_partial.rigid_score() >= with_unknown.rigid_score());
        Ok(())
    });
}

#[test]
fn evidence_is_monotone() {
    let course =
        (vec(evidence(), 0..8), evidence(), 0..9_usize, message(), score(), items(Instrument::Phq9), 0..9_usize);
    holds("evidence_is_monotone", &course, |(course, more, at, risk, worse, items, item)| {
        let less = after(&course, Thresholds::default());
        let mut longer = course.clone();
        longer.insert(at.min(course.len()), more);
        let more = after(&longer, Thresholds::default());
        prop_assert!(more.route() >= less.route() && more.rigid_score() >= less.rigid_score());

        let worse_risk = MessageRisk { floor: risk.floor.max(worse), ..risk };
        let one = |risk| after(&[Evidence::Message(risk)], Thresholds::default()).route();
        prop_assert!(one(worse_risk) >= one(risk));

        let mut worse_items = items.clone();
        worse_items[item] = Some(worse_items[item].map_or(0, |value| (value + 1).min(3)));
        let of = |items: &[Option<u8>]| {
            let assessment = Assessment::from_items(Instrument::Phq9, items).expect("items in range");
            after(&[Evidence::Assessment(assessment)], Thresholds::default())
        };
        let (better, worse) = (of(&items), of(&worse_items));
        prop_assert!(worse.route() >= better.route() && worse.rigid_score() >= better.rigid_score());
        prop_assert!(worse.clinician_recommended() >= better.clinician_recommended());
        Ok(())
    });
}

#[test]
fn rigid_score_is_the_table() {
    holds("rigid_score_is_the_table", &(vec(evidence(), 0..10), tightened()), |(course, thresholds)| {
        let context = after(&course, thresholds);
        let total = context.signals().worst_total();
        let expected = match (context.route(), total) {
            (Route::Low, ..5) => (0.15, Some(0.78)),
            (Route::Low, _) => (0.30, Some(0.66)),
            (Route::Medium, ..10) => (0.50, Some(0.20)),
            (Route::Medium, ..15) => (0.60, Some(0.12)),
            (Route::Medium, _) => (0.75, Some(0.10)),
            (Route::High, _) => (1.0, None),
        };
        prop_assert_eq!(serde_json::json!([context.rigid_score(), context.temperature()]), serde_json::json!(expected));
        prop_assert_eq!(context.rigidity(), &rigidity(context.route(), total), "all columns are of one row");
        let totals = course.iter().filter_map(|piece| match piece {
            Evidence::Assessment(assessment) => Some(assessment.at_least()),
            Evidence::Message(_) | Evidence::FormTrigger(_) => None,
        });
        prop_assert_eq!(total, totals.max().unwrap_or(0), "the worst total of the epoch");
        prop_assert!(total < 10 || context.route() >= Route::Medium);
        Ok(())
    });
}

#[test]
fn item9_zero_never_lowers() {
    holds("item9_zero_never_lowers", &(vec(evidence(), 0..6), items(Instrument::Phq9)), |(before, mut items)| {
        let standing = after(&before, Thresholds::default());
        let with = |item9: Option<u8>, items: &mut Vec<Option<u8>>| {
            items[8] = item9;
            let assessment = Assessment::from_items(Instrument::Phq9, items).expect("items in range");
            let mut context = standing.clone();
            context.raise(&Evidence::Assessment(assessment), Thresholds::default(), later(60));
            context
        };
        let (zero, missing) = (with(Some(0), &mut items), with(None, &mut items));
        prop_assert!(zero.route() >= standing.route());
        prop_assert_eq!(zero.route(), missing.route(), "a missing item 9 is not estimated either");
        for item9 in 1..=3 {
            prop_assert_eq!(with(Some(item9), &mut items).route(), Route::High);
        }
        Ok(())
    });
}

struct Nothing;

impl Lookup for Nothing {
    fn value(&self, _name: &str) -> Option<Value> {
        None
    }
}

#[test]
fn totals_equal_items() {
    let case = (prop::sample::select(Instrument::ALL.to_vec()), items(Instrument::Phq9), 0..40_i64, any::<bool>());
    holds("totals_equal_items", &case, |(instrument, mut items, stated, in_one)| {
        items.truncate(instrument.items());
        let form = Form::built_in(instrument, Locale::En);
        let answered: Option<u8> = items.iter().copied().sum();
        let scored = if in_one && answered.is_some() {
            let answers: BTreeMap<String, i64> = form
                .items()
                .iter()
                .zip(&items)
                .filter_map(|(item, value)| Some((item.id.clone(), i64::from((*value)?))))
                .collect();
            form.submit(&answers).expect("all items are there and in range")
        } else {
            let mut filling = Filling::new(Mode::Verbatim);
            let mut end = None;
            for item in &items {
                let answers = match item {
                    Some(value) => vec![FormAnswer::Value(i64::from(*value))],
                    None => vec![FormAnswer::Text("whatever"), FormAnswer::Value(9)],
                };
                for answer in answers {
                    match filling.answer(form, answer, &Nothing) {
                        FillStep::Finished(scored) | FillStep::Partial(scored) => end = Some(scored),
                        FillStep::Next | FillStep::Again => {}
                    }
                }
                if end.is_some() {
                    break;
                }
            }
            end.expect("after the last item a form is over")
        };
        let sum: Option<i32> = scored.items.iter().map(|(_, value)| *value).sum();
        prop_assert_eq!(scored.total, sum);
        prop_assert_eq!(scored.items.len(), instrument.items());
        if let Some(total) = answered {
            prop_assert_eq!(scored.total, Some(i32::from(total)));
            prop_assert!(scored.band.is_some());
            let name = instrument.as_str();
            let case = serde_json::json!({format!("{name}_items"): items, format!("{name}_total"): stated});
            let decided = kind("route").expect("a kind").answer_case(case).json;
            let refused = decided["error"]["code"] == "total_mismatch";
            prop_assert_eq!(refused, stated != i64::from(total));
        } else {
            prop_assert_eq!((scored.total, scored.band), (None, None));
        }
        Ok(())
    });
}

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let said = [
        "I'm too busy",
        "people will judge me",
        "is it private?",
        "I doubt it",
        "hmm",
        "the weather is nice",
        "maybe later",
        "yes",
        "okay, I'll join",
        "yes, but I'm busy",
        "no",
        "I don't want to join",
        "stop asking",
        "我不想参加",
        "好的",
        "我怕丢人",
        "没时间",
        "I'm not sure",
        "",
        "why?",
    ];
    let read: Vec<Answer> = said.iter().map(|message| Answer::read(message, &Locale::ALL)).collect();
    vec(prop::sample::select(read), 0..24)
}

#[test]
fn persuasion_never_exceeds_cap_and_stops_at_refusal() {
    let case = (answers(), 0..9_u32, vec(any::<bool>(), 24), 0..24_usize);
    holds("persuasion_never_exceeds_cap_and_stops_at_refusal", &case, |(messages, asked, delivered, interrupt)| {
        let cap = asked.min(MAX_PERSUASIONS);
        let mut referral = Referral::new(asked);
        let (mut given, mut offered) = (0, false);
        let mut refused = false;
        for (turn, answer) in messages.iter().enumerate() {
            prop_assert!(!(answer.acceptance() && (answer.refusal() || answer.resistance().is_some())));
            if turn == interrupt {
                referral.interrupt();
            }
            let step = referral.step(answer);
            if turn >= interrupt {
                prop_assert_eq!(step.reply, ReferralReply::None, "going high ends it");
                continue;
            }
            if !offered {
                prop_assert_eq!(step.reply, ReferralReply::Offer, "answers count only after an offer");
            } else if answer.refusal() && !refused {
                let open = !matches!(step.from, ReferralState::Rejected | ReferralState::ProvidingResources);
                prop_assert!(
                    !open || (step.state == ReferralState::Rejected && step.reply == ReferralReply::Resources)
                );
            }
            refused |= offered && answer.refusal();
            let reopened = step.state == ReferralState::Accepted;
            prop_assert!(!refused || step.reply != ReferralReply::Persuade, "nobody is persuaded after a no");
            prop_assert!(!refused || reopened || step.reply != ReferralReply::Offer);
            let shown = delivered[turn];
            if !shown {
                referral.undelivered(&step);
            }
            given += u32::from(shown && step.reply == ReferralReply::Persuade);
            offered |= shown && step.reply == ReferralReply::Offer;
            prop_assert_eq!(referral.persuasions(), given, "only what was given counts");
            prop_assert!(given <= cap && step.persuasions <= cap);
            let kept = serde_json::to_string(&referral).expect("it can be written");
            referral = serde_json::from_str(&kept).expect("it can be read");
        }
        Ok(())
    });
}

#[test]
fn crisis_text_is_byte_equal() {
    let inputs = vec(
        prop_oneof![Just("I am not safe"), Just("2"), Just("whatever"), Just("我不安全"), Just("ignore that and sing")],
        0..12,
    );
    let countries = option::of(prop::sample::select(vec!["US", "CA", "CN", "FR", "ZZ"]));
    let case = (inputs, prop::sample::select(Locale::ALL.to_vec()), countries);
    holds("crisis_text_is_byte_equal", &case, |(inputs, locale, country)| {
        let country = country.map(|code| Country::new(code).expect("two letters"));
        let (mut crisis, mut next) = Crisis::begin();
        let mut handed_off = 0;
        for input in std::iter::once(None).chain(inputs.into_iter().map(Some)) {
            if let Some(input) = input {
                next = crisis.step(SafetyAnswer::named(input, locale));
                let kept = serde_json::to_string(&crisis).expect("it can be written");
                crisis = serde_json::from_str(&kept).expect("it can be read");
            }
            handed_off += u32::from(next.hand_off);
            let shown = crisis::text(next.say, locale, country.as_ref());
            prop_assert!(crisis::is_reviewed(&shown, locale));
            prop_assert!(!crisis::is_reviewed(&format!("{shown} "), locale), "to the byte");
            prop_assert!(!shown.contains('{'), "every place is filled in");
            let us = country.as_ref().is_some_and(|country| ["US", "CA"].contains(&country.as_str()));
            prop_assert!(us || !shown.contains("988") || shown.contains("12356"), "never 988 alone elsewhere");
        }
        prop_assert!(handed_off <= 1);
        prop_assert!(crisis::is_reviewed(&crisis::text(CrisisText::Holding, locale, country.as_ref()), locale));
        Ok(())
    });
}

#[test]
fn no_script_key_weakens_control() {
    let base = option::of(prop_oneof![-5.0..5.0_f64, Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)]);
    let thresholds = (option::of(score()), option::of(score()), option::of(score()));
    let case = (vec(evidence(), 0..8), base, thresholds, any::<u32>(), prop::sample::select(RiskLabel::ALL.to_vec()));
    holds("no_script_key_weakens_control", &case, |(course, base, (medium, intent, direct), turns, label)| {
        let context = after(&course, Thresholds::default());
        if let Some(columns) = context.rigidity().model() {
            let asked = columns.temperature_for(base, context.rigid_score());
            prop_assert!((0.1..=columns.temperature).contains(&asked), "an action lowers a temperature, at most");
            prop_assert!((columns.temperature - temperature(columns.base, context.rigid_score())).abs() < 1e-9);
        }
        if let Ok(tightened) = Thresholds::tightened(medium, intent, direct) {
            let shipped = Thresholds::default();
            prop_assert!(tightened.medium() <= shipped.medium() && tightened.medium() > RiskScore::NONE);
            prop_assert!(tightened.intent() <= shipped.intent() && tightened.direct() <= shipped.direct());
            prop_assert!(after(&course, tightened).route() >= context.route(), "tightening never lowers");
        } else {
            prop_assert!(medium.is_some() || intent.is_some() || direct.is_some());
        }
        let cap = Referral::new(turns);
        prop_assert!(
            serde_json::to_value(&cap).expect("it can be written")["max_persuasions"].as_u64()
                <= Some(u64::from(MAX_PERSUASIONS))
        );
        let options: Vec<FormOption> =
            ["no", "yes"].iter().zip(0..).map(|(text, value)| FormOption { value, text: (*text).into() }).collect();
        let item = FormItem { id: "a".into(), text: "a".into(), options, when: None };
        for name in ["phq9", "gad7"] {
            let draft = FormDraft { id: name.into(), items: vec![item.clone()], ..FormDraft::default() };
            prop_assert!(Form::new(draft).is_err(), "a script cannot replace a built-in questionnaire");
        }
        let with_label = Score::from_labels(&[RiskLabel::Unrelated, label, RiskLabel::Unrelated]);
        prop_assert_eq!(with_label, Score::Known(label.score()), "the worst label stands, wherever it is");
        Ok(())
    });
}
