//! Why a command failed, and which exit code says so.

use std::{fmt, io, process::ExitCode};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was checked failed; the output has said how.
    Checked,
    /// The command or the configuration is wrong.
    Usage(String),
    /// A file, a model, a database or the network did not do what it should.
    Environment(String),
    /// Nobody reads the output any more.
    ClosedPipe,
}

impl Failure {
    /// Says what went wrong with a file.
    pub(crate) fn file(what: &str, path: &std::path::Path, error: &io::Error) -> Self {
        Self::Environment(format!("{what} {}: {error}", path.display()))
    }

    pub(crate) const fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::ClosedPipe)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::ClosedPipe => ExitCode::SUCCESS,
            Self::Checked => ExitCode::from(1),
            Self::Usage(_) => ExitCode::from(2),
            Self::Environment(_) => ExitCode::from(3),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checked | Self::ClosedPipe => Ok(()),
            Self::Usage(message) | Self::Environment(message) => f.write_str(message),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Environment(error.to_string()),
        }
    }
}
