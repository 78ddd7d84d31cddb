//! The words of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use steersman_domain::{
    clock::Timestamp,
    id::{ScriptId, SessionId, SubjectId},
    locale::Locale,
    session::Status,
};

use crate::{config::Span, wiring::Database};

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
    /// Say more beside the data: what is used, each model call, what a model got wrong
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Have the conversation of a script, here in the terminal
    Play(Box<Play>),
    /// Check scripts and say everything that is wrong with them
    Check(Check),
    /// Serve conversations over gRPC
    Serve(Serve),
    /// Take one decision per line of JSON
    Decide(Decide),
    /// Look at the sessions of a database, and erase them
    Session(SessionOf),
    /// Recompute every decision of a session
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
    /// The script; a session that is gone on with has its own
    #[arg(required_unless_present = "resume")]
    pub(crate) script: Option<PathBuf>,
    /// Where the session is kept: `memory` or `sqlite://FILE`
    #[arg(long, value_name = "URL", default_value_t = Database::Memory)]
    pub(crate) db: Database,
    /// Go on with a session of that database
    #[arg(long, value_name = "ID", conflicts_with_all = ["set", "subject", "locale", "country"])]
    pub(crate) resume: Option<SessionId>,
    /// Who writes the words: `offline`, `replies:FILE`, `openai:MODEL`, `anthropic:MODEL`, `gemini:MODEL`,
    /// `ollama:MODEL`, or a NAME from `[models.NAME]` in steersman.toml
    #[arg(long, value_name = "MODEL")]
    pub(crate) llm: Option<String>,
    /// Where that model is reached, for any server that speaks like its provider
    #[arg(long, value_name = "URL")]
    pub(crate) llm_url: Option<String>,
    /// What looks at messages beside the lexical floor: `floor` (nothing), `http:URL`, `scores:FILE`
    #[arg(long, value_name = "DETECTOR")]
    pub(crate) risk: Option<String>,
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
pub(crate) struct Serve {
    /// Where to listen; port 0 takes any free one [default: 127.0.0.1:7443]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// Listen in plain text also where other machines can reach it
    #[arg(long)]
    pub(crate) insecure_listen: bool,
    /// The database: `sqlite://FILE`, or `memory` [default: `sqlite://steersman.db`]
    #[arg(long, value_name = "URL")]
    pub(crate) db: Option<Database>,
    /// Publish the scripts below this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) scripts: Option<PathBuf>,
    /// Who writes the words: `offline`, `replies:FILE`, `openai:MODEL`, `anthropic:MODEL`, `gemini:MODEL`,
    /// `ollama:MODEL`, or a NAME from `[models.NAME]` in steersman.toml
    #[arg(long, value_name = "MODEL")]
    pub(crate) llm: Option<String>,
    /// Where that model is reached, for any server that speaks like its provider
    #[arg(long, value_name = "URL")]
    pub(crate) llm_url: Option<String>,
    /// What looks at messages beside the lexical floor: `floor` (nothing), `http:URL`, `scores:FILE`
    #[arg(long, value_name = "DETECTOR")]
    pub(crate) risk: Option<String>,
    /// How long a stream may stay open on which nothing happens, such as 30s or 15min [default: 15min]
    #[arg(long, value_name = "SPAN")]
    pub(crate) stream_idle: Option<Span>,
    /// What to keep of model calls
    #[arg(long, value_enum, default_value_t = Record::None)]
    pub(crate) record: Record,
    /// Take prompt files from this folder, as LOCALE/PURPOSE.txt; the others ship
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
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
    /// A session of the database, or a file that `play --export` or `session export` wrote
    #[arg(value_name = "ID|EXPORT")]
    pub(crate) what: String,
    /// The database: `sqlite://FILE`
    #[arg(long, value_name = "URL")]
    pub(crate) db: Option<Database>,
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

#[derive(Debug, Args)]
pub(crate) struct SessionOf {
    /// The database: `sqlite://FILE`
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) db: Option<Database>,
    /// How to print
    #[arg(long, global = true, value_enum, default_value_t = SessionFormat::Text)]
    pub(crate) format: SessionFormat,
    #[command(subcommand)]
    pub(crate) command: SessionCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions, the newest first
    List(SessionList),
    /// Show how a session stands
    Show {
        /// The session
        id: SessionId,
        /// See first whether any of its events was changed
        #[arg(long)]
        verify: bool,
    },
    /// Print the events of a session
    Events {
        /// The session
        id: SessionId,
        /// Only those behind this one
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
    },
    /// Print what was said in a session
    Transcript {
        /// The session
        id: SessionId,
    },
    /// Print a session as `replay` reads it
    Export {
        /// The session
        id: SessionId,
        /// Write it to a file
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Erase what a session holds; the digests of its events stay
    Erase {
        /// The session
        id: SessionId,
    },
    /// Clear the risk of a session, as a clinician who has looked; it goes on with the next message
    ClearRisk {
        /// The session
        id: SessionId,
        /// Why the risk is over
        #[arg(long)]
        reason: String,
        /// Who says so
        #[arg(long, value_name = "WHO")]
        by: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SessionList {
    /// Those about this subject
    #[arg(long, value_parser = subject)]
    pub(crate) subject: Option<SubjectId>,
    /// Those that stand so
    #[arg(long, value_enum)]
    pub(crate) status: Option<SessionStatus>,
    /// Those of this script
    #[arg(long, value_name = "ID")]
    pub(crate) script: Option<ScriptId>,
    /// Those listed behind this one
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<SessionId>,
    /// So many at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SessionFormat {
    Text,
    /// One JSON object a line
    #[value(alias = "jsonl")]
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum SessionStatus {
    WaitingInput,
    Completed,
    Ended,
}

impl From<SessionStatus> for Status {
    fn from(status: SessionStatus) -> Self {
        match status {
            SessionStatus::WaitingInput => Self::WaitingInput,
            SessionStatus::Completed => Self::Completed,
            SessionStatus::Ended => Self::Ended,
        }
    }
}

fn subject(text: &str) -> Result<SubjectId, String> {
    SubjectId::new(text).map_err(|error| error.to_string())
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
