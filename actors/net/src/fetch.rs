//! The HTTP client that reads calendars.
//!
//! Invariants:
//!
//! - The address of a server is checked by the same [guard](super::guard) as the address of a webhook. Only the servers
//!   that the operator has listed may have private addresses.
//! - Data is sent only over TLS. Redirects are returned to the caller and not followed.
//! - The time and the size of a response are limited. The total size of the bodies in memory is limited too, for all
//!   businesses together and for each business.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{AttemptFailure, BusinessId, WebhookUrl};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Uri};
use tokio::time::{Instant, timeout, timeout_at};

use super::client::AGENT;
use super::connection::{Connector, from_http};
use super::guard::{Guard, GuardError, LookupStage, Purpose, Reach};
use super::outage::Network;
use super::shares::{Share, Shares};
use super::system::Ports;
use super::trust::{Trust, receiver_config};

/// The maximum time from the lookup of the host to the head of the response.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// The maximum time from the head of the response to the end of its body.
pub const FETCH_BODY_TIME_MAX: Duration = Duration::from_secs(30);
pub const FETCH_BODY_BYTES_MAX: usize = 16 << 20;
/// The maximum total size of the bodies in memory.
const ALL_BODIES_BYTES_MAX: usize = 256 << 20;
/// The maximum total size of the bodies in memory for one business.
const BUSINESS_BODIES_BYTES_MAX: usize = ALL_BODIES_BYTES_MAX / 4;
/// The maximum time to wait for memory, between the head and the body.
const MEMORY_TIME_MAX: Duration = Duration::from_secs(20);
/// Memory for bodies is reserved in units of this size.
const RESERVED_BYTES: usize = 64 << 10;

#[derive(Clone)]
pub struct FetchClient {
    guard: Guard,
    network: Network,
    connector: Arc<Connector>,
    bodies: Arc<Shares>,
}

pub struct Fetch {
    /// The business to which the memory for the body is charged.
    pub of: BusinessId,
    pub method: &'static str,
    pub url: WebhookUrl,
    /// The headers, with names in lower case. The client adds `host`, `user-agent` and `content-length`.
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
    pub reach: Reach,
}

/// A response. Its body counts towards the maximum size of all bodies until `reserved` is dropped.
#[derive(Debug)]
pub struct Fetched {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    pub reserved: Share,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchFailure {
    /// The server could not be reached or closed the connection, its response is invalid, or requests to the server's
    /// address are not allowed.
    Unreachable,
    Timeout,
    Tls,
    TooLarge,
    /// This machine lacked a resource or a network. The server did not cause the failure.
    NotMade,
}

impl Fetched {
    /// Returns the value of a header, if the value is visible ASCII text.
    pub fn header(&self, name: &'static str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl FetchClient {
    pub fn new(ports: &Ports, trust: &Trust) -> Self {
        let tls = receiver_config(trust, Arc::clone(&ports.clock));
        let network = Network::new(Arc::clone(&ports.resolver), Arc::clone(&ports.dialer));
        Self {
            guard: Guard::new(Purpose::Calendar, network.clone()),
            network,
            connector: Arc::new(Connector::new(Arc::clone(&ports.dialer), tls)),
            bodies: Arc::new(Shares::new(
                ALL_BODIES_BYTES_MAX / RESERVED_BYTES,
                BUSINESS_BODIES_BYTES_MAX / RESERVED_BYTES,
            )),
        }
    }

    /// Sends a request over a new connection and reads the whole response.
    pub async fn fetch(&self, fetch: Fetch) -> Result<Fetched, FetchFailure> {
        let deadline = Instant::now() + HEAD_TIME_MAX;
        let targets = self.guard.check_within(&fetch.url, LookupStage::Attempt, fetch.reach);
        let targets = timeout_at(deadline, targets).await.map_err(|_| FetchFailure::Timeout)?;
        let targets = targets.map_err(|refused| match refused {
            GuardError::Short(_) | GuardError::Out(_) => FetchFailure::NotMade,
            GuardError::TooSlow => FetchFailure::Timeout,
            _ => FetchFailure::Unreachable,
        })?;
        let judged = |failure: AttemptFailure| match self.network.judge_failure(&targets) {
            Some(_) => FetchFailure::NotMade,
            None => failure.into(),
        };
        let connection = self.connector.connect(&fetch.url, &targets, deadline).await;
        let mut connection = connection.map_err(judged)?;
        self.network.note_reached(connection.peer.ip());
        let response = timeout_at(deadline, connection.sender.send_request(request(&fetch)?)).await;
        let response = response.map_err(|_| FetchFailure::Timeout)?.map_err(|error| from_http(&error).into());
        let (head, body) = response.map_err(|failure: FetchFailure| failure)?.into_parts();
        // The memory for the whole body is reserved before the body is read. So a request that has reserved memory
        // never waits for more.
        let bytes = body.size_hint().exact().map_or(Ok(FETCH_BODY_BYTES_MAX), usize::try_from);
        let bytes =
            bytes.ok().filter(|bytes| *bytes <= FETCH_BODY_BYTES_MAX).ok_or(FetchFailure::TooLarge)?;
        let reserved = timeout(MEMORY_TIME_MAX, self.bodies.take(fetch.of, units(bytes))).await;
        let mut reserved = reserved.ok().flatten().ok_or(FetchFailure::NotMade)?;
        let body = timeout(FETCH_BODY_TIME_MAX, read(body)).await.map_err(|_| FetchFailure::Timeout)??;
        reserved.shrink_to(units(body.len()));
        Ok(Fetched { status: head.status.as_u16(), headers: head.headers, body, reserved })
    }
}

async fn read(mut body: Incoming) -> Result<Vec<u8>, FetchFailure> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| FetchFailure::Unreachable)?;
        let data = frame.into_data().unwrap_or_default();
        if read.len() + data.len() > FETCH_BODY_BYTES_MAX {
            return Err(FetchFailure::TooLarge);
        }
        read.extend_from_slice(&data);
    }
    Ok(read)
}

/// Returns the number of memory units that a body needs. A unit has [`RESERVED_BYTES`] bytes.
fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(RESERVED_BYTES)).unwrap_or(u32::MAX)
}

impl From<AttemptFailure> for FetchFailure {
    fn from(failure: AttemptFailure) -> Self {
        use AttemptFailure as A;
        match failure {
            A::ConnectTimeout | A::HandshakeTimeout | A::ResponseTimeout | A::SystemTimeout => Self::Timeout,
            A::HostName
            | A::CertificateExpired
            | A::CertificateNotYetValid
            | A::CertificateOtherName
            | A::CertificateIssuer
            | A::CertificateInvalid
            | A::HandshakeRefused
            | A::HandshakeFailed
            | A::HandshakeClosed => Self::Tls,
            A::Short | A::NoRoute | A::NoNameServer => Self::NotMade,
            A::NotPublic
            | A::UrlRefused
            | A::EventGone
            | A::Header
            | A::ConnectionRefused
            | A::ConnectionReset
            | A::NetworkUnreachable
            | A::HostUnreachable
            | A::ConnectFailed
            | A::Closed
            | A::InvalidResponse => Self::Unreachable,
        }
    }
}

fn request(fetch: &Fetch) -> Result<Request<Full<Bytes>>, FetchFailure> {
    let target: PathAndQuery = fetch.url.path_and_query().parse().map_err(|_| FetchFailure::Unreachable)?;
    let method = Method::from_bytes(fetch.method.as_bytes()).map_err(|_| FetchFailure::Unreachable)?;
    let mut request = Request::new(Full::new(fetch.body.clone()));
    (*request.method_mut(), *request.uri_mut()) = (method, Uri::from(target));
    let value = |text: &str| HeaderValue::try_from(text).map_err(|_| FetchFailure::Unreachable);
    let headers = request.headers_mut();
    for (name, text) in &fetch.headers {
        headers.insert(HeaderName::from_static(name), value(text)?);
    }
    headers.insert(HOST, value(&fetch.url.authority())?);
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    Ok(request)
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use ports::{Clock, Random};

    use super::super::testing::{Authority, FakeDns, FakeNet, Place, Receiver, Then};
    use super::*;

    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> Timestamp {
            Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
        }

        fn steady(&self) -> Duration {
            Duration::ZERO
        }
    }

    impl Random for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn fetch(of: u8, host: &str) -> Fetch {
        Fetch {
            of: format!("01900000-0000-7000-8000-0000000000{of:02x}").parse().unwrap(),
            method: "GET",
            url: WebhookUrl::parse(&format!("https://{host}/")).unwrap(),
            headers: Vec::new(),
            body: Bytes::new(),
            reach: Reach::Public,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn slow_bodies_of_a_business_do_not_use_the_memory_of_others() {
        let (dns, net, authority) =
            (Arc::new(FakeDns::default()), Arc::new(FakeNet::default()), Authority::new());
        let ports = Ports {
            resolver: dns.clone(),
            dialer: net.clone(),
            ..Ports::with_clock_and_random(Arc::new(Fixed), Arc::new(Fixed))
        };
        let serve = |host: &str, address: &str, response: &str, then| {
            dns.set(host, &[address]);
            let receiver = Receiver::new(authority.server(host), response, then);
            net.put(&format!("{address}:443"), Place::Receiver(receiver));
        };
        let slow = "HTTP/1.1 200 OK\r\ncontent-length: 16777216\r\n\r\n";
        serve("slow.example.com", "93.184.216.1", slow, Then::Hangs);
        serve(
            "good.example.com",
            "93.184.216.2",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi",
            Then::GoesOn,
        );
        let large = "HTTP/1.1 200 OK\r\ncontent-length: 16777217\r\n\r\n";
        serve("large.example.com", "93.184.216.3", large, Then::Hangs);
        let client = FetchClient::new(&ports, &Trust::none().and(authority.der()).unwrap());
        let begin = |of, host: &'static str| {
            let client = client.clone();
            tokio::spawn(async move { client.fetch(fetch(of, host)).await })
        };
        let held: Vec<_> = (0..4).map(|_| begin(1, "slow.example.com")).collect();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let waiting = begin(1, "good.example.com");
        let response = begin(2, "good.example.com").await.unwrap().unwrap();
        assert_eq!((response.status, response.body), (200, b"hi".to_vec()));
        assert!(!waiting.is_finished(), "the business has no memory left");
        assert_eq!(waiting.await.unwrap().unwrap_err(), FetchFailure::NotMade);
        for slow in held {
            assert_eq!(slow.await.unwrap().unwrap_err(), FetchFailure::Timeout);
        }
        assert_eq!(begin(1, "good.example.com").await.unwrap().unwrap().body, b"hi");
        assert_eq!(begin(1, "large.example.com").await.unwrap().unwrap_err(), FetchFailure::TooLarge);
    }
}
