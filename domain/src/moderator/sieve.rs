//! Drops the intents that cannot be granted, and says which and why. Choosing among the others comes after.

use super::{Discussion, Intent, IntentKind, Rejection, URGENCY, Why, intent::in_order};

/// What is left of the intents, and what was dropped; both in canonical order.
pub(super) struct Sieve<'a> {
    pub(super) askers: Vec<Asker<'a>>,
    pub(super) dropped: Vec<Rejection>,
    /// Every intent is the last speaker's, and one of them was dropped for speaking too often in a row.
    pub(super) only_last_at_limit: bool,
}

/// One participant with a permitted intent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) seat: usize,
    pub(super) intent: &'a Intent,
}

impl<'a> Sieve<'a> {
    /// Sifts the intents: invalid ones first, then those that the phase's rules forbid.
    pub(super) fn new(discussion: &Discussion, intents: &'a [Intent]) -> Self {
        let mut seen = vec![false; discussion.scenario().participants().len()];
        let (mut askers, mut dropped) = (Vec::new(), Vec::new());
        let mut only_last = true;
        for (seat, intent) in in_order(intents, discussion.scenario()) {
            only_last &= seat.is_some() && seat == discussion.state().last;
            match Self::admit(discussion, &mut seen, seat, intent) {
                Ok(seat) => askers.push(Asker { seat, intent }),
                Err(why) => dropped.push(Rejection { agent: intent.agent.clone(), why }),
            }
        }
        let at_limit = dropped.iter().any(|rejection| rejection.why == Why::ConsecutiveLimit);
        Self { askers, dropped, only_last_at_limit: only_last && at_limit }
    }

    /// Keeps only what was dropped before anything else.
    pub(super) fn into_invalid(self) -> Vec<Rejection> {
        self.dropped.into_iter().filter(|rejection| rejection.why.is_invalid()).collect()
    }

    pub(super) fn asks(&self, seat: usize) -> Option<&Asker<'a>> {
        self.askers.iter().find(|asker| asker.seat == seat)
    }

    fn admit(discussion: &Discussion, seen: &mut [bool], seat: Option<usize>, intent: &Intent) -> Result<usize, Why> {
        let seat = seat.ok_or(Why::UnknownAgent)?;
        if discussion.state().seats[seat].out {
            return Err(Why::OutOfOrder);
        }
        if !URGENCY.contains(&intent.urgency) {
            return Err(Why::UrgencyOutOfRange);
        }
        if std::mem::replace(&mut seen[seat], true) {
            return Err(Why::SecondIntent);
        }
        if discussion.is_at_limit(seat) {
            return Err(Why::ConsecutiveLimit);
        }
        let phase = discussion.phase();
        match intent.kind {
            IntentKind::Interrupt if !phase.allow_interrupt => Err(Why::InterruptNotAllowed),
            IntentKind::Interrupt if intent.urgency < i64::from(phase.order.interrupt_urgency()) => {
                Err(Why::InterruptNotUrgent)
            }
            IntentKind::Interrupt | IntentKind::Respond | IntentKind::Question | IntentKind::Speak => Ok(seat),
        }
    }
}

impl Asker<'_> {
    pub(super) fn interrupts(&self) -> bool {
        self.intent.kind == IntentKind::Interrupt
    }
}
