//! Sessions in a database: killed and gone on with, looked at, changed behind our back, erased.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::{Child, ChildStdin, Stdio},
};

use sea_orm::{ConnectionTrait, Database};
use serde_json::Value;

use super::{ASK, Ran, command, file, place, steersman};

/// One answer of each kind; the understudy takes the first for good.
const TYPED: [&str; 3] = ["every night", "1", "{\"ack\":true}"];

/// Returns the address of a database that only this test uses and that is not there yet.
fn database(name: &str) -> String {
    let file = place(name);
    for ending in ["", "-wal", "-shm", ".lock"] {
        let _none = fs::remove_file(format!("{file}{ending}")).is_ok();
    }
    format!("sqlite://{file}")
}

/// A conversation that goes on until it is killed.
struct Playing {
    child: Child,
    keyboard: ChildStdin,
    screen: BufReader<std::process::ChildStdout>,
}

impl Playing {
    fn begin(arguments: &[&str]) -> Self {
        let mut child =
            command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let keyboard = child.stdin.take().unwrap();
        let screen = BufReader::new(child.stdout.take().unwrap());
        Self { child, keyboard, screen }
    }

    fn types(&mut self, line: &str) {
        writeln!(self.keyboard, "{line}").unwrap();
    }

    /// Reads what is shown until a line has this in it. What is shown is kept.
    fn sees(&mut self, part: &str) -> String {
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert_ne!(self.screen.read_line(&mut line).unwrap(), 0, "{part} never came");
        }
        line
    }

    /// Kills the process, as a power cut does.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Ran {
    fn only_id(&self) -> String {
        let lines = self.lines();
        assert_eq!(lines.len(), 1, "{}{}", self.out, self.err);
        lines[0]["session_id"].as_str().unwrap().to_owned()
    }
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let ran = steersman(arguments, "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
    ran.lines()
}

/// Plays the question to its second round and leaves it there; returns the session.
fn played(database: &str, name: &str) -> String {
    let script = file(&format!("{name}.yaml"), ASK);
    let replies = file(&format!("{name}.jsonl"), r#"{"reply":"More?","variables":{"frequency":"often"}}"#);
    let llm = format!("replies:{replies}");
    let ran = steersman(&["play", &script, "--db", database, "--llm", &llm, "--subject", "anna"], "often\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    steersman(&["session", "list", "--db", database, "--format", "json"], "").only_id()
}

#[test]
fn a_session_that_kill_after_every_message_comes_out_as_one_that_never_was() {
    let script = file("killed.yaml", ASK);
    let same = ["--now", "2026-01-05T09:00:00Z", "--seed", "7", "--format", "jsonl"];
    let whole = steersman(&[&["play", &*script], &same[..]].concat(), &format!("{}\n", TYPED.join("\n")));
    let whole = whole.lines();
    let (summary, events) = whole.split_last().unwrap();
    assert_eq!(summary["status"], "completed");

    let db = database("killed.db");
    let mut id = String::new();
    for (turn, line) in TYPED.into_iter().enumerate() {
        let beginning = if turn == 0 { vec!["play", &script] } else { vec!["play", "--resume", &id] };
        let mut playing = Playing::begin(&[&beginning[..], &["--db", &db], &same[..]].concat());
        if turn == 0 {
            playing.sees("\"type\":\"waiting\"");
        }
        playing.types(line);
        let last = events.iter().rfind(|event| event["turn"] == turn + 1).unwrap();
        playing.sees(&format!("{{\"seq\":{},", last["seq"]));
        playing.kill();
        if turn == 0 {
            id = steersman(&["session", "list", "--db", &db, "--format", "json"], "").only_id();
        }
    }
    assert_eq!(json(&["session", "events", &id, "--db", &db, "--format", "json"]), events);
    let replayed = steersman(&["replay", &id, "--db", &db], "");
    assert_eq!((replayed.code, replayed.err.as_str()), (0, ""), "{}", replayed.out);
    assert!(replayed.out.contains(&format!("the same {} events", events.len())), "{}", replayed.out);
}

#[test]
fn a_turn_that_was_killed_while_a_model_was_asked_did_not_happen() {
    let db = database("mid-turn.db");
    let id = played(&db, "mid-turn");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let resume = ["play", "--db", &db, "--resume", &id, "--llm"];
    let mut playing = Playing::begin(&[&resume[..], &["ollama:silent", "--llm-url", &url]].concat());
    playing.sees("More?");
    playing.types("weekly");
    let _asked = silent.accept().unwrap();
    playing.kill();

    let view = json(&["session", "show", &id, "--db", &db, "--format", "json"]);
    let position = &view[0]["position"];
    assert_eq!((&position["action"], &position["round"]), (&"ask".into(), &2.into()), "the round is as it was");
    assert_eq!(view[0]["usage"]["turns"], 1);

    let replies = file("mid-turn-rest.jsonl", r#"{"reply":"Thanks.","EXIT":true,"variables":{"frequency":"weekly"}}"#);
    let ran = steersman(&[&resume[..], &[&format!("replies:{replies}")]].concat(), "weekly\nleft\n{\"ack\":true}\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (before, after) = ran.out.split_once("Thanks.").unwrap();
    assert!(before.contains("More?"), "the last words are shown first: {}", ran.out);
    assert!(after.contains("Which way?") && after.contains("completed after 4 turns"), "{}", ran.out);
}

#[test]
fn records_are_read_beside_a_running_conversation_and_nobody_else_writes() {
    let db = database("beside.db");
    let script = file("beside.yaml", ASK);
    let mut playing = Playing::begin(&["play", &script, "--db", &db]);
    playing.sees("How often does it happen?");
    let id = steersman(&["session", "list", "--db", &db, "--format", "json"], "").only_id();
    let ran = steersman(&["session", "transcript", &id, "--db", &db], "");
    assert!(ran.out.contains("How often does it happen?") && ran.code == 0, "{}{}", ran.out, ran.err);
    assert_eq!(steersman(&["replay", &id, "--db", &db], "").code, 0);
    for arguments in [vec!["play", &script, "--db", &db], vec!["session", "erase", &id, "--db", &db]] {
        let refused = steersman(&arguments, "");
        assert_eq!(refused.code, 2, "{arguments:?}");
        assert!(refused.err.contains("beside.db is in use by another process"), "{}", refused.err);
    }
    playing.kill();
    assert_eq!(steersman(&["session", "erase", &id, "--db", &db], "").code, 0, "the kernel has given it back");
}

/// What is said of a script that is not the one which the session runs.
const DAMAGED: &str = "not the one that its digest names";

#[test]
fn what_was_changed_in_the_file_is_noticed_and_named() {
    let table = [
        (
            "UPDATE event SET payload = replace(payload, 'More?', 'Less?') WHERE type = 'utterance'",
            "what is written is not what its digest says",
            "recorded: {\"text\":\"Less?\"}",
        ),
        ("DELETE FROM event WHERE seq = 5", "event 6 does not: an event before it is missing", "event 5 differs"),
        (
            "UPDATE event SET turn = turn + 1 WHERE seq = 7",
            "event 7 does not: it does not follow from the event before it",
            "",
        ),
        ("UPDATE session SET chain = ''", "the session's record does not end in it", ""),
        ("UPDATE event SET payload = 'gone' WHERE seq = 4", "event 4 does not", "--verify"),
        ("UPDATE journal SET input = replace(input, 'often', 'never')", "", "differs"),
        ("UPDATE script SET body = replace(body, 'How often', 'How seldom')", DAMAGED, DAMAGED),
        (
            "UPDATE session SET state = replace(state, '\"turns\":1', '\"turns\":0')",
            "",
            "the snapshot is not what the inputs lead to",
        ),
    ];
    for (n, (statement, verify, replay)) in table.into_iter().enumerate() {
        let db = database(&format!("tampered-{n}.db"));
        let id = played(&db, &format!("tampered-{n}"));
        for untouched in [vec!["session", "show", &id, "--verify", "--db", &db], vec!["replay", &id, "--db", &db]] {
            assert_eq!(steersman(&untouched, "").code, 0, "{untouched:?}");
        }
        sql(&db, statement);
        let verified = steersman(&["session", "show", &id, "--verify", "--db", &db], "");
        let replayed = steersman(&["replay", &id, "--db", &db], "");
        for (ran, expected) in [(verified, verify), (replayed, replay)] {
            let said = format!("{}{}", ran.out, ran.err);
            assert!(said.contains(expected), "{statement}: {said}");
            let code = match expected {
                "" => 0,
                DAMAGED if ran.out.contains("holds") => 3, // The chain does; what its script was cannot be said any more.
                _ => 1,
            };
            assert_eq!(ran.code, code, "{statement}: {said}");
        }
    }
}

/// Changes a database with a tool of one's own.
fn sql(database: &str, statement: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let db = Database::connect(database).await.unwrap();
        assert!(db.execute_unprepared(statement).await.unwrap().rows_affected() > 0, "{statement}");
        db.close().await.unwrap();
    });
}

#[test]
fn a_session_is_listed_shown_and_exported_and_the_export_replays() {
    let db = database("looked-at.db");
    let id = played(&db, "looked-at");
    let listed = steersman(&["session", "list", "--db", &db], "");
    assert!(listed.out.starts_with(&id) && listed.out.contains("waiting_input"), "{}", listed.out);
    for (filter, fits) in [("anna", 1), ("bob", 0)] {
        let listed = steersman(&["session", "list", "--db", &db, "--subject", filter, "--format", "json"], "");
        assert_eq!((listed.lines().len(), listed.code), (fits, 0));
    }
    let none = steersman(&["session", "list", "--db", &db, "--status", "completed"], "");
    assert!(none.out.is_empty() && none.err.contains("no session in"), "{}", none.err);

    let shown = steersman(&["session", "show", &id, "--db", &db], "");
    for part in ["main / talk / ask, round 2 of 3", "subject", "anna", "frequency = \"often\""] {
        assert!(shown.out.contains(part), "{part} is not in {}", shown.out);
    }
    let verified = json(&["session", "show", &id, "--verify", "--db", &db, "--format", "json"]);
    assert_eq!((&verified[0]["holds"], &verified[0]["erased"]), (&true.into(), &0.into()));

    let events = json(&["session", "events", &id, "--db", &db, "--format", "jsonl"]);
    assert_eq!(events[0]["type"], "session_started");
    let behind = json(&["session", "events", &id, "--after", "3", "--db", &db, "--format", "json"]);
    assert_eq!(behind, events[3..]);
    let transcript = steersman(&["session", "transcript", &id, "--db", &db], "");
    assert!(transcript.out.ends_with("How often does it happen?\n> often\nMore?\n"), "{}", transcript.out);

    let to = place("looked-at-export.jsonl");
    assert_eq!(steersman(&["session", "export", &id, "--to", &to, "--db", &db], "").code, 0);
    let printed = steersman(&["session", "export", &id, "--db", &db], "");
    assert_eq!(printed.out, fs::read_to_string(&to).unwrap());
    assert_eq!(steersman(&["replay", &to], "").code, 0);
}

#[test]
fn an_erased_session_is_gone_but_for_its_chain() {
    let db = database("erased.db");
    let id = played(&db, "erased");
    let erased = steersman(&["session", "erase", &id, "--db", &db], "");
    assert_eq!(erased.code, 0, "{}", erased.err);
    for of in ["show", "events", "transcript", "export", "erase"] {
        let gone = steersman(&["session", of, &id, "--db", &db], "");
        assert_eq!(gone.code, 2, "{of}");
        assert!(gone.err.contains(&format!("there is no session {id}")), "{of}: {}", gone.err);
    }
    let gone = steersman(&["play", "--db", &db, "--resume", &id], "");
    assert!(gone.code == 2 && gone.err.contains("there is no session"), "{}", gone.err);
    let verified = steersman(&["session", "show", &id, "--verify", "--db", &db], "");
    assert!(verified.code == 0 && verified.out.contains("of them erased"), "{}{}", verified.out, verified.err);
    let bytes = fs::read(place("erased.db")).unwrap();
    assert!(!bytes.windows(4).any(|window| window == b"anna"), "nothing of it is left in the file");
}

#[test]
fn what_is_wrong_with_a_database_is_told_and_nothing_is_made() {
    let folder = place("a-folder.db");
    fs::create_dir_all(&folder).unwrap();
    let script = file("no-database.yaml", ASK);
    let missing = database("missing.db");
    let table = [
        (vec!["session", "list", "--db", &missing], 2, "there is no database"),
        (vec!["replay", "0190-abc", "--db", &missing], 2, "there is no database"),
        (vec!["session", "list", "--db", "memory"], 2, "name a database"),
        (vec!["session", "list", "--db", "postgres://box/db"], 2, "this build keeps sessions in SQLite"),
        (vec!["session", "list", "--db", "steersman.db"], 2, "write sqlite://FILE"),
        (vec!["play", "--resume", "x"], 2, "--resume needs --db"),
        (vec!["play", "--db", &missing], 2, "required"),
        (vec!["replay", "no-such-file.jsonl"], 3, "no-such-file.jsonl"),
    ];
    for (arguments, code, told) in table {
        let ran = steersman(&arguments, "");
        assert!(ran.err.contains(told), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.err);
    }
    let ran = steersman(&["play", &script, "--db", &format!("sqlite://{folder}")], "");
    assert!(ran.code == 2 && ran.err.contains("a-folder.db is a folder; name a file"), "{}", ran.err);
    assert!(!fs::exists(place("missing.db")).unwrap());
    assert!(!fs::exists(place("missing.db.lock")).unwrap());
}

#[test]
fn the_environment_names_the_database() {
    let db = database("environment.db");
    let id = played(&db, "environment");
    let output = command(&["session", "list"]).env("DATABASE_URL", &db).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with(&id));
}

#[test]
fn a_session_with_nothing_in_it_is_not_exported_and_the_failure_is_told() {
    let script = file("nothing.yaml", &ASK.replace("            opening: How often does it happen?\n", ""));
    let (empty, export) = (file("nothing.jsonl", ""), place("nothing-export.jsonl"));
    let llm = format!("replies:{empty}");
    let ran = steersman(&["play", &script, "--llm", &llm, "--export", &export, "--format", "jsonl"], "hello\n");
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("nothing was kept") && ran.err.contains("error:"), "{}", ran.err);
    assert_eq!(ran.summary()["status"], "error");
    assert!(!fs::exists(export).unwrap());
}

#[test]
fn a_session_at_acute_risk_goes_on_only_when_a_clinician_has_cleared_it() {
    let db = format!("sqlite://{}", place("at-risk.db"));
    let script = file("at-risk.yaml", ASK);
    let acute = "I am going to kill myself tonight\n";
    let ran = steersman(&["play", &script, "--db", &db, "--format", "jsonl", "--subject", "anna"], acute);
    let kinds: Vec<String> =
        ran.lines().iter().map(|line| line["type"].as_str().unwrap_or_default().to_owned()).collect();
    assert!(kinds.contains(&"route_changed".to_owned()), "{kinds:?}");
    let id = ran.lines()[0]["session_id"].as_str().unwrap().to_owned();

    let resumed = steersman(&["play", "--resume", &id, "--db", &db, "--format", "jsonl"], "hello\n");
    assert!(!resumed.out.contains("model_called"), "{}", resumed.out);
    let unnamed = steersman(&["session", "--db", &db, "clear-risk", &id, "--reason", " ", "--by", "Dr. Lin"], "");
    assert_eq!(unnamed.code, 2, "{}", unnamed.err);
    let cleared =
        steersman(&["session", "--db", &db, "clear-risk", &id, "--reason", "seen in person", "--by", "Dr. Lin"], "");
    assert_eq!(cleared.code, 0, "{}", cleared.err);
    let resumed = steersman(&["play", "--resume", &id, "--db", &db, "--format", "jsonl"], "hello\nweekly\n");
    assert!(resumed.out.contains("model_called"), "{}", resumed.out);
    let replayed = steersman(&["replay", &id, "--db", &db], "");
    assert_eq!((replayed.code, replayed.err.as_str()), (0, ""), "{}", replayed.out);
    let never = "01980000-0000-7000-8000-000000000000";
    let unknown = steersman(&["session", "--db", &db, "clear-risk", never, "--reason", "r", "--by", "b"], "");
    assert_eq!(unknown.code, 2, "{}", unknown.err);
}

#[test]
fn a_detector_is_chosen_by_flag_and_nothing_loosens_control() {
    let script = file("risk-flag.yaml", ASK);
    let scores = file("risk-flag.scores", "\"unknown\"\n0.97\n0.1\n");
    let ran = steersman(
        &["play", &script, "--format", "jsonl", "--risk", &format!("scores:{scores}")],
        "now and then\nweekly\n",
    );
    let routes = ran.lines().iter().filter(|line| line["type"] == "route_changed").count();
    assert_eq!((routes, ran.out.contains("model_called")), (1, false), "held, then high: {}", ran.out);
    for (risk, told) in [
        ("floer", "is no detector"),
        ("http:nowhere", "a detector is at an address"),
        ("http:file:///etc/passwd", "a detector is at an address"),
        ("scores:/no/such/file", "cannot read"),
    ] {
        let ran = steersman(&["play", &script, "--risk", risk], "");
        assert!(ran.code != 0 && ran.err.contains(told), "{risk}: {} {}", ran.code, ran.err);
    }
}
