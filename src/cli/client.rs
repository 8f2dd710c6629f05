//! A small client of the operator API: HTTP/1.1 to one address, with the operator's token.
//!
//! A request ends within [`CALL_TIMEOUT`] and holds at most [`ANSWER_BYTES_MAX`] of an answer. Once sent it is never
//! repeated: a request whose answer was lost may have changed something, so trying again is for the operator to decide.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::connect::Connector;
use super::options::Access;
use super::record::{ApiError, ErrorBody};

/// How long a request may take, from connecting to the last byte of its answer.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// How long an answer may be, in bytes.
pub(super) const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What every operator may read, and little of it.
const ANY_LIST: &str = "/admin/v1/businesses?limit=1";

/// Why a request brought no answer that can be shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    #[error(
        "cannot reach the operator API on {address}: {reason}; is `receptionist serve` running? --admin-listen says where it listens"
    )]
    Connect { address: SocketAddr, reason: String },
    #[error("the operator API on {address} gave no answer within {timeout:?}")]
    TimedOut { address: SocketAddr, timeout: Duration },
    #[error("the answer of the operator API on {address} broke off: {reason}")]
    BrokeOff { address: SocketAddr, reason: String },
    #[error(
        "what listens on {address} does not answer as HTTP; if it speaks HTTPS, --admin-tls-cert names its certificate"
    )]
    NotHttp { address: SocketAddr },
    #[error("the answer of the operator API is longer than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
    #[error("the operator API answered {status} with a body that is not of its form")]
    NotOfTheForm { status: StatusCode },
    #[error("{0}")]
    Api(ApiError),
}

/// A successful answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

/// A client of one operator API.
#[derive(Clone)]
pub(super) struct Client {
    http: HttpClient<Connector, Full<Bytes>>,
    scheme: &'static str,
    address: SocketAddr,
    authorization: HeaderValue,
    timeout: Duration,
}

impl Client {
    pub(super) fn new(access: Access, timeout: Duration) -> Self {
        let connector = Connector::new(access.address, access.tls);
        let scheme = connector.scheme();
        let http = HttpClient::builder(TokioExecutor::new()).build(connector);
        Self { http, scheme, address: access.address, authorization: access.authorization, timeout }
    }

    /// A client with the token that the service takes, where two may be meant. Asking that changes nothing.
    pub(super) async fn admitted(access: Access, timeout: Duration) -> Self {
        let otherwise = access.otherwise.clone();
        let client = Self::new(access, timeout);
        let Some(otherwise) = otherwise else { return client };
        match client.send(Method::GET, ANY_LIST, None).await {
            Err(ClientError::Api(refused)) if refused.code == "unauthorized" => {
                Self { authorization: otherwise, ..client }
            }
            _ => client,
        }
    }

    /// Sends one request; `target` is a path, with a query or without.
    pub(super) async fn send(
        &self,
        method: Method,
        target: &str,
        body: Option<&Value>,
    ) -> Result<Answer, ClientError> {
        let exchange = Box::pin(self.exchange(method, target, body));
        let answer = tokio::time::timeout(self.timeout, exchange)
            .await
            .map_err(|_| ClientError::TimedOut { address: self.address, timeout: self.timeout })??;
        if answer.status.is_success() {
            return Ok(answer);
        }
        match serde_json::from_slice::<ErrorBody>(&answer.body) {
            Ok(refused) => Err(ClientError::Api(refused.error)),
            Err(_) => Err(ClientError::NotOfTheForm { status: answer.status }),
        }
    }

    async fn exchange(
        &self,
        method: Method,
        target: &str,
        body: Option<&Value>,
    ) -> Result<Answer, ClientError> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}://{}{target}", self.scheme, self.address))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(USER_AGENT, concat!("receptionist/", env!("CARGO_PKG_VERSION")));
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        let request =
            request.body(Full::new(body)).expect("paths and queries are encoded where they are made");

        let response = self.http.request(request).await.map_err(|error| {
            let is_of_http = |error: &hyper::Error| error.is_parse();
            if error.source().and_then(|source| source.downcast_ref()).is_some_and(is_of_http) {
                return ClientError::NotHttp { address: self.address };
            }
            let (address, reason) = (self.address, reason_of(&error));
            if error.is_connect() {
                ClientError::Connect { address, reason }
            } else {
                ClientError::BrokeOff { address, reason }
            }
        })?;
        let status = response.status();
        match Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await {
            Ok(body) => Ok(Answer { status, body: body.to_bytes() }),
            Err(error) if error.is::<LengthLimitError>() => Err(ClientError::TooLong),
            Err(error) => {
                Err(ClientError::BrokeOff { address: self.address, reason: reason_of(error.as_ref()) })
            }
        }
    }
}

/// The cause at the end of the chain, in a few words.
pub(super) fn reason_of(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    match last.downcast_ref::<io::Error>() {
        Some(error) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => error.to_string(),
        Some(error) if error.kind() != io::ErrorKind::Other => error.kind().to_string(),
        _ => last.to_string(),
    }
}
