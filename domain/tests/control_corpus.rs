//! What the lexical floor catches and what it alarms at, by class and form, for the sentences that were looked at while
//! its phrases were written and for those that were not.
//!
//! `cargo test -p steersman-domain --test control_corpus -- --nocapture` prints the report.

#![expect(clippy::print_stdout, reason = "the report is printed for people")]

use std::collections::BTreeMap;

use serde::Deserialize;
use steersman_domain::control::floor::{self, RiskClass};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    text: String,
    class: String,
    form: String,
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    /// Looked at while the phrases were written.
    Seen,
    /// Written before the phrases, and kept aside.
    Unseen,
    /// Written after the first phrases; what they missed was then added.
    Later,
    /// Written after the phrases, to be hard; measured once, then looked at, and the rules were widened.
    Fresh,
    /// Written by someone who had read neither phrases nor rules; measured once, then looked at.
    Blind,
    /// Written together with the blind ones, and only ever looked at as sums.
    Sealed,
}

#[derive(Default, Clone, Copy)]
struct Tally {
    all: u32,
    caught: u32,
    high: u32,
    medium: u32,
}

const CORPORA: [(&str, &str, &str); 2] = [
    ("en", include_str!("corpus/risk.en.jsonl"), include_str!("corpus/harmless.en.jsonl")),
    ("zh-CN", include_str!("corpus/risk.zh-CN.jsonl"), include_str!("corpus/harmless.zh-CN.jsonl")),
];
const PARTS: [Part; 6] = [Part::Seen, Part::Unseen, Part::Later, Part::Fresh, Part::Blind, Part::Sealed];
const LEAST_RISK: usize = 300;
const LEAST_HARMLESS: usize = 500;
const LEAST_EXPLICIT_RECALL: f64 = 0.99;
const MOST_HARMLESS_AT_HIGH: f64 = 0.02;

fn sentences(lines: &str) -> Vec<Sentence> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is a sentence with class, form and part"))
        .collect()
}

fn class(name: &str) -> Option<RiskClass> {
    RiskClass::ALL.into_iter().find(|class| class.as_str() == name)
}

type Report = BTreeMap<(String, String, Part), Tally>;

fn report(lines: &str) -> Report {
    let mut report = Report::new();
    for sentence in sentences(lines) {
        let found = floor::scan(&sentence.text);
        let (wanted, given) = (class(&sentence.class), found.as_ref().map(|finding| finding.class));
        let row = report.entry((sentence.class.clone(), sentence.form.clone(), sentence.part)).or_default();
        row.all += 1;
        row.caught += u32::from(given >= wanted);
        row.high += u32::from(given == Some(RiskClass::MustCatch));
        row.medium += u32::from(given.is_some());
        if given != wanted && sentence.part != Part::Sealed {
            let rule = found.map(|finding| finding.rule).unwrap_or_default();
            println!("  {:?} {given:?} instead of {wanted:?}: {} [{rule}]", sentence.part, sentence.text);
        }
    }
    report
}

fn sum(report: &Report, rows: impl Fn(&(String, String, Part)) -> bool) -> Tally {
    let rows = report.iter().filter(|(key, _)| rows(key));
    rows.fold(Tally::default(), |sum, (_, row)| Tally {
        all: sum.all + row.all,
        caught: sum.caught + row.caught,
        high: sum.high + row.high,
        medium: sum.medium + row.medium,
    })
}

fn share(part: u32, all: u32) -> f64 {
    f64::from(part) / f64::from(all.max(1))
}

fn print_row(name: &str, tally: Tally) {
    let Tally { all, caught, high, medium } = tally;
    println!(
        "  {name:<34} {caught:>4} of {all:<4} recall {:.3}   high {high:<4} medium or high {medium}",
        share(caught, all)
    );
}

#[test]
fn the_corpora_are_large_enough_and_keep_a_third_unseen() {
    for (locale, risk, harmless) in CORPORA {
        for (lines, least) in [(risk, LEAST_RISK), (harmless, LEAST_HARMLESS)] {
            let sentences = sentences(lines);
            assert!(sentences.len() >= least, "{locale}: {} sentences", sentences.len());
            let unseen = sentences.iter().filter(|sentence| sentence.part == Part::Unseen).count();
            let first = sentences.iter().filter(|sentence| matches!(sentence.part, Part::Seen | Part::Unseen)).count();
            assert!((30..=36).contains(&(unseen * 100 / first)), "{locale}: {unseen} unseen");
        }
    }
}

#[test]
fn the_floor_catches_the_explicit_and_leaves_the_harmless_below_high() {
    let mut failures = Vec::new();
    for (locale, risk, harmless) in CORPORA {
        println!("{locale}");
        let (risk, harmless) = (report(risk), report(harmless));
        for part in PARTS {
            println!(" {part:?}");
            for ((class, form, _), tally) in risk.iter().filter(|((_, _, of), _)| *of == part) {
                print_row(&format!("{class} {form}"), *tally);
            }
            for wanted in ["must_catch", "intent", "distress"] {
                print_row(&format!("{wanted}, all forms"), sum(&risk, |(class, _, of)| class == wanted && *of == part));
            }
            let Tally { all, high, medium, .. } = sum(&harmless, |(_, _, of)| *of == part);
            let (high_share, medium_share) = (share(high, all), share(medium, all));
            println!(
                "  harmless: {all}, at high {high} ({high_share:.3}), at medium or high {medium} ({medium_share:.3})"
            );
            if high_share > MOST_HARMLESS_AT_HIGH {
                failures.push(format!("{locale} {part:?}: {high} of {all} harmless sentences at high"));
            }
        }
        let explicit = sum(&risk, |(_, form, part)| form == "explicit" && !matches!(part, Part::Fresh | Part::Sealed));
        println!(" explicit, without the fresh and the sealed: {} of {}", explicit.caught, explicit.all);
        if share(explicit.caught, explicit.all) < LEAST_EXPLICIT_RECALL {
            failures.push(format!("{locale}: {} of {} explicit sentences", explicit.caught, explicit.all));
        }
    }
    assert_eq!(failures, Vec::<String>::new());
}
