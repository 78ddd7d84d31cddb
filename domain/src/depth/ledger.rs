//! The sets behind the counts: what was defined, discussed, covered, checked, compared and chosen so far.

mod absorb;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Agenda, Counts, Ratio, choice::normalised};
use crate::utterance::Text;

pub(super) use absorb::Absorbed;

/// The most terms, constraints or options that a deliberation adds to those of its script.
const MAX_ADDED: usize = 20;

/// What a deliberation has gathered. Bounded: it does not grow with the number of rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    terms: Vec<Item>,
    topics: Vec<Item>,
    angles: Vec<Item>,
    constraints: Vec<KnownConstraint>,
    options: Vec<KnownOption>,
    scope: Ratio,
    reasons: Vec<Text>,
    assumptions: Vec<Text>,
    risks: Vec<Text>,
    /// The option that the person chose and has not taken back.
    choice: Option<usize>,
    /// Options that the person said no to.
    declined: BTreeSet<usize>,
    listed: Listed,
}

/// Whether an option can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feasibility {
    /// Nobody checked.
    Unknown,
    /// It can.
    Feasible,
    /// It fails a hard constraint, or cannot be done for another reason.
    Infeasible,
}

/// Which constraints exclude which option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// The option.
    pub option: Text,
    /// The hard constraints that it fails; empty if it was only said to be infeasible.
    pub constraints: Vec<Text>,
}

/// What is still open: for the model that writes the next question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gaps {
    /// Terms that nobody has defined.
    pub terms: Vec<Text>,
    /// Constraints without a value.
    pub unset_constraints: Vec<Text>,
    /// Constraints that some option was not checked against.
    pub unverified_constraints: Vec<Text>,
    /// Topics that were not discussed.
    pub topics: Vec<Text>,
    /// Angles that were not taken.
    pub angles: Vec<Text>,
    /// Options of unknown feasibility.
    pub unchecked_options: Vec<Text>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Item {
    name: Text,
    done: bool,
}

/// One constraint and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownConstraint {
    pub(super) id: Text,
    pub(super) hard: bool,
    pub(super) relaxed: bool,
    pub(super) value: Option<Text>,
}

/// One option and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownOption {
    pub(super) name: Text,
    stated: Option<bool>,
    meets: BTreeSet<usize>,
    fails: BTreeSet<usize>,
    dimensions: BTreeSet<Text>,
    pub(super) pros: Vec<Text>,
    pub(super) cons: Vec<Text>,
}

/// How many of each came from the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Listed {
    terms: usize,
    constraints: usize,
    options: usize,
}

impl Ledger {
    /// Starts with what the script lists, nothing of it done.
    pub(super) fn new(agenda: &Agenda) -> Self {
        let items = |names: &[String]| -> Vec<Item> {
            names.iter().map(|name| Item { name: Text::from(name.as_str()), done: false }).collect()
        };
        let constraints = agenda.constraints.iter().map(|constraint| KnownConstraint {
            id: Text::from(constraint.id.as_str()),
            hard: constraint.hard,
            relaxed: false,
            value: None,
        });
        Self {
            terms: items(&agenda.terms),
            topics: items(&agenda.topics),
            angles: items(&agenda.angles),
            constraints: constraints.collect(),
            options: agenda.options.iter().map(|name| KnownOption::new(Text::from(name.as_str()))).collect(),
            scope: Ratio::ONE,
            reasons: Vec::new(),
            assumptions: Vec::new(),
            risks: Vec::new(),
            choice: None,
            declined: BTreeSet::new(),
            listed: Listed {
                terms: agenda.terms.len(),
                constraints: agenda.constraints.len(),
                options: agenda.options.len(),
            },
        }
    }

    /// Returns the options' names, in order.
    pub fn options(&self) -> Vec<&str> {
        self.options.iter().map(|option| option.name.as_str()).collect()
    }

    /// Returns the name of an option.
    pub fn option_name(&self, option: usize) -> Option<&Text> {
        self.options.get(option).map(|option| &option.name)
    }

    /// Returns the option that the person chose and has not taken back.
    pub fn choice(&self) -> Option<usize> {
        self.choice
    }

    /// Tells whether an option can be done. A hard constraint that it fails outweighs what was said of it.
    pub fn feasibility(&self, option: usize) -> Feasibility {
        let Some(option) = self.options.get(option) else { return Feasibility::Unknown };
        let mut hard = self.hard().peekable();
        let meets_all = hard.peek().is_some() && hard.all(|constraint| option.meets.contains(&constraint));
        if self.hard().any(|constraint| option.fails.contains(&constraint)) || option.stated == Some(false) {
            Feasibility::Infeasible
        } else if option.stated == Some(true) || meets_all {
            Feasibility::Feasible
        } else {
            Feasibility::Unknown
        }
    }

    /// Returns what excludes each infeasible option.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        self.with(Feasibility::Infeasible).map(|option| self.obstacle(option)).collect()
    }

    /// Returns what is still open.
    pub fn gaps(&self) -> Gaps {
        let open = |items: &[Item]| items.iter().filter(|item| !item.done).map(|item| item.name.clone()).collect();
        let constraints = |holds: &dyn Fn(usize) -> bool| {
            let open = self.constraints.iter().enumerate().filter(|(index, _)| holds(*index));
            open.map(|(_, constraint)| constraint.id.clone()).collect()
        };
        Gaps {
            terms: open(&self.terms),
            unset_constraints: constraints(&|index| self.constraints[index].value.is_none()),
            unverified_constraints: constraints(&|index| !self.is_verified(index)),
            topics: open(&self.topics),
            angles: open(&self.angles),
            unchecked_options: self.with(Feasibility::Unknown).map(|index| self.options[index].name.clone()).collect(),
        }
    }

    /// Counts everything.
    pub fn counts(&self) -> Counts {
        let done = |items: &[Item]| number(items.iter().filter(|item| item.done).count());
        let unset = self.constraints.iter().filter(|constraint| constraint.value.is_none()).count();
        let verified = (0..self.constraints.len()).filter(|&index| self.is_verified(index)).count();
        Counts {
            undefined_terms: number(self.terms.len()) - done(&self.terms),
            total_terms: number(self.terms.len()),
            unset_constraints: number(unset),
            expected_constraints: number(self.constraints.len()),
            scope: self.scope,
            topics_discussed: done(&self.topics),
            topics_expected: number(self.topics.len()),
            angles_covered: done(&self.angles),
            angles_expected: number(self.angles.len()),
            constraints_verified: number(verified),
            constraints_total: number(self.constraints.len()),
            explicit_choice: self.choice.is_some(),
            comparison_converged: self.comparison_converged(),
            unique_option: self.single().is_some(),
        }
    }

    /// Counts the terms that are clear.
    pub(super) fn defined_terms(&self) -> usize {
        self.terms.iter().filter(|term| term.done).count()
    }

    /// Counts the options whose feasibility is known, either way.
    pub(super) fn known_options(&self) -> usize {
        self.options.len() - self.with(Feasibility::Unknown).count()
    }

    /// Returns the one feasible option, if every other one is excluded and there is another one.
    pub(super) fn single(&self) -> Option<usize> {
        let mut feasible = self.with(Feasibility::Feasible);
        let (only, more) = (feasible.next()?, feasible.next());
        let decided = more.is_none() && self.options.len() > 1 && self.with(Feasibility::Unknown).next().is_none();
        decided.then_some(only)
    }

    /// Tells whether there are options and none of them can be done.
    pub(super) fn none_feasible(&self) -> bool {
        !self.options.is_empty() && self.with(Feasibility::Infeasible).count() == self.options.len()
    }

    /// Returns the best option that is not excluded and was not declined: feasible before unknown, then by constraints
    /// met, then by points for and against, then in list order.
    pub(super) fn front_runner(&self) -> Option<usize> {
        let open = (0..self.options.len())
            .filter(|&index| self.feasibility(index) != Feasibility::Infeasible && !self.declined.contains(&index));
        open.max_by_key(|&index| {
            let option = &self.options[index];
            let balance = i64::from(number(option.pros.len())) - i64::from(number(option.cons.len()));
            (self.feasibility(index), option.meets.len(), balance, std::cmp::Reverse(index))
        })
    }

    pub(super) fn is_declined(&self, option: usize) -> bool {
        self.declined.contains(&option)
    }

    pub(super) fn obstacle(&self, option: usize) -> Obstacle {
        let known = &self.options[option];
        let failed = self.hard().filter(|constraint| known.fails.contains(constraint));
        Obstacle {
            option: known.name.clone(),
            constraints: failed.map(|constraint| self.constraints[constraint].id.clone()).collect(),
        }
    }

    pub(super) fn choose(&mut self, option: usize) {
        self.choice = Some(option);
        self.declined.remove(&option);
    }

    pub(super) fn retract(&mut self) {
        self.choice = None;
    }

    pub(super) fn decline(&mut self, option: usize) {
        self.choice = None;
        self.declined.insert(option);
    }

    /// Finds an option by name in any letter case and width.
    pub(super) fn find_option(&self, name: &Text) -> Option<usize> {
        position(self.options.iter().map(|option| &option.name), name)
    }

    /// Finds an option, or adds it while there is room.
    pub(super) fn find_or_add_option(&mut self, name: &Text) -> Option<usize> {
        if let Some(found) = self.find_option(name) {
            return Some(found);
        }
        let room = !name.is_blank() && self.options.len() < self.listed.options + MAX_ADDED;
        room.then(|| {
            self.options.push(KnownOption::new(name.clone()));
            self.options.len() - 1
        })
    }

    pub(super) fn constraints(&self) -> impl Iterator<Item = (&KnownConstraint, bool)> {
        self.constraints.iter().enumerate().map(|(index, constraint)| (constraint, self.is_verified(index)))
    }

    pub(super) fn known(&self) -> impl Iterator<Item = (&KnownOption, Feasibility, Obstacle)> {
        self.options.iter().enumerate().map(|(index, option)| (option, self.feasibility(index), self.obstacle(index)))
    }

    pub(super) fn points(&self) -> [&[Text]; 3] {
        [&self.reasons, &self.assumptions, &self.risks]
    }

    fn hard(&self) -> impl Iterator<Item = usize> {
        let hard = self.constraints.iter().enumerate().filter(|(_, constraint)| constraint.hard && !constraint.relaxed);
        hard.map(|(index, _)| index)
    }

    fn with(&self, feasibility: Feasibility) -> impl Iterator<Item = usize> {
        (0..self.options.len()).filter(move |&index| self.feasibility(index) == feasibility)
    }

    fn is_verified(&self, constraint: usize) -> bool {
        let checked = |option: &KnownOption| option.meets.contains(&constraint) || option.fails.contains(&constraint);
        !self.options.is_empty() && self.options.iter().all(checked)
    }

    fn comparison_converged(&self) -> bool {
        let mut feasible = self.with(Feasibility::Feasible).map(|index| &self.options[index].dimensions);
        let Some(first) = feasible.next() else { return false };
        let others: Vec<_> = feasible.collect();
        !others.is_empty() && first.iter().any(|dimension| others.iter().all(|other| other.contains(dimension)))
    }
}

impl KnownOption {
    fn new(name: Text) -> Self {
        Self {
            name,
            stated: None,
            meets: BTreeSet::new(),
            fails: BTreeSet::new(),
            dimensions: BTreeSet::new(),
            pros: Vec::new(),
            cons: Vec::new(),
        }
    }
}

fn position<'a>(names: impl Iterator<Item = &'a Text>, wanted: &Text) -> Option<usize> {
    let wanted = normalised(wanted.as_str());
    names.into_iter().position(|name| normalised(name.as_str()) == wanted)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
