//! The decision: six rules in order, the first that applies decides.

use super::{
    Action, Decision, Discussion, Intent, Level, Order, Reason, Status,
    sieve::Sieve,
    speaker::{Speaker, choose, expected, least},
    texts::words,
};
use crate::{clock::Timestamp, depth::Ratio, id::AgentId};

/// Fewer speeches than this are never too many.
const HOG_SPEECHES: u32 = 3;
/// What a participant may speak beyond an equal share, whatever the scenario says.
const HOG_MARGIN: f64 = 0.25;

/// Decides what happens next. Pure: the same discussion, intents in any order, and time give the same decision.
pub fn decide(discussion: &Discussion, intents: &[Intent], now: Timestamp) -> Decision {
    let sieve = Sieve::new(discussion, intents);
    if discussion.state().status != Status::Running {
        return Verdict::new(Action::Wait, Reason::NotRunning).decision(discussion, sieve.into_invalid(), Vec::new());
    }
    if let Some(reason) = full(discussion, now) {
        return close(discussion, reason).decision(discussion, sieve.into_invalid(), Vec::new());
    }
    let mut verdict = match choose(discussion, &sieve) {
        Some(speaker) => speaker.verdict(discussion),
        None if is_cold(discussion) => warm_up(discussion),
        None if !sieve.dropped.is_empty() => answer_the_dropped(discussion, &sieve),
        None => draw_out(discussion),
    };
    let mut hogs = if intents.is_empty() { Vec::new() } else { hogs(discussion) };
    let lets_speak = matches!(verdict.action, Action::AllowSpeech | Action::CallAgent | Action::PromptQuestion);
    let target = verdict.target.as_ref().and_then(|agent| discussion.scenario().seat(agent)).filter(|_| lets_speak);
    let alone = sieve.askers.len() == 1 && verdict.action == Action::AllowSpeech;
    match target {
        Some(seat) if alone && hogs.contains(&seat) => {
            verdict = Verdict::of(Action::WarnAgent, discussion.agent(seat), Reason::Overheated);
            hogs.clear();
        }
        Some(seat) => hogs.retain(|&hog| hog != seat),
        None => hogs.clear(),
    }
    verdict.decision(discussion, sieve.dropped, hogs)
}

/// What was decided, before it is put into words.
struct Verdict {
    action: Action,
    target: Option<AgentId>,
    is_interrupt: bool,
    reason: Reason,
}

impl Verdict {
    fn new(action: Action, reason: Reason) -> Self {
        Self { action, target: None, is_interrupt: false, reason }
    }

    fn of(action: Action, target: &AgentId, reason: Reason) -> Self {
        Self { target: Some(target.clone()), ..Self::new(action, reason) }
    }

    fn decision(self, discussion: &Discussion, rejections: Vec<super::Rejection>, warned: Vec<usize>) -> Decision {
        let participants = discussion.scenario().participants();
        let name = self.target.as_ref().map(|agent| {
            discussion.scenario().seat(agent).map_or(agent.as_str(), |seat| participants[seat].name.as_str())
        });
        let warned_names = warned.iter().map(|&seat| participants[seat].name.as_str());
        let words = words(discussion.scenario().locale(), self.action, self.is_interrupt, name, warned_names);
        Decision {
            action: self.action,
            target: self.target,
            next: discussion.next_phase().filter(|_| self.action == Action::SwitchPhase).map(|phase| phase.id.clone()),
            is_interrupt: self.is_interrupt,
            reason: self.reason,
            words,
            rejections,
            warnings: warned.into_iter().map(|seat| discussion.agent(seat).clone()).collect(),
        }
    }
}

impl Speaker {
    fn verdict(self, discussion: &Discussion) -> Verdict {
        match self {
            Self::Allowed { seat, is_interrupt, reason } => {
                Verdict { is_interrupt, ..Verdict::of(Action::AllowSpeech, discussion.agent(seat), reason) }
            }
            Self::Called { seat, reason } => Verdict::of(Action::CallAgent, discussion.agent(seat), reason),
        }
    }
}

/// Tells why the phase, or the whole discussion, is over.
fn full(discussion: &Discussion, now: Timestamp) -> Option<Reason> {
    let (state, phase) = (discussion.state(), discussion.phase());
    let time_used = phase.max_time.is_some_and(|max| now.since(state.phase_started) >= max);
    if discussion.active() == 0 {
        Some(Reason::NobodyLeft)
    } else if discussion.decisions_left() <= 1 {
        Some(Reason::DiscussionTicksUsed)
    } else if state.phase_round >= phase.max_rounds.get() {
        Some(Reason::RoundsUsed)
    } else if time_used {
        Some(Reason::TimeUsed)
    } else if state.phase_ticks >= discussion.scenario().phase_ticks(phase) {
        Some(Reason::TicksUsed)
    } else {
        None
    }
}

/// Rule 1: a summary once, then the next phase, then the end.
fn close(discussion: &Discussion, reason: Reason) -> Verdict {
    let at_once = matches!(reason, Reason::NobodyLeft | Reason::DiscussionTicksUsed);
    let action = if at_once {
        Action::EndDiscussion
    } else if discussion.phase().force_summary && !discussion.marks().summed_up {
        Action::ForceSummary
    } else if discussion.next_phase().is_some() {
        Action::SwitchPhase
    } else {
        Action::EndDiscussion
    };
    Verdict::new(action, reason)
}

fn is_cold(discussion: &Discussion) -> bool {
    discussion.state().idle >= discussion.scenario().policy().cold_threshold.get()
}

/// Rule 3: nobody may speak, and the room is cold.
fn warm_up(discussion: &Discussion) -> Verdict {
    let policy = discussion.scenario().policy();
    let very_cold = discussion.state().idle >= policy.cold_threshold.get().saturating_mul(2);
    match policy.level {
        Level::Watch => Verdict::new(Action::Wait, Reason::Watching),
        Level::Low if !very_cold => Verdict::new(Action::Wait, Reason::NotColdEnough),
        Level::Low | Level::Medium => address(discussion, Action::CallAgent, Reason::Cold),
        Level::High => address(discussion, Action::PromptQuestion, Reason::Cold),
    }
}

/// Rule 4: everything that was asked for was dropped.
fn answer_the_dropped(discussion: &Discussion, sieve: &Sieve<'_>) -> Verdict {
    let intervenes = discussion.scenario().policy().level > Level::Watch;
    let call = match discussion.phase().order {
        Order::RoundRobin => expected(discussion, sieve).map(|seat| (seat, Reason::NextInOrder)),
        Order::Moderated => least(discussion).map(|seat| (seat, Reason::FewestSpeeches)),
        Order::Free if intervenes && sieve.only_last_at_limit => {
            least(discussion).map(|seat| (seat, Reason::LastSpeakerAtLimit))
        }
        Order::Free => None,
    };
    match (call, sieve.dropped.first()) {
        (Some((seat, reason)), _) => Verdict::of(Action::CallAgent, discussion.agent(seat), reason),
        (None, Some(first)) => Verdict::of(Action::RejectSpeech, &first.agent, Reason::AllDropped),
        (None, None) => Verdict::new(Action::Wait, Reason::Quiet),
    }
}

/// Rules 5 and 6: nobody asks.
fn draw_out(discussion: &Discussion) -> Verdict {
    let policy = discussion.scenario().policy();
    let quiet_for_a_while = discussion.state().idle >= policy.cold_threshold.get().div_ceil(2);
    match policy.level {
        Level::Medium if quiet_for_a_while => address(discussion, Action::CallAgent, Reason::Proactive),
        Level::High if quiet_for_a_while => address(discussion, Action::PromptQuestion, Reason::Proactive),
        Level::Watch | Level::Low | Level::Medium | Level::High => Verdict::new(Action::Wait, Reason::Quiet),
    }
}

fn address(discussion: &Discussion, action: Action, reason: Reason) -> Verdict {
    match least(discussion) {
        Some(seat) => Verdict::of(action, discussion.agent(seat), reason),
        None => Verdict::new(Action::Wait, Reason::NobodyToCall),
    }
}

/// Finds those who have spoken too much in this phase and were not told so in it.
fn hogs(discussion: &Discussion) -> Vec<usize> {
    let policy = discussion.scenario().policy();
    let active = discussion.active();
    if policy.level == Level::Watch || active < 2 {
        return Vec::new();
    }
    let seats = &discussion.state().seats;
    let total = seats.iter().map(|seat| seat.phase_speeches).fold(0, u32::saturating_add);
    let fair = fair_share(active);
    let allowed = if policy.max_speak_ratio.reaches(fair) { policy.max_speak_ratio } else { fair };
    let too_much = |speeches: u32| {
        speeches >= HOG_SPEECHES && Ratio::of(speeches, total).is_some_and(|share| share.exceeds(allowed))
    };
    let warned = &discussion.marks().warned;
    (0..seats.len()).filter(|&seat| too_much(seats[seat].phase_speeches) && !warned.contains(&seat)).collect()
}

/// Returns the share of the speeches that is never too much among `active` participants.
pub(super) fn fair_share(active: usize) -> Ratio {
    let equal = Ratio::of(1, u32::try_from(active).unwrap_or(u32::MAX)).map_or(1.0, Ratio::get);
    Ratio::new(equal + HOG_MARGIN).expect("a sum of numbers is a number")
}
