//! `/healthz` and `/readyz`: for whoever watches the process.

use std::{sync::Arc, time::Duration};

use axum::{Router, extract::State, http::StatusCode, routing::get};
use steersman_engine::{
    Principal,
    ports::{Archive, SessionFilter},
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long the store may take to answer before it counts as not ready.
const STORE_WAIT: Duration = Duration::from_secs(2);

/// What readiness depends on.
#[derive(Debug, Clone)]
pub(super) struct Readiness {
    pub(super) archive: Arc<dyn Archive>,
    pub(super) closing: CancellationToken,
}

/// The probes; everything else is for whoever is asked for what has no route.
pub(super) fn routes(readiness: Readiness) -> Router {
    Router::new().route("/healthz", get(async || "ok\n")).route("/readyz", get(ready)).with_state(readiness)
}

async fn ready(State(readiness): State<Readiness>) -> (StatusCode, &'static str) {
    if readiness.closing.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n");
    }
    let (principal, any) = (Principal::local(), SessionFilter::default());
    let look = readiness.archive.list(&principal, &any, 1);
    match timeout(STORE_WAIT, look).await {
        Ok(Ok(_some)) => (StatusCode::OK, "ready\n"),
        Ok(Err(_)) | Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store is not available\n"),
    }
}
