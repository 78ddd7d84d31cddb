//! Writes to the terminal: data to standard output, everything else to standard error, colour only where it is wanted.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::{
    cli::{Cli, Color},
    failure::Failure,
};

/// The styles of a conversation.
pub(crate) const ASSISTANT: Style = AnsiColor::Cyan.on_default();
/// What is not part of the conversation.
pub(crate) const ASIDE: Style = Style::new().dimmed();
/// A heading.
pub(crate) const HEADING: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Where a command writes.
#[derive(Debug, Clone)]
pub(crate) struct Terminal {
    choice: ColorChoice,
    loudness: Loudness,
}

/// How much is said beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    /// Nothing but why a command failed.
    Quiet,
    /// What whoever runs it should know.
    Normal,
    /// How it came about, too.
    Verbose,
}

impl Loudness {
    pub(crate) const fn of(cli: &Cli) -> Self {
        match (cli.quiet, cli.verbose) {
            (true, _) => Self::Quiet,
            (false, false) => Self::Normal,
            (false, true) => Self::Verbose,
        }
    }
}

impl Terminal {
    pub(crate) const fn new(color: Color, no_color: bool, loudness: Loudness) -> Self {
        let choice = match color {
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
            Color::Auto if no_color => ColorChoice::Never,
            Color::Auto => ColorChoice::Auto,
        };
        Self { choice, loudness }
    }

    /// Returns standard output; styles are dropped where they are not wanted.
    pub(crate) fn out(&self) -> AutoStream<io::Stdout> {
        AutoStream::new(io::stdout(), self.choice)
    }

    /// Returns standard output for programs: not a byte is changed, whatever the data holds.
    #[expect(clippy::unused_self, reason = "where data goes is the terminal's to say")]
    pub(crate) fn data(&self) -> io::Stdout {
        io::stdout()
    }

    /// Tells whether reports may be coloured on standard error.
    pub(crate) fn colours_errors(&self) -> bool {
        match self.choice {
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => io::stderr().is_terminal(),
        }
    }

    /// Tells whether reports may be coloured on standard output.
    pub(crate) fn colours_output(&self) -> bool {
        match self.choice {
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => io::stdout().is_terminal(),
        }
    }

    /// Says something beside the data, unless it is to be quiet.
    pub(crate) fn note(&self, text: &str) {
        if self.loudness >= Loudness::Normal {
            self.error_line(text);
        }
    }

    /// Says how something came about, if that is wanted.
    pub(crate) fn detail(&self, text: impl FnOnce() -> String) {
        if self.loudness >= Loudness::Verbose {
            self.error_line(&format!("{ASIDE}{}{ASIDE:#}", text()));
        }
    }

    /// Says why the command failed.
    pub(crate) fn fail(&self, failure: &Failure) {
        let text = failure.to_string();
        if !text.is_empty() {
            self.error_line(&format!("{ERROR}error:{ERROR:#} {text}"));
        }
    }

    fn error_line(&self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr(), self.choice);
        // Standard error that is gone leaves nowhere to say so.
        let _gone = writeln!(stderr, "{text}").is_err();
    }
}
