//! The names that a script can read without declaring them.

/// The fields of `result`, the last action's result, that a condition can read as `result.<field>`.
pub const RESULT_FIELDS: [&str; 17] = [
    "action",
    "group",
    "kind",
    "completed",
    "outcome",
    "brief",
    "exit_source",
    "exit_reason",
    "progress",
    "blocked_by",
    "relevance",
    "cooperation",
    "emotion.label",
    "emotion.intensity",
    "drift.valuable",
    "drift.cause",
    "rounds",
];

/// The system variables that a text can name as `{%name%}`.
pub const SYSTEM_VARIABLES: [&str; 11] = [
    "strategy_prompt",
    "history",
    "now",
    "goal",
    "round",
    "max_rounds",
    "outputs",
    "locale",
    "role",
    "tone",
    "guidance",
];
