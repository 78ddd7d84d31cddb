//! The words of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use steersman_domain::{clock::Timestamp, locale::Locale};

/// Guided conversations with language models: the script decides where they go, the model writes the words.
#[derive(Debug, Parser)]
#[command(name = "steersman", version, propagate_version = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Colour the output
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Say nothing beside the data
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Have the conversation of a script, here in the terminal
    Play(Box<Play>),
    /// Check scripts and say everything that is wrong with them
    Check(Check),
    /// Take one decision per line of JSON
    Decide(Decide),
    /// Recompute every decision of an exported session
    Replay(Replay),
    /// Print the JSON Schema of a kind of file
    Schema(SchemaOf),
    /// Lay out a first script in a folder
    Init(Init),
    /// Print what a shell needs to complete commands
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the version
    Version,
}

#[derive(Debug, Args)]
pub(crate) struct Play {
    /// The script
    pub(crate) script: PathBuf,
    /// Who writes the words: `offline`, `replies:FILE`, `openai:MODEL`, `anthropic:MODEL`, `gemini:MODEL`,
    /// `ollama:MODEL`, or a NAME from `[models.NAME]` in steersman.toml
    #[arg(long, value_name = "MODEL")]
    pub(crate) llm: Option<String>,
    /// Where that model is reached, for any server that speaks like its provider
    #[arg(long, value_name = "URL")]
    pub(crate) llm_url: Option<String>,
    /// Read one input per line from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// How to print the conversation
    #[arg(long, value_enum, default_value_t = PlayFormat::Text)]
    pub(crate) format: PlayFormat,
    /// Set a declared session or writable global variable
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Whom the session is about
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// The language of the built-in texts, instead of the script's
    #[arg(long)]
    pub(crate) locale: Option<Locale>,
    /// Where the person is, as a two-letter country code
    #[arg(long)]
    pub(crate) country: Option<String>,
    /// Let the clock stand still at this time, so that a run can be repeated byte for byte
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Timestamp>,
    /// Let ids follow from a number, so that a run can be repeated byte for byte
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// What to keep of model calls
    #[arg(long, value_enum, default_value_t = Record::Full)]
    pub(crate) record: Record,
    /// Take prompt files from this folder, as LOCALE/PURPOSE.txt; the others ship
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    /// Write the session to a file that `replay` reads
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Scripts, or folders that hold them
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How to print the defects
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub(crate) format: CheckFormat,
    /// Fail also for these
    #[arg(long, value_enum)]
    pub(crate) deny: Option<Deny>,
}

#[derive(Debug, Args)]
pub(crate) struct Decide {
    /// The kind of decision
    pub(crate) kind: String,
    /// A file of JSON lines; `-` or nothing: standard input
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// What `play --export` wrote
    pub(crate) export: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaOf {
    /// The kind of file
    #[arg(value_enum, default_value_t = SchemaKind::Script)]
    pub(crate) kind: SchemaKind,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// The language of the first script
    #[arg(long, default_value = "en")]
    pub(crate) locale: Locale,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlayFormat {
    Text,
    Jsonl,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Record {
    /// Prompts and replies
    Full,
    /// Digests alone
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaKind {
    Script,
    Scenario,
    Events,
}
