//! The shape of a scenario: the one truth for its keys, for the reader and for editors. Nothing here is ever filled in.
//!
//! The doc comments are what an editor shows beside a key.
#![expect(dead_code, reason = "only the derived schema of these types is used")]
#![expect(clippy::struct_field_names, reason = "the fields are the keys of the language")]

use std::sync::LazyLock;

use schemars::{JsonSchema, SchemaGenerator};

use super::{Shape, script::Id};

/// The shapes of a scenario.
pub(in crate::scripts) static SCENARIO: LazyLock<ScenarioShapes> = LazyLock::new(ScenarioShapes::new);

/// One shape for each kind of mapping of a scenario.
#[derive(Debug)]
pub(in crate::scripts) struct ScenarioShapes {
    pub(in crate::scripts) scenario: Shape,
    pub(in crate::scripts) participant: Shape,
    pub(in crate::scripts) phase: Shape,
    pub(in crate::scripts) policy: Shape,
}

impl ScenarioShapes {
    fn new() -> Self {
        let all = &mut SchemaGenerator::default();
        Self {
            scenario: Shape::of::<Scenario>(all, "a scenario"),
            participant: Shape::of::<Participant>(all, "a participant"),
            phase: Shape::of::<Phase>(all, "a phase of a scenario"),
            policy: Shape::of::<Policy>(all, "`policy`"),
        }
    }
}

/// A discussion for Steersman: who takes part, in which phases, under which rules. The moderator decides by rule.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "Steersman scenario")]
pub(in crate::scripts) struct Scenario {
    /// The version of the language: 1.
    #[schemars(range(min = 1, max = 1), extend("examples" = [1]))]
    steersman: u32,
    /// The id of the scenario: letters, digits, `_` and `-`.
    #[schemars(extend("examples" = ["budget_debate"]))]
    scenario: Id,
    /// A title for people. Default: the id.
    title: Option<String>,
    /// The language of the moderator's sentences. Default: en.
    locale: Option<Locale>,
    /// Who takes part, 1 to 32, in the order of a round-robin.
    #[schemars(length(min = 1, max = 32), extend("examples" = ["[{agent: ada, kind: model}]"]))]
    participants: Vec<Participant>,
    /// The phases, 1 to 32, in order.
    #[schemars(length(min = 1, max = 32), extend("examples" = ["[{phase: talk, type: FREE_DISCUSSION, max_rounds: 10}]"]))]
    phases: Vec<Phase>,
    /// How the moderator behaves.
    policy: Option<Policy>,
}

/// Someone who may speak.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Participant {
    /// The id, unique in the scenario.
    #[schemars(extend("examples" = ["ada"]))]
    agent: Id,
    /// The name that the moderator uses. Default: the id.
    name: Option<String>,
    /// Who that is, for the model that speaks for a participant.
    persona: Option<String>,
    /// Where the words come from. Default: model.
    kind: Option<Kind>,
    /// The side that the participant is on; the moderator keeps sides in balance.
    faction: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
enum Kind {
    Model,
    Human,
    External,
}

/// One part of a discussion.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Phase {
    /// Its id, unique in the scenario.
    #[schemars(extend("examples" = ["opening"]))]
    phase: Id,
    /// What kind of part it is. An OPENING is the first phase, a CLOSING the last.
    #[schemars(rename = "type", extend("examples" = ["FREE_DISCUSSION"]))]
    kind: PhaseKind,
    /// The most speeches, 1 to 1000.
    #[schemars(range(min = 1, max = 1000), extend("examples" = [10]))]
    max_rounds: u32,
    /// true: urgent participants may come in out of turn. Default: false.
    allow_interrupt: Option<bool>,
    /// How speakers are chosen. Default: free.
    speaking_order: Option<Order>,
    /// true: the phase ends with a summary. Default: false.
    force_summary: Option<bool>,
    /// The most minutes, above 0 and at most 1440. Without it only the rounds count.
    #[schemars(range(min = 0, max = 1440))]
    max_minutes: Option<f64>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "SCREAMING_SNAKE_CASE")]
enum PhaseKind {
    Opening,
    FreeDiscussion,
    FocusedConflict,
    Convergence,
    Closing,
    Custom,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum Order {
    Free,
    RoundRobin,
    Moderated,
}

/// How the moderator behaves.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Policy {
    /// 0 watches, 1 calls when it has been cold for long, 2 (default) calls those who speak little, 3 asks questions.
    #[schemars(range(min = 0, max = 3))]
    intervention_level: Option<u32>,
    /// Rounds of silence after which the room is cold, 1 to 1000. Default: 3.
    #[schemars(range(min = 1, max = 1000))]
    cold_threshold: Option<u32>,
    /// The share of a phase's speeches above which a participant is warned, above 0 and at most 1. Default: 0.6.
    #[schemars(range(min = 0, max = 1))]
    max_speak_ratio: Option<f64>,
    /// The most speeches in a row of one participant, 1 to 1000. Default: 2.
    #[schemars(range(min = 1, max = 1000))]
    max_consecutive_speaks: Option<u32>,
    /// true: a conflict or a convergence may be rolled back to the free discussion, once. Default: false.
    allow_rollback: Option<bool>,
    /// true: a phase may be skipped, once. Default: false.
    allow_skip: Option<bool>,
    /// What becomes of the others when one human is at risk. Default: abort.
    on_high: Option<OnHigh>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
enum OnHigh {
    Abort,
    Continue,
}

/// The languages that ship.
#[derive(JsonSchema)]
#[schemars(inline)]
enum Locale {
    #[schemars(rename = "zh-CN")]
    ZhCn,
    #[schemars(rename = "en")]
    En,
}
