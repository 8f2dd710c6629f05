//! A small client of the operator API: HTTP/1.1 to one server, with the operator's token.
//!
//! A request takes at most [`CALL_TIMEOUT`], except that streamed lines may take longer. The client holds
//! at most [`ANSWER_BYTES_MAX`] bytes of a response. Requests are never repeated: a request without a
//! response may have changed something, so the operator decides about a retry.

use std::error::Error;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::rt::TokioExecutor;
use net::named::tls_fault;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;

use super::carry_out::Failure;
use super::connect::{Connector, ServerAddress};
use super::options::Access;
use super::record::ErrorBody;
use crate::english;

/// The time limit of a request, from connecting to the last byte of the response.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A small request with which the client tests whether the service accepts a token.
const ANY_LIST: &str = "/admin/v1/businesses?limit=1";

const JSON: &str = "application/json";
const JSON_LINES: &str = "application/x-ndjson";

type Body = UnsyncBoxBody<Bytes, io::Error>;

/// The client gives up if, for this long, the service neither accepts streamed bytes nor sends a response.
const LINES_TIMEOUT: Duration = Duration::from_secs(600);
/// The size of the pieces in which a file is sent, in bytes.
const PIECE_BYTES: usize = 64 << 10;
/// The maximum number of pieces that have been read but not sent yet.
const PIECES_AHEAD: usize = 4;

fn whole(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body).map_err(|_| self.unexpected())
    }

    pub(super) fn unexpected(&self) -> Failure {
        Failure::new(format!("the operator API answered {} with an unexpected body", self.status))
    }

    /// The body with a single line feed at the end.
    pub(super) fn text(&self) -> String {
        format!("{}\n", String::from_utf8_lossy(&self.body).trim_end())
    }
}

#[derive(Clone)]
pub(super) struct Client {
    http: HttpClient<Connector, Body>,
    scheme: &'static str,
    address: ServerAddress,
    authorization: HeaderValue,
    timeout: Duration,
}

impl Client {
    pub(super) fn new(access: Access, timeout: Duration) -> Self {
        let connector = Connector::new(access.address.clone(), access.tls);
        let scheme = connector.scheme();
        let http = HttpClient::builder(TokioExecutor::new()).build(connector);
        Self { http, scheme, address: access.address, authorization: access.authorization, timeout }
    }

    /// If `access` contains a second token, tests the first token with a request. If the service refuses the first
    /// token, the client uses the second one.
    pub(super) async fn admitted(access: Access, timeout: Duration) -> Self {
        let otherwise = access.otherwise.clone();
        let client = Self::new(access, timeout);
        let Some(otherwise) = otherwise else { return client };
        match client.send(Method::GET, ANY_LIST, None).await {
            Err(Failure { refusal: Some(refused), .. }) if refused.code == "unauthorized" => {
                Self { authorization: otherwise, ..client }
            }
            _ => client,
        }
    }

    /// Sends one request. `target` is a path with an optional query.
    pub(super) async fn send(
        &self,
        method: Method,
        target: &str,
        body: Option<&Value>,
    ) -> Result<Answer, Failure> {
        let media_type = body.map(|_| JSON);
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        self.exchange(method, target, body, media_type).await
    }

    /// Sends a file in one request.
    pub(super) async fn send_file(
        &self,
        target: &str,
        file: Vec<u8>,
        media_type: &'static str,
    ) -> Result<Answer, Failure> {
        self.exchange(Method::POST, target, file.into(), Some(media_type)).await
    }

    async fn exchange(
        &self,
        method: Method,
        target: &str,
        body: Bytes,
        media_type: Option<&'static str>,
    ) -> Result<Answer, Failure> {
        let exchange =
            async { self.collected(self.begin(method, target, whole(body), media_type).await?).await };
        self.in_time(Box::pin(exchange)).await?
    }

    /// Calls `take` with each part of the response as it arrives. The time limit applies to each part.
    pub(super) async fn lines(
        &self,
        target: &str,
        mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let begun = self.begin(Method::GET, target, whole(Bytes::new()), None);
        let mut response = self.in_time(begun).await??;
        if !response.status().is_success() {
            self.collected(response).await?;
            return Ok(());
        }
        while let Some(frame) = self.in_time(response.body_mut().frame()).await? {
            let frame = frame.map_err(|error| self.broke_off(&error))?;
            // Frames that are not data contain trailers, which are ignored.
            if let Ok(bytes) = frame.into_data() {
                take(&bytes)?;
            }
        }
        Ok(())
    }

    async fn in_time<T>(&self, act: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::time::timeout(self.timeout, act).await.map_err(|_| self.timed_out(self.timeout))
    }

    fn timed_out(&self, timeout: Duration) -> Failure {
        let address = &self.address;
        Failure::new(format!("the operator API on {address} sent no response within {timeout:?}"))
    }

    /// Streams lines to the service, without a limit on their size, and returns the response.
    pub(super) async fn send_lines(
        &self,
        target: &str,
        input: impl Read + Send + 'static,
    ) -> Result<Answer, Failure> {
        let (pieces, mut sent) = mpsc::channel(PIECES_AHEAD);
        let taken = Arc::new(AtomicU64::new(0));
        // Reading standard input can block forever, so a separate thread reads it.
        std::thread::spawn(move || read_pieces(input, &pieces));
        let counted = Arc::clone(&taken);
        let body = StreamBody::new(futures_util::stream::poll_fn(move |context| {
            counted.fetch_add(1, Ordering::Relaxed);
            sent.poll_recv(context)
        }));
        let exchange = async {
            self.collected(self.begin(Method::POST, target, body.boxed_unsync(), Some(JSON_LINES)).await?)
                .await
        };
        tokio::pin!(exchange);
        let mut before = 0;
        loop {
            if let Ok(answer) = tokio::time::timeout(LINES_TIMEOUT, &mut exchange).await {
                return answer;
            }
            let now = taken.load(Ordering::Relaxed);
            if std::mem::replace(&mut before, now) == now {
                return Err(self.timed_out(LINES_TIMEOUT));
            }
        }
    }

    async fn begin(
        &self,
        method: Method,
        target: &str,
        body: Body,
        media_type: Option<&'static str>,
    ) -> Result<Response<Incoming>, Failure> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}://{}{target}", self.scheme, self.address.authority()))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(USER_AGENT, concat!("receptionist/", env!("CARGO_PKG_VERSION")));
        if let Some(media_type) = media_type {
            request = request.header(CONTENT_TYPE, media_type);
        }
        let request = request.body(body).expect("the path and the query are percent-encoded");
        self.http.request(request).await.map_err(|error| {
            let address = &self.address;
            let is_of_http = |error: &hyper::Error| error.is_parse();
            if error.source().and_then(|source| source.downcast_ref()).is_some_and(is_of_http) {
                Failure::new(format!(
                    "the server on {address} does not respond with HTTP; if it uses HTTPS, set its certificate with --admin-tls-cert"
                ))
            } else if error.is_connect() {
                Failure::new(format!(
                    "cannot reach the operator API on {address}: {}; check that `receptionist serve` runs, and set its address with --admin-listen or --admin-url",
                    reason_of(&error)
                ))
            } else {
                self.broke_off(&error)
            }
        })
    }

    /// Reads the whole response. An unsuccessful response is an error.
    async fn collected(&self, response: Response<Incoming>) -> Result<Answer, Failure> {
        let status = response.status();
        match Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await {
            Ok(body) => {
                let answer = Answer { status, body: body.to_bytes() };
                if status.is_success() {
                    return Ok(answer);
                }
                // If the body is not an error of the API, the response is reported as unexpected.
                Err(answer.read::<ErrorBody>().map_or_else(|unread| unread, |refused| refused.error.into()))
            }
            Err(error) if error.is::<LengthLimitError>() => Err(Failure::new(format!(
                "the response of the operator API is longer than {ANSWER_BYTES_MAX} bytes"
            ))),
            Err(error) => Err(self.broke_off(error.as_ref())),
        }
    }

    fn broke_off(&self, error: &(dyn Error + 'static)) -> Failure {
        let (address, reason) = (&self.address, reason_of(error));
        Failure::new(format!("the response of the operator API on {address} ended early: {reason}"))
    }
}

fn read_pieces(mut input: impl Read, pieces: &mpsc::Sender<io::Result<Frame<Bytes>>>) {
    loop {
        let mut piece = BytesMut::zeroed(PIECE_BYTES);
        let read = match input.read(&mut piece) {
            Ok(0) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read,
        };
        let ends = read.is_err();
        let piece = read.map(|read| {
            piece.truncate(read);
            Frame::data(piece.freeze())
        });
        if pieces.blocking_send(piece).is_err() || ends {
            return;
        }
    }
}

/// The text of the innermost cause.
pub(super) fn reason_of(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    match last.downcast_ref::<io::Error>() {
        Some(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(reason) => english::tls(tls_fault(reason)).to_owned(),
            None if error.kind() != io::ErrorKind::Other => error.kind().to_string(),
            None => last.to_string(),
        },
        _ => last.to_string(),
    }
}
