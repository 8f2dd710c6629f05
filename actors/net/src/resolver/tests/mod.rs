mod name_server;

use std::sync::Arc;

use tempfile::TempDir;
use tokio::time::sleep;

use self::name_server::*;
use super::*;

const HOST: &str = "hook.example.com";

fn ips(addresses: &[&str]) -> Vec<IpAddr> {
    addresses.iter().map(|address| address.parse().unwrap()).collect()
}

/// A simulated machine that has its own configuration files and one name server.
struct Machine {
    files: Files,
    resolver: Arc<SystemResolver>,
    server: NameServer,
    _directory: TempDir,
}

impl Machine {
    async fn new() -> Self {
        Self::with(LOOKUPS_MAX).await
    }

    async fn with(lookups_max: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let server = NameServer::default();
        let port = server.listen("127.0.0.1", 0).await;
        let files = Files {
            hosts: directory.path().join("hosts"),
            resolv: directory.path().join("resolv.conf"),
            port,
        };
        let resolver = Arc::new(SystemResolver::with(files.clone(), lookups_max));
        let machine = Self { files, resolver, server, _directory: directory };
        machine.configure("nameserver 127.0.0.1\n");
        machine
    }

    /// Replaces `resolv.conf` as other programs do: writes a new file and renames it to `resolv.conf`.
    fn configure(&self, text: &str) {
        Self::replace(&self.files.resolv, text);
    }

    fn replace(file: &Path, text: &str) {
        let new = file.with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, file).unwrap();
    }

    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.resolver.resolve(host).await
    }

    async fn fails(&self, host: &str) -> io::Error {
        self.resolve(host).await.unwrap_err()
    }
}

#[tokio::test]
async fn both_kinds_of_addresses_are_asked_for_and_returned_alternately() {
    let machine = Machine::new().await;
    machine.server.has(HOST, &["192.0.2.1", "192.0.2.2"], &["2001:db8::1"]);
    let found = machine.resolve(HOST).await.unwrap();
    assert_eq!(found, ips(&["192.0.2.1", "2001:db8::1", "192.0.2.2"]));
    assert_eq!(machine.server.asked(), [(HOST.to_owned(), A), (HOST.to_owned(), AAAA)]);
    machine.server.has("a_b.example.com", &[], &["2001:db8::2"]);
    assert_eq!(machine.resolve("a_b.example.com").await.unwrap(), ips(&["2001:db8::2"]));
}

#[tokio::test]
async fn names_are_absolute() {
    let machine = Machine::new().await;
    machine.configure("domain inside\nsearch inside example.org\noptions ndots:9\nnameserver 127.0.0.1\n");
    for inside in ["hook.example.com.inside", "hook.example.com.example.org"] {
        machine.server.has(inside, &["10.0.0.1"], &[]);
    }
    assert_eq!(machine.fails(HOST).await.kind(), io::ErrorKind::NotFound);
    assert!(machine.server.asked().iter().all(|(name, _)| name == HOST), "{:?}", machine.server.asked());
}

#[tokio::test]
async fn an_answer_is_not_cached() {
    let machine = Machine::new().await;
    for address in ["192.0.2.1", "192.0.2.2", "10.0.0.1"] {
        machine.server.has(HOST, &[address], &[]);
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&[address]));
    }
    // The result that a name is missing must not be cached either.
    machine.server.has("new.example.com", &[], &[]);
    machine.fails("new.example.com").await;
    machine.server.has("new.example.com", &["192.0.2.1"], &[]);
    assert_eq!(machine.resolve("new.example.com").await.unwrap(), ips(&["192.0.2.1"]));
}

#[tokio::test]
async fn a_name_without_addresses_is_not_found() {
    let machine = Machine::new().await;
    machine.server.has("empty.example.com", &[], &[]);
    for host in ["unknown.example.com", "empty.example.com"] {
        assert_eq!(machine.fails(host).await.kind(), io::ErrorKind::NotFound, "{host}");
    }
}

#[tokio::test]
async fn an_error_for_one_kind_of_addresses_does_not_hide_the_other() {
    let machine = Machine::new().await;
    let broken = || Says::Answer(SERVER_FAILURE, Vec::new());
    machine.server.has(HOST, &["192.0.2.1"], &[]);
    machine.server.set(HOST, AAAA, broken());
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]));
    machine.server.has(HOST, &[], &["2001:db8::1"]);
    machine.server.set(HOST, A, broken());
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["2001:db8::1"]));
    // If one kind of address is missing and the query for the other kind fails, the lookup returns the failure.
    machine.server.has(HOST, &[], &[]);
    machine.server.set(HOST, AAAA, broken());
    let error = machine.fails(HOST).await;
    assert!(error.kind() != io::ErrorKind::NotFound && !shortage::is_ours(&error), "{error}");
}

#[tokio::test]
async fn an_alias_resolves_to_the_addresses_of_the_other_name() {
    let machine = Machine::new().await;
    machine.server.set(HOST, A, Says::Alias("real.example.net", ips(&["192.0.2.1"])));
    machine.server.set(HOST, AAAA, Says::Alias("real.example.net", ips(&["2001:db8::1"])));
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1", "2001:db8::1"]));
}

#[tokio::test]
async fn an_answer_that_is_too_long_for_a_datagram_is_fetched_over_tcp() {
    let machine = Machine::new().await;
    let many: Vec<IpAddr> = (1..=100).map(|last| IpAddr::from([192, 0, 2, last])).collect();
    machine.server.has(HOST, &[], &[]);
    machine.server.set(HOST, A, Says::TooLong(many.clone()));
    assert_eq!(machine.resolve(HOST).await.unwrap(), many);
}

#[tokio::test]
async fn a_name_without_an_answer_does_not_delay_other_names() {
    // The number of lookups without an answer. Their questions fit into the socket buffer of the name server.
    const SILENT: usize = 64;
    let machine = Machine::new().await;
    machine.server.has(HOST, &["192.0.2.1"], &[]);
    let silent: Vec<_> = (0..SILENT)
        .map(|index| {
            let host = format!("silent-{index}.example.com");
            machine.server.is_silent_on(&host);
            let resolver = Arc::clone(&machine.resolver);
            tokio::spawn(async move { resolver.resolve(&host).await })
        })
        .collect();
    while machine.server.asked().len() < 2 * SILENT {
        tokio::task::yield_now().await;
    }
    assert_eq!(machine.resolver.lookups.available_permits(), LOOKUPS_MAX - SILENT);
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]));
    assert!(silent.iter().all(|lookup| !lookup.is_finished()));
    // A lookup ends when its caller drops it.
    for lookup in silent {
        lookup.abort();
        assert!(lookup.await.unwrap_err().is_cancelled());
    }
    assert_eq!(machine.resolver.lookups.available_permits(), LOOKUPS_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_lookup_at_a_silent_server_times_out() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let start = tokio::time::Instant::now();
    assert_eq!(machine.fails(HOST).await.kind(), io::ErrorKind::TimedOut);
    assert!(start.elapsed() < RESOLVE_TIME_MAX, "{:?}", start.elapsed());
}

fn is_no_name_server(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<NoNameServer>())
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_counts_after_the_question_was_repeated() {
    for asked in 2..=usize::from(ASKED_MAX) {
        let machine = Machine::new().await;
        machine.server.set(HOST, A, Says::Late(asked, ips(&["192.0.2.1"])));
        machine.server.set(HOST, AAAA, Says::Late(asked, ips(&["2001:db8::1"])));
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1", "2001:db8::1"]), "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_is_repeated_if_a_datagram_is_lost() {
    for asked in 2..=usize::from(ASKED_MAX) {
        let machine = Machine::new().await;
        machine.server.set(HOST, A, Says::Lost(asked, ips(&["192.0.2.1"])));
        machine.server.set(HOST, AAAA, Says::Lost(1, ips(&[])));
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]), "{asked}");
        let of_host = machine.server.asked().into_iter().filter(|asked| *asked == (HOST.to_owned(), A));
        assert_eq!(of_host.count(), asked);
    }
    // With the default settings of the library, each answer without addresses would lengthen the time until a question
    // is repeated. A later question would then be sent fewer times before it times out. The resolver prevents this:
    // even after 50 answers without addresses, an unanswered question is sent `ASKED_MAX` times.
    let machine = Machine::new().await;
    for number in 0..50 {
        machine.fails(&format!("unknown-{number}.example.com")).await;
    }
    machine.server.is_silent_on(HOST);
    machine.fails(HOST).await;
    let of_host = machine.server.asked().into_iter().filter(|asked| *asked == (HOST.to_owned(), A));
    assert_eq!(of_host.count(), usize::from(ASKED_MAX));
}

#[tokio::test(start_paused = true)]
async fn a_second_look_up_of_a_slow_name_outlives_the_first() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let resolver = Arc::clone(&machine.resolver);
    let first = tokio::spawn(async move { resolver.resolve(HOST).await });
    sleep(ANSWER_TIME_MAX - Duration::from_secs(1)).await;
    // The second lookup shares the query of the first lookup. This query times out before the second lookup does, so
    // the second lookup must send a new query.
    let resolver = Arc::clone(&machine.resolver);
    let second = tokio::spawn(async move { resolver.resolve(HOST).await });
    assert_eq!(first.await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
    machine.server.has(HOST, &["192.0.2.1"], &[]);
    assert_eq!(second.await.unwrap().unwrap(), ips(&["192.0.2.1"]));
}

#[tokio::test(start_paused = true)]
async fn name_servers_that_are_silent_on_one_name_count_as_working() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let error = machine.fails(HOST).await;
    assert!(!is_no_name_server(&error) && !shortage::is_ours(&error), "{error}");
    assert!(machine.server.asked().contains(&(String::new(), NS)));
    assert!(machine.resolver.is_answered().await);
    // A response with an error code also counts as an answer of the name server.
    for code in [SERVER_FAILURE, REFUSED] {
        machine.server.set("", NS, Says::Answer(code, Vec::new()));
        assert!(!is_no_name_server(&machine.fails(HOST).await));
        assert!(machine.resolver.is_answered().await);
    }
    // The name server no longer answers questions about `HOST` or the DNS root.
    machine.server.is_silent();
    assert!(!machine.resolver.is_answered().await);
    // While a lookup of `HOST` waits, the name server answers a question about another name. This answer shows that the
    // name server works.
    machine.server.has("other.example.com", &["192.0.2.1"], &[]);
    let resolver = Arc::clone(&machine.resolver);
    let silent = tokio::spawn(async move { resolver.resolve(HOST).await });
    sleep(WITNESS_AFTER * 2).await;
    machine.resolve("other.example.com").await.unwrap();
    assert!(!is_no_name_server(&silent.await.unwrap().unwrap_err()));
}

#[tokio::test(start_paused = true)]
async fn name_servers_that_never_respond_count_as_missing() {
    let machine = Machine::new().await;
    // The name server answers a question and then becomes silent. The earlier answer must not count as evidence that it
    // works.
    machine.server.has("other.example.com", &["192.0.2.1"], &[]);
    machine.resolve("other.example.com").await.unwrap();
    machine.server.is_silent();
    assert!(is_no_name_server(&machine.fails(HOST).await));
    // If `resolv.conf` names no server, or only unusable or silent servers, the lookup must fail with the same error.
    for text in
        ["nameserver fe80::1\n", "nameserver fe80::1\nnameserver 127.0.0.1\n", "search example.org\n", ""]
    {
        machine.configure(text);
        let error = machine.fails(HOST).await;
        assert!(is_no_name_server(&error) && !shortage::is_ours(&error), "{text:?}: {error}");
        assert!(!machine.resolver.is_answered().await);
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_of_one_name_server_is_sufficient() {
    let machine = Machine::new().await;
    let [second, third, fourth] = [(); 3].map(|()| NameServer::default());
    for (server, ip) in [(&second, "127.0.0.2"), (&third, "127.0.0.3"), (&fourth, "127.0.0.4")] {
        server.listen(ip, machine.files.port).await;
    }
    machine.configure(
        "nameserver 127.0.0.1\nnameserver 127.0.0.2\nnameserver 127.0.0.3\nnameserver 127.0.0.4\n",
    );
    machine.server.is_silent();
    second.set(HOST, A, Says::Answer(SERVER_FAILURE, Vec::new()));
    second.set(HOST, AAAA, Says::Answer(REFUSED, Vec::new()));
    third.set(HOST, A, Says::Late(3, ips(&["192.0.2.3"])));
    third.set(HOST, AAAA, Says::Answer(NO_ERROR, ips(&[])));
    fourth.has(HOST, &["192.0.2.4"], &[]);
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.3"]));
    assert!(fourth.asked().is_empty(), "at most {SERVERS_MAX} servers may be asked");
    // If one server fails and the others are silent, the lookup returns the failure.
    third.is_silent_on(HOST);
    let error = machine.fails(HOST).await;
    assert!(!is_no_name_server(&error) && error.kind() != io::ErrorKind::TimedOut, "{error}");
}

#[tokio::test]
async fn a_silent_name_server_does_not_delay_the_answer_of_another() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let second = NameServer::default();
    second.listen("127.0.0.2", machine.files.port).await;
    second.has(HOST, &["192.0.2.1"], &[]);
    machine.configure("nameserver 127.0.0.1\nnameserver 127.0.0.2\n");
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]));
}

#[tokio::test]
async fn a_lookup_above_the_limit_is_a_local_shortage() {
    let machine = Machine::with(1).await;
    machine.server.is_silent_on("silent.example.com");
    machine.server.has(HOST, &["192.0.2.1"], &[]);
    let resolver = Arc::clone(&machine.resolver);
    let first = tokio::spawn(async move { resolver.resolve("silent.example.com").await });
    while machine.resolver.lookups.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    assert!(shortage::is_ours(&machine.fails(HOST).await));
    first.abort();
    let _ = first.await;
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]));
}

#[tokio::test]
async fn the_name_servers_are_read_again_when_their_file_changes() {
    let machine = Machine::new().await;
    machine.server.has(HOST, &["192.0.2.1"], &[]);
    std::fs::remove_file(&machine.files.resolv).unwrap();
    for text in [None, Some("search example.org\n")] {
        text.into_iter().for_each(|text| machine.configure(text));
        let error = machine.fails(HOST).await;
        assert!(
            error.to_string().contains("resolv.conf cannot be used: ") && is_no_name_server(&error),
            "{error}"
        );
        assert!(!shortage::is_ours(&error));
    }
    machine.configure("nameserver 127.0.0.1\n");
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]));
    let second = NameServer::default();
    second.listen("127.0.0.2", machine.files.port).await;
    second.has(HOST, &["192.0.2.2"], &[]);
    machine.configure("nameserver 127.0.0.2\n");
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.2"]));
}

#[tokio::test]
async fn names_known_to_the_machine_are_not_sent_to_a_name_server() {
    let machine = Machine::new().await;
    for address in ["192.0.2.1", "192.0.2.2"] {
        Machine::replace(&machine.files.hosts, &format!("{address} {HOST}\n"));
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&[address]));
    }
    // After the hosts file is deleted, no hosts are known.
    std::fs::remove_file(&machine.files.hosts).unwrap();
    assert!(machine.resolver.known(HOST).is_empty());
    assert!(machine.server.asked().is_empty());
}

#[test]
fn the_hosts_file_is_read_as_the_system_reads_it() {
    let hosts = "# 9.9.9.9 hook.example.com\n\
        127.0.0.1\tlocalhost\n\
        93.184.216.34  other.example.com Hook.Example.com # the receiver\n\
        nonsense hook.example.com\n\
        2606:4700::1111 hook.example.com\n";
    assert_eq!(in_hosts(hosts, HOST), ips(&["93.184.216.34", "2606:4700::1111"]));
    assert!(in_hosts(hosts, "receiver").is_empty());
    assert!(in_hosts(hosts, "example.com").is_empty());
}

#[test]
fn a_local_shortage_is_detected_through_every_layer() {
    let short = || io_error(NetError::Io(Arc::new(io::Error::from_raw_os_error(24))));
    let nothing = || io::Error::from(io::ErrorKind::NotFound);
    assert!(shortage::is_ours(&merged(Err(nothing()), Err(short())).unwrap_err()));
    assert!(shortage::is_ours(&merged(Err(short()), Err(io_error(NetError::Timeout))).unwrap_err()));
    assert_eq!(merged(Err(short()), Ok(ips(&["192.0.2.1"]))).unwrap(), ips(&["192.0.2.1"]));
}

#[tokio::test]
async fn the_machine_s_own_files_are_used() {
    let resolver = SystemResolver::new();
    assert!(resolver.resolve("localhost").await.unwrap().iter().all(IpAddr::is_loopback));
    assert!(resolver.resolve("no-such-name.invalid").await.is_err());
}
