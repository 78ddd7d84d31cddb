//! Shows a conversation to a person: words as they arrive, choices with numbers, what matters and nothing else.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use steersman_domain::{
    session::{EventBody, IssueCode, OfferedChoice, SessionEvent, Speaker, UtteranceId, WaitFor},
    utterance::Text,
};

use crate::terminal::{ASIDE, ASSISTANT};

/// Where the words of a conversation stand on the screen.
///
/// Words are shown while they arrive only where everything before them is on the screen already: a fixed text between
/// two utterances of a model is known when the turn is over, and the order counts more than the haste.
#[derive(Debug)]
pub(super) struct Screen {
    echoes: bool,
    last: u32,
    next: u32,
    mid_line: bool,
    arrived: BTreeMap<UtteranceId, String>,
}

impl Screen {
    /// Starts with an empty screen; `echoes`: the person's words come from elsewhere and must be shown too.
    pub(super) const fn new(echoes: bool) -> Self {
        Self { echoes, last: 0, next: 1, mid_line: false, arrived: BTreeMap::new() }
    }

    /// A message is sent; `words` are what the person said, if it was words.
    pub(super) fn begin_turn(&mut self, words: Option<&str>, out: &mut impl Write) -> io::Result<()> {
        self.next = self.last + 1;
        if let Some(words) = words {
            self.next += 1; // The person's own words are the next utterance.
            if self.echoes {
                writeln!(out, "{ASIDE}>{ASIDE:#} {words}")?;
            }
        }
        Ok(())
    }

    /// Shows words as they arrive.
    pub(super) fn delta(&mut self, id: UtteranceId, text: &Text, out: &mut impl Write) -> io::Result<()> {
        if id.number() == self.next + 1 && self.mid_line {
            self.end_line(out)?;
            self.next += 1;
        }
        if id.number() != self.next {
            return Ok(());
        }
        self.arrived.entry(id).or_default().push_str(text.as_str());
        self.mid_line = true;
        write!(out, "{ASSISTANT}{}{ASSISTANT:#}", text.as_str())?;
        out.flush()
    }

    /// Takes back what arrived.
    pub(super) fn retract(&mut self, id: UtteranceId, out: &mut impl Write) -> io::Result<()> {
        if self.arrived.remove(&id).is_none() {
            return Ok(());
        }
        self.mid_line = false;
        writeln!(out, " {ASIDE}(taken back){ASIDE:#}")
    }

    fn end_line(&mut self, out: &mut impl Write) -> io::Result<()> {
        if std::mem::take(&mut self.mid_line) { writeln!(out) } else { Ok(()) }
    }

    /// Shows what happened, as far as the person needs it.
    pub(super) fn event(&mut self, event: &SessionEvent, out: &mut impl Write) -> io::Result<()> {
        self.end_line(out)?;
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
        self.last = id.number();
        match role {
            Speaker::User => Ok(()),
            Speaker::System => writeln!(out, "{ASIDE}{}{ASIDE:#}", text.as_str()),
            Speaker::Assistant => match self.arrived.remove(&id) {
                Some(shown) if shown.trim() == text.as_str() => Ok(()),
                Some(_) | None => writeln!(out, "{ASSISTANT}{}{ASSISTANT:#}", text.as_str()),
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
        | IssueCode::TurnPreempted
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
