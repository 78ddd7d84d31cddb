//! Offers something once, meets objections a bounded number of times, and takes no for an answer.
//!
//! A message is classified first, the state moves, and only then is something said for the new state: one reply a turn.

mod answer;

pub use answer::{Answer, Resistance};

use serde::{Deserialize, Serialize};

/// The most persuasion replies of one referral: the default, and the cap of what can be configured.
pub const MAX_PERSUASIONS: u32 = 5;

/// Where a referral stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferralState {
    /// Nothing has been offered.
    InitialSuggestion,
    /// It was offered; the answer is awaited.
    DetectingResistance,
    /// An objection was answered; the answer to that is awaited.
    HandlingResistance,
    /// It was accepted.
    Accepted,
    /// It was refused, or objected to once too often.
    Rejected,
    /// Other resources were named; nothing more is offered.
    ProvidingResources,
}

/// What is to be said for the new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferralReply {
    /// The offer, with the sentence that must be said with it.
    Offer,
    /// An answer to an objection that leaves the choice with the person.
    Persuade,
    /// The next steps.
    Confirm,
    /// Other resources.
    Resources,
    /// Nothing: the script speaks.
    None,
}

/// How a referral ended, for the session variable and the subject's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferralOutcome {
    /// The person said yes.
    Accepted,
    /// The person said no, or nothing that was a yes.
    Rejected,
    /// The route went high.
    Interrupted,
}

/// One referral of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Referral {
    state: ReferralState,
    persuasions: u32,
    max_persuasions: u32, // Invariant: at most MAX_PERSUASIONS; `new` sees to it, and `step` compares with the cap too.
    offered: bool,
    reoffered: bool,
    last_type: Option<Resistance>,
    interrupted: bool,
}

/// What one message did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferralStep {
    /// The state before.
    pub from: ReferralState,
    /// The state now.
    pub state: ReferralState,
    /// The first objection of this message.
    pub resistance: Option<Resistance>,
    /// The objection that the reply must address.
    pub addressed: Option<Resistance>,
    /// What is to be said.
    pub reply: ReferralReply,
    /// The persuasion replies given, this one included.
    pub persuasions: u32,
}

impl Referral {
    /// Starts a referral; more than [`MAX_PERSUASIONS`] are not allowed.
    pub fn new(max_persuasions: u32) -> Self {
        Self {
            state: ReferralState::InitialSuggestion,
            persuasions: 0,
            max_persuasions: max_persuasions.min(MAX_PERSUASIONS),
            offered: false,
            reoffered: false,
            last_type: None,
            interrupted: false,
        }
    }

    /// Starts one for a subject whose earlier referral ended so: after a yes or a no nothing is offered by itself.
    pub fn remembered(max_persuasions: u32, earlier: ReferralOutcome) -> Self {
        let state = match earlier {
            ReferralOutcome::Accepted => ReferralState::Accepted,
            ReferralOutcome::Rejected => ReferralState::ProvidingResources,
            ReferralOutcome::Interrupted => ReferralState::InitialSuggestion,
        };
        Self { state, ..Self::new(max_persuasions) }
    }

    /// Puts one together from its parts, as `decide` gets them.
    pub(crate) fn at(
        state: ReferralState,
        persuasions: u32,
        max_persuasions: u32,
        offered: bool,
        reoffered: bool,
        last_type: Option<Resistance>,
    ) -> Self {
        Self { state, persuasions, offered, reoffered, last_type, ..Self::new(max_persuasions) }
    }

    /// Takes a message that was scanned for risk before, moves, and returns what to say.
    pub fn step(&mut self, answer: &Answer) -> ReferralStep {
        let from = self.state;
        let (state, reply) = if self.interrupted { (from, ReferralReply::None) } else { self.decide(answer) };
        let addressed = match reply {
            ReferralReply::Persuade => answer.resistance().or(self.last_type),
            ReferralReply::Offer | ReferralReply::Confirm | ReferralReply::Resources | ReferralReply::None => None,
        };
        self.reoffered = reply == ReferralReply::Offer && from == ReferralState::DetectingResistance && self.offered;
        self.offered |= reply == ReferralReply::Offer;
        self.persuasions += u32::from(reply == ReferralReply::Persuade);
        self.last_type = answer.resistance().or(self.last_type);
        self.state = state;
        ReferralStep { from, state, resistance: answer.resistance(), addressed, reply, persuasions: self.persuasions }
    }

    /// Tells that the reply of the last step was not delivered: an offer was not made, a persuasion not given.
    pub fn undelivered(&mut self, step: &ReferralStep) {
        match step.reply {
            ReferralReply::Offer if self.reoffered => self.reoffered = false,
            ReferralReply::Offer => self.offered = false,
            ReferralReply::Persuade => self.persuasions = self.persuasions.saturating_sub(1),
            ReferralReply::Confirm | ReferralReply::Resources | ReferralReply::None => {}
        }
    }

    /// Ends it because the route went high. A new risk epoch begins with [`Referral::new`].
    pub fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Returns where it stands.
    pub const fn state(&self) -> ReferralState {
        self.state
    }

    /// Returns how many persuasion replies were given.
    pub const fn persuasions(&self) -> u32 {
        self.persuasions
    }

    /// Returns whether the next persuasion reply is the last one, which names the alternatives.
    pub const fn is_last_persuasion(&self) -> bool {
        self.persuasions + 1 >= self.max_persuasions
    }

    /// Tells whether it, and not the script, answers the next message.
    pub const fn owns_conversation(&self) -> bool {
        match self.state {
            ReferralState::InitialSuggestion
            | ReferralState::DetectingResistance
            | ReferralState::HandlingResistance => !self.interrupted,
            ReferralState::Accepted | ReferralState::Rejected | ReferralState::ProvidingResources => false,
        }
    }

    /// Returns how it ended; none while it goes on.
    pub const fn outcome(&self) -> Option<ReferralOutcome> {
        match self.state {
            ReferralState::Accepted => Some(ReferralOutcome::Accepted),
            ReferralState::Rejected | ReferralState::ProvidingResources => Some(ReferralOutcome::Rejected),
            ReferralState::InitialSuggestion
            | ReferralState::DetectingResistance
            | ReferralState::HandlingResistance => {
                if self.interrupted {
                    Some(ReferralOutcome::Interrupted)
                } else {
                    None
                }
            }
        }
    }

    /// The table. Yes and no are tested before the count; neither counts before an offer was delivered.
    fn decide(&self, answer: &Answer) -> (ReferralState, ReferralReply) {
        use ReferralReply as Reply;
        use ReferralState as State;
        match self.state {
            State::InitialSuggestion | State::DetectingResistance | State::HandlingResistance if !self.offered => {
                (State::DetectingResistance, Reply::Offer)
            }
            State::InitialSuggestion | State::DetectingResistance | State::HandlingResistance if answer.refusal() => {
                (State::Rejected, Reply::Resources)
            }
            State::Accepted if answer.refusal() => (State::Rejected, Reply::Resources),
            // Without an offer in this session a bare yes answers something else.
            State::InitialSuggestion
            | State::DetectingResistance
            | State::HandlingResistance
            | State::Rejected
            | State::ProvidingResources
                if answer.acceptance() && (self.offered || answer.names_offer()) =>
            {
                (State::Accepted, Reply::Confirm)
            }
            State::InitialSuggestion | State::DetectingResistance if answer.resistance().is_none() => {
                if self.reoffered {
                    (State::ProvidingResources, Reply::Resources)
                } else {
                    (State::DetectingResistance, Reply::Offer)
                }
            }
            State::InitialSuggestion | State::DetectingResistance | State::HandlingResistance => {
                if self.persuasions < self.max_persuasions.min(MAX_PERSUASIONS) {
                    (State::HandlingResistance, Reply::Persuade)
                } else {
                    (State::Rejected, Reply::Resources)
                }
            }
            State::Accepted => (State::Accepted, Reply::None),
            State::Rejected | State::ProvidingResources => (State::ProvidingResources, Reply::None),
        }
    }
}

impl ReferralStep {
    /// Tells whether the script goes on in the same turn after this reply.
    pub const fn hands_back(&self) -> bool {
        match self.reply {
            ReferralReply::Confirm | ReferralReply::Resources | ReferralReply::None => true,
            ReferralReply::Offer | ReferralReply::Persuade => false,
        }
    }
}

impl ReferralState {
    /// All states, in the order of the usual course.
    pub const ALL: [Self; 6] = [
        Self::InitialSuggestion,
        Self::DetectingResistance,
        Self::HandlingResistance,
        Self::Accepted,
        Self::Rejected,
        Self::ProvidingResources,
    ];

    /// Returns the state as events and `decide` write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InitialSuggestion => "initial_suggestion",
            Self::DetectingResistance => "detecting_resistance",
            Self::HandlingResistance => "handling_resistance",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::ProvidingResources => "providing_resources",
        }
    }
}

impl ReferralReply {
    /// All replies.
    pub const ALL: [Self; 5] = [Self::Offer, Self::Persuade, Self::Confirm, Self::Resources, Self::None];
}

impl ReferralOutcome {
    /// Returns the outcome as the session variable `referral` holds it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Interrupted => "interrupted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Locale;

    fn hear(referral: &mut Referral, message: &str) -> ReferralStep {
        referral.step(&Answer::read(message, &Locale::ALL))
    }

    #[test]
    fn the_last_persuasion_is_known_before_it_is_given() {
        let mut referral = Referral::new(2);
        hear(&mut referral, "hello");
        assert!(!referral.is_last_persuasion());
        assert_eq!(hear(&mut referral, "I'm busy").persuasions, 1);
        assert!(referral.is_last_persuasion());
        assert_eq!(hear(&mut referral, "I'm busy").reply, ReferralReply::Persuade);
        assert_eq!(hear(&mut referral, "I'm busy").reply, ReferralReply::Resources);
    }

    #[test]
    fn it_owns_the_conversation_until_it_confirms_or_gives_resources() {
        let mut referral = Referral::new(MAX_PERSUASIONS);
        assert!(referral.owns_conversation());
        let offer = hear(&mut referral, "hello");
        assert!(referral.owns_conversation() && !offer.hands_back() && referral.outcome().is_none());
        let persuade = hear(&mut referral, "I'm busy");
        assert!(referral.owns_conversation() && !persuade.hands_back() && referral.outcome().is_none());
        let confirm = hear(&mut referral, "okay, I'll join");
        assert!(!referral.owns_conversation() && confirm.hands_back());
        assert_eq!(referral.outcome(), Some(ReferralOutcome::Accepted));
        let resources = hear(&mut referral, "no");
        assert!(resources.hands_back() && !referral.owns_conversation());
        assert_eq!(referral.outcome(), Some(ReferralOutcome::Rejected));
        assert!(hear(&mut referral, "I slept badly").hands_back());
        assert_eq!(
            (referral.state(), referral.outcome()),
            (ReferralState::ProvidingResources, Some(ReferralOutcome::Rejected))
        );
    }

    #[test]
    fn a_remembered_answer_is_not_asked_for_again_and_an_interruption_is() {
        let mut refused = Referral::remembered(5, ReferralOutcome::Rejected);
        assert!(!refused.owns_conversation());
        assert_eq!(hear(&mut refused, "hello").reply, ReferralReply::None);
        assert_eq!(hear(&mut refused, "actually yes, I'd like to join").reply, ReferralReply::Confirm);
        let mut accepted = Referral::remembered(5, ReferralOutcome::Accepted);
        assert_eq!(hear(&mut accepted, "hello").reply, ReferralReply::None);
        let mut interrupted = Referral::new(5);
        hear(&mut interrupted, "hello");
        interrupted.interrupt();
        assert!(!interrupted.owns_conversation());
        assert_eq!(interrupted.outcome(), Some(ReferralOutcome::Interrupted));
        assert_eq!(hear(&mut interrupted, "yes").reply, ReferralReply::None);
        let mut again = Referral::remembered(5, ReferralOutcome::Interrupted);
        assert_eq!(hear(&mut again, "hello").reply, ReferralReply::Offer);
    }

    #[test]
    fn what_was_not_delivered_does_not_count() {
        let mut referral = Referral::new(5);
        let offer = hear(&mut referral, "hello");
        referral.undelivered(&offer);
        assert_eq!(hear(&mut referral, "yes").reply, ReferralReply::Offer, "nothing was offered yet");
        let again = hear(&mut referral, "the weather is nice");
        assert_eq!(again.reply, ReferralReply::Offer);
        referral.undelivered(&again);
        assert_eq!(hear(&mut referral, "the weather is nice").reply, ReferralReply::Offer);
        assert_eq!(hear(&mut referral, "the weather is nice").reply, ReferralReply::Resources);
        let mut referral = Referral::new(5);
        hear(&mut referral, "hello");
        let persuade = hear(&mut referral, "I'm busy");
        assert_eq!(referral.persuasions(), 1);
        referral.undelivered(&persuade);
        assert_eq!(referral.persuasions(), 0);
        assert_eq!(hear(&mut referral, "hmm").addressed, Some(Resistance::Time));
    }

    #[test]
    fn a_models_reading_adds_to_the_lists_and_takes_nothing_back() {
        let listed = Answer::read("I'm busy", &Locale::ALL);
        let read = listed.or_as_read(&[Resistance::Privacy, Resistance::Time], true, false);
        assert_eq!(read.resistances(), [Resistance::Privacy, Resistance::Time]);
        assert!(!read.acceptance() && !read.refusal());
        let read = Answer::read("the weather is nice", &Locale::ALL).or_as_read(&[], true, false);
        assert!(read.acceptance());
        let read = Answer::read("okay, I'll join", &Locale::ALL).or_as_read(&[], false, true);
        assert!(read.refusal() && !read.acceptance());
        let hedged = Answer::read("maybe", &Locale::ALL).or_as_read(&[], true, false);
        assert!(!hedged.acceptance());
        let refused = Answer::read("no", &Locale::ALL).or_as_read(&[], true, false);
        assert!(refused.refusal() && !refused.acceptance());
    }
}
