//! Chooses one speaker: among those who ask by the order of the phase, among all when someone is to be called.

use std::cmp::Reverse;

use super::{
    Discussion, IntentKind, Level, Order, Reason,
    sieve::{Asker, Sieve},
};

/// Who may speak, and how that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The one asked.
    Allowed { seat: usize, is_interrupt: bool, reason: Reason },
    /// The one did not ask.
    Called { seat: usize, reason: Reason },
}

/// Chooses among those who ask; in a round-robin and a moderated phase it may be somebody who does not. `None` if nobody
/// asks.
pub(super) fn choose(discussion: &Discussion, sieve: &Sieve<'_>) -> Option<Speaker> {
    if sieve.askers.is_empty() {
        return None;
    }
    match discussion.phase().order {
        Order::Free => keenest(discussion, &sieve.askers),
        Order::RoundRobin => in_turn(discussion, sieve),
        Order::Moderated => quietest(discussion, sieve),
    }
}

/// Finds the next in the round-robin who can be expected to speak.
pub(super) fn expected(discussion: &Discussion, sieve: &Sieve<'_>) -> Option<usize> {
    let seats = &discussion.state().seats;
    let ready = |&seat: &usize| {
        let asks = sieve.asks(seat).is_some() && !seats[seat].is_failing();
        !discussion.is_at_limit(seat) && !seats[seat].out && (asks || !seats[seat].is_passed_over())
    };
    let first = discussion.state().next_in_order;
    (first..seats.len()).chain(0..first).find(ready)
}

/// Finds the participant with the fewest speeches of the phase who can be called: of the faction with the fewest first,
/// then in list order, the last speaker only if alone.
pub(super) fn least(discussion: &Discussion) -> Option<usize> {
    (0..discussion.state().seats.len())
        .filter(|&seat| can_be_called(discussion, seat))
        .min_by_key(|&seat| (side(discussion, seat), discussion.state().seats[seat].phase_speeches, seat))
}

fn can_be_called(discussion: &Discussion, seat: usize) -> bool {
    let alone = discussion.active() == 1;
    !discussion.state().seats[seat].is_passed_over() && (alone || discussion.state().last != Some(seat))
}

/// Permitted interrupts first, then urgency, an answer to the last speaker, arrival, list order.
fn keenest(discussion: &Discussion, askers: &[Asker<'_>]) -> Option<Speaker> {
    let last = discussion.state().last.map(|last| discussion.agent(last));
    let key = |asker: &Asker<'_>| {
        let responds =
            asker.intent.kind == IntentKind::Respond && last.is_some() && asker.intent.target.as_ref() == last;
        let arrival = (asker.intent.at.is_none(), asker.intent.at);
        let failing = discussion.state().seats[asker.seat].is_failing();
        (failing, !asker.interrupts(), Reverse(asker.intent.urgency), !responds, arrival, asker.seat)
    };
    let best = askers.iter().min_by_key(|asker| key(asker))?;
    let runner_up = askers.iter().filter(|asker| asker.seat != best.seat).min_by_key(|asker| key(asker));
    let (_, _, urgency, responds, arrival, _) = key(best);
    let reason = match runner_up.map(key) {
        _ if best.interrupts() => Reason::Interrupt,
        None => Reason::OnlyOneAsking,
        Some((_, _, other, _, _, _)) if other != urgency => Reason::MostUrgent,
        Some((_, _, _, other, _, _)) if other != responds => Reason::RespondsToLast,
        Some((_, _, _, _, other, _)) if other != arrival => Reason::AskedFirst,
        Some(_) => Reason::ListedFirst,
    };
    Some(Speaker::Allowed { seat: best.seat, is_interrupt: best.interrupts(), reason })
}

/// The expected one, else a permitted interrupt, else a call of the expected one.
fn in_turn(discussion: &Discussion, sieve: &Sieve<'_>) -> Option<Speaker> {
    let Some(seat) = expected(discussion, sieve) else { return keenest(discussion, &sieve.askers) };
    if let Some(asker) = sieve.asks(seat) {
        let is_interrupt = asker.interrupts();
        return Some(Speaker::Allowed { seat, is_interrupt, reason: Reason::NextInOrder });
    }
    let interrupts: Vec<Asker<'_>> = sieve.askers.iter().copied().filter(Asker::interrupts).collect();
    keenest(discussion, &interrupts).or(Some(Speaker::Called { seat, reason: Reason::NextInOrder }))
}

/// The fewest speeches, half a speech credit for asking.
fn quietest(discussion: &Discussion, sieve: &Sieve<'_>) -> Option<Speaker> {
    let seats = &discussion.state().seats;
    let asks = |seat: usize| sieve.asks(seat).is_some() && !seats[seat].is_failing();
    let side_asks =
        |side: Side| sieve.askers.iter().any(|asker| asks(asker.seat) && self::side(discussion, asker.seat) == side);
    let key = |seat: usize| {
        let side = side(discussion, seat);
        let half_speeches = u64::from(seats[seat].phase_speeches) * 2 + u64::from(!asks(seat));
        (side.0, !side_asks(side), side.1, half_speeches, seat)
    };
    let chosen =
        (0..seats.len()).filter(|&seat| asks(seat) || can_be_called(discussion, seat)).min_by_key(|&seat| key(seat));
    let Some(seat) = chosen else { return keenest(discussion, &sieve.askers) };
    let reason = Reason::FewestSpeeches;
    Some(match sieve.asks(seat) {
        Some(asker) => Speaker::Allowed { seat, is_interrupt: asker.interrupts(), reason },
        None => Speaker::Called { seat, reason },
    })
}

/// A faction by its speeches of the phase, then by its first member. Whoever has none is a side of their own; without
/// factions, and at level 0, there is one side.
type Side = (u32, usize);

fn side(discussion: &Discussion, seat: usize) -> Side {
    let participants = discussion.scenario().participants();
    let has_factions = participants.iter().any(|participant| participant.faction.is_some());
    if !has_factions || discussion.scenario().policy().level == Level::Watch {
        return (0, 0);
    }
    let speeches = |seat: usize| discussion.state().seats[seat].phase_speeches;
    match &participants[seat].faction {
        None => (speeches(seat), seat),
        Some(faction) => {
            let mut members = (0..participants.len())
                .filter(|&other| participants[other].faction.as_ref() == Some(faction))
                .peekable();
            let first = members.peek().copied().unwrap_or(seat);
            (members.map(speeches).fold(0, u32::saturating_add), first)
        }
    }
}
