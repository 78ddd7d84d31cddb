//! One session: how it stands, and whether what is kept of it was changed.

use std::io::{self, Write};

use serde_json::{Value, json};
use steersman_domain::{id::SessionId, session::SessionView};
use steersman_engine::ports::{BrokenLink, ChainFault, Verified};

use crate::terminal::{ASIDE, HEADING};

/// Writes how a session stands, for a person.
pub(super) fn text(view: &SessionView, out: &mut impl Write) -> io::Result<()> {
    let id = view.session_id.as_ref().map(SessionId::as_str).unwrap_or_default();
    writeln!(out, "{HEADING}{id}{HEADING:#}  {}", view.status.as_str())?;
    let mut line = |name: &str, value: String| writeln!(out, "  {ASIDE}{name:<9}{ASIDE:#} {value}");
    line("script", format!("{} {}, {}", view.script.id, view.script.version, view.locale))?;
    if let Some(subject) = &view.subject {
        line("subject", subject.as_str().to_owned())?;
    }
    if let Some(position) = &view.position {
        let names = [
            position.phase.as_ref().map(ToString::to_string),
            position.topic.as_ref().map(ToString::to_string),
            position.action.as_ref().map(ToString::to_string),
        ];
        let path = names.into_iter().flatten().collect::<Vec<_>>().join(" / ");
        let round = match position.max_rounds {
            0 => String::new(),
            most => format!(", round {} of {most}", position.round),
        };
        line("position", format!("{path}{round}"))?;
    }
    if let Some(last) = &view.last_round {
        let source = last.decision.source.map_or("goes on", |source| source.as_str());
        line(
            "decision",
            format!("{} round {}: {source} — {}", last.action, last.round, last.decision.reason.as_str()),
        )?;
    }
    line("route", view.control.route().as_str().to_owned())?;
    line("usage", format!("{} turns, {} model calls", view.usage.turns, view.usage.model_calls))?;
    for (scope, held) in &view.variables {
        for (name, variable) in held {
            line(scope.as_str(), format!("{name} = {}", variable.value.json()))?;
        }
    }
    Ok(())
}

/// Says whether the chain holds, for a person.
pub(super) fn verified(id: &SessionId, verified: &Verified, out: &mut impl Write) -> io::Result<()> {
    let erased = match verified.erased {
        0 => String::new(),
        erased => format!(", {erased} of them erased"),
    };
    match &verified.broken {
        None => writeln!(out, "{id}: the chain of {} events holds{erased}", verified.events),
        Some(BrokenLink { link, fault }) => {
            writeln!(
                out,
                "{id}: {} events hold{erased}; event {} does not: {}",
                verified.events,
                link.seq,
                told(*fault)
            )
        }
    }
}

/// Says whether the chain holds, for a program.
pub(super) fn verified_json(id: &SessionId, verified: &Verified) -> Value {
    let broken = verified.broken.as_ref().map(|BrokenLink { link, fault }| {
        json!({"seq": link.seq, "turn": link.turn, "fault": code(*fault), "message": told(*fault)})
    });
    json!({
        "session_id": id,
        "holds": verified.broken.is_none(),
        "events": verified.events,
        "erased": verified.erased,
        "broken": broken,
    })
}

const fn code(fault: ChainFault) -> &'static str {
    match fault {
        ChainFault::Gap => "gap",
        ChainFault::Payload => "payload",
        ChainFault::Order => "order",
        ChainFault::End => "end",
    }
}

const fn told(fault: ChainFault) -> &'static str {
    match fault {
        ChainFault::Gap => "an event before it is missing",
        ChainFault::Payload => "what is written is not what its digest says",
        ChainFault::Order => "it does not follow from the event before it",
        ChainFault::End => "the session's record does not end in it",
    }
}
