//! The client that posts webhooks.
//!
//! What always holds: an attempt is over by its deadline, however the receiver behaves; nothing is sent but over TLS
//! to an address that was checked in the same attempt; a response costs at most its bounds in memory and is never
//! unpacked; a redirect is a failure. What an attempt says of its failure holds no address.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{AttemptError, AttemptFailure};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::http::uri::PathAndQuery;
use hyper::{Request, Response, StatusCode, Uri};
use tokio::time::{Instant, timeout, timeout_at};

use super::connection::{Connection, Connector};
use super::failure::{Outcome, from_http, outcome};
use super::guard::{Asker, Guard, GuardError, RESOLVE_TIME_MAX};
use super::log_throttle::LogThrottle;
use super::outage::Network;
use super::pool::Pool;
use super::system::Ports;
use super::tls::client_config;
use super::trust::Trust;
use super::url::WebhookUrl;

/// So long may an attempt take, from resolving to the head of the response.
pub const DELIVERY_TIME_MAX: Duration = Duration::from_secs(10);

/// So long behind the head a response's body is read.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(1);

/// So many bytes of a response's body are read.
pub const RESPONSE_BODY_BYTES_MAX: usize = 16 * 1024;

/// So many bytes of it are kept, as text.
pub const RESPONSE_TEXT_BYTES_MAX: usize = 1024;

/// So long a connection may take to be ready for another request before it is closed instead.
const READY_TIME_MAX: Duration = Duration::from_millis(50);

/// Who this client says it is.
const AGENT: &str = concat!("receptionist/", env!("CARGO_PKG_VERSION"));

/// Posts webhooks. Cheap to clone; the clones share their connections.
#[derive(Clone)]
pub struct WebhookClient {
    guard: Guard,
    network: Network,
    connector: Arc<Connector>,
    pool: Arc<Pool>,
    warned: Arc<LogThrottle<()>>,
}

/// What is to be posted.
#[derive(Clone)]
pub struct Post {
    /// Where to.
    pub url: WebhookUrl,
    /// The headers, beside `host`, `user-agent` and `content-length`. Their names are in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The exact bytes of the body.
    pub body: Bytes,
}

/// Neither the signature nor what an event says shows in a log.
impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Post")
            .field("url", &self.url)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Whether it is delivered.
    pub outcome: Outcome,
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// Why it failed.
    pub error: Option<AttemptError>,
    /// How long it took until that was known.
    pub duration: Duration,
}

/// A response behind its head. Dropped, its connection is closed.
pub struct Rest {
    url: WebhookUrl,
    connection: Connection,
    response: Response<Incoming>,
    deadline: Instant,
}

impl WebhookClient {
    /// A client that reaches the network through the ports.
    pub fn new(ports: &Ports, trust: &Trust) -> Self {
        let tls = client_config(trust, Arc::clone(&ports.clock));
        let network = Network::new(Arc::clone(&ports.resolver), Arc::clone(&ports.dialer));
        Self {
            guard: Guard::new(network.clone()),
            network,
            connector: Arc::new(Connector::new(Arc::clone(&ports.dialer), tls)),
            pool: Arc::default(),
            warned: Arc::default(),
        }
    }

    /// The guard, to check a URL before it is saved.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Whether this service has a network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Whether nothing can be sent to a URL because of an outage of ours.
    pub fn is_cut_off_from(&self, url: &WebhookUrl) -> bool {
        self.network.lack_for(url.host()).is_some()
    }

    /// Makes one attempt, up to the head of the response, with which its outcome is known; what is left is the body, to
    /// be read or dropped. It never takes longer than [`DELIVERY_TIME_MAX`], and ends at once when dropped.
    pub async fn post(&self, post: Post) -> (Attempt, Option<Rest>) {
        let start = Instant::now();
        let deadline = start + DELIVERY_TIME_MAX;
        let answer = Box::pin(self.answer(&post, deadline)).await;
        let duration = start.elapsed();
        if matches!(answer, Err(AttemptFailure::Short)) && self.warned.is_due(&()) {
            tracing::warn!(
                "webhooks are put off: this service is short of open files, ports, memory or look-ups"
            );
        }
        match answer {
            Err(failure) => {
                let (outcome, error) = (outcome(failure), Some(failure.into()));
                (Attempt { outcome, status: None, error, duration }, None)
            }
            Ok((connection, response)) => {
                let status = response.status();
                let error = judge(status);
                let attempt = Attempt {
                    outcome: if error.is_none() { Outcome::Delivered } else { Outcome::Failed },
                    status: Some(status.as_u16()),
                    error,
                    duration,
                };
                let deadline = Instant::now() + BODY_TIME_MAX;
                (attempt, Some(Rest { url: post.url, connection, response, deadline }))
            }
        }
    }

    /// Reads what is left of a response, at most until [`BODY_TIME_MAX`] behind its head, and keeps the connection if
    /// it can be used again. Gives the first [`RESPONSE_TEXT_BYTES_MAX`] bytes as text without NUL.
    pub async fn body(&self, rest: Rest) -> String {
        let Rest { url, mut connection, response, deadline } = rest;
        let (kept, whole) = read(response.into_body(), deadline).await;
        if whole && matches!(timeout(READY_TIME_MAX, connection.sender.ready()).await, Ok(Ok(()))) {
            self.pool.put(&url, connection);
        }
        text(&kept)
    }

    /// Gets the head of a response. An open connection that turns out to be closed is tried again on a new one, once.
    async fn answer(
        &self,
        post: &Post,
        deadline: Instant,
    ) -> Result<(Connection, Response<Incoming>), AttemptFailure> {
        const { assert!(RESOLVE_TIME_MAX.as_millis() < DELIVERY_TIME_MAX.as_millis()) };
        let targets = self.guard.check(&post.url, Asker::Attempt).await.map_err(|refused| match refused {
            GuardError::Short(_) => AttemptFailure::Short,
            GuardError::Out(lack) => lack.into(),
            _ => AttemptFailure::NotPublic,
        })?;
        self.reach(post, &targets, deadline).await.map_err(|failure| match failure {
            AttemptFailure::NotPublic | AttemptFailure::Header | AttemptFailure::Short => failure,
            // Without a way to anywhere, what was not heard says nothing of the receiver.
            failure => self.network.judge_failure(&targets).map_or(failure, AttemptFailure::from),
        })
    }

    async fn reach(
        &self,
        post: &Post,
        targets: &[SocketAddr],
        deadline: Instant,
    ) -> Result<(Connection, Response<Incoming>), AttemptFailure> {
        if let Some(mut connection) = self.pool.take(&post.url, targets) {
            match send(&mut connection, post, deadline).await {
                Err(AttemptFailure::Closed) => {}
                answer => return answer.map(|response| (connection, response)),
            }
        }
        let mut connection = self.connector.connect(&post.url, targets, deadline).await?;
        self.network.note_reached(connection.peer.ip());
        let response = send(&mut connection, post, deadline).await?;
        Ok((connection, response))
    }
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookClient")
    }
}

/// What is wrong with a status, if anything.
fn judge(status: StatusCode) -> Option<AttemptError> {
    match status.as_u16() {
        200..=299 => None,
        code @ 300..=399 => Some(AttemptError::Redirect(code)),
        code => Some(AttemptError::Status(code)),
    }
}

async fn send(
    connection: &mut Connection,
    post: &Post,
    deadline: Instant,
) -> Result<Response<Incoming>, AttemptFailure> {
    let request = request(post)?;
    timeout_at(deadline, connection.sender.send_request(request))
        .await
        .map_err(|_| AttemptFailure::ResponseTimeout)?
        .map_err(|error| from_http(&error))
}

fn request(post: &Post) -> Result<Request<Full<Bytes>>, AttemptFailure> {
    let target: PathAndQuery =
        post.url.path_and_query().parse().expect("a webhook's URL was parsed with its path");
    let mut request = Request::post(Uri::from(target)).body(Full::new(post.body.clone())).expect("a request");
    let headers = request.headers_mut();
    for (name, value) in &post.headers {
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| AttemptFailure::Header)?;
        headers.insert(HeaderName::try_from(*name).map_err(|_| AttemptFailure::Header)?, value);
    }
    headers.insert(HOST, HeaderValue::try_from(post.url.authority()).map_err(|_| AttemptFailure::Header)?);
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    Ok(request)
}

/// The first bytes of a body, and whether it was read to its end within the bounds.
async fn read(mut body: Incoming, deadline: Instant) -> (Vec<u8>, bool) {
    let mut kept = Vec::new();
    let mut read = 0;
    loop {
        match timeout_at(deadline, body.frame()).await {
            Ok(None) => return (kept, true),
            Ok(Some(Ok(frame))) => {
                let data = frame.into_data().unwrap_or_default();
                let room = RESPONSE_TEXT_BYTES_MAX - kept.len();
                kept.extend_from_slice(&data[..data.len().min(room)]);
                read += data.len();
            }
            Ok(Some(Err(_))) | Err(_) => return (kept, false),
        }
        if read > RESPONSE_BODY_BYTES_MAX {
            return (kept, false);
        }
    }
}

/// Bytes as text of at most [`RESPONSE_TEXT_BYTES_MAX`] bytes, with a mark for what is none.
fn text(bytes: &[u8]) -> String {
    // A character that the bound cuts in two is left out.
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    };
    let mut text = String::from_utf8_lossy(whole).replace('\0', "\u{fffd}");
    let mut end = text.len().min(RESPONSE_TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests;
