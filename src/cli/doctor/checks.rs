//! What is looked at, one thing after the other.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use actors::domain::Timestamp;
use actors::ports::Ports;
use actors::store::outside::{believed_time, look_at, reserve_of, space_of};
use actors::store::{SET_ASIDE_FILE, read_businesses_set_aside};
use chrono::{DateTime, Utc};

use super::super::open_files;
use super::finding::Finding;
use crate::config::{Settings, TOKEN_FILE, variables};
use crate::server::tls;

/// Before this the clock cannot be right: there was no such program.
const EARLIEST: Duration = Duration::from_secs(1_767_225_600); // 2026-01-01
/// How far ahead of the clock what was written may seem.
const AHEAD_MAX: Duration = Duration::from_secs(60);
/// How long a look-up may take.
const RESOLVE_TIME_MAX: Duration = Duration::from_secs(10);
/// Where the services that set the clock say that they have.
const CLOCK_IS_SET: &str = "/run/systemd/timesync/synchronized";

pub(super) fn all(settings: &Settings, resolve: Option<&str>) -> Vec<Finding> {
    let mut findings = vec![];
    let (in_use, directory) = data_directory(&settings.data_dir);
    findings.extend(directory);
    findings.extend(set_aside(&settings.data_dir));
    findings.extend(token_file(settings));
    findings.push(listener("public listener", variables::LISTEN, settings.listen, in_use));
    findings.push(listener("operator listener", variables::ADMIN_LISTEN, settings.admin_listen, in_use));
    findings.extend(certificates(settings, SystemTime::now()));
    findings.push(disk(settings));
    findings.push(files_at_once());
    findings.extend(clock(&settings.data_dir, SystemTime::now()));
    findings.extend(outgoing(resolve));
    findings
}

/// The data directory, and whether a service has it open.
fn data_directory(dir: &Path) -> (bool, Vec<Finding>) {
    const WHAT: &str = "data directory";
    let shown = dir.display();
    if !dir.exists() {
        let above = above(dir);
        return (
            false,
            vec![match writable(&above) {
                Ok(()) => Finding::ok(WHAT, format!("{shown} is not there yet and can be made")),
                Err(error) => Finding::problem(
                    WHAT,
                    format!("{shown} is not there, and cannot be made in {}: {error}", above.display()),
                    format!("make it for the service's user, or set {}", variables::DATA_DIR),
                ),
            }],
        );
    }
    let mut findings = vec![];
    if let Err(error) = writable(dir) {
        let advice = "run this as the service's user, or give the directory to it";
        findings.push(Finding::problem(WHAT, format!("{shown} cannot be written: {error}"), advice));
    }
    if let Ok(found) = fs::metadata(dir)
        && found.permissions().mode() & 0o077 != 0
    {
        let said = format!("{shown} can be read by others (mode {:o})", found.permissions().mode() & 0o777);
        findings.push(Finding::warning(WHAT, said, format!("chmod 700 {shown}: it holds people's data")));
    }
    match look_at(dir) {
        Ok(told) => {
            let state = if told.in_use { "a service has it open" } else { "no service has it open" };
            let format = match told.format {
                None => "no store yet, or one of format 1 to 3".to_owned(),
                Some(format) if format < told.known => {
                    format!("a store of format {format}, converted at the next start")
                }
                Some(format) => format!("a store of format {format}"),
            };
            findings.push(Finding::ok(WHAT, format!("{shown}: {state}; {format}")));
            (told.in_use, findings)
        }
        Err(error) => {
            let advice = "the error says what to do; a backup can be restored beside it";
            findings.push(Finding::problem(WHAT, error.to_string().replace('\n', " "), advice));
            (false, findings)
        }
    }
}

/// The businesses that are set aside.
fn set_aside(dir: &Path) -> Vec<Finding> {
    const WHAT: &str = "business set aside";
    let listed = match read_businesses_set_aside(dir) {
        Ok(listed) => listed,
        Err(error) => {
            let advice = "correct the line: an id, a space and a reason; the service does not start before";
            return vec![Finding::problem(WHAT, error.to_string(), advice)];
        }
    };
    let finding = |(business, reason)| {
        let advice = format!(
            "stop the service and run `receptionist salvage --data-dir {} --to NEW`, or restore a backup; when the \
             rows are there again, remove the line from {}",
            dir.display(),
            dir.join(SET_ASIDE_FILE).display()
        );
        Finding::problem(WHAT, format!("{business}: {reason}; its requests are answered with 500"), advice)
    };
    listed.into_iter().map(finding).collect()
}

/// The nearest directory above that is there.
fn above(path: &Path) -> PathBuf {
    let found = path.ancestors().skip(1).find(|path| path.exists());
    match found {
        Some(found) if !found.as_os_str().is_empty() => found.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Whether this process may write into a directory.
fn writable(dir: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(dir, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?)
}

/// The operator's token, where it is kept.
fn token_file(settings: &Settings) -> Option<Finding> {
    const WHAT: &str = "operator's token";
    if settings.admin_token.is_some() {
        return Some(Finding::ok(WHAT, "it is given"));
    }
    let path = settings.data_dir.join(TOKEN_FILE);
    let shown = path.display();
    Some(match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Finding::ok(WHAT, format!("{shown} is made at the first start"))
        }
        Err(error) => Finding::problem(WHAT, format!("{shown}: {error}"), "run this as the service's user"),
        Ok(found) if found.permissions().mode() & 0o077 != 0 => Finding::warning(
            WHAT,
            format!("others can read {shown}"),
            format!("chmod 600 {shown}; the service does it at its next start"),
        ),
        Ok(_) => match fs::read_to_string(&path) {
            Ok(text) if !text.trim().is_empty() => Finding::ok(WHAT, format!("it is kept in {shown}")),
            Ok(_) => Finding::problem(WHAT, format!("{shown} is empty"), "remove it to get a new one"),
            Err(error) => {
                Finding::problem(WHAT, format!("{shown}: {error}"), "run this as the service's user")
            }
        },
    })
}

/// Whether the service could listen there.
fn listener(what: &'static str, variable: &'static str, address: SocketAddr, in_use: bool) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::ok(what, format!("{address} is free")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && in_use => {
            Finding::ok(what, format!("{address} is taken, and a service runs on this data directory"))
        }
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Finding::problem(
            what,
            format!("{address} is taken by another program"),
            format!("see who with `ss -ltnp`, or set {variable} to another port"),
        ),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Finding::problem(
            what,
            format!("{address}: {error}"),
            "ports below 1024 need CAP_NET_BIND_SERVICE; or listen above and put a proxy before it",
        ),
        Err(error) => Finding::problem(
            what,
            format!("{address}: {error}"),
            format!("set {variable} to an address of this machine"),
        ),
    }
}

/// The files that make the listeners speak HTTPS.
fn certificates(settings: &Settings, now: SystemTime) -> Vec<Finding> {
    const WHAT: &str = "certificate";
    let is_open = settings.tls.is_none() && !settings.listen.ip().is_loopback();
    let open = is_open.then(|| {
        Finding::warning(
            WHAT,
            format!("{} is open to other machines without TLS", settings.listen),
            format!(
                "set {} and {}, or listen on the loopback behind a proxy",
                variables::TLS_CERT,
                variables::TLS_KEY
            ),
        )
    });
    let listeners = [&settings.tls, &settings.admin_tls].into_iter().zip(settings.hosts());
    let listeners = listeners.filter_map(|(files, hosts)| Some((files.as_ref()?, hosts)));
    let found = listeners.flat_map(|(files, hosts)| match tls::acceptor(files) {
        Ok((_, chain)) => {
            let shown = files.cert.display();
            let advice = "clients refuse the connection; renew it, or correct the settings";
            let warn = |warning| Finding::warning(WHAT, format!("{shown}: {warning}"), advice);
            let warnings = chain.warnings(timestamp(now), &hosts);
            if warnings.is_empty() {
                let until = chain.valid_until();
                vec![Finding::ok(WHAT, format!("{shown} and its key can be used, until {until}"))]
            } else {
                warnings.into_iter().map(warn).collect()
            }
        }
        Err(error) => vec![Finding::problem(
            WHAT,
            error.to_string(),
            "both are PEM files; the chain begins with the server's own certificate, and the key is that one's",
        )],
    });
    open.into_iter().chain(found).collect()
}

/// Whether there is room.
fn disk(settings: &Settings) -> Finding {
    const WHAT: &str = "disk";
    let dir = if settings.data_dir.exists() { settings.data_dir.clone() } else { above(&settings.data_dir) };
    let space = match space_of(&dir) {
        Ok(space) => space,
        Err(error) => return Finding::problem(WHAT, format!("{}: {error}", dir.display()), "is it mounted?"),
    };
    let reserve = reserve_of(settings.disk_reserve, space);
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let said =
        format!("{} of {} are free, of which {} stay so", mib(space.free), mib(space.total), mib(reserve));
    if space.free <= reserve {
        let advice = format!(
            "make room, or set {} lower: until then what makes the store larger is refused",
            variables::DISK_RESERVE
        );
        Finding::problem(WHAT, said, advice)
    } else if space.free < 2 * reserve {
        Finding::warning(WHAT, said, "make room soon")
    } else {
        Finding::ok(WHAT, said)
    }
}

/// How many files may be open at once.
fn files_at_once() -> Finding {
    const WHAT: &str = "open files";
    match rlimit::Resource::NOFILE.get() {
        Ok((_, most)) if most < open_files::WANTED => Finding::warning(
            WHAT,
            format!("{most} at most, {} when everything is at its bound", open_files::WANTED),
            format!("raise it, such as by LimitNOFILE={} in the unit", open_files::WANTED),
        ),
        Ok((_, most)) => Finding::ok(WHAT, format!("{most} at most")),
        Err(error) => Finding::warning(WHAT, format!("the limit is not told: {error}"), "see `ulimit -n`"),
    }
}

/// Whether the clock seems right.
pub(super) fn clock(data_dir: &Path, now: SystemTime) -> Vec<Finding> {
    const WHAT: &str = "clock";
    let shown = DateTime::<Utc>::from(now).format("%Y-%m-%d %H:%M:%S UTC");
    if now < SystemTime::UNIX_EPOCH + EARLIEST {
        let advice = "set it, and have it kept: chrony, or systemd-timesyncd";
        return vec![Finding::problem(WHAT, format!("it says {shown}, which is past"), advice)];
    }
    let believed = believed_time(data_dir);
    if let Some(believed) = believed.filter(|believed| *believed > timestamp(now + AHEAD_MAX)) {
        return vec![Finding::problem(
            WHAT,
            format!("it says {shown}, and the time of the service had come to {believed}"),
            "if the clock is wrong, set it; if the time of the service is, stop the service and run `receptionist \
             repair-stamps`",
        )];
    }
    let newest = newest_file(data_dir);
    if let Some(newest) = newest.filter(|newest| *newest > now + AHEAD_MAX) {
        let newest = DateTime::<Utc>::from(newest).format("%Y-%m-%d %H:%M:%S UTC");
        return vec![Finding::problem(
            WHAT,
            format!("it says {shown}, and something in the data directory was written at {newest}"),
            "set it; if it was ahead when the service ran, see `receptionist repair-stamps --help`",
        )];
    }
    if Path::new(CLOCK_IS_SET).exists() {
        return vec![Finding::ok(WHAT, format!("it says {shown}, and is kept by the system"))];
    }
    let advice = "chrony or systemd-timesyncd do; `timedatectl` says whether one does";
    vec![Finding::warning(WHAT, format!("it says {shown}; whether anything keeps it is not known"), advice)]
}

fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// When anything in the data directory was written last.
fn newest_file(dir: &Path) -> Option<SystemTime> {
    let entries =
        [dir.to_owned(), dir.join("store")].into_iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten();
    entries.filter_map(|entry| entry.ok()?.metadata().ok()?.modified().ok()).max()
}

/// What webhooks need: authorities that are trusted, and names that resolve.
fn outgoing(resolve: Option<&str>) -> Vec<Finding> {
    const WHAT: &str = "webhooks";
    let ports = match Ports::system() {
        Ok(ports) => ports,
        Err(error) => {
            return vec![Finding::problem(
                WHAT,
                error.to_string(),
                "SSL_CERT_FILE names a PEM file of authorities",
            )];
        }
    };
    let mut findings = vec![];
    if ports.trust.is_empty() {
        let advice = "install the system's authorities (ca-certificates), or set SSL_CERT_FILE";
        findings.push(Finding::problem(
            WHAT,
            "no certificate authority is trusted: none can be delivered",
            advice,
        ));
    } else {
        findings.push(Finding::ok(WHAT, "the system's certificate authorities are there"));
    }
    findings.push(match resolve {
        None => name_servers(Path::new("/etc/resolv.conf")),
        Some(host) => resolved(&ports, host),
    });
    findings
}

/// The name servers that are asked.
pub(super) fn name_servers(file: &Path) -> Finding {
    const WHAT: &str = "resolver";
    let text = fs::read_to_string(file).unwrap_or_default();
    let servers: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("nameserver")).map(str::trim).collect();
    if servers.is_empty() {
        let advice =
            "no name server is named, so one on this machine is asked; put `nameserver ADDRESS` there";
        return Finding::warning(WHAT, format!("{} names none", file.display()), advice);
    }
    Finding::ok(WHAT, format!("{} is asked; `--resolve HOST` tries it", servers.join(", ")))
}

/// Looks a name up as is done for webhooks.
fn resolved(ports: &Ports, host: &str) -> Finding {
    const WHAT: &str = "resolver";
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Finding::problem(WHAT, error.to_string(), "the system gives no runtime"),
    };
    let looked_up = runtime
        .block_on(async { tokio::time::timeout(RESOLVE_TIME_MAX, ports.resolver.resolve(host)).await });
    match looked_up {
        Ok(Ok(found)) if !found.is_empty() => {
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            Finding::ok(WHAT, format!("{host} is {}", found.join(", ")))
        }
        Ok(Ok(_)) => Finding::problem(WHAT, format!("{host} has no address"), "is the name right?"),
        Ok(Err(error)) => Finding::problem(
            WHAT,
            format!("{host}: {error}"),
            "see /etc/resolv.conf, and whether its name servers can be reached",
        ),
        Err(_) => Finding::problem(WHAT, format!("{host}: no answer"), "see /etc/resolv.conf"),
    }
}
