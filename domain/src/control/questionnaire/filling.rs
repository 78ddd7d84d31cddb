//! Fills a form item by item; can be suspended between any two answers and goes on where it stood.

use std::{collections::BTreeMap, ops::Range};

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::{Form, FormItem, Scored};
use crate::{
    control::reading::Reading,
    variable::{Lookup, Value},
};

/// Where the filling of a form stands. `Debug` prints how many items are passed, no answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filling {
    mode: Mode,
    values: BTreeMap<String, Option<i32>>, // The items passed: answered, or missing.
    unfit: u32,                            // Answers to the present item that fit no option.
    missing_in_row: u32,
    verbatim: bool, // Whether the present item's options are shown although the mode is conversational.
}

/// How the items are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Each as written, its options as choices.
    #[default]
    Verbatim,
    /// In the model's words; the model maps the answer to a value.
    Conversational,
}

/// An answer to the present item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FormAnswer<'a> {
    /// A choice, by its value.
    Value(i64),
    /// The person's own words.
    Text(&'a str),
    /// What the model made of the person's words, with how sure it is, 0 to 1.
    Mapped {
        /// The value.
        value: i64,
        /// How sure the model is.
        confidence: f64,
    },
    /// The person skips the rest.
    Skip,
}

/// What an answer led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FillStep {
    /// The next item is to be put.
    Next,
    /// The same item is to be put again, with its options as written.
    Again,
    /// All items are passed.
    Finished(Scored),
    /// Three items in a row are missing, or the rest was skipped.
    Partial(Scored),
}

/// How many answers that fit no option make an item missing.
const UNFIT_ANSWERS: u32 = 2;
/// How many items missing in a row end the form.
const MISSING_IN_ROW: u32 = 3;
/// How sure the model must be of a mapped answer.
const LEAST_CONFIDENCE: f64 = 0.8;
impl Filling {
    /// Begins a form.
    pub fn new(mode: Mode) -> Self {
        Self { mode, values: BTreeMap::new(), unfit: 0, missing_in_row: 0, verbatim: false }
    }

    /// Returns the item to be put now; none when all are passed.
    ///
    /// Conditions of items read the answers so far by item, then `variables`.
    pub fn current<'a>(&self, form: &'a Form, variables: &dyn Lookup) -> Option<&'a FormItem> {
        let answers = Answers { values: &self.values, variables };
        let mut rest = form.items().iter().skip(self.passed(form));
        rest.find(|item| item.when.as_ref().is_none_or(|when| when.test(&answers).met))
    }

    /// Tells whether the present item is to be put as written, with its options as choices.
    pub const fn shows_options(&self) -> bool {
        match self.mode {
            Mode::Verbatim => true,
            Mode::Conversational => self.verbatim,
        }
    }

    /// Takes an answer to the present item. Its free text was scanned for risk before.
    pub fn answer(&mut self, form: &Form, answer: FormAnswer<'_>, variables: &dyn Lookup) -> FillStep {
        let Some(item) = self.current(form, variables) else { return FillStep::Finished(form.scored(&self.values)) };
        let value = match answer {
            FormAnswer::Skip => {
                self.miss_the_rest(form, variables);
                return FillStep::Partial(form.scored(&self.values));
            }
            FormAnswer::Mapped { confidence, .. } if confidence.is_nan() || confidence < LEAST_CONFIDENCE => {
                if !self.verbatim {
                    self.verbatim = true;
                    return FillStep::Again;
                }
                None
            }
            FormAnswer::Mapped { value, .. } | FormAnswer::Value(value) => option_of(item, value),
            FormAnswer::Text(text) => named(item, text),
        };
        if value.is_none() {
            self.unfit += 1;
            self.verbatim = true;
            if self.unfit < UNFIT_ANSWERS {
                return FillStep::Again;
            }
        }
        self.pass(item, value);
        if self.missing_in_row >= MISSING_IN_ROW {
            self.miss_the_rest(form, variables);
            return FillStep::Partial(form.scored(&self.values));
        }
        match self.current(form, variables) {
            Some(_) => FillStep::Next,
            None => FillStep::Finished(form.scored(&self.values)),
        }
    }

    fn pass(&mut self, item: &FormItem, value: Option<i32>) {
        self.values.insert(item.id.clone(), value);
        self.unfit = 0;
        self.verbatim = false;
        self.missing_in_row = if value.is_some() { 0 } else { self.missing_in_row + 1 };
    }

    /// Makes the rest missing, but for items that the answers surely leave out.
    fn miss_the_rest(&mut self, form: &Form, variables: &dyn Lookup) {
        for item in form.items().iter().skip(self.passed(form)) {
            let left_out = item.when.as_ref().is_some_and(|when| {
                let tested = when.test(&Answers { values: &self.values, variables });
                !tested.met && tested.mismatches.is_empty()
            });
            if !left_out {
                self.values.insert(item.id.clone(), None);
            }
        }
    }

    /// Returns how many items are passed, those that were left out included.
    fn passed(&self, form: &Form) -> usize {
        form.items().iter().rposition(|item| self.values.contains_key(&item.id)).map_or(0, |index| index + 1)
    }
}

impl std::fmt::Debug for Filling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Filling({:?}, {} items passed)", self.mode, self.values.len())
    }
}

fn option_of(item: &FormItem, value: i64) -> Option<i32> {
    item.options.iter().map(|option| option.value).find(|&option| i64::from(option) == value)
}

/// Finds the one option that a text names: by its value, or by its words with nothing around them that turns them.
fn named(item: &FormItem, text: &str) -> Option<i32> {
    let digits: String = text.nfkc().filter(|c| c.is_alphanumeric() || *c == '-').collect();
    if let Ok(value) = digits.parse() {
        return option_of(item, value);
    }
    let said = words(text);
    if let Some(whole) = item.options.iter().find(|option| words(&option.text) == said) {
        return Some(whole.value);
    }
    let places = item.options.iter().filter_map(|option| Some((option, place_of(&words(&option.text), &said)?)));
    let mut places = places.collect::<Vec<_>>().into_iter();
    let (Some((option, place)), None) = (places.next(), places.next()) else { return None };
    let turned = said[..place.start].iter().chain(&said[place.end..]).any(|word| super::turns(word));
    (!turned).then_some(option.value)
}

/// Returns where an option's words stand in a text as whole words.
fn place_of(option: &[String], said: &[String]) -> Option<Range<usize>> {
    let start = said.windows(option.len().max(1)).position(|place| place == option)?;
    Some(start..start + option.len())
}

fn words(text: &str) -> Vec<String> {
    Reading::of(text).tokens.into_iter().map(|mut token| token.forms.swap_remove(0)).collect()
}

/// The answers so far, by item, before the session's variables.
struct Answers<'a> {
    values: &'a BTreeMap<String, Option<i32>>,
    variables: &'a dyn Lookup,
}

impl Lookup for Answers<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        match self.values.get(name) {
            Some(value) => value.map(Value::new),
            None => self.variables.value(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{control::Instrument, locale::Locale};

    struct Nothing;

    impl Lookup for Nothing {
        fn value(&self, _name: &str) -> Option<Value> {
            None
        }
    }

    fn phq9() -> &'static Form {
        Form::built_in(Instrument::Phq9, Locale::En)
    }

    #[test]
    fn a_form_is_filled_in_order_and_goes_on_after_a_restart() {
        let mut filling = Filling::new(Mode::Verbatim);
        assert!(filling.shows_options());
        for text in ["2.", "Several days", "not at all", "I'd say several days", "NEARLY EVERY DAY!", "0", "1", "3"] {
            assert_eq!(filling.answer(phq9(), FormAnswer::Text(text), &Nothing), FillStep::Next, "{text}");
            let kept = serde_json::to_string(&filling).unwrap();
            filling = serde_json::from_str(&kept).unwrap();
        }
        assert_eq!(filling.current(phq9(), &Nothing).unwrap().id, "phq9_9");
        assert_eq!(format!("{filling:?}"), "Filling(Verbatim, 8 items passed)");
        let FillStep::Finished(scored) = filling.answer(phq9(), FormAnswer::Value(1), &Nothing) else { panic!() };
        assert_eq!(format!("{scored:?}"), "Scored(phq9, 9 items)");
        assert_eq!((scored.total, scored.band.as_deref()), (Some(2 + 1 + 1 + 3 + 1 + 3 + 1), Some("moderate")));
        assert!(matches!(filling.answer(phq9(), FormAnswer::Value(1), &Nothing), FillStep::Finished(_)));
    }

    #[test]
    fn two_unfit_answers_make_an_item_missing_and_three_missing_in_a_row_end_the_form() {
        let mut filling = Filling::new(Mode::Verbatim);
        let unfit = FormAnswer::Text("not at all, or several days");
        assert_eq!(filling.answer(phq9(), unfit, &Nothing), FillStep::Again);
        assert_eq!(filling.answer(phq9(), FormAnswer::Value(4), &Nothing), FillStep::Next);
        assert_eq!(filling.answer(phq9(), unfit, &Nothing), FillStep::Again);
        assert_eq!(filling.answer(phq9(), unfit, &Nothing), FillStep::Next);
        assert_eq!(filling.answer(phq9(), FormAnswer::Value(3), &Nothing), FillStep::Next, "the row is broken");
        for _ in 0..2 {
            assert_eq!(filling.answer(phq9(), unfit, &Nothing), FillStep::Again);
            assert_eq!(filling.answer(phq9(), unfit, &Nothing), FillStep::Next);
        }
        assert_eq!(filling.answer(phq9(), unfit, &Nothing), FillStep::Again);
        let FillStep::Partial(scored) = filling.answer(phq9(), unfit, &Nothing) else { panic!() };
        assert_eq!((scored.total, scored.band, scored.items.len()), (None, None, 9));
        assert_eq!(scored.items.iter().filter(|(_, value)| value.is_some()).count(), 1);
    }

    #[test]
    fn an_unsure_mapping_shows_the_options_and_a_sure_one_counts() {
        let mut filling = Filling::new(Mode::Conversational);
        assert!(!filling.shows_options());
        let unsure = FormAnswer::Mapped { value: 1, confidence: 0.799 };
        assert_eq!(filling.answer(phq9(), unsure, &Nothing), FillStep::Again);
        assert!(filling.shows_options());
        assert_eq!(filling.answer(phq9(), FormAnswer::Value(1), &Nothing), FillStep::Next);
        assert!(!filling.shows_options(), "only for that item");
        let sure = FormAnswer::Mapped { value: 3, confidence: 0.8 };
        assert_eq!(filling.answer(phq9(), sure, &Nothing), FillStep::Next);
        let invalid = FormAnswer::Mapped { value: 3, confidence: f64::NAN };
        assert_eq!(filling.answer(phq9(), invalid, &Nothing), FillStep::Again);
        assert_eq!(filling.answer(phq9(), unsure, &Nothing), FillStep::Again, "the first unfit answer");
        assert_eq!(filling.answer(phq9(), unsure, &Nothing), FillStep::Next, "the second makes it missing");
        let FillStep::Partial(scored) = filling.answer(phq9(), FormAnswer::Skip, &Nothing) else { panic!() };
        assert_eq!(
            scored.items[..3],
            [("phq9_1".into(), Some(1)), ("phq9_2".into(), Some(3)), ("phq9_3".into(), None)]
        );
        assert_eq!((scored.items.len(), scored.total), (9, None), "a skip is recorded as missing");
    }
}
