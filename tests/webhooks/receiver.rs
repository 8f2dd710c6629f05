//! Receivers of webhooks that use real sockets and real TLS. A receiver can send any response.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::chance::sleep_for;
use crate::signature;

/// The time limit for a request. It is reached only if there is a fault.
const PATIENCE: Duration = Duration::from_secs(90);

/// The response of a receiver that accepts the event.
pub(crate) const OK: &str = "HTTP/1.1 204 No Content\r\n\r\n";
/// The response of a receiver that refuses the event.
pub(crate) const NO: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\nno";

/// The time of the wall clock, which the program also uses.
pub(crate) fn now() -> DateTime<Utc> {
    std::time::SystemTime::now().into()
}

#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The time at which the receiver had read the whole request.
    pub(crate) at: DateTime<Utc>,
    /// The first line and the headers. The names of headers are in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Whether the response had a 2xx status.
    pub(crate) taken: bool,
}

impl Received {
    /// The value of a header, which must be present.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_else(|| panic!("the header {name} is missing in {}", self.head))
    }

    /// The event's id.
    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    /// Whether the request is signed with this secret.
    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        let (at, header) = (self.header("webhook-timestamp"), self.header("webhook-signature"));
        signature::holds(secret, self.id(), at, &self.body, header)
    }

    /// The event in the body.
    pub(crate) fn event(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// How a receiver responds to a request.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The delay before the response.
    pub(crate) after: Duration,
    pub(crate) bytes: Vec<u8>,
    pub(crate) then: Then,
}

/// The action of a receiver after it has sent the response.
#[derive(Clone, Debug)]
pub(crate) enum Then {
    /// Waits for the next request.
    GoesOn,
    /// Closes the connection.
    Closes,
    /// Resets the connection.
    Resets,
    /// Keeps the connection open and sends nothing.
    Hangs,
    /// Sends these bytes repeatedly, without end.
    Repeats(Vec<u8>),
}

impl Reply {
    pub(crate) fn now(bytes: impl Into<Vec<u8>>, then: Then) -> Self {
        Self { after: Duration::ZERO, bytes: bytes.into(), then }
    }
}

/// A listening receiver.
pub(crate) struct Receiver {
    tls: Option<TlsAcceptor>,
    reply: Box<dyn Fn(&mut Received) -> Reply + Send + Sync>,
    received: Mutex<Vec<Received>>,
    news: Notify,
    connections: AtomicUsize,
}

impl Receiver {
    /// Starts a receiver. A request is recorded before `reply` determines its response.
    pub(crate) fn start(
        address: &str,
        tls: TlsAcceptor,
        reply: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::listen(address, Some(tls), Box::new(move |received| reply(received)))
    }

    /// Starts a receiver that always sends the same response.
    pub(crate) fn answering(address: &str, tls: TlsAcceptor, reply: Reply) -> Arc<Self> {
        Self::start(address, tls, move |_| reply.clone())
    }

    /// Starts a receiver that accepts connections and sends nothing, not even a TLS handshake.
    pub(crate) fn silent(address: &str) -> Arc<Self> {
        Self::listen(address, None, Box::new(|_| unreachable!("a silent receiver reads no request")))
    }

    fn listen(
        address: &str,
        tls: Option<TlsAcceptor>,
        reply: Box<dyn Fn(&mut Received) -> Reply + Send + Sync>,
    ) -> Arc<Self> {
        let address: SocketAddr = address.parse().unwrap();
        let socket = std::net::TcpListener::bind(address).unwrap();
        socket.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(socket).unwrap();
        let (received, news) = (Mutex::default(), Notify::new());
        let receiver = Arc::new(Self { tls, reply, received, news, connections: AtomicUsize::new(0) });
        let serving = Arc::clone(&receiver);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                serving.connections.fetch_add(1, Ordering::Relaxed);
                let serving = Arc::clone(&serving);
                // The client may close a connection at any time, so errors of the connection are ignored.
                tokio::spawn(async move { _ = serving.converse(stream).await });
            }
        });
        receiver
    }

    /// All requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().clone()
    }

    /// The requests from this index on.
    pub(crate) fn received_from(&self, number: usize) -> Vec<Received> {
        self.received.lock()[number..].to_vec()
    }

    /// The request at the index `number` modulo the number of requests. Returns `None` if there are no requests.
    pub(crate) fn received_at(&self, number: usize) -> Option<Received> {
        let received = self.received.lock();
        received.get(number.checked_rem(received.len())?).cloned()
    }

    /// The number of requests.
    pub(crate) fn count(&self) -> usize {
        self.received.lock().len()
    }

    /// Waits until the receiver has received `requests` requests.
    pub(crate) async fn gets(&self, requests: usize) {
        loop {
            let news = self.news.notified();
            if self.count() >= requests {
                return;
            }
            tokio::time::timeout(PATIENCE, news).await.expect("no request arrived in time");
        }
    }

    /// The number of connections.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    async fn converse(&self, mut stream: TcpStream) -> io::Result<()> {
        let Some(tls) = &self.tls else {
            while stream.read(&mut [0; 1024]).await? > 0 {}
            return Ok(());
        };
        let mut stream = tls.accept(stream).await?;
        loop {
            let mut received = read(&mut stream).await?;
            let reply = (self.reply)(&mut received);
            received.taken = reply.bytes.starts_with(b"HTTP/1.1 2");
            self.received.lock().push(received);
            self.news.notify_waiters();
            if !reply.after.is_zero() {
                sleep_for(reply.after).await;
            }
            stream.write_all(&reply.bytes).await?;
            stream.flush().await?;
            match reply.then {
                Then::GoesOn => {}
                Then::Closes => return stream.shutdown().await,
                Then::Resets => {
                    let socket = socket2::SockRef::from(stream.get_ref().0);
                    return socket.set_linger(Some(Duration::ZERO));
                }
                Then::Hangs => {
                    while stream.read(&mut [0; 1024]).await? > 0 {}
                    return Ok(());
                }
                Then::Repeats(bytes) => loop {
                    stream.write_all(&bytes).await?;
                },
            }
        }
    }
}

/// Reads one request.
async fn read(stream: &mut TlsStream<TcpStream>) -> io::Result<Received> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let mut body = bytes.split_off(head);
    let head = String::from_utf8(bytes).unwrap();
    let mut received = Received { at: now(), head, body: Vec::new(), taken: false };
    let length: usize = received.header("content-length").parse().unwrap();
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    assert_eq!(body.len(), length, "a connection sent more than one request at a time");
    received.at = now();
    received.body = body;
    Ok(received)
}
