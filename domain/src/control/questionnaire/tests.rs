//! The shipped questionnaires are whole, totals and bands are the published ones, and defects of forms are all named.

use super::*;

#[test]
fn every_shipped_questionnaire_is_whole() {
    for locale in Locale::ALL {
        for instrument in Instrument::ALL {
            let form = Form::built_in(instrument, locale);
            assert_eq!((form.items().len(), form.instrument()), (instrument.items(), Some(instrument)));
            let titled = form.title().to_lowercase().replace('-', "");
            assert_eq!((form.id(), titled.as_str()), (instrument.as_str(), instrument.as_str()));
            assert!(form.stem().ends_with(['?', '？']), "{}", form.stem());
            let highest: i32 = form.items().iter().map(|item| item.options[3].value).sum();
            assert_eq!(highest, i32::from(instrument.highest_total()), "{locale}");
            assert!(form.items().iter().all(|item| item.options.len() == 4 && !item.text.is_empty()));
            assert_eq!(defects(&FormDraft { items: form.items.clone(), ..FormDraft::default() }), []);
            assert_eq!(form.bands.last().map(|band| band.upto), Some(highest));
            let values: BTreeMap<_, _> = form.items().iter().map(|item| (item.id.clone(), Some(3))).collect();
            assert_eq!(form.scored(&values).total, Some(highest), "every item counts");
        }
    }
}

#[test]
fn bands_are_the_published_ones() {
    let expected = [
        (
            Instrument::Phq9,
            vec![
                (0, "minimal"),
                (4, "minimal"),
                (5, "mild"),
                (9, "mild"),
                (10, "moderate"),
                (14, "moderate"),
                (15, "moderately_severe"),
                (19, "moderately_severe"),
                (20, "severe"),
                (27, "severe"),
            ],
        ),
        (
            Instrument::Gad7,
            vec![
                (0, "minimal"),
                (4, "minimal"),
                (5, "mild"),
                (9, "mild"),
                (10, "moderate"),
                (14, "moderate"),
                (15, "severe"),
                (21, "severe"),
            ],
        ),
    ];
    for (instrument, rows) in expected {
        let form = Form::built_in(instrument, Locale::En);
        for (total, band) in rows {
            let mut left = total;
            let values = form.items().iter().map(|item| {
                let value = left.min(3);
                left -= value;
                (item.id.clone(), Some(value))
            });
            let scored = form.scored(&values.collect());
            assert_eq!((scored.total, scored.band.as_deref()), (Some(total), Some(band)));
        }
    }
}

#[test]
fn answers_handed_in_together_are_checked_item_by_item_and_nothing_is_scored() {
    let form = Form::built_in(Instrument::Gad7, Locale::En);
    let mut answers: BTreeMap<String, i64> = form.items().iter().map(|item| (item.id.clone(), 1)).collect();
    assert_eq!(form.submit(&answers).unwrap().total, Some(7));
    answers.insert("gad7_2".to_owned(), 4);
    answers.insert("gad7_8".to_owned(), 0);
    answers.remove("gad7_7");
    let violations = form.submit(&answers).unwrap_err();
    let out_of_range = ItemViolation::OutOfRange { item: "gad7_2".to_owned(), given: 4, allowed: vec![0, 1, 2, 3] };
    let expected =
        [ItemViolation::Unknown("gad7_8".to_owned()), out_of_range, ItemViolation::Missing("gad7_7".to_owned())];
    assert_eq!(violations, expected);
}

fn mood_log() -> FormDraft {
    let options = vec![FormOption { value: 0, text: "no".into() }, FormOption { value: 2, text: "yes".into() }];
    let item = |id: &str| FormItem { id: id.into(), text: id.into(), options: options.clone(), when: None };
    FormDraft {
        id: "mood_log".into(),
        title: "Mood".into(),
        items: vec![item("m1"), item("m2"), item("note")],
        score: vec!["m1".into(), "m2".into()],
        bands: vec![Band { upto: 2, band: "low".into() }, Band { upto: 4, band: "high".into() }],
        triggers: vec![FormTrigger { item: "m1".into(), at_least: 2, route: TriggeredRoute::Medium }],
        ..FormDraft::default()
    }
}

#[test]
fn a_scripts_form_sums_the_listed_items_and_raises_by_its_triggers() {
    let form = Form::new(mood_log()).unwrap();
    let values = BTreeMap::from([("m1".into(), Some(2)), ("m2".into(), Some(0)), ("note".into(), Some(2))]);
    let scored = form.scored(&values);
    assert_eq!((scored.total, scored.band.as_deref()), (Some(2), Some("low")));
    assert_eq!(scored.evidence(), [Evidence::FormTrigger(TriggeredRoute::Medium)]);
    let written = scored.variables().map(|(name, value)| (name, value.into_json()));
    let expected = [
        ("mood_log_total".to_owned(), serde_json::json!(2)),
        ("mood_log_band".to_owned(), serde_json::json!("low")),
        ("mood_log_items".to_owned(), serde_json::json!({"m1": 2, "m2": 0, "note": 2})),
    ];
    assert_eq!(written, expected);
    let values = BTreeMap::from([("m1".into(), Some(0)), ("m2".into(), None), ("note".into(), None)]);
    let scored = form.scored(&values);
    assert_eq!((scored.total, scored.band.clone(), scored.evidence()), (None, None, vec![]));
    assert!((scored.completeness() - 1.0 / 3.0).abs() < 1e-9);
    assert!((form.scored(&BTreeMap::new()).completeness() - 1.0).abs() < 1e-9, "nothing was asked");
}

#[test]
fn a_form_with_defects_is_refused_with_all_of_them() {
    let mut draft = mood_log();
    draft.id = "phq9".into();
    draft.items[1].id = "m1".into();
    draft.items[2].options.truncate(1);
    draft.score.push("m9".into());
    draft.triggers[0].item = "m8".into();
    draft.bands.reverse();
    let defects = Form::new(draft).unwrap_err();
    assert_eq!(defects.len(), 7, "{defects:?}");
    let mut short = mood_log();
    short.bands.pop();
    assert_eq!(Form::new(short).unwrap_err(), [InvalidForm::Bands("mood_log".into())]);
    let mut level = mood_log();
    level.bands[0].upto = 4;
    assert_eq!(Form::new(level).unwrap_err(), [InvalidForm::Bands("mood_log".into())]);
    for (value, text) in [(0, "other"), (1, "no")] {
        let mut twice = mood_log();
        twice.items[0].options[1] = FormOption { value, text: text.into() };
        let options = InvalidForm::Options { form: "mood_log".into(), item: "m1".into() };
        assert_eq!(Form::new(twice).unwrap_err(), [options], "{value} {text}");
    }
    let mut large = mood_log();
    large.items[2].options[1].value = MAX_VALUE;
    assert!(Form::new(large.clone()).is_ok());
    large.items[2].options[1].value = -MAX_VALUE - 1;
    let value = InvalidForm::Value { form: "mood_log".into(), item: "note".into() };
    assert_eq!(Form::new(large).unwrap_err(), [value]);
    let empty = FormDraft { id: "e".into(), ..FormDraft::default() };
    assert_eq!(Form::new(empty).unwrap_err(), [InvalidForm::Empty("e".into())]);
}
