//! The last line of a conversation: how it stands and what is remembered.

use std::{collections::BTreeMap, io::Write};

use serde::Serialize;
use steersman_domain::{
    control::{ControlContext, Route, rigidity},
    exit::ExitSource,
    session::{Position, SessionView, Status},
    variable::{Scope, Value},
};

use crate::{config::Prices, failure::Failure, terminal::ASIDE};

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    status: &'a str,
    position: Option<&'a Position>,
    exit_reason: Option<&'a str>,
    exit_decision_source: Option<ExitSource>,
    variables: BTreeMap<Scope, BTreeMap<&'a str, &'a Value>>,
    route: Route,
    rigid_score: f64,
    turns: u32,
    model_calls: u32,
}

/// Writes the summary as JSON; `view` is missing where not even the opening was kept.
pub(super) fn json(view: Option<&SessionView>, failed: bool) -> String {
    let decision = view.and_then(|view| view.last_round.as_ref()).map(|last| &last.decision);
    let control = view.map(|view| &view.control);
    let untouched = rigidity(Route::Low, 0);
    let summary = Summary {
        r#type: "summary",
        status: match view {
            Some(view) if !failed => name(view.status),
            Some(_) | None => "error",
        },
        position: view.and_then(|view| view.position.as_ref()),
        exit_reason: decision.map(|decision| decision.reason.as_str()),
        exit_decision_source: decision.and_then(|decision| decision.source),
        variables: variables(view),
        route: control.map_or(Route::Low, ControlContext::route),
        rigid_score: control.map_or(untouched.rigid_score(), ControlContext::rigid_score),
        turns: view.map_or(0, |view| view.usage.turns),
        model_calls: view.map_or(0, |view| view.usage.model_calls),
    };
    serde_json::to_string(&summary).expect("a summary is plain data")
}

/// Writes the summary for a person.
pub(super) fn text(view: Option<&SessionView>, prices: Option<Prices>, out: &mut impl Write) -> Result<(), Failure> {
    let Some(view) = view else { return Ok(()) };
    let usage = view.usage;
    let status = match view.status {
        Status::WaitingInput => "still waiting",
        Status::Completed => "completed",
        Status::Ended => "ended",
    };
    writeln!(out, "{ASIDE}— {status} after {} turns and {} model calls{ASIDE:#}", usage.turns, usage.model_calls)?;
    if let Some(prices) = prices {
        let (tokens_in, tokens_out) = (usage.tokens_in, usage.tokens_out);
        let cost = prices.cost(tokens_in, tokens_out);
        writeln!(out, "{ASIDE}  {tokens_in} tokens in and {tokens_out} out: about {cost:.4}{ASIDE:#}")?;
    }
    for (name, variable) in view.variables.get(&Scope::Session).into_iter().flatten() {
        writeln!(out, "{ASIDE}  {name} = {}{ASIDE:#}", variable.value.json())?;
    }
    Ok(())
}

const fn name(status: Status) -> &'static str {
    match status {
        Status::WaitingInput => "waiting_input",
        Status::Completed => "completed",
        Status::Ended => "ended",
    }
}

fn variables(view: Option<&SessionView>) -> BTreeMap<Scope, BTreeMap<&str, &Value>> {
    let in_scope = |scope: &Scope| {
        let held = view.and_then(|view| view.variables.get(scope)).into_iter().flatten();
        held.map(|(name, variable)| (name.as_str(), &variable.value)).collect()
    };
    Scope::ALL.iter().map(|scope| (*scope, in_scope(scope))).collect()
}
