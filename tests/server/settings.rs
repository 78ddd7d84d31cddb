//! What a wrong configuration gets: exit code 2 and a sentence, before a port opens.

use std::process::Stdio;

use crate::served::{Folder, SCRIPT, Served, steersman};

fn refused(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let output = steersman(folder.path()).arg("serve").args(arguments).stdout(Stdio::piped()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_is_wrong_is_told_before_a_port_opens() {
    let folder = Folder::new();
    folder.file("file", "");
    folder.file("bad/script.yaml", "steersman: 1\nscript: bad\n");
    folder.file("twice/a.yaml", SCRIPT);
    folder.file("twice/b.yaml", &SCRIPT.replace("See you soon.", "Bye."));
    let rows: [(&[&str], i32, &str); 10] = [
        (&["--db", "sqlite://bad"], 2, "bad"),
        (&["--db", "mysql://box"], 2, "sqlite://FILE"),
        (&["--listen", "0.0.0.0:0"], 2, "--insecure-listen"),
        (&["--listen", "everywhere"], 2, "such as 127.0.0.1:7443"),
        (&["--scripts", "nowhere"], 2, "--scripts nowhere"),
        (&["--scripts", "file"], 2, "this is a file"),
        (&["--scripts", "bad"], 1, "error"),
        (&["--scripts", "twice"], 2, "give this text a new version"),
        (&["--llm", "nobody"], 2, "nobody"),
        (&["--stream-idle", "15"], 2, "15 of what?"),
    ];
    for (arguments, code, says) in rows {
        let (exit, told) = refused(&folder, arguments);
        assert_eq!(exit, Some(code), "{arguments:?}: {told}");
        assert!(told.contains(says), "{arguments:?}: {told}");
        assert!(!told.contains("listening"), "{told}");
    }
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = Folder::new();
    let served = Served::offline();
    let (exit, told) = refused(&folder, &["--listen", &served.address]);
    assert_eq!(exit, Some(2), "{told}");
    assert!(told.contains(&served.address) && told.contains("in use"), "{told}");
}

#[test]
fn settings_come_from_the_file_unless_the_environment_or_a_flag_says_otherwise() {
    let folder = Folder::new();
    folder.file("steersman.toml", "listen = 'from the file'\n");
    let asked = |variable: Option<&str>, flag: &[&str]| {
        let mut command = steersman(folder.path());
        command.envs(variable.map(|value| ("STEERSMAN_LISTEN", value)));
        let output = command.arg("serve").args(flag).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(asked(None, &[]).contains("from the file"));
    assert!(asked(Some("from the environment"), &[]).contains("from the environment"));
    assert!(asked(Some("from the environment"), &["--listen", "from a flag"]).contains("from a flag"));
}
