//! A decision of the moderator, with the rule that made it.

use serde::{Deserialize, Serialize};

use crate::id::{AgentId, PhaseId};

/// What happens next, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What.
    pub action: Action,
    /// Whom it concerns; at most one.
    pub target: Option<AgentId>,
    /// The phase that comes next.
    pub next: Option<PhaseId>,
    /// Whether the allowed speech is an interruption.
    pub is_interrupt: bool,
    /// The rule that decided.
    pub reason: Reason,
    /// The moderator's sentence, from the locale's templates.
    pub words: String,
    /// The intents that were dropped, in canonical order.
    pub rejections: Vec<Rejection>,
    /// Who has spoken too much and is told so beside this decision.
    pub warnings: Vec<AgentId>,
}

/// The actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// The target's intent is granted.
    AllowSpeech,
    /// The target's intent is refused.
    RejectSpeech,
    /// The target is asked a question.
    PromptQuestion,
    /// The target is asked to speak.
    CallAgent,
    /// The phase is summed up.
    ForceSummary,
    /// The next phase begins.
    SwitchPhase,
    /// The discussion is over.
    EndDiscussion,
    /// Nothing happens.
    Wait,
    /// The target is told to leave room for others.
    WarnAgent,
}

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The phase's rounds are used up.
    RoundsUsed,
    /// The phase's time is used up.
    TimeUsed,
    /// The phase took too many decisions.
    TicksUsed,
    /// The discussion took too many decisions.
    DiscussionTicksUsed,
    /// Nobody is left in the discussion.
    NobodyLeft,
    /// The discussion is not running.
    NotRunning,
    /// Nobody else asks.
    OnlyOneAsking,
    /// An urgent participant comes in.
    Interrupt,
    /// The most urgent of those who ask.
    MostUrgent,
    /// As urgent as others, and answers the last speaker.
    RespondsToLast,
    /// As urgent as others, and asked first.
    AskedFirst,
    /// As urgent and as early as others, and listed first.
    ListedFirst,
    /// Next in the order.
    NextInOrder,
    /// Has spoken least.
    FewestSpeeches,
    /// The room is cold.
    Cold,
    /// It has been quiet for a while.
    Proactive,
    /// Only the last speaker asks, and has had enough in a row.
    LastSpeakerAtLimit,
    /// Every intent was dropped.
    AllDropped,
    /// Has spoken too much.
    Overheated,
    /// The room is cold, and the moderator only watches.
    Watching,
    /// The room is cold, and not yet cold enough to intervene.
    NotColdEnough,
    /// Someone should speak, and everyone has declined or failed.
    NobodyToCall,
    /// Nobody asks.
    Quiet,
}

/// One dropped intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// Whose.
    pub agent: AgentId,
    /// Why.
    pub why: Why,
}

/// Why an intent was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Nobody of that name takes part.
    UnknownAgent,
    /// The agent left the discussion.
    OutOfOrder,
    /// The urgency is not 1 to 5.
    UrgencyOutOfRange,
    /// The agent has stated another intent.
    SecondIntent,
    /// The agent spoke last, and often enough in a row.
    ConsecutiveLimit,
    /// The phase allows no interruptions.
    InterruptNotAllowed,
    /// The interruption is not urgent enough.
    InterruptNotUrgent,
}

impl Why {
    /// Tells whether the intent is dropped before anything else is looked at.
    pub const fn is_invalid(self) -> bool {
        match self {
            Self::UnknownAgent | Self::OutOfOrder | Self::UrgencyOutOfRange | Self::SecondIntent => true,
            Self::ConsecutiveLimit | Self::InterruptNotAllowed | Self::InterruptNotUrgent => false,
        }
    }
}
