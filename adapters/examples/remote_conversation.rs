//! Talks to a server through the engine's own port: `cargo run -p steersman-adapters --example remote_conversation`.
//!
//! Arguments: the script's id and the server's address. What is written here runs on an engine in process as well.
#![expect(clippy::print_stdout, reason = "an example talks to the person who runs it")]

use std::{collections::BTreeMap, error::Error, io};

use steersman_adapters::grpc::RemoteSessions;
use steersman_domain::{
    id::ScriptId,
    session::{EventBody, Speaker, Status},
    utterance::Text,
};
use steersman_engine::{
    Principal,
    ports::{ClientInput, Frames, MessageId, Open, Opening, ServerFrame, Sessions},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let script = ScriptId::new(arguments.next().unwrap_or_else(|| "onboarding".to_owned()))?;
    let address = arguments.next().unwrap_or_else(|| "http://127.0.0.1:7443".to_owned());
    converse(&RemoteSessions::connect(&address).await?, script).await
}

/// Reads one line a turn until the session or the input ends.
async fn converse(sessions: &dyn Sessions, script: ScriptId) -> Result<(), Box<dyn Error>> {
    let (version, subject, locale, country, variables) = (None, None, None, None, BTreeMap::new());
    let open = Open { script, version, subject, locale, country, variables };
    let mut talk = sessions.open(&Principal::local(), Opening::Start(Box::new(open))).await?;
    for number in 1.. {
        if show_turn(&mut talk.frames).await != Some(Status::WaitingInput) {
            break;
        }
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            break;
        }
        let id = MessageId::new(format!("line-{number}"))?;
        talk.requests.send(ClientInput::Say { id, text: Text::from(line.trim()) })?;
    }
    Ok(())
}

/// Shows what is said until the turn is over; returns how the session stands, `None` if the conversation is over.
async fn show_turn(frames: &mut Frames) -> Option<Status> {
    loop {
        match frames.next().await? {
            ServerFrame::Events(events) => {
                for event in events.iter() {
                    if let EventBody::Utterance { role: Speaker::Assistant | Speaker::System, text, .. } = &event.body {
                        println!("{}", text.as_str());
                    }
                }
            }
            ServerFrame::TurnFinished(finished) => return Some(finished.status),
            ServerFrame::TurnError { error, .. } => {
                println!("not taken: {error}");
                return Some(Status::WaitingInput);
            }
            ServerFrame::Delta { .. } | ServerFrame::Retracted { .. } | ServerFrame::Draining => {}
        }
    }
}
