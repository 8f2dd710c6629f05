//! Looks names up: in the machine's file of names, then at the name servers of its `resolv.conf`.
//!
//! What always holds: a name is absolute, no search domain is tried; an answer is never kept; a look-up takes no
//! thread, only a few sockets, and gives them back as soon as its caller drops it, so names whose servers are silent
//! hold nobody else's up; both files are read anew when they have changed.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use hickory_resolver::config::{ConnectionConfig, ProtocolConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::udp::UdpClientStream;
use hickory_resolver::net::xfer::DnsExchange;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::system_conf::parse_resolv_conf;
use hickory_resolver::{ConnectionProvider, PoolContext};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::guard::RESOLVE_TIME_MAX;
use super::shortage::{self, TooManyLookups};
use crate::ports::{BoxFuture, Resolver};

/// So many names are looked up at once: all deliveries, and all that callers of the API may have looked up.
const LOOKUPS_MAX: usize = 2_048;

/// So often a name server is asked when it does not answer.
const TRIES_MAX: usize = 3;

/// So long it may take to answer each time, unless `resolv.conf` says less. A name server that has to ask further goes
/// on meanwhile, and knows the answer the next time.
const TRY_TIME_MAX: Duration = Duration::from_secs(2);

/// The files that say how names are looked up.
#[derive(Clone, Debug)]
struct Files {
    /// The names that this machine knows by itself.
    hosts: PathBuf,
    /// The name servers.
    resolv: PathBuf,
    /// The port that name servers listen on.
    port: u16,
}

/// Asks the machine's name servers.
pub(crate) struct SystemResolver {
    files: Files,
    lookups: Semaphore,
    lookups_max: usize,
    servers: Mutex<Option<(Stamp, NameServers)>>,
}

/// What of a file changes when it is written or replaced: its number, length and time of change.
type Stamp = (u64, u64, i64, i64);

type NameServers = hickory_resolver::Resolver<Sockets>;

impl SystemResolver {
    pub(crate) fn new() -> Self {
        let files = Files { hosts: "/etc/hosts".into(), resolv: "/etc/resolv.conf".into(), port: 53 };
        Self::with(files, LOOKUPS_MAX)
    }

    fn with(files: Files, lookups_max: usize) -> Self {
        Self { files, lookups: Semaphore::new(lookups_max), lookups_max, servers: Mutex::new(None) }
    }

    async fn look_up(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let known = self.known(host)?;
        if !known.is_empty() {
            return Ok(known);
        }
        let Ok(_permit) = self.lookups.try_acquire() else {
            return Err(io::Error::other(TooManyLookups(self.lookups_max)));
        };
        let servers = self.servers()?;
        // The dot makes it absolute.
        let name = Name::from_ascii(format!("{host}.")).map_err(io::Error::other)?;
        let (v4, v6) =
            tokio::join!(servers.lookup(name.clone(), RecordType::A), servers.lookup(name, RecordType::AAAA));
        merged(addresses(v4), addresses(v6))
    }

    /// The addresses that the machine knows by itself.
    fn known(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        match std::fs::read_to_string(&self.files.hosts) {
            Ok(hosts) => Ok(in_hosts(&hosts, host)),
            Err(error) if shortage::is_ours(&error) => Err(error),
            // There need not be such a file.
            Err(_) => Ok(Vec::new()),
        }
    }

    /// The name servers as `resolv.conf` has them now.
    fn servers(&self) -> io::Result<NameServers> {
        let path = &self.files.resolv;
        // A lack of our own must stay one, so it gets no words of its own.
        let said = |error: io::Error| match shortage::is_ours(&error) {
            true => error,
            false => io::Error::new(error.kind(), format!("{} cannot be used: {error}", path.display())),
        };
        let meta = std::fs::metadata(path).map_err(said)?;
        let stamp = (meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec());
        let mut servers = self.servers.lock();
        if let Some((_, known)) = servers.as_ref().filter(|(read_at, _)| *read_at == stamp) {
            return Ok(known.clone());
        }
        let read = std::fs::read(path).and_then(|text| name_servers(&text, self.files.port)).map_err(said)?;
        *servers = Some((stamp, read.clone()));
        Ok(read)
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(self.look_up(host))
    }
}

/// The name servers of a `resolv.conf`.
fn name_servers(text: &[u8], port: u16) -> io::Result<NameServers> {
    const { assert!(TRIES_MAX as u128 * TRY_TIME_MAX.as_millis() < RESOLVE_TIME_MAX.as_millis()) };
    let (config, mut options) = parse_resolv_conf(text).map_err(io_error)?;
    let mut servers = config.name_servers().to_vec();
    servers
        .iter_mut()
        .flat_map(|server| &mut server.connections)
        .for_each(|connection| connection.port = port);
    options.timeout = options.timeout.min(TRY_TIME_MAX);
    options.attempts = TRIES_MAX - 1;
    options.cache_size = 0;
    options.use_hosts_file = ResolveHosts::Never;
    // Of a connection over TCP, which all look-ups share: each may ask for two kinds of addresses.
    options.max_active_requests = 2 * LOOKUPS_MAX;
    // Without the domains that the file may name.
    let config = ResolverConfig::from_parts(None, Vec::new(), servers);
    NameServers::builder_with_config(config, Sockets::default())
        .with_options(options)
        .build()
        .map_err(io_error)
}

/// Opens the sockets that name servers are asked on.
#[derive(Clone, Default)]
struct Sockets(TokioRuntimeProvider);

impl ConnectionProvider for Sockets {
    type Conn = DnsExchange<TokioRuntimeProvider>;
    type FutureConn = Pin<Box<dyn Future<Output = Result<Self::Conn, NetError>> + Send>>;
    type RuntimeProvider = TokioRuntimeProvider;

    fn new_connection(
        &self,
        ip: IpAddr,
        config: &ConnectionConfig,
        context: &PoolContext,
    ) -> Result<Self::FutureConn, NetError> {
        let ProtocolConfig::Udp = config.protocol else {
            return self.0.new_connection(ip, config, context);
        };
        // By itself it would ask again three times a second, each time on one more socket.
        let stream = UdpClientStream::builder(SocketAddr::new(ip, config.port), self.0.clone())
            .with_timeout(Some(context.options.timeout))
            .with_max_retries(1);
        Ok(Box::pin(async move { Ok(stream.exchange()) }))
    }

    fn runtime_provider(&self) -> &TokioRuntimeProvider {
        &self.0
    }
}

/// The addresses of an answer.
fn addresses(answer: Result<Lookup, NetError>) -> io::Result<Vec<IpAddr>> {
    let answer = answer.map_err(io_error)?;
    Ok(answer.answers().iter().filter_map(|record| record.data.ip_addr()).collect())
}

/// The addresses of both kinds in turn, so that both are among the first. As with the system's own resolver, an error
/// for one kind counts only if there is no address of the other.
fn merged(v4: io::Result<Vec<IpAddr>>, v6: io::Result<Vec<IpAddr>>) -> io::Result<Vec<IpAddr>> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for answer in [v4, v6] {
        match answer {
            Ok(addresses) => found.push(addresses),
            Err(error) => errors.push(error),
        }
    }
    let longest = found.iter().map(Vec::len).max().unwrap_or(0);
    let in_turn: Vec<IpAddr> = (0..longest)
        .flat_map(|at| found.iter().filter_map(move |of_a_kind| of_a_kind.get(at).copied()))
        .collect();
    // What tells most: a lack of our own, then what went wrong, then that there is nothing.
    errors.sort_by_key(|error| (!shortage::is_ours(error), error.kind() == io::ErrorKind::NotFound));
    match errors.into_iter().next() {
        Some(error) if in_turn.is_empty() => Err(error),
        _ => Ok(in_turn),
    }
}

/// The error as one of the system, if it was one.
fn io_error(error: NetError) -> io::Error {
    match error {
        NetError::Io(error) => match error.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::new(error.kind(), error.to_string()),
        },
        NetError::Timeout => io::Error::new(io::ErrorKind::TimedOut, "the name servers do not answer"),
        error if error.is_no_records_found() => {
            io::Error::new(io::ErrorKind::NotFound, "there is no such name, or it has no address")
        }
        error => io::Error::other(error),
    }
}

/// The addresses that a file of names gives a name.
fn in_hosts(hosts: &str, host: &str) -> Vec<IpAddr> {
    let entries = hosts.lines().filter_map(|line| {
        let mut words = line.split('#').next()?.split_whitespace();
        let address: IpAddr = words.next()?.parse().ok()?;
        words.any(|name| name.eq_ignore_ascii_case(host)).then_some(address)
    });
    entries.collect()
}

#[cfg(test)]
mod tests;
