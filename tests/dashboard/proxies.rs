//! Tests of the dashboard behind nginx and Caddy with the configuration files from `.deploy`. A proxy that is
//! not installed is skipped.
//!
//! The test changes only the ports and the certificate in these files. For Caddy 2.7 or later, it also
//! changes the syntax of one directive.

#![allow(clippy::print_stderr, reason = "prints which tests are skipped")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::block_in_place;

use crate::harness::{Browser, Server};

/// The host name in the configuration files.
const NAME: &str = "api.example.com";
/// The time limit for a connection or a response.
const PATIENCE: Duration = Duration::from_secs(60);
/// The maximum number of attempts to start a proxy. An attempt fails if another program has taken the port.
const STARTS_MAX: usize = 5;

const NGINX: &str = include_str!("../../.deploy/nginx.conf");
const CADDY: &str = include_str!("../../.deploy/Caddyfile");

/// A proxy, and how to start it with its configuration file.
struct Program {
    name: &'static str,
    /// The argument with which the program prints its version.
    version: &'static str,
    /// The signal that ends the program immediately. nginx gets SIGTERM, because its workers would continue
    /// to run after a SIGKILL. Caddy gets SIGKILL. After other signals, it would wait until open
    /// streams end.
    end: &'static str,
    /// Writes the configuration file for these ports. Returns the arguments to check the file, and those to
    /// start the program.
    prepare: fn(&Path, u16, SocketAddr) -> [Vec<String>; 2],
}

const PROGRAMS: [Program; 2] = [
    Program { name: "nginx", version: "-v", end: "-TERM", prepare: nginx },
    Program { name: "caddy", version: "version", end: "-KILL", prepare: caddy },
];

/// Replaces a part of the configuration. Fails if the part is missing.
fn with(text: &str, part: &str, other: &str) -> String {
    assert!(text.contains(part), "the configuration has no {part:?}:\n{text}");
    text.replace(part, other)
}

fn nginx(home: &Path, port: u16, upstream: SocketAddr) -> [Vec<String>; 2] {
    let at = home.display();
    let site = with(NGINX, "127.0.0.1:8080", &upstream.to_string());
    let site = with(&site, "listen 443 ssl;", &format!("listen 127.0.0.1:{port} ssl;"));
    let site = with(&site, "listen [::]:443 ssl;", "");
    let site = with(&site, "/etc/ssl/receptionist/fullchain.pem", &format!("{at}/cert.pem"));
    let site = with(&site, "/etc/ssl/receptionist/privkey.pem", &format!("{at}/key.pem"));
    fs::write(home.join("site.conf"), site).unwrap();
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {at}/{kind};\n"))
        .concat();
    let main = format!(
        "daemon off;\npid {at}/pid;\nerror_log stderr;\nevents {{}}\n\
         http {{\naccess_log off;\n{paths}include {at}/site.conf;\n}}\n"
    );
    fs::write(home.join("nginx.conf"), main).unwrap();
    let file = format!("{at}/nginx.conf");
    let run = ["-e", "stderr", "-p", home.to_str().unwrap(), "-c", &file].map(str::to_owned).to_vec();
    [[&run[..], &["-t".to_owned()]].concat(), run]
}

fn caddy(home: &Path, port: u16, upstream: SocketAddr) -> [Vec<String>; 2] {
    let at = home.display();
    let site = with(CADDY, "127.0.0.1:8080", &upstream.to_string());
    let server = format!("{NAME} {{");
    let by_file = format!("https://{NAME}:{port} {{\n\ttls {at}/cert.pem {at}/key.pem");
    let mut site = with(&site, &server, &by_file);
    if version_of_caddy() >= (2, 7) {
        site = with(&site, "\t\tbuffer_requests\n\t\tmax_buffer_size 256KiB", "\t\trequest_buffers 256KiB");
    }
    // Port 80 and the administration port are not used, because other programs on the machine may use them.
    let file = home.join("Caddyfile");
    fs::write(&file, format!("{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}")).unwrap();
    ["validate", "run"]
        .map(|command| [command, "--config", file.to_str().unwrap(), "--adapter", "caddyfile"])
        .map(|words| words.map(str::to_owned).to_vec())
}

/// The first two numbers of Caddy's version, from a text such as `v2.6.2` or `2.6.2`.
fn version_of_caddy() -> (u32, u32) {
    let said = String::from_utf8(run("caddy", Path::new("."), &["version".into()]).stdout).unwrap();
    let mut numbers =
        said.trim().trim_start_matches('v').split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn command(program: &str, home: &Path, args: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env("HOME", home).env("XDG_DATA_HOME", home).env("XDG_CONFIG_HOME", home);
    command
}

fn run(program: &str, home: &Path, args: &[String]) -> Output {
    command(program, home, args).output().unwrap()
}

/// A running proxy. Its process is ended on drop.
struct Proxy {
    process: Child,
    end: &'static str,
    address: SocketAddr,
    tls: Arc<ClientConfig>,
    _home: TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.end).arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

impl Proxy {
    /// Starts a proxy in front of `upstream`. If the program is not installed, prints a line and returns `None`.
    fn before(program: &Program, upstream: SocketAddr) -> Option<Self> {
        let Program { name, version, end, prepare } = program;
        if Command::new(name).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            eprintln!(
                "skipped: the configuration file of {name} is not tested, because {name} is not installed"
            );
            return None;
        }
        let home = tempfile::tempdir().unwrap();
        let pair = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
        fs::write(home.path().join("cert.pem"), pair.cert.pem()).unwrap();
        fs::write(home.path().join("key.pem"), pair.signing_key.serialize_pem()).unwrap();
        let log = home.path().join("log");
        for _ in 0..STARTS_MAX {
            let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let [prove, start] = prepare(home.path(), address.port(), upstream);
            let proven = run(name, home.path(), &prove);
            assert!(proven.status.success(), "{name}: {}", String::from_utf8_lossy(&proven.stderr));
            let mut started = command(name, home.path(), &start);
            let mut process =
                started.stdout(Stdio::null()).stderr(File::create(&log).unwrap()).spawn().unwrap();
            while process.try_wait().unwrap().is_none() {
                if TcpStream::connect(address).is_ok() {
                    let tls = trusting(&home.path().join("cert.pem"));
                    return Some(Self { process, end, address, tls, _home: home });
                }
                std::thread::yield_now();
            }
        }
        panic!("{name} did not start: {}", fs::read_to_string(log).unwrap());
    }

    /// A TLS connection to the proxy.
    fn connect(&self) -> StreamOwned<ClientConnection, TcpStream> {
        let name = ServerName::try_from(NAME).unwrap();
        let tls = ClientConnection::new(Arc::clone(&self.tls), name).unwrap();
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        StreamOwned::new(tls, stream)
    }

    /// Requests a page with the browser's cookies. Returns the head of the response, and a reader for its
    /// body.
    fn get(&self, path: &str, browser: &Browser) -> (String, impl BufRead + use<>) {
        let cookies: Vec<_> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let mut stream = self.connect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {NAME}\r\nCookie: {cookies}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(answer.read_line(&mut head).unwrap() > 0, "{head}");
        }
        (head.to_lowercase(), answer)
    }
}

/// A client configuration that trusts only this certificate.
fn trusting(file: &Path) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

/// Accepts the next request and responds with 204. Returns the first line and the body of the request.
fn next_request(server: &TcpListener) -> (String, String) {
    let (stream, _) = server.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut request = BufReader::new(&stream);
    let (mut first, mut line, mut bytes) = (String::new(), String::new(), 0);
    request.read_line(&mut first).unwrap();
    while line != "\r\n" {
        line.clear();
        request.read_line(&mut line).unwrap();
        if let Some(length) = line.to_lowercase().strip_prefix("content-length:") {
            bytes = length.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; bytes];
    request.read_exact(&mut body).unwrap();
    (&stream).write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    (first.trim_end().to_owned(), String::from_utf8(body).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_and_live_updates_pass_through_the_shipped_proxies() {
    let server = Server::open_with(Some("https://api.example.com"), None).await;
    let id = server.business("Salon Zoé").await;
    let ada = server.person(&id, "ada@example.com", "owner").await;
    let browser = server.signed_in(&id, &ada).await;
    let base = format!("/dashboard/b/{id}");
    let upstream = server.origin().strip_prefix("http://").unwrap().parse().unwrap();
    for program in &PROGRAMS {
        let Some(proxy) = Proxy::before(program, upstream) else { continue };
        let (head, _) = block_in_place(|| proxy.get(&format!("{base}/contacts"), &browser));
        assert!(head.starts_with("http/1.1 200 "), "{}: {head}", program.name);
        let (head, events) = block_in_place(|| proxy.get(&format!("{base}/stream"), &browser));
        let mut lines = events.lines().map(Result::unwrap);
        let mut data =
            || block_in_place(|| lines.find_map(|line| Some(line.strip_prefix("data: ")?.to_owned())));
        assert!(head.contains("content-type: text/event-stream"), "{}: {head}", program.name);
        // The stream sends its first event immediately, before any change.
        assert_eq!(data().unwrap(), "{}", "{}", program.name);
        let path = format!("/businesses/{id}/contacts");
        let contact = server.operator("POST", &path, json!({ "name": "Nora" })).await;
        let event: Value = serde_json::from_str(&data().unwrap()).unwrap();
        assert_eq!(event, json!({ "kind": "contact", "id": contact["id"] }), "{}", program.name);
    }
}

#[test]
fn the_shipped_proxies_read_a_complete_body_before_they_forward_it() {
    for program in &PROGRAMS {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let Some(proxy) = Proxy::before(program, server.local_addr().unwrap()) else { continue };
        let mut slow = proxy.connect();
        let head = format!("POST /slow HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: 8\r\n\r\nhalf");
        slow.write_all(head.as_bytes()).unwrap();
        // The second request is sent later but is complete, so the proxy forwards it first.
        let mut quick = proxy.connect();
        quick.write_all(format!("GET /quick HTTP/1.1\r\nHost: {NAME}\r\n\r\n").as_bytes()).unwrap();
        assert_eq!(next_request(&server), ("GET /quick HTTP/1.1".into(), String::new()), "{}", program.name);
        slow.write_all(b"+end").unwrap();
        assert_eq!(
            next_request(&server),
            ("POST /slow HTTP/1.1".into(), "half+end".into()),
            "{}",
            program.name
        );
    }
}
