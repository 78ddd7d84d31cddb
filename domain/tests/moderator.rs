//! The table of the moderator, through the same door as the command line.

use steersman_domain::decide::{Verdict, kind};

#[test]
fn every_case_of_the_moderator_table_is_decided_as_expected() {
    let kind = kind("moderator").unwrap();
    let mut cases = 0;
    for line in include_str!("cases/moderator.jsonl").lines() {
        let answer = kind.answer(line);
        assert_eq!(answer.verdict, Verdict::Fine, "{line}\n{}", answer.json);
        assert_eq!(answer.json["match"], true, "the case expects nothing: {line}");
        cases += 1;
    }
    assert!(cases >= 80, "the table lost cases");
}

mod life {
    //! What the decision table does not show: commands, what follows from a decision, and who is passed over.

    use std::{num::NonZeroU32, sync::Arc, time::Duration};

    use steersman_domain::{
        clock::Timestamp,
        id::{AgentId, PhaseId, ScenarioId},
        locale::Locale,
        moderator::{
            Action, Command, CommandRefused, Discussion, Flaw, Intent, IntentKind, Level, Order, Outcome, Participant,
            ParticipantKind, Phase, PhaseKind, Policy, Reason, Scenario, SkipTo, Status, decide,
        },
    };

    const T0: Timestamp = Timestamp::EPOCH;

    fn agent(name: &str) -> AgentId {
        AgentId::new(name).expect("an id")
    }

    fn participant(name: &str) -> Participant {
        Participant {
            agent: agent(name),
            name: name.to_owned(),
            persona: None,
            kind: ParticipantKind::Human,
            faction: None,
        }
    }

    fn phase(id: &str, kind: PhaseKind) -> Phase {
        Phase {
            id: PhaseId::new(id).expect("an id"),
            kind,
            max_rounds: NonZeroU32::new(4).expect("four"),
            allow_interrupt: true,
            order: Order::Free,
            force_summary: false,
            max_time: None,
        }
    }

    fn scenario(phases: Vec<Phase>, policy: Policy) -> Result<Scenario, Vec<Flaw>> {
        let people = ["a", "b", "c"].map(participant).to_vec();
        Scenario::new(ScenarioId::new("talk").expect("an id"), "Talk".to_owned(), Locale::En, people, phases, policy)
    }

    fn started(phases: Vec<Phase>, policy: Policy) -> Discussion {
        let mut discussion = Discussion::new(Arc::new(scenario(phases, policy).expect("a valid scenario")));
        discussion.command(&Command::Start, T0).expect("it is new");
        discussion
    }

    fn all_phases() -> Vec<Phase> {
        vec![
            phase("open", PhaseKind::Opening),
            phase("free", PhaseKind::FreeDiscussion),
            phase("clash", PhaseKind::FocusedConflict),
            phase("close", PhaseKind::Closing),
        ]
    }

    fn allowed() -> Policy {
        Policy { allow_rollback: true, allow_skip: true, ..Policy::default() }
    }

    fn wants(name: &str) -> Intent {
        Intent { agent: agent(name), kind: IntentKind::Speak, urgency: 3, target: None, at: None }
    }

    /// Decides on the intents of `names` and lets the outcome happen.
    fn go(discussion: &mut Discussion, names: &[&str], outcome: Outcome) -> (Action, Option<String>) {
        let intents: Vec<Intent> = names.iter().map(|name| wants(name)).collect();
        let decision = decide(discussion, &intents, T0);
        discussion.apply(&decision, outcome, T0);
        (decision.action, decision.target.map(String::from))
    }

    #[test]
    fn a_speech_counts_in_the_phase_in_the_whole_and_in_a_row() {
        let mut talk = started(all_phases(), Policy::default());
        go(&mut talk, &[], Outcome::Done);
        assert_eq!((talk.state().idle, talk.state().ticks), (1, 1));
        go(&mut talk, &["a"], Outcome::Done);
        go(&mut talk, &["a"], Outcome::Cut);
        let state = talk.state();
        assert_eq!((state.last, state.consecutive, state.idle), (Some(0), 2, 0));
        assert_eq!((state.phase_round, state.total_rounds, state.seats[0].phase_speeches), (2, 2, 2));
        go(&mut talk, &["b"], Outcome::Done);
        assert_eq!((talk.state().last, talk.state().consecutive), (Some(1), 1));
    }

    #[test]
    fn switching_resets_the_phase_and_keeps_totals_and_the_last_speaker() {
        let mut talk = started(all_phases(), Policy::default());
        for name in ["a", "b", "c", "a"] {
            go(&mut talk, &[name], Outcome::Done);
        }
        assert_eq!(go(&mut talk, &["b"], Outcome::Done).0, Action::SwitchPhase);
        let state = talk.state();
        assert_eq!((state.phase, state.phase_round, state.consecutive, state.idle, state.phase_ticks), (1, 0, 0, 0, 0));
        assert_eq!(
            (state.total_rounds, state.last, state.seats[0].phase_speeches, state.seats[0].speeches),
            (4, Some(0), 0, 2)
        );
    }

    #[test]
    fn who_declined_two_calls_is_passed_over_until_speaking_again() {
        let mut talk = started(all_phases(), Policy { cold_threshold: NonZeroU32::MIN, ..Policy::default() });
        go(&mut talk, &["c"], Outcome::Done);
        go(&mut talk, &[], Outcome::Done);
        let called: Vec<_> = (0..4).map(|_| go(&mut talk, &[], Outcome::Declined)).collect();
        let names: Vec<_> = called.iter().map(|(_, target)| target.as_deref()).collect();
        assert_eq!(names, [Some("a"), Some("a"), Some("b"), Some("b")]);
        let decision = decide(&talk, &[], T0);
        assert_eq!((decision.action, decision.reason), (Action::Wait, Reason::NobodyToCall));
        assert_eq!(go(&mut talk, &["a"], Outcome::Done), (Action::AllowSpeech, Some("a".to_owned())));
        assert_eq!(talk.state().seats[0].declined, 0);
    }

    #[test]
    fn whose_speeches_fail_comes_after_the_others_who_ask() {
        let mut talk = started(all_phases(), Policy::default());
        for _ in 0..2 {
            assert_eq!(go(&mut talk, &["a", "b"], Outcome::Failed).1.as_deref(), Some("a"));
        }
        assert_eq!(go(&mut talk, &["a", "b"], Outcome::Done).1.as_deref(), Some("b"));
        assert_eq!(go(&mut talk, &["a"], Outcome::Done).1.as_deref(), Some("a"), "alone it gets another try");
    }

    #[test]
    fn an_interrupt_does_not_use_up_the_turn_of_the_one_it_interrupts() {
        let round_robin = Phase { order: Order::RoundRobin, ..phase("free", PhaseKind::FreeDiscussion) };
        let mut talk = started(vec![round_robin], Policy::default());
        go(&mut talk, &["a"], Outcome::Done);
        let interrupt = Intent { kind: IntentKind::Interrupt, urgency: 4, ..wants("c") };
        let decision = decide(&talk, &[interrupt], T0);
        assert!(decision.is_interrupt);
        talk.apply(&decision, Outcome::Done, T0);
        assert_eq!(go(&mut talk, &["a", "b"], Outcome::Done).1.as_deref(), Some("b"));
        assert_eq!(go(&mut talk, &["a", "c"], Outcome::Done).1.as_deref(), Some("c"));
    }

    #[test]
    fn a_summary_that_fails_is_done_all_the_same() {
        let summed_up =
            Phase { force_summary: true, max_rounds: NonZeroU32::MIN, ..phase("free", PhaseKind::FreeDiscussion) };
        let mut talk = started(vec![summed_up], Policy::default());
        go(&mut talk, &["a"], Outcome::Done);
        assert_eq!(go(&mut talk, &[], Outcome::Failed).0, Action::ForceSummary);
        assert_eq!(go(&mut talk, &[], Outcome::Done).0, Action::EndDiscussion);
        assert_eq!(talk.state().status, Status::Ended);
        let before = talk.clone();
        go(&mut talk, &["a"], Outcome::Done);
        assert_eq!(talk, before, "after the end nothing happens");
    }

    #[test]
    fn time_ends_a_phase_and_a_pause_stops_its_clock() {
        let timed = Phase { max_time: Some(Duration::from_mins(2)), ..phase("free", PhaseKind::FreeDiscussion) };
        let mut talk = started(vec![timed], Policy::default());
        let at = |minutes| T0.plus(Duration::from_mins(minutes));
        talk.command(&Command::Pause, at(1)).unwrap();
        assert_eq!(decide(&talk, &[wants("a")], at(5)).reason, Reason::NotRunning);
        talk.command(&Command::Resume, at(10)).unwrap();
        assert_eq!(decide(&talk, &[wants("a")], at(10)).action, Action::AllowSpeech);
        let decision = decide(&talk, &[wants("a")], at(11));
        assert_eq!((decision.action, decision.reason), (Action::EndDiscussion, Reason::TimeUsed));
    }

    #[test]
    fn a_rollback_leads_to_the_free_discussion_once_and_keeps_the_totals() {
        let mut talk = started(all_phases(), allowed());
        assert_eq!(talk.command(&Command::Rollback, T0), Err(CommandRefused::WrongPhase));
        talk.command(&Command::Skip(SkipTo::Next), T0).unwrap();
        talk.command(&Command::Skip(SkipTo::Next), T0).unwrap();
        go(&mut talk, &["a"], Outcome::Done);
        talk.command(&Command::Rollback, T0).unwrap();
        assert_eq!((talk.phase().id.as_str(), talk.state().total_rounds), ("free", 1));
        assert_eq!(talk.command(&Command::Skip(SkipTo::Next), T0), Err(CommandRefused::DoneBefore));
        talk.command(&Command::Abort, T0).unwrap();
        assert_eq!(talk.command(&Command::Resume, T0), Err(CommandRefused::WrongStatus));
    }

    #[test]
    fn a_phase_is_rolled_back_once() {
        let mut talk = started(
            vec![phase("free", PhaseKind::FreeDiscussion), phase("clash", PhaseKind::FocusedConflict)],
            allowed(),
        );
        talk.command(&Command::Skip(SkipTo::Next), T0).unwrap();
        talk.command(&Command::Rollback, T0).unwrap();
        while talk.phase().id.as_str() == "free" {
            go(&mut talk, &["a", "b"], Outcome::Done);
        }
        assert_eq!(talk.command(&Command::Rollback, T0), Err(CommandRefused::DoneBefore));
    }

    #[test]
    fn commands_need_the_scenario_s_leave_and_somewhere_to_go() {
        let mut talk = started(all_phases(), Policy::default());
        for command in [Command::Rollback, Command::Skip(SkipTo::Next), Command::Skip(SkipTo::Closing)] {
            assert_eq!(talk.command(&command, T0), Err(CommandRefused::NotAllowed));
        }
        let mut talk = started(vec![phase("clash", PhaseKind::FocusedConflict)], allowed());
        for command in [Command::Rollback, Command::Skip(SkipTo::Next), Command::Skip(SkipTo::Closing)] {
            assert_eq!(talk.command(&command, T0), Err(CommandRefused::NowhereToGo));
        }
        let mut talk = started(all_phases(), allowed());
        talk.command(&Command::Skip(SkipTo::Closing), T0).unwrap();
        assert_eq!(talk.phase().kind, PhaseKind::Closing);
        assert_eq!(talk.command(&Command::Start, T0), Err(CommandRefused::WrongStatus));
    }

    #[test]
    fn who_left_is_neither_heard_nor_called_and_with_nobody_left_it_ends() {
        let mut talk = started(all_phases(), Policy::default());
        assert_eq!(talk.command(&Command::Withdraw(agent("ghost")), T0), Err(CommandRefused::UnknownAgent));
        talk.command(&Command::Withdraw(agent("a")), T0).unwrap();
        assert_eq!(go(&mut talk, &["a"], Outcome::Done), (Action::RejectSpeech, Some("a".to_owned())));
        talk.command(&Command::Withdraw(agent("b")), T0).unwrap();
        talk.command(&Command::Withdraw(agent("c")), T0).unwrap();
        assert_eq!(decide(&talk, &[], T0).reason, Reason::NobodyLeft);
        assert_eq!(go(&mut talk, &[], Outcome::Done).0, Action::EndDiscussion);
    }

    #[test]
    fn a_silent_room_hears_everyone_in_turn_when_the_moderator_calls() {
        let long = Phase { max_rounds: NonZeroU32::new(9).unwrap(), ..phase("free", PhaseKind::FreeDiscussion) };
        for level in [Level::Medium, Level::High] {
            let mut talk = started(vec![long.clone()], Policy { level, ..Policy::default() });
            while !talk.is_over() {
                go(&mut talk, &[], Outcome::Done);
            }
            let speeches: Vec<u32> = talk.state().seats.iter().map(|seat| seat.speeches).collect();
            assert!(speeches.iter().max().unwrap() - speeches.iter().min().unwrap() <= 1, "{level:?}: {speeches:?}");
            assert!(talk.state().total_rounds > 3, "{level:?}");
        }
    }

    #[test]
    fn a_stored_state_goes_on_and_one_of_another_scenario_is_refused() {
        let mut talk = started(all_phases(), Policy::default());
        go(&mut talk, &["b"], Outcome::Done);
        let stored = serde_json::to_string(talk.state()).unwrap();
        let restored = Discussion::restore(talk.shared_scenario(), serde_json::from_str(&stored).unwrap());
        assert_eq!(restored.as_ref(), Ok(&talk));
        let other = scenario(vec![phase("free", PhaseKind::FreeDiscussion)], Policy::default()).unwrap();
        assert!(Discussion::restore(Arc::new(other), talk.state().clone()).is_err());
    }

    #[test]
    fn a_scenario_says_everything_that_is_wrong_with_it() {
        let twice = phase("free", PhaseKind::FreeDiscussion);
        let late = phase("late", PhaseKind::Opening);
        let early = phase("early", PhaseKind::Closing);
        let long = Phase { max_rounds: NonZeroU32::MAX, ..phase("long", PhaseKind::Custom) };
        let flaws = scenario(vec![twice.clone(), twice, late, early, long], Policy::default()).unwrap_err();
        assert_eq!(
            flaws,
            [
                Flaw::DuplicatePhase { phase: 1, first: 0 },
                Flaw::OpeningNotFirst { phase: 2 },
                Flaw::ClosingNotLast { phase: 3 },
                Flaw::Rounds { phase: 4 },
            ]
        );
        assert_eq!(scenario(Vec::new(), Policy::default()), Err(vec![Flaw::Phases]));
    }

    #[test]
    fn the_moderator_s_own_words_come_from_the_locale() {
        let mut talk = started(all_phases(), Policy::default());
        assert_eq!(talk.opening_words(), "Welcome to this discussion: Talk.");
        go(&mut talk, &["a"], Outcome::Done);
        assert_eq!(talk.summary_words(), "Speeches in this part: 1.");
        let closing = talk.closing_words();
        talk.command(&Command::Abort, T0).unwrap();
        assert_ne!(talk.closing_words(), closing);
    }
}
