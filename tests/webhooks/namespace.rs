//! Runs a test in a separate network: the test starts itself again inside a new network namespace and a new
//! mount namespace. In the namespaces, the loopback device has the addresses of [`Network`], and the test can
//! write `/etc/hosts`.

use std::fs;
use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::certificates::Authority;

/// The environment variable that is set for a test inside the namespaces.
const INSIDE: &str = "WEBHOOKS_INSIDE";

/// If this environment variable is `1`, a test without permission for namespaces fails. Otherwise it is skipped.
const REQUIRED: &str = "REQUIRE_NAMESPACES";

/// The network of IPv4 addresses that the machine has inside the namespace.
const V4: &str = "93.184.216.1/24";

/// The commands that must succeed inside the namespaces for a test to run.
const NEEDED: &str =
    "ip link set lo up && ip addr add 93.184.216.1/24 dev lo && mount --bind /etc/hosts /etc/hosts";

/// Two lists of options with which `unshare` creates the namespaces. The first list works only for root. The second
/// list works for an ordinary user if the system permits user namespaces. `.ci/run` tries the same lists.
const WAYS: [&[&str]; 2] = [&["--net", "--mount"], &["--map-root-user", "--net", "--mount"]];

pub(crate) struct Network {
    pub(crate) home: TempDir,
    /// The CA that the service trusts. Its certificate is in the file [`Self::trusted`].
    pub(crate) authority: Authority,
    hosts: PathBuf,
}

/// Runs `body` inside the namespace, in a separate process. `test` is the full name of the calling test.
pub(crate) fn inside<F: Future<Output = ()>>(test: &str, body: impl FnOnce(Network) -> F) {
    if std::env::var_os(INSIDE).is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        return runtime.unwrap().block_on(async { body(Network::set_up()).await });
    }
    let Some(way) = WAYS.into_iter().find(|way| works(way)) else {
        let required = std::env::var_os(REQUIRED).is_some_and(|value| value == "1");
        assert!(!required, "{test} needs network namespaces, but they are not permitted here");
        // The line is written directly, because the harness captures the output of the test.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {test} needs network namespaces, which are not permitted here"
        );
        return;
    };
    let mut command = Command::new("unshare");
    command.args(way).arg(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(INSIDE, "1");
    let ended = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    say(&told);
    assert!(ended.status.success(), "{test} failed inside the namespace");
    assert!(told.contains("test result: ok. 1 passed"), "the test {test} does not exist");
}

#[allow(clippy::print_stdout, reason = "the output from inside the namespace belongs to the test's output")]
fn say(told: &str) {
    print!("{told}");
}

fn works(way: &[&str]) -> bool {
    let mut command = Command::new("unshare");
    command.args(way).args(["sh", "-c", NEEDED]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn run(line: &str) -> bool {
    Command::new("sh").args(["-c", line]).status().unwrap().success()
}

impl Network {
    fn set_up() -> Self {
        assert!(run(&format!("ip link set lo up && ip addr add {V4} dev lo")));
        let home = tempfile::tempdir().unwrap();
        let hosts = home.path().join("hosts");
        fs::write(&hosts, "").unwrap();
        assert!(run(&format!("mount --bind {} /etc/hosts", hosts.display())));
        let authority = Authority::new();
        fs::write(home.path().join("authority.pem"), authority.pem()).unwrap();
        let network = Self { home, authority, hosts };
        network.names(&[("localhost", &["127.0.0.1"])]);
        network
    }

    /// The file with the certificates that the service trusts.
    pub(crate) fn trusted(&self) -> PathBuf {
        self.home.path().join("authority.pem")
    }

    /// Defines the host names and their addresses.
    pub(crate) fn names(&self, names: &[(&str, &[&str])]) {
        let mut lines = String::new();
        for (name, addresses) in names {
            for address in *addresses {
                lines.push_str(&format!("{address} {name}\n"));
            }
        }
        fs::write(&self.hosts, lines).unwrap();
    }

    /// Adds an IPv6 address. Returns false if the system has no IPv6.
    pub(crate) fn add_v6(&self, address: &str) -> bool {
        assert!(matches!(address.parse(), Ok(IpAddr::V6(_))));
        run(&format!("ip -6 addr add {address}/128 dev lo nodad"))
    }
}
