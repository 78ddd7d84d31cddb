//! Takes what a model reported into the sets: only known names count, and what is added is bounded.

use super::{Item, KnownConstraint, KnownOption, Ledger, MAX_ADDED, number, position};
use crate::{
    depth::{Ratio, Report, ReportedOption, Stage, Standing, choice::normalised},
    utterance::Text,
};

/// The most reasons, assumptions, risks, pros, cons or dimensions that are kept of one thing.
const MAX_POINTS: usize = 20;

/// What a report changed beside the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::depth) struct Absorbed {
    /// Constraints that are new.
    pub(in crate::depth) new_constraints: u32,
    /// Constraints that were relaxed.
    pub(in crate::depth) relaxed: u32,
    /// Names that are on no list, and entries beyond a bound.
    pub(in crate::depth) ignored: u32,
}

impl Ledger {
    /// Takes a report over. Only known names count; terms, constraints and options may be added, within bounds.
    /// In CLARIFY a scope that the report does not describe is entirely vague; later the last value stands.
    pub(in crate::depth) fn absorb(&mut self, report: &Report, stage: Stage) -> Absorbed {
        let mut absorbed = Absorbed::default();
        self.absorb_terms(report, &mut absorbed);
        for (items, names) in [(&mut self.topics, &report.topics), (&mut self.angles, &report.angles)] {
            for name in names {
                absorbed.ignored += u32::from(!mark(items, name));
            }
        }
        self.absorb_constraints(report, &mut absorbed);
        for option in &report.options {
            self.absorb_option(option, &mut absorbed);
        }
        for compared in &report.compared {
            for name in &compared.options {
                match self.find_option(name) {
                    Some(index) => self.options[index].compared_in(&compared.dimension),
                    None => absorbed.ignored += 1,
                }
            }
        }
        let undescribed = if stage == Stage::Clarify { Ratio::ONE } else { self.scope };
        self.scope = report.scope_vagueness.unwrap_or(undescribed);
        keep(&mut self.reasons, &report.reasons);
        keep(&mut self.assumptions, &report.assumptions);
        keep(&mut self.risks, &report.risks);
        absorbed
    }

    fn absorb_terms(&mut self, report: &Report, absorbed: &mut Absorbed) {
        for name in &report.terms_unclear {
            match position(self.terms.iter().map(|term| &term.name), name) {
                Some(index) => self.terms[index].done = false,
                None if self.terms.len() < self.listed.terms + MAX_ADDED => {
                    self.terms.push(Item { name: name.clone(), done: false });
                }
                None => absorbed.ignored += 1,
            }
        }
        for name in &report.terms_defined {
            absorbed.ignored += u32::from(!mark(&mut self.terms, name));
        }
    }

    fn absorb_constraints(&mut self, report: &Report, absorbed: &mut Absorbed) {
        for reported in &report.constraints {
            let known = position(self.constraints.iter().map(|constraint| &constraint.id), &reported.id);
            let room = self.constraints.len() < self.listed.constraints + MAX_ADDED;
            match (known, reported.standing) {
                (Some(index), Standing::Listed | Standing::NewSoft | Standing::NewHard) => {
                    let constraint = &mut self.constraints[index];
                    constraint.value = reported.value.clone().or(constraint.value.take());
                }
                (None, Standing::NewSoft | Standing::NewHard) if room => {
                    let hard = reported.standing == Standing::NewHard;
                    self.add_constraint(reported.id.clone(), reported.value.clone(), hard);
                    absorbed.new_constraints += 1;
                }
                (None, Standing::Listed | Standing::NewSoft | Standing::NewHard) => absorbed.ignored += 1,
            }
        }
        for id in &report.relaxed {
            match position(self.constraints.iter().map(|constraint| &constraint.id), id) {
                Some(index) if !self.constraints[index].relaxed => {
                    self.relax(index);
                    absorbed.relaxed += 1;
                }
                Some(_) => {}
                None => absorbed.ignored += 1,
            }
        }
    }

    /// What was said of an option before a hard constraint was known says nothing about it.
    fn add_constraint(&mut self, id: Text, value: Option<Text>, hard: bool) {
        self.constraints.push(KnownConstraint { id, hard, relaxed: false, value });
        if hard {
            for option in self.options.iter_mut().filter(|option| option.stated == Some(true)) {
                option.stated = None;
            }
        }
    }

    /// An option that failed only what is relaxed now has to be looked at again.
    fn relax(&mut self, constraint: usize) {
        self.constraints[constraint].relaxed = true;
        for option in self.options.iter_mut().filter(|option| option.fails.contains(&constraint)) {
            option.stated = None;
        }
    }

    fn absorb_option(&mut self, reported: &ReportedOption, absorbed: &mut Absorbed) {
        let Some(index) = self.find_or_add_option(&reported.name) else {
            absorbed.ignored += 1;
            return;
        };
        let mut checked = |names: &[Text]| -> Vec<usize> {
            let found: Vec<usize> = names
                .iter()
                .filter_map(|name| position(self.constraints.iter().map(|constraint| &constraint.id), name))
                .collect();
            absorbed.ignored += number(names.len() - found.len());
            found
        };
        let (meets, fails) = (checked(&reported.meets), checked(&reported.fails));
        let option = &mut self.options[index];
        for constraint in meets {
            option.fails.remove(&constraint);
            option.meets.insert(constraint);
        }
        for constraint in fails {
            option.meets.remove(&constraint);
            option.fails.insert(constraint);
        }
        option.stated = reported.feasible.or(option.stated);
        keep(&mut option.pros, &reported.pros);
        keep(&mut option.cons, &reported.cons);
    }
}

impl KnownOption {
    fn compared_in(&mut self, dimension: &Text) {
        if self.dimensions.len() < MAX_POINTS {
            self.dimensions.insert(Text::from(normalised(dimension.as_str())));
        }
    }
}

fn mark(items: &mut [Item], name: &Text) -> bool {
    let found = position(items.iter().map(|item| &item.name), name);
    if let Some(index) = found {
        items[index].done = true;
    }
    found.is_some()
}

fn keep(kept: &mut Vec<Text>, new: &[Text]) {
    for text in new {
        if kept.len() < MAX_POINTS && !kept.contains(text) {
            kept.push(text.clone());
        }
    }
}
