//! Runs `receptionist serve`, and runs commands that must fail to start.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use parking_lot::Mutex;

pub(crate) const TOKEN: &str = "an-operator-token-for-tests-0123456789";

/// The command that serves a directory on free ports in a clean environment.
pub(crate) fn serve(data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
    command.arg("serve");
    environment(&mut command, data_dir);
    command
}

/// A shell command that runs `shell` and then replaces itself with the program.
pub(crate) fn serve_from_shell(shell: &str, data_dir: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{shell}; exec \"$0\" serve"), env!("CARGO_BIN_EXE_receptionist")]);
    environment(&mut command, data_dir);
    command
}

fn environment(command: &mut Command, data_dir: &Path) {
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("RECEPTIONIST_DATA_DIR", data_dir)
        .env("RECEPTIONIST_LISTEN", "127.0.0.1:0")
        .env("RECEPTIONIST_ADMIN_LISTEN", "127.0.0.1:0")
        .env("RECEPTIONIST_ADMIN_TOKEN", TOKEN)
        .env("PUBLIC_API_RATE_LIMIT_PER_MINUTE", "1000000000")
        .env("RECEPTIONIST_LOG", "off");
}

/// A running service. Its process is killed on drop.
pub(crate) struct Server {
    child: Mutex<Child>,
    /// The base URL of the public API, including `/v1`.
    pub(crate) public: String,
    /// The base URL of the operator API, including `/admin/v1`.
    pub(crate) admin: String,
    log: PathBuf,
}

impl Server {
    /// Starts the command and waits until the service listens.
    pub(crate) fn start(command: Command, log: &Path) -> Self {
        Self::try_start(command, log)
            .unwrap_or_else(|refused| panic!("the service did not start: {refused:?}"))
    }

    /// Starts the command and waits until the service listens or has ended.
    pub(crate) fn try_start(mut command: Command, log: &Path) -> Result<Self, Exited> {
        let mut child = command.stdout(Stdio::piped()).stderr(File::create(log).unwrap()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut after = |prefix: &str| {
            let line = lines.next()?.unwrap();
            Some(
                line.strip_prefix(prefix)
                    .unwrap_or_else(|| panic!("the line must begin with {prefix:?}: {line:?}"))
                    .to_owned(),
            )
        };
        let (Some(public), Some(admin)) = (after("listening on "), after("operator API on ")) else {
            let code = child.wait().unwrap().code();
            let line = std::fs::read_to_string(log).unwrap().trim_end().to_owned();
            return Err(Exited { code, line });
        };
        Ok(Self { child: Mutex::new(child), public, admin, log: log.to_owned() })
    }

    /// Serves a directory. Standard error is written to a file next to the directory.
    pub(crate) fn on(data_dir: &Path) -> Self {
        Self::start(serve(data_dir), &data_dir.with_extension("log"))
    }

    pub(crate) fn kill(&self) {
        let _ = self.child.lock().kill();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.lock().id()
    }

    /// Sends the signal with this name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.id();
        assert!(Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status().unwrap().success());
    }

    pub(crate) fn wait(&self) -> ExitStatus {
        self.child.lock().wait().unwrap()
    }

    /// The content of standard error.
    pub(crate) fn errors(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// The host and port of the public listener.
    pub(crate) fn public_address(&self) -> &str {
        self.public.trim_start_matches("http://").trim_end_matches("/v1")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.lock().wait();
    }
}

/// A process that ended instead of starting the service.
#[derive(Debug)]
pub(crate) struct Exited {
    pub(crate) code: Option<i32>,
    /// The single line on standard error.
    pub(crate) line: String,
}

/// Runs a command that must end by itself, with a single line on standard error and no standard output.
pub(crate) fn refused(mut command: Command) -> Exited {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A process that prints to standard output has started, and would not end by itself.
    let mut first = [0];
    if child.stdout.take().unwrap().read(&mut first).unwrap() > 0 {
        let _ = child.kill();
        let _ = child.wait();
        panic!("the service must not start: {command:?}");
    }
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    let code = child.wait().unwrap().code();
    assert_eq!(err.lines().count(), 1, "{err}");
    Exited { code, line: err.trim_end().to_owned() }
}

/// Starts a process and kills it during its start, when it has printed `lines` lines.
pub(crate) fn killed_at_start(mut command: Command, lines: usize) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let read = BufReader::new(child.stdout.take().unwrap()).lines().take(lines).count();
    assert_eq!(read, lines);
    child.kill().unwrap();
    child.wait().unwrap();
}
