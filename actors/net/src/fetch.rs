//! The HTTP client that reads calendars.
//!
//! Invariants:
//!
//! - The address of a server is checked by the same [guard](super::guard) as the address of a webhook. Only the servers
//!   that the operator has listed may have private addresses.
//! - Data is sent only over TLS. Redirects are returned to the caller and not followed.
//! - The time and the size of a response have maximums. The size of all bodies in memory has a maximum too.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{AttemptFailure, WebhookUrl};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Uri};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::client::AGENT;
use super::connection::{Connector, from_http};
use super::guard::{Asker, Guard, GuardError, Purpose, Reach};
use super::outage::Network;
use super::system::Ports;
use super::trust::{Trust, receiver_config};

/// The maximum time from the lookup of the host to the head of the response.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// The maximum time from the head of the response to the end of its body.
pub const FETCH_BODY_TIME_MAX: Duration = Duration::from_secs(30);
pub const FETCH_BODY_BYTES_MAX: usize = 16 << 20;
/// The maximum size of all bodies that are in memory.
const ALL_BODIES_BYTES_MAX: usize = 256 << 20;
/// Memory for bodies is reserved in units of this size.
const RESERVED_BYTES: usize = 64 << 10;

#[derive(Clone)]
pub struct FetchClient {
    guard: Guard,
    network: Network,
    connector: Arc<Connector>,
    bodies: Arc<Semaphore>,
}

pub struct Fetch {
    pub method: &'static str,
    pub url: WebhookUrl,
    /// The headers, with names in lower case. The client adds `host`, `user-agent` and `content-length`.
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
    pub reach: Reach,
}

/// A response. Its body counts towards the maximum size of all bodies until the value is dropped.
pub struct Fetched {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    _reserved: Option<OwnedSemaphorePermit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchFailure {
    /// There is no connection, or the host has no address that the request may use.
    Unreachable,
    Timeout,
    Tls,
    TooLarge,
    /// This machine lacked a resource or a network. The server did not cause this.
    NotMade,
}

impl Fetched {
    /// Returns the value of a header, if it is visible ASCII text.
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
            bodies: Arc::new(Semaphore::new(ALL_BODIES_BYTES_MAX / RESERVED_BYTES)),
        }
    }

    /// Sends a request over a new connection and reads the whole response.
    pub async fn fetch(&self, fetch: Fetch) -> Result<Fetched, FetchFailure> {
        let deadline = Instant::now() + HEAD_TIME_MAX;
        let targets = self.guard.check_within(&fetch.url, Asker::Attempt, fetch.reach);
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
        let deadline = Instant::now() + FETCH_BODY_TIME_MAX;
        let read = timeout_at(deadline, self.read(body)).await.map_err(|_| FetchFailure::Timeout)?;
        let (body, reserved) = read?;
        Ok(Fetched { status: head.status.as_u16(), headers: head.headers, body, _reserved: reserved })
    }

    async fn read(
        &self,
        mut body: Incoming,
    ) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), FetchFailure> {
        let (mut read, mut reserved) = (Vec::new(), None::<OwnedSemaphorePermit>);
        let mut room = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| FetchFailure::Unreachable)?;
            let data = frame.into_data().unwrap_or_default();
            if read.len() + data.len() > FETCH_BODY_BYTES_MAX {
                return Err(FetchFailure::TooLarge);
            }
            while read.len() + data.len() > room {
                let bodies = Arc::clone(&self.bodies);
                let more = bodies.acquire_owned().await.map_err(|_| FetchFailure::NotMade)?;
                match &mut reserved {
                    Some(reserved) => reserved.merge(more),
                    None => reserved = Some(more),
                }
                room += RESERVED_BYTES;
            }
            read.extend_from_slice(&data);
        }
        Ok((read, reserved))
    }
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
