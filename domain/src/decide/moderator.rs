//! `decide moderator`: who may speak, from a description of the room.

use std::{collections::BTreeMap, num::NonZeroU32, sync::Arc};

use serde::Deserialize;
use serde_json::Value;

use super::{Kind, Refusal, known_keys, read};
use crate::{
    clock::Timestamp,
    id::{AgentId, PhaseId, ScenarioId},
    locale::Locale,
    moderator::{
        Command, Discussion, Intent, IntentKind, Level, Order, Participant, ParticipantKind, Phase, PhaseKind, Policy,
        Scenario, decide as decide_next,
    },
};

/// The row of the registry.
pub(super) const KIND: Kind = Kind { name: "moderator", about: "who may speak in a discussion", decide };

const KEYS: [&str; 19] = [
    "order",
    "allow_interrupt",
    "level",
    "cold_threshold",
    "phase_round",
    "phase_max_rounds",
    "force_summary",
    "summary_done",
    "next_phase",
    "idle",
    "agents",
    "counts",
    "last",
    "consecutive",
    "next_index",
    "warned",
    "factions",
    "intents",
    "locale",
];
const INTENT_KEYS: [&str; 5] = ["agent", "type", "urgency", "target", "at"];

fn decide(input: &Value) -> Result<Value, Refusal> {
    known_keys("", input, &KEYS)?;
    for (place, intent) in input["intents"].as_array().into_iter().flatten().enumerate() {
        known_keys(&format!("intents[{place}]"), intent, &INTENT_KEYS)?;
    }
    let case: Input = read(input, &KEYS)?;
    let discussion = case.discussion()?;
    let intents: Vec<Intent> = case.intents.into_iter().map(Intent::from).collect();
    let decision = decide_next(&discussion, &intents, Timestamp::EPOCH);
    Ok(serde_json::to_value(decision).expect("names and texts are JSON"))
}

#[derive(Deserialize)]
struct Input {
    order: Order,
    allow_interrupt: bool,
    level: Level,
    cold_threshold: NonZeroU32,
    phase_round: u32,
    phase_max_rounds: NonZeroU32,
    force_summary: bool,
    #[serde(default)]
    summary_done: bool,
    next_phase: Option<PhaseId>,
    idle: u32,
    agents: Vec<AgentId>,
    counts: Vec<u32>,
    last: Option<AgentId>,
    consecutive: u32,
    #[serde(default)]
    next_index: usize,
    #[serde(default)]
    warned: Vec<AgentId>,
    factions: Option<Factions>,
    intents: Vec<StatedIntent>,
    locale: Option<Locale>,
}

/// One faction an agent, by place or by name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Factions {
    InOrder(Vec<Option<String>>),
    ByAgent(BTreeMap<AgentId, Option<String>>),
}

#[derive(Deserialize)]
struct StatedIntent {
    agent: AgentId,
    #[serde(rename = "type")]
    kind: IntentKind,
    urgency: i64,
    target: Option<AgentId>,
    at: Option<Moment>,
}

/// A point in time, or any number that grows with it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Moment {
    At(Timestamp),
    Ms(i64),
}

impl Input {
    fn discussion(&self) -> Result<Discussion, Refusal> {
        let scenario = self.scenario()?;
        let seat = |field: &str, agent: &AgentId| {
            let found = self.agents.iter().position(|other| other == agent);
            found.ok_or_else(|| refused(format!("`{field}` names `{agent}`, who is not in `agents`")))
        };
        if self.counts.len() != self.agents.len() {
            return Err(refused(format!("`counts` has {} entries, `agents` {}", self.counts.len(), self.agents.len())));
        }
        if self.next_index >= self.agents.len() {
            return Err(refused("`next_index` is a place in `agents`, counted from 0".to_owned()));
        }
        let mut discussion = Discussion::new(Arc::new(scenario));
        discussion.command(&Command::Start, Timestamp::EPOCH).expect("a new discussion starts");
        let mut state = discussion.state().clone();
        state.phase_round = self.phase_round;
        state.idle = self.idle;
        state.last = self.last.as_ref().map(|agent| seat("last", agent)).transpose()?;
        state.consecutive = self.consecutive;
        state.next_in_order = self.next_index;
        for (place, &count) in self.counts.iter().enumerate() {
            state.seats[place].phase_speeches = count;
        }
        state.marks[0].summed_up = self.summary_done;
        for agent in &self.warned {
            state.marks[0].warned.insert(seat("warned", agent)?);
        }
        let scenario = discussion.shared_scenario();
        Ok(Discussion::restore(scenario, state).expect("it was made for this scenario"))
    }

    fn scenario(&self) -> Result<Scenario, Refusal> {
        let here = ["phase", "this-phase"].map(|id| PhaseId::new(id).expect("a constant id"));
        let [here, other] = here;
        let id = if self.next_phase.as_ref() == Some(&here) { other } else { here };
        let phase = |id: PhaseId| Phase {
            id,
            kind: PhaseKind::Custom,
            max_rounds: self.phase_max_rounds,
            allow_interrupt: self.allow_interrupt,
            order: self.order,
            force_summary: self.force_summary,
            max_time: None,
        };
        let phases = [Some(id), self.next_phase.clone()].into_iter().flatten().map(phase).collect();
        let policy = Policy { level: self.level, cold_threshold: self.cold_threshold, ..Policy::default() };
        let title = String::new();
        let locale = self.locale.unwrap_or(Locale::En);
        let id = ScenarioId::new("case").expect("a constant id");
        Scenario::new(id, title, locale, self.participants()?, phases, policy).map_err(|flaws| {
            let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
            refused(flaws.join("; "))
        })
    }

    fn participants(&self) -> Result<Vec<Participant>, Refusal> {
        let faction = |place: usize, agent: &AgentId| match &self.factions {
            None => None,
            Some(Factions::InOrder(factions)) => factions.get(place).cloned().flatten(),
            Some(Factions::ByAgent(factions)) => factions.get(agent).cloned().flatten(),
        };
        match &self.factions {
            Some(Factions::InOrder(factions)) if factions.len() != self.agents.len() => {
                return Err(refused("`factions` is a list with one entry an agent, or an object by agent".to_owned()));
            }
            Some(Factions::ByAgent(factions)) => {
                if let Some(stranger) = factions.keys().find(|agent| !self.agents.contains(agent)) {
                    return Err(refused(format!("`factions` names `{stranger}`, who is not in `agents`")));
                }
            }
            Some(Factions::InOrder(_)) | None => {}
        }
        let participants = self.agents.iter().enumerate().map(|(place, agent)| Participant {
            agent: agent.clone(),
            name: agent.to_string(),
            persona: None,
            kind: ParticipantKind::External,
            faction: faction(place, agent),
        });
        Ok(participants.collect())
    }
}

impl From<StatedIntent> for Intent {
    fn from(stated: StatedIntent) -> Self {
        Self {
            agent: stated.agent,
            kind: stated.kind,
            urgency: stated.urgency,
            target: stated.target,
            at: stated.at.map(|moment| match moment {
                Moment::At(at) => at,
                Moment::Ms(ms) => Timestamp::from_unix_ms(ms),
            }),
        }
    }
}

fn refused(message: String) -> Refusal {
    Refusal::new("invalid_input", message)
}
