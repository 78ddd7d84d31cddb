//! Questionnaires: items with scored options, the sum, its band, and the triggers that raise the route.
//!
//! The PHQ-9 and the GAD-7 are built in and cannot be replaced by a script's form.

mod filling;
#[cfg(test)]
mod tests;

pub use filling::{FillStep, Filling, FormAnswer, Mode};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde::{Deserialize, Serialize};

use super::{Assessment, Evidence, HIGHEST_ITEM, Instrument, TriggeredRoute};
use crate::{
    locale::Locale,
    script::Condition,
    variable::{Lookup, Value},
};

/// A questionnaire.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    id: String,
    title: String,
    stem: String,
    items: Vec<FormItem>,       // Invariant: at least one; ids unique; each has two options or more.
    score: Vec<String>,         // Invariant: ids of items.
    bands: Vec<Band>,           // Invariant: ascending.
    triggers: Vec<FormTrigger>, // Invariant: about ids of items.
    instrument: Option<Instrument>, // Invariant: set for the built-in ones alone.
}

/// What a form is made of before it is checked, as `forms:` of a script gives it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FormDraft {
    /// Its name, from which its variables are named.
    pub id: String,
    /// Its title, for people.
    pub title: String,
    /// What is said before each item.
    pub stem: String,
    /// The items, in order.
    pub items: Vec<FormItem>,
    /// The items whose values are added up.
    pub score: Vec<String>,
    /// The bands, ascending.
    pub bands: Vec<Band>,
    /// What raises the route.
    pub triggers: Vec<FormTrigger>,
}

/// One question of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct FormItem {
    /// Its name, unique in the form.
    pub id: String,
    /// The question.
    pub text: String,
    /// The answers that it takes.
    pub options: Vec<FormOption>,
    /// Asked on reaching it; false leaves the item out, which is not the same as missing.
    pub when: Option<Condition>,
}

/// One answer that an item takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormOption {
    /// What it adds to the total.
    pub value: i32,
    /// How it reads.
    pub text: String,
}

/// The name of a range of totals, up to and including `upto`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The highest total of the band.
    pub upto: i32,
    /// Its name.
    pub band: String,
}

/// An answer that raises the route; it never lowers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormTrigger {
    /// The item.
    pub item: String,
    /// The lowest value that triggers.
    pub at_least: i32,
    /// The route that it asks for.
    pub route: TriggeredRoute,
}

/// What is wrong with a form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidForm {
    /// The name belongs to a built-in questionnaire.
    #[error("`{0}` is built in; a form needs another name")]
    BuiltIn(String),
    /// No items.
    #[error("form `{0}` has no items")]
    Empty(String),
    /// Two items of one name.
    #[error("form `{form}` has two items called `{item}`")]
    Duplicate {
        /// The form.
        form: String,
        /// The item.
        item: String,
    },
    /// An item with fewer than two options, or two options of the same value or text.
    #[error("item `{item}` of form `{form}` needs two options or more, each with its own value and text")]
    Options {
        /// The form.
        form: String,
        /// The item.
        item: String,
    },
    /// A score or trigger about an item that is not there.
    #[error("form `{form}` has no item `{item}`")]
    UnknownItem {
        /// The form.
        form: String,
        /// The name that was given.
        item: String,
    },
    /// A value too large to be added up.
    #[error("item `{item}` of form `{form}` has a value beyond {MAX_VALUE}")]
    Value {
        /// The form.
        form: String,
        /// The item.
        item: String,
    },
    /// Bands that do not ascend, or that leave the highest total without one.
    #[error("the bands of form `{0}` must ascend and reach the highest total")]
    Bands(String),
}

/// The result of a form. `Debug` prints how many items there are, no answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Scored {
    /// The form.
    pub form: String,
    /// The sum of the scored items; none if one of them is missing.
    pub total: Option<i32>,
    /// The band of the total.
    pub band: Option<String>,
    /// Each item that was asked, with its value; none if it is missing.
    pub items: Vec<(String, Option<i32>)>,
    assessment: Option<Assessment>,
    raises: Vec<TriggeredRoute>,
}

/// What is wrong with one item of answers that were handed in together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ItemViolation {
    /// It was not answered.
    #[error("item `{0}` is missing")]
    Missing(String),
    /// Its value is none of its options.
    #[error("item `{item}` is {given}; allowed: {allowed:?}")]
    OutOfRange {
        /// The item.
        item: String,
        /// What was given.
        given: i64,
        /// The values that it takes.
        allowed: Vec<i32>,
    },
    /// It was answered although the other answers leave it out.
    #[error("item `{0}` is answered but was not to be asked")]
    NotAsked(String),
    /// There is no such item.
    #[error("there is no item `{0}`")]
    Unknown(String),
}

/// The largest value of an option, and the smallest below zero: no sum of a form's items can overflow.
pub const MAX_VALUE: i32 = 10_000;

impl Form {
    /// Checks a form of a script.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn new(draft: FormDraft) -> Result<Self, Vec<InvalidForm>> {
        let built_in = Instrument::ALL.into_iter().any(|instrument| instrument.as_str() == draft.id);
        let mut defects = defects(&draft);
        if built_in {
            defects.push(InvalidForm::BuiltIn(draft.id.clone()));
        }
        if defects.is_empty() { Ok(Self::trusted(draft, None)) } else { Err(defects) }
    }

    /// Returns a built-in questionnaire in a language.
    pub fn built_in(instrument: Instrument, locale: Locale) -> &'static Self {
        let pair: &'static BuiltIn = match locale {
            Locale::ZhCn => &ZH_CN,
            Locale::En => &EN,
        };
        match instrument {
            Instrument::Phq9 => &pair.phq9,
            Instrument::Gad7 => &pair.gad7,
        }
    }

    /// Returns its name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns what is said before each item; may be empty.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns its items, in order.
    pub fn items(&self) -> &[FormItem] {
        &self.items
    }

    /// Returns which built-in questionnaire it is; none for a script's own.
    pub const fn instrument(&self) -> Option<Instrument> {
        self.instrument
    }

    /// Scores answers that were handed in together, by item; all items that are to be asked must be there, and no other.
    ///
    /// Conditions of items read the answers to the items before; session variables are unset.
    ///
    /// # Errors
    ///
    /// Every violation; then nothing is scored.
    pub fn submit(&self, answers: &BTreeMap<String, i64>) -> Result<Scored, Vec<ItemViolation>> {
        let unknown = answers.keys().filter(|id| self.item(id).is_none()).cloned().map(ItemViolation::Unknown);
        let mut violations: Vec<ItemViolation> = unknown.collect();
        let mut values = BTreeMap::new();
        for item in &self.items {
            let visible = item.when.as_ref().is_none_or(|when| when.test(&Submitted(&values)).met);
            match answers.get(&item.id) {
                None if !visible => {}
                Some(_) if !visible => violations.push(ItemViolation::NotAsked(item.id.clone())),
                None => violations.push(ItemViolation::Missing(item.id.clone())),
                Some(&given) => {
                    let fits = item.options.iter().find(|option| i64::from(option.value) == given);
                    if let Some(option) = fits {
                        values.insert(item.id.clone(), Some(option.value));
                    } else {
                        let allowed = item.options.iter().map(|option| option.value).collect();
                        violations.push(ItemViolation::OutOfRange { item: item.id.clone(), given, allowed });
                    }
                }
            }
        }
        if violations.is_empty() { Ok(self.scored(&values)) } else { Err(violations) }
    }

    /// Scores what was answered; an item that was left out is not in `values`, a missing one is there without a value.
    pub(super) fn scored(&self, values: &BTreeMap<String, Option<i32>>) -> Scored {
        let asked = self.items.iter().filter_map(|item| values.get(&item.id).map(|value| (item.id.clone(), *value)));
        let items: Vec<(String, Option<i32>)> = asked.collect();
        let scored = items.iter().filter(|(id, _)| self.score.contains(id));
        let total: Option<i32> = scored.map(|(_, value)| *value).sum();
        let band = total.and_then(|total| self.bands.iter().find(|band| total <= band.upto));
        let reached = |trigger: &&FormTrigger| {
            values.get(&trigger.item).copied().flatten().is_some_and(|value| value >= trigger.at_least)
        };
        Scored {
            form: self.id.clone(),
            total,
            band: band.map(|band| band.band.clone()),
            assessment: self.instrument.map(|instrument| assessment(instrument, &items)),
            raises: self.triggers.iter().filter(reached).map(|trigger| trigger.route).collect(),
            items,
        }
    }

    fn item(&self, id: &str) -> Option<&FormItem> {
        self.items.iter().find(|item| item.id == id)
    }

    fn trusted(draft: FormDraft, instrument: Option<Instrument>) -> Self {
        let FormDraft { id, title, stem, items, score, bands, triggers } = draft;
        Self { id, title, stem, items, score, bands, triggers, instrument }
    }
}

impl Scored {
    /// Returns what it may raise the route by.
    pub fn evidence(&self) -> Vec<Evidence> {
        let assessment = self.assessment.iter().cloned().map(Evidence::Assessment);
        assessment.chain(self.raises.iter().copied().map(Evidence::FormTrigger)).collect()
    }

    /// Returns the session variables that it writes: `<form>_total`, `<form>_band`, `<form>_items`.
    ///
    /// What is missing is written as null, which sets nothing.
    pub fn variables(&self) -> [(String, Value); 3] {
        let items: serde_json::Map<String, serde_json::Value> =
            self.items.iter().map(|(id, value)| (id.clone(), serde_json::json!(value))).collect();
        [
            (format!("{}_total", self.form), Value::new(serde_json::json!(self.total))),
            (format!("{}_band", self.form), Value::new(serde_json::json!(self.band))),
            (format!("{}_items", self.form), Value::new(items)),
        ]
    }

    /// Returns how much of it was answered, 0 to 1; a form without items that were asked is complete.
    pub fn completeness(&self) -> f64 {
        let answered = self.items.iter().filter(|(_, value)| value.is_some()).count();
        let (answered, asked) = (u32::try_from(answered), u32::try_from(self.items.len()));
        match (answered, asked) {
            (Ok(answered), Ok(asked)) if asked > 0 => f64::from(answered) / f64::from(asked),
            _ => 1.0,
        }
    }
}

impl std::fmt::Debug for Scored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scored({}, {} items)", self.form, self.items.len())
    }
}

/// The answers so far of those that were handed in together.
struct Submitted<'a>(&'a BTreeMap<String, Option<i32>>);

impl Lookup for Submitted<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        self.0.get(name).copied().flatten().map(Value::new)
    }
}

fn assessment(instrument: Instrument, items: &[(String, Option<i32>)]) -> Assessment {
    let values = items.iter().map(|(_, value)| value.and_then(|value| u8::try_from(value).ok()));
    Assessment::from_items(instrument, &values.collect::<Vec<_>>())
        .expect("a built-in questionnaire has its items, none left out, each 0 to 3")
}

fn defects(draft: &FormDraft) -> Vec<InvalidForm> {
    let form = &draft.id;
    let mut defects = Vec::new();
    if draft.items.is_empty() {
        defects.push(InvalidForm::Empty(form.clone()));
    }
    for (index, item) in draft.items.iter().enumerate() {
        if draft.items[..index].iter().any(|earlier| earlier.id == item.id) {
            defects.push(InvalidForm::Duplicate { form: form.clone(), item: item.id.clone() });
        }
        let twice = |(index, option): (usize, &FormOption)| {
            item.options[..index].iter().any(|other| other.value == option.value || other.text == option.text)
        };
        if item.options.len() < 2 || item.options.iter().enumerate().any(twice) {
            defects.push(InvalidForm::Options { form: form.clone(), item: item.id.clone() });
        }
        if item.options.iter().any(|option| option.value.unsigned_abs() > MAX_VALUE.unsigned_abs()) {
            defects.push(InvalidForm::Value { form: form.clone(), item: item.id.clone() });
        }
    }
    let named = draft.score.iter().chain(draft.triggers.iter().map(|trigger| &trigger.item));
    for item in named.filter(|name| !draft.items.iter().any(|item| item.id == **name)) {
        defects.push(InvalidForm::UnknownItem { form: form.clone(), item: item.clone() });
    }
    let ascending = draft.bands.windows(2).all(|pair| pair[0].upto < pair[1].upto);
    let scored = draft.items.iter().filter(|item| draft.score.contains(&item.id));
    let most = |item: &FormItem| item.options.iter().map(|option| i64::from(option.value.max(0))).max();
    let highest: i64 = scored.filter_map(most).sum();
    let reaches = draft.bands.last().is_none_or(|band| i64::from(band.upto) >= highest);
    if !ascending || !reaches {
        defects.push(InvalidForm::Bands(form.clone()));
    }
    defects
}

/// Tells whether a word turns an option beside which it stands, in any shipped locale: negations and comparisons.
fn turns(word: &str) -> bool {
    [&*ZH_CN, &*EN].into_iter().any(|built_in| built_in.turning.contains(word))
}

struct BuiltIn {
    phq9: Form,
    gad7: Form,
    turning: BTreeSet<String>,
}

static ZH_CN: LazyLock<BuiltIn> = LazyLock::new(|| {
    read(include_str!("../../packs/zh-CN/questionnaires.json")).expect("a test reads every shipped questionnaire")
});
static EN: LazyLock<BuiltIn> = LazyLock::new(|| {
    read(include_str!("../../packs/en/questionnaires.json")).expect("a test reads every shipped questionnaire")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    phq9: Words,
    gad7: Words,
    turning: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    title: String,
    stem: String,
    options: [String; HIGHEST_ITEM as usize + 1],
    items: Vec<String>,
}

fn read(json: &str) -> Result<BuiltIn, serde_json::Error> {
    let File { phq9, gad7, turning } = serde_json::from_str(json)?;
    Ok(BuiltIn { phq9: worded(Instrument::Phq9, phq9), gad7: worded(Instrument::Gad7, gad7), turning })
}

fn worded(instrument: Instrument, words: Words) -> Form {
    let id = instrument.as_str();
    let options: Vec<FormOption> =
        words.options.into_iter().zip(0..).map(|(text, value)| FormOption { value, text }).collect();
    let items = words.items.into_iter().zip(1..).map(|(text, number)| FormItem {
        id: format!("{id}_{number}"),
        text,
        options: options.clone(),
        when: None,
    });
    let items: Vec<FormItem> = items.collect();
    let bands = bands(instrument).iter().map(|&(upto, band)| Band { upto, band: band.to_owned() }).collect();
    let draft = FormDraft {
        id: id.to_owned(),
        title: words.title,
        stem: words.stem,
        score: items.iter().map(|item| item.id.clone()).collect(),
        items,
        bands,
        triggers: Vec::new(),
    };
    Form::trusted(draft, Some(instrument))
}

/// The published bands, each up to and including its number.
const fn bands(instrument: Instrument) -> &'static [(i32, &'static str)] {
    match instrument {
        Instrument::Phq9 => &[(4, "minimal"), (9, "mild"), (14, "moderate"), (19, "moderately_severe"), (27, "severe")],
        Instrument::Gad7 => &[(4, "minimal"), (9, "mild"), (14, "moderate"), (21, "severe")],
    }
}
