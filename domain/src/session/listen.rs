//! Hears the client: blank messages, stop and human words first, then whatever the running action waits for.

use std::{collections::VecDeque, time::Duration};

use super::{
    EndReason, EventBody, Operation, Purpose, Speaker, UtteranceSource, WaitFor,
    state::{Hearing, Line, Pause, Stage, Step},
    turn::{Flow, Heard, Turn},
};
use crate::{
    control::{HandoffReason, Perception},
    script::{ActionKind, UserOption},
    texts::fold,
    topic::{Completeness, Outcome},
    utterance::Text,
    variable::{Quality, Value},
};

impl Turn<'_> {
    /// Takes what the client did: one turn. What was said is scanned before anything is done with it.
    pub(super) fn hear(&mut self, heard: Heard) -> Flow {
        let Stage::Listening { wait_for, pause } = self.state.stage else { return Flow::Waits };
        if self.is_idle_too_long() {
            return self.stop_running(EndReason::Expired);
        }
        self.state.turn += 1;
        self.state.calls_this_turn = 0;
        self.state.steps_this_turn = 0;
        self.state.perception = Perception::NoText;
        let line = match &heard {
            Heard::Words(text) => {
                let line = self.utter(Speaker::User, text.clone(), UtteranceSource::User);
                if text.is_blank() {
                    return self.prompt_again(wait_for, pause);
                }
                Some(line)
            }
            Heard::Choice(_) | Heard::Acknowledgement | Heard::HumanRequest | Heard::Stop => None,
        };
        let hearing = Hearing { heard, line, wait_for, pause };
        if hearing.line.is_none() && self.state.held.is_empty() {
            return self.act_on(hearing);
        }
        self.perceive(hearing)
    }

    /// Does what was asked for, as far as the route allows it. All that was said has been scanned, or is about to be held.
    pub(super) fn act_on(&mut self, hearing: Hearing) -> Flow {
        let (wait_for, pause) = (hearing.wait_for, hearing.pause);
        let must_hold = self.state.perception == Perception::Unscanned || self.state.held_too_many;
        if self.state.crisis().is_none() && !must_hold {
            self.charge_turn();
        }
        match &hearing.heard {
            Heard::Stop => return self.stop_by_person(),
            Heard::Words(text) if self.texts().is_stop(text.as_str(), &self.script.stop_words) => {
                return self.stop_by_person();
            }
            Heard::HumanRequest => return self.request_human(wait_for, pause),
            Heard::Words(text) if self.texts().asks_for_human(text.as_str()) => {
                return self.request_human(wait_for, pause);
            }
            Heard::Words(_) | Heard::Choice(_) | Heard::Acknowledgement => {}
        }
        if self.state.crisis().is_some() {
            return self.step_crisis(hearing.heard);
        }
        if must_hold {
            return self.hold(hearing);
        }
        let before = std::mem::take(&mut self.state.held);
        match hearing.heard {
            Heard::Words(text) => self.hear_words(joined(&before, text), wait_for, pause),
            Heard::Choice(key) => self.hear_choice(&key),
            Heard::Acknowledgement | Heard::HumanRequest | Heard::Stop => self.go_on(pause),
        }
    }

    /// Counts a turn against the script's limit. What is said at acute risk, or while nothing can be answered, counts not.
    fn charge_turn(&mut self) {
        self.state.usage.turns += 1;
    }

    fn prompt_again(&mut self, wait_for: WaitFor, pause: Pause) -> Flow {
        if !self.state.is_guarded() {
            self.charge_turn();
        }
        let reprompt = self.texts().reprompt.clone();
        self.say(reprompt, UtteranceSource::Script);
        self.listen_again(wait_for, pause)
    }

    /// Ends a session that has waited too long.
    pub(super) fn expire_if_idle(&mut self) {
        let listens = match self.state.stage {
            Stage::Listening { .. } => true,
            Stage::Fresh | Stage::Perceiving(_) | Stage::Calling(_) | Stage::Over { .. } => false,
        };
        if listens && self.is_idle_too_long() {
            self.stop_running(EndReason::Expired);
        }
    }

    fn is_idle_too_long(&self) -> bool {
        let waited: Duration = self.now.since(self.state.waiting_since);
        waited > self.state.limits.idle && !self.state.is_guarded()
    }

    fn hear_words(&mut self, text: Text, wait_for: WaitFor, pause: Pause) -> Flow {
        match (wait_for, pause) {
            (_, Pause::Bound) | (WaitFor::Ack, Pause::Asked) => self.go_on(pause),
            (WaitFor::Choice, Pause::Asked) => self.hear_choice_in_words(&text),
            (WaitFor::Text | WaitFor::Form, Pause::Asked) => self.hear_answer(text),
        }
    }

    pub(super) fn listen_again(&mut self, wait_for: WaitFor, pause: Pause) -> Flow {
        self.state.stage = Stage::Listening { wait_for, pause };
        Flow::Waits
    }

    fn request_human(&mut self, wait_for: WaitFor, pause: Pause) -> Flow {
        let reason = HandoffReason::PersonAsked;
        self.state.control.request_handoff(reason, self.now);
        self.emit(EventBody::HandoffRequested { reason });
        let text = self.texts().human_requested.clone();
        self.say(text, UtteranceSource::Script);
        self.listen_again(wait_for, pause)
    }

    /// Goes on after an acknowledgement, or where a turn paused at its bound.
    fn go_on(&mut self, pause: Pause) -> Flow {
        let step = self.state.run().map(|run| run.step);
        match (pause, step) {
            (Pause::Asked, _) => self.finish_action(Outcome::Satisfied),
            (Pause::Bound, None) => Flow::GoesOn,
            (Pause::Bound, Some(Step::Speaking)) => self.call(Purpose::Speaking),
            (Pause::Bound, Some(Step::Judging)) => self.call(Purpose::Judging),
            (Pause::Bound, Some(Step::Extracting)) => self.call(Purpose::Extraction),
            (Pause::Bound, Some(Step::Thinking)) => self.call(Purpose::Thinking),
            (Pause::Bound, Some(Step::Asking)) => self.listen(WaitFor::Text),
        }
    }

    /// An answer is judged; where the first utterance had failed, there is nothing to judge, and the action speaks.
    fn hear_answer(&mut self, text: Text) -> Flow {
        let Some(run) = self.state.run_mut() else { return Flow::GoesOn };
        match run.step {
            Step::Speaking => self.call(Purpose::Speaking),
            Step::Asking | Step::Judging | Step::Extracting | Step::Thinking => {
                run.answer = Some(match run.answer.take() {
                    Some(before) if run.unjudged => Text::new(format!("{}\n{}", before.as_str(), text.as_str())),
                    Some(_) | None => text,
                });
                run.step = Step::Judging;
                self.call(Purpose::Judging)
            }
        }
    }

    fn hear_choice(&mut self, key: &str) -> Flow {
        let Some(option) = self.running_option() else { return Flow::GoesOn };
        let text = option.choices.iter().find(|choice| choice.key == key).map(|choice| self.fill(&choice.text));
        self.utter(Speaker::User, Text::new(text.unwrap_or_default()), UtteranceSource::User);
        self.choose(option, key)
    }

    fn hear_choice_in_words(&mut self, text: &Text) -> Flow {
        let Some(option) = self.running_option() else { return Flow::GoesOn };
        let shown: Vec<(String, String)> =
            option.choices.iter().map(|choice| (choice.key.clone(), self.fill(&choice.text))).collect();
        if let Some(key) = named_choice(text.as_str(), &shown, &self.texts().negations) {
            let key = key.to_owned();
            return self.choose(option, &key);
        }
        let round = self.state.run().map_or(0, |run| run.round);
        if round >= option.max_rounds {
            return self.finish_action(Outcome::MaxRounds);
        }
        let again = self.texts().choose_again.clone();
        self.say(again, UtteranceSource::Script);
        self.offer(option)
    }

    fn choose(&mut self, option: &UserOption, key: &str) -> Flow {
        let writing = self.writing(Quality::Choice);
        if self.write(&option.variable, None, Value::from(key), &writing, Operation::Set) {
            self.mark_collected(&option.variable, Completeness::Filled);
        }
        self.finish_action(Outcome::Satisfied)
    }
}

impl<'s> Turn<'s> {
    fn running_option(&self) -> Option<&'s UserOption> {
        match &self.running_action()?.kind {
            ActionKind::UserOption(option) => Some(option),
            ActionKind::Say(_)
            | ActionKind::AiSay(_)
            | ActionKind::AiAsk(_)
            | ActionKind::AiThink(_)
            | ActionKind::ShowPic(_)
            | ActionKind::Set(_) => None,
        }
    }
}

/// Reads what was held together with what was said after it, as one answer.
fn joined(before: &VecDeque<Line>, text: Text) -> Text {
    if before.is_empty() {
        return text;
    }
    let texts = before.iter().map(|line| line.text.as_str()).chain([text.as_str()]);
    Text::new(texts.collect::<Vec<_>>().join("\n"))
}

/// Returns the key of the choice that a message names: by its key, its text or its number, or by holding the key or
/// text of exactly one choice and nothing that turns it round.
fn named_choice<'a>(message: &str, choices: &'a [(String, String)], negations: &[String]) -> Option<&'a str> {
    let said = fold(message);
    if said.is_empty() {
        return None;
    }
    let exact = choices
        .iter()
        .enumerate()
        .find(|(at, (key, text))| fold(key) == said || fold(text) == said || (at + 1).to_string() == said);
    if let Some((_, (key, _))) = exact {
        return Some(key);
    }
    if negations.iter().any(|negation| holds(&said, negation)) {
        return None;
    }
    let mut held = choices.iter().filter(|(key, text)| holds(&said, &fold(key)) || holds(&said, &fold(text)));
    match (held.next(), held.next()) {
        (Some((key, _)), None) => Some(key),
        (None | Some(_), _) => None,
    }
}

/// Tells whether `said` holds `name`, at word bounds where the name is written in Latin letters or digits.
fn holds(said: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    !name.is_empty()
        && said.match_indices(name).any(|(at, _)| {
            let before = said[..at].chars().next_back().is_some_and(is_word);
            let after = said[at + name.len()..].chars().next().is_some_and(is_word);
            let cut_before = before && name.starts_with(is_word);
            let cut_after = after && name.ends_with(is_word);
            !cut_before && !cut_after
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_a_choice_by_key_text_number_or_by_holding_just_one() {
        let choices = [("sleep", "睡眠"), ("mood", "情绪"), ("work", "Work stress")]
            .map(|(key, text)| (key.to_owned(), text.to_owned()));
        let table = [
            ("sleep", Some("sleep")),
            ("Sleep!", Some("sleep")),
            ("2", Some("mood")),
            ("情绪", Some("mood")),
            ("我想聊睡眠吧", Some("sleep")),
            ("睡眠和情绪都想聊", None),
            ("I am asleep", None),
            ("the work stress one", Some("work")),
            ("4", None),
            ("12", None),
            ("……", None),
            ("我不想聊睡眠", None),
            ("anything but not sleep", None),
        ];
        let negations = ["不", "not"].map(str::to_owned);
        for (message, key) in table {
            assert_eq!(named_choice(message, &choices, &negations), key, "{message}");
        }
    }
}
