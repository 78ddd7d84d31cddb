//! The Python client's own tests, against the real binary. Skipped, and said so, where Python or its packages are not.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::served::{Folder, SCRIPT, binary};

#[test]
fn the_python_client_passes_its_tests() {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/python");
    let python = match interpreter(&client) {
        Ok(python) => python,
        Err(why) => {
            println!("SKIPPED: {why}; the Python client was not tested");
            return;
        }
    };
    let folder = Folder::new();
    folder.file("scripts/demo.yaml", SCRIPT);
    let mut tests = Command::new(python);
    tests.args(["-m", "unittest", "discover", "-s", "tests"]).current_dir(&client);
    tests.env("PYTHONPATH", &client).env("PYTHONDONTWRITEBYTECODE", "1");
    tests.env("STEERSMAN", binary()).env("SCRIPTS", folder.path().join("scripts"));
    let output = tests.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a place for the client's packages beside the binary, once.
fn interpreter(client: &Path) -> Result<PathBuf, String> {
    let place = binary().parent().unwrap().join("python-client");
    let python = place.join("bin/python");
    if works(&python) {
        return Ok(python);
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&place), "python3 cannot make an environment (python3-venv)")?;
    let packages = requirements(client);
    run(
        Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(&packages),
        "pip cannot get the packages",
    )?;
    if works(&python) { Ok(python) } else { Err("the packages do not work here".to_owned()) }
}

fn works(python: &Path) -> bool {
    let asked = Command::new(python).args(["-c", "import grpc, google.rpc.status_pb2"]).output();
    asked.is_ok_and(|output| output.status.success())
}

/// Reads what the client needs from where it says so itself.
fn requirements(client: &Path) -> Vec<String> {
    let project = std::fs::read_to_string(client.join("pyproject.toml")).unwrap();
    let line = project.lines().find(|line| line.starts_with("dependencies")).expect("the client names what it needs");
    line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn run(command: &mut Command, otherwise: &str) -> Result<(), String> {
    let told = |output: Output| {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = text.lines().last().unwrap_or_default();
        if output.status.success() { Ok(()) } else { Err(format!("{otherwise}: {last}")) }
    };
    command.output().map_err(|error| format!("{otherwise}: {error}")).and_then(told)
}
