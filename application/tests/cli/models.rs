//! `--llm` and `--llm-url`: a model behind a network as a user points at it, and what is said when that cannot work.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
};

use serde_json::{Value, json};

use super::{ASK, Ran, command, file, steersman};

/// Listens, answers one request after the other with these replies as chat completions, and returns the address.
fn server(replies: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for reply in replies {
            let (connection, _) = listener.accept().unwrap();
            answer(connection, reply);
        }
    });
    format!("http://{address}")
}

fn answer(connection: TcpStream, reply: &str) {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let asked: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&asked["model"], &asked["stream"]), (&json!("fake"), &json!(true)));
    let mut out = reader.into_inner();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    out.write_all(head.as_bytes()).unwrap();
    let letters: Vec<char> = reply.chars().collect();
    for piece in letters.chunks(7) {
        let delta = json!({"content": piece.iter().collect::<String>()});
        write!(out, "data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})).unwrap();
    }
    let usage = json!({"prompt_tokens": 1_000_000, "completion_tokens": 500_000, "total_tokens": 1_500_000});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage});
    write!(out, "data: {end}\n\ndata: [DONE]\n\n").unwrap();
}

/// Plays with files of this name, which no other test may have: tests run side by side.
fn play(name: &str, llm: &str, url: Option<&str>, more: &[&str]) -> Ran {
    let script = file(&format!("{name}.yaml"), ASK);
    let input = file(&format!("{name}-input.txt"), "most nights\nweekly\n");
    let mut arguments = vec!["play", script.as_str(), "--llm", llm, "--input", &input];
    arguments.extend(url.iter().flat_map(|url| ["--llm-url", *url]));
    arguments.extend(more);
    steersman(&arguments, "")
}

const REPLIES: [&str; 2] = [
    r#"{"reply": "How many nights — “most” of them?", "EXIT": false}"#,
    r#"{"reply": "Once a week, then.", "EXIT": true, "variables": {"frequency": "weekly"}}"#,
];

#[test]
fn a_conversation_with_a_compatible_server_goes_as_with_recorded_replies() {
    let ran = play("compatible", "openai:fake", Some(&server(&REPLIES)), &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = "> most nights\nHow many nights — “most” of them?\n> weekly\nOnce a week, then.\nWhich way?\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.contains("after 2 turns and 2 model calls"), "{}", ran.out);
    assert!(ran.err.starts_with("note: what is said goes to openai:fake at http://127.0.0.1:"), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn a_named_model_brings_its_address_its_key_and_its_prices() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("named-model");
    fs::create_dir_all(&folder).unwrap();
    let settings = format!(
        "llm = 'small'\n[models.small]\nprovider = 'openai'\nmodel = 'fake'\nurl = '{}'\nkey_env = 'BOX_KEY'\n\
         price_in = 2\nprice_out = 3.5\n",
        server(&REPLIES)
    );
    fs::write(folder.join("steersman.toml"), settings).unwrap();
    let (script, input) = (file("named.yaml", ASK), file("named-input.txt", "most nights\nweekly\n"));
    let run = |key: Option<&str>| {
        let mut command = command(&["play", &script, "--input", &input]);
        command.current_dir(&folder).envs(key.map(|key| ("BOX_KEY", key)));
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    };
    let without = run(None);
    assert_eq!((without.code, without.out.as_str()), (2, ""));
    assert!(without.err.contains("small: this needs a key in the environment variable BOX_KEY"), "{}", without.err);
    let ran = run(Some("sk-box"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("2000000 tokens in and 1000000 out: about 7.5000"), "{}", ran.out);
    assert!(!(ran.out + &ran.err).contains("sk-box"));
}

#[test]
fn a_missing_key_is_told_with_the_variable_and_a_way_that_needs_none() {
    let table = [
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("anthropic:claude", "ANTHROPIC_API_KEY"),
        ("gemini:flash", "GEMINI_API_KEY"),
    ];
    for (llm, variable) in table {
        let ran = play("no-key", llm, None, &[]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{llm}");
        let told = format!(
            "error: {llm}: this needs a key in the environment variable {variable}, which is not set; set it, or use \
             `--llm offline`, which needs none\n"
        );
        assert_eq!(ran.err, told);
    }
}

#[test]
fn an_address_that_nobody_answers_at_is_told_once_and_the_conversation_goes_on() {
    // A port that was free a moment ago and that nobody listens on now.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = play("unreachable", "openai:fake", Some(&format!("http://{address}")), &["--format", "jsonl"]);
    assert_eq!((ran.code, &ran.summary()["status"]), (0, &json!("waiting_input")), "{}", ran.err);
    let fallbacks = ran.lines().iter().filter(|line| line["source"] == "fallback").count();
    assert_eq!(fallbacks, 2);
    let told = format!("openai:fake cannot reach http://{address}/v1/ (Connection refused");
    assert_eq!(ran.err.matches(&told).count(), 1, "{}", ran.err);
}

#[test]
fn a_choice_that_cannot_be_is_refused_before_anything_is_played() {
    let table = [
        ("opnai:gpt-5", None, "no provider is called `opnai`; did you mean `openai`?"),
        ("openai:fake", Some("localhost"), "`localhost` is no address; write it as http://HOST:PORT"),
        ("offline", Some("http://127.0.0.1:1"), "--llm-url: `offline` is reached at no address"),
    ];
    for (llm, url, told) in table {
        let ran = play("no-choice", llm, url, &[]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{llm}");
        assert!(ran.err.contains(told), "{}", ran.err);
    }
}
