//! Deliberations from the first question to the record: the ways through, the ways back, and that each one ends.

use std::num::NonZeroU32;

use proptest::prelude::*;
use serde_json::{Value, json};
use steersman_domain::{
    clock::Timestamp,
    depth::{
        Agenda, Answer, Basis, Bounds, Cause, Constraint, DecisionId, Deliberation, Ending, Feasibility, Mode, Offer,
        OutOfTurn, Outcome, Purpose, Report, Stage, Step, Warning,
    },
    locale::Locale,
    utterance::Text,
};

fn agenda(max_rounds: u32) -> Agenda {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Agenda {
        bounds: Bounds::new(Locale::ZhCn, NonZeroU32::new(max_rounds).expect("the test says how many")),
        terms: names(&["recall", "qps"]),
        topics: names(&["recall", "cost", "operations", "migration"]),
        angles: names(&["business", "technical", "user", "operations"]),
        constraints: vec![
            Constraint { id: "budget".to_owned(), hard: true },
            Constraint { id: "latency".to_owned(), hard: false },
        ],
        options: names(&["faiss", "milvus"]),
    }
}

/// Asks the question that is due and answers it.
fn say(talk: &mut Deliberation, text: &str, report: &Value) -> Step {
    talk.asked().expect("a question is due");
    let (report, dropped) = Report::read(report);
    assert_eq!(dropped, 0, "the test's own report");
    talk.answer(&Answer { text: Text::from(text), picked: None, report }).expect("a question is open")
}

fn pick(talk: &mut Deliberation, offer: Offer) -> Step {
    talk.asked().expect("a question is due");
    talk.answer(&Answer { picked: Some(offer), ..Answer::default() }).expect("a question is open")
}

fn purpose(talk: &Deliberation) -> Purpose {
    talk.question().expect("a question is due").purpose
}

fn clear() -> Value {
    json!({"terms_defined": ["recall", "QPS"], "scope_vagueness": 0.1,
           "constraints": [{"id": "budget", "value": "5k"}, {"id": "latency", "value": "20ms"}]})
}

fn ground() -> Value {
    json!({"topics": ["recall", "cost", "operations"], "angles": ["business", "technical", "user"], "options": [
        {"name": "faiss", "feasible": true, "meets": ["budget", "latency"], "pros": ["fast"]},
        {"name": "milvus", "feasible": true, "meets": ["budget", "latency"], "pros": ["managed", "scales"]}]})
}

#[test]
fn a_choice_that_was_talked_through_goes_through_all_stages_and_is_recorded() {
    let mut talk = Deliberation::new(&agenda(15));
    assert_eq!((talk.stage(), purpose(&talk)), (Stage::Clarify, Purpose::Clarify));
    let step = say(&mut talk, "我们要选向量数据库", &clear());
    assert_eq!(step.assessment.fuzziness.get().to_string(), "0.033333333333");
    assert_eq!(step.moves[0].cause, Cause::ClearEnough);
    let step = say(&mut talk, "两个都看过了", &ground());
    assert_eq!(step.moves[0].cause, Cause::OptionsKnown);
    assert_eq!((talk.stage(), purpose(&talk)), (Stage::Converge, Purpose::Compare));
    let compared = json!({"compared": [{"dimension": "cost", "options": ["faiss", "milvus"]}]});
    say(&mut talk, "成本差不多", &compared);
    let step = say(&mut talk, "我选择 Milvus", &json!({"reasons": ["托管"], "risks": ["升级"]}));
    assert_eq!((step.convergence.outcome, step.moves[0].cause), (Outcome::Converge, Cause::Chosen));
    let question = talk.question().unwrap();
    let proposal = question.proposal.as_ref().unwrap();
    assert_eq!((proposal.name.as_str(), proposal.basis, proposal.forced), ("milvus", Basis::Chosen, false));
    assert_eq!((question.purpose, &question.notices(Locale::ZhCn)), (Purpose::Confirm, &vec![]));
    assert_eq!(question.template(Locale::ZhCn).as_str(), "确认选择milvus吗？");
    let step = say(&mut talk, "确认", &json!({}));
    assert_eq!(step.ending, Some(Ending::Decided));
    let record = record(&talk);
    assert_eq!(record.choice.as_ref().map(Text::as_str), Some("milvus"));
    assert!(!record.forced && record.constraints.iter().all(|constraint| constraint.verified));
    assert_eq!(talk.round(), 5, "the opening and the confirmation are rounds too");
}

fn record(talk: &Deliberation) -> steersman_domain::depth::Record {
    let at: Timestamp = "2026-01-31T23:59:00Z".parse().expect("a point in time");
    talk.record(DecisionId::new(at, 7), Text::from("选定向量数据库"), at).expect("it has ended")
}

#[test]
fn the_record_is_markdown_in_the_locale_and_json_that_reads_back() {
    let mut talk = Deliberation::new(&agenda(8));
    say(&mut talk, "决定用 faiss", &json!({"options": [{"name": "milvus", "fails": ["budget"], "cons": ["a\n# b"]}]}));
    say(&mut talk, "好的", &json!({}));
    let record = record(&talk);
    assert_eq!(record.id.as_str(), "DEC-20260131-007");
    let page = record.markdown(Locale::ZhCn);
    for part in [
        "# 决策记录 DEC-20260131-007",
        "**faiss**",
        "- milvus (不可行); 被排除，因为: budget; 缺点: a # b",
        "选定向量数据库",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert_eq!(page.lines().filter(|line| line.starts_with("# ")).count(), 1, "no text opens a heading");
    let json = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<steersman_domain::depth::Record>(&json).unwrap(), record);
    assert_eq!(record.value().json()["choice"], "faiss");
    assert!(record.markdown(Locale::En).contains("Excluded by: budget"));
}

#[test]
fn a_choice_on_thin_ground_is_warned_about_before_it_is_confirmed() {
    let mut talk = Deliberation::new(&agenda(8));
    say(&mut talk, "我选择 milvus", &json!({"options": [{"name": "milvus", "fails": ["budget"]}]}));
    let question = talk.question().unwrap();
    assert_eq!(question.proposal.as_ref().unwrap().warnings, [Warning::LowCoverage, Warning::Excluded]);
    let notices = question.notices(Locale::ZhCn);
    assert_eq!(notices[1].as_str(), "它不满足硬性约束：budget。");
}

#[test]
fn a_single_feasible_option_is_proposed_with_its_reason_and_not_again_after_a_no() {
    let mut talk = Deliberation::new(&agenda(15));
    let report = json!({"options": [
        {"name": "faiss", "feasible": true, "meets": ["budget"]},
        {"name": "milvus", "feasible": true, "fails": ["budget"]}]});
    let step = say(&mut talk, "预算有限", &report);
    assert_eq!((step.moves[0].cause, step.convergence.confirm), (Cause::SingleOption, true));
    let question = talk.question().unwrap();
    assert_eq!(question.notices(Locale::ZhCn)[0].as_str(), "只剩下faiss可行：milvus不满足budget。");
    let step = say(&mut talk, "再想想", &json!({}));
    assert_eq!(
        (step.moves[0].from, step.moves[0].to, step.moves[0].cause),
        (Stage::Summary, Stage::Converge, Cause::Declined)
    );
    let step = say(&mut talk, "嗯", &json!({}));
    assert_eq!((step.moves, talk.stage()), (vec![], Stage::Converge));
}

#[test]
fn one_option_that_nobody_compared_with_another_is_no_single_option() {
    let mut talk = Deliberation::new(&Agenda { options: vec![], ..agenda(15) });
    let step = say(&mut talk, "maybe faiss", &json!({"options": [{"name": "faiss", "feasible": true}]}));
    assert_eq!(step.convergence.weights.single, None);
    let mut talk = Deliberation::new(&agenda(15));
    let step = say(&mut talk, "faiss works", &json!({"options": [{"name": "faiss", "feasible": true}]}));
    assert_eq!(step.convergence.weights.single, None, "milvus was never checked");
}

#[test]
fn a_new_constraint_leads_from_the_summary_back_to_explore_even_beside_a_yes() {
    let mut talk = Deliberation::new(&agenda(15));
    say(&mut talk, "我选择 faiss", &ground());
    let step = say(&mut talk, "好的", &json!({"constraints": [{"id": "licence", "new": true, "hard": true}]}));
    assert_eq!((step.ending, step.moves[0].cause, talk.stage()), (None, Cause::NewConstraint, Stage::Explore));
    assert_eq!(talk.ledger().feasibility(0), Feasibility::Unknown, "nobody checked it against the licence");
}

#[test]
fn a_no_leads_from_the_summary_back_to_converge_and_forgets_the_choice() {
    let mut talk = Deliberation::new(&agenda(15));
    let step = say(&mut talk, "我选择 faiss", &json!({}));
    assert!(step.assessment.counts.explicit_choice);
    let step = say(&mut talk, "不", &json!({"confirmed": true}));
    assert_eq!((step.moves[0].cause, talk.ledger().choice()), (Cause::Declined, None));
}

#[test]
fn another_choice_in_the_summary_is_proposed_instead() {
    let mut talk = Deliberation::new(&agenda(15));
    say(&mut talk, "我选择 faiss", &json!({}));
    let step = say(&mut talk, "不对，决定用 milvus", &json!({"confirmed": true}));
    assert_eq!((step.ending, talk.stage()), (None, Stage::Summary));
    assert_eq!(talk.question().unwrap().proposal.unwrap().name.as_str(), "milvus");
}

#[test]
fn neither_yes_nor_no_is_asked_once_more_and_then_taken_for_a_no() {
    let mut talk = Deliberation::new(&agenda(15));
    say(&mut talk, "我选择 faiss", &json!({}));
    say(&mut talk, "天气不错", &json!({}));
    assert_eq!(purpose(&talk), Purpose::Confirm);
    assert_eq!(say(&mut talk, "嗯？", &json!({})).moves[0].cause, Cause::Declined);
}

#[test]
fn no_feasible_option_says_which_constraint_excluded_which_and_relaxing_it_opens_the_option_again() {
    let mut talk = Deliberation::new(&agenda(15));
    let report = json!({"options": [
        {"name": "faiss", "feasible": false, "fails": ["budget"]}, {"name": "milvus", "fails": ["budget", "latency"]}]});
    say(&mut talk, "都太贵", &report);
    let question = talk.question().unwrap();
    assert_eq!((question.purpose, question.offers.as_slice()), (Purpose::NoFeasible, &Offer::NO_FEASIBLE[..]));
    let text = question.template(Locale::ZhCn);
    assert!(text.as_str().contains("faiss不满足budget；milvus不满足budget"), "{}", text.as_str());
    pick(&mut talk, Offer::Relax);
    assert_eq!(purpose(&talk), Purpose::Relax);
    say(&mut talk, "预算可以放宽", &json!({"relaxed": ["budget"]}));
    assert_ne!(purpose(&talk), Purpose::NoFeasible);
    assert_eq!(talk.ledger().feasibility(0), Feasibility::Unknown);
}

#[test]
fn the_cap_of_clarify_moves_on_and_a_vague_matter_gets_examples() {
    let mut talk = Deliberation::new(&agenda(15));
    for _ in 0..2 {
        assert!(say(&mut talk, "不知道", &json!({})).moves.is_empty());
    }
    let step = say(&mut talk, "不知道", &json!({}));
    assert_eq!((step.moves[0].cause, purpose(&talk)), (Cause::CapReached, Purpose::Examples));
    assert!(step.assessment.fuzziness.get() > 0.8);
    assert!(talk.question().unwrap().template(Locale::ZhCn).as_str().contains("business、technical"));
}

#[test]
fn three_defined_terms_are_enough_to_explore() {
    let mut talk = Deliberation::new(&agenda(15));
    let step = say(&mut talk, "…", &json!({"terms_unclear": ["ANN"], "terms_defined": ["ann", "recall", "qps"]}));
    assert_eq!(step.moves[0].cause, Cause::TermsDefined);
}

#[test]
fn force_jumps_to_converge_with_the_offers_and_is_announced_once() {
    let mut talk = Deliberation::new(&agenda(5));
    for _ in 0..3 {
        say(&mut talk, "不知道", &json!({}));
    }
    let step = say(&mut talk, "不知道", &json!({}));
    assert!(step.assessment.forced && step.assessment.outcome == Outcome::Suggest);
    assert_eq!((step.moves.last().unwrap().cause, talk.stage()), (Cause::Forced, Stage::Converge));
    assert_eq!(step.assessment.guidance, "为了效率，我们需要在接下来几轮内做出决策。");
    let question = talk.question().unwrap();
    assert_eq!((question.announces_force, question.offers.as_slice()), (true, &Offer::FORCED[..]));
    let step = pick(&mut talk, Offer::TakeBest);
    assert_eq!(step.moves[0].cause, Cause::BestTaken);
    let question = talk.question().unwrap();
    assert!(!question.announces_force, "once");
    assert!(question.proposal.as_ref().unwrap().forced);
    say(&mut talk, "好的", &json!({}));
    assert!(record(&talk).forced);
}

#[test]
fn when_the_rounds_are_used_up_it_asks_twice_and_then_pauses_by_itself() {
    let mut talk = Deliberation::new(&agenda(3));
    let mut last_calls = 0;
    while talk.ending().is_none() {
        last_calls += u32::from(purpose(&talk) == Purpose::LastCall);
        say(&mut talk, "嗯", &json!({}));
    }
    assert_eq!((talk.ending(), last_calls, talk.round()), (Some(Ending::Exhausted), 2, 5));
    assert_eq!(record(&talk).choice, None);
    talk.resume().unwrap();
    assert_eq!(purpose(&talk), Purpose::LastCall);
    say(&mut talk, "milvus", &json!({}));
    assert!(talk.question().unwrap().proposal.unwrap().forced, "a pick at the limit is marked");
    assert_eq!(say(&mut talk, "确认", &json!({})).ending, Some(Ending::Decided));
}

#[test]
fn a_pause_keeps_everything_and_days_later_it_goes_on_where_it_was() {
    let mut talk = Deliberation::new(&agenda(5));
    for _ in 0..4 {
        say(&mut talk, "不知道", &clear());
    }
    let before = talk.question().unwrap();
    assert_eq!(pick(&mut talk, Offer::Pause).ending, Some(Ending::Paused));
    assert_eq!(talk.asked(), Err(OutOfTurn::NothingToAsk));
    let stored = serde_json::to_string(&talk).unwrap();
    let mut talk: Deliberation = serde_json::from_str(&stored).unwrap();
    talk.resume().unwrap();
    assert_eq!(talk.question().unwrap().stage, before.stage);
    assert_eq!(talk.resume(), Err(OutOfTurn::NotPaused));
}

#[test]
fn splitting_the_problem_ends_it_without_a_choice() {
    let mut talk = Deliberation::new(&agenda(5));
    for _ in 0..4 {
        say(&mut talk, "不知道", &json!({}));
    }
    assert_eq!(say(&mut talk, "先拆开吧", &json!({"offer": "split"})).ending, Some(Ending::Split));
    assert_eq!(record(&talk).choice, None);
}

#[test]
fn an_offer_that_was_not_made_is_not_taken() {
    let mut talk = Deliberation::new(&agenda(15));
    assert_eq!(pick(&mut talk, Offer::Pause).ending, None);
}

#[test]
fn only_listed_names_count_and_the_others_are_counted_as_ignored() {
    let mut talk = Deliberation::new(&agenda(15));
    let step = say(
        &mut talk,
        "…",
        &json!({"topics": ["RECALL", "colour"], "angles": ["astrology"], "choice": "oracle",
        "constraints": [{"id": "taste", "value": "good"}], "terms_defined": ["zzz"]}),
    );
    assert_eq!((step.assessment.counts.topics_discussed, step.ignored), (1, 4));
    assert_eq!(step.assessment.counts.constraints_total, 2);
    assert!(!step.assessment.counts.explicit_choice);
}

#[test]
fn an_unclear_choice_is_asked_for_by_name_and_a_bare_name_answers() {
    let mut talk = Deliberation::new(&agenda(15));
    let step = say(&mut talk, "就用它", &json!({}));
    assert!(step.convergence.confirm && step.moves.is_empty());
    assert_eq!(purpose(&talk), Purpose::NameChoice);
    assert_eq!(say(&mut talk, "FAISS 吧", &json!({})).moves[0].cause, Cause::Chosen);
}

#[test]
fn a_model_that_reports_a_choice_where_the_person_asked_a_question_is_not_believed() {
    let mut talk = Deliberation::new(&agenda(15));
    let step = say(&mut talk, "为什么采用 faiss？", &json!({"choice": "faiss"}));
    assert_eq!((step.convergence.weights.choice, talk.stage()), (None, Stage::Clarify));
    let step = say(&mut talk, "faiss 听上去最合适", &json!({"choice": "faiss"}));
    assert_eq!(step.moves[0].cause, Cause::Chosen);
}

#[test]
fn a_scope_that_nobody_describes_is_vague_in_clarify_and_keeps_its_value_later() {
    let mut talk = Deliberation::new(&agenda(15));
    assert_eq!(talk.assessment().counts.scope.get().to_string(), "1");
    say(&mut talk, "…", &clear());
    assert_eq!(talk.stage(), Stage::Explore);
    assert_eq!(say(&mut talk, "…", &json!({})).assessment.counts.scope.get().to_string(), "0.1");
}

#[test]
fn a_report_is_read_tolerantly_and_what_is_wrong_is_counted() {
    let cases = [
        (json!(null), 0),
        (json!("prose"), 1),
        (json!({"topics": "recall"}), 1),
        (json!({"topics": ["recall", 3, null, ""]}), 3),
        (json!({"surprise": 1, "retracted": "maybe"}), 2),
        (json!({"options": [{"feasible": true}, {"name": "x", "colour": "red"}]}), 2),
        (json!({"scope_vagueness": "0.3", "confirmed": "TRUE", "offer": "pause"}), 0),
        (json!({"offer": "surrender"}), 1),
    ];
    for (json, dropped) in cases {
        assert_eq!(Report::read(&json).1, dropped, "{json}");
    }
    let long = json!({"topics": vec!["x"; 1000], "choice": "y".repeat(10_000)});
    let (report, dropped) = Report::read(&long);
    assert_eq!((report.topics.len(), dropped, report.choice.unwrap().as_str().len()), (40, 960, 400));
}

#[test]
fn the_modes_have_their_lengths_and_decision_ids_read_back() {
    assert_eq!(Mode::ALL.map(|mode| mode.max_rounds().get()), [10, 15, 8]);
    for (text, valid) in
        [("DEC-20260131-007", true), ("DEC-20260131-1234", true), ("DEC-2026013-007", false), ("dec", false)]
    {
        assert_eq!(text.parse::<DecisionId>().is_ok(), valid, "{text}");
    }
}

fn answers() -> impl Strategy<Value = Answer> {
    let texts = prop::sample::select(vec![
        "嗯",
        "不",
        "好的",
        "我选择 faiss",
        "就用它",
        "决定用 milvus",
        "milvus",
        "为什么采用 faiss？",
        "redis",
        "我选择 redis",
        "",
    ]);
    let reports = prop::sample::select(vec![
        json!({}),
        clear(),
        ground(),
        json!({"choice": "faiss"}),
        json!({"retracted": true}),
        json!({"confirmed": false}),
        json!({"confirmed": true}),
        json!({"constraints": [{"id": "licence", "new": true, "hard": true}]}),
        json!({"constraints": [{"id": "colour", "new": true}]}),
        json!({"options": [{"name": "faiss", "fails": ["budget"]}, {"name": "milvus", "fails": ["budget"]}]}),
        json!({"options": [{"name": "milvus", "fails": ["budget"]}]}),
        json!({"relaxed": ["budget"]}),
        json!({"compared": [{"dimension": "cost", "options": ["faiss", "milvus"]}]}),
        json!({"options": [{"name": "redis", "feasible": true}]}),
    ]);
    let picked = prop::option::weighted(0.2, prop::sample::select(Offer::ALL.to_vec()));
    (texts, picked, reports).prop_map(|(text, picked, report)| Answer {
        text: Text::from(text),
        picked,
        report: Report::read(&report).0,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn every_deliberation_ends_within_its_limit_and_decides_only_what_was_confirmed(
        max_rounds in 1_u32..12, answers in prop::collection::vec(answers(), 24),
    ) {
        let agenda = agenda(max_rounds);
        let mut talk = Deliberation::new(&agenda);
        let (mut announced, mut last_calls) = (0, 0);
        for answer in answers {
            let question = talk.question().expect("it has not ended");
            announced += u32::from(question.announces_force);
            last_calls += u32::from(question.purpose == Purpose::LastCall);
            prop_assert_eq!(question.purpose == Purpose::Confirm, question.proposal.is_some());
            prop_assert_eq!(question.template(Locale::En).as_str().find('{'), None);
            talk.asked().unwrap();
            prop_assert!(talk.question().is_none(), "one question at a time");
            let step = talk.answer(&answer).unwrap();
            let stored = serde_json::to_string(&talk).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Deliberation>(&stored).unwrap(), &talk);
            prop_assert!(!step.assessment.forced || talk.stage() >= Stage::Converge || step.ending.is_some());
            if let Some(ending) = step.ending {
                prop_assert!(ending != Ending::Decided || question.purpose == Purpose::Confirm);
                prop_assert_eq!(record(&talk).choice.is_some(), ending == Ending::Decided);
                break;
            }
            let suggested = step.assessment.outcome == Outcome::Suggest && talk.stage() != Stage::Summary;
            prop_assert!(!suggested || !talk.question().unwrap().offers.is_empty());
        }
        prop_assert!(talk.ending().is_some(), "it went on for ever");
        prop_assert!(talk.round() <= Deliberation::round_limit(&agenda.bounds));
        prop_assert!(announced <= 1 && last_calls <= 2);
    }
}
