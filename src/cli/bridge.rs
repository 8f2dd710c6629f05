//! The bridge between an assistant's program and the service. It sends each line of standard input as a
//! request to `/mcp`, and writes each response as a line.
//!
//! Invariants: each request gets one response with its own id, even if the service fails. At most
//! [`REQUESTS_MAX`] requests are in progress, and no line is longer than [`LINE_BYTES_MAX`]. No request is
//! sent twice. Each line is sent unchanged, and the service validates it. The bridge parses only the
//! properties that the transport needs.

use std::cell::RefCell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::LocalSet;

use super::client::{ANSWER_BYTES_MAX, CALL_TIMEOUT, reason_of};
use super::connect::Connector;
use super::print;
use crate::english;
use crate::http::json::Json;

const REQUESTS_MAX: usize = 16;

/// The maximum length of a line in bytes. It is more than the service accepts, so that a line that is somewhat too long
/// for the service gets the service's own error, which states the service's limit.
const LINE_BYTES_MAX: usize = 1024 * 1024;

/// The first protocol version with headers that describe the request.
const HEADERS_SINCE: &str = "2026-07-28";

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The JSON-RPC error codes for a line that is not JSON, for an invalid request, and for a request that the service
/// could not answer.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const SERVER_ERROR: i32 = -32000;

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

pub(super) struct Bridge {
    http: HttpClient<Connector, Full<Bytes>>,
    origin: String,
    authorization: HeaderValue,
    /// The protocol version negotiated by `initialize`, for later requests.
    version: RefCell<Option<String>>,
}

struct Incoming {
    /// The id for the response. It is null if the id of the request is invalid, and `None` if the message is a
    /// notification.
    id: Option<Value>,
    message: Json,
    line: Bytes,
}

impl Incoming {
    fn is_initialize(&self) -> bool {
        self.message.property("method").and_then(Json::as_text) == Some("initialize")
    }
}

impl Bridge {
    pub(super) fn new(connector: Connector, origin: String, authorization: HeaderValue) -> Self {
        let http = HttpClient::builder(TokioExecutor::new()).build(connector);
        Self { http, origin, authorization, version: RefCell::new(None) }
    }

    pub(super) async fn run(self) {
        let (sender, mut lines) = mpsc::channel(1);
        // A read of standard input can block, so a separate thread reads. The exit of the process ends this thread.
        let reader = thread::Builder::new().name("input".into()).spawn(move || {
            let mut input = io::stdin().lock();
            while let Ok(Some(line)) = read_line(&mut input) {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        if let Err(error) = reader {
            print::error(&format!("cannot read standard input: {error}"));
            return;
        }
        let (bridge, permits) = (Rc::new(self), Arc::new(Semaphore::new(REQUESTS_MAX)));
        let tasks = LocalSet::new();
        tasks
            .run_until(async {
                while let Some(line) = lines.recv().await {
                    let incoming = match line {
                        Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
                        Line::Whole(line) => read(line.into()),
                        Line::TooLong => {
                            let message = format!(
                                "the message is too long: at most {LINE_BYTES_MAX} bytes are allowed"
                            );
                            Err(error(&Value::Null, INVALID_REQUEST, &message, None))
                        }
                    };
                    match incoming {
                        Ok(None) => {}
                        Err(answer) => write(&answer),
                        // Later messages depend on the negotiated version, so they wait for this response.
                        Ok(Some(incoming)) if incoming.is_initialize() => {
                            bridge.carry(incoming).await;
                        }
                        Ok(Some(incoming)) => {
                            let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
                            let bridge = Rc::clone(&bridge);
                            tokio::task::spawn_local(async move {
                                bridge.carry(incoming).await;
                                drop(permit);
                            });
                        }
                    }
                }
            })
            .await;
        // The input has ended, but the requests in progress still get their responses.
        tasks.await;
    }

    async fn carry(&self, incoming: Incoming) {
        let id = incoming.id.clone().unwrap_or_default();
        let exchange = Box::pin(self.exchange(&incoming, &id));
        let answer = match tokio::time::timeout(CALL_TIMEOUT, exchange).await {
            Ok(answer) => answer,
            Err(_) => self.unreachable(&id, &format!("no response within {CALL_TIMEOUT:?}")),
        };
        if incoming.id.is_none() {
            return;
        }
        if incoming.is_initialize()
            && let Some(version) = answer["result"]["protocolVersion"].as_str()
        {
            *self.version.borrow_mut() = Some(version.to_owned());
        }
        write(&answer);
    }

    async fn exchange(&self, incoming: &Incoming, id: &Value) -> Value {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}/mcp", self.origin))
            .header(AUTHORIZATION, self.authorization.clone())
            .header(USER_AGENT, concat!("receptionist/", env!("CARGO_PKG_VERSION")))
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json");
        for (name, value) in headers(&incoming.message, self.version.borrow().as_deref()) {
            request = request.header(name, value);
        }
        let body = Full::new(incoming.line.clone());
        let request = request.body(body).expect("the origin is a valid URL, and the header values are valid");
        let response = match self.http.request(request).await {
            Ok(response) => response,
            Err(error) => return self.unreachable(id, &reason_of(&error)),
        };
        let status = response.status();
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = match Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => return self.unreachable(id, &reason_of(error.as_ref())),
        };
        self.answer(id, status, retry_after.as_deref(), &body)
    }

    fn answer(&self, id: &Value, status: StatusCode, retry_after: Option<&str>, body: &[u8]) -> Value {
        match serde_json::from_slice::<Value>(body) {
            // An error response of the service may have no id. The response belongs to the request that was just sent,
            // so it gets the id of that request.
            Ok(mut answer) if answer["jsonrpc"] == "2.0" => {
                answer["id"] = id.clone();
                answer
            }
            Ok(refused) if refused["error"]["message"].is_string() => {
                let said = refused["error"]["message"].as_str().unwrap_or_default();
                let again =
                    retry_after.map(|seconds| format!("; try again in {seconds} s")).unwrap_or_default();
                let data = json!({"status": status.as_u16(), "code": refused["error"]["code"]});
                error(id, SERVER_ERROR, &format!("{said}{again}"), Some(data))
            }
            _ if status.is_success() => self.unreachable(id, "its response is not a valid protocol message"),
            _ => self.unreachable(id, &format!("it answered {status}")),
        }
    }

    fn unreachable(&self, id: &Value, reason: &str) -> Value {
        let message = format!("the service at {} cannot be reached: {reason}", self.origin);
        error(id, SERVER_ERROR, &message, None)
    }
}

/// Reads the next line, without the line feed at its end.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let limit = LINE_BYTES_MAX as u64 + 1;
    if input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') || line.len() <= LINE_BYTES_MAX {
        return Ok(Some(Line::Whole(line)));
    }
    // The line is too long. The part that has not been read yet is skipped in pieces.
    loop {
        line.clear();
        let read = input.by_ref().take(limit).read_until(b'\n', &mut line)?;
        if read == 0 || line.last() == Some(&b'\n') {
            return Ok(Some(Line::TooLong));
        }
    }
}

/// Parses a message from the assistant's program. Returns `None` for a response: the service never sends a
/// request to the program, so a response has no meaning.
fn read(line: Bytes) -> Result<Option<Incoming>, Value> {
    let message = Json::parse(&line)
        .map_err(|problem| error(&Value::Null, PARSE_ERROR, &english::problem(&problem.code), None))?;
    if !matches!(message, Json::Object(_)) {
        let why = "a message must be one JSON object; batches are not supported";
        return Err(error(&Value::Null, INVALID_REQUEST, why, None));
    }
    let has = |name: &str| message.property(name).is_some();
    if !has("method") && (has("result") || has("error")) {
        return Ok(None);
    }
    let is_notification = has("method") && !has("id");
    let id = (!is_notification).then(|| match message.property("id") {
        Some(Json::String(id)) => json!(id),
        Some(Json::Integer(id)) => i64::try_from(*id).map_or(Value::Null, Value::from),
        _ => Value::Null,
    });
    Ok(Some(Incoming { id, message, line }))
}

fn headers(message: &Json, negotiated: Option<&str>) -> Vec<(HeaderName, HeaderValue)> {
    let at = |path: &[&str]| path.iter().try_fold(message, |json, name| json.property(name))?.as_text();
    let own = at(&["params", "_meta", "io.modelcontextprotocol/protocolVersion"]);
    let mut headers = Vec::new();
    if let Some(version) = own.or(negotiated).and_then(|version| HeaderValue::from_str(version).ok()) {
        headers.push((PROTOCOL_VERSION, version));
    }
    if own.is_none_or(|version| version < HEADERS_SINCE) {
        return headers;
    }
    let method = at(&["method"]).unwrap_or_default();
    let name = match method {
        "tools/call" | "prompts/get" => at(&["params", "name"]),
        "resources/read" => at(&["params", "uri"]),
        _ => None,
    };
    headers.extend(HeaderValue::from_str(method).ok().map(|method| (METHOD, method)));
    headers.extend(name.map(|name| (NAME, header_value(name))));
    headers
}

/// Encodes a text for a header as the protocol requires: unchanged if a header can contain it, and in base64 if not.
fn header_value(text: &str) -> HeaderValue {
    let is_plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    let value = if is_plain { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) };
    HeaderValue::from_str(&value).expect("visible ASCII and spaces")
}

fn error(id: &Value, code: i32, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({"code": code, "message": message});
    if let Some(data) = data {
        error["data"] = data;
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

/// Writes a response. Ignores errors, since they mean that the reader has closed the pipe.
fn write(answer: &Value) {
    let _ = print::output(&format!("{answer}\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_maximum_length_and_the_next_line_is_read() {
        let long = "x".repeat(LINE_BYTES_MAX + 1);
        let whole = "y".repeat(LINE_BYTES_MAX);
        let mut input = io::Cursor::new(format!("a\n{long}\nb\n{whole}\nc"));
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input).unwrap() {
            lines.push(match line {
                Line::Whole(line) => Some(line.trim_ascii_end().len()),
                Line::TooLong => None,
            });
        }
        assert_eq!(lines, [Some(1), None, Some(1), Some(LINE_BYTES_MAX), Some(1)]);
    }

    #[test]
    fn an_invalid_message_is_answered_and_responses_are_ignored() {
        let read = |line: &'static str| read(Bytes::from(line));
        assert_eq!(read("{").map(|_| ()).unwrap_err()["error"]["code"], PARSE_ERROR);
        assert_eq!(read("[]").map(|_| ()).unwrap_err()["error"]["code"], INVALID_REQUEST);
        assert!(read(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).unwrap().is_none());
        let id = |line| read(line).unwrap().unwrap().id;
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#), Some(json!("a")));
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":-5,"method":"ping"}"#), Some(json!(-5)));
        assert_eq!(id(r#"{"jsonrpc":"2.0","method":"x"}"#), None);
        // Each of these lines has an invalid id or is not a message, but gets a response.
        for line in [
            r#"{"id":null,"method":"ping"}"#,
            r#"{"id":1.5,"method":"ping"}"#,
            r#"{"id":[],"method":"x"}"#,
            "{}",
        ] {
            assert_eq!(id(line), Some(Value::Null), "{line}");
        }
    }

    #[test]
    fn a_line_is_sent_unchanged() {
        let line = r#" {"jsonrpc":"2.0","id":1,"method":"ping","id":2,"params":{"a":1.0,"a":"\u0041"}}"#;
        assert_eq!(read(Bytes::from(line)).unwrap().unwrap().line, line);
    }

    #[test]
    fn headers_contain_the_version_and_since_a_newer_version_the_request() {
        let lines = |message: Value, negotiated| -> Vec<String> {
            let message = Json::parse(message.to_string().as_bytes()).unwrap();
            let headers = headers(&message, negotiated).into_iter();
            headers.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
        };
        let call = |meta: Value, name: &str| json!({"method": "tools/call", "params": {"name": name, "_meta": meta}});
        assert!(lines(call(json!({}), "x"), None).is_empty());
        assert_eq!(lines(call(json!({}), "x"), Some("2025-11-25")), ["mcp-protocol-version: 2025-11-25"]);
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        assert_eq!(
            lines(call(meta.clone(), "x"), None),
            ["mcp-protocol-version: 2026-07-28", "mcp-method: tools/call", "mcp-name: x"]
        );
        let odd = lines(call(meta, "é"), None);
        assert_eq!(odd[2], "mcp-name: =?base64?w6k=?=");
    }
}
