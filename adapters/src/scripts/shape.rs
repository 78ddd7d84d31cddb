//! The keys of each mapping of the language, taken from the same types that the JSON Schema is made of.

mod action;
mod scenario;
mod script;

use std::sync::LazyLock;

use schemars::{JsonSchema, SchemaGenerator};

pub(super) use scenario::{SCENARIO, Scenario};
pub(super) use script::Script;

/// Marks a key whose feature this build does not run.
pub(super) const NOT_YET: &str = "x-steersman-not-yet";

/// What keys a mapping may have.
#[derive(Debug)]
pub(super) struct Shape {
    /// What the mapping is, in words.
    pub(super) what: &'static str,
    /// Whether it is one of the kinds of actions.
    pub(super) is_action: bool,
    pub(super) keys: Vec<Key>,
}

/// One key of a mapping.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) not_yet: bool,
    /// How it is written, for a hint.
    example: Option<String>,
}

/// The shapes of a script.
pub(super) static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::new);

/// One shape for each kind of mapping of a script.
#[derive(Debug)]
pub(super) struct Shapes {
    pub(super) script: Shape,
    pub(super) role: Shape,
    pub(super) global: Shape,
    pub(super) declaration: Shape,
    pub(super) limits: Shape,
    pub(super) phase: Shape,
    pub(super) topic: Shape,
    pub(super) say: Shape,
    pub(super) ai_say: Shape,
    pub(super) ai_talk: Shape,
    pub(super) ai_answer: Shape,
    pub(super) ai_ask: Shape,
    pub(super) ai_think: Shape,
    pub(super) user_option: Shape,
    pub(super) show_pic: Shape,
    pub(super) set: Shape,
    pub(super) criteria: Shape,
    pub(super) custom_condition: Shape,
    pub(super) get_output: Shape,
    pub(super) set_output: Shape,
}

impl Shapes {
    fn new() -> Self {
        // One generator for all: what a type refers to is then not generated again.
        let all = &mut SchemaGenerator::default();
        Self {
            script: Shape::of::<Script>(all, "a script"),
            role: Shape::of::<script::Role>(all, "a role"),
            global: Shape::of::<script::Global>(all, "an entry of `global`"),
            declaration: Shape::of::<script::Declaration>(all, "an entry of `declare`"),
            limits: Shape::of::<script::Limits>(all, "`limits`"),
            phase: Shape::of::<script::Phase>(all, "a phase"),
            topic: Shape::of::<script::Topic>(all, "a topic"),
            say: Shape::action::<action::Say>(all, "a `say`"),
            ai_say: Shape::action::<action::AiSay>(all, "an `ai_say`"),
            ai_talk: Shape::action::<action::AiTalk>(all, "an `ai_talk`"),
            ai_answer: Shape::action::<action::AiAnswer>(all, "an `ai_answer`"),
            ai_ask: Shape::action::<action::AiAsk>(all, "an `ai_ask`"),
            ai_think: Shape::action::<action::AiThink>(all, "an `ai_think`"),
            user_option: Shape::action::<action::UserOption>(all, "a `user_option`"),
            show_pic: Shape::action::<action::ShowPic>(all, "a `show_pic`"),
            set: Shape::action::<action::Set>(all, "a `set`"),
            criteria: Shape::of::<action::Criteria>(all, "`exit_criteria`"),
            custom_condition: Shape::of::<action::CustomCondition>(all, "an entry of `custom_conditions`"),
            get_output: Shape::of::<action::GetOutput>(all, "an output"),
            set_output: Shape::of::<action::SetOutput>(all, "an output with `set`"),
        }
    }

    /// Returns every shape.
    pub(super) fn all(&self) -> [&Shape; 20] {
        [
            &self.script,
            &self.role,
            &self.global,
            &self.declaration,
            &self.limits,
            &self.phase,
            &self.topic,
            &self.say,
            &self.ai_say,
            &self.ai_talk,
            &self.ai_answer,
            &self.ai_ask,
            &self.ai_think,
            &self.user_option,
            &self.show_pic,
            &self.set,
            &self.criteria,
            &self.custom_condition,
            &self.get_output,
            &self.set_output,
        ]
    }
}

impl Shape {
    fn of<T: JsonSchema>(generator: &mut SchemaGenerator, what: &'static str) -> Self {
        let schema = T::json_schema(generator).to_value();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let keys = properties
            .map(|(name, property)| Key {
                name: name.clone(),
                required: required.contains(&name.as_str()),
                not_yet: property[NOT_YET] == true,
                example: property["examples"]
                    .get(0)
                    .map(|example| example.as_str().map_or(example.to_string(), ToOwned::to_owned)),
            })
            .collect();
        Self { what, is_action: false, keys }
    }

    fn action<T: JsonSchema>(generator: &mut SchemaGenerator, what: &'static str) -> Self {
        Self { is_action: true, ..Self::of::<T>(generator, what) }
    }

    /// Returns the index of a key.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.keys.iter().position(|key| key.name == name)
    }

    /// Tells whether a key belongs to the language and not to this build.
    pub(super) fn is_not_yet(&self, name: &str) -> bool {
        self.position(name).is_some_and(|at| self.keys[at].not_yet)
    }

    /// Returns the keys that this build reads.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.keys.iter().filter(|key| !key.not_yet).map(|key| key.name.as_str())
    }

    /// Returns the keys that this build reads, as a message lists them.
    pub(super) fn listed(&self) -> String {
        self.names().collect::<Vec<_>>().join(", ")
    }
}

impl Key {
    /// Shows how the key is written.
    pub(super) fn example(&self) -> String {
        match &self.example {
            Some(example) => format!("for example `{}: {example}`", self.name),
            None => format!("add `{}: …`", self.name),
        }
    }
}
