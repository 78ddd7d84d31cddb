//! The letters of one session: taken in order, but looked at while a turn runs, since some cannot wait for its end.

use std::collections::VecDeque;

use steersman_domain::control::must_be_caught;
use tokio::sync::mpsc;

use crate::live::Letter;

/// Letters that arrive, and those that came while a turn ran.
#[derive(Debug)]
pub(crate) struct Inbox {
    arriving: mpsc::Receiver<Letter>,
    early: VecDeque<Letter>,
    most: usize,
}

impl Inbox {
    /// Takes at most `most` letters in while a turn runs; the others wait outside.
    pub(crate) const fn new(arriving: mpsc::Receiver<Letter>, most: usize) -> Self {
        Self { arriving, early: VecDeque::new(), most }
    }

    /// Returns the next letter; `None` when no more can come.
    pub(super) async fn next(&mut self) -> Option<Letter> {
        match self.early.pop_front() {
            Some(letter) => Some(letter),
            None => self.arriving.recv().await,
        }
    }

    /// Waits until a letter is there that cannot wait until the running turn is over: a must-catch phrase. The letters keep
    /// their order.
    pub(super) async fn until_one_cannot_wait(&mut self) {
        if self.early.iter().any(cannot_wait) {
            return;
        }
        while self.early.len() < self.most {
            let Some(letter) = self.arriving.recv().await else { break };
            let urgent = cannot_wait(&letter);
            self.early.push_back(letter);
            if urgent {
                return;
            }
        }
        std::future::pending::<()>().await;
    }

    /// Lets nobody write any more, and returns what is still there.
    pub(super) fn close(&mut self) -> impl Iterator<Item = Letter> {
        self.arriving.close();
        std::iter::from_fn(|| self.early.pop_front().or_else(|| self.arriving.try_recv().ok()))
    }

    /// Tells whether a letter waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.early.is_empty() && self.arriving.is_empty()
    }
}

fn cannot_wait(letter: &Letter) -> bool {
    letter.ask.words().is_some_and(|words| must_be_caught(words.as_str()))
}
