//! What one decision of the moderator costs, for small and full rooms, and after a short and a long history.

use std::{num::NonZeroU32, sync::Arc};

use divan::{Bencher, black_box};
use steersman_domain::{
    clock::Timestamp,
    id::{AgentId, PhaseId, ScenarioId},
    locale::Locale,
    moderator::{
        Command, Discussion, Intent, IntentKind, MAX_PARTICIPANTS, MAX_ROUNDS, Order, Outcome, Participant,
        ParticipantKind, Phase, PhaseKind, Policy, Scenario, decide,
    },
};

fn main() {
    divan::main();
}

/// Decisions that were made before.
const HISTORY: [u32; 3] = [0, 100, 900];

#[divan::bench(args = [2, 8, MAX_PARTICIPANTS])]
fn everyone_asks_in_a_free_phase(bencher: Bencher<'_, '_>, agents: usize) {
    measure(bencher, agents, Order::Free, 10);
}

#[divan::bench(args = [2, 8, MAX_PARTICIPANTS])]
fn everyone_asks_in_a_moderated_phase_with_factions(bencher: Bencher<'_, '_>, agents: usize) {
    measure(bencher, agents, Order::Moderated, 10);
}

#[divan::bench(args = HISTORY)]
fn eight_ask_after_a_history(bencher: Bencher<'_, '_>, decisions: u32) {
    measure(bencher, 8, Order::Free, decisions);
}

fn measure(bencher: Bencher<'_, '_>, agents: usize, order: Order, history: u32) {
    let mut discussion = discussion(agents, order);
    let intents: Vec<Intent> = (0..agents).rev().map(intent).collect();
    for _ in 0..history {
        let decision = decide(&discussion, &intents, Timestamp::EPOCH);
        discussion.apply(&decision, Outcome::Done, Timestamp::EPOCH);
    }
    assert!(!discussion.is_over(), "it still decides who speaks");
    bencher.bench(|| decide(black_box(&discussion), black_box(&intents), Timestamp::EPOCH));
}

fn discussion(agents: usize, order: Order) -> Discussion {
    let participants = (0..agents).map(|place| Participant {
        agent: agent(place),
        name: format!("Agent {place}"),
        persona: None,
        kind: ParticipantKind::Model,
        faction: Some(if place % 2 == 0 { "pro" } else { "con" }.to_owned()),
    });
    let phase = Phase {
        id: PhaseId::new("free").expect("an id"),
        kind: PhaseKind::FreeDiscussion,
        max_rounds: NonZeroU32::new(MAX_ROUNDS).expect("above zero"),
        allow_interrupt: true,
        order,
        force_summary: true,
        max_time: None,
    };
    let id = ScenarioId::new("bench").expect("an id");
    let scenario =
        Scenario::new(id, "Bench".to_owned(), Locale::ZhCn, participants.collect(), vec![phase], Policy::default());
    let mut discussion = Discussion::new(Arc::new(scenario.expect("a valid scenario")));
    discussion.command(&Command::Start, Timestamp::EPOCH).expect("it is new");
    discussion
}

fn intent(place: usize) -> Intent {
    let kinds = [IntentKind::Speak, IntentKind::Respond, IntentKind::Question, IntentKind::Interrupt];
    Intent {
        agent: agent(place),
        kind: kinds[place % kinds.len()],
        urgency: i64::try_from(place % 5).expect("a small number") + 1,
        target: Some(agent(0)),
        at: Some(Timestamp::from_unix_ms(1)),
    }
}

fn agent(place: usize) -> AgentId {
    AgentId::new(format!("agent-{place}")).expect("an id")
}
