//! The risk packs can be read, and hold nothing that does nothing or takes too much.

use super::*;
use crate::control::{
    floor::{self, findings},
    phrase::written,
    reading::Reading,
};

const PACKS: [&str; 2] =
    [include_str!("../../../../packs/zh-CN/risk.json"), include_str!("../../../../packs/en/risk.json")];

#[test]
fn every_shipped_pack_can_be_read() {
    for json in PACKS {
        if let Err(error) = read(json) {
            panic!("{error}: {error:?}");
        }
    }
}

/// How many ways of writing a phrase are tried.
const WAYS: usize = 60;

/// Returns the phrases that others find in all their writings; `stands_for` tells whether the phrase of a number can
/// stand for that of another one, of whose writing it found so much.
fn needless(file: &File, phrases: &[&str], stands_for: impl Fn(usize, Reach, usize) -> bool) -> Vec<String> {
    let slips = Slips { words: file.slips.clone(), never: file.no_slips.clone() };
    let numbered = phrases.iter().enumerate().map(|(number, phrase)| ((*phrase).to_owned(), number));
    let all = Phrases::new(numbered, &file.sets).unwrap();
    let mut needless: Vec<usize> = Vec::new();
    for (number, phrase) in phrases.iter().enumerate() {
        let by_another = |text: &String| {
            let reading = Reading::with_slips(text, &slips);
            let found = all.find(&reading);
            found.iter().any(|found| {
                let other = *found.meaning;
                let whole = found.start == 0 && found.end == reading.tokens.len();
                let reach = if whole { Reach::Whole } else { Reach::Part };
                other != number && !needless.contains(&other) && stands_for(other, reach, number)
            })
        };
        if written(phrase, &file.sets, WAYS).iter().all(by_another) {
            needless.push(number);
        }
    }
    needless.into_iter().map(|number| phrases[number].to_owned()).collect()
}

/// How much of a writing another phrase found.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    Part,
    Whole,
}

fn names<'a, T>(all: &'a [T], name: impl Fn(&'a T) -> &'a String) -> Vec<&'a str> {
    all.iter().map(|one| name(one).as_str()).collect()
}

#[test]
fn every_phrase_finds_something_that_no_other_one_does() {
    for json in PACKS {
        let file: File = serde_json::from_str(json).unwrap();
        let names = names(&file.phrases, |entry| &entry.phrase);
        let needless = needless(&file, &names, |other, _, entry| {
            let (other, entry) = (&file.phrases[other], &file.phrases[entry]);
            let at_least = [true, false].map(|i| other.class_with(i) >= entry.class_with(i));
            at_least == [true, true] && other.wish <= entry.wish
        });
        assert!(needless.is_empty(), "others find all that these do:\n{}", needless.join("\n"));
    }
}

#[test]
fn every_detail_finds_something_that_no_other_one_of_its_kind_does() {
    for json in PACKS {
        let file: File = serde_json::from_str(json).unwrap();
        let names = names(&file.details, |detail| &detail.phrase);
        let needless = needless(&file, &names, |other, reach, detail| {
            let (other, detail) = (&file.details[other], &file.details[detail]);
            // Of a clause that tells the time nothing must be left over.
            let enough = reach == Reach::Whole || detail.kind != DetailKind::Time;
            other.kind == detail.kind && other.grave >= detail.grave && enough
        });
        assert!(needless.is_empty(), "others find all that these do:\n{}", needless.join("\n"));
    }
}

#[test]
fn every_longer_phrase_absorbs_something_that_no_other_one_does() {
    for json in PACKS {
        let file: File = serde_json::from_str(json).unwrap();
        let names = names(&file.absorbed, |absorbed| &absorbed.phrase);
        let needless = needless(&file, &names, |other, reach, absorbed| {
            reach == Reach::Whole && file.absorbed[other].class <= file.absorbed[absorbed].class
        });
        assert!(needless.is_empty(), "others absorb all that these do:\n{}", needless.join("\n"));
    }
}

#[test]
fn no_longer_phrase_swallows_a_wish_beside_it() {
    // The one before a cover must not, with the cover's beginning, be a cover of its own.
    let kill = "I want to kill myself";
    let wishes = [("我想杀了自己", "我想自杀", PACKS[0]), (kill, kill, PACKS[1])];
    let mut swallowed: Vec<String> = Vec::new();
    for (before, behind, json) in wishes {
        let file: File = serde_json::from_str(json).unwrap();
        let covers = file.absorbed.iter().flat_map(|absorbed| written(&absorbed.phrase, &file.sets, WAYS));
        let texts = covers.flat_map(|cover| [format!("{before} {cover}"), format!("{cover} {behind}")]);
        let lost = |text: &String| floor::scan(text).is_none_or(|found| found.class < RiskClass::Intent);
        swallowed.extend(texts.filter(lost));
    }
    assert!(swallowed.is_empty(), "what was said beside these is lost:\n{}", swallowed.join("\n"));
}

#[test]
fn a_longer_phrase_with_a_gap_absorbs_distress_and_nothing_worse() {
    let mut json: serde_json::Value = serde_json::from_str(PACKS[0]).unwrap();
    let covers = json["absorbed"].as_array_mut().unwrap();
    for phrase in ["我..训练", "绳子..训练"] {
        covers.push(serde_json::json!({"phrase": phrase, "class": null}));
    }
    let pack = read(&json.to_string()).unwrap();
    let worst = |text: &str| findings(&pack, &Reading::of(text)).into_iter().map(|finding| finding.class).max();
    assert_eq!(worst("我很绝望训练"), None);
    assert_eq!(worst("我想死训练"), Some(RiskClass::Intent));
    assert_eq!(worst("我想自杀训练"), Some(RiskClass::MustCatch));
    assert_eq!(worst("我想死，绳子有了训练"), Some(RiskClass::MustCatch), "the means still counts");
}

#[test]
fn every_set_is_named_by_something() {
    for json in PACKS {
        let file: File = serde_json::from_str(json).unwrap();
        let idle: Vec<_> = file.sets.keys().filter(|name| !json.contains(&format!("<{name}>"))).collect();
        assert!(idle.is_empty(), "nothing names these sets: {idle:?}");
    }
}
