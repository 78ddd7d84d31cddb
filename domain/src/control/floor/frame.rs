//! Tells whether a must-catch phrase is the speaker's own: not negated, quoted, fiction, or about somebody else.
//!
//! Where it cannot tell, the phrase is the speaker's own.

use serde::{Deserialize, Serialize};

use super::pack::{Context, Speaker};
use crate::control::{
    phrase::{Found, Phrases},
    reading::Reading,
};

/// What keeps a must-catch phrase from being the speaker's own wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// It is negated directly.
    Negation,
    /// Somebody else's words are quoted.
    Quotation,
    /// It is told of a film, a book, a game.
    Fiction,
    /// It is said of somebody else.
    ThirdPerson,
}

/// Where the words that matter stand in one text.
pub(super) struct Frames<'a> {
    context: &'a Context,
    reading: &'a Reading,
    own: Vec<Span>,          // The speaker, also as a figure who speaks.
    own_unspoken: Vec<Span>, // The speaker, not as a figure who speaks.
    any_own: Vec<Span>,      // The speaker, also inside a name for somebody else ("my friend").
    others: Vec<Span>,       // Somebody else as a possible subject.
    negations: Vec<Span>,
    not_negations: Vec<Span>,
    past_negations: Vec<Span>,
    negation_undone: Vec<Span>,
    indirect: Vec<Span>,
    addressed: Vec<Span>, // Those of `others` to whom it is said.
    fiction: Vec<Span>,
    pastimes: Vec<Span>,
    pastime_ended: Vec<Span>,
    fiction_undone: Vec<Span>,
    reports: Vec<(usize, Speaker)>, // Where somebody is said to speak, outside quotation marks.
}

/// The first token and the one behind the last.
type Span = (usize, usize);

impl<'a> Frames<'a> {
    /// Looks for the words that matter, once for all phrases.
    pub(super) fn new(context: &'a Context, reading: &'a Reading) -> Self {
        let spans = |phrases: &Phrases<()>| -> Vec<Span> {
            phrases.find(reading).into_iter().map(|found| (found.start, found.end)).collect()
        };
        let (third, any_own) = (spans(&context.third_person), spans(&context.first_person));
        let (companions, speaks) = (spans(&context.companions), spans(&context.speaks));
        let mut own = any_own.clone();
        own.retain(|own| !third.iter().any(|other| inside(*own, *other)));
        let mut own_unspoken = own.clone();
        own_unspoken.retain(|own| !speaks.iter().any(|speech| speech.1 == own.0 || speech.0 == own.1));
        let mut others = third;
        others.retain(|other| !companions.iter().any(|with| with.1 == other.0));
        Self {
            context,
            reading,
            own,
            own_unspoken,
            any_own,
            others,
            negations: spans(&context.negations),
            not_negations: spans(&context.not_negations),
            past_negations: spans(&context.past_negations),
            negation_undone: spans(&context.negation_undone_by),
            indirect: spans(&context.indirect),
            addressed: spans(&context.addressed),
            fiction: spans(&context.fiction),
            pastimes: spans(&context.pastimes),
            pastime_ended: spans(&context.pastime_ended_by),
            fiction_undone: spans(&context.fiction_undone_by),
            reports: reports(context, reading),
        }
    }

    /// Returns what keeps the phrase from being the speaker's own; `None` if nothing surely does.
    pub(super) fn around<T>(&self, found: Found<'_, T>) -> Option<Frame> {
        let phrase = (found.start, found.end);
        if self.is_negated(phrase) {
            Some(Frame::Negation)
        } else if self.is_quoted(phrase) {
            Some(Frame::Quotation)
        } else if self.is_fiction(phrase) {
            Some(Frame::Fiction)
        } else if self.is_of_another(phrase) {
            Some(Frame::ThirdPerson)
        } else {
            None
        }
    }

    /// Tells whether the speaker is in the phrase's sentence.
    pub(super) fn has_first_person<T>(&self, found: Found<'_, T>) -> bool {
        self.own.iter().any(|own| self.same_sentence(own.0, found.start))
    }

    /// A negation stands directly before the phrase and nothing turns it round.
    fn is_negated(&self, phrase: Span) -> bool {
        let clause = |at: usize| self.reading.tokens[at].clause;
        let directly = |&(start, end): &Span| {
            let reaches_in = start < phrase.0 && phrase.0 < end && end < phrase.1;
            let leads_up = end <= phrase.0 && self.only(&self.context.between_negation, end, phrase.0);
            clause(start) == clause(phrase.0) && (reaches_in || leads_up)
        };
        let direct = self.negations.iter().any(directly);
        let past = self.past_negations.iter().any(directly);
        let turned = self.not_negations.iter().any(|turn| self.same_sentence(turn.0, phrase.0));
        let undone = self.negation_undone.iter().any(|undo| clause(undo.0) == clause(phrase.1 - 1));
        direct && !turned && (past || !undone)
    }

    /// It stands in quotation marks, and beside them somebody else is said to speak, and not the speaker.
    fn is_quoted(&self, phrase: Span) -> bool {
        let speakers = self.quoted_speakers(phrase);
        speakers.contains(&Speaker::Other) && !speakers.contains(&Speaker::Own)
    }

    /// Returns who is said to speak in the sentences in which the quotation around a phrase begins and ends; nobody
    /// if it is not quoted.
    fn quoted_speakers(&self, phrase: Span) -> Vec<Speaker> {
        let tokens = &self.reading.tokens;
        if !tokens[phrase.0..phrase.1].iter().all(|token| token.quoted) {
            return Vec::new();
        }
        let first = phrase.0 - tokens[..phrase.0].iter().rev().take_while(|token| token.quoted).count();
        let last = phrase.1 - 1 + tokens[phrase.1..].iter().take_while(|token| token.quoted).count();
        let sentences = tokens[first].sentence..=tokens[last].sentence;
        let beside = self.reports.iter().filter(|(at, _)| sentences.contains(&tokens[*at].sentence));
        beside.map(|(_, speaker)| *speaker).collect()
    }

    /// Fiction is announced before it in the same sentence, and nothing leads back to the speaker.
    fn is_fiction(&self, phrase: Span) -> bool {
        let quoted = self.reading.tokens[phrase.0].quoted && !self.quoted_speakers(phrase).contains(&Speaker::Own);
        let announced = self.fiction.iter().any(|&(start, end)| {
            let before = end <= phrase.0 && self.same_sentence(start, phrase.0);
            let by_the_speaker = self.own_unspoken.iter().any(|own| inside(*own, (end, phrase.0)));
            quoted || (before && !by_the_speaker) || (start <= phrase.0 && phrase.0 < end)
        });
        let undone = self
            .fiction_undone
            .iter()
            .any(|undo| self.same_sentence(undo.0, phrase.0) && !self.reading.tokens[undo.0].quoted);
        (announced || self.is_told_of(phrase)) && !undone
    }

    /// A pastime stands before it in the same clause, and nothing between leads on to something else.
    fn is_told_of(&self, phrase: Span) -> bool {
        self.pastimes.iter().any(|&(start, end)| {
            let before = end <= phrase.0 && self.same_clause(start, phrase.0);
            let led_on = self.pastime_ended.iter().any(|on| end <= on.0 && on.0 < phrase.1);
            before && !led_on
        })
    }

    /// Somebody else is the subject, as far as the words between tell.
    fn is_of_another(&self, phrase: Span) -> bool {
        let before = |span: &&Span| span.1 <= phrase.0 && self.same_sentence(span.0, phrase.0);
        let speaker_is_named = self.any_own.iter().any(|own| inside(*own, phrase));
        let speaker_comes_before = self.own.iter().any(|own| before(&own));
        let addressed = |span: &Span| self.addressed.contains(span) && !self.same_clause(span.0, phrase.0);
        let mut others = self.others.iter().filter(before).filter(|span| !addressed(span));
        let of_other = others.any(|other| !speaker_comes_before || self.only(&self.context.between, other.1, phrase.0));
        !speaker_is_named && (of_other || self.is_told_by_another(phrase))
    }

    /// Somebody else is said to say it, in the same clause and without the speaker between.
    fn is_told_by_another(&self, phrase: Span) -> bool {
        self.indirect.iter().any(|&(start, end)| {
            let before = end <= phrase.0 && self.same_clause(start, phrase.0);
            before && !self.own.iter().any(|own| inside(*own, (end, phrase.0)))
        })
    }

    fn only(&self, phrases: &Phrases<()>, from: usize, to: usize) -> bool {
        is_made_of(phrases, self.reading, from, to)
    }

    fn same_clause(&self, a: usize, b: usize) -> bool {
        self.reading.tokens[a].clause == self.reading.tokens[b].clause
    }

    fn same_sentence(&self, a: usize, b: usize) -> bool {
        self.reading.tokens[a].sentence == self.reading.tokens[b].sentence
    }
}

/// Tells whether the tokens from `from` to `to` are made of `phrases` only.
pub(super) fn is_made_of(phrases: &Phrases<()>, reading: &Reading, from: usize, to: usize) -> bool {
    let mut at = from;
    while at < to {
        match phrases.longest_within(reading, at, to) {
            Some(end) => at = end,
            None => return false,
        }
    }
    true
}

fn inside(inner: Span, outer: Span) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// Finds who is said to speak outside quotation marks; of two that overlap the longer one counts ("told me").
fn reports(context: &Context, reading: &Reading) -> Vec<(usize, Speaker)> {
    let reports: Vec<_> = context.reports.find(reading);
    let longer = |a: &Found<'_, Speaker>, b: &Found<'_, Speaker>| {
        inside((b.start, b.end), (a.start, a.end)) && a.end - a.start > b.end - b.start
    };
    let outer = reports
        .iter()
        .filter(|report| !reading.tokens[report.start].quoted && !reports.iter().any(|other| longer(other, report)));
    outer.map(|report| (report.start, *report.meaning)).collect()
}
