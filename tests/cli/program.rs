//! Runs `receptionist demo` (the demonstration) as a separate process, and commands in its directory.

use std::fs::File;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A command that runs the program in this directory with a clean environment.
fn program(here: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir(here.path());
    command
}

/// A running demonstration. Its process is killed on drop.
pub(crate) struct Demo {
    here: TempDir,
    child: Child,
    /// Keeps the pipe open, so that the process can write to it.
    _out: Lines<BufReader<ChildStdout>>,
    /// The lines that the demonstration has printed at its start.
    pub(crate) says: Vec<String>,
    /// The host and port of the operator listener.
    operator: String,
}

impl Demo {
    /// Starts a demonstration on free ports, and waits until it listens.
    pub(crate) fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &[])
    }

    /// Starts a demonstration in this directory with these settings.
    pub(crate) fn start_in(here: TempDir, settings: &[&str]) -> Self {
        Self::start_with(here, settings, &[])
    }

    /// Starts a demonstration with these environment variables.
    pub(crate) fn start_with(here: TempDir, settings: &[&str], environment: &[(&str, &str)]) -> Self {
        let log = File::create(here.path().join("log")).unwrap();
        let mut child = program(&here)
            .envs(environment.iter().copied())
            .args(["demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
            .args(settings)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let says = out.by_ref().map(Result::unwrap).take_while(|line| line != "Stop with Ctrl-C.");
        let says: Vec<String> = says.collect();
        let operator = says.iter().find_map(|line| line.strip_prefix("operator API on "));
        let (_, operator) = operator.unwrap().split_once("://").unwrap();
        let operator = operator.trim_end_matches("/admin/v1").to_owned();
        Self { here, child, _out: out, says, operator }
    }

    /// The working directory of the demonstration and of its commands.
    pub(crate) fn here(&self) -> &Path {
        self.here.path()
    }

    /// The operator listener's port.
    pub(crate) fn operator_port(&self) -> &str {
        self.operator.rsplit_once(':').unwrap().1
    }

    /// Sends the signal with this name to the demonstration.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id();
        assert!(Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status().unwrap().success());
    }

    /// Waits until the demonstration has ended. Returns its exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Kills the demonstration. Commands that need no service can still run in its directory.
    pub(crate) fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts the demonstration again in the same directory.
    pub(crate) fn again(mut self) -> Self {
        Self::start_in(std::mem::replace(&mut self.here, tempfile::tempdir().unwrap()), &[])
    }

    /// Starts a service on another data directory, and waits until it listens.
    pub(crate) fn serve(&self, data_dir: &str) -> Service {
        let mut child = program(&self.here)
            .args(["serve", "--data-dir", data_dir, "--listen", "127.0.0.1:0"])
            .args(["--admin-listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let says: Vec<String> = out.by_ref().map(Result::unwrap).take(2).collect();
        assert!(says.len() == 2 && says[1].starts_with("operator API on "), "{says:?}");
        Service { child, _out: out }
    }

    /// The content of a file in the demonstration's directory.
    pub(crate) fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.here.path().join(name)).unwrap()
    }

    /// Writes a file in the demonstration's directory.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.here.path().join(name), text).unwrap();
    }

    /// Runs a command with this text as its standard input.
    pub(crate) fn run_with(&self, words: &[&str], input: &str) -> Ran {
        self.run_whole(words, &[], input)
    }

    /// Runs a command with additional environment variables.
    pub(crate) fn run_in(&self, words: &[&str], environment: &[(&str, &str)]) -> Ran {
        self.run_whole(words, environment, "")
    }

    fn run_whole(&self, words: &[&str], environment: &[(&str, &str)], input: &str) -> Ran {
        let mut child = program(&self.here)
            .args(words)
            .env("RECEPTIONIST_ADMIN_LISTEN", &self.operator)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that is refused may end before it has read its input, so a failed write is
        // ignored.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ran::from(child.wait_with_output().unwrap())
    }

    /// Runs a command without giving it the address of the service.
    pub(crate) fn run_without_address(&self, words: &[&str]) -> Ran {
        Ran::from(program(&self.here).args(words).output().unwrap())
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        self.run_with(words, "")
    }

    /// Runs a command that must succeed. Returns its output.
    pub(crate) fn printed(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.errors);
        ran.output
    }

    /// Runs a command with `--json`. The command must succeed. Returns the `data` of its output.
    pub(crate) fn data(&self, words: &[&str]) -> Value {
        let printed = self.printed(&[words, &["--json"]].concat());
        serde_json::from_str::<Value>(&printed).unwrap()["data"].take()
    }

    /// Runs a command that must fail with this exit code and print only an error. Returns the error.
    pub(crate) fn refused(&self, words: &[&str], code: i32) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.output.as_str()), (Some(code), ""), "{words:?}: {}", ran.errors);
        ran.errors
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A second service in addition to a demonstration. Its process is killed on drop.
pub(crate) struct Service {
    child: Child,
    /// Keeps the pipe open, so that the process can write to it.
    _out: Lines<BufReader<ChildStdout>>,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of a finished command.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), output: text(output.stdout), errors: text(output.stderr) }
    }
}

/// Runs the program without a service, in an empty directory.
pub(crate) fn alone(words: &[&str]) -> Ran {
    alone_with(words, &[])
}

/// Runs the program without a service, with additional environment variables.
pub(crate) fn alone_with(words: &[&str], environment: &[(&str, &str)]) -> Ran {
    let here = tempfile::tempdir().unwrap();
    Ran::from(program(&here).args(words).envs(environment.iter().copied()).output().unwrap())
}
