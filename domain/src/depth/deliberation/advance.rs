//! What an answer changes: the sets first, then the stage, then the bounds.

use super::{Answer, Cause, Deliberation, Ending, Force, GRACE, LAST_CALLS, Move, OutOfTurn, Step, TurnOf};
use crate::{
    depth::{
        Assessment, Band, Convergence, Evidence, Feasibility, Offer, Outcome, Proposal, Purpose, Ratio, Stage, Stance,
        Warning,
        choice::{Consent, Reading, read_bare_option, read_choice, read_consent},
        ledger::Absorbed,
        question::Basis,
    },
    locale::Locale,
};

/// At this fuzziness, or below, the matter is clear enough to explore.
const CLEAR: Ratio = Ratio::percent(30);
/// Above this fuzziness examples and ways in are offered when CLARIFY's rounds are used up.
const VAGUE: Ratio = Ratio::percent(80);
/// So many defined terms are enough to explore.
const DEFINED_TERMS: usize = 3;
/// So many options of known feasibility are enough to compare.
const KNOWN_OPTIONS: usize = 2;

/// What an answer says, as far as it can be known.
struct Heard {
    pick: Pick,
    /// What the pick is worth as evidence.
    stance: Stance,
    consent: Option<Consent>,
    offer: Option<Offer>,
    absorbed: Absorbed,
    retracted: bool,
    /// What the open question was for.
    asked: Purpose,
}

/// Whether the answer picks an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pick {
    Option(usize),
    /// It chooses; what is not clear.
    Unclear,
    Nothing,
}

impl Pick {
    /// Picks nothing, which is evidence of nothing.
    const NOTHING: (Self, Stance) = (Self::Nothing, Stance::Open);
}

impl Deliberation {
    /// Takes the answer to the open question.
    ///
    /// # Errors
    ///
    /// [`OutOfTurn::NothingAsked`] if no question is open; nothing has changed then.
    pub fn answer(&mut self, answer: &Answer) -> Result<Step, OutOfTurn> {
        let TurnOf::Answering(asked) = self.turn else { return Err(OutOfTurn::NothingAsked) };
        let heard = self.hear(answer, asked);
        let single = self.ledger.single().filter(|&option| !self.ledger.is_declined(option));
        let convergence = self.decide(&heard, single);
        self.assessment = Assessment::new(self.ledger.counts(), &convergence, self.bounds.locale);
        self.turn = TurnOf::Asking;
        self.focus = None;

        let mut moves = Vec::new();
        let ending = self.end_by(&heard);
        if ending.is_none() {
            moves.extend(self.advance(&heard, single, &convergence));
            self.press(&convergence, &mut moves);
        }
        let ending = ending.or_else(|| self.hold_the_limit());
        if let Some(ending) = ending {
            self.turn = TurnOf::Ended(ending);
        }
        let ignored = heard.absorbed.ignored;
        Ok(Step { assessment: self.assessment.clone(), convergence, moves, ending, ignored })
    }

    /// Asks once more to pick, split or pause.
    pub(super) fn call_for_the_last_time(&mut self) {
        self.last_calls += 1;
        self.focus = Some(Purpose::LastCall);
        if self.stage != Stage::Converge {
            self.enter(Stage::Converge);
        }
    }

    fn hear(&mut self, answer: &Answer, asked: Purpose) -> Heard {
        let offered = self.open_offers(asked);
        let absorbed = self.ledger.absorb(&answer.report, self.stage);
        let (pick, stance) = self.pick(answer, asked);
        if answer.report.retracted && pick == Pick::Nothing {
            self.ledger.retract();
        }
        if let Pick::Option(option) = pick {
            self.ledger.choose(option);
        }
        Heard {
            pick,
            stance,
            consent: consent(answer),
            offer: answer.picked.or(answer.report.offer).filter(|offer| offered.contains(offer)),
            absorbed,
            retracted: answer.report.retracted && pick == Pick::Nothing,
            asked,
        }
    }

    /// The offers of the open question; they were computed when it was due and nothing has changed since.
    fn open_offers(&mut self, asked: Purpose) -> Vec<Offer> {
        let offers = self.offers(asked);
        self.offers_due = false;
        offers
    }

    /// The person's own words come before the model's report of them.
    fn pick(&mut self, answer: &Answer, asked: Purpose) -> (Pick, Stance) {
        let message = answer.text.as_str();
        let names = self.ledger.options();
        let reading = read_choice(message, &names, &Locale::ALL);
        let asks_for_a_pick = matches!(
            asked,
            Purpose::Compare | Purpose::Narrow | Purpose::Recommend | Purpose::NameChoice | Purpose::LastCall
        );
        let bare = read_bare_option(message, &names, &Locale::ALL).filter(|_| asks_for_a_pick);
        let reported = answer.report.choice.as_ref().and_then(|name| self.ledger.find_option(name));
        let (picked, stance) = match reading {
            Reading::Named(option) => (Some(option), Stance::Chosen),
            Reading::InOwnWords(words) => (self.ledger.find_or_add_option(&words), Stance::Stated),
            Reading::Unnamed => (reported, Stance::Chosen),
            Reading::Silent => {
                return bare.or(reported).map_or(Pick::NOTHING, |option| (Pick::Option(option), Stance::Chosen));
            }
            Reading::Withheld(_) => return Pick::NOTHING,
        };
        picked.map_or((Pick::Unclear, Stance::Unclear), |option| (Pick::Option(option), stance))
    }

    fn decide(&self, heard: &Heard, single: Option<usize>) -> Convergence {
        let metrics = self.ledger.counts().metrics();
        self.bounds.weights.decide(&Evidence {
            choice: heard.stance,
            single: single.is_some(),
            consensus: metrics.consensus,
            coverage: Some(metrics.coverage),
            round: self.round,
            max_rounds: self.bounds.max_rounds.get(),
        })
    }

    fn end_by(&mut self, heard: &Heard) -> Option<Ending> {
        match heard.offer {
            Some(Offer::Pause) => Some(Ending::Paused),
            Some(Offer::Split) => Some(Ending::Split),
            Some(Offer::TakeBest | Offer::Relax | Offer::NewOption | Offer::Phase) | None => self.confirmed(heard),
        }
    }

    fn confirmed(&self, heard: &Heard) -> Option<Ending> {
        let proposal = self.proposal.as_ref().filter(|_| self.stage == Stage::Summary)?;
        let other = matches!(heard.pick, Pick::Option(option) if option != proposal.option);
        let again = heard.pick == Pick::Option(proposal.option);
        let undone = other || heard.retracted || heard.absorbed.new_constraints > 0;
        let agreed = again || heard.consent == Some(Consent::Yes) || heard.offer == Some(Offer::TakeBest);
        (agreed && !undone && heard.consent != Some(Consent::No)).then_some(Ending::Decided)
    }

    fn advance(&mut self, heard: &Heard, single: Option<usize>, convergence: &Convergence) -> Option<Move> {
        let before = self.stage;
        let forced_pick = heard.asked == Purpose::LastCall;
        let best = self.ledger.front_runner().filter(|_| heard.offer == Some(Offer::TakeBest));
        let cause = match heard.pick {
            Pick::Option(option) => self.propose(option, Basis::Chosen, forced_pick),
            Pick::Unclear | Pick::Nothing => match (best, self.stage) {
                (Some(best), _) => self.propose(best, Basis::Best, forced_pick || convergence.forced),
                (None, Stage::Summary) => self.reconsider(heard)?,
                (None, Stage::Clarify | Stage::Explore | Stage::Converge) => {
                    self.work_on(heard, single, convergence)?
                }
            },
        };
        (self.stage != before).then_some(Move { from: before, to: self.stage, cause })
    }

    /// In SUMMARY without a yes: a new constraint, a no, or neither. Neither is asked again, once.
    fn reconsider(&mut self, heard: &Heard) -> Option<Cause> {
        let used_up = self.round >= self.bounds.max_rounds.get() || self.stage_rounds > 1;
        if heard.absorbed.new_constraints > 0 {
            self.enter(Stage::Explore);
            Some(Cause::NewConstraint)
        } else if heard.retracted || heard.consent == Some(Consent::No) || used_up {
            if let Some(proposal) = self.proposal.take() {
                self.ledger.decline(proposal.option);
            }
            self.enter(Stage::Converge);
            Some(Cause::Declined)
        } else {
            None
        }
    }

    fn work_on(&mut self, heard: &Heard, single: Option<usize>, convergence: &Convergence) -> Option<Cause> {
        self.focus = follow_up(heard);
        if let Some(option) = single {
            return Some(self.propose(option, Basis::Single, false));
        }
        let favourite = self.ledger.choice().or_else(|| self.ledger.front_runner());
        let metrics = &self.assessment;
        let cause = match self.stage {
            Stage::Clarify if !metrics.fuzziness.exceeds(CLEAR) => Some(Cause::ClearEnough),
            Stage::Clarify if self.ledger.defined_terms() >= DEFINED_TERMS => Some(Cause::TermsDefined),
            Stage::Explore if self.ledger.known_options() >= KNOWN_OPTIONS && metrics.band > Band::Shallow => {
                Some(Cause::OptionsKnown)
            }
            Stage::Converge if heard.absorbed.new_constraints > 0 => {
                self.enter(Stage::Explore);
                return Some(Cause::NewConstraint);
            }
            Stage::Converge if convergence.outcome == Outcome::Converge => Some(Cause::Converged),
            Stage::Clarify | Stage::Explore | Stage::Converge | Stage::Summary => None,
        };
        let cap = self.bounds.caps.of(self.stage).filter(|cap| self.stage_rounds >= cap.get());
        let cause = cause.or(cap.map(|_| Cause::CapReached))?;
        match self.stage {
            Stage::Clarify => {
                let vague = cause == Cause::CapReached && metrics.fuzziness.exceeds(VAGUE);
                self.focus = self.focus.or(vague.then_some(Purpose::Examples));
                self.enter(Stage::Explore);
            }
            Stage::Explore => self.enter(Stage::Converge),
            Stage::Converge => {
                let basis = if cause == Cause::CapReached { Basis::Ahead } else { Basis::Converged };
                self.propose(favourite?, basis, false);
            }
            Stage::Summary => return None,
        }
        Some(cause)
    }

    /// When time presses: on to CONVERGE, with the offers, and said once.
    fn press(&mut self, convergence: &Convergence, moves: &mut Vec<Move>) {
        if !convergence.forced {
            return;
        }
        if matches!(self.stage, Stage::Clarify | Stage::Explore) {
            moves.push(Move { from: self.stage, to: Stage::Converge, cause: Cause::Forced });
            self.enter(Stage::Converge);
        }
        self.offers_due = convergence.outcome == Outcome::Suggest || self.force == Force::NotYet;
        if self.force == Force::NotYet {
            self.force = Force::Due;
        }
    }

    /// At the most rounds the person must pick, split or pause; a proposal may still be confirmed.
    fn hold_the_limit(&mut self) -> Option<Ending> {
        if self.round < self.bounds.max_rounds.get() {
            return None;
        }
        let fresh = self.stage == Stage::Summary && self.stage_rounds == 0;
        if fresh && self.overtime < GRACE {
            return None;
        }
        if self.last_calls >= LAST_CALLS || self.overtime >= GRACE {
            return Some(Ending::Exhausted);
        }
        self.call_for_the_last_time();
        None
    }

    fn propose(&mut self, option: usize, basis: Basis, forced: bool) -> Cause {
        let obstacle = self.ledger.obstacle(option);
        let warnings = [
            (!self.assessment.coverage.reaches(Band::ADEQUATE)).then_some(Warning::LowCoverage),
            match self.ledger.feasibility(option) {
                Feasibility::Infeasible => Some(Warning::Excluded),
                Feasibility::Unknown => Some(Warning::Unchecked),
                Feasibility::Feasible => None,
            },
        ];
        self.proposal = Some(Proposal {
            option,
            name: obstacle.option,
            basis,
            forced,
            warnings: warnings.into_iter().flatten().collect(),
            fails: obstacle.constraints,
        });
        self.focus = None;
        self.enter(Stage::Summary);
        match basis {
            Basis::Chosen => Cause::Chosen,
            Basis::Single => Cause::SingleOption,
            Basis::Converged => Cause::Converged,
            Basis::Best => Cause::BestTaken,
            Basis::Ahead => Cause::CapReached,
        }
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.stage_rounds = 0;
        if stage != Stage::Summary {
            self.proposal = None;
        }
    }
}

/// What the next question must be about after this answer.
fn follow_up(heard: &Heard) -> Option<Purpose> {
    let relaxed = heard.absorbed.relaxed > 0;
    match heard.offer {
        Some(Offer::Relax) if !relaxed => Some(Purpose::Relax),
        Some(Offer::Phase) if !relaxed => Some(Purpose::Phase),
        Some(Offer::NewOption) => Some(Purpose::NewOption),
        Some(Offer::Relax | Offer::Phase | Offer::TakeBest | Offer::Split | Offer::Pause) | None => {
            (heard.pick == Pick::Unclear).then_some(Purpose::NameChoice)
        }
    }
}

/// The person's own yes or no comes first; a report that contradicts it leaves it open.
fn consent(answer: &Answer) -> Option<Consent> {
    match (read_consent(answer.text.as_str(), &Locale::ALL), answer.report.consent) {
        (Some(Consent::No), _) | (None, Some(Consent::No)) => Some(Consent::No),
        (Some(Consent::Yes), Some(Consent::No)) | (None, None) => None,
        (Some(Consent::Yes), Some(Consent::Yes) | None) | (None, Some(Consent::Yes)) => Some(Consent::Yes),
    }
}
