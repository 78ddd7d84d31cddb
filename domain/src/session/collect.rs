//! Takes values: from replies, from an extraction call, from the person's own words; and tells the topic how it went.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::{
    DeclaredBy, EventBody, IssueCode, Operation,
    turn::{Flow, Turn},
};
use crate::{
    exit::{ExitDecision, ExitSource},
    reply::{BlockedBy, Level, Progress, Reply},
    script::{Action, ActionKind, Output},
    topic::{ActionResult, Completeness, Outcome, OutputResult},
    variable::{Kind, Quality, Scope, Value, VariableName, WriteError, Writing},
};

/// The most bytes that one variable may hold.
const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Values of a reply that an action takes, by name.
pub(super) type Given = BTreeMap<VariableName, Value>;

impl Turn<'_> {
    /// Writes the values of a reply that the action lists; what it does not list is dropped and recorded.
    pub(super) fn take_values(&mut self, action: &Action, reply: &Reply, quality: Quality) {
        for (name, value) in &reply.variables {
            if action.collect().is_some_and(|list| list.as_str() == name) {
                self.append_records(action, value, quality);
                continue;
            }
            match listed(action, name) {
                Some((listed, kind, scope)) if action.collect().is_none() => {
                    self.take_value(listed, kind, scope, value.clone(), quality);
                }
                Some(_) | None => {
                    let shown = if VariableName::is_well_formed(name) { name.as_str() } else { "a name that is none" };
                    self.issue(
                        IssueCode::UndeclaredVariable,
                        format!("the action does not list `{shown}`; it was dropped"),
                    );
                }
            }
        }
    }

    /// Leaves of a reply only what is still missing: what the deciding reply gave is final.
    pub(super) fn only_missing(&self, action: &Action, mut reply: Reply) -> Reply {
        let is_missing = |name: &str| {
            action.kind.outputs().iter().any(|output| match output {
                Output::Get { name: listed, .. } => {
                    let kept = action.collect().unwrap_or(listed);
                    kept.as_str() == name && self.completeness(kept) == Completeness::Missing
                }
                Output::Set(_) => false,
            })
        };
        reply.variables.retain(|(name, _)| is_missing(name));
        reply
    }

    /// Returns what the reply would set, as far as the action lists it.
    pub(super) fn given(&self, action: &Action, reply: &Reply) -> Given {
        let values = reply.variables.iter().filter(|(_, value)| value.sets());
        values
            .filter_map(|(name, value)| {
                let (name, kind, _) = listed(action, name)?;
                let kind = kind.or_else(|| self.state.variables.declared_kind(name));
                let value = kind.map_or_else(|| Some(value.clone()), |kind| value.clone().convert(kind))?;
                Some((name.clone(), value))
            })
            .collect()
    }

    fn take_value(
        &mut self,
        name: &VariableName,
        kind: Option<Kind>,
        scope: Option<Scope>,
        value: Value,
        quality: Quality,
    ) {
        if !value.sets() {
            return;
        }
        let Some(value) = self.accept(name, kind, value) else { return };
        self.declare_output(name, kind, scope);
        let writing = self.writing(quality);
        if self.write(name, scope, value, &writing, Operation::Extract) {
            let completeness = if quality == Quality::Raw { Completeness::Raw } else { Completeness::Filled };
            self.mark_collected(name, completeness);
        }
    }

    /// Converts a value to the output's kind; what does not fit is recorded and dropped.
    fn accept(&mut self, name: &VariableName, kind: Option<Kind>, value: Value) -> Option<Value> {
        let Some(kind) = kind else { return Some(value) };
        let found = value.kind();
        let converted = value.convert(kind);
        if converted.is_none() {
            self.issue(
                IssueCode::TypeMismatch,
                format!("`{name}` takes a {}, not a {}", kind.as_str(), found.as_str()),
            );
        }
        converted
    }

    /// Appends the records that are new by their first output.
    fn append_records(&mut self, action: &Action, given: &Value, quality: Quality) {
        let Some(list) = action.collect() else { return };
        let given = match given.json() {
            Json::Array(records) => records.clone(),
            Json::Object(_) => vec![given.json().clone()],
            Json::Null => return,
            _ => {
                self.issue(IssueCode::TypeMismatch, format!("`{list}` takes a list of records"));
                return;
            }
        };
        let fields: Vec<(&VariableName, Option<Kind>)> = action
            .kind
            .outputs()
            .iter()
            .filter_map(|output| match output {
                Output::Get { name, kind, .. } => Some((name, *kind)),
                Output::Set(_) => None,
            })
            .collect();
        let Some((key, _)) = fields.first() else { return };
        let mut records = match self.state.variables.get(list.as_str()).map(|held| held.value.json()) {
            Some(Json::Array(records)) => records.clone(),
            Some(_) | None => Vec::new(),
        };
        let before = records.len();
        for record in given {
            let Some(record) = self.record(&fields, &record) else { continue };
            let known = |held: &Json| held.get(key.as_str()) == record.get(key.as_str());
            if record.get(key.as_str()).is_none_or(Json::is_null) {
                self.issue(IssueCode::TypeMismatch, format!("a record without its `{key}` cannot be told from others"));
            } else if !records.iter().any(known) {
                records.push(Json::Object(record));
            }
        }
        let value = Value::new(records);
        if value.json().as_array().map_or(0, Vec::len) > before {
            let writing = self.writing(quality);
            if self.write(list, None, value, &writing, Operation::Extract) {
                let completeness = if quality == Quality::Raw { Completeness::Raw } else { Completeness::Filled };
                self.mark_collected(list, completeness);
            }
        }
    }

    fn record(&mut self, fields: &[(&VariableName, Option<Kind>)], given: &Json) -> Option<Map<String, Json>> {
        let Json::Object(given) = given else {
            self.issue(IssueCode::TypeMismatch, "an entry of a list of records is no record");
            return None;
        };
        let mut record = Map::new();
        for (name, kind) in fields {
            let Some(value) = given.get(name.as_str()).map(|value| Value::new(value.clone())) else { continue };
            if value.sets()
                && let Some(value) = self.accept(name, *kind, value)
            {
                record.insert(name.as_str().to_owned(), value.into_json());
            }
        }
        Some(record)
    }

    /// Tells whether an output that could be extracted is still missing.
    pub(super) fn misses_a_defined_output(&self, action: &Action) -> bool {
        action.kind.outputs().iter().any(|output| match output {
            Output::Get { name, define: Some(_), .. } => {
                self.completeness(action.collect().unwrap_or(name)) == Completeness::Missing
            }
            Output::Get { define: None, .. } | Output::Set(_) => false,
        })
    }

    /// The last rung: the person's own words, where they are the only output and nothing speaks against it. Then it ends.
    pub(super) fn finish_after_ladder(&mut self, action: &Action) -> Flow {
        let Some(decision) = self.state.run().and_then(|run| run.leaving.clone()) else {
            return self.finish_action(Outcome::Error);
        };
        let foreseen = self.outcome_of(action, &decision);
        let relevance = self.state.run().and_then(|run| run.reading.relevance);
        let barred = match foreseen {
            Outcome::Refused | Outcome::Blocked | Outcome::OffTopic | Outcome::Cancelled | Outcome::Safety => true,
            Outcome::Satisfied | Outcome::Partial | Outcome::MaxRounds | Outcome::Error => false,
        };
        let progress = self.state.run().and_then(|run| run.reading.progress);
        let barred = match progress {
            Some(Progress::Declined | Progress::Blocked | Progress::OffTopic) => true,
            Some(Progress::ContinueNeeded | Progress::Completed) | None => barred,
        };
        if !barred && relevance != Some(Level::Low) {
            self.take_own_words(action);
        }
        let outcome = self.outcome_of(action, &decision);
        self.finish_action(outcome)
    }

    fn take_own_words(&mut self, action: &Action) {
        let mut gets = action.kind.outputs().iter().filter(|output| matches!(output, Output::Get { .. }));
        let (Some(Output::Get { name, kind, scope, .. }), None) = (gets.next(), gets.next()) else { return };
        if self.completeness(action.collect().unwrap_or(name)) != Completeness::Missing {
            return;
        }
        let Some(words) = self.state.run().and_then(|run| run.answer.clone()) else { return };
        let value = Value::from(words.as_str().trim());
        if action.collect().is_some() {
            let record = Json::Object(Map::from_iter([(name.as_str().to_owned(), value.into_json())]));
            self.append_records(action, &Value::new(record), Quality::Raw);
        } else {
            self.take_value(name, *kind, *scope, value, Quality::Raw);
        }
    }

    /// Says in one word how an interactive action went.
    fn outcome_of(&self, action: &Action, decision: &ExitDecision) -> Outcome {
        let progress = self.state.run().and_then(|run| run.reading.progress);
        match decision.source {
            Some(ExitSource::Safety) => Outcome::Safety,
            Some(ExitSource::Cancelled) => Outcome::Cancelled,
            Some(ExitSource::MaxRounds) => Outcome::MaxRounds,
            Some(ExitSource::OffTopic) => Outcome::OffTopic,
            Some(ExitSource::ExitCriteria) if decision.ended_by_emotion() => Outcome::Blocked,
            Some(ExitSource::ExitFlag | ExitSource::ExitCriteria | ExitSource::LlmSuggestion) | None => {
                match progress {
                    Some(Progress::Completed) => Outcome::Satisfied,
                    Some(Progress::ContinueNeeded) => Outcome::Partial,
                    Some(Progress::Blocked) => Outcome::Blocked,
                    Some(Progress::Declined) => Outcome::Refused,
                    Some(Progress::OffTopic) => Outcome::OffTopic,
                    None => self.outcome_by_outputs(action),
                }
            }
        }
    }

    /// Satisfied if every required output is filled, else partial.
    pub(super) fn outcome_by_outputs(&self, action: &Action) -> Outcome {
        let filled = |name: &VariableName| self.completeness(action.collect().unwrap_or(name)) == Completeness::Filled;
        let all =
            action.kind.outputs().iter().filter(|output| output.is_required()).all(|output| filled(output.name()));
        if all { Outcome::Satisfied } else { Outcome::Partial }
    }

    /// Ends the running action and tells the topic how it went.
    pub(super) fn finish_action(&mut self, outcome: Outcome) -> Flow {
        let Some(action) = self.running_action() else { return Flow::GoesOn };
        let completed = match outcome {
            Outcome::Cancelled | Outcome::Safety | Outcome::Error => false,
            Outcome::Satisfied
            | Outcome::Partial
            | Outcome::Refused
            | Outcome::Blocked
            | Outcome::OffTopic
            | Outcome::MaxRounds => true,
        };
        if completed {
            for output in action.kind.outputs() {
                if let Output::Set(setting) = output {
                    self.set(&setting.variable, &setting.value);
                }
            }
        }
        let result = self.result_of(action, outcome, completed);
        self.emit(EventBody::ActionFinished { result: result.clone() });
        if let Some((plan, progress)) = self.state.topic_mut() {
            progress.take(result);
            plan.finish_current();
        }
        self.state.set_run(None);
        Flow::GoesOn
    }

    pub(super) fn result_of(&self, action: &Action, outcome: Outcome, completed: bool) -> ActionResult {
        let run = self.state.run();
        let reading = run.map(|run| run.reading.clone()).unwrap_or_default();
        let decision = run.and_then(|run| run.leaving.as_ref());
        let by_emotion = decision.is_some_and(ExitDecision::ended_by_emotion);
        ActionResult {
            action: action.id.clone(),
            group: None,
            kind: action.kind.name().to_owned(),
            completed,
            outcome,
            outputs: self.output_results(action),
            brief: reading.brief,
            exit_source: decision.and_then(|decision| decision.source),
            exit_reason: decision.map(|decision| decision.reason.clone()),
            progress: reading.progress,
            blocked_by: if by_emotion { Some(BlockedBy::Emotion) } else { reading.blocked_by },
            relevance: reading.relevance,
            cooperation: reading.cooperation,
            emotion: reading.emotion,
            drift: reading.drift,
            rounds: run.map_or(0, |run| run.round),
        }
    }

    fn output_results(&self, action: &Action) -> BTreeMap<VariableName, OutputResult> {
        let names: Vec<&VariableName> = match (&action.kind, action.collect()) {
            (ActionKind::UserOption(option), _) => vec![&option.variable],
            (_, Some(list)) => vec![list],
            (kind, None) => kind
                .outputs()
                .iter()
                .filter_map(|output| match output {
                    Output::Get { name, .. } => Some(name),
                    Output::Set(_) => None,
                })
                .collect(),
        };
        let result = |name: &VariableName| {
            let completeness = self.completeness(name);
            let held = self.state.variables.get(name.as_str()).filter(|_| completeness != Completeness::Missing);
            OutputResult { value: held.map(|held| held.value.clone()), completeness }
        };
        names.into_iter().map(|name| (name.clone(), result(name))).collect()
    }

    fn declare_output(&mut self, name: &VariableName, kind: Option<Kind>, scope: Option<Scope>) {
        let Some(scope) = scope else { return };
        if self.state.variables.declared_scope(name).is_some() {
            return;
        }
        if self.state.variables.declare(scope, name.clone(), kind).is_some() {
            let action = self.running_id();
            let by = DeclaredBy::Output;
            self.emit(EventBody::VariableDeclared { name: name.clone(), scope, by, value: None, action });
        }
    }

    /// Writes a variable and says so; a refused write is recorded. Tells whether it was written.
    ///
    /// Nothing and the empty text set no variable, wherever they come from: what it held stays.
    pub(super) fn write(
        &mut self,
        name: &VariableName,
        scope: Option<Scope>,
        value: Value,
        writing: &Writing,
        operation: Operation,
    ) -> bool {
        if !value.sets() {
            return false;
        }
        if value.bytes() > MAX_VALUE_BYTES {
            self.issue(IssueCode::ValueTooLarge, format!("the value for `{name}` is over {MAX_VALUE_BYTES} bytes"));
            return false;
        }
        let written = match self.state.variables.write(name, scope, value, writing) {
            Ok(written) => written,
            Err(error) => {
                let code = match error {
                    WriteError::ReadOnly { .. } => IssueCode::ReadOnly,
                    WriteError::OtherScope { .. } | WriteError::NotOpen { .. } => IssueCode::ScopeConflict,
                    WriteError::OtherKind { .. } => IssueCode::TypeMismatch,
                };
                self.issue(code, error.to_string());
                return false;
            }
        };
        let action = writing.source.action.clone();
        if let Some(declared) = written.declared {
            let (name, scope, by) = (declared.name, declared.scope, DeclaredBy::Auto);
            self.emit(EventBody::VariableDeclared { name, scope, by, value: None, action: action.clone() });
        }
        self.emit(EventBody::VariableChanged {
            name: name.clone(),
            scope: written.scope,
            operation,
            value: written.value,
            previous: written.previous,
            quality: writing.quality,
            action,
        });
        true
    }
}

/// Finds the output of an action that goes by this name, with the kind and the scope that it asks for.
fn listed<'a>(action: &'a Action, name: &str) -> Option<(&'a VariableName, Option<Kind>, Option<Scope>)> {
    action.kind.outputs().iter().find_map(|output| match output {
        Output::Get { name: listed, kind, scope, .. } if listed.as_str() == name => Some((listed, *kind, *scope)),
        Output::Get { .. } | Output::Set(_) => None,
    })
}
