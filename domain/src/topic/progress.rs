//! What a topic has collected, and what that comes to when it ends.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ActionResult, Completeness, Outcome};
use crate::variable::VariableName;

/// How far a topic is, variable by variable.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TopicProgress {
    expected: BTreeMap<VariableName, Expected>,
    last: Option<ActionResult>,
}

/// One variable that the topic is to collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Expected {
    required: bool,
    status: Collected,
}

/// How far one variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collected {
    /// Nothing yet.
    NotCollected,
    /// Some of it.
    Partial,
    /// It is there.
    Collected,
    /// Something stood in the way.
    Blocked,
    /// The person did not want to.
    Declined,
}

/// Whether a topic reached its goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attainment {
    /// Every required output is there.
    Attained,
    /// Some of it is.
    Partial,
    /// None of it is, or it never ran.
    Deferred,
}

/// Why a topic ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Its plan ran out.
    PlanDone,
    /// Its `when` was false; it never ran.
    Condition,
    /// The person or the client stopped the session.
    Stopped,
    /// A limit of the session was reached.
    Limit,
    /// The session waited too long.
    Expired,
}

impl TopicProgress {
    /// An action is reached that is to collect `name`.
    pub fn expect(&mut self, name: VariableName, required: bool) {
        let expected = self.expected.entry(name).or_insert(Expected { required, status: Collected::NotCollected });
        expected.required |= required;
    }

    /// An action is over.
    pub fn take(&mut self, result: ActionResult) {
        for (name, output) in &result.outputs {
            let Some(expected) = self.expected.get_mut(name.as_str()) else { continue };
            expected.status = match (output.completeness, result.outcome, expected.status) {
                (Completeness::Filled | Completeness::Raw, _, _) => Collected::Collected,
                (Completeness::Missing, _, Collected::Collected) => Collected::Collected,
                (Completeness::Missing, Outcome::Refused, _) => Collected::Declined,
                (Completeness::Missing, Outcome::Blocked, _) => Collected::Blocked,
                (
                    Completeness::Missing,
                    Outcome::Satisfied
                    | Outcome::Partial
                    | Outcome::OffTopic
                    | Outcome::MaxRounds
                    | Outcome::Cancelled
                    | Outcome::Safety
                    | Outcome::Error,
                    status,
                ) => status,
            };
        }
        self.last = Some(result);
    }

    /// Returns the last action that is over; conditions read it as `result`.
    pub const fn last_result(&self) -> Option<&ActionResult> {
        self.last.as_ref()
    }

    /// Returns how far each variable is.
    pub fn statuses(&self) -> BTreeMap<VariableName, Collected> {
        self.expected.iter().map(|(name, expected)| (name.clone(), expected.status)).collect()
    }

    /// Decides whether the topic reached its goal.
    pub fn attainment(&self, ending: Ending) -> Attainment {
        let any = self.expected.values().any(|expected| expected.status == Collected::Collected);
        let all = self.expected.values().all(|expected| !expected.required || expected.status == Collected::Collected);
        match ending {
            Ending::Condition => Attainment::Deferred,
            Ending::PlanDone if all => Attainment::Attained,
            Ending::PlanDone | Ending::Stopped | Ending::Limit | Ending::Expired if any => Attainment::Partial,
            Ending::PlanDone | Ending::Stopped | Ending::Limit | Ending::Expired => Attainment::Deferred,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> VariableName {
        VariableName::new(text).unwrap()
    }

    fn result(outcome: Outcome, outputs: &[(&str, Completeness)]) -> ActionResult {
        use crate::{id::ActionId, topic::OutputResult};
        ActionResult {
            action: ActionId::new("ask").unwrap(),
            group: None,
            kind: "ai_ask".to_owned(),
            completed: true,
            outcome,
            outputs: outputs
                .iter()
                .map(|(text, completeness)| (name(text), OutputResult { value: None, completeness: *completeness }))
                .collect(),
            brief: None,
            exit_source: None,
            exit_reason: None,
            progress: None,
            blocked_by: None,
            relevance: None,
            cooperation: None,
            emotion: None,
            drift: None,
            rounds: 1,
        }
    }

    #[test]
    fn a_topic_is_attained_partial_or_deferred_by_what_it_collected() {
        use Completeness::{Filled, Missing};
        let table = [
            (vec![("a", Filled), ("b", Filled)], Ending::PlanDone, Attainment::Attained),
            (vec![("a", Filled), ("b", Missing)], Ending::PlanDone, Attainment::Partial),
            (vec![("a", Missing), ("b", Missing)], Ending::PlanDone, Attainment::Deferred),
            (vec![("a", Filled), ("b", Filled)], Ending::Stopped, Attainment::Partial),
            (vec![("a", Missing), ("b", Missing)], Ending::Stopped, Attainment::Deferred),
        ];
        for (outputs, ending, attainment) in table {
            let mut progress = TopicProgress::default();
            progress.expect(name("a"), true);
            progress.expect(name("b"), true);
            progress.take(result(Outcome::Satisfied, &outputs));
            assert_eq!(progress.attainment(ending), attainment, "{outputs:?} {ending:?}");
        }
        assert_eq!(TopicProgress::default().attainment(Ending::PlanDone), Attainment::Attained);
    }

    #[test]
    fn a_missing_variable_says_what_stood_in_its_way_and_a_collected_one_stays() {
        let mut progress = TopicProgress::default();
        progress.expect(name("a"), true);
        progress.take(result(Outcome::Blocked, &[("a", Completeness::Missing)]));
        assert_eq!(progress.statuses()["a"], Collected::Blocked);
        progress.take(result(Outcome::Partial, &[("a", Completeness::Raw)]));
        progress.take(result(Outcome::Refused, &[("a", Completeness::Missing)]));
        assert_eq!(progress.statuses()["a"], Collected::Collected);
    }
}
