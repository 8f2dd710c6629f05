//! Processes that are measured, and the receptionist as one of them.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Result;

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

/// The release binary, serving a directory.
pub(crate) struct Receptionist {
    /// The process.
    pub(crate) process: Process,
    /// The public listener.
    pub(crate) public: SocketAddr,
}

impl Receptionist {
    /// Starts it and waits until it says where it listens. Settings are the defaults, apart from the rate limit.
    pub(crate) fn start(data_dir: &Path, authority: Option<&Path>) -> Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
        command
            .arg("serve")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("RECEPTIONIST_DATA_DIR", data_dir)
            .env("RECEPTIONIST_LISTEN", "127.0.0.1:0")
            .env("RECEPTIONIST_ADMIN_LISTEN", "127.0.0.1:0")
            .env("RECEPTIONIST_ADMIN_TOKEN", TOKEN)
            .env("PUBLIC_API_RATE_LIMIT_PER_MINUTE", "1000000000");
        if let Some(path) = authority {
            command.env("SSL_CERT_FILE", path);
        }
        let log = log_beside(data_dir);
        command.stdout(Stdio::piped()).stderr(File::create(&log)?);
        let mut process = Process::start(command)?;
        let mut lines = process.output()?.lines();
        let mut after = |prefix: &str, path: &str| -> Result<SocketAddr> {
            let line = lines.next().transpose()?.unwrap_or_default();
            let address = line.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(path));
            match address {
                Some(address) => Ok(address.parse()?),
                None => Err(format!("it did not start: {}", fs::read_to_string(&log)?).into()),
            }
        };
        let public = after("listening on http://", "/v1")?;
        after("operator API on http://", "/admin/v1")?;
        Ok(Self { process, public })
    }
}

fn log_beside(data_dir: &Path) -> PathBuf {
    data_dir.with_extension("log")
}
