//! Looks names up: in the machine's file of names, then at the name servers of its `resolv.conf`.
//!
//! What always holds: a name is absolute, no search domain is tried; an answer is never kept; a look-up takes no
//! thread, only a few sockets, and gives them back as soon as its caller drops it, so names whose servers are silent
//! hold nobody else's up; both files are read anew when they have changed. All name servers are asked at once, as musl
//! does it: the first that knows decides, and one that is silent or broken costs no time beside it.
//!
//! # Whose silence it is
//!
//! A name server that says nothing of one name may wait for servers of that name's owner, so it says nothing of the
//! name servers. A look-up that has waited for a while therefore asks them for the name servers of the root as well
//! ([`SystemResolver::witness`]): nobody who owns a name has any say in that, every server that resolves by itself has
//! the answer at hand, and one that passes questions on passes this one on, too. Only when that stays without an
//! answer, and no other look-up gets one meanwhile, is it said that there is [no name server](NoNameServer).

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

/// So many names are looked up at once: all deliveries, and all that callers of the API may have looked up.
const LOOKUPS_MAX: usize = 2_048;

/// So many name servers are asked, the first ones of `resolv.conf`, as the system's own resolver does (`MAXNS`).
const SERVERS_MAX: usize = 3;

/// So often each is asked a question, in case a datagram is lost. The answer to any of them will do, however late.
const ASKED_MAX: u8 = 3;

/// So long after it was asked last it is asked again, unless `resolv.conf` says less.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// So long an answer may take. It leaves an attempt to deliver some time to connect.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(7);

/// So long a look-up waits for an answer before it asks whether the name servers answer anything.
const WITNESS_AFTER: Duration = ASK_AGAIN_AFTER;

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
    hosts: Cached<Arc<str>>,
    servers: Cached<NameServers>,
    /// How often a name server has answered, as far as it shows that there is one.
    answers: AtomicU64,
}

/// What of a file changes when it is written or replaced: its number, length and time of change.
type Stamp = (u64, u64, i64, i64);

/// What a file says, as of when it was read last.
struct Cached<T>(Mutex<Option<(Stamp, T)>>);

impl<T: Clone> Cached<T> {
    /// What the file says now; it is read again only when it was written or replaced.
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

/// One of the library's resolvers for each name server.
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
        // The dot makes it absolute.
        let name = Name::from_ascii(format!("{host}.")).map_err(io::Error::other)?;
        let (v4, v6, answered) = self.both_kinds(&servers, name).await;
        let silent = !answered && !is_answer(&v4) && !is_answer(&v6);
        merged(addresses(v4), addresses(v6)).map_err(|error| {
            if silent && !shortage::is_ours(&error) { no_name_server(&error) } else { error }
        })
    }

    /// The answers for both kinds of addresses, and whether anything was answered while they were long in coming.
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
        // An answer without addresses may be the library's own: it knows some names that are nobody's.
        if v4.is_ok() || v6.is_ok() {
            self.answers.fetch_add(1, Ordering::AcqRel);
        }
        let answered = before.is_some_and(|before| self.answers.load(Ordering::Acquire) != before);
        (v4, v6, answered)
    }

    /// Notes whether the name servers answer anything, and goes on until it is dropped.
    async fn witness(&self, servers: &NameServers) -> Infallible {
        if is_answer(&ask(servers, Name::root(), RecordType::NS).await) {
            self.answers.fetch_add(1, Ordering::AcqRel);
        }
        std::future::pending().await
    }

    /// The addresses that the machine knows by itself.
    fn in_file(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let text = |bytes| String::from_utf8(bytes).map(Arc::from).map_err(io::Error::other);
        match self.hosts.of(&self.files.hosts, text) {
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

/// The name servers of a `resolv.conf`.
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
    // A question that is under way is asked once for all who ask it, so one who came late may see it given up early.
    options.attempts = 1;
    options.cache_size = 0;
    options.use_hosts_file = ResolveHosts::Never;
    // Of a connection over TCP, which all look-ups share: each may ask for two kinds of addresses.
    options.max_active_requests = 2 * LOOKUPS_MAX;
    let resolver = |server| {
        // Without the domains that the file may name.
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

/// Asks all name servers at once. What one of them knows decides, be it that there is nothing; one that fails, only if
/// no other one knows.
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

/// Whether a name server has answered, whatever it was.
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

/// Opens the sockets that name servers are asked on.
#[derive(Clone)]
struct Sockets {
    provider: TokioRuntimeProvider,
    again_after: Duration,
}

/// What a name server is asked through.
#[derive(Clone)]
struct Asking(DnsExchange<TokioRuntimeProvider>);

impl DnsHandle for Asking {
    type Response = <DnsExchange<TokioRuntimeProvider> as DnsHandle>::Response;
    type Runtime = TokioRuntimeProvider;

    fn send(&self, mut request: DnsRequest) -> Self::Response {
        // By itself the library asks again ever later, the more answers without addresses there were.
        request.options_mut().retry_interval = Duration::ZERO;
        self.0.send(request)
    }
}

impl ConnectionProvider for Sockets {
    type Conn = Asking;
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
            return Ok(Box::pin(async move { connecting.await.map(Asking) }));
        };
        // Each time it asks on one more socket, and listens on all of them.
        let stream = UdpClientStream::builder(SocketAddr::new(ip, config.port), self.provider.clone())
            .with_timeout(Some(context.options.timeout))
            .with_max_retries(ASKED_MAX)
            .with_retry_interval_floor(u64::try_from(self.again_after.as_millis()).unwrap_or(u64::MAX));
        Ok(Box::pin(async move { Ok(Asking(stream.exchange())) }))
    }

    fn runtime_provider(&self) -> &TokioRuntimeProvider {
        &self.provider
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
