//! Sentences that a review brought up: each is a row, and stays decided as it was then decided.

use serde_json::{Value, json};
use steersman_domain::{
    control::referral::{Answer, Resistance},
    decide::kind,
    locale::Locale,
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
