//! The wire: `steersman.v1` over gRPC and gRPC-web, with reflection, health and HTTP probes on one port.
//!
//! Wire types stay here. When the other side fails: a client that leaves loses nothing, since a turn that was taken is
//! finished and kept; one that does not read is sent away with a reason and resumes from a cursor; one that sends what
//! cannot be read is told so. When this side is to stop, streams get `draining` and end within the grace.

mod converse;
mod decisions;
mod events;
mod frames;
mod listen;
mod probes;
mod reasons;
mod refusals;
mod remote;
mod scripts;
mod sessions;
mod status;
mod unread;
mod view;

pub use remote::{RemoteSessions, Unreachable};
pub use status::{DOMAIN, Reason};

use std::{future::Future, sync::Arc, time::Duration};

use serde::Serialize;
use steersman_engine::ports::{Archive, ScriptLibrary, Sessions};
use steersman_proto::{
    DESCRIPTORS,
    v1::{decisions_server::DecisionsServer, scripts_server::ScriptsServer, sessions_server::SessionsServer},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic_health::{
    ServingStatus,
    server::{HealthReporter, health_reporter},
};
use tonic_web::GrpcWebLayer;
use tower::Layer;

use self::{converse::Host, probes::Readiness, reasons::Reasoned};

/// The bounds of the wire. Those of messages, queues and turns are the engine's `Limits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// The largest frame that is taken in, in bytes.
    pub frame_bytes: usize,
    /// The largest call about a script, in bytes: a script may have 1 MiB.
    pub script_bytes: usize,
    /// The largest answer, in bytes; what clients take in unless told otherwise.
    pub answer_bytes: usize,
    /// The streams of one connection.
    pub streams: u32,
    /// The connections at once.
    pub connections: usize,
    /// The headers of one call, in bytes.
    pub header_bytes: u32,
    /// How long the headers of a call over HTTP/1 may take to arrive.
    pub header_read: Duration,
    /// How long a stream may stay open without a sign of either side, or with its client not reading.
    pub idle: Duration,
    /// How often a silent connection is asked whether its client is there, and how long that may take.
    pub keep_alive: Duration,
    /// How long to wait when no connection can be accepted.
    pub accept_pause: Duration,
    /// How long open connections have when the server stops.
    pub grace: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            frame_bytes: 256 * 1024,
            script_bytes: 1024 * 1024 + 64 * 1024,
            answer_bytes: 4 * 1024 * 1024,
            streams: 100,
            connections: 16_384,
            header_bytes: 16 * 1024,
            header_read: Duration::from_secs(10),
            idle: Duration::from_mins(15),
            keep_alive: Duration::from_secs(30),
            accept_pause: Duration::from_millis(100),
            grace: Duration::from_secs(25),
        }
    }
}

/// Serves an engine over the wire.
#[derive(Debug, Clone)]
pub struct Server {
    /// Opens conversations.
    pub sessions: Arc<dyn Sessions>,
    /// Shows what is kept.
    pub archive: Arc<dyn Archive>,
    /// Finds and publishes scripts.
    pub scripts: Arc<dyn ScriptLibrary>,
    /// The bounds.
    pub config: Config,
}

impl Server {
    /// Serves until `signal`; then stops being ready, takes no connection any more, runs `drain`, and waits for open
    /// connections no longer than the grace.
    pub async fn serve<D>(self, listener: TcpListener, signal: impl Future<Output = ()>, drain: D)
    where
        D: Future<Output = ()>,
    {
        let closing = CancellationToken::new();
        let (health, calls) = self.calls(&closing);
        let readiness = Readiness { archive: Arc::clone(&self.archive), closing: closing.clone() };
        // The layer for browsers turns plain HTTP away, so that the probes stand before it.
        let service = probes::routes(readiness).fallback_service(GrpcWebLayer::new().layer(Reasoned(calls)));
        set_health(&health, ServingStatus::Serving).await;
        let config = self.config;
        let stop = async {
            listen::close_on(signal, &closing).await;
            set_health(&health, ServingStatus::NotServing).await;
            let _in_time = tokio::time::timeout(config.grace, drain).await.is_ok();
        };
        tokio::join!(listen::connections(listener, &config, service, closing.clone()), stop);
    }

    fn calls(&self, closing: &CancellationToken) -> (HealthReporter, axum::Router) {
        let Self { sessions, archive, scripts, config } = self;
        let host = Host {
            sessions: Arc::clone(sessions),
            archive: Arc::clone(archive),
            config: *config,
            closing: closing.clone(),
        };
        let (frame, answer, script) = (config.frame_bytes, config.answer_bytes, config.script_bytes);
        let sessions = SessionsServer::new(sessions::Desk::new(host));
        let scripts = ScriptsServer::new(scripts::Shelf(Arc::clone(scripts)));
        let decisions = DecisionsServer::new(decisions::Registry);
        let (reporter, health) = health_reporter();
        let reflection =
            || tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(DESCRIPTORS);
        let (v1, v1alpha) = (reflection().build_v1(), reflection().build_v1alpha());
        let routes = Routes::new(sessions.max_decoding_message_size(frame).max_encoding_message_size(answer))
            .add_service(scripts.max_decoding_message_size(script).max_encoding_message_size(answer))
            .add_service(decisions.max_decoding_message_size(frame).max_encoding_message_size(answer))
            .add_service(health)
            .add_service(v1.expect("the descriptors are made with the code"))
            .add_service(v1alpha.expect("the descriptors are made with the code"));
        (reporter, routes.into_axum_router())
    }
}

/// Tells what health says of the whole server and of each service.
async fn set_health(health: &HealthReporter, status: ServingStatus) {
    for service in ["", "steersman.v1.Sessions", "steersman.v1.Scripts", "steersman.v1.Decisions"] {
        health.set_service_status(service, status).await;
    }
}

/// Returns a word of a closed list as the JSON of the command line spells it.
fn word(word: &impl Serialize) -> String {
    match serde_json::to_value(word) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}
