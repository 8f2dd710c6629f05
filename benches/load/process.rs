//! The child processes that are measured, mainly the receptionist service.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::Result;

pub(crate) const TOKEN: &str = "an-operator-token-for-benches-0123456789";
/// `/proc` states CPU times in ticks. This number of ticks per second is the same on every Linux architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// A child process. Dropping this value kills the process.
pub(crate) struct Process {
    child: Child,
}

impl Process {
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let child =
            command.spawn().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        Ok(Self { child })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the standard output of the process. It can be taken only once.
    pub(crate) fn output(&mut self) -> Result<BufReader<ChildStdout>> {
        Ok(BufReader::new(self.child.stdout.take().ok_or("the standard output is already taken")?))
    }

    /// Returns the CPU time that the process has used so far, in seconds.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        cpu_seconds(&self.id().to_string())
    }

    /// Returns the peak of the resident memory since the last reset, in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        memory(&self.id().to_string(), "VmHWM:")
    }

    /// Returns the resident memory, in bytes.
    pub(crate) fn resident(&self) -> Option<u64> {
        memory(&self.id().to_string(), "VmRSS:")
    }

    /// Resets the peak of the resident memory. If the kernel does not permit this, the peak is that of the whole run of
    /// the process.
    pub(crate) fn forget_peak(&self) {
        let _ = fs::write(format!("/proc/{}/clear_refs", self.id()), "5");
    }

    /// Sends SIGTERM and waits until the process has ended.
    pub(crate) fn stop(mut self) -> Result<()> {
        signal(self.id(), "TERM")?;
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}").into()) }
    }

    /// Sends SIGTERM and waits until the process has ended. Returns how long this took, or `None` if it took longer
    /// than the limit.
    pub(crate) async fn stop_within(mut self, bound: Duration) -> Result<Option<Duration>> {
        signal(self.id(), "TERM")?;
        let asked = Instant::now();
        while asked.elapsed() < bound {
            if let Some(status) = self.child.try_wait()? {
                let good = status.success();
                return if good {
                    Ok(Some(asked.elapsed()))
                } else {
                    Err(format!("the server ended with {status}").into())
                };
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(None)
    }

    /// Kills the process, to simulate a crash.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Waits until the process ends. An exit code other than 0 is an error.
    pub(crate) fn finish(mut self) -> Result<()> {
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("a helper process ended with {status}").into()) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the CPU time of a process, in seconds. The id `self` names this process.
pub(crate) fn cpu_seconds(id: &str) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The name in parentheses may contain any character. The user time and the system time are the 12th and
    // 13th fields after the name.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).map(str::parse).collect::<std::result::Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
}

/// Returns a size in bytes from `/proc/ID/status`. `line` is the beginning of the line that contains the size.
pub(crate) fn memory(id: &str, line: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let rest = status.lines().find_map(|found| found.strip_prefix(line))?;
    let kibibytes: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

fn signal(id: u32, name: &str) -> Result<()> {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status()?;
    if sent.success() { Ok(()) } else { Err("the signal could not be sent".into()) }
}

/// A running service and its data directory.
pub(crate) struct Receptionist {
    pub(crate) process: Process,
    /// The address of the public listener.
    pub(crate) public: SocketAddr,
    /// The address of the operator listener.
    pub(crate) operator: SocketAddr,
}

/// The options for starting a server. By default there are no additional settings, and the log goes to a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start<'a> {
    /// The file of a CA certificate that the server trusts in addition to the CA certificates of the system.
    pub(crate) authority: Option<&'a Path>,
    /// Additional environment variables.
    pub(crate) settings: &'a [(&'a str, &'a str)],
    /// Whether the log goes to a pipe from which no process reads.
    pub(crate) log_unread: bool,
}

/// Returns the path of the measured binary. The binary is built from this source tree, unless `LOAD_SERVER` contains
/// the path of another binary for a comparison.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("LOAD_SERVER").map_or_else(|| env!("CARGO_BIN_EXE_receptionist").into(), PathBuf::from)
}

impl Receptionist {
    /// Starts the server with default settings, except for the rate limit. Waits until the server has reported its
    /// addresses.
    pub(crate) fn start(data_dir: &Path, authority: Option<&Path>) -> Result<Self> {
        Self::start_with(data_dir, Start { authority, ..Start::default() })
    }

    /// Like [`Receptionist::start`], but with these options.
    pub(crate) fn start_with(data_dir: &Path, start: Start<'_>) -> Result<Self> {
        let mut command = Command::new(binary());
        command
            .arg("serve")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("RECEPTIONIST_DATA_DIR", data_dir)
            .env("RECEPTIONIST_LISTEN", "127.0.0.1:0")
            .env("RECEPTIONIST_ADMIN_LISTEN", "127.0.0.1:0")
            .env("RECEPTIONIST_ADMIN_TOKEN", TOKEN)
            .env("PUBLIC_API_RATE_LIMIT_PER_MINUTE", "1000000000")
            .envs(start.settings.iter().copied());
        if let Some(path) = start.authority {
            command.env("SSL_CERT_FILE", path);
        }
        let log = log_beside(data_dir);
        command.stdout(Stdio::piped());
        if start.log_unread {
            command.stderr(Stdio::piped());
        } else {
            command.stderr(File::create(&log)?);
        }
        let mut process = Process::start(command)?;
        let mut lines = process.output()?.lines();
        let mut after = |prefix: &str, path: &str| -> Result<SocketAddr> {
            let line = lines.next().transpose()?.unwrap_or_default();
            let address = line.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(path));
            match address {
                Some(address) => Ok(address.parse()?),
                None => {
                    let text = fs::read_to_string(&log).unwrap_or_default();
                    Err(format!("the server did not start: {text}").into())
                }
            }
        };
        let public = after("listening on http://", "/v1")?;
        let operator = after("operator API on http://", "/admin/v1")?;
        Ok(Self { process, public, operator })
    }
}

fn log_beside(data_dir: &Path) -> PathBuf {
    data_dir.with_extension("log")
}
