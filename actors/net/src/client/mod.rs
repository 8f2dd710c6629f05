//! The HTTP client that posts webhooks.
//!
//! Invariants:
//!
//! - No receiver can delay the end of an attempt beyond its deadline.
//! - Data is sent only over TLS, to an address that the same attempt has checked.
//! - A response takes bounded memory and is never decompressed. A redirect is a failure.
//! - The error of an attempt contains no address.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{AttemptError, AttemptFailure, WebhookUrl};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::http::uri::PathAndQuery;
use hyper::{Request, Response, StatusCode, Uri};
use tokio::time::{Instant, timeout, timeout_at};

use super::connection::{Connection, Connector, from_http};
use super::guard::{Guard, GuardError, LookupStage, Purpose, RESOLVE_TIME_MAX};
use super::log_throttle::LogThrottle;
use super::outage::Network;
use super::pool::Pool;
use super::system::Ports;
use super::trust::{Trust, receiver_config};

/// The maximum time from the lookup of the host to the head of the response.
pub const DELIVERY_TIME_MAX: Duration = Duration::from_secs(10);

/// The maximum time from the head of the response to the end of its body.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(1);

pub const RESPONSE_BODY_BYTES_MAX: usize = 16 * 1024;

pub const RESPONSE_TEXT_BYTES_MAX: usize = 1024;

/// If a connection is not ready for another request within this time after a response, the client closes it.
const READY_TIME_MAX: Duration = Duration::from_millis(50);

pub(super) const AGENT: &str = concat!("receptionist/", env!("CARGO_PKG_VERSION"));

/// A client that is cheap to clone. Clones share their connections.
#[derive(Clone)]
pub struct WebhookClient {
    guard: Guard,
    network: Network,
    connector: Arc<Connector>,
    pool: Arc<Pool>,
    warned: Arc<LogThrottle<()>>,
}

#[derive(Clone)]
pub struct Post {
    pub url: WebhookUrl,
    /// The headers, with names in lower case. The client itself adds `host`, `user-agent` and
    /// `content-length`.
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
}

/// The output omits headers and body, so that logs contain no signature and no data of an event.
impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Post")
            .field("url", &self.url)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    Failed,
    /// The attempt failed because this machine lacked a resource or a network. It does not count as a failure of the
    /// receiver.
    NotMade,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub outcome: Outcome,
    pub status: Option<u16>,
    pub error: Option<AttemptError>,
    /// The time until the head of the response arrived or the attempt failed.
    pub duration: Duration,
}

/// A response with an unread body. Dropping this value closes the connection.
pub struct Rest {
    url: WebhookUrl,
    connection: Connection,
    response: Response<Incoming>,
    deadline: Instant,
}

impl WebhookClient {
    pub fn new(ports: &Ports, trust: &Trust) -> Self {
        let tls = receiver_config(trust, Arc::clone(&ports.clock));
        let network = Network::new(Arc::clone(&ports.resolver), Arc::clone(&ports.dialer));
        Self {
            guard: Guard::new(Purpose::Webhook, network.clone()),
            network,
            connector: Arc::new(Connector::new(Arc::clone(&ports.dialer), tls)),
            pool: Arc::default(),
            warned: Arc::default(),
        }
    }

    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    pub fn network(&self) -> &Network {
        &self.network
    }

    pub fn is_cut_off_from(&self, url: &WebhookUrl) -> bool {
        self.network.lack_for(url.host()).is_some()
    }

    /// Posts the webhook and waits up to [`DELIVERY_TIME_MAX`] for the head of the response.
    pub async fn post(&self, post: Post) -> (Attempt, Option<Rest>) {
        let start = Instant::now();
        let deadline = start + DELIVERY_TIME_MAX;
        let answer = Box::pin(self.answer(&post, deadline)).await;
        let duration = start.elapsed();
        if matches!(answer, Err(AttemptFailure::Short)) && self.warned.is_due(&()) {
            tracing::warn!(
                "webhooks are postponed: a limit of open files, ports, memory or name lookups has been reached"
            );
        }
        match answer {
            Err(failure) => {
                use AttemptFailure::{NoNameServer, NoRoute, Short};
                let is_made = !matches!(failure, Short | NoRoute | NoNameServer);
                let outcome = if is_made { Outcome::Failed } else { Outcome::NotMade };
                (Attempt { outcome, status: None, error: Some(failure.into()), duration }, None)
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

    /// Reads the body within [`BODY_TIME_MAX`] and puts a reusable connection into the pool. Returns the first
    /// [`RESPONSE_TEXT_BYTES_MAX`] bytes as text. NUL characters are replaced.
    pub async fn body(&self, rest: Rest) -> String {
        let Rest { url, mut connection, response, deadline } = rest;
        let (kept, whole) = read(response.into_body(), deadline).await;
        if whole && matches!(timeout(READY_TIME_MAX, connection.sender.ready()).await, Ok(Ok(()))) {
            self.pool.put(&url, connection);
        }
        text(&kept)
    }

    /// Sends the request and returns the head of the response. If a pooled connection turns out to be closed, sends the
    /// request again over a new connection.
    async fn answer(
        &self,
        post: &Post,
        deadline: Instant,
    ) -> Result<(Connection, Response<Incoming>), AttemptFailure> {
        const { assert!(RESOLVE_TIME_MAX.as_millis() < DELIVERY_TIME_MAX.as_millis()) };
        let targets =
            self.guard.check(&post.url, LookupStage::Attempt).await.map_err(|refused| match refused {
                GuardError::Short(_) => AttemptFailure::Short,
                GuardError::Out(lack) => lack.into(),
                _ => AttemptFailure::NotPublic,
            })?;
        self.reach(post, &targets, deadline).await.map_err(|failure| match failure {
            AttemptFailure::NotPublic | AttemptFailure::Header | AttemptFailure::Short => failure,
            // If this machine has no route, a missing response does not show that the receiver has failed.
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
        post.url.path_and_query().parse().expect("WebhookUrl has checked its path and query");
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

/// Returns the first bytes of a body, and whether the whole body was read within the bounds.
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

/// Returns the bytes as text. Invalid bytes and NUL become replacement characters.
fn text(bytes: &[u8]) -> String {
    // If the bytes end in the middle of a character, the incomplete character is omitted.
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
