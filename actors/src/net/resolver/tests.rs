use std::collections::HashMap;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use tokio::time::sleep;

use super::*;

const HOST: &str = "hook.example.com";
/// Types of records.
const A: u16 = 1;
const NS: u16 = 2;
const CNAME: u16 = 5;
const AAAA: u16 = 28;
/// Kinds of answers.
const NO_ERROR: u8 = 0;
const SERVER_FAILURE: u8 = 2;
const NO_SUCH_NAME: u8 = 3;
const REFUSED: u8 = 5;

/// What a name server says to a question.
#[derive(Clone)]
enum Says {
    /// This kind of answer, with these addresses.
    Answer(u8, Vec<IpAddr>),
    /// That the name is an alias of another one, which has these addresses.
    Alias(&'static str, Vec<IpAddr>),
    /// That the answer is too long for a datagram; over TCP it is this.
    TooLong(Vec<IpAddr>),
    /// Nothing before the question has come so often; then this, to the first who asked.
    Late(usize, Vec<IpAddr>),
    /// Nothing before the question has come so often; then this, to whoever asked last.
    Lost(usize, Vec<IpAddr>),
    Nothing,
}

type Zone = HashMap<(String, u16), Says>;
type Askers = HashMap<(String, u16), Vec<([u8; 2], SocketAddr)>>;

/// A name server on the loopback interface.
#[derive(Clone, Default)]
struct NameServer {
    zone: Arc<Mutex<Zone>>,
    asked: Arc<Mutex<Vec<(String, u16)>>>,
    /// Who has asked each question, with the number that the answer must bear.
    askers: Arc<Mutex<Askers>>,
}

impl NameServer {
    fn set(&self, name: &str, kind: u16, says: Says) {
        self.zone.lock().insert((name.to_owned(), kind), says);
    }

    fn has(&self, name: &str, v4: &[&str], v6: &[&str]) {
        for (kind, addresses) in [(A, v4), (AAAA, v6)] {
            self.set(name, kind, Says::Answer(NO_ERROR, ips(addresses)));
        }
    }

    fn is_silent_on(&self, name: &str) {
        self.set(name, A, Says::Nothing);
        self.set(name, AAAA, Says::Nothing);
    }

    /// Says nothing, whatever it is asked.
    fn is_silent(&self) {
        self.is_silent_on(HOST);
        self.set("", NS, Says::Nothing);
    }

    fn asked(&self) -> Vec<(String, u16)> {
        let mut asked = self.asked.lock().clone();
        asked.sort();
        asked
    }

    /// Serves datagrams and connections at an address; gives the port.
    async fn listen(&self, ip: &str, port: u16) -> u16 {
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind((ip, port)).await.unwrap();
            let bound = udp.local_addr().unwrap();
            match TcpListener::bind(bound).await {
                Ok(tcp) => break (udp, tcp),
                Err(error) => assert_eq!(port, 0, "{error}"),
            }
        };
        let port = udp.local_addr().unwrap().port();
        let server = self.clone();
        tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((length, from)) = udp.recv_from(&mut question).await {
                if let Some((answer, to)) = server.answer(&question[..length], Some(from)) {
                    udp.send_to(&answer, to.unwrap()).await.unwrap();
                }
            }
        });
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = tcp.accept().await {
                let mut question = vec![0; stream.read_u16().await.unwrap().into()];
                stream.read_exact(&mut question).await.unwrap();
                let (answer, _) = server.answer(&question, None).unwrap();
                stream.write_u16(answer.len().try_into().unwrap()).await.unwrap();
                stream.write_all(&answer).await.unwrap();
            }
        });
        port
    }

    /// The answer to a question (RFC 1035 §4.1), if there is one, and to whom; over TCP nobody is named.
    fn answer(&self, question: &[u8], from: Option<SocketAddr>) -> Option<(Vec<u8>, Option<SocketAddr>)> {
        let (mut name, mut at) = (Vec::new(), 12);
        while question[at] != 0 {
            let label = at + 1..at + 1 + usize::from(question[at]);
            at = label.end;
            name.push(String::from_utf8(question[label].to_vec()).unwrap());
        }
        let end = at + 5;
        let kind = u16::from_be_bytes([question[at + 1], question[at + 2]]);
        let asked = (name.join("."), kind);
        self.asked.lock().push(asked.clone());
        let says = self.zone.lock().get(&asked).cloned();
        let mut number = [question[0], question[1]];
        let mut to = from;
        let mut times = 0;
        if let Some(from) = from {
            let mut askers = self.askers.lock();
            let askers = askers.entry(asked).or_default();
            askers.push((number, from));
            times = askers.len();
            if let Some(Says::Late(..)) = says {
                (number, to) = (askers[0].0, Some(askers[0].1));
            }
        }
        let (code, alias, addresses, cut) = match says.unwrap_or(Says::Answer(NO_SUCH_NAME, Vec::new())) {
            Says::Answer(code, addresses) => (code, None, addresses, false),
            Says::Alias(other, addresses) => (NO_ERROR, Some(other), addresses, false),
            Says::Late(wanted, addresses) | Says::Lost(wanted, addresses) if times == wanted => {
                (NO_ERROR, None, addresses, false)
            }
            Says::TooLong(_) if from.is_some() => (NO_ERROR, None, Vec::new(), true),
            Says::TooLong(addresses) => (NO_ERROR, None, addresses, false),
            Says::Late(..) | Says::Lost(..) | Says::Nothing => return None,
        };
        let records = addresses.len() + usize::from(alias.is_some());
        let mut answer = number.to_vec();
        answer.extend([
            0x81 | u8::from(cut) << 1,
            0x80 | code,
            0,
            1,
            0,
            records.try_into().unwrap(),
            0,
            0,
            0,
            0,
        ]);
        answer.extend(&question[12..end]);
        // Where the name stands of which the addresses are.
        let mut owner = 12;
        if let Some(alias) = alias {
            let labels: Vec<u8> = alias.split('.').flat_map(labelled).chain([0]).collect();
            record(&mut answer, owner, CNAME, &labels);
            owner = u8::try_from(answer.len() - labels.len()).unwrap();
        }
        for address in addresses {
            match address {
                IpAddr::V4(address) => record(&mut answer, owner, A, &address.octets()),
                IpAddr::V6(address) => record(&mut answer, owner, AAAA, &address.octets()),
            }
        }
        Some((answer, to))
    }
}

fn labelled(label: &str) -> impl Iterator<Item = u8> {
    [u8::try_from(label.len()).unwrap()].into_iter().chain(label.bytes())
}

/// Adds a record of the name that stands at a place of the answer; it is to be kept for an hour.
fn record(answer: &mut Vec<u8>, owner: u8, kind: u16, data: &[u8]) {
    answer.extend([0xc0, owner]);
    answer.extend(kind.to_be_bytes());
    answer.extend([0, 1, 0, 0, 0x0e, 0x10]);
    answer.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
    answer.extend(data);
}

fn ips(addresses: &[&str]) -> Vec<IpAddr> {
    addresses.iter().map(|address| address.parse().unwrap()).collect()
}

/// A machine with files of its own and one name server.
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

    /// Replaces `resolv.conf`, as programs do that keep it.
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
async fn both_kinds_of_addresses_are_asked_for_and_given_in_turn() {
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
async fn an_answer_is_not_kept() {
    let machine = Machine::new().await;
    for address in ["192.0.2.1", "192.0.2.2", "10.0.0.1"] {
        machine.server.has(HOST, &[address], &[]);
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&[address]));
    }
    // Nor is it kept that there is none.
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
    // Without an address it is an error, also if the other kind is known to be missing.
    machine.server.has(HOST, &[], &[]);
    machine.server.set(HOST, AAAA, broken());
    let error = machine.fails(HOST).await;
    assert!(error.kind() != io::ErrorKind::NotFound && !shortage::is_ours(&error), "{error}");
}

#[tokio::test]
async fn an_alias_leads_to_the_addresses_of_the_other_name() {
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
async fn names_on_which_the_servers_are_silent_hold_no_other_name_up() {
    // Few enough for their questions to lie in the name server's socket until it reads them.
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
    // And they end when whoever asked gives up.
    for lookup in silent {
        lookup.abort();
        assert!(lookup.await.unwrap_err().is_cancelled());
    }
    assert_eq!(machine.resolver.lookups.available_permits(), LOOKUPS_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up_in_time() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let start = tokio::time::Instant::now();
    assert_eq!(machine.fails(HOST).await.kind(), io::ErrorKind::TimedOut);
    assert!(start.elapsed() < RESOLVE_TIME_MAX, "{:?}", start.elapsed());
}

/// Whether an error says that there is no name server.
fn is_none_there(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<NoNameServer>())
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_late_counts_though_it_was_asked_again_meanwhile() {
    for asked in 2..=usize::from(ASKED_MAX) {
        let machine = Machine::new().await;
        machine.server.set(HOST, A, Says::Late(asked, ips(&["192.0.2.1"])));
        machine.server.set(HOST, AAAA, Says::Late(asked, ips(&["2001:db8::1"])));
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1", "2001:db8::1"]), "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn datagrams_may_be_lost() {
    for asked in 2..=usize::from(ASKED_MAX) {
        let machine = Machine::new().await;
        machine.server.set(HOST, A, Says::Lost(asked, ips(&["192.0.2.1"])));
        machine.server.set(HOST, AAAA, Says::Lost(1, ips(&[])));
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]), "{asked}");
        let of_host = machine.server.asked().into_iter().filter(|asked| *asked == (HOST.to_owned(), A));
        assert_eq!(of_host.count(), asked);
    }
    // And are not sent for ever, however many answers without addresses there were before.
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
async fn a_slow_answer_is_waited_for_by_whoever_asks_meanwhile() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let resolver = Arc::clone(&machine.resolver);
    let first = tokio::spawn(async move { resolver.resolve(HOST).await });
    sleep(ANSWER_TIME_MAX - Duration::from_secs(1)).await;
    // What is under way is asked once for both, and given up while the second one has time.
    let resolver = Arc::clone(&machine.resolver);
    let second = tokio::spawn(async move { resolver.resolve(HOST).await });
    assert_eq!(first.await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
    machine.server.has(HOST, &["192.0.2.1"], &[]);
    assert_eq!(second.await.unwrap().unwrap(), ips(&["192.0.2.1"]));
}

#[tokio::test(start_paused = true)]
async fn silence_on_one_name_is_not_that_of_the_name_servers() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let error = machine.fails(HOST).await;
    assert!(!is_none_there(&error) && !shortage::is_ours(&error), "{error}");
    assert!(machine.server.asked().contains(&(String::new(), NS)));
    assert!(machine.resolver.is_answered().await);
    // A server that fails has answered.
    for code in [SERVER_FAILURE, REFUSED] {
        machine.server.set("", NS, Says::Answer(code, Vec::new()));
        assert!(!is_none_there(&machine.fails(HOST).await));
        assert!(machine.resolver.is_answered().await);
    }
    // Nor is it theirs when another name is answered meanwhile.
    machine.server.is_silent();
    assert!(!machine.resolver.is_answered().await);
    machine.server.has("other.example.com", &["192.0.2.1"], &[]);
    let resolver = Arc::clone(&machine.resolver);
    let silent = tokio::spawn(async move { resolver.resolve(HOST).await });
    sleep(WITNESS_AFTER * 2).await;
    machine.resolve("other.example.com").await.unwrap();
    assert!(!is_none_there(&silent.await.unwrap().unwrap_err()));
}

#[tokio::test(start_paused = true)]
async fn name_servers_that_answer_nothing_are_none() {
    let machine = Machine::new().await;
    // What was answered before the silence began says nothing of it.
    machine.server.has("other.example.com", &["192.0.2.1"], &[]);
    machine.resolve("other.example.com").await.unwrap();
    machine.server.is_silent();
    assert!(is_none_there(&machine.fails(HOST).await));
    // Nor are there any where nothing can be sent to, or none is named.
    for text in
        ["nameserver fe80::1\n", "nameserver fe80::1\nnameserver 127.0.0.1\n", "search example.org\n", ""]
    {
        machine.configure(text);
        let error = machine.fails(HOST).await;
        assert!(is_none_there(&error) && !shortage::is_ours(&error), "{text:?}: {error}");
        assert!(!machine.resolver.is_answered().await);
    }
}

#[tokio::test(start_paused = true)]
async fn one_name_server_that_knows_is_enough() {
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
    assert!(fourth.asked().is_empty(), "no more than {SERVERS_MAX} are asked");
    // If none knows, it matters that one has failed.
    third.is_silent_on(HOST);
    let error = machine.fails(HOST).await;
    assert!(!is_none_there(&error) && error.kind() != io::ErrorKind::TimedOut, "{error}");
}

#[tokio::test]
async fn a_name_server_that_is_silent_does_not_matter_beside_one_that_answers() {
    let machine = Machine::new().await;
    machine.server.is_silent_on(HOST);
    let second = NameServer::default();
    second.listen("127.0.0.2", machine.files.port).await;
    second.has(HOST, &["192.0.2.1"], &[]);
    machine.configure("nameserver 127.0.0.1\nnameserver 127.0.0.2\n");
    assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&["192.0.2.1"]));
}

#[tokio::test]
async fn a_look_up_beyond_the_bound_is_a_lack_of_our_own() {
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
async fn the_name_servers_are_read_anew_when_their_file_changes() {
    let machine = Machine::new().await;
    machine.server.has(HOST, &["192.0.2.1"], &[]);
    std::fs::remove_file(&machine.files.resolv).unwrap();
    for text in [None, Some("search example.org\n")] {
        text.into_iter().for_each(|text| machine.configure(text));
        let error = machine.fails(HOST).await;
        assert!(
            error.to_string().contains("resolv.conf cannot be used: ") && is_none_there(&error),
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
async fn names_that_the_machine_knows_by_itself_are_not_asked_for() {
    let machine = Machine::new().await;
    for address in ["192.0.2.1", "192.0.2.2"] {
        Machine::replace(&machine.files.hosts, &format!("{address} {HOST}\n"));
        assert_eq!(machine.resolve(HOST).await.unwrap(), ips(&[address]));
    }
    // One that is gone names nobody any more.
    std::fs::remove_file(&machine.files.hosts).unwrap();
    assert!(machine.resolver.known(HOST).is_empty());
    assert!(machine.server.asked().is_empty());
}

#[test]
fn the_file_of_names_is_read_as_the_system_reads_it() {
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
fn a_lack_of_our_own_is_seen_through_every_layer() {
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
