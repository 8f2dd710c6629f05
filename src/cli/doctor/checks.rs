//! The checks of `doctor`.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use domain::Timestamp;
use net::Ports;
use store::outside::{believed_time, look_at, reserve_of, space_of};
use store::{SET_ASIDE_FILE, read_businesses_set_aside};

use super::super::process::FILES_WANTED;
use super::{Finding, ok, problem, warning};
use crate::config::{Settings, TOKEN_FILE, variables};
use crate::server::tls;

/// The earliest plausible time of the clock: the program did not exist before this time.
const EARLIEST: Duration = Duration::from_secs(1_767_225_600); // 2026-01-01
/// The maximum time by which a file time or the stored time may be later than the clock.
const AHEAD_MAX: Duration = Duration::from_secs(60);
const RESOLVE_TIME_MAX: Duration = Duration::from_secs(10);
/// A file that systemd-timesyncd creates when it has set the clock.
const CLOCK_IS_SET: &str = "/run/systemd/timesync/synchronized";

pub(super) fn all(settings: &Settings, resolve: Option<&str>) -> Vec<Finding> {
    let (dir, now) = (&settings.data_dir, SystemTime::now());
    let (in_use, directory) = data_directory(dir);
    let (webhooks, resolver) = outgoing(resolve);
    let findings = [
        ("data directory", directory),
        ("business set aside", set_aside(dir)),
        ("operator's token", vec![token_file(settings)]),
        ("public listener", vec![listener(variables::LISTEN, settings.listen, in_use)]),
        ("operator listener", vec![listener(variables::ADMIN_LISTEN, settings.admin_listen, in_use)]),
        ("certificate", certificates(settings, now)),
        ("disk", vec![disk(settings)]),
        ("open files", vec![files_at_once()]),
        ("clock", vec![clock(dir, now)]),
        ("webhooks", vec![webhooks]),
        ("resolver", resolver.into_iter().collect()),
        ("model", model(settings).into_iter().collect()),
    ];
    let about =
        |(what, found): (_, Vec<Finding>)| found.into_iter().map(move |finding| Finding { what, ..finding });
    findings.into_iter().flat_map(about).collect()
}

/// Reports the host of the chat model, because this host receives the words of customers.
fn model(settings: &Settings) -> Option<Finding> {
    let model = settings.model.as_ref()?;
    Some(ok(format!("the model {} at {} receives the words of customers", model.model, model.host)))
}

/// Checks the data directory. The first value is true if a service uses the directory.
fn data_directory(dir: &Path) -> (bool, Vec<Finding>) {
    let shown = dir.display();
    if !dir.exists() {
        let above = above(dir);
        return (
            false,
            vec![match writable(&above) {
                Ok(()) => ok(format!("{shown} does not exist and can be created")),
                Err(error) => problem(
                    format!("{shown} does not exist and cannot be created in {}: {error}", above.display()),
                    format!("create it for the service's user, or set {}", variables::DATA_DIR),
                ),
            }],
        );
    }
    let mut findings = vec![];
    if let Err(error) = writable(dir) {
        let advice = "run this command as the service's user, or make that user the owner of the directory";
        findings.push(problem(format!("cannot write to {shown}: {error}"), advice));
    }
    if let Ok(found) = fs::metadata(dir)
        && found.permissions().mode() & 0o077 != 0
    {
        let said = format!("other users can read {shown} (mode {:o})", found.permissions().mode() & 0o777);
        findings.push(warning(said, format!("run `chmod 700 {shown}`, since it contains personal data")));
    }
    match look_at(dir) {
        Ok(told) => {
            let state = if told.in_use { "a service uses it" } else { "no service uses it" };
            let format = match told.format {
                None => "no store yet, or one of format 1 to 3".to_owned(),
                Some(format) if format < told.known => {
                    format!("a store of format {format}, converted at the next start")
                }
                Some(format) => format!("a store of format {format}"),
            };
            findings.push(ok(format!("{shown}: {state}; {format}")));
            (told.in_use, findings)
        }
        Err(error) => {
            let advice = "follow the error message, or restore a backup to another directory";
            findings.push(problem(error.to_string().replace('\n', " "), advice));
            (false, findings)
        }
    }
}

/// Reports the businesses that are set aside (offline) because of damaged rows.
fn set_aside(dir: &Path) -> Vec<Finding> {
    let listed = match read_businesses_set_aside(dir) {
        Ok(listed) => listed,
        Err(error) => {
            let advice = "correct the line, which needs an id, a space and a reason; until then the service does not start";
            return vec![problem(error.to_string(), advice)];
        }
    };
    let finding = |(business, reason)| {
        let advice = format!(
            "stop the service and run `receptionist salvage --data-dir {} --to NEW`, or restore a backup; when the \
             rows are restored, remove the line from {}",
            dir.display(),
            dir.join(SET_ASIDE_FILE).display()
        );
        problem(format!("{business}: {reason}; the service answers its requests with 500"), advice)
    };
    listed.into_iter().map(finding).collect()
}

/// The nearest existing parent directory.
fn above(path: &Path) -> PathBuf {
    let found = path.ancestors().skip(1).find(|path| path.exists());
    match found {
        Some(found) if !found.as_os_str().is_empty() => found.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn writable(dir: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(dir, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?)
}

fn token_file(settings: &Settings) -> Finding {
    if settings.admin_token.is_some() {
        return ok("set in the settings");
    }
    let path = settings.data_dir.join(TOKEN_FILE);
    let shown = path.display();
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            ok(format!("{shown} is created at the first start"))
        }
        Err(error) => problem(format!("{shown}: {error}"), "run this command as the service's user"),
        Ok(found) if found.permissions().mode() & 0o077 != 0 => warning(
            format!("other users can read {shown}"),
            format!("run `chmod 600 {shown}`; the service also does it at its next start"),
        ),
        Ok(_) => match fs::read_to_string(&path) {
            Ok(text) if !text.trim().is_empty() => ok(format!("stored in {shown}")),
            Ok(_) => problem(format!("{shown} is empty"), "remove it to get a new token"),
            Err(error) => problem(format!("{shown}: {error}"), "run this command as the service's user"),
        },
    }
}

fn listener(variable: &'static str, address: SocketAddr, in_use: bool) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => ok(format!("{address} is free")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && in_use => {
            ok(format!("{address} is in use, and a service runs on this data directory"))
        }
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => problem(
            format!("another program uses {address}"),
            format!("find the program with `ss -ltnp`, or set {variable} to another port"),
        ),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => problem(
            format!("{address}: {error}"),
            "give the service CAP_NET_BIND_SERVICE, or use port 1024 or higher with a proxy in front of it",
        ),
        Err(error) => {
            problem(format!("{address}: {error}"), format!("set {variable} to an address of this machine"))
        }
    }
}

fn certificates(settings: &Settings, now: SystemTime) -> Vec<Finding> {
    let is_open = settings.tls.is_none() && !settings.listen.ip().is_loopback();
    let open = is_open.then(|| {
        warning(
            format!("other machines can reach {} without TLS", settings.listen),
            format!(
                "set {} and {}, or listen on a loopback address behind a proxy",
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
            let advice =
                "renew the certificate or correct the settings; otherwise clients refuse the connection";
            let warn = |said| warning(format!("{shown}: {said}"), advice);
            let warnings = chain.warnings(timestamp(now), &hosts);
            if warnings.is_empty() {
                let until = chain.valid_until();
                vec![ok(format!("{shown} and its key are valid until {until}"))]
            } else {
                warnings.into_iter().map(warn).collect()
            }
        }
        Err(error) => vec![problem(
            error.to_string(),
            "provide two PEM files: a chain that begins with the server's certificate, and the key of that certificate",
        )],
    });
    open.into_iter().chain(found).collect()
}

fn disk(settings: &Settings) -> Finding {
    let dir = if settings.data_dir.exists() { settings.data_dir.clone() } else { above(&settings.data_dir) };
    let space = match space_of(&dir) {
        Ok(space) => space,
        Err(error) => {
            return problem(format!("{}: {error}", dir.display()), "check that the disk is mounted");
        }
    };
    let reserve = reserve_of(settings.disk_reserve, space);
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let said =
        format!("{} of {} are free; the reserve is {}", mib(space.free), mib(space.total), mib(reserve));
    if space.free <= reserve {
        let advice = format!(
            "free disk space or lower {}; until then the service refuses changes that enlarge the store",
            variables::DISK_RESERVE
        );
        problem(said, advice)
    } else if space.free < 2 * reserve {
        warning(said, "free disk space soon")
    } else {
        ok(said)
    }
}

fn files_at_once() -> Finding {
    match rlimit::Resource::NOFILE.get() {
        Ok((_, most)) if most < FILES_WANTED => warning(
            format!("the limit is {most} open files, but the service may need up to {FILES_WANTED}"),
            format!("raise the limit, for example with LimitNOFILE={FILES_WANTED} in the systemd unit"),
        ),
        Ok((_, most)) => ok(format!("the limit is {most}")),
        Err(error) => warning(format!("cannot read the limit: {error}"), "see `ulimit -n`"),
    }
}

pub(super) fn clock(data_dir: &Path, now: SystemTime) -> Finding {
    let form = |time: SystemTime| DateTime::<Utc>::from(time).format("%Y-%m-%d %H:%M:%S UTC");
    let shown = form(now);
    if now < SystemTime::UNIX_EPOCH + EARLIEST {
        let advice = "set the clock and run chrony or systemd-timesyncd";
        return problem(format!("the clock says {shown}, which is too early"), advice);
    }
    let believed = believed_time(data_dir);
    if let Some(believed) = believed.filter(|believed| *believed > timestamp(now + AHEAD_MAX)) {
        return problem(
            format!("the clock says {shown}, but the service has already recorded {believed}"),
            "if the clock is wrong, set it; if the service's time is wrong, stop the service and run `receptionist \
             repair-stamps`",
        );
    }
    if let Some(newest) = newest_file(data_dir).filter(|newest| *newest > now + AHEAD_MAX) {
        let newest = form(newest);
        return problem(
            format!("the clock says {shown}, but a file in the data directory was written at {newest}"),
            "set the clock; if it was ahead while the service ran, see `receptionist repair-stamps --help`",
        );
    }
    if Path::new(CLOCK_IS_SET).exists() {
        return ok(format!("the clock says {shown} and is synchronized"));
    }
    let advice = "run chrony or systemd-timesyncd; `timedatectl` shows whether one is active";
    warning(format!("the clock says {shown}, but it may not be synchronized"), advice)
}

fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn newest_file(dir: &Path) -> Option<SystemTime> {
    let entries =
        [dir.to_owned(), dir.join("store")].into_iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten();
    entries.filter_map(|entry| entry.ok()?.metadata().ok()?.modified().ok()).max()
}

/// Checks two requirements of webhooks: trusted certificate authorities and a name server.
fn outgoing(resolve: Option<&str>) -> (Finding, Option<Finding>) {
    let ports = match Ports::system() {
        Ok(ports) => ports,
        Err(error) => {
            let advice = "set SSL_CERT_FILE to a PEM file of certificate authorities";
            return (problem(error.to_string(), advice), None);
        }
    };
    let authorities = if ports.trust.is_empty() {
        problem(
            "no certificate authority is trusted, so no webhook can be delivered",
            "install the package ca-certificates, or set SSL_CERT_FILE",
        )
    } else {
        ok("the system's certificate authorities are available")
    };
    let resolver = match resolve {
        None => name_servers(Path::new("/etc/resolv.conf")),
        Some(host) => resolved(&ports, host),
    };
    (authorities, Some(resolver))
}

pub(super) fn name_servers(file: &Path) -> Finding {
    let text = fs::read_to_string(file).unwrap_or_default();
    let servers: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("nameserver")).map(str::trim).collect();
    if servers.is_empty() {
        let advice =
            "add a line `nameserver ADDRESS` to it; without one, the service sends queries to this machine";
        return warning(format!("{} lists no name server", file.display()), advice);
    }
    ok(format!("name servers: {}; test them with `--resolve HOST`", servers.join(", ")))
}

fn resolved(ports: &Ports, host: &str) -> Finding {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return problem(error.to_string(), "free memory or raise the limits of the process");
        }
    };
    let looked_up = runtime
        .block_on(async { tokio::time::timeout(RESOLVE_TIME_MAX, ports.resolver.resolve(host)).await });
    match looked_up {
        Ok(Ok(found)) if !found.is_empty() => {
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            ok(format!("{host} has the addresses {}", found.join(", ")))
        }
        Ok(Ok(_)) => problem(format!("{host} has no address"), "check the name"),
        Ok(Err(error)) => problem(
            format!("{host}: {error}"),
            "check /etc/resolv.conf, and that its name servers can be reached",
        ),
        Err(_) => problem(format!("{host}: no response"), "check /etc/resolv.conf"),
    }
}
