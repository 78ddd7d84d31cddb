//! The next question of a deliberation: what it is for, what goes with it word for word, and how it reads without a
//! model.

use serde::{Deserialize, Serialize};

use super::{Guidance, Obstacle, Stage, Warning, texts, texts::Texts};
use crate::{locale::Locale, utterance::Text};

/// What is to be asked next. One question an utterance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Where the deliberation stands.
    pub stage: Stage,
    /// What the question is for.
    pub purpose: Purpose,
    /// The sentence that tells the model how far it may go.
    pub guidance: Guidance,
    /// Whether the person reads that time presses; said once.
    pub announces_force: bool,
    /// What the person may pick instead of an answer.
    pub offers: Vec<Offer>,
    /// The option to be confirmed, if that is what is asked.
    pub proposal: Option<Proposal>,
    /// The front runner, where the question may name one.
    pub front_runner: Option<Text>,
    /// The options that are not excluded.
    pub options: Vec<Text>,
    /// What excludes the others.
    pub obstacles: Vec<Obstacle>,
    /// The hard constraints, for the question which of them may give way.
    pub constraints: Vec<Text>,
    /// The angles, as ways in.
    pub angles: Vec<Text>,
}

/// What a question is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Find out what is meant.
    Clarify,
    /// Give examples and ways in: it is still vague.
    Examples,
    /// Cover more ground.
    Explore,
    /// Compare the options and ask for a preference.
    Compare,
    /// Narrow down to the front runner.
    Narrow,
    /// Recommend the best option and ask for the decision.
    Recommend,
    /// Ask which option was meant by a choice.
    NameChoice,
    /// Ask for a yes to the proposal.
    Confirm,
    /// Say what excludes every option and ask how to go on.
    NoFeasible,
    /// Ask which constraint may be relaxed.
    Relax,
    /// Ask for another option.
    NewOption,
    /// Ask which constraint may wait for a later phase.
    Phase,
    /// The rounds are used up: pick, split or pause.
    LastCall,
}

/// What a person may pick instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// Take the best option so far.
    TakeBest,
    /// Relax a constraint.
    Relax,
    /// Split the problem; ends the deliberation without a choice.
    Split,
    /// Pause; ends the deliberation without a choice until it is resumed.
    Pause,
    /// Name another option.
    NewOption,
    /// Let a constraint wait for a later phase.
    Phase,
}

/// An option that waits for a yes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its place among the options.
    pub option: usize,
    /// Its name.
    pub name: Text,
    /// Why it is proposed.
    pub basis: Basis,
    /// Whether it was picked because the rounds were running out.
    pub forced: bool,
    /// What the person should know before saying yes.
    pub warnings: Vec<Warning>,
    /// The hard constraints that it fails.
    pub fails: Vec<Text>,
}

/// Why an option is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The person chose it.
    Chosen,
    /// The constraints leave no other.
    Single,
    /// The talk converged on it.
    Converged,
    /// The person took the offer of the best one.
    Best,
    /// The rounds of CONVERGE were used up and it is ahead.
    Ahead,
}

impl Offer {
    /// All offers.
    pub const ALL: [Self; 6] = [Self::TakeBest, Self::Relax, Self::Split, Self::Pause, Self::NewOption, Self::Phase];
    /// What is offered when time presses.
    pub const FORCED: [Self; 4] = [Self::TakeBest, Self::Relax, Self::Split, Self::Pause];
    /// What is offered when no option is feasible.
    pub const NO_FEASIBLE: [Self; 3] = [Self::Relax, Self::NewOption, Self::Phase];
    /// What is offered, beside the options themselves, when the rounds are used up.
    pub const LAST_CALL: [Self; 3] = [Self::TakeBest, Self::Split, Self::Pause];

    /// Returns the offer as events and replies write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TakeBest => "take_best",
            Self::Relax => "relax",
            Self::Split => "split",
            Self::Pause => "pause",
            Self::NewOption => "new_option",
            Self::Phase => "phase",
        }
    }

    /// Returns what the person reads.
    pub fn text(self, locale: Locale) -> &'static str {
        let texts = &texts(locale).offers;
        match self {
            Self::TakeBest => &texts.take_best,
            Self::Relax => &texts.relax,
            Self::Split => &texts.split,
            Self::Pause => &texts.pause,
            Self::NewOption => &texts.new_option,
            Self::Phase => &texts.phase,
        }
    }
}

impl Question {
    /// Returns what must be said with the question word for word, whoever writes it: that time presses, what speaks
    /// against the proposal or leaves no other, what excludes every option.
    pub fn notices(&self, locale: Locale) -> Vec<Text> {
        let texts = texts(locale);
        let mut notices = Vec::new();
        if self.announces_force {
            notices.push(texts.guidance.forced.clone());
        }
        if let Some(proposal) = &self.proposal {
            if proposal.basis == Basis::Single {
                notices.push(fill(&texts.single, |name| match name {
                    "option" => Some(proposal.name.as_str().to_owned()),
                    "obstacles" => Some(self.obstacles_text(texts)),
                    _ => None,
                }));
            }
            notices.extend(proposal.warnings.iter().map(|warning| warning_text(*warning, proposal, texts)));
        }
        notices.into_iter().map(Text::from).collect()
    }

    /// Returns the question as the locale's template puts it, for when no model writes it.
    pub fn template(&self, locale: Locale) -> Text {
        let texts = texts(locale);
        let asks = &texts.asks;
        let template = match self.purpose {
            Purpose::Clarify => &asks.clarify,
            Purpose::Examples => &asks.examples,
            Purpose::Explore => &asks.explore,
            Purpose::Compare => &asks.compare,
            Purpose::Narrow => &asks.narrow,
            Purpose::Recommend => &asks.recommend,
            Purpose::NameChoice => &asks.name_choice,
            Purpose::Confirm => &asks.confirm,
            Purpose::NoFeasible => &asks.no_feasible,
            Purpose::Relax => &asks.relax,
            Purpose::NewOption => &asks.new_option,
            Purpose::Phase => &asks.phase,
            Purpose::LastCall => &asks.last_call,
        };
        let option = self.proposal.as_ref().map(|proposal| &proposal.name).or(self.front_runner.as_ref());
        Text::from(fill(template, |name| match name {
            "option" => Some(option.map(|option| option.as_str().to_owned()).unwrap_or_default()),
            "options" => Some(list(&self.options, texts)),
            "angles" => Some(list(&self.angles, texts)),
            "constraints" => Some(list(&self.constraints, texts)),
            "obstacles" => Some(self.obstacles_text(texts)),
            _ => None,
        }))
    }

    fn obstacles_text(&self, texts: &Texts) -> String {
        let each = self.obstacles.iter().map(|obstacle| {
            let template = if obstacle.constraints.is_empty() { &texts.obstacle_unnamed } else { &texts.obstacle };
            fill(template, |name| match name {
                "option" => Some(obstacle.option.as_str().to_owned()),
                "constraints" => Some(list(&obstacle.constraints, texts)),
                _ => None,
            })
        });
        each.collect::<Vec<_>>().join(&texts.obstacle_separator)
    }
}

/// Fills `{name}` in once; a value is never filled in again.
pub(super) fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let (mut filled, mut rest) = (String::new(), template);
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        let known = rest.find('}').and_then(|close| value(&rest[1..close]).map(|value| (close, value)));
        let Some((close, value)) = known else { break };
        filled.push_str(&value);
        rest = &rest[close + 1..];
    }
    filled + rest
}

fn warning_text(warning: Warning, proposal: &Proposal, texts: &Texts) -> String {
    match warning {
        Warning::LowCoverage => texts.warnings.low_coverage.clone(),
        Warning::Excluded => {
            fill(&texts.warnings.excluded, |name| (name == "constraints").then(|| list(&proposal.fails, texts)))
        }
        Warning::Unchecked => texts.warnings.unchecked.clone(),
    }
}

fn list(items: &[Text], texts: &Texts) -> String {
    items.iter().map(Text::as_str).collect::<Vec<_>>().join(&texts.list_separator)
}
