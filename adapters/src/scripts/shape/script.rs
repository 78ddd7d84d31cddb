//! The shape of a script: the one truth for its keys, for the reader and for editors. Nothing here is ever filled in.
//!
//! The doc comments are what an editor shows beside a key.
#![expect(dead_code, reason = "only the derived schema of these types is used")]
#![expect(clippy::struct_field_names, reason = "the fields are the keys of the language")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

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
struct Id(#[schemars(regex(pattern = r"^[\p{L}\p{N}_-]{1,128}$"))] String);

/// The name of a variable: letters of any script, digits and `_`, not beginning with a digit.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Variable(#[schemars(regex(pattern = r"^[\p{L}_][\p{L}\p{N}_]{0,63}$"))] String);

/// A span of time: a whole number and s, min, h or d.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Duration(#[schemars(regex(pattern = r"^[0-9]+(s|min|h|d)$"))] String);

/// A condition, such as `mood == "calm" and exists(name)`. Asked once on reaching it; if it does not hold, this is skipped.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
enum Condition {
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
enum Type {
    String,
    Number,
    Boolean,
    List,
    Object,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
enum Scope {
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

/// One step: exactly one key names its kind, the others are its settings.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Action {
    Say(Say),
    AiSay(AiSay),
    AiTalk(AiTalk),
    AiAnswer(AiAnswer),
    AiAsk(AiAsk),
    AiThink(AiThink),
    UserOption(UserOption),
    ShowPic(ShowPic),
    Set(Set),
}

/// The settings of every kind.
#[derive(JsonSchema)]
struct Common {
    /// Its id, unique in the topic. Default: the kind and its number, such as `ai_ask_2`.
    id: Option<Id>,
    when: Option<Condition>,
    /// A remark for authors.
    note: Option<String>,
}

/// How a model speaks.
#[derive(JsonSchema)]
struct Voice {
    /// The tone, instead of the role's.
    tone: Option<String>,
    /// The role that speaks, by its name under `roles:`.
    role: Option<String>,
    /// The name of a configured model. Not run by this build yet.
    #[schemars(extend("x-steersman-not-yet" = true))]
    model: Option<String>,
    /// A temperature lower than the route's; it cannot be raised here.
    #[schemars(range(min = 0, max = 2))]
    temperature: Option<f64>,
    /// How long the model may take, 1s to 60s.
    timeout: Option<Duration>,
}

/// When an interactive action is done.
#[derive(JsonSchema)]
struct Exits {
    /// When it is done, in prose, for the model.
    exit: Option<String>,
    /// When it is done, decided by the engine and not by the model.
    exit_criteria: Option<Criteria>,
    /// What it listens to. Default: all three. What protects the person cannot be switched off.
    exit_sources: Option<Vec<ExitSource>>,
    /// The most rounds, 1 to 100. Default: 3 for `ai_ask`, 1 for `ai_say`.
    #[schemars(range(min = 1, max = 100))]
    max_rounds: Option<u32>,
}

/// Says a fixed text; no model.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Say {
    /// Says a fixed text; no model. `{name}` is replaced by the variable.
    say: String,
    /// true: wait for an acknowledgement, or any text, before going on. Default: false.
    wait: Option<bool>,
    #[schemars(flatten)]
    common: Common,
}

/// Lets the model say something.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct AiSay {
    /// Lets the model say something: what it is to say. With `max_rounds` above 1 it then answers until it is done.
    ai_say: String,
    #[schemars(flatten)]
    saying: Saying,
}

/// Lets the model comfort the person: an `ai_say` with the purpose comfort.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct AiTalk {
    /// Lets the model comfort the person: an `ai_say` with the purpose comfort.
    ai_talk: String,
    #[schemars(flatten)]
    saying: Saying,
}

/// Lets the model answer the person: an `ai_say` with the purpose answer.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct AiAnswer {
    /// Lets the model answer the person: an `ai_say` with the purpose answer.
    ai_answer: String,
    #[schemars(flatten)]
    saying: Saying,
}

/// The settings of `ai_say` and its other spellings.
#[derive(JsonSchema)]
struct Saying {
    /// What it is for: explain, comfort, answer, summarise, `introduce_concept`, persuade, or another word.
    purpose: Option<String>,
    /// What it collects.
    output: Option<Vec<Output>>,
    #[schemars(flatten)]
    exits: Exits,
    #[schemars(flatten)]
    voice: Voice,
    #[schemars(flatten)]
    common: Common,
}

/// Lets the model ask, over several rounds, until it is done.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct AiAsk {
    /// Lets the model ask, over several rounds: what is to be found out.
    ai_ask: String,
    /// The fixed first question; the model is not called for it.
    opening: Option<String>,
    /// What it collects.
    output: Option<Vec<Output>>,
    /// A list variable to which one record per entity is appended; the outputs are the fields of each record.
    collect: Option<Variable>,
    #[schemars(flatten)]
    exits: Exits,
    #[schemars(flatten)]
    voice: Voice,
    #[schemars(flatten)]
    common: Common,
}

/// Lets the model work something out without a word.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct AiThink {
    /// Lets the model work something out without a word: what it is to work out.
    ai_think: String,
    /// What it fills.
    output: Option<Vec<Output>>,
    #[schemars(flatten)]
    voice: Voice,
    #[schemars(flatten)]
    common: Common,
}

/// Offers a single choice; no model.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct UserOption {
    /// Offers a single choice; no model. The variable becomes the key of the choice.
    user_option: Variable,
    /// The question.
    #[schemars(extend("examples" = ["What shall we talk about first?"]))]
    ask: String,
    /// The choices, in order: a key and the text that the person reads.
    #[schemars(length(min = 2, max = 50), extend("examples" = ["[{sleep: My sleep}, {mood: My mood}]"]))]
    choices: Vec<Choice>,
    /// How often the choices are shown at most, 1 to 100. Default: 3.
    #[schemars(range(min = 1, max = 100))]
    max_rounds: Option<u32>,
    #[schemars(flatten)]
    common: Common,
}

/// One choice: what the variable becomes, and what the person reads.
#[derive(JsonSchema)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
struct Choice(BTreeMap<String, String>);

/// Passes a picture on; it is never opened here.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ShowPic {
    /// Passes a picture on: a URL or a relative path.
    show_pic: String,
    /// What it shows, in words.
    alt: Option<String>,
    #[schemars(flatten)]
    common: Common,
}

/// Sets a variable.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Set {
    /// Sets a variable: its name.
    set: Variable,
    /// Its new value; a text may have placeholders.
    #[schemars(required, extend("examples" = ["done"]))]
    value: Value,
    #[schemars(flatten)]
    common: Common,
}

/// When an interactive action is done. All that is given must be met.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Criteria {
    /// How well the person must have understood, 0 to 100.
    #[schemars(range(min = 0, max = 100))]
    understanding_threshold: Option<f64>,
    /// false: an open question keeps the action going. true or absent: no constraint.
    has_questions: Option<bool>,
    /// A floor: fewer rounds never meet the criteria.
    #[schemars(range(min = 0, max = 100))]
    min_rounds: Option<u32>,
    /// The intensity, 0 to 10, at which strong emotion ends the action alone.
    #[schemars(range(min = 0, max = 10))]
    emotion_intensity: Option<f64>,
    /// Comparisons of variables; all must hold.
    custom_conditions: Option<Vec<CustomCondition>>,
}

/// One comparison of a variable with a value.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct CustomCondition {
    /// The variable.
    #[schemars(extend("examples" = ["mood"]))]
    variable: Variable,
    /// How it is compared.
    #[schemars(extend("examples" = ["\"==\""]))]
    operator: Operator,
    /// With what.
    #[schemars(required, extend("examples" = ["calm"]))]
    value: Value,
}

#[derive(JsonSchema)]
#[schemars(inline)]
enum Operator {
    #[schemars(rename = "==")]
    Equal,
    #[schemars(rename = "!=")]
    NotEqual,
    #[schemars(rename = "<")]
    Less,
    #[schemars(rename = "<=")]
    LessOrEqual,
    #[schemars(rename = ">")]
    Greater,
    #[schemars(rename = ">=")]
    GreaterOrEqual,
    #[schemars(rename = "contains")]
    Contains,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
enum ExitSource {
    ExitFlag,
    ExitCriteria,
    LlmSuggestion,
}

/// What an action leaves behind.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Output {
    Get(GetOutput),
    Set(SetOutput),
}

/// A variable that the answer gives.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct GetOutput {
    /// The variable that the answer gives.
    #[schemars(extend("examples" = ["frequency"]))]
    get: Variable,
    /// What it means; with it, a missing value can be looked for once more at the end.
    define: Option<String>,
    /// The type it must have; without one any value fits.
    #[schemars(rename = "type")]
    kind: Option<Type>,
    /// Declares the variable in that scope. Default: where it is declared, else the topic.
    scope: Option<Scope>,
    /// Whether the action is only satisfied with it. Default: true.
    required: Option<bool>,
}

/// A variable that is set when the action ends.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SetOutput {
    /// The variable that is set when the action ends.
    set: Variable,
    /// Its value; a text may have placeholders.
    #[schemars(required, extend("examples" = ["\"{relation}\""]))]
    value: Value,
}
