//! Takes connections in and lets them go: gRPC, gRPC-web and HTTP on one port, within bounds, and with an end.
//!
//! The library's own server waits without bound for open streams, and answers late calls without a reason; so the
//! connections are kept here.

use std::{convert::Infallible, future::Future, io, sync::Arc, time::Duration};

use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Interval, MissedTickBehavior, interval, sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::{Service, ServiceExt};

use super::{Config, unread::Unread};

/// How often within the idle time a connection looks for answers that are not read.
const LOOKS: u32 = 4;

/// Serves connections until `closing`, then waits for those that are open until they end or the grace is over.
pub(super) async fn connections<S, B>(listener: TcpListener, config: &Config, service: S, closing: CancellationToken)
where
    S: Service<http::Request<hyper::body::Incoming>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
    B: hyper::body::Body + Unpin + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (tasks, builder) = (TaskTracker::new(), builder(config));
    let room = Arc::new(Semaphore::new(config.connections));
    let cut = CancellationToken::new();
    loop {
        let (stream, place) = tokio::select! {
            () = closing.cancelled() => break,
            accepted = accept(&listener, &room, config) => accepted,
        };
        let (builder, service) = (builder.clone(), service.clone());
        let (closing, cut) = (closing.clone(), cut.clone());
        let (idle, mut look) = (config.idle, looks(config.idle));
        tasks.spawn(async move {
            let unread = Unread::default();
            let answers = unread.clone();
            let service = service.map_response(move |response| answers.attend(response));
            let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
            let mut connection = std::pin::pin!(connection);
            let ended = loop {
                tokio::select! {
                    ended = connection.as_mut() => break Some(ended),
                    () = closing.cancelled() => break None,
                    _now = look.tick() => unread.let_go(idle),
                }
            };
            if ended.is_none() {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    _ended = connection => {}
                    () = cut.cancelled() => {}
                }
            }
            drop(place);
        });
    }
    drop(listener);
    tasks.close();
    // Streams end by themselves: the engine tells them. Who does not read is cut off.
    let _all_gone = timeout(config.grace, tasks.wait()).await.is_ok();
    cut.cancel();
    tasks.wait().await;
}

/// Waits for the next connection for which there is room.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
    config: &Config,
) -> (TcpStream, tokio::sync::OwnedSemaphorePermit) {
    let place = Arc::clone(room).acquire_owned().await.expect("nobody closes the room");
    loop {
        match listener.accept().await {
            Ok((stream, _from)) => {
                // A frame is a whole answer: it waits for nothing.
                let _best_effort = stream.set_nodelay(true).is_ok();
                return (stream, place);
            }
            Err(error) if is_of_one_connection(&error) => {}
            // Out of file descriptors or memory: others may free some.
            Err(error) => {
                tracing::error!(%error, "cannot accept connections");
                sleep(config.accept_pause).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::ConnectionAborted | Kind::ConnectionRefused | Kind::ConnectionReset)
}

fn looks(idle: Duration) -> Interval {
    let mut looks = interval((idle / LOOKS).max(Duration::from_millis(1)));
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    looks
}

fn builder(config: &Config) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(config.header_read);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(config.streams)
        .max_header_list_size(config.header_bytes)
        .keep_alive_interval(config.keep_alive)
        .keep_alive_timeout(config.keep_alive);
    builder
}

/// Cancels `closing` when the signal comes.
pub(super) async fn close_on(signal: impl Future<Output = ()>, closing: &CancellationToken) {
    signal.await;
    closing.cancel();
}
