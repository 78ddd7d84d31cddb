//! The machine from CLARIFY to SUMMARY: it says what to ask, takes the answer with the model's report, and decides.
//!
//! It writes no sentence and calls nobody. Whatever the answers, it ends: see [`Deliberation::round_limit`].

mod advance;

use serde::{Deserialize, Serialize};

use super::{
    Agenda, Assessment, Band, Bounds, Convergence, DecisionId, Feasibility, Gaps, Guidance, Ledger, Offer, Proposal,
    Purpose, Question, Record, RecordedConstraint, RecordedOption, Report, Stage,
};
use crate::{clock::Timestamp, utterance::Text};

/// How often the person is asked to pick, split or pause once the rounds are used up.
const LAST_CALLS: u32 = 2;
/// Rounds beyond the most rounds: each last call may be followed by a confirmation, and the last regular answer too.
const GRACE: u32 = 2 * LAST_CALLS + 1;

/// One deliberation. State: it is kept with its session and survives days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deliberation {
    bounds: Bounds,
    ledger: Ledger,
    stage: Stage,
    turn: TurnOf,
    /// Rounds in all.
    round: u32,
    /// Rounds of this visit to the stage.
    stage_rounds: u32,
    /// Rounds beyond the most rounds, in this sitting.
    overtime: u32,
    /// Last calls of this sitting.
    last_calls: u32,
    /// What the next question must be about, whatever the stage.
    focus: Option<Purpose>,
    /// The next question carries the offers.
    offers_due: bool,
    force: Force,
    proposal: Option<Proposal>,
    assessment: Assessment,
}

/// What a person answered, and what a model made of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The person's words.
    pub text: Text,
    /// The offer that was picked as a choice, if one was.
    pub picked: Option<Offer>,
    /// What the model reports; empty if none answered.
    pub report: Report,
}

/// What one answer led to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// How far it has come: the event `depth_assessed`.
    pub assessment: Assessment,
    /// The checks behind the outcome.
    pub convergence: Convergence,
    /// The stages that were passed, in order.
    pub moves: Vec<Move>,
    /// How it ended, if it did.
    pub ending: Option<Ending>,
    /// Names of the report that are on no list.
    pub ignored: u32,
}

/// One change of stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// From where.
    pub from: Stage,
    /// Where to.
    pub to: Stage,
    /// Why.
    pub cause: Cause,
}

/// Why the stage changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Fuzziness fell to its bound.
    ClearEnough,
    /// Enough terms are defined.
    TermsDefined,
    /// Two options are known and the band allows comparing.
    OptionsKnown,
    /// The person chose.
    Chosen,
    /// The constraints leave one option.
    SingleOption,
    /// The checks of convergence add up.
    Converged,
    /// The person took the best option.
    BestTaken,
    /// The rounds of the stage were used up without its condition.
    CapReached,
    /// Time presses.
    Forced,
    /// The person said no to the proposal, or took the choice back.
    Declined,
    /// A constraint is new.
    NewConstraint,
}

/// How a deliberation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With a decision. The topic is attained.
    Decided,
    /// The person split the problem. The topic is partly attained.
    Split,
    /// The person paused. The topic is deferred.
    Paused,
    /// The rounds were used up and nobody picked. The topic is deferred.
    Exhausted,
}

/// It was not the machine's turn to do that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutOfTurn {
    /// An answer came where no question is open.
    #[error("no question is open")]
    NothingAsked,
    /// A question was shown while another one is open, or after the end.
    #[error("no question is due")]
    NothingToAsk,
    /// It was resumed without having paused.
    #[error("the deliberation is not paused")]
    NotPaused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TurnOf {
    /// A question is due.
    Asking,
    /// A question for this purpose is open.
    Answering(Purpose),
    Ended(Ending),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Force {
    NotYet,
    /// It holds, and the person has not read so.
    Due,
    Announced,
}

impl Deliberation {
    /// Begins with the first question.
    pub fn new(agenda: &Agenda) -> Self {
        let ledger = Ledger::new(agenda);
        let bounds = agenda.bounds;
        let assessment = Assessment::before_the_first_answer(ledger.counts(), bounds.max_rounds.get(), bounds.locale);
        Self {
            bounds,
            ledger,
            stage: Stage::Clarify,
            turn: TurnOf::Asking,
            round: 0,
            stage_rounds: 0,
            overtime: 0,
            last_calls: 0,
            focus: None,
            offers_due: false,
            force: Force::NotYet,
            proposal: None,
            assessment,
        }
    }

    /// Returns where it stands.
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// Returns the rounds so far, all questions counted.
    pub const fn round(&self) -> u32 {
        self.round
    }

    /// Returns how it ended, if it did.
    pub const fn ending(&self) -> Option<Ending> {
        match self.turn {
            TurnOf::Ended(ending) => Some(ending),
            TurnOf::Asking | TurnOf::Answering(_) => None,
        }
    }

    /// Returns the last assessment.
    pub const fn assessment(&self) -> &Assessment {
        &self.assessment
    }

    /// Returns what was gathered.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns what is still open, for the model that writes the next question.
    pub fn gaps(&self) -> Gaps {
        self.ledger.gaps()
    }

    /// Returns the most questions that are asked before it ends, whatever is answered; each resumption may add as many
    /// as lie beyond the most rounds.
    pub fn round_limit(bounds: &Bounds) -> u32 {
        bounds.max_rounds.get().saturating_add(GRACE)
    }

    /// Returns the question that is due; `None` while one is open and after the end.
    pub fn question(&self) -> Option<Question> {
        if self.turn != TurnOf::Asking {
            return None;
        }
        let purpose = self.purpose();
        let allowed = |feasibility| feasibility != Feasibility::Infeasible;
        let known = self.ledger.known().filter(|(_, feasibility, _)| allowed(*feasibility));
        let hard = self.ledger.constraints().filter(|(constraint, _)| constraint.hard && !constraint.relaxed);
        let names_front_runner = matches!(purpose, Purpose::Narrow | Purpose::Recommend);
        Some(Question {
            stage: self.stage,
            purpose,
            guidance: Guidance::of(self.assessment.band, self.assessment.forced),
            announces_force: self.force == Force::Due,
            offers: self.offers(purpose),
            proposal: self.proposal.clone().filter(|_| purpose == Purpose::Confirm),
            front_runner: self
                .ledger
                .front_runner()
                .filter(|_| names_front_runner)
                .and_then(|option| self.ledger.option_name(option).cloned()),
            options: known.map(|(option, _, _)| option.name.clone()).collect(),
            obstacles: self.ledger.obstacles(),
            constraints: hard.map(|(constraint, _)| constraint.id.clone()).collect(),
            angles: self.ledger.gaps().angles,
        })
    }

    /// Opens a round: the question that was due has been shown.
    ///
    /// # Errors
    ///
    /// [`OutOfTurn::NothingToAsk`] while a question is open and after the end.
    pub fn asked(&mut self) -> Result<(), OutOfTurn> {
        if self.turn != TurnOf::Asking {
            return Err(OutOfTurn::NothingToAsk);
        }
        self.turn = TurnOf::Answering(self.purpose());
        self.round = self.round.saturating_add(1);
        self.stage_rounds = self.stage_rounds.saturating_add(1);
        if self.round > self.bounds.max_rounds.get() {
            self.overtime += 1;
        }
        if self.force == Force::Due {
            self.force = Force::Announced;
        }
        Ok(())
    }

    /// Goes on after a pause; an exhausted one gets its last calls anew.
    ///
    /// # Errors
    ///
    /// [`OutOfTurn::NotPaused`] unless it paused or was exhausted.
    pub fn resume(&mut self) -> Result<(), OutOfTurn> {
        match self.turn {
            TurnOf::Ended(Ending::Paused | Ending::Exhausted) => {
                self.turn = TurnOf::Asking;
                (self.last_calls, self.overtime) = (0, 0);
                self.focus = None;
                if self.round >= self.bounds.max_rounds.get() {
                    self.call_for_the_last_time();
                }
                Ok(())
            }
            TurnOf::Asking | TurnOf::Answering(_) | TurnOf::Ended(Ending::Decided | Ending::Split) => {
                Err(OutOfTurn::NotPaused)
            }
        }
    }

    /// Writes the record; `None` before the end. `background` is the topic's goal, or what the person told.
    pub fn record(&self, id: DecisionId, background: Text, at: Timestamp) -> Option<Record> {
        let ending = self.ending()?;
        let decided = self.proposal.as_ref().filter(|_| ending == Ending::Decided);
        let constraints = self.ledger.constraints().map(|(constraint, verified)| RecordedConstraint {
            id: constraint.id.clone(),
            hard: constraint.hard,
            relaxed: constraint.relaxed,
            value: constraint.value.clone(),
            verified,
        });
        let options = self.ledger.known().map(|(option, feasibility, obstacle)| RecordedOption {
            name: option.name.clone(),
            feasibility,
            excluded_by: obstacle.constraints,
            pros: option.pros.clone(),
            cons: option.cons.clone(),
        });
        let [reasons, assumptions, risks] = self.ledger.points();
        Some(Record {
            id,
            at,
            ending,
            background,
            constraints: constraints.collect(),
            options: options.collect(),
            choice: decided.map(|proposal| proposal.name.clone()),
            reasons: reasons.to_vec(),
            assumptions: assumptions.to_vec(),
            risks: risks.to_vec(),
            forced: decided.is_some_and(|proposal| proposal.forced),
        })
    }

    fn purpose(&self) -> Purpose {
        match (self.stage, self.focus) {
            (Stage::Summary, _) => Purpose::Confirm,
            (_, Some(focus)) => focus,
            (Stage::Clarify | Stage::Explore | Stage::Converge, None) if self.ledger.none_feasible() => {
                Purpose::NoFeasible
            }
            (Stage::Clarify, None) => Purpose::Clarify,
            (Stage::Explore, None) => Purpose::Explore,
            (Stage::Converge, None) => match (self.assessment.band, self.ledger.front_runner()) {
                (Band::Adequate, Some(_)) => Purpose::Narrow,
                (Band::Deep, Some(_)) => Purpose::Recommend,
                (Band::Shallow | Band::Covered, _) | (Band::Adequate | Band::Deep, None) => Purpose::Compare,
            },
        }
    }

    fn offers(&self, purpose: Purpose) -> Vec<Offer> {
        let mut offers = match purpose {
            Purpose::NoFeasible => Offer::NO_FEASIBLE.to_vec(),
            Purpose::LastCall => Offer::LAST_CALL.to_vec(),
            _ => Vec::new(),
        };
        if self.offers_due && purpose != Purpose::LastCall {
            offers.extend(Offer::FORCED.into_iter().filter(|offer| !offers.contains(offer)).collect::<Vec<_>>());
        }
        if self.ledger.front_runner().is_none() {
            offers.retain(|&offer| offer != Offer::TakeBest);
        }
        offers
    }
}
