//! Processes that are measured, and the receptionist as one of them.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::Result;

/// The operator's token of every server here.
pub(crate) const TOKEN: &str = "an-operator-token-for-benches-0123456789";
/// Linux counts CPU time in this part of a second, on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// A process; it is killed when it is dropped.
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts the command.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let child =
            command.spawn().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        Ok(Self { child })
    }

    /// Its id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its standard output, which can be taken once.
    pub(crate) fn output(&mut self) -> Result<BufReader<ChildStdout>> {
        Ok(BufReader::new(self.child.stdout.take().ok_or("the output was taken")?))
    }

    /// Seconds of CPU that it took so far.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        cpu_seconds(&self.id().to_string())
    }

    /// The most memory it had resident since the peak was forgotten, in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        memory(&self.id().to_string(), "VmHWM:")
    }

    /// The memory it has resident, in bytes.
    pub(crate) fn resident(&self) -> Option<u64> {
        memory(&self.id().to_string(), "VmRSS:")
    }

    /// Starts the peak again; where the kernel does not let us, it stays that of the whole life.
    pub(crate) fn forget_peak(&self) {
        let _ = fs::write(format!("/proc/{}/clear_refs", self.id()), "5");
    }

    /// Asks it to stop and waits until it has.
    pub(crate) fn stop(mut self) -> Result<()> {
        signal(self.id(), "TERM")?;
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}").into()) }
    }

    /// Asks it to stop and gives how long that took; `None` when it has not stopped within the bound.
    pub(crate) async fn stop_within(mut self, bound: Duration) -> Result<Option<Duration>> {
        signal(self.id(), "TERM")?;
        let asked = Instant::now();
        while asked.elapsed() < bound {
            if let Some(status) = self.child.try_wait()? {
                let good = status.success();
                return if good {
                    Ok(Some(asked.elapsed()))
                } else {
                    Err(format!("it ended with {status}").into())
                };
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(None)
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Waits for its end, which has to be a good one.
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

/// Seconds of CPU that a process took so far; `self` is this one.
pub(crate) fn cpu_seconds(id: &str) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The name, in parentheses, may hold anything; user and system time are the 12th and 13th field behind it.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).map(str::parse).collect::<std::result::Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
}

/// A line of a process's status that tells memory, in bytes.
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

/// The receptionist, serving a directory.
pub(crate) struct Receptionist {
    /// The process.
    pub(crate) process: Process,
    /// The public listener.
    pub(crate) public: SocketAddr,
    /// The operator's listener.
    pub(crate) operator: SocketAddr,
}

/// What a server is started with beside its directory. By default: no settings, its log to a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start<'a> {
    /// An authority that it trusts beside the system's.
    pub(crate) authority: Option<&'a Path>,
    /// Further settings, as variables of its environment.
    pub(crate) settings: &'a [(&'a str, &'a str)],
    /// Whether its log goes into a pipe that nobody reads.
    pub(crate) log_unread: bool,
}

/// The binary that is measured: this tree's, or the one that `LOAD_SERVER` names, to compare two of them.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("LOAD_SERVER").map_or_else(|| env!("CARGO_BIN_EXE_receptionist").into(), PathBuf::from)
}

impl Receptionist {
    /// Starts it and waits until it says where it listens. Settings are the defaults, apart from the rate limit.
    pub(crate) fn start(data_dir: &Path, authority: Option<&Path>) -> Result<Self> {
        Self::start_with(data_dir, Start { authority, ..Start::default() })
    }

    /// The same with what else is wanted.
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
                    let told = fs::read_to_string(&log).unwrap_or_default();
                    Err(format!("it did not start: {told}").into())
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
