//! Shows a conversation to a person: words as they arrive, choices with numbers, what matters and nothing else.

use std::io::{self, Write};

use steersman_domain::{
    session::{EventBody, IssueCode, OfferedChoice, SessionEvent, Speaker, UtteranceId, WaitFor},
    utterance::Text,
};

use crate::terminal::{ASIDE, ASSISTANT};

/// Where the words of a conversation stand on the screen.
#[derive(Debug, Default)]
pub(super) struct Screen {
    arriving: Option<(UtteranceId, String)>,
}

impl Screen {
    /// Shows words as they arrive.
    pub(super) fn delta(&mut self, id: UtteranceId, text: &Text, out: &mut impl Write) -> io::Result<()> {
        let (_, shown) = self.arriving.get_or_insert_with(|| (id, String::new()));
        shown.push_str(text.as_str());
        write!(out, "{ASSISTANT}{}{ASSISTANT:#}", text.as_str())?;
        out.flush()
    }

    /// Takes back what arrived.
    pub(super) fn retract(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.arriving.take().is_some() {
            writeln!(out, " {ASIDE}(taken back){ASIDE:#}")?;
        }
        Ok(())
    }

    /// Shows what happened, as far as the person needs it.
    pub(super) fn event(&mut self, event: &SessionEvent, out: &mut impl Write) -> io::Result<()> {
        match &event.body {
            EventBody::Disclosed { text } => writeln!(out, "{ASIDE}{}{ASIDE:#}", text.as_str()),
            EventBody::Utterance { id, role, text, .. } => self.utterance(*id, *role, text, out),
            EventBody::OptionsOffered { choices, .. } => options(choices, out),
            EventBody::PictureShown { url, alt, .. } => {
                let alt = alt.as_ref().map(|alt| format!(" — {}", alt.as_str())).unwrap_or_default();
                writeln!(out, "{ASSISTANT}[{url}]{alt}{ASSISTANT:#}")
            }
            EventBody::Waiting { wait_for: WaitFor::Ack, .. } => writeln!(out, "{ASIDE}(Enter){ASIDE:#}"),
            EventBody::Issue { code, message } if is_worth_a_word(*code) => {
                writeln!(out, "{ASIDE}! {message}{ASIDE:#}")
            }
            _ => Ok(()),
        }
    }

    fn utterance(&mut self, id: UtteranceId, role: Speaker, text: &Text, out: &mut impl Write) -> io::Result<()> {
        match role {
            Speaker::User => Ok(()),
            Speaker::System => writeln!(out, "{ASIDE}{}{ASIDE:#}", text.as_str()),
            Speaker::Assistant => match self.arriving.take() {
                Some((arrived, shown)) if arrived == id && shown.trim() == text.as_str() => writeln!(out),
                arrived => {
                    if arrived.is_some() {
                        writeln!(out)?;
                    }
                    writeln!(out, "{ASSISTANT}{}{ASSISTANT:#}", text.as_str())
                }
            },
        }
    }
}

fn options(choices: &[OfferedChoice], out: &mut impl Write) -> io::Result<()> {
    for (at, choice) in choices.iter().enumerate() {
        writeln!(out, "  {}. {}", at + 1, choice.text.as_str())?;
    }
    Ok(())
}

/// What an author wants to see at once while playing; the rest is in the events.
const fn is_worth_a_word(code: IssueCode) -> bool {
    match code {
        IssueCode::ModelFault
        | IssueCode::TurnBound
        | IssueCode::UnsetVariable
        | IssueCode::TypeMismatch
        | IssueCode::ReadOnly
        | IssueCode::ScopeConflict
        | IssueCode::ValueTooLarge
        | IssueCode::UnstructuredReply => true,
        IssueCode::UnknownKeys
        | IssueCode::BadReplyValue
        | IssueCode::ReplyTooLong
        | IssueCode::UndeclaredVariable
        | IssueCode::ConditionMismatch => false,
    }
}
