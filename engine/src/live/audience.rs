//! Whoever hears what happens in a session: the one that converses, and those that look on.
//!
//! Nobody is waited for. Words that a reader has no room for are joined to the next; a reader that has no room for what
//! was kept is sent away, and can read it again from where it stopped.

use std::{collections::BTreeSet, mem, sync::Arc};

use steersman_domain::{
    session::{SessionEvent, UtteranceId},
    utterance::Text,
};
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::ports::{ServerFrame, StreamEnd, StreamEnded, TurnFinished};

/// Who hears what happens in one session.
#[derive(Debug, Default)]
pub(crate) struct Audience {
    /// The last event that is kept.
    last_seq: u64,
    /// The utterances of the running turn of which words have arrived.
    arriving: BTreeSet<UtteranceId>,
    /// Numbers conversations; the last one is the one that may speak.
    conversations: u64,
    converser: Option<Listener>,
    watchers: Vec<Listener>,
}

/// What somebody joins an audience for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// To converse; whoever did before is sent away.
    Converser,
    /// To look on.
    Watcher,
}

/// What somebody who joined goes on with.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) frames: mpsc::Receiver<ServerFrame>,
    pub(crate) end: StreamEnded,
    /// The last event that is not on these frames.
    pub(crate) last_seq: u64,
    /// The conversation's number; that of the last one for a watcher.
    pub(crate) conversation: u64,
}

#[derive(Debug)]
struct Listener {
    out: mpsc::Sender<ServerFrame>,
    end: StreamEnded,
    /// Words for which there was no room yet, and the utterance they belong to.
    unsent: Option<(UtteranceId, String)>,
    /// The utterances of the running turn of which words were sent.
    shown: BTreeSet<UtteranceId>,
    /// The utterances whose beginning was missed: none of their words are sent.
    skips: BTreeSet<UtteranceId>,
}

impl Audience {
    /// Lets somebody in; `outbox` frames may wait for them. What is kept later than `last_seq` comes on the frames.
    pub(crate) fn join(&mut self, role: Role, outbox: usize) -> Joined {
        let (out, frames) = mpsc::channel(outbox);
        let end = StreamEnded::default();
        let (unsent, shown, skips) = (None, BTreeSet::new(), self.arriving.clone());
        let listener = Listener { out, end: Arc::clone(&end), unsent, shown, skips };
        match role {
            Role::Converser => {
                self.conversations += 1;
                if let Some(before) = self.converser.replace(listener) {
                    before.because(StreamEnd::Superseded);
                }
            }
            Role::Watcher => {
                self.watchers.retain(Listener::listens);
                self.watchers.push(listener);
            }
        }
        Joined { frames, end, last_seq: self.last_seq, conversation: self.conversations }
    }

    /// Counts those who look on.
    pub(crate) fn watchers(&self) -> usize {
        self.watchers.iter().filter(|watcher| watcher.listens()).count()
    }

    /// Tells whether a conversation is the one that may speak.
    pub(crate) const fn speaks(&self, conversation: u64) -> bool {
        self.converser.is_some() && self.conversations == conversation
    }

    /// Says how far the session is; for a session that was read from the store.
    pub(crate) const fn begin_after(&mut self, last_seq: u64) {
        self.last_seq = last_seq;
    }

    /// Shows words as they arrive.
    pub(crate) fn delta(&mut self, utterance_id: UtteranceId, text: &str) {
        self.arriving.insert(utterance_id);
        self.each(|listener| listener.delta(utterance_id, text));
    }

    /// Takes the words of an utterance back from whoever was shown some.
    pub(crate) fn retract(&mut self, utterance_id: UtteranceId) {
        self.arriving.remove(&utterance_id);
        self.each(|listener| {
            listener.unsent.take_if(|(unsent, _)| *unsent == utterance_id);
            listener.skips.remove(&utterance_id);
            !listener.shown.remove(&utterance_id) || listener.send(ServerFrame::Retracted { utterance_id })
        });
    }

    /// Shows what was kept, and that the turn is over.
    pub(crate) fn publish(&mut self, events: &Arc<[Arc<SessionEvent>]>, finished: &TurnFinished) {
        self.arriving.clear();
        self.last_seq = events.last().map_or(self.last_seq, |event| event.seq);
        let frames = || {
            let events = (!events.is_empty()).then(|| ServerFrame::Events(Arc::clone(events)));
            events.into_iter().chain([ServerFrame::TurnFinished(finished.clone())])
        };
        self.each(|listener| {
            listener.forget_words();
            frames().all(|frame| listener.send(frame))
        });
    }

    /// Tells the one that converses something that concerns nobody else.
    pub(crate) fn tell(&mut self, conversation: u64, frame: ServerFrame) {
        if !self.speaks(conversation) {
            return;
        }
        let goes_on = self.converser.as_mut().is_some_and(|listener| listener.send(frame));
        if !goes_on {
            self.converser = None;
        }
    }

    /// Sends everybody away; without a reason the streams simply come to their end.
    pub(crate) fn close(&mut self, why: Option<StreamEnd>) {
        for mut listener in self.converser.take().into_iter().chain(mem::take(&mut self.watchers)) {
            if why == Some(StreamEnd::Draining) {
                let _room = listener.send(ServerFrame::Draining);
            }
            if let Some(why) = why {
                listener.because(why);
            }
        }
    }

    /// Does something with everybody; whoever cannot go on is let go.
    fn each(&mut self, mut act: impl FnMut(&mut Listener) -> bool) {
        if self.converser.as_mut().is_some_and(|listener| !act(listener)) {
            self.converser = None;
        }
        self.watchers.retain_mut(|listener| act(listener));
    }
}

impl Listener {
    fn listens(&self) -> bool {
        !self.out.is_closed()
    }

    fn delta(&mut self, utterance_id: UtteranceId, text: &str) -> bool {
        if self.skips.contains(&utterance_id) {
            return self.listens();
        }
        let earlier = self.unsent.take_if(|(unsent, _)| *unsent == utterance_id).map(|(_, words)| words);
        let words = earlier.unwrap_or_default() + text;
        match self.out.try_send(ServerFrame::Delta { utterance_id, text: Text::new(words) }) {
            Ok(()) => {
                self.shown.insert(utterance_id);
            }
            Err(TrySendError::Full(ServerFrame::Delta { text, .. })) => {
                self.unsent = Some((utterance_id, text.as_str().to_owned()));
            }
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => return false,
        }
        true
    }

    /// What was kept says it all.
    fn forget_words(&mut self) {
        self.unsent = None;
        self.shown.clear();
        self.skips.clear();
    }

    /// Sends a frame; tells whether the listener can go on.
    fn send(&mut self, frame: ServerFrame) -> bool {
        match self.out.try_send(frame) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.because(StreamEnd::SlowReader);
                false
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }

    fn because(&self, why: StreamEnd) {
        let _first = self.end.set(why).is_ok(); // The first reason stands.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: UtteranceId = UtteranceId::new(3);

    fn finished() -> TurnFinished {
        TurnFinished {
            client_message_id: None,
            status: steersman_domain::session::Status::WaitingInput,
            position: None,
            exit_reason: None,
            exit_decision_source: None,
            durable: true,
            served_by: crate::ports::ServedBy::Script,
            first_seq: 1,
            last_seq: 0,
        }
    }

    fn told(joined: &mut Joined) -> Vec<String> {
        let mut told = Vec::new();
        while let Ok(frame) = joined.frames.try_recv() {
            told.push(match frame {
                ServerFrame::Delta { text, .. } => format!("+{}", text.as_str()),
                ServerFrame::Retracted { .. } => "retracted".to_owned(),
                ServerFrame::Events(events) => format!("{} events", events.len()),
                ServerFrame::TurnFinished(_) => "finished".to_owned(),
                ServerFrame::TurnError { .. } => "error".to_owned(),
                ServerFrame::Draining => "draining".to_owned(),
            });
        }
        told
    }

    #[test]
    fn words_without_room_are_joined_to_the_next() {
        let mut audience = Audience::default();
        let mut slow = audience.join(Role::Converser, 1);
        for word in ["a", "b", "c"] {
            audience.delta(WORDS, word);
        }
        assert_eq!(told(&mut slow), ["+a"]);
        audience.delta(WORDS, "d");
        assert_eq!(told(&mut slow), ["+bcd"]);
    }

    #[test]
    fn a_reader_without_room_for_what_was_kept_is_sent_away_and_others_go_on() {
        let mut audience = Audience::default();
        let slow = audience.join(Role::Converser, 1);
        let mut quick = audience.join(Role::Watcher, 8);
        let no_events: Arc<[Arc<SessionEvent>]> = Arc::new([]);
        for _ in 0..2 {
            audience.publish(&no_events, &finished());
        }
        assert_eq!(slow.end.get(), Some(&StreamEnd::SlowReader));
        assert_eq!(told(&mut quick), ["finished", "finished"]);
        assert!(!audience.speaks(slow.conversation));
    }

    #[test]
    fn a_newer_conversation_takes_the_place_of_an_older() {
        let mut audience = Audience::default();
        let older = audience.join(Role::Converser, 8);
        let mut newer = audience.join(Role::Converser, 8);
        assert_eq!(older.end.get(), Some(&StreamEnd::Superseded));
        assert!(older.frames.is_closed());
        assert!(!audience.speaks(older.conversation) && audience.speaks(newer.conversation));
        audience.tell(older.conversation, ServerFrame::TurnFinished(finished()));
        assert_eq!(told(&mut newer), Vec::<String>::new());
    }

    #[test]
    fn whoever_joins_in_the_middle_of_an_utterance_is_not_shown_half_of_it() {
        let mut audience = Audience::default();
        audience.delta(WORDS, "I am ");
        let mut late = audience.join(Role::Watcher, 8);
        audience.delta(WORDS, "listening.");
        assert_eq!(told(&mut late), Vec::<String>::new());
        audience.retract(WORDS);
        assert_eq!(told(&mut late), Vec::<String>::new(), "nothing was shown, so nothing is taken back");
        audience.delta(UtteranceId::new(4), "Go on.");
        assert_eq!(told(&mut late), ["+Go on."]);
    }

    #[test]
    fn draining_is_the_last_word() {
        let mut audience = Audience::default();
        let mut reader = audience.join(Role::Converser, 8);
        audience.close(Some(StreamEnd::Draining));
        assert_eq!(told(&mut reader), ["draining"]);
        assert_eq!(reader.end.get(), Some(&StreamEnd::Draining));
    }
}
