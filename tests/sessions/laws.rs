//! What holds of every session, whatever the script, the replies and the person.

use std::{collections::BTreeMap, sync::Arc};

use proptest::prelude::*;
use steersman_domain::{
    script::MAX_STEPS_PER_TURN,
    session::{Difference, EventBody, Input, JournalEntry, Session, SessionEvent, Status, replay},
};
use steersman_tests::stage::{now, reread};

use crate::any_session::{AnySession, Played, SECRET, Weather};

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_session_ends_within_the_printed_bound_of_its_script(any in AnySession::in_weather(Weather::Fair)) {
        let Played { session, bounds, .. } = any.play(|_| {});
        prop_assert_eq!(session.status(), Status::Completed);
        let (usage, bound) = (session.state().usage(), bounds.script);
        prop_assert!(usage.turns <= bound.turns, "{} turns, the bound is {}", usage.turns, bound.turns);
        prop_assert!(usage.model_calls <= bound.model_calls, "{} calls, the bound is {}", usage.model_calls, bound.model_calls);
    }

    #[test]
    fn a_session_ends_within_its_limits_whatever_happens(any in AnySession::in_weather(Weather::Foul)) {
        let Played { session, bounds, events, .. } = any.play(|_| {});
        prop_assert_ne!(session.status(), Status::WaitingInput);
        let usage = session.state().usage();
        prop_assert!(usage.turns <= bounds.session.turns && usage.model_calls <= bounds.session.model_calls, "{usage:?}");
        is_well_formed(&events)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_journal_gives_the_same_events_and_state_again(any in AnySession::in_weather(Weather::Foul)) {
        let Played { session, journal, events, .. } = any.play(|_| {});
        let script = Arc::clone(session.script());
        let (again, difference) = replay(Arc::clone(&script), "digest", journal.clone(), events.clone()).unwrap();
        prop_assert_eq!(difference, None);
        prop_assert_eq!(again.state(), session.state());
        let written: Vec<JournalEntry> = serde_json::from_str(&serde_json::to_string(&journal).unwrap()).unwrap();
        prop_assert_eq!(&written, &journal);
        let read: Vec<SessionEvent> = serde_json::from_str(&serde_json::to_string(&events).unwrap()).unwrap();
        prop_assert_eq!(&read, &events);
        let shorter = events[..events.len() - 1].to_vec();
        let (_, difference) = replay(script, "digest", journal, shorter).unwrap();
        let is_noticed = matches!(difference, Some(Difference { recorded: None, .. }));
        prop_assert!(is_noticed);
    }

    #[test]
    fn a_state_that_was_written_and_read_goes_on_identically(any in AnySession::in_weather(Weather::Foul)) {
        let Played { session: whole, journal, events, .. } = any.play(|_| {});
        let mut session = Session::new(Arc::clone(whole.script()), "digest", now());
        let mut again = Vec::new();
        for entry in journal {
            session = reread(&session).map_err(TestCaseError::fail)?;
            again.extend(session.apply(entry.input, entry.at).unwrap());
        }
        prop_assert_eq!(again, events);
    }

    #[test]
    fn what_people_and_models_say_never_shows_in_debug(any in AnySession::in_weather(Weather::Foul)) {
        let mut leaks = Vec::new();
        let played = any.play(|session| {
            let shown = format!("{:?} {:?}", session.state(), session.awaiting());
            if shown.contains(SECRET) {
                leaks.push(shown);
            }
        });
        leaks.extend(played.events.iter().map(|event| format!("{event:?}")).filter(|shown| shown.contains(SECRET)));
        leaks.extend(played.journal.iter().map(|entry| format!("{entry:?}")).filter(|shown| shown.contains(SECRET)));
        prop_assert!(leaks.is_empty(), "{}", leaks[0]);
    }

    #[test]
    fn an_input_that_is_refused_changes_nothing(any in AnySession::in_weather(Weather::Foul)) {
        let mut changed = None;
        any.play(|session| {
            let mut tried = session.clone();
            let inputs = [
                Input::Acknowledge,
                Input::Choose { action: None, key: "no such key".to_owned() },
                Input::Tick,
            ];
            for input in inputs {
                let fits = tried.would_take(&input).is_ok();
                let events = tried.apply(input.clone(), now()).unwrap_or_default();
                let is_tick = input == Input::Tick;
                if is_tick || !fits {
                    if tried.state() != session.state() || !events.is_empty() {
                        changed = Some(input);
                    }
                } else {
                    tried = session.clone();
                }
            }
        });
        prop_assert!(changed.is_none(), "{changed:?}");
    }
}

/// Checks what every list of events keeps to.
fn is_well_formed(events: &[SessionEvent]) -> Result<(), TestCaseError> {
    let (mut turn, mut running, mut rounds) = (0, None, BTreeMap::new());
    let (mut open, mut steps) = (2, 0);
    for (at, event) in events.iter().enumerate() {
        prop_assert_eq!(event.seq, u64::try_from(at).unwrap() + 1, "events are numbered without gaps");
        prop_assert!(event.turn == turn || event.turn == turn + 1, "turns follow each other");
        if event.turn != turn {
            (turn, steps) = (event.turn, 0);
        }
        match &event.body {
            EventBody::PhaseEntered { .. } | EventBody::TopicEntered { .. } => (open, steps) = (open + 1, steps + 1),
            EventBody::ScopeClosed { .. } => open -= 1,
            EventBody::ActionStarted { action, .. } => {
                steps += 1;
                prop_assert_eq!(running.replace(action.clone()), None, "one action at a time");
                rounds.clear();
            }
            EventBody::RoundStarted { action, round, max_rounds } => {
                prop_assert_eq!(running.as_ref(), Some(action));
                let before = rounds.insert(action.clone(), *round).unwrap_or(0);
                prop_assert!(*round == before + 1 && round <= max_rounds, "round {} of {}", round, max_rounds);
            }
            EventBody::ExitDecided { action, round, decision } => {
                prop_assert_eq!(running.as_ref(), Some(action));
                prop_assert_eq!(rounds.get(action).copied().unwrap_or(0), *round, "only a shown round is decided");
                prop_assert_eq!(decision.should_exit, decision.source.is_some());
            }
            EventBody::ActionFinished { result } => {
                prop_assert_eq!(running.take(), Some(result.action.clone()));
            }
            EventBody::SessionEnded { .. } => {
                prop_assert_eq!(at + 1, events.len(), "nothing happens after the end");
                prop_assert_eq!(open, 1, "every scope but the global one is closed");
                prop_assert_eq!(&running, &None);
            }
            _ => {}
        }
        prop_assert!(steps <= MAX_STEPS_PER_TURN);
    }
    prop_assert!(events.iter().any(|event| matches!(event.body, EventBody::SessionEnded { .. })), "it ends");
    Ok(())
}
