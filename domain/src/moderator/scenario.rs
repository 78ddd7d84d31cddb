//! What a scenario says: who takes part, in which phases, under which rules.

use std::{collections::BTreeSet, num::NonZeroU32, time::Duration};

use serde::{Deserialize, Serialize};

use super::Policy;
use crate::{
    id::{AgentId, PhaseId, ScenarioId},
    locale::Locale,
};

/// The most participants of a discussion.
pub const MAX_PARTICIPANTS: usize = 32;
/// The most phases of a discussion.
pub const MAX_PHASES: usize = 32;
/// The most rounds of a phase.
pub const MAX_ROUNDS: u32 = 1_000;

/// Decisions per round that a phase may take before it counts as full: most of a silent room's lead to no speech.
const TICKS_PER_ROUND: u32 = 3;
/// Decisions beyond that, per round of the cold threshold: the waiting before anyone is called.
const TICKS_PER_COLD_ROUND: u32 = 4;
/// The summary and the way out of a phase.
const CLOSING_TICKS: u32 = 2;

/// A whole scenario, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    id: ScenarioId,
    title: String,
    locale: Locale,
    participants: Vec<Participant>, // Invariant: 1 to `MAX_PARTICIPANTS`, agents unique.
    phases: Vec<Phase>,             // Invariant: 1 to `MAX_PHASES`, ids unique, OPENING first and CLOSING last.
    policy: Policy,
}

/// Someone who may speak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    /// The id, unique in the scenario.
    pub agent: AgentId,
    /// The name that the moderator uses.
    pub name: String,
    /// Who that is, for the model that speaks for a participant.
    pub persona: Option<String>,
    /// Where the words come from.
    pub kind: ParticipantKind,
    /// The side that the participant is on.
    pub faction: Option<String>,
}

/// Where a participant's words come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParticipantKind {
    /// A model of the engine.
    Model,
    /// A person.
    Human,
    /// Another program.
    External,
}

/// One part of a discussion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Its id, unique in the scenario.
    pub id: PhaseId,
    /// What kind of part it is.
    pub kind: PhaseKind,
    /// The most speeches; at most [`MAX_ROUNDS`].
    pub max_rounds: NonZeroU32,
    /// Whether urgent participants may come in out of turn.
    pub allow_interrupt: bool,
    /// How speakers are chosen.
    pub order: Order,
    /// Whether it ends with a summary.
    pub force_summary: bool,
    /// The most time.
    pub max_time: Option<Duration>,
}

/// The kinds of phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PhaseKind {
    /// First where present.
    Opening,
    /// Anything may be said; a rollback leads here.
    FreeDiscussion,
    /// What is controversial.
    FocusedConflict,
    /// Towards a result.
    Convergence,
    /// Last where present.
    Closing,
    /// None of them.
    Custom,
}

/// How a phase chooses its speakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Whoever wants it most.
    Free,
    /// One after the other.
    RoundRobin,
    /// Whoever has spoken least.
    Moderated,
}

/// What is wrong with a scenario, by place in its lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// There is nobody, or too many.
    #[error("a scenario has 1 to {MAX_PARTICIPANTS} participants")]
    Participants,
    /// An agent is listed twice.
    #[error("an agent takes part once")]
    DuplicateAgent {
        /// The second one's place.
        participant: usize,
        /// The first one's place.
        first: usize,
    },
    /// There is no phase, or too many.
    #[error("a scenario has 1 to {MAX_PHASES} phases")]
    Phases,
    /// A phase is listed twice.
    #[error("a phase has an id of its own")]
    DuplicatePhase {
        /// The second one's place.
        phase: usize,
        /// The first one's place.
        first: usize,
    },
    /// An OPENING stands behind another phase.
    #[error("an OPENING is the first phase")]
    OpeningNotFirst {
        /// Its place.
        phase: usize,
    },
    /// A CLOSING stands before another phase.
    #[error("a CLOSING is the last phase")]
    ClosingNotLast {
        /// Its place.
        phase: usize,
    },
    /// A phase has too many rounds.
    #[error("a phase has 1 to {MAX_ROUNDS} rounds")]
    Rounds {
        /// Its place.
        phase: usize,
    },
}

impl Scenario {
    /// Checks the parts and makes them a scenario.
    ///
    /// # Errors
    ///
    /// Every [`Flaw`], participants first, in list order.
    pub fn new(
        id: ScenarioId,
        title: String,
        locale: Locale,
        participants: Vec<Participant>,
        phases: Vec<Phase>,
        policy: Policy,
    ) -> Result<Self, Vec<Flaw>> {
        let mut flaws = participant_flaws(&participants);
        flaws.extend(phase_flaws(&phases));
        if flaws.is_empty() { Ok(Self { id, title, locale, participants, phases, policy }) } else { Err(flaws) }
    }

    /// Returns its id.
    pub const fn id(&self) -> &ScenarioId {
        &self.id
    }

    /// Returns its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the language of the moderator's templates.
    pub const fn locale(&self) -> Locale {
        self.locale
    }

    /// Returns the participants, in order; at least one.
    pub fn participants(&self) -> &[Participant] {
        &self.participants
    }

    /// Returns the phases, in order; at least one.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// Returns how the moderator behaves.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the most decisions that a discussion takes until it ends, whatever anyone wants: `check` prints it.
    pub fn decision_bound(&self) -> u32 {
        let once: u32 = self
            .phases
            .iter()
            .map(|phase| self.phase_ticks(phase).saturating_add(CLOSING_TICKS))
            .fold(0, u32::saturating_add);
        let rollbacks =
            if self.policy.allow_rollback { self.phases.iter().filter(|p| p.kind.rolls_back()).count() } else { 0 };
        once.saturating_mul(u32::try_from(rollbacks).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// Returns the most decisions of one visit to a phase before it counts as full.
    pub fn phase_ticks(&self, phase: &Phase) -> u32 {
        let cold = self.policy.cold_threshold.get().saturating_mul(TICKS_PER_COLD_ROUND);
        phase.max_rounds.get().saturating_mul(TICKS_PER_ROUND).saturating_add(cold)
    }

    /// Finds a participant's place.
    pub(super) fn seat(&self, agent: &AgentId) -> Option<usize> {
        self.participants.iter().position(|participant| participant.agent == *agent)
    }
}

impl PhaseKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Opening, Self::FreeDiscussion, Self::FocusedConflict, Self::Convergence, Self::Closing, Self::Custom];

    /// Returns the kind as scenarios write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opening => "OPENING",
            Self::FreeDiscussion => "FREE_DISCUSSION",
            Self::FocusedConflict => "FOCUSED_CONFLICT",
            Self::Convergence => "CONVERGENCE",
            Self::Closing => "CLOSING",
            Self::Custom => "CUSTOM",
        }
    }

    /// Tells whether such a phase may be rolled back to the free discussion before it.
    pub const fn rolls_back(self) -> bool {
        match self {
            Self::FocusedConflict | Self::Convergence => true,
            Self::Opening | Self::FreeDiscussion | Self::Closing | Self::Custom => false,
        }
    }
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::Free, Self::RoundRobin, Self::Moderated];

    /// Returns the order as scenarios write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::RoundRobin => "round-robin",
            Self::Moderated => "moderated",
        }
    }

    /// Returns the least urgency of an interrupt.
    pub const fn interrupt_urgency(self) -> u8 {
        match self {
            Self::Free | Self::Moderated => 3,
            Self::RoundRobin => 4,
        }
    }
}

impl ParticipantKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Model, Self::Human, Self::External];

    /// Returns the kind as scenarios write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Human => "human",
            Self::External => "external",
        }
    }
}

fn participant_flaws(participants: &[Participant]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if !(1..=MAX_PARTICIPANTS).contains(&participants.len()) {
        flaws.push(Flaw::Participants);
    }
    let mut seen = BTreeSet::new();
    for (place, participant) in participants.iter().enumerate() {
        if !seen.insert(&participant.agent) {
            let first = participants.iter().position(|other| other.agent == participant.agent).unwrap_or(place);
            flaws.push(Flaw::DuplicateAgent { participant: place, first });
        }
    }
    flaws
}

fn phase_flaws(phases: &[Phase]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if !(1..=MAX_PHASES).contains(&phases.len()) {
        flaws.push(Flaw::Phases);
    }
    let mut seen = BTreeSet::new();
    for (place, phase) in phases.iter().enumerate() {
        if !seen.insert(&phase.id) {
            let first = phases.iter().position(|other| other.id == phase.id).unwrap_or(place);
            flaws.push(Flaw::DuplicatePhase { phase: place, first });
        }
        if phase.kind == PhaseKind::Opening && place > 0 {
            flaws.push(Flaw::OpeningNotFirst { phase: place });
        }
        if phase.kind == PhaseKind::Closing && place + 1 < phases.len() {
            flaws.push(Flaw::ClosingNotLast { phase: place });
        }
        if phase.max_rounds.get() > MAX_ROUNDS {
            flaws.push(Flaw::Rounds { phase: place });
        }
    }
    flaws
}
