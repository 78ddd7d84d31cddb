//! The real binary, serving on a port of its own until the test lets it go.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread::JoinHandle,
};

use tonic::transport::{Channel, Endpoint};

/// Two questions and a choice.
pub(crate) const SCRIPT: &str = "\
steersman: 1
script: demo
version: 1.0.0
locale: en
declare:
  - {var: name, define: what to be called}
  - {var: craft, define: what to learn}
  - {var: track, define: when to come}
phases:
  - phase: main
    topics:
      - topic: talk
        actions:
          - id: ask_name
            ai_ask: find out the name
            opening: What is your name?
            exit: a name was given
            output: [{get: name, define: what to be called}]
          - id: ask_craft
            ai_ask: find out what they want to learn
            opening: What would you like to learn?
            exit: a craft was named
            output: [{get: craft, define: what to learn}]
          - id: pick
            user_option: track
            ask: When?
            choices: [{evenings: Evenings}, {weekends: Weekends}]
          - say: See you soon.
";

/// A folder that is gone with its test.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

/// A server, killed when the test is over.
#[derive(Debug)]
pub(crate) struct Served {
    child: Child,
    /// Where it listens.
    pub(crate) address: String,
    /// What it needs stays until it is gone.
    folder: Option<Folder>,
    log: Option<JoinHandle<String>>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("steersman-server-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file; returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0).is_ok();
    }
}

impl Served {
    /// Serves the script of these tests with the understudy.
    pub(crate) fn offline() -> Self {
        Self::with(&["--llm", "offline"])
    }

    /// Serves the script of these tests, from a folder of its own.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        let folder = Folder::new();
        folder.file("scripts/demo.yaml", SCRIPT);
        let scripts = folder.path().join("scripts");
        let mut served = Self::start(folder.path(), &[&["--scripts", scripts.to_str().unwrap()], arguments].concat());
        served.folder = Some(folder);
        served
    }

    /// Serves from a folder that outlives the server.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = steersman(folder)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut log = String::new();
        let address = loop {
            let Some(line) = lines.next() else { panic!("it never listened:\n{log}") };
            let line = line.unwrap();
            match line.strip_prefix("listening on ") {
                Some(address) => break address.to_owned(),
                None => log.push_str(&line),
            }
        };
        // Read on, so that the server never waits for its log to be read.
        let log = std::thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>().join("\n"));
        Self { child, address, folder: None, log: Some(log) }
    }

    /// Connects to it.
    pub(crate) async fn channel(&self) -> Channel {
        Endpoint::from_shared(format!("http://{}", self.address)).unwrap().connect().await.unwrap()
    }

    /// Ends it as the kernel does, with nothing it could do about it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, as an operator does.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let done = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// Waits until it is gone; returns its exit code and what it logged after its address.
    pub(crate) async fn gone(mut self) -> (Option<i32>, String) {
        let mut child = std::mem::replace(&mut self.child, Command::new("true").spawn().unwrap());
        let log = self.log.take().unwrap();
        tokio::task::spawn_blocking(move || {
            let code = child.wait().unwrap().code();
            (code, log.join().unwrap())
        })
        .await
        .unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.child.kill().is_ok() && self.child.wait().is_ok();
        drop(self.folder.take());
    }
}

/// Returns the binary, not yet started, with nothing of this process's environment.
pub(crate) fn steersman(folder: &Path) -> Command {
    let mut command = Command::new(binary());
    command.current_dir(folder).env_clear().stdin(Stdio::null());
    command
}

/// Builds the binary once, in the profile of the tests; a test that runs an old one proves nothing.
pub(crate) fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let here = std::env::current_exe().unwrap();
        let profile = here.ancestors().nth(2).unwrap();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--locked", "--package", "steersman", "--target-dir"]);
        build.arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "the binary could not be built");
        profile.join("steersman")
    })
}
