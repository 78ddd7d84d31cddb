//! The shapes of actions. Nothing here is ever filled in.
#![expect(dead_code, reason = "only the derived schema of these types is used")]
#![expect(clippy::struct_field_names, reason = "the fields are the keys of the language")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::script::{Condition, Duration, Id, Scope, Type, Variable};

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
