//! Resolves names with the machine's hosts file and then with the name servers of its `resolv.conf`.
//!
//! Invariants:
//!
//! - Names are resolved as absolute names, without search domains. Answers are not cached.
//! - A lookup uses no thread and only a few sockets, and closes the sockets when it is dropped. If the name servers of
//!   one domain are silent, lookups of other names are not delayed.
//! - A change to the hosts file or to `resolv.conf` takes effect at the next lookup.
//! - All name servers are asked concurrently, as by the C library musl. The first answer is used, so a silent or broken
//!   server causes no delay.
//!
//! # Silent name servers
//!
//! A name server that does not answer a question may still work: it may be waiting for a name server of the domain's
//! owner. A slow lookup therefore also asks for the name servers of the DNS root ([`SystemResolver::witness`]), which
//! every working name server knows. If neither this question nor a concurrent lookup gets an answer, the lookup fails
//! with [`NoNameServer`].

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hickory_resolver::config::{ConnectionConfig, ProtocolConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::udp::UdpClientStream;
use hickory_resolver::net::xfer::{DnsExchange, DnsHandle};
use hickory_resolver::proto::op::DnsRequest;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::system_conf::parse_resolv_conf;
use hickory_resolver::{ConnectionProvider, PoolContext};
use parking_lot::Mutex;
use ports::{BoxFuture, NoNameServer, Resolver};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use super::guard::RESOLVE_TIME_MAX;
use super::shortage::{self, TooManyLookups};

/// The maximum number of concurrent lookups. Deliveries and checks of saved URLs share this limit.
const LOOKUPS_MAX: usize = 2_048;

/// The maximum number of name servers from `resolv.conf`. The first three are used, as in the C library (`MAXNS`).
const SERVERS_MAX: usize = 3;

/// The maximum number of times that a question is sent. It is sent again because datagrams may be lost. A
/// late answer to an earlier datagram is also accepted.
const ASKED_MAX: u8 = 3;

/// The time after which a question is sent again, unless `resolv.conf` has a shorter timeout.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// The maximum time to wait for an answer. It leaves an attempt some time to connect.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(7);

/// The time after which a lookup checks whether the name servers answer at all.
const WITNESS_AFTER: Duration = ASK_AGAIN_AFTER;

#[derive(Clone, Debug)]
struct Files {
    hosts: PathBuf,
    resolv: PathBuf,
    port: u16,
}

pub(crate) struct SystemResolver {
    files: Files,
    lookups: Semaphore,
    lookups_max: usize,
    hosts: Cached<Arc<str>>,
    servers: Cached<NameServers>,
    /// The number of answers that show that a name server works.
    answers: AtomicU64,
}

/// The parts of a file's metadata that change whenever the file changes: inode, length and modification time.
type Stamp = (u64, u64, i64, i64);

struct Cached<T>(Mutex<Option<(Stamp, T)>>);

impl<T: Clone> Cached<T> {
    fn of(&self, path: &Path, read: impl FnOnce(Vec<u8>) -> io::Result<T>) -> io::Result<T> {
        let meta = std::fs::metadata(path)?;
        let stamp = (meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec());
        let mut kept = self.0.lock();
        if let Some((_, known)) = kept.as_ref().filter(|(read_at, _)| *read_at == stamp) {
            return Ok(known.clone());
        }
        let said = std::fs::read(path).and_then(read)?;
        *kept = Some((stamp, said.clone()));
        Ok(said)
    }
}

type NameServers = Arc<[hickory_resolver::Resolver<Sockets>]>;

impl SystemResolver {
    pub(crate) fn new() -> Self {
        let files = Files { hosts: "/etc/hosts".into(), resolv: "/etc/resolv.conf".into(), port: 53 };
        Self::with(files, LOOKUPS_MAX)
    }

    fn with(files: Files, lookups_max: usize) -> Self {
        let (hosts, servers) = (Cached(Mutex::new(None)), Cached(Mutex::new(None)));
        let lookups = Semaphore::new(lookups_max);
        Self { files, lookups, lookups_max, hosts, servers, answers: AtomicU64::new(0) }
    }

    async fn look_up(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let known = self.in_file(host)?;
        if !known.is_empty() {
            return Ok(known);
        }
        let Ok(_permit) = self.lookups.try_acquire() else {
            return Err(io::Error::other(TooManyLookups(self.lookups_max)));
        };
        let servers = self.servers()?;
        // The final dot makes the name absolute.
        let name = Name::from_ascii(format!("{host}.")).map_err(io::Error::other)?;
        let (v4, v6, answered) = self.both_kinds(&servers, name).await;
        let silent = !answered && !is_answer(&v4) && !is_answer(&v6);
        merged(addresses(v4), addresses(v6)).map_err(|error| {
            if silent && !shortage::is_ours(&error) { no_name_server(&error) } else { error }
        })
    }

    /// Asks for both IPv4 and IPv6 addresses. If the lookup takes longer than [`WITNESS_AFTER`], `answers` is read at
    /// that time and again at the end of the lookup. The returned flag is true if `answers` has increased in between,
    /// which shows that a name server works. If the lookup is faster, the flag is false.
    async fn both_kinds(&self, servers: &NameServers, name: Name) -> (Answer, Answer, bool) {
        let both = async {
            tokio::join!(ask(servers, name.clone(), RecordType::A), ask(servers, name, RecordType::AAAA))
        };
        tokio::pin!(both);
        let ((v4, v6), before) = match timeout(WITNESS_AFTER, &mut both).await {
            Ok(found) => (found, None),
            Err(_) => {
                let before = self.answers.load(Ordering::Acquire);
                let found = tokio::select! {
                    found = &mut both => found,
                    never = self.witness(servers) => match never {},
                };
                (found, Some(before))
            }
        };
        // Some answers do not come from a name server: the library itself answers questions about some reserved
        // names. These answers contain no address. Only an answer with an address shows that a name server works.
        if v4.is_ok() || v6.is_ok() {
            self.answers.fetch_add(1, Ordering::AcqRel);
        }
        let answered = before.is_some_and(|before| self.answers.load(Ordering::Acquire) != before);
        (v4, v6, answered)
    }

    /// Asks `servers` for the name servers of the DNS root. If an answer arrives, increments `answers`. The future
    /// never completes, not even after an answer, so the caller must drop it.
    async fn witness(&self, servers: &NameServers) -> Infallible {
        if is_answer(&ask(servers, Name::root(), RecordType::NS).await) {
            self.answers.fetch_add(1, Ordering::AcqRel);
        }
        std::future::pending().await
    }

    fn in_file(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let text = |bytes| String::from_utf8(bytes).map(Arc::from).map_err(io::Error::other);
        match self.hosts.of(&self.files.hosts, text) {
            Ok(hosts) => Ok(in_hosts(&hosts, host)),
            Err(error) if shortage::is_ours(&error) => Err(error),
            // The file is optional, so a missing file is not an error.
            Err(_) => Ok(Vec::new()),
        }
    }

    fn servers(&self) -> io::Result<NameServers> {
        let path = &self.files.resolv;
        // The error of a local shortage is returned unchanged, because callers must recognize it.
        let said = |error: io::Error| match shortage::is_ours(&error) {
            true => error,
            false => no_name_server(&format_args!("{} cannot be used: {error}", path.display())),
        };
        self.servers.of(path, |text| name_servers(&text, self.files.port)).map_err(said)
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(self.look_up(host))
    }

    fn known(&self, host: &str) -> Vec<IpAddr> {
        self.in_file(host).unwrap_or_default()
    }

    fn is_answered(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            let Ok(servers) = self.servers() else { return false };
            is_answer(&ask(&servers, Name::root(), RecordType::NS).await)
        })
    }
}

fn name_servers(text: &[u8], port: u16) -> io::Result<NameServers> {
    const { assert!(ANSWER_TIME_MAX.as_millis() < RESOLVE_TIME_MAX.as_millis()) };
    const { assert!(ASK_AGAIN_AFTER.as_millis() * (ASKED_MAX as u128) < ANSWER_TIME_MAX.as_millis()) };
    let (config, mut options) = parse_resolv_conf(text).map_err(io_error)?;
    let mut servers = config.name_servers().to_vec();
    servers.truncate(SERVERS_MAX);
    servers
        .iter_mut()
        .flat_map(|server| &mut server.connections)
        .for_each(|connection| connection.port = port);
    let again_after = options.timeout.min(ASK_AGAIN_AFTER);
    options.timeout = ANSWER_TIME_MAX;
    // In the library, concurrent lookups of a name share one question. When the question times out, all these lookups
    // time out, even a lookup that began a moment ago. So each lookup has one retry, which asks a new question.
    // `attempts` is the number of retries.
    options.attempts = 1;
    options.cache_size = 0;
    options.use_hosts_file = ResolveHosts::Never;
    // All lookups over TCP share one connection. Each lookup may ask for two kinds of addresses.
    options.max_active_requests = 2 * LOOKUPS_MAX;
    let resolver = |server| {
        // The search domains of `resolv.conf` are not used, so a lookup never appends a domain to a name.
        let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
        let sockets = Sockets { provider: TokioRuntimeProvider::default(), again_after };
        hickory_resolver::Resolver::builder_with_config(config, sockets)
            .with_options(options.clone())
            .build()
            .map_err(io_error)
    };
    servers.into_iter().map(resolver).collect()
}

type Answer = Result<Lookup, NetError>;

/// Asks all servers and returns the first answer, even if it contains no addresses. Fails only if no server answers.
async fn ask(servers: &NameServers, name: Name, kind: RecordType) -> Answer {
    let deadline = Instant::now() + ANSWER_TIME_MAX;
    let mut asked: FuturesUnordered<_> =
        servers.iter().map(|server| server.lookup(name.clone(), kind)).collect();
    let mut failed = Err(NetError::Timeout);
    while let Ok(Some(answer)) = timeout_at(deadline, asked.next()).await {
        match &answer {
            Ok(_) => return answer,
            Err(error) if error.is_no_records_found() => return answer,
            Err(_) if !is_answer(&failed) => failed = answer,
            Err(_) => {}
        }
    }
    failed
}

fn is_answer(answer: &Answer) -> bool {
    !matches!(
        answer,
        Err(NetError::Timeout
            | NetError::Io(_)
            | NetError::NoConnections
            | NetError::Busy
            | NetError::Message(_)
            | NetError::Msg(_))
    )
}

fn no_name_server(why: &impl std::fmt::Display) -> io::Error {
    io::Error::other(NoNameServer(why.to_string()))
}

#[derive(Clone)]
struct Sockets {
    provider: TokioRuntimeProvider,
    again_after: Duration,
}

#[derive(Clone)]
struct ExchangeHandle(DnsExchange<TokioRuntimeProvider>);

impl DnsHandle for ExchangeHandle {
    type Response = <DnsExchange<TokioRuntimeProvider> as DnsHandle>::Response;
    type Runtime = TokioRuntimeProvider;

    fn send(&self, mut request: DnsRequest) -> Self::Response {
        // The library repeats an unanswered query after `retry_interval`. If this value is less than the library's
        // minimum, the minimum applies. Here the value is 0, so the minimum always applies. The value that the library
        // has set in `request` is not used, because it grows with each answer without addresses.
        request.options_mut().retry_interval = Duration::ZERO;
        self.0.send(request)
    }
}

impl ConnectionProvider for Sockets {
    type Conn = ExchangeHandle;
    type FutureConn = Pin<Box<dyn Future<Output = Result<Self::Conn, NetError>> + Send>>;
    type RuntimeProvider = TokioRuntimeProvider;

    fn new_connection(
        &self,
        ip: IpAddr,
        config: &ConnectionConfig,
        context: &PoolContext,
    ) -> Result<Self::FutureConn, NetError> {
        let ProtocolConfig::Udp = config.protocol else {
            let connecting = self.provider.new_connection(ip, config, context)?;
            return Ok(Box::pin(async move { connecting.await.map(ExchangeHandle) }));
        };
        // Each repetition of a question uses a new socket. All sockets stay open until an answer arrives.
        let stream = UdpClientStream::builder(SocketAddr::new(ip, config.port), self.provider.clone())
            .with_timeout(Some(context.options.timeout))
            .with_max_retries(ASKED_MAX)
            .with_retry_interval_floor(u64::try_from(self.again_after.as_millis()).unwrap_or(u64::MAX));
        Ok(Box::pin(async move { Ok(ExchangeHandle(stream.exchange())) }))
    }

    fn runtime_provider(&self) -> &TokioRuntimeProvider {
        &self.provider
    }
}

fn addresses(answer: Answer) -> io::Result<Vec<IpAddr>> {
    let answer = answer.map_err(io_error)?;
    Ok(answer.answers().iter().filter_map(|record| record.data.ip_addr()).collect())
}

/// Combines the addresses, alternating between IPv4 and IPv6. Like the system's resolver, fails only if there is no
/// address at all.
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
    // The order of precedence is: a local shortage, any other error, a missing name.
    errors.sort_by_key(|error| (!shortage::is_ours(error), error.kind() == io::ErrorKind::NotFound));
    match errors.into_iter().next() {
        Some(error) if in_turn.is_empty() => Err(error),
        _ => Ok(in_turn),
    }
}

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
