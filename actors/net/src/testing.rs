//! A simulated network for tests: scripted names, receivers in memory, and certificates.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use ports::{BoxFuture, Dialer, NoNameServer, Resolver, Stream};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf, duplex};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

/// The number of the system error `ENETUNREACH`, which means that there is no route to an address.
pub(crate) const NO_ROUTE: i32 = 101;

/// The size of the pipe between client and receiver.
pub(crate) const PIPE_BYTES: usize = 4096;

#[derive(Default)]
pub(crate) struct FakeDns {
    answers: Mutex<HashMap<String, DnsAnswer>>,
    asked: AtomicUsize,
    /// True if all name servers are silent.
    silent: AtomicBool,
    probed: AtomicUsize,
    known: Mutex<HashMap<String, Vec<IpAddr>>>,
}

#[derive(Clone)]
enum DnsAnswer {
    Addresses(Vec<IpAddr>),
    Never,
    /// A system error with this number.
    Error(i32),
    /// The server responds with a failure.
    Failure,
}

impl FakeDns {
    pub(crate) fn set(&self, host: &str, answer: &[&str]) {
        let answer = answer.iter().map(|address| address.parse().unwrap()).collect();
        self.answers.lock().insert(host.to_owned(), DnsAnswer::Addresses(answer));
    }

    pub(crate) fn hang(&self, host: &str) {
        self.answers.lock().insert(host.to_owned(), DnsAnswer::Never);
    }

    pub(crate) fn fail(&self, host: &str, number: i32) {
        self.answers.lock().insert(host.to_owned(), DnsAnswer::Error(number));
    }

    pub(crate) fn break_down(&self, host: &str) {
        self.answers.lock().insert(host.to_owned(), DnsAnswer::Failure);
    }

    /// Sets whether all name servers are silent.
    pub(crate) fn set_silent(&self, silent: bool) {
        self.silent.store(silent, Ordering::Relaxed);
    }

    /// Adds a name to the hosts file.
    pub(crate) fn know(&self, host: &str, address: &str) {
        self.known.lock().insert(host.to_owned(), vec![address.parse().unwrap()]);
    }

    /// The number of probes.
    pub(crate) fn probed(&self) -> usize {
        self.probed.load(Ordering::Relaxed)
    }

    /// The number of lookups.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Resolver for FakeDns {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let known = self.known(host);
        let answer = match self.silent.load(Ordering::Relaxed) {
            _ if !known.is_empty() => Some(DnsAnswer::Addresses(known)),
            true => return Box::pin(async { Err(io::Error::other(NoNameServer("a test".into()))) }),
            false => self.answers.lock().get(host).cloned(),
        };
        Box::pin(async move {
            match answer {
                Some(DnsAnswer::Failure) => Err(io::Error::other("the server has failed")),
                Some(DnsAnswer::Addresses(addresses)) => Ok(addresses),
                Some(DnsAnswer::Never) => std::future::pending().await,
                Some(DnsAnswer::Error(number)) => Err(io::Error::from_raw_os_error(number)),
                None => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }

    fn known(&self, host: &str) -> Vec<IpAddr> {
        self.known.lock().get(host).cloned().unwrap_or_default()
    }

    fn is_answered(&self) -> BoxFuture<'_, bool> {
        self.probed.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { !self.silent.load(Ordering::Relaxed) })
    }
}

#[derive(Clone)]
pub(crate) enum Place {
    Receiver(Arc<Receiver>),
    Socket(SocketAddr),
    /// At this address, connection attempts never end.
    BlackHole,
    /// At this address, connections are refused.
    Refusing,
    /// At this address, every attempt to connect fails with the system error (`errno`) in this field.
    Error(i32),
    /// At this address, a receiver responds, but the connection reports another peer address.
    Elsewhere(Arc<Receiver>, SocketAddr),
}

/// The scripted behaviour of each address, and the addresses to which the code has tried to connect.
#[derive(Default)]
pub(crate) struct FakeNet {
    places: Mutex<HashMap<SocketAddr, Place>>,
    dialled: Mutex<Vec<SocketAddr>>,
    /// The addresses to which a route exists. `None` means all addresses.
    routes: Mutex<Option<Vec<IpAddr>>>,
}

impl FakeNet {
    pub(crate) fn put(&self, address: &str, place: Place) {
        self.places.lock().insert(address.parse().unwrap(), place);
    }

    /// Sets the addresses to which a route exists. `None` means all addresses.
    pub(crate) fn set_routes(&self, routes: Option<&[&str]>) {
        let routes = routes.map(|routes| routes.iter().map(|route| route.parse().unwrap()).collect());
        *self.routes.lock() = routes;
    }

    pub(crate) fn dialled(&self) -> Vec<String> {
        self.dialled.lock().iter().map(ToString::to_string).collect()
    }
}

impl Dialer for FakeNet {
    #[allow(clippy::disallowed_methods, reason = "connects to a local socket that a test has opened")]
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        self.dialled.lock().push(address);
        let place = self.places.lock().get(&address).cloned().unwrap_or(Place::Refusing);
        let place = if self.has_route(address.ip()) { place } else { Place::Error(NO_ROUTE) };
        Box::pin(async move {
            let (receiver, peer) = match place {
                Place::Receiver(receiver) => (receiver, address),
                Place::Elsewhere(receiver, peer) => (receiver, peer),
                Place::Socket(socket) => {
                    let stream = TcpStream::connect(socket).await?;
                    return Ok(Box::new(At { stream, peer: address }) as Box<dyn Stream>);
                }
                Place::BlackHole => std::future::pending().await,
                Place::Refusing => return Err(io::ErrorKind::ConnectionRefused.into()),
                Place::Error(number) => return Err(io::Error::from_raw_os_error(number)),
            };
            let (stream, theirs) = duplex(PIPE_BYTES);
            tokio::spawn(receiver.serve(theirs));
            Ok(Box::new(At { stream, peer }) as Box<dyn Stream>)
        })
    }

    fn has_route(&self, to: IpAddr) -> bool {
        self.routes.lock().as_ref().is_none_or(|routes| routes.contains(&to))
    }
}

/// A stream that reports the peer address that the test has set.
struct At<S> {
    stream: S,
    peer: SocketAddr,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for At<S> {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for At<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for At<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The behaviour of a receiver after it has sent its response.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    GoesOn,
    Closes,
    /// Reads one more request and closes without a response.
    ClosesOnTheNext,
    /// Keeps the connection open without sending data.
    Hangs,
    /// Sends these bytes each second.
    Drips(&'static [u8]),
    /// Sends these bytes without end.
    Repeats(&'static [u8]),
}

/// Computes the response to a request.
pub(crate) type Respond = Box<dyn Fn(&str) -> Vec<u8> + Send + Sync>;

/// A webhook receiver with TLS and scripted responses.
pub(crate) struct Receiver {
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) answer: Vec<u8>,
    /// If this is set, it replaces `answer` and computes the response to each request.
    respond: Option<Respond>,
    pub(crate) then: Then,
    requests: Mutex<Vec<String>>,
    names: Mutex<Vec<Option<String>>>,
    sent: AtomicUsize,
    open: AtomicUsize,
    /// Whether each response begins 9 seconds after its request.
    slow: AtomicBool,
}

impl Receiver {
    pub(crate) fn new(config: Arc<ServerConfig>, answer: impl Into<Vec<u8>>, then: Then) -> Arc<Self> {
        Self::with(config, answer.into(), then, None)
    }

    /// Returns a receiver that computes each response.
    #[allow(dead_code, reason = "only the tests of calendars use it")]
    pub(crate) fn responding(config: Arc<ServerConfig>, respond: Respond) -> Arc<Self> {
        Self::with(config, Vec::new(), Then::GoesOn, Some(respond))
    }

    fn with(config: Arc<ServerConfig>, answer: Vec<u8>, then: Then, respond: Option<Respond>) -> Arc<Self> {
        Arc::new(Self {
            config,
            answer,
            respond,
            then,
            requests: Mutex::default(),
            names: Mutex::default(),
            sent: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            slow: AtomicBool::new(false),
        })
    }

    #[allow(dead_code, reason = "only the tests of calendars use it")]
    pub(crate) fn set_slow(&self) {
        self.slow.store(true, Ordering::Relaxed);
    }

    /// The complete requests that the receiver has read.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }

    /// The host names that clients have sent in their TLS handshakes.
    pub(crate) fn names(&self) -> Vec<Option<String>> {
        self.names.lock().clone()
    }

    /// The number of response bytes that the receiver has sent.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// The number of connections that are open.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    pub(crate) async fn serve(self: Arc<Self>, stream: impl AsyncRead + AsyncWrite + Unpin) {
        self.open.fetch_add(1, Ordering::Relaxed);
        let _ = self.converse(stream).await;
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    async fn converse(&self, stream: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
        let mut stream = TlsAcceptor::from(Arc::clone(&self.config)).accept(stream).await?;
        self.names.lock().push(stream.get_ref().1.server_name().map(ToOwned::to_owned));
        loop {
            let request = self.take_request(&mut stream).await?;
            if self.slow.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_secs(9)).await;
            }
            match &self.respond {
                Some(respond) => self.send(&mut stream, &respond(&request)).await?,
                None => self.send(&mut stream, &self.answer).await?,
            }
            match self.then {
                Then::GoesOn => {}
                Then::Closes => return stream.shutdown().await,
                Then::ClosesOnTheNext => {
                    self.take_request(&mut stream).await?;
                    return stream.shutdown().await;
                }
                Then::Hangs => {
                    // The receiver waits until the client closes the connection.
                    while stream.read(&mut [0; 64]).await? > 0 {}
                    return Ok(());
                }
                Then::Drips(bytes) => loop {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    self.send(&mut stream, bytes).await?;
                },
                Then::Repeats(bytes) => loop {
                    self.send(&mut stream, bytes).await?;
                },
            }
        }
    }

    async fn take_request(&self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
        let mut request = Vec::new();
        let mut missing = usize::MAX;
        while missing > 0 {
            request.push(stream.read_u8().await?);
            missing = missing.saturating_sub(1);
            if request.ends_with(b"\r\n\r\n") && missing > usize::MAX / 2 {
                let head = String::from_utf8_lossy(&request).into_owned();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                missing = length.map_or(0, |length| length.parse().unwrap());
            }
        }
        let request = String::from_utf8(request).unwrap();
        self.requests.lock().push(request.clone());
        Ok(request)
    }

    async fn send(&self, stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(1024) {
            stream.write_all(chunk).await?;
            stream.flush().await?;
            self.sent.fetch_add(chunk.len(), Ordering::Relaxed);
        }
        Ok(())
    }
}

pub(crate) struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("authority {}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self { certificate: params.self_signed(&key).unwrap(), issuer: Issuer::new(params, key) }
    }

    pub(crate) fn der(&self) -> &[u8] {
        self.certificate.der()
    }

    pub(crate) fn pem(&self) -> String {
        self.certificate.pem()
    }

    /// Returns a server with a certificate for a name or an address, signed by this authority.
    pub(crate) fn server(&self, name: &str) -> Arc<ServerConfig> {
        self.server_of(&CertificateParams::new([name.to_owned()]).unwrap())
    }

    /// Returns a server with an expired certificate, signed by this authority.
    pub(crate) fn expired_server(&self, name: &str) -> Arc<ServerConfig> {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
        self.server_of(&params)
    }

    fn server_of(&self, params: &CertificateParams) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        server(&params.signed_by(&key, &self.issuer).unwrap(), &key)
    }
}

pub(crate) fn self_signed_server(name: &str) -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    server(&CertificateParams::new([name.to_owned()]).unwrap().self_signed(&key).unwrap(), &key)
}

fn server(certificate: &rcgen::Certificate, key: &KeyPair) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    Arc::new(config)
}
