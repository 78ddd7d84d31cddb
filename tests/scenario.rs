//! A scenario is a folder: a script, what the person does, what the model replies, and what must happen.
//!
//! `script.yaml`, `turns.jsonl` (one input a line, as `play --input` reads it, and `{"stop":true}`), `replies.jsonl`
//! (one attempt a line, as `--llm replies:FILE` reads it), `expect.jsonl` (written by hand: the point of the scenario),
//! `events.jsonl` (written by the machine: every event, so that a change is a decision), and where they are needed
//! `settings.json` (`{"set":{},"subject":"","locale":""}`), `scores.jsonl` (one scan a line, as `--risk scores:FILE` reads
//! it) and `about.md`. A turn `{"clear_risk":{"by":"","reason":""}}` is a clinician's.

use std::{fs, path::Path, sync::Arc};

use serde_json::{Map, Value as Json, json};
use steersman_adapters::{llm::RecordedReplies, risk::RecordedScores};
use steersman_domain::{
    control::Clearance,
    id::SubjectId,
    session::SessionView,
    variable::{Value, VariableName},
};
use steersman_engine::ports::ClientInput;

use crate::{
    partial::matches,
    stage::{Setting, Stage, script},
};

/// The files that every scenario has.
pub const FILES: [&str; 5] = ["script.yaml", "turns.jsonl", "replies.jsonl", "expect.jsonl", "events.jsonl"];
/// The files that a scenario may have.
pub const OPTIONAL_FILES: [&str; 3] = ["settings.json", "scores.jsonl", "about.md"];

/// What is done with `events.jsonl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Golden {
    /// It must be what happens.
    Compared,
    /// It is written anew.
    Rewritten,
}

/// Plays a scenario and compares what happens with what the folder says.
///
/// # Errors
///
/// The first thing that is not as it should be.
///
/// # Panics
///
/// For a script with errors, with their report.
pub fn play(folder: &Path, golden: Golden) -> Result<(), String> {
    let happened = happen(folder)?;
    let text = happened.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect::<String>();
    let path = folder.join("events.jsonl");
    match golden {
        Golden::Rewritten => fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?,
        Golden::Compared => compare(&read(folder, "events.jsonl")?, &text)?,
    }
    expect(&lines(folder, "expect.jsonl")?, &happened)
}

/// Plays a scenario; returns its events and its summary.
fn happen(folder: &Path) -> Result<Vec<Json>, String> {
    let script = script(&read(folder, "script.yaml")?);
    let replies = RecordedReplies::parse(&read(folder, "replies.jsonl")?);
    let replies = Arc::new(replies.map_err(|error| format!("replies.jsonl: {error}"))?);
    let mut setting =
        Setting { model: Arc::clone(&replies) as Arc<_>, ..Setting::with(steersman_adapters::llm::Understudy) };
    settle(&mut setting, folder)?;
    if folder.join("scores.jsonl").exists() {
        let scores = RecordedScores::parse(&read(folder, "scores.jsonl")?);
        setting.detector = Some(Arc::new(scores.map_err(|error| format!("scores.jsonl: {error}"))?));
    }
    let turns = lines(folder, "turns.jsonl")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let (mut stage, opening) = Stage::open(&script, setting).await.map_err(|error| error.to_string())?;
        opening.outcome.as_ref().map_err(|error| format!("the opening: {error}"))?;
        let mut seen = opening.events();
        for (at, turn) in turns.iter().enumerate() {
            let turn = if let Some(clearance) = clearance(turn) {
                stage.clear(clearance).await.map_err(|error| error.to_string())?
            } else {
                let input = input(turn, &mut stage);
                stage.send(input.ok_or_else(|| format!("turns.jsonl:{}: no input: {turn}", at + 1))?).await
            };
            turn.outcome.as_ref().map_err(|error| format!("turns.jsonl:{}: {error}", at + 1))?;
            seen.extend(turn.events());
        }
        if replies.unused() > 0 {
            return Err(format!("replies.jsonl: {} replies were not asked for", replies.unused()));
        }
        if stage.events().await != seen {
            return Err("the client saw other events than the ones that were kept".to_owned());
        }
        stage.stands_by_itself().await?;
        let events = seen.iter().map(|event| without_prompt_hash(json!(event)));
        Ok(events.chain([summary(&stage.view().await)]).collect())
    })
}

fn clearance(turn: &Json) -> Option<Clearance> {
    let cleared = turn.get("clear_risk")?;
    Clearance::new(cleared["by"].as_str()?, cleared["reason"].as_str()?).ok()
}

/// Checks hand-written expectations: each line, in order, some later event; `{"never":…}` none of all,
/// `{"count":n,"of":…}` exactly n of all; the last line is the summary.
fn expect(expected: &[Json], happened: &[Json]) -> Result<(), String> {
    if !expected.last().is_some_and(|last| last["type"] == "summary") {
        return Err("expect.jsonl: its last line must be about the summary".to_owned());
    }
    let mut from = 0;
    for (at, line) in expected.iter().enumerate() {
        let failed = |why: &str| Err(format!("expect.jsonl:{}: {why}: {line}", at + 1));
        if let Some(never) = line.get("never") {
            if let Some(event) = happened.iter().find(|event| matches(never, event)) {
                return failed(&format!("it did happen ({event})"));
            }
        } else if let Some(of) = line.get("of") {
            let found = happened.iter().filter(|event| matches(of, event)).count();
            if line["count"] != found {
                return failed(&format!("it happened {found} times"));
            }
        } else {
            match happened[from..].iter().position(|event| matches(line, event)) {
                Some(found) => from += found + 1,
                None if line["type"] == "summary" => {
                    return failed(&format!("the summary is {}", happened.last().unwrap_or(&Json::Null)));
                }
                None => return failed(&format!("it did not happen after event {from}")),
            }
        }
    }
    Ok(())
}

fn compare(kept: &str, happened: &str) -> Result<(), String> {
    if kept == happened {
        return Ok(());
    }
    let (mut kept, mut happened) = (kept.lines(), happened.lines());
    for number in 1.. {
        match (kept.next(), happened.next()) {
            (Some(kept), Some(happened)) if kept == happened => {}
            (kept, happened) => {
                let shown = |line: Option<&str>| line.unwrap_or("nothing").to_owned();
                return Err(format!(
                    "events.jsonl:{number} differs (UPDATE_SCENARIOS=1 writes it anew)\n  kept:     {}\n  happened: {}",
                    shown(kept),
                    shown(happened)
                ));
            }
        }
    }
    Ok(())
}

/// Prompts have snapshots of their own; a better wording of one is no change of every scenario.
fn without_prompt_hash(mut event: Json) -> Json {
    if let Some(hash) = event.get_mut("prompt_hash") {
        *hash = json!("-");
    }
    event
}

fn input(turn: &Json, stage: &mut Stage) -> Option<ClientInput> {
    let object = turn.as_object()?;
    let (key, value) = object.iter().next().filter(|_| object.len() == 1)?;
    let id = stage.next_id();
    Some(match (key.as_str(), value) {
        ("text", Json::String(text)) => ClientInput::Say { id, text: text.as_str().into() },
        ("choose", Json::String(choice)) => ClientInput::Choose { id, action: None, key: choice.clone() },
        ("ack", Json::Bool(true)) => ClientInput::Acknowledge { id },
        ("human", Json::Bool(true)) => ClientInput::RequestHuman { id },
        ("stop", Json::Bool(true)) => ClientInput::Stop { id },
        _ => return None,
    })
}

fn settle(setting: &mut Setting, folder: &Path) -> Result<(), String> {
    if !folder.join("settings.json").exists() {
        return Ok(());
    }
    let failed = |why: String| format!("settings.json: {why}");
    let settings: Map<String, Json> =
        serde_json::from_str(&read(folder, "settings.json")?).map_err(|error| failed(error.to_string()))?;
    for (key, value) in settings {
        match (key.as_str(), value) {
            ("set", Json::Object(values)) => {
                for (name, value) in values {
                    let name = VariableName::new(name).map_err(|error| failed(error.to_string()))?;
                    setting.variables.insert(name, Value::new(value));
                }
            }
            ("subject", Json::String(subject)) => {
                setting.subject = Some(SubjectId::new(subject).map_err(|error| failed(error.to_string()))?);
            }
            ("locale", Json::String(locale)) => {
                setting.locale = Some(locale.parse().map_err(|_| failed(format!("no locale `{locale}`")))?);
            }
            (key, _) => return Err(failed(format!("`{key}` is no setting, or has another kind of value"))),
        }
    }
    Ok(())
}

/// The last line of a conversation, as the command line prints it without what control says.
fn summary(view: &SessionView) -> Json {
    let decision = view.last_round.as_ref().map(|last| &last.decision);
    let variables: Map<String, Json> = view
        .variables
        .iter()
        .map(|(scope, held)| {
            let held = held.iter().map(|(name, held)| (name.as_str().to_owned(), held.value.json().clone()));
            (scope.as_str().to_owned(), Json::Object(held.collect()))
        })
        .collect();
    json!({
        "type": "summary",
        "status": view.status,
        "position": view.position,
        "exit_reason": decision.map(|decision| &decision.reason),
        "exit_decision_source": decision.and_then(|decision| decision.source),
        "variables": variables,
        "attainments": view.attainments,
        "exit_history": view.exit_history.len(),
        "turns": view.usage.turns,
        "model_calls": view.usage.model_calls,
    })
}

fn lines(folder: &Path, name: &str) -> Result<Vec<Json>, String> {
    let text = read(folder, name)?;
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("{name}:{}: {error}", at + 1)))
        .collect()
}

fn read(folder: &Path, name: &str) -> Result<String, String> {
    let path = folder.join(name);
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}
