//! Laws of the exit decision: the source is the highest that is enabled and fires, and the record says so.

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value as Json, json};
use steersman_domain::{
    control::Route,
    exit::{CustomCondition, ExitCriteria, ExitFacts, ExitPolicy, ExitSignals, ExitSource, OFF_TARGET_LIMIT, Readings},
    locale::Locale,
    utterance::Text,
    variable::{Operator, Value, VariableName},
};

/// Everything that an exit decision looks at.
#[derive(Debug, Clone)]
struct Case {
    policy: ExitPolicy,
    round: u32,
    route: Route,
    cancelled: bool,
    off_target: u32,
    signals: ExitSignals,
    variables: Held,
    locale: Locale,
}

#[derive(Debug, Clone)]
struct Held(BTreeMap<String, Value>);

impl Readings for Held {
    fn read(&self, name: &str) -> Option<(Value, Option<u32>)> {
        self.0.get(name).map(|value| (value.clone(), Some(1)))
    }
}

/// What the criteria come to, written down anew from the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Criteria {
    Exit,
    Veto,
    Silent,
}

fn criteria() -> impl Strategy<Value = ExitCriteria> {
    let operators = [Operator::Equal, Operator::NotEqual, Operator::Less, Operator::GreaterOrEqual, Operator::Contains];
    let condition =
        (select(vec!["a", "b"]), select(operators.to_vec()), value()).prop_map(|(variable, operator, value)| {
            CustomCondition {
                variable: VariableName::new(variable).expect("a letter is a name"),
                operator,
                value: Value::new(value),
            }
        });
    (
        option::weighted(0.4, (0..10_u32).prop_map(|level| f64::from(level) * 10.0)),
        option::weighted(0.4, any::<bool>()),
        option::weighted(0.4, 1..5_u32),
        option::weighted(0.3, (0..11_u32).prop_map(f64::from)),
        vec(condition, 0..3),
    )
        .prop_map(|(understanding_threshold, has_questions, min_rounds, emotion_intensity, custom_conditions)| {
            let completeness = None;
            ExitCriteria {
                understanding_threshold,
                has_questions,
                min_rounds,
                emotion_intensity,
                completeness,
                custom_conditions,
            }
        })
}

fn value() -> impl Strategy<Value = Json> {
    select(vec![json!(null), json!(1), json!(50), json!("1"), json!("x"), json!(true), json!(["x"])])
}

fn case() -> impl Strategy<Value = Case> {
    let sources = proptest::sample::subsequence(ExitSource::ALL.to_vec(), 0..=7);
    let policy = (1..5_u32, option::weighted(0.7, criteria()), sources)
        .prop_map(|(max_rounds, criteria, sources)| ExitPolicy::new(max_rounds, criteria).listening_to(sources));
    let signals = (
        any::<bool>(),
        any::<bool>(),
        option::of((0..11_u32).prop_map(|level| f64::from(level) * 10.0)),
        option::of(any::<bool>()),
        option::of((0..11_u32).prop_map(f64::from)),
        option::of(select(vec!["", "done"])),
    )
        .prop_map(|(exit_flag, should_exit, understanding_level, has_questions, emotion_intensity, words)| {
            ExitSignals {
                exit_flag,
                exit_reason: words.map(Text::from),
                brief: Some(Text::from("in short")),
                should_exit,
                understanding_level,
                has_questions,
                emotion_intensity,
            }
        });
    let names = select(vec!["a", "b", "understanding_level", "has_questions"]).prop_map(str::to_owned);
    let variables = proptest::collection::btree_map(names, value().prop_map(Value::new), 0..4).prop_map(Held);
    let route = prop_oneof![8 => Just(Route::Low), 2 => Just(Route::Medium), 1 => Just(Route::High)];
    let cancelled = proptest::bool::weighted(0.1);
    (policy, 1..6_u32, route, cancelled, 0..5_u32, signals, variables, select(Locale::ALL.to_vec())).prop_map(
        |(policy, round, route, cancelled, off_target, signals, variables, locale)| Case {
            policy,
            round,
            route,
            cancelled,
            off_target,
            signals,
            variables,
            locale,
        },
    )
}

impl Case {
    fn facts(&self) -> ExitFacts<'_> {
        ExitFacts {
            turn: Some(3),
            round: self.round,
            route: self.route,
            cancelled: self.cancelled,
            signals: &self.signals,
            off_target: self.off_target,
            completeness: None,
            variables: &self.variables,
        }
    }

    fn measure(&self, stated: Option<Json>, name: &str) -> Option<Value> {
        stated.map(Value::new).or_else(|| self.variables.0.get(name).cloned())
    }

    /// Weighs the criteria as the design says it.
    fn criteria(&self) -> Criteria {
        let Some(criteria) = &self.policy.criteria else { return Criteria::Silent };
        let reached = |threshold: f64| self.signals.emotion_intensity.is_some_and(|intensity| intensity >= threshold);
        if criteria.emotion_intensity.is_some_and(reached) {
            return Criteria::Exit;
        }
        let holds = |operator: Operator, actual: Option<Value>, expected: &Value| {
            operator.compare(actual.as_ref(), Some(expected)).holds()
        };
        let mut positive = Vec::new();
        if let Some(threshold) = criteria.understanding_threshold {
            let actual = self.measure(self.signals.understanding_level.map(Json::from), "understanding_level");
            positive.push(holds(Operator::GreaterOrEqual, actual, &Value::new(threshold)));
        }
        if criteria.has_questions == Some(false) {
            let actual = self.measure(self.signals.has_questions.map(Json::from), "has_questions");
            positive.push(holds(Operator::Equal, actual, &Value::new(false)));
        }
        for condition in &criteria.custom_conditions {
            let actual = self.variables.0.get(condition.variable.as_str()).cloned();
            positive.push(holds(condition.operator, actual, &condition.value));
        }
        let floor = criteria.min_rounds.is_none_or(|least| self.round >= least);
        match (floor, positive.is_empty(), positive.iter().all(|met| *met)) {
            (false, _, _) | (true, false, false) => Criteria::Veto,
            (true, true, _) => Criteria::Silent,
            (true, false, true) => Criteria::Exit,
        }
    }

    /// Tells whether a source fires, looked at alone.
    fn fires(&self, source: ExitSource) -> bool {
        match source {
            ExitSource::Safety => self.route == Route::High,
            ExitSource::Cancelled => self.cancelled,
            ExitSource::MaxRounds => self.round >= self.policy.max_rounds,
            ExitSource::ExitFlag => self.signals.exit_flag,
            ExitSource::ExitCriteria => self.criteria() == Criteria::Exit,
            ExitSource::LlmSuggestion => self.signals.should_exit && self.criteria() != Criteria::Veto,
            ExitSource::OffTopic => self.off_target >= OFF_TARGET_LIMIT,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_highest_enabled_source_that_fires_decides(case in case()) {
        let decision = case.policy.decide(&case.facts(), case.locale);
        let expected = ExitSource::ALL.into_iter().find(|source| case.policy.enables(*source) && case.fires(*source));
        prop_assert_eq!(decision.source, expected);
        prop_assert_eq!(decision.should_exit, expected.is_some());
    }

    #[test]
    fn every_source_is_considered_in_order_and_none_below_the_one_that_decided(case in case()) {
        let decision = case.policy.decide(&case.facts(), case.locale);
        let order: Vec<_> = decision.considered.iter().map(|considered| considered.source).collect();
        prop_assert_eq!(order, ExitSource::ALL.to_vec());
        for considered in &decision.considered {
            let enabled = case.policy.enables(considered.source);
            prop_assert_eq!(considered.enabled, enabled);
            let reached = decision.source.is_none_or(|source| considered.source <= source);
            prop_assert_eq!(considered.fired, (enabled && reached).then(|| decision.source == Some(considered.source)));
        }
        let always_on = [ExitSource::Safety, ExitSource::Cancelled, ExitSource::MaxRounds, ExitSource::OffTopic];
        prop_assert!(always_on.into_iter().all(|source| case.policy.enables(source)));
    }

    #[test]
    fn every_check_of_the_evidence_is_true_to_its_own_numbers(case in case()) {
        let decision = case.policy.decide(&case.facts(), case.locale);
        for check in &decision.evidence {
            let holds = check.operator.compare(check.actual.as_ref(), Some(&check.expected)).holds();
            prop_assert_eq!(check.met, holds);
        }
        prop_assert!(!decision.reason.is_blank());
        let json = serde_json::to_string(&decision).unwrap();
        prop_assert_eq!(serde_json::from_str::<steersman_domain::exit::ExitDecision>(&json).unwrap(), decision);
    }
}
