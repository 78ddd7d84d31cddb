//! The shape of a script: the one truth for its keys, for the reader and for editors. Nothing here is ever filled in.
//!
//! The doc comments are what an editor shows beside a key.
#![expect(dead_code, reason = "only the derived schema of these types is used")]
#![expect(clippy::struct_field_names, reason = "the fields are the keys of the language")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::action::Action;

/// A conversation for Steersman: phases, topics and actions. The script decides, the model only speaks.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "Steersman script")]
pub(in crate::scripts) struct Script {
    /// The version of the language: 1.
    #[schemars(range(min = 1, max = 1), extend("examples" = [1]))]
    steersman: u32,
    /// The id of the script: letters, digits, `_` and `-`.
    #[schemars(extend("examples" = ["sleep_intake"]))]
    script: Id,
    /// A title for people.
    title: Option<String>,
    /// Your own version of the script, such as "1.0.0".
    version: Option<String>,
    /// The language of the built-in texts. Default: en.
    locale: Option<Locale>,
    /// How carefully the subject matter is handled: general (default), or counselling (not run by this build yet).
    safety: Option<Safety>,
    /// Who may speak, by the name that actions use under `role:`.
    roles: Option<BTreeMap<String, Role>>,
    /// Variables that live across the sessions of one person; constants unless `writable: true`.
    global: Option<Vec<Global>>,
    /// Variables of the whole session.
    declare: Option<Vec<Declaration>>,
    /// Advice on how to speak to this person. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    strategy: Option<Value>,
    /// The bounds of a session.
    limits: Option<Limits>,
    /// Words that end the session when they are the whole message; they are added to the built-in ones.
    stop_words: Option<Vec<String>>,
    /// The phases, in order.
    #[schemars(length(min = 1), extend("examples" = ["[{phase: start, topics: […]}]"]))]
    phases: Vec<Phase>,
    /// Topics that are used like functions. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    skills: Option<Value>,
    /// An offer to people who carry more than a script can help with. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    referral: Option<Value>,
    /// Questionnaires of your own. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    forms: Option<Value>,
}

/// Letters of any script, digits, `_` and `-`.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(super) struct Id(#[schemars(regex(pattern = r"^[\p{L}\p{N}_-]{1,128}$"))] String);

/// The name of a variable: letters of any script, digits and `_`, not beginning with a digit.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(super) struct Variable(#[schemars(regex(pattern = r"^[\p{L}_][\p{L}\p{N}_]{0,63}$"))] String);

/// A span of time: a whole number and s, min, h or d.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(super) struct Duration(#[schemars(regex(pattern = r"^[0-9]+(s|min|h|d)$"))] String);

/// A condition, such as `mood == "calm" and exists(name)`. Asked once on reaching it; if it does not hold, this is skipped.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
pub(super) enum Condition {
    Text(String),
    Constant(bool),
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

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
enum Safety {
    General,
    Counselling,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub(super) enum Type {
    String,
    Number,
    Boolean,
    List,
    Object,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub(super) enum Scope {
    Global,
    Session,
    Phase,
    Topic,
}

/// Who speaks.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Role {
    /// What the role is called in the conversation.
    name: Option<String>,
    /// How it speaks unless an action says otherwise.
    tone: Option<String>,
}

/// A variable of the global scope.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Global {
    /// Its name.
    #[schemars(extend("examples" = ["preferred_name"]))]
    var: Variable,
    /// What it means, for the model and for people.
    define: Option<String>,
    /// The type it must have; without one any value fits.
    #[schemars(rename = "type")]
    kind: Option<Type>,
    /// Its value; a constant needs one.
    value: Option<Value>,
    /// true: sessions may change it, and it is kept for the person. Default: false, a constant.
    writable: Option<bool>,
}

/// A variable.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Declaration {
    /// Its name.
    #[schemars(extend("examples" = ["main_issue"]))]
    var: Variable,
    /// What it means, for the model and for people.
    define: Option<String>,
    /// The type it must have; without one any value fits.
    #[schemars(rename = "type")]
    kind: Option<Type>,
    /// Its initial value.
    value: Option<Value>,
}

/// The bounds of a session.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Limits {
    /// The most turns, 1 to 10000. Default: 200.
    #[schemars(range(min = 1, max = 10_000))]
    turns: Option<u32>,
    /// The most model calls, 1 to 100000. Default: 600.
    #[schemars(range(min = 1, max = 100_000))]
    model_calls: Option<u32>,
    /// The most actions that plans may insert, 0 to 1000. Default: 20.
    #[schemars(range(min = 0, max = 1000))]
    inserted_actions: Option<u32>,
    /// How long a session waits for its person before it ends, 1min to 3650d. Default: 30d.
    idle: Option<Duration>,
}

/// A part of the conversation with a goal of its own.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Phase {
    /// Its id, unique in the script.
    #[schemars(extend("examples" = ["rapport"]))]
    phase: Id,
    /// A title for people.
    title: Option<String>,
    /// What the phase is for.
    goal: Option<String>,
    when: Option<Condition>,
    /// A remark for authors.
    note: Option<String>,
    /// Variables that live until the phase is left.
    declare: Option<Vec<Declaration>>,
    /// The topics, in order.
    #[schemars(length(min = 1), extend("examples" = ["[{topic: welcome, actions: […]}]"]))]
    topics: Vec<Topic>,
}

/// A subject that is worked through action by action.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Topic {
    /// Its id, unique in the script.
    #[schemars(extend("examples" = ["welcome"]))]
    topic: Id,
    /// A title for people.
    title: Option<String>,
    /// What the topic is for.
    goal: Option<String>,
    when: Option<Condition>,
    /// A remark for authors.
    note: Option<String>,
    /// Variables that live until the topic is left.
    declare: Option<Vec<Declaration>>,
    /// The actions, in order.
    #[schemars(length(min = 1), extend("examples" = ["[{say: Hello.}]"]))]
    actions: Vec<Action>,
    /// How to reach the goal. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    strategy: Option<Value>,
    /// What to do after each result. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    rules: Option<Value>,
    /// Groups of actions with parameters. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    templates: Option<Value>,
    /// One group of actions for each record of a list. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    for_each: Option<Value>,
    /// What to do when answers miss the subject again and again. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    drift: Option<Value>,
    /// Whether a model may propose changes of the plan. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    planner: Option<Value>,
    /// How long the topic may take. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    time_budget: Option<Value>,
    /// When the topic counts as reached. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    attained_when: Option<Value>,
    /// An open deliberation instead of actions. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    deliberation: Option<Value>,
}
