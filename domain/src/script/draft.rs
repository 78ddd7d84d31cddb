//! A script as its author wrote it: parsed, typed, not yet checked.
//!
//! A reader of files makes a [`Draft`]; `check` makes a script of it or says what is wrong. What is absent here was
//! absent in the file, or wrong in it and reported by the reader.

use std::fmt;

use crate::variable::Value;

/// A place in the file, opaque here; its reader knows where it is. Ordered as in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u32);

impl Span {
    /// Makes the span of the reader's `number`-th place.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the reader's number of the place.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A value and where it stands.
#[derive(Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a value and its place.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl<T: fmt::Debug> fmt::Debug for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A text and where it stands.
pub type Words = Option<Spanned<String>>;

/// A whole script.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// The whole file.
    pub span: Span,
    /// The version of the language.
    pub language: Option<Spanned<i64>>,
    /// The id of the script.
    pub id: Words,
    /// Its title.
    pub title: Words,
    /// Its version.
    pub version: Words,
    /// The language of the built-in texts.
    pub locale: Words,
    /// `general` or `counselling`.
    pub safety: Words,
    /// Who may speak.
    pub roles: Vec<RoleDraft>,
    /// Variables of the global scope.
    pub global: Vec<DeclarationDraft>,
    /// Variables of the session.
    pub declare: Vec<DeclarationDraft>,
    /// The bounds of a session.
    pub limits: LimitsDraft,
    /// Stop words beside the locale's.
    pub stop_words: Vec<Spanned<String>>,
    /// The phases.
    pub phases: Vec<PhaseDraft>,
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleDraft {
    /// The name that actions use.
    pub key: Spanned<String>,
    /// What it is called in the conversation.
    pub name: Words,
    /// How it speaks.
    pub tone: Words,
}

/// A variable that the script announces.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclarationDraft {
    /// Its name.
    pub name: Spanned<String>,
    /// What it means.
    pub define: Words,
    /// The kind it must have.
    pub kind: Words,
    /// Its initial value.
    pub value: Option<Spanned<Value>>,
    /// Whether sessions may change it; global entries only.
    pub writable: bool,
}

/// The bounds of a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LimitsDraft {
    /// The most turns.
    pub turns: Option<Spanned<i64>>,
    /// The most model calls.
    pub model_calls: Option<Spanned<i64>>,
    /// The most inserted actions.
    pub inserted_actions: Option<Spanned<i64>>,
    /// How long a session may wait.
    pub idle: Words,
}

/// A phase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseDraft {
    /// The whole phase.
    pub span: Span,
    /// Its id.
    pub id: Words,
    /// Its title.
    pub title: Words,
    /// What it is for.
    pub goal: Words,
    /// Its condition.
    pub when: Words,
    /// A remark.
    pub note: Words,
    /// Its variables.
    pub declare: Vec<DeclarationDraft>,
    /// Its topics.
    pub topics: Vec<TopicDraft>,
}

/// A topic.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicDraft {
    /// The whole topic.
    pub span: Span,
    /// Its id.
    pub id: Words,
    /// Its title.
    pub title: Words,
    /// What it is for.
    pub goal: Words,
    /// Its condition.
    pub when: Words,
    /// A remark.
    pub note: Words,
    /// Its variables.
    pub declare: Vec<DeclarationDraft>,
    /// Its actions.
    pub actions: Vec<ActionDraft>,
}

/// An action.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionDraft {
    /// The whole action.
    pub span: Span,
    /// Its id, if it has one.
    pub id: Words,
    /// Its condition.
    pub when: Words,
    /// A remark.
    pub note: Words,
    /// What it does.
    pub kind: KindDraft,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq)]
pub enum KindDraft {
    /// Says a fixed text.
    Say {
        /// The text.
        text: Words,
        /// Whether it waits.
        wait: bool,
    },
    /// Lets the model speak or think; boxed because it is much larger than its siblings.
    Model(Box<ModelDraft>),
    /// Offers a choice.
    UserOption {
        /// The variable.
        variable: Words,
        /// The question.
        ask: Words,
        /// Key and text of each choice.
        choices: Vec<(Spanned<String>, Spanned<String>)>,
        /// Where the choices stand.
        choices_span: Span,
        /// How often they are shown at most.
        max_rounds: Option<Spanned<i64>>,
    },
    /// Passes a picture on.
    ShowPic {
        /// Its address.
        url: Words,
        /// What it shows.
        alt: Words,
    },
    /// Sets a variable.
    Set(SettingDraft),
    /// Could not be read; the reader said why.
    Broken {
        /// The kind, where it could be told, so that the others keep their numbers.
        kind: Option<&'static str>,
        /// The names it seems to set, so that their readers are not reported too.
        sets: Vec<String>,
    },
}

/// An action that a model carries out.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDraft {
    /// Which of the kinds.
    pub kind: ModelKind,
    /// What it is to do.
    pub task: Words,
    /// The fixed first utterance; `ai_ask` only.
    pub opening: Words,
    /// What it is for; `ai_say` only.
    pub purpose: Words,
    /// The tone.
    pub tone: Words,
    /// The role.
    pub role: Words,
    /// The temperature.
    pub temperature: Option<Spanned<f64>>,
    /// How long the model may take.
    pub timeout: Words,
    /// When it is done, in prose.
    pub exit: Words,
    /// When it is done, decided by the engine.
    pub criteria: Option<Spanned<CriteriaDraft>>,
    /// What it listens to.
    pub exit_sources: Option<Spanned<Vec<Spanned<String>>>>,
    /// The most rounds.
    pub max_rounds: Option<Spanned<i64>>,
    /// What it collects.
    pub outputs: Vec<OutputDraft>,
    /// The list to which records are appended; `ai_ask` only.
    pub collect: Words,
}

/// The kinds that a model carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// Says something.
    Say,
    /// Asks something.
    Ask,
    /// Works something out.
    Think,
}

/// `exit_criteria`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CriteriaDraft {
    /// 0 to 100.
    pub understanding_threshold: Option<Spanned<f64>>,
    /// `false`: an open question blocks.
    pub has_questions: Option<bool>,
    /// A floor.
    pub min_rounds: Option<Spanned<i64>>,
    /// 0 to 10.
    pub emotion_intensity: Option<Spanned<f64>>,
    /// Comparisons.
    pub custom_conditions: Vec<CustomConditionDraft>,
}

/// One of `custom_conditions`.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomConditionDraft {
    /// The variable.
    pub variable: Words,
    /// The operator.
    pub operator: Words,
    /// What it is compared with.
    pub value: Option<Spanned<Value>>,
}

/// An output.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputDraft {
    /// What the answer gives.
    Get {
        /// The variable.
        name: Spanned<String>,
        /// What it means.
        define: Words,
        /// Its kind.
        kind: Words,
        /// Its scope.
        scope: Words,
        /// Whether the action needs it.
        required: bool,
    },
    /// What is set when the action ends.
    Set(SettingDraft),
}

/// A variable and what it becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingDraft {
    /// The variable.
    pub variable: Words,
    /// Its value; texts may have placeholders.
    pub value: Option<Spanned<Value>>,
}

impl ModelKind {
    /// Returns the name of the kind as scripts write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Say => "ai_say",
            Self::Ask => "ai_ask",
            Self::Think => "ai_think",
        }
    }
}

impl KindDraft {
    /// Returns the name of the kind as ids count it, if it could be told.
    pub const fn name(&self) -> Option<&'static str> {
        match self {
            Self::Say { .. } => Some("say"),
            Self::Model(model) => Some(model.kind.name()),
            Self::UserOption { .. } => Some("user_option"),
            Self::ShowPic { .. } => Some("show_pic"),
            Self::Set(_) => Some("set"),
            Self::Broken { kind, .. } => *kind,
        }
    }
}
