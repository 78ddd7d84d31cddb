//! The commands with which an author looks into a running conversation.

use std::{
    io::{self, Write},
    sync::Arc,
};

use steersman_domain::{
    exit::{Evidence, ExitDecision},
    nearest::nearest,
    session::{CallRecord, EventBody, SessionEvent, SessionView},
    topic::EntryStatus,
    variable::Value,
};

use crate::terminal::{ASIDE, HEADING};

const COMMANDS: [(&str, &str); 7] = [
    ("/vars", "what is remembered: name, value, scope, source"),
    ("/why", "why each question went on or ended"),
    ("/calls", "each model call with its prompt and reply"),
    ("/plan", "the actions of the running topic"),
    ("/route", "how closely the conversation is led, and why"),
    ("/help", "this list"),
    ("/quit", "end here"),
];

/// Shows what a command asks for.
pub(super) fn show(
    command: &str,
    view: &SessionView,
    events: &[Arc<SessionEvent>],
    out: &mut impl Write,
) -> io::Result<()> {
    match command {
        "/vars" => variables(view, out),
        "/why" => decisions(view, out),
        "/calls" => calls(events, out),
        "/plan" => plan(view, out),
        "/route" => route(view, out),
        "/help" => COMMANDS.iter().try_for_each(|(name, about)| writeln!(out, "{HEADING}{name:<7}{HEADING:#} {about}")),
        unknown => {
            let names = COMMANDS.iter().map(|(name, _)| *name);
            let hint = nearest(unknown, names).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            writeln!(out, "there is no command {unknown}{hint} (/help lists them)")
        }
    }
}

fn variables(view: &SessionView, out: &mut impl Write) -> io::Result<()> {
    let mut none = true;
    for (scope, held) in &view.variables {
        for (name, variable) in held {
            none = false;
            let by = variable.source.action.as_ref().map_or("the script or client", |action| action.as_str());
            writeln!(
                out,
                "{HEADING}{name}{HEADING:#} = {}  {ASIDE}{}, from {by}, turn {}{ASIDE:#}",
                variable.value.json(),
                scope.as_str(),
                variable.source.turn
            )?;
        }
    }
    if none { writeln!(out, "{ASIDE}nothing is remembered yet{ASIDE:#}") } else { Ok(()) }
}

fn decisions(view: &SessionView, out: &mut impl Write) -> io::Result<()> {
    if view.exit_history.is_empty() {
        return writeln!(out, "{ASIDE}no question has been answered yet{ASIDE:#}");
    }
    for record in &view.exit_history {
        let ExitDecision { source, reason, evidence, .. } = &record.decision;
        let verdict = source.map_or("goes on", |source| source.as_str());
        writeln!(out, "{HEADING}{} round {}{HEADING:#}: {verdict} — {}", record.action, record.round, reason.as_str())?;
        for check in evidence {
            writeln!(out, "  {ASIDE}{}{ASIDE:#}", told(check))?;
        }
    }
    Ok(())
}

fn told(check: &Evidence) -> String {
    let mark = if check.met { "+" } else { "-" };
    let actual = check.actual.as_ref().map_or_else(|| "unknown".to_owned(), |value| value.json().to_string());
    format!("{mark} {} {} {} (is {actual})", check.what, check.operator.as_str(), check.expected.json())
}

fn calls(events: &[Arc<SessionEvent>], out: &mut impl Write) -> io::Result<()> {
    let mut number = 0;
    for event in events {
        let EventBody::ModelCalled { record } = &event.body else { continue };
        number += 1;
        call(number, event.turn, record, out)?;
    }
    if number == 0 { writeln!(out, "{ASIDE}no model has been called yet{ASIDE:#}") } else { Ok(()) }
}

fn call(number: usize, turn: u32, record: &CallRecord, out: &mut impl Write) -> io::Result<()> {
    let action = record.action.as_ref().map_or("-", |action| action.as_str());
    writeln!(
        out,
        "{HEADING}{number}. {} for {action}{HEADING:#}  {ASIDE}turn {turn}, {}, temperature {}, attempt {}, {} ms{ASIDE:#}",
        record.purpose.as_str(),
        if record.model.is_empty() { "no answer" } else { record.model.as_str() },
        record.temperature,
        record.attempt,
        record.latency_ms
    )?;
    if let Some(prompt) = &record.prompt {
        for message in messages(prompt.as_str()) {
            writeln!(out, "  {ASIDE}{message}{ASIDE:#}")?;
        }
    }
    match &record.reply {
        Some(reply) => writeln!(out, "  -> {}", reply.as_str()),
        None => Ok(()),
    }
}

/// Reads the messages out of a recorded prompt.
fn messages(prompt: &str) -> Vec<String> {
    let Ok(serde_json::Value::Array(parts)) = serde_json::from_str(prompt) else { return vec![prompt.to_owned()] };
    let list = parts.into_iter().next().unwrap_or_default();
    let lines = list.as_array().into_iter().flatten().map(|message| {
        let part = |key: &str| Value::new(message[key].clone()).spoken().replace('\n', "\n    ");
        format!("{}: {}", part("role"), part("text"))
    });
    lines.collect()
}

fn plan(view: &SessionView, out: &mut impl Write) -> io::Result<()> {
    for (topic, attainment) in &view.attainments {
        writeln!(out, "{ASIDE}{topic}: {}{ASIDE:#}", serde_json::json!(attainment).as_str().unwrap_or_default())?;
    }
    let Some(plan) = &view.plan else { return writeln!(out, "{ASIDE}no topic is running{ASIDE:#}") };
    let topic = view.position.as_ref().and_then(|position| position.topic.as_ref());
    writeln!(out, "{HEADING}{}{HEADING:#}", topic.map_or("-", |topic| topic.as_str()))?;
    for entry in plan.entries() {
        let mark = match entry.status {
            EntryStatus::Pending => " ",
            EntryStatus::Current => ">",
            EntryStatus::Done => "+",
            EntryStatus::Skipped => "-",
        };
        writeln!(out, "  {mark} {}", entry.id)?;
    }
    Ok(())
}

fn route(view: &SessionView, out: &mut impl Write) -> io::Result<()> {
    let control = &view.control;
    let temperature = control.temperature().map_or_else(|| "no model".to_owned(), |degree| degree.to_string());
    writeln!(
        out,
        "{HEADING}{}{HEADING:#}, rigid score {}, temperature {temperature}, structure {}",
        control.route().as_str(),
        control.rigid_score(),
        control.rigidity().structure().as_str()
    )?;
    match control.route_reason() {
        Some(reason) => {
            writeln!(out, "{ASIDE}because of {}{ASIDE:#}", serde_json::json!(reason).as_str().unwrap_or_default())
        }
        None => writeln!(out, "{ASIDE}no signal has raised it{ASIDE:#}"),
    }
}
