//! `steersman serve`: conversations over gRPC, until somebody stops it.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use steersman_adapters::{
    db::Creation,
    grpc::{Config, Server},
    scripts::{Library, scenario},
};
use steersman_engine::{
    Engine, Recording,
    ports::{LibraryError, ScriptLibrary},
};
use tokio::{net::TcpListener, runtime::Runtime};

use super::check::collect;
use crate::{
    cli::{Record, Serve},
    config::{Environment, Settings, Span},
    failure::Failure,
    log,
    terminal::Terminal,
    wiring::{self, ModelChoice, Storage, Watch, Wiring},
};

/// Where it listens unless told otherwise: on this machine alone.
const DEFAULT_LISTEN: &str = "127.0.0.1:7443";

/// Serves until a signal asks it to stop. Whatever is wrong is told before the port opens.
pub(super) fn run(
    serve: &Serve,
    settings: &Settings,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<ExitCode, Failure> {
    let address = address(serve, settings)?;
    let scripts = match serve.scripts.as_deref().or(settings.scripts.as_deref()) {
        Some(folder) => files(folder)?,
        None => Vec::new(),
    };
    let model = ModelChoice::new(serve.llm.as_deref(), serve.llm_url.as_deref(), settings, environment);
    let model = model.set_up(terminal)?;
    let watch = Watch::set_up(serve.risk.as_deref(), settings, terminal)?;
    let wiring = Wiring {
        model: &model,
        watch: &watch,
        now: None,
        seed: None,
        recording: match serve.record {
            Record::Full => Recording::Full,
            Record::None => Recording::None,
        },
        prompts: serve.prompts.as_deref(),
    };
    let database = settings.database(serve.db.as_ref())?;
    terminal.detail(|| format!("words by {}, kept in {database}", model.name));
    log::begin();
    let runtime = Runtime::new()?;
    let outcome = runtime.block_on(async {
        let storage = Storage::open(&database, Creation::IfMissing).await?;
        let config = config(serve, settings);
        let offer = Offer { wiring: &wiring, storage: &storage, scripts: &scripts, address, config };
        let served = offer.serve(terminal).await;
        let closed = storage.close().await;
        served.and(closed)
    });
    runtime.shutdown_background(); // A turn that did not end in time was not kept, and is asked for again.
    outcome?;
    terminal.note("stopped");
    Ok(ExitCode::SUCCESS)
}

/// What is served, and where.
struct Offer<'a> {
    wiring: &'a Wiring<'a>,
    storage: &'a Storage,
    scripts: &'a [PathBuf],
    address: SocketAddr,
    config: Config,
}

impl Offer<'_> {
    /// Publishes the scripts, opens the port, and serves until a signal asks to stop.
    async fn serve(self, terminal: &Terminal) -> Result<(), Failure> {
        let (parts, library) = self.wiring.parts(self.storage)?;
        for file in self.scripts {
            publish(&library, file, terminal).await?;
        }
        let (listener, here) = listen(self.address).await?;
        terminal.note(&format!("listening on {here}"));
        terminal.note(&format!("{} published; stop with Ctrl-C", counted(self.scripts.len())));
        let engine = Arc::new(Engine::new(parts));
        let server = Server {
            sessions: Arc::clone(&engine) as _,
            archive: Arc::clone(&engine) as _,
            scripts: library,
            config: self.config,
        };
        server.serve(listener, asked_to_stop()?, engine.drain()).await;
        Ok(())
    }
}

/// Returns the bounds of the wire, with what is set.
fn config(serve: &Serve, settings: &Settings) -> Config {
    let default = Config::default();
    let idle = serve.stream_idle.or(settings.stream_idle).map_or(default.idle, Span::duration);
    Config { idle, ..default }
}

fn address(serve: &Serve, settings: &Settings) -> Result<SocketAddr, Failure> {
    let text = serve.listen.as_deref().or(settings.listen.as_deref()).unwrap_or(DEFAULT_LISTEN);
    let address: SocketAddr = text.parse().map_err(|_unreadable| {
        Failure::Usage(format!("cannot listen on `{text}`: write an address and a port, such as {DEFAULT_LISTEN}"))
    })?;
    if address.ip().is_loopback() || serve.insecure_listen {
        return Ok(address);
    }
    Err(Failure::Usage(format!(
        "{address} can be reached from other machines, and nothing here is encrypted; put a proxy with TLS in front and \
         listen on {DEFAULT_LISTEN}, or say --insecure-listen"
    )))
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            Failure::Usage(format!("{address} is in use by another process; choose another port with --listen"))
        }
        _ => Failure::Usage(format!("cannot listen on {address}: {error}")),
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let here = listener.local_addr()?;
    Ok((listener, here))
}

/// Lists the scripts below a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let metadata = std::fs::metadata(folder);
    match metadata {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => {
            return Err(Failure::Usage(format!("--scripts {}: this is a file; name its folder", folder.display())));
        }
        Err(error) => return Err(Failure::Usage(format!("--scripts {}: {error}", folder.display()))),
    }
    let mut found = Vec::new();
    collect(folder, 0, &mut found)?;
    let mut scripts = Vec::new();
    for file in found {
        let bytes = std::fs::read(&file).map_err(|error| Failure::file("cannot read", &file, &error))?;
        if !scenario::is_scenario(&bytes) {
            scripts.push(file);
        }
    }
    Ok(scripts)
}

async fn publish(library: &Library, file: &Path, terminal: &Terminal) -> Result<(), Failure> {
    let pinned = wiring::script(file, terminal)?;
    let published = library.publish(&pinned.source).await;
    published.map(drop).map_err(|error| match error {
        LibraryError::Published => Failure::Usage(format!(
            "{}: version {} of `{}` is published with another text, and sessions may run it; give this text a new \
             version",
            file.display(),
            pinned.script.version,
            pinned.script.id,
        )),
        LibraryError::NotFound | LibraryError::Defects(_) | LibraryError::Unavailable(_) => {
            Failure::Environment(format!("cannot publish {}: {error}", file.display()))
        }
    })
}

fn counted(scripts: usize) -> String {
    match scripts {
        0 => "no script".to_owned(),
        1 => "1 script".to_owned(),
        more => format!("{more} scripts"),
    }
}

/// Waits for SIGTERM or Ctrl-C; the next Ctrl-C stops at once.
#[cfg(unix)]
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminated, mut interrupted) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        tokio::spawn(async move {
            interrupted.recv().await;
            at_once();
        });
    })
}

/// Waits for Ctrl-C; the next one stops at once.
#[cfg(not(unix))]
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _heard = tokio::signal::ctrl_c().await.is_ok();
        tokio::spawn(async {
            if tokio::signal::ctrl_c().await.is_ok() {
                at_once();
            }
        });
    })
}

fn at_once() {
    #[expect(clippy::exit, reason = "somebody asked twice to stop at once")]
    std::process::exit(130);
}
