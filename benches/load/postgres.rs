//! The comparison with PostgreSQL. The program `pgbench` sends the transactions.
//!
//! One transaction inserts an appointment and an outbox row. The table of appointments has an exclusion constraint on
//! (staff member, time).
//! `synchronous_commit` and `fsync` are on. The other settings that differ from the defaults only make PostgreSQL
//! faster: it gets more memory, and runs no checkpoint during the measurement.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Result;
use crate::group::Context;
use crate::measure::Measured;
use crate::shop::{BUSINESSES, STAFF};

const CLIENTS: usize = 64;
const SETTINGS: &str = "
listen_addresses = ''
max_connections = 200
fsync = on
synchronous_commit = on
full_page_writes = on
shared_buffers = 512MB
max_wal_size = 4GB
";

const SCHEMA: &str = "
create extension if not exists btree_gist;
drop table if exists appointments, outbox;
create table appointments (
    id uuid primary key default gen_random_uuid(),
    business_id int not null,
    staff_id int not null,
    contact_id uuid not null,
    service_id uuid not null,
    status text not null,
    during tstzrange not null,
    created_at timestamptz not null default now(),
    exclude using gist (staff_id with =, during with &&) where (status in ('pending', 'confirmed'))
);
create table outbox (
    id uuid primary key default gen_random_uuid(),
    business_id int not null,
    type text not null,
    payload text not null,
    created_at timestamptz not null default now()
);
";

/// A script that runs one transaction per call. The numbers of the client and of the call determine a unique time for
/// the appointment.
const NEXT: &str = r"
\set number :number + 1
\set turn :number * CLIENTS + :client_id
\set staff :turn % STAFF
\set business :staff / EACH
\set start :turn / STAFF
";

const INSERT_APPOINTMENT: &str = "insert into appointments (business_id, staff_id, contact_id, service_id, status, during) \
    values (:business, :staff, gen_random_uuid(), gen_random_uuid(), 'confirmed', \
    tstzrange(timestamptz '2027-01-01 00:00Z' + :start * interval '30 minutes', \
    timestamptz '2027-01-01 00:00Z' + (:start + 1) * interval '30 minutes'))";

/// The length of the text in an outbox row. It equals the length of the event of a booking.
const PAYLOAD_BYTES: usize = 600;

/// The number of statements in which a transaction is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statements {
    /// The four statements are begin, two inserts and commit, which is how applications send them.
    Four,
    /// One statement is the whole transaction. Compared with four statements, it saves three round trips.
    One,
}

/// A database cluster in a directory of its own.
pub(crate) struct Postgres {
    binaries: PathBuf,
    directory: PathBuf,
    /// The system user that runs the cluster. It is set only if the current user is root, because PostgreSQL refuses
    /// to run as root.
    user: Option<&'static str>,
}

impl Postgres {
    pub(crate) fn is_installed() -> bool {
        binaries().is_some()
    }

    /// Creates and starts a cluster.
    pub(crate) fn start(context: &Context) -> Result<Self> {
        let binaries = binaries().ok_or("it is not installed (apt-get install postgresql)")?;
        let root =
            std::fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)?;
        let directory = context.path("postgres");
        std::fs::create_dir(&directory)?;
        let postgres = Self { binaries, directory, user: root.then_some("postgres") };
        if let Some(user) = postgres.user {
            run(Command::new("chown").arg(user).arg(&postgres.directory))?;
        }
        let data = postgres.directory.join("data");
        run(postgres
            .command("initdb")
            .args(["-A", "trust", "-U", "postgres", "-E", "UTF8", "-D"])
            .arg(&data))?;
        let settings = format!("{SETTINGS}unix_socket_directories = '{}'\n", postgres.directory.display());
        let file = data.join("postgresql.auto.conf");
        std::fs::write(file, settings)?;
        let log = postgres.directory.join("log");
        run(postgres.command("pg_ctl").args(["start", "-w", "-D"]).arg(&data).arg("-l").arg(log))?;
        Ok(postgres)
    }

    /// Books appointments as fast as possible. The tables are empty at the beginning.
    pub(crate) fn measure(&self, context: &Context, statements: Statements) -> Result<Measured> {
        run(self.client("psql").args(["-q", "-v", "ON_ERROR_STOP=1", "-c", SCHEMA]))?;
        run(self.client("psql").args(["-q", "-c", "checkpoint"]))?;
        let script = self.directory.join("script.sql");
        std::fs::write(&script, script_of(statements))?;
        // If this process has opened a store, its umask hides new files from other users. PostgreSQL's user must read
        // this file, so its mode is changed.
        std::fs::set_permissions(&script, PermissionsExt::from_mode(0o644))?;
        let period = context.options.period;
        let log = self.directory.join("times");
        let seconds = (period.warm_up + period.measured).as_secs_f64().ceil() as u64;
        let cpu = self.cpu_seconds()?;
        let out = run(self
            .client("pgbench")
            .args([
                "-n",
                "-M",
                "prepared",
                "-c",
                &CLIENTS.to_string(),
                "-j",
                "2",
                "-T",
                &seconds.max(1).to_string(),
            ])
            .args(["-D", "number=0", "-l", "--log-prefix"])
            .arg(&log)
            .arg("-f")
            .arg(&script))?;
        let cpu = self.cpu_seconds()? - cpu;
        let value = |name: &str| out.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let failed = value("number of failed transactions:").unwrap_or("0 (0.000%)");
        if !failed.starts_with("0 ") {
            return Err(format!("pgbench: {failed} failed").into());
        }
        let rate = value("tps =").and_then(|rest| rest.split(' ').next()).ok_or("pgbench printed no rate")?;
        let rate: f64 = rate.parse()?;
        let mut times = self.times()?;
        let whole = std::time::Duration::from_secs(seconds);
        let measured = Measured::of(&mut times, whole);
        Ok(Measured { rate: Some(rate), cpu_seconds: Some(cpu), ..measured })
    }

    /// Returns the durations in the log of pgbench, in nanoseconds.
    fn times(&self) -> Result<Vec<u64>> {
        let mut times = Vec::new();
        for entry in std::fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("times.")) {
                for line in std::fs::read_to_string(&path)?.lines() {
                    let micros: u64 = line.split(' ').nth(2).ok_or("the log has no times")?.parse()?;
                    times.push(1_000 * micros);
                }
                std::fs::remove_file(path)?;
            }
        }
        Ok(times)
    }

    /// Returns the CPU time of the postmaster and of its child processes, including those that have ended.
    fn cpu_seconds(&self) -> Result<f64> {
        let pid = std::fs::read_to_string(self.directory.join("data/postmaster.pid"))?;
        let pid = pid.lines().next().unwrap_or_default().to_owned();
        let mut ticks = 0;
        for entry in std::fs::read_dir("/proc")? {
            let path = entry?.path();
            let Ok(stat) = std::fs::read_to_string(path.join("stat")) else { continue };
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            let field =
                |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or_default();
            let own = path.file_name().is_some_and(|name| *name == *pid);
            if own {
                ticks += field(11) + field(12) + field(13) + field(14);
            } else if fields.get(1) == Some(&pid.as_str()) {
                ticks += field(11) + field(12);
            }
        }
        Ok(ticks as f64 / 100.0)
    }

    /// Returns a command that runs a PostgreSQL program as the user of the cluster.
    fn command(&self, program: &str) -> Command {
        let program = self.binaries.join(program);
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir(&self.directory).stdin(Stdio::null());
        command
    }

    /// Returns a command that runs a client program connected to the cluster.
    fn client(&self, program: &str) -> Command {
        let mut command = self.command(program);
        command.env("PGHOST", &self.directory).env("PGUSER", "postgres").env("PGDATABASE", "postgres");
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let data = self.directory.join("data");
        let _ = run(self.command("pg_ctl").args(["stop", "-w", "-m", "immediate", "-D"]).arg(data));
    }
}

fn script_of(statements: Statements) -> String {
    let payload = "x".repeat(PAYLOAD_BYTES);
    let next = NEXT
        .replace("CLIENTS", &CLIENTS.to_string())
        .replace("STAFF", &(BUSINESSES * STAFF).to_string())
        .replace("EACH", &STAFF.to_string());
    match statements {
        Statements::Four => format!(
            "{next}begin;\n{INSERT_APPOINTMENT};\ninsert into outbox (business_id, type, payload) values \
             (:business, 'appointment.booked', '{payload}');\ncommit;\n"
        ),
        Statements::One => format!(
            "{next}with booked as ({INSERT_APPOINTMENT} returning business_id) insert into outbox \
             (business_id, type, payload) select business_id, 'appointment.booked', '{payload}' from booked;\n"
        ),
    }
}

/// Returns the directory that contains the PostgreSQL programs: a directory in `PATH`, or Debian's directory
/// for them.
fn binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    places.extend(versions.map(|version| version.path().join("bin")));
    let whole =
        |place: &Path| ["initdb", "pg_ctl", "psql", "pgbench"].iter().all(|name| place.join(name).exists());
    places.into_iter().find(|place| whole(place))
}

/// Runs a command and returns its output. Returns an error if the command fails.
fn run(command: &mut Command) -> Result<String> {
    let name = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{name}: {}", errors.trim()).into())
}
