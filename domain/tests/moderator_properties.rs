//! Whole discussions over generated streams of intents, outcomes, times and commands.
//!
//! A stream is a list of numbers, one a decision; all-zero means a silent room in which everything succeeds, so that a
//! failing stream shrinks towards silence. When the stream is used up it begins again.

use std::{collections::BTreeMap, num::NonZeroU32, sync::Arc, time::Duration};

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Reason, TestCaseError, TestError, TestRunner},
};
use steersman_domain::{
    clock::Timestamp,
    depth::Ratio,
    id::{AgentId, PhaseId, ScenarioId},
    locale::Locale,
    moderator::{
        Action, Command, Decision, Discussion, Intent, IntentKind, Level, OnHigh, Order, Outcome, Participant,
        ParticipantKind, Phase, PhaseKind, Policy, Reason as Rule, Scenario, SkipTo, Status, decide,
    },
};

/// Streams per property.
const STREAMS: u32 = 100_000;
/// Bits of a number that say what one agent does.
const AGENT_BITS: u32 = 8;
/// How often one agent can hold the order up: two calls that it declines, two speeches that fail.
const MISSES: usize = 4;
/// The most agents of a world.
const MAX_AGENTS: usize = 5;

#[derive(Debug, Clone)]
struct World {
    crowd: Crowd,
    agents: usize,
    phases: Vec<PhaseSketch>,
    level: u8,
    cold: u32,
    in_a_row: u32,
    factions: bool,
    commands: bool,
    stream: Vec<u64>,
}

/// What kind of people they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crowd {
    /// Anything.
    Mixed,
    /// Nobody ever asks.
    Silent,
    /// The first always asks, as urgently as can be; the others sometimes.
    OneHog,
    /// Whoever is called declines.
    Declining,
    /// Every speech fails.
    Failing,
}

#[derive(Debug, Clone, Copy)]
struct PhaseSketch {
    order: Order,
    max_rounds: u32,
    allow_interrupt: bool,
    force_summary: bool,
    timed: bool,
}

/// One decision, and what stood before it.
struct Moment {
    before: Discussion,
    now: Timestamp,
    intents: Vec<Intent>,
    decision: Decision,
    outcome: Outcome,
}

/// Draws worlds, and shrinks them by leaving something out: a moment, a phase, an agent, one bit of what happens.
#[derive(Debug, Clone, Copy)]
struct Worlds;

/// A world that failed, and the next smaller one to try.
struct Shrinking {
    failed: World,
    tried: Option<World>,
    step: usize,
}

impl Strategy for Worlds {
    type Tree = Shrinking;
    type Value = World;

    fn new_tree(&self, runner: &mut TestRunner) -> Result<Shrinking, Reason> {
        Ok(Shrinking { failed: World::draw(runner.rng().next_u64()), tried: None, step: 0 })
    }
}

impl ValueTree for Shrinking {
    type Value = World;

    fn current(&self) -> World {
        self.tried.as_ref().unwrap_or(&self.failed).clone()
    }

    fn simplify(&mut self) -> bool {
        if let Some(smaller) = self.tried.take() {
            self.failed = smaller;
            self.step = 0;
        }
        self.tried = self.failed.smaller().nth(self.step);
        self.tried.is_some()
    }

    fn complicate(&mut self) -> bool {
        self.step += 1;
        self.tried = self.failed.smaller().nth(self.step);
        self.tried.is_some()
    }
}

impl World {
    fn draw(seed: u64) -> Self {
        let mut state = seed;
        let mut number = || {
            // SplitMix64 (Steele, Lea, Flood 2014).
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        };
        let mut below = |bound: usize| usize::try_from(number() >> 16).unwrap_or(0) % bound;
        let crowds = [Crowd::Mixed, Crowd::Mixed, Crowd::Silent, Crowd::OneHog, Crowd::Declining, Crowd::Failing];
        let rounds = [1, 2, 3, 4, 6];
        let phase = |below: &mut dyn FnMut(usize) -> usize| PhaseSketch {
            order: Order::ALL[below(3)],
            max_rounds: rounds[below(rounds.len())],
            allow_interrupt: below(2) > 0,
            force_summary: below(2) > 0,
            timed: below(4) == 0,
        };
        let crowd = crowds[below(crowds.len())];
        let phases = (0..=below(2)).map(|_| phase(&mut below)).collect();
        let small = [1, 2, 3];
        let (agents, level) = (1 + below(MAX_AGENTS), [0, 1, 2, 3][below(4)]);
        let (cold, in_a_row, flags, moments) = (small[below(2)], small[below(3)], below(4), below(12));
        let stream = (0..moments).map(|_| number()).collect();
        Self { crowd, agents, phases, level, cold, in_a_row, factions: flags & 1 > 0, commands: flags & 2 > 0, stream }
    }

    /// Every world that lacks one thing of this one.
    fn smaller(&self) -> impl Iterator<Item = Self> + '_ {
        let without_moment = (0..self.stream.len()).map(|place| {
            let mut world = self.clone();
            world.stream.remove(place);
            world
        });
        let without_phase = (0..self.phases.len()).filter(|_| self.phases.len() > 1).map(|place| {
            let mut world = self.clone();
            world.phases.remove(place);
            world
        });
        let fewer_agents = (self.agents > 1).then(|| Self { agents: self.agents - 1, ..self.clone() });
        let without_commands = self.commands.then(|| Self { commands: false, ..self.clone() });
        let without_factions = self.factions.then(|| Self { factions: false, ..self.clone() });
        let plainer = (self.crowd != Crowd::Mixed).then(|| Self { crowd: Crowd::Mixed, ..self.clone() });
        let bits = (0..self.stream.len()).flat_map(|place| (0..64).map(move |bit| (place, 1 << bit)));
        let without_bit = bits.filter(|&(place, bit)| self.stream[place] & bit > 0).map(|(place, bit)| {
            let mut world = self.clone();
            world.stream[place] ^= bit;
            world
        });
        without_moment
            .chain(without_phase)
            .chain(fewer_agents)
            .chain(without_commands)
            .chain(without_factions)
            .chain(plainer)
            .chain(without_bit)
    }
}

impl World {
    fn scenario(&self) -> Scenario {
        let participants = (0..self.agents).map(|place| Participant {
            agent: agent(place),
            name: format!("Agent {place}"),
            persona: None,
            kind: ParticipantKind::Model,
            faction: self.factions.then(|| if place % 3 == 0 { "pro" } else { "con" }.to_owned()),
        });
        let kinds = [PhaseKind::FreeDiscussion, PhaseKind::FocusedConflict];
        let phases = self.phases.iter().zip(kinds).enumerate().map(|(place, (sketch, kind))| Phase {
            id: PhaseId::new(format!("p{place}")).expect("an id"),
            kind,
            max_rounds: above_zero(sketch.max_rounds),
            allow_interrupt: sketch.allow_interrupt,
            order: sketch.order,
            force_summary: sketch.force_summary,
            max_time: sketch.timed.then_some(Duration::from_mins(2)),
        });
        let policy = Policy {
            level: Level::try_from(self.level).expect("0 to 3"),
            cold_threshold: above_zero(self.cold),
            max_speak_ratio: Ratio::new(0.6).expect("a number"),
            max_consecutive_speaks: above_zero(self.in_a_row),
            allow_rollback: self.commands,
            allow_skip: self.commands,
            on_high: OnHigh::Abort,
        };
        let id = ScenarioId::new("world").expect("an id");
        Scenario::new(id, "World".to_owned(), Locale::En, participants.collect(), phases.collect(), policy)
            .expect("a valid scenario")
    }

    /// What everyone wants at one moment.
    fn intents(&self, number: u64) -> Vec<Intent> {
        let mut intents = Vec::new();
        for place in 0..self.agents {
            let bits = number >> (u32::try_from(place).expect("few agents") * AGENT_BITS) & 0xFF;
            match self.crowd {
                Crowd::OneHog if place == 0 => intents.push(intent(place, 5, IntentKind::Speak, None)),
                Crowd::Mixed | Crowd::OneHog | Crowd::Declining | Crowd::Failing if bits & 1 > 0 => {
                    let kinds = [IntentKind::Speak, IntentKind::Interrupt, IntentKind::Respond, IntentKind::Question];
                    let kind = kinds[usize::try_from(bits >> 1 & 3).expect("two bits")];
                    let urgency = i64::try_from(bits >> 3 & 7).expect("three bits");
                    let at = (bits & 0x40 > 0).then(|| Timestamp::from_unix_ms(i64::from(bits & 0x80 > 0)));
                    intents.push(intent(place, urgency, kind, at));
                }
                Crowd::Mixed | Crowd::OneHog | Crowd::Declining | Crowd::Failing | Crowd::Silent => {}
            }
        }
        if number >> 40 & 0b11 == 0b11 && self.crowd != Crowd::Silent {
            intents.push(intent(7, 3, IntentKind::Speak, None));
            intents.extend(intents.first().cloned().map(|first| Intent {
                urgency: 4,
                kind: IntentKind::Speak,
                ..first
            }));
        }
        intents
    }

    fn outcome(&self, number: u64, decision: &Decision) -> Outcome {
        let outcomes = [Outcome::Done, Outcome::Done, Outcome::Done, Outcome::Done, Outcome::Cut, Outcome::Silent];
        let unasked = matches!(decision.action, Action::CallAgent | Action::PromptQuestion);
        match self.crowd {
            Crowd::Declining if unasked => Outcome::Declined,
            Crowd::Failing => Outcome::Failed,
            Crowd::Silent | Crowd::Declining | Crowd::OneHog => Outcome::Done,
            Crowd::Mixed => match number >> 42 & 7 {
                6 => Outcome::Declined,
                7 => Outcome::Failed,
                other => outcomes[usize::try_from(other).expect("three bits")],
            },
        }
    }

    fn command(&self, number: u64) -> Option<Command> {
        match number >> 45 & 0xF {
            1 => Some(Command::Rollback),
            2 => Some(Command::Skip(SkipTo::Next)),
            3 if self.agents > 1 => Some(Command::Withdraw(agent(1))),
            _ => None,
        }
        .filter(|_| self.commands)
    }

    /// Runs the discussion to its end, or to twice its bound, and shows each moment to `look`.
    fn run(&self, mut look: impl FnMut(&Moment, &Discussion) -> Check) -> Result<Discussion, TestCaseError> {
        let mut discussion = Discussion::new(Arc::new(self.scenario()));
        let mut now = Timestamp::EPOCH;
        discussion.command(&Command::Start, now).expect("it is new");
        let bound = usize::try_from(discussion.scenario().decision_bound()).expect("a small scenario");
        let silence = [0];
        let stream = if self.stream.is_empty() { &silence[..] } else { &self.stream[..] };
        for &number in stream.iter().cycle().take(bound * 2) {
            if discussion.is_over() {
                break;
            }
            if let Some(command) = self.command(number) {
                // A refused command changes nothing, which is what the next decision shows.
                let _refused = discussion.command(&command, now);
            }
            now = now.plus(Duration::from_secs(number >> 49 & 31));
            let intents = self.intents(number);
            let decision = decide(&discussion, &intents, now);
            let outcome = self.outcome(number, &decision);
            let moment = Moment { before: discussion.clone(), now, intents, decision, outcome };
            discussion.apply(&moment.decision, outcome, now);
            look(&moment, &discussion)?;
        }
        Ok(discussion)
    }
}

type Check = Result<(), TestCaseError>;

impl Moment {
    fn seat(&self, agent: &AgentId) -> Option<usize> {
        self.before.scenario().participants().iter().position(|participant| participant.agent == *agent)
    }

    fn lets_speak(&self) -> bool {
        matches!(self.decision.action, Action::AllowSpeech | Action::CallAgent | Action::PromptQuestion)
    }

    fn was_speech(&self) -> bool {
        self.lets_speak() && matches!(self.outcome, Outcome::Done | Outcome::Cut)
    }

    fn closes(&self) -> bool {
        matches!(self.decision.action, Action::ForceSummary | Action::SwitchPhase | Action::EndDiscussion)
    }

    /// Who asked and was not dropped.
    fn askers(&self) -> Vec<usize> {
        let stated = |agent: &AgentId| self.intents.iter().filter(|intent| intent.agent == *agent).count();
        let dropped = |agent: &AgentId| self.decision.rejections.iter().filter(|one| one.agent == *agent).count();
        let seats = 0..self.before.scenario().participants().len();
        seats.filter(|&seat| stated(&agent(seat)) > dropped(&agent(seat))).collect()
    }
}

fn agent(place: usize) -> AgentId {
    AgentId::new(format!("agent-{place}")).expect("an id")
}

fn intent(place: usize, urgency: i64, kind: IntentKind, at: Option<Timestamp>) -> Intent {
    Intent { agent: agent(place), kind, urgency, target: None, at }
}

fn above_zero(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("above zero")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(STREAMS) })]

    #[test]
    fn ends_for_any_intent_stream(world in Worlds) {
        let mut decisions = 0;
        let end = world.run(|moment, after| {
            decisions += 1;
            prop_assert!(after.decisions_left() < moment.before.decisions_left(), "the measure falls");
            Ok(())
        })?;
        prop_assert_eq!(end.state().status, Status::Ended);
        prop_assert!(decisions <= end.scenario().decision_bound());
    }

    #[test]
    fn decision_ignores_input_order(world in Worlds) {
        world.run(|moment, _| {
            let mut intents = moment.intents.clone();
            intents.reverse();
            for _ in 0..intents.len() {
                let again = decide(&moment.before, &intents, moment.now);
                prop_assert_eq!(&again, &decide(&moment.before, &moment.intents, moment.now));
                intents.rotate_left(1);
            }
            Ok(())
        })?;
    }

    #[test]
    fn at_most_one_speaker(world in Worlds) {
        let mut in_a_row: (Option<AgentId>, u32) = (None, 0);
        world.run(|moment, after| {
            let decision = &moment.decision;
            let targeted = moment.lets_speak() || matches!(decision.action, Action::RejectSpeech | Action::WarnAgent);
            prop_assert_eq!(decision.target.is_some(), targeted);
            prop_assert_eq!(decision.next.is_some(), decision.action == Action::SwitchPhase);
            prop_assert!(!decision.is_interrupt || decision.action == Action::AllowSpeech);
            prop_assert!(!decision.words.is_empty());
            let spoken = after.state().total_rounds - moment.before.state().total_rounds;
            prop_assert_eq!(spoken, u32::from(moment.was_speech()));
            if moment.lets_speak() {
                let seat = decision.target.as_ref().and_then(|target| moment.seat(target));
                prop_assert!(seat.is_some_and(|seat| !moment.before.state().seats[seat].out), "it takes part");
            }
            if moment.before.state().consecutive == 0 {
                in_a_row = (None, 0);
            }
            if moment.was_speech() {
                let count = if in_a_row.0 == decision.target { in_a_row.1 + 1 } else { 1 };
                in_a_row = (decision.target.clone(), count);
                let others = moment.before.state().seats.iter().filter(|seat| !seat.out).count() > 1;
                prop_assert!(!others || count <= world.in_a_row, "nobody holds the floor");
            }
            Ok(())
        })?;
    }

    #[test]
    fn nobody_waits_for_ever(world in Worlds) {
        let mut waiting = [0; MAX_AGENTS];
        world.run(|moment, _| {
            let (state, askers) = (moment.before.state(), moment.askers());
            // A new visit to a phase, after a rollback too, asks everyone anew.
            if state.phase_ticks == 0 {
                waiting = [0; MAX_AGENTS];
            }
            if askers.is_empty() || moment.closes() {
                waiting = [0; MAX_AGENTS];
                return Ok(());
            }
            prop_assert!(moment.lets_speak() || moment.decision.action == Action::WarnAgent, "who asks is heard");
            let target = moment.decision.target.as_ref().and_then(|target| moment.seat(target)).expect("it has one");
            let phase = moment.before.phase();
            match phase.order {
                Order::Free => prop_assert!(askers.contains(&target), "one of those who ask"),
                Order::Moderated if !world.factions && !state.seats[target].is_failing() => {
                    for asker in askers.into_iter().filter(|&asker| !state.seats[asker].is_failing()) {
                        let (chosen, other) = (state.seats[target], state.seats[asker]);
                        prop_assert!(chosen.phase_speeches <= other.phase_speeches, "who spoke more goes first");
                    }
                }
                Order::Moderated => {}
                Order::RoundRobin => {
                    for (seat, turns) in waiting.iter_mut().enumerate() {
                        let waits = askers.contains(&seat) && seat != target && !state.seats[seat].is_failing();
                        *turns = if waits && !phase.allow_interrupt { *turns + 1 } else { 0 };
                        prop_assert!(*turns <= MISSES * world.agents, "the order stands still");
                    }
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn summary_happens_once(world in Worlds) {
        let mut summed_up = BTreeMap::new();
        world.run(|moment, _| {
            let phase = moment.before.phase();
            let count = summed_up.entry(phase.id.clone()).or_insert(0);
            *count += u32::from(moment.decision.action == Action::ForceSummary);
            prop_assert!(*count <= 1);
            let at_once = matches!(moment.decision.reason, Rule::NobodyLeft | Rule::DiscussionTicksUsed);
            if matches!(moment.decision.action, Action::SwitchPhase | Action::EndDiscussion) && !at_once {
                prop_assert_eq!(*count, u32::from(phase.force_summary), "a phase is left without its summary");
            }
            Ok(())
        })?;
    }

    #[test]
    fn warn_once_per_phase(world in Worlds) {
        let mut warned = BTreeMap::new();
        world.run(|moment, after| {
            let mut told = moment.decision.warnings.clone();
            told.extend(moment.decision.target.clone().filter(|_| moment.decision.action == Action::WarnAgent));
            prop_assert!(told.is_empty() || (world.level > 0 && world.agents > 1 && !moment.intents.is_empty()));
            for agent in told {
                prop_assert!(moment.decision.action == Action::WarnAgent || moment.decision.target.as_ref() != Some(&agent));
                let seat = moment.seat(&agent).expect("only participants are warned");
                let speeches = moment.before.state().seats[seat].phase_speeches;
                let total: u32 = moment.before.state().seats.iter().map(|seat| seat.phase_speeches).sum();
                prop_assert!(speeches > 2 && f64::from(speeches) > 0.6 * f64::from(total));
                let count = warned.entry((moment.before.phase().id.clone(), agent)).or_insert(0);
                *count += 1;
                prop_assert_eq!(*count, 1);
                prop_assert!(after.state().marks[moment.before.state().phase].warned.contains(&seat));
            }
            Ok(())
        })?;
    }
}

#[test]
fn a_failing_stream_shrinks_to_a_minimal_one() {
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig { failure_persistence: None, max_shrink_iters: 100_000, ..ProptestConfig::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let found = runner.run(&Worlds, |world| {
        world.run(|moment, _| {
            let interrupted = moment.decision.is_interrupt;
            if interrupted { Err(TestCaseError::fail("somebody was interrupted")) } else { Ok(()) }
        })?;
        Ok(())
    });
    let Err(TestError::Fail(_, world)) = found else { panic!("a stream with an interrupt exists") };
    assert_eq!(world.stream.len(), 1, "one moment is enough to interrupt: {world:?}");
    assert_eq!(world.intents(world.stream[0]).len(), 1, "and one intent: {world:?}");
}
