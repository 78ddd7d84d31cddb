//! Sentences that a review brought up: each is a row, and stays decided as it was then decided.

use serde_json::{Value, json};
use steersman_domain::{
    clock::Timestamp,
    control::{
        ControlContext, Evidence, Instrument, MessageRisk, RiskScore, Thresholds, floor,
        output::{BlockReason, OutputCheck, RiskScan},
        questionnaire::{
            FillStep, Filling, Form, FormAnswer, FormDraft, FormItem, FormOption, InvalidForm, ItemViolation, Mode,
        },
        referral::{Answer, Referral, ReferralOutcome, ReferralReply, Resistance},
    },
    decide::kind,
    locale::Locale,
    script::Condition,
    variable::{self, Lookup},
};

fn decided(name: &str, case: Value) -> Value {
    kind(name).expect("a kind of that name").answer_case(case).json
}

#[test]
fn a_stated_total_beside_a_missing_item_counts_or_is_refused() {
    let one_missing = json!([1, 1, 1, 1, 1, 1, 1, 1, null]);
    let rows = [
        (json!({"phq9_items": one_missing, "phq9_total": 11}), json!("medium")),
        (json!({"phq9_items": one_missing, "phq9_total": 10}), json!("medium")),
        (json!({"phq9_items": one_missing, "phq9_total": 9}), json!("low")),
        (json!({"phq9_items": one_missing}), json!("low")),
        (json!({"phq9_items": [3, 3, 3, 3, 0, 0, 0, 0, null], "phq9_total": 13}), json!("medium")),
        (json!({"gad7_items": [1, 1, 1, 1, 1, null, null], "gad7_total": 10}), json!("medium")),
        (json!({"phq9_items": one_missing, "phq9_total": 12}), json!("total_mismatch")),
        (json!({"phq9_items": one_missing, "phq9_total": 7}), json!("total_mismatch")),
        (json!({"phq9_items": one_missing, "phq9_total": 10.5}), json!("total_mismatch")),
    ];
    for (case, expected) in rows {
        let answer = decided("route", case.clone());
        let given = if answer["error"].is_null() { &answer["route"] } else { &answer["error"]["code"] };
        assert_eq!(*given, expected, "{case} -> {answer}");
    }
}

#[test]
fn a_wish_for_something_else_is_no_yes_and_a_wish_for_the_offer_is() {
    let rows = [
        ("我想去死", false),
        ("我要去死", false),
        ("我想试试自杀", false),
        ("我去睡了", false),
        ("我想去看电影", false),
        ("我来晚了", false),
        ("我试过很多药", false),
        ("我要参加高考", false),
        ("我可以去医院", false),
        ("我妈同意了", false),
        ("我愿意相信你", false),
        ("我不愿意", false),
        ("我想去", true),
        ("我想去参加", true),
        ("我去", true),
        ("我会来的", true),
        ("我想试试", true),
        ("我想试试这个小组", true),
        ("那我就去试试吧", true),
        ("试试吧", true),
        ("我愿意", true),
        ("我愿意参加", true),
        ("我想参加这个小组", true),
        ("参加吧", true),
        ("我同意", true),
    ];
    for (message, expected) in rows {
        assert_eq!(Answer::read(message, &Locale::ALL).acceptance(), expected, "{message}");
    }
}

#[test]
fn a_refusal_is_heard_and_none_is_invented() {
    let rows = [
        ("I don't want to", true),
        ("I really don't want to.", true),
        ("I cannot join", true),
        ("I can not come", true),
        ("我不愿意", true),
        ("我不同意", true),
        ("不可以", true),
        ("我不去，谢谢", true),
        ("我不想参加", true),
        ("我不是不想参加，就是怕丢人", false),
        ("不是我不想参加", false),
        ("要不要去", false),
        ("能不能不去", false),
        ("谁说我不参加", false),
        ("It's not that I don't want to join", false),
        ("Who says I won't join?", false),
        ("I don't want to talk about my father", false),
        ("我不愿意谈我爸", false),
        ("我不是不想去，只是我不参加", true),
    ];
    for (message, expected) in rows {
        assert_eq!(Answer::read(message, &Locale::ALL).refusal(), expected, "{message}");
    }
}

#[test]
fn an_objection_that_is_denied_is_none() {
    let rows: [(&str, &[Resistance]); 8] = [
        ("不用，谢谢", &[]),
        ("时间不是问题", &[]),
        ("时间上没问题", &[]),
        ("我有时间", &[]),
        ("我没有时间", &[Resistance::Time]),
        ("没什么用", &[Resistance::Doubt]),
        ("Time is not a problem", &[]),
        ("Time is a problem", &[Resistance::Time]),
    ];
    for (message, expected) in rows {
        assert_eq!(Answer::read(message, &Locale::ALL).resistances(), expected, "{message}");
    }
}

#[test]
fn every_word_that_is_listed_for_an_answer_is_heard() {
    let objections: [(Resistance, &[&str]); 4] = [
        (Resistance::Privacy, &["privacy", "private", "anonymous", "personal", "confidential"]),
        (Resistance::Time, &["time", "busy", "schedule", "I don't have time", "no time"]),
        (Resistance::Stigma, &["stigma", "embarrassed", "ashamed", "judge", "judgment"]),
        (Resistance::Doubt, &["doubt", "not sure", "I don't think so", "it won't help", "it doesn't work"]),
    ];
    for (kind, words) in objections {
        for word in words {
            let answer = Answer::read(word, &Locale::ALL);
            assert_eq!((answer.resistances(), answer.acceptance()), (&[kind] as &[_], false), "{word}");
        }
    }
    let yes = ["yes", "okay", "ok", "sure", "I'll join", "sounds good", "I'd like to", "I want to", "let's do it"];
    for message in yes.into_iter().chain(["I'll try", "I'll give it a try", "YES!", "Okay."]) {
        let answer = Answer::read(message, &Locale::ALL);
        assert_eq!((answer.acceptance(), answer.resistance(), answer.refusal()), (true, None, false), "{message}");
    }
}

const MUST_CATCH: f64 = 0.96;
const INTENT: f64 = 0.85;
const DISTRESS: f64 = 0.70;

fn score(text: &str) -> (f64, String) {
    let found = floor::scan(text);
    let score = found.as_ref().map_or(0.0, |finding| finding.class.score().get());
    (score, found.map(|finding| format!("{} {:?}", finding.rule, finding.frame)).unwrap_or_default())
}

/// Fails with every text whose score is not from `least` to `most`.
fn all_score(least: f64, most: f64, texts: &[&str]) {
    let outside = texts.iter().filter_map(|text| {
        let (score, rule) = score(text);
        (!(least..=most).contains(&score)).then(|| format!("{score} {text} [{rule}]"))
    });
    let outside: Vec<String> = outside.collect();
    assert!(outside.is_empty(), "not from {least} to {most}:\n{}", outside.join("\n"));
}

#[test]
fn what_only_begins_like_danger_is_harmless() {
    all_score(
        0.0,
        0.0,
        &[
            "I'm going to suicide prevention training tomorrow",
            "thinking about suicide prevention as a career",
            "my suicide prevention training",
            "我要去跳楼机",
            "结束了人生第一次马拉松",
            "我想做自杀干预志愿者",
        ],
    );
    let beside =
        ["My suicide prevention training is over. I want to kill myself.", "我想做自杀干预志愿者，可是我想自杀"];
    all_score(MUST_CATCH, MUST_CATCH, &beside);
}

#[test]
fn the_explicit_first_person_is_caught() {
    all_score(
        MUST_CATCH,
        MUST_CATCH,
        &[
            "I'm going to end it tonight",
            "I'm gonna take all these pills and die",
            "I took 40 tylenol an hour ago",
            "I swallowed about 30 of my sleeping pills",
            "I'm standing on the edge of the roof and I'm going to jump",
            "I'm going to set myself on fire",
            "my plan is to die on my birthday",
            "I'm going to drive my car into a tree",
            "今天是我活着的最后一天",
            "我要带着孩子一起死",
            "我站在天台上，准备跳了",
            "我已经割了手腕",
            "我喝了百草枯",
            "这是我的遗书",
            "我想跳崖",
            "我想割喉",
            "我吃了60片安眠药",
            "I want to die, tonight",
            "I want to die. Maybe tonight.",
            "我想死，今晚就死",
            "我想开车撞树",
        ],
    );
    all_score(INTENT, INTENT, &["I want to end it", "I want to die, the exam is tomorrow", "我想死，明天还要考试"]);
}

#[test]
fn everyday_sentences_are_never_high() {
    all_score(
        0.0,
        DISTRESS,
        &[
            "I won't be here tomorrow, I'm on leave",
            "we drove 300 kms today",
            "it is a few kms to the lake",
            "I drive my car into the garage",
            "I will be alive tomorrow",
            "take all my medication as prescribed",
            "I take all my pills as prescribed",
            "I took 2 aspirin",
            "I shot myself in the foot with that email",
            "I'm going to jump in the shower",
            "I want to end it with a joke",
            "药已经吃了，谢谢提醒",
            "感冒药都吃完了",
            "我吃了很多药，感冒还没好",
            "解决自己的问题",
            "结束自己的假期",
            "骑车撞树了",
            "准备动手了，先焊电路",
            "这游戏杀了我",
            "我站在台上准备跳舞",
        ],
    );
}

#[test]
fn a_frame_lowers_nothing_that_is_the_speakers_own() {
    all_score(
        MUST_CATCH,
        MUST_CATCH,
        &[
            "It was a bad day. \"I want to kill myself.\"",
            "My diary says \"I will kill myself on Friday\"",
            "\"I want to kill myself\" was my first thought",
            "我日记里写着“我要自杀”",
            "你问我怎么了，“我要自杀”",
            "I watched a movie and then decided to kill myself",
            "我读了一本书，想自杀",
            "我在写歌，写完就去自杀",
            "我没有一天不想自杀",
            "I have never not wanted to kill myself",
            "谁说我不想自杀",
            "I'm not going to kill myself today, tomorrow yes",
            "你们高兴了吧，自杀给你们看",
            "my ex said kill yourself so I will",
            "My dad killed himself and I will too",
        ],
    );
    all_score(
        INTENT,
        INTENT,
        &[
            "My dad killed himself and I will never forget it",
            "I'm reading a novel about a man who wants to kill himself",
            "我在写一部小说，主角自杀了",
            "我从来没想过自杀",
            "I have never wanted to kill myself",
            "他的日记里写着“我要自杀”",
        ],
    );
}

#[test]
fn contacts_are_caught_whatever_stands_beside_them() {
    let check = OutputCheck::new([], None, RiskScan::Off);
    let rows = [
        ("18005551234: call now", Some(BlockReason::PhoneNumber)),
        ("拨打13800138000人工客服", Some(BlockReason::PhoneNumber)),
        ("tel8005551234", Some(BlockReason::PhoneNumber)),
        ("visit evil.ru", Some(BlockReason::Url)),
        ("visit evil.co.zw/path", Some(BlockReason::Url)),
        ("We met on 2024-05-01 10:30, e.g. 120人 came.", None),
        ("See findahelpline.com, i.e. a directory... really", None),
        ("It took 3.5 hours, 5000 步", None),
    ];
    for (text, expected) in rows {
        assert_eq!(check.check(text).err(), expected, "{text}");
    }
}

struct Unset;

impl Lookup for Unset {
    fn value(&self, _name: &str) -> Option<variable::Value> {
        None
    }
}

/// Two scored items; the second is asked only if the first is answered with yes.
fn conditional() -> Form {
    let options = vec![FormOption { value: 0, text: "no".into() }, FormOption { value: 2, text: "yes".into() }];
    let item = |id: &str, when| FormItem { id: id.into(), text: id.into(), options: options.clone(), when };
    let when = Condition::parse("m1 == 2").expect("a condition");
    let items = vec![item("m1", None), item("m2", Some(when))];
    let score = vec!["m1".into(), "m2".into()];
    Form::new(FormDraft { id: "log".into(), items, score, ..FormDraft::default() }).expect("a form")
}

#[test]
fn an_item_that_is_to_be_asked_is_missing_if_left_out_and_never_0() {
    let form = conditional();
    let submit = |answers: &[(&str, i64)]| {
        form.submit(&answers.iter().map(|&(id, value)| (id.to_owned(), value)).collect()).map(|scored| scored.total)
    };
    assert_eq!(submit(&[("m1", 2), ("m2", 2)]), Ok(Some(4)));
    assert_eq!(submit(&[("m1", 0)]), Ok(Some(0)));
    assert_eq!(submit(&[("m1", 2)]), Err(vec![ItemViolation::Missing("m2".into())]));
    assert_eq!(submit(&[("m1", 0), ("m2", 2)]), Err(vec![ItemViolation::NotAsked("m2".into())]));
    let mut filling = Filling::new(Mode::Verbatim);
    assert_eq!(filling.answer(&form, FormAnswer::Value(2), &Unset), FillStep::Next);
    let FillStep::Partial(scored) = filling.answer(&form, FormAnswer::Skip, &Unset) else { panic!("skipped") };
    assert_eq!((scored.total, scored.items.len()), (None, 2), "the skipped item is missing");
}

#[test]
fn an_option_is_named_by_whole_words_that_nothing_turns() {
    let rows = [
        (Locale::ZhCn, "也不是完全没有", false),
        (Locale::ZhCn, "超过好几天", false),
        (Locale::ZhCn, "大概好几天吧", true),
        (Locale::ZhCn, "完全没有", true),
        (Locale::En, "more than several days", false),
        (Locale::En, "not several days", false),
        (Locale::En, "not at all", true),
        (Locale::En, "I'd say several days", true),
        (Locale::En, "more than half the days", true),
    ];
    for (locale, text, fits) in rows {
        let form = Form::built_in(Instrument::Phq9, locale);
        let step = Filling::new(Mode::Verbatim).answer(form, FormAnswer::Text(text), &Unset);
        assert_eq!(step == FillStep::Next, fits, "{text}");
    }
}

#[test]
fn a_value_too_large_to_be_added_up_is_refused() {
    let options = vec![FormOption { value: 0, text: "no".into() }, FormOption { value: i32::MAX, text: "yes".into() }];
    let item = |id: &str| FormItem { id: id.into(), text: id.into(), options: options.clone(), when: None };
    let score = vec!["a".into(), "b".into()];
    let draft = FormDraft { id: "f".into(), items: vec![item("a"), item("b")], score, ..FormDraft::default() };
    let value = |item: &str| InvalidForm::Value { form: "f".into(), item: item.into() };
    assert_eq!(Form::new(draft), Err(vec![value("a"), value("b")]));
}

#[test]
fn a_context_whose_route_is_below_its_evidence_is_not_restored() {
    let mut context = ControlContext::new(None, Timestamp::EPOCH);
    let must_catch = MessageRisk::floor_only(RiskScore::MUST_CATCH);
    context.raise(&Evidence::Message(must_catch), Thresholds::default(), Timestamp::EPOCH);
    let mut written = json!(context);
    assert!(serde_json::from_value::<ControlContext>(written.clone()).is_ok());
    let low = json!(ControlContext::new(None, Timestamp::EPOCH));
    for key in ["route", "rigid_score", "route_reason", "route_source"] {
        written[key] = low[key].clone();
    }
    assert!(serde_json::from_value::<ControlContext>(written).is_err());
}

#[test]
fn a_bare_yes_without_an_offer_in_this_session_accepts_nothing() {
    for (message, reply) in [
        ("yes", ReferralReply::None),
        ("好的", ReferralReply::None),
        ("yes, I'd like to join", ReferralReply::Confirm),
        ("我想参加小组", ReferralReply::Confirm),
    ] {
        let mut referral = Referral::remembered(5, ReferralOutcome::Rejected);
        assert_eq!(referral.step(&Answer::read(message, &Locale::ALL)).reply, reply, "{message}");
    }
}
