//! Serves `POST /mcp`. Each request contains one JSON message and gets one JSON response.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use super::message::{Message, Unreadable};
use super::server::Server;
use crate::api::{Access, KeyGate};
use crate::origins::Origins;
use crate::rest::context::{Context, Incoming};
use crate::rest::error::ApiError;
use crate::rest::input::{Business, Input, Part, read_body};
use crate::rest::output::{Kind, Output};
use crate::rest::route::post;
use crate::rest::router;

pub(crate) const PATH: &str = "/mcp";

/// The client's headers that `rmcp` receives. The API key is not among them.
const HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
];

/// The maximum length of an error in bytes. An error repeats a part of the request, so it can be long.
const ERROR_BYTES_MAX: usize = 16 * 1024;
/// If an error exceeds [`ERROR_BYTES_MAX`], its message is cut to this number of characters.
const ERROR_CHARS_MAX: usize = 1_000;

const PARAM_HEADERS: &str = "mcp-param-";

const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

pub(crate) fn router(keys: &Arc<KeyGate>, origins: Origins) -> Router {
    let table = vec![post(PATH, Access::ActiveKey, answer).named("mcp", "Speak the Model Context Protocol")];
    router::router(table, &Arc::new(keys.with_origins(origins)))
}

impl Input for Bytes {
    const PART: Part = Part::Body;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        read_body(incoming).await
    }
}

impl Output for Response {
    const KIND: Kind = Kind::Plain;
    type Shows = ();

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(self)
    }
}

async fn answer(context: Context, body: Bytes, business: Business) -> Result<Response, ApiError> {
    let message = match Message::read(&body) {
        Ok(message) => message,
        Err(unreadable) => return Ok(unreadable.into_response()),
    };
    let request = request(context.headers(), message.bytes);
    let server = Server::new(context, business, message.arguments);
    let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.sse_keep_alive = None;
    let served = server.clone();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(served.clone()), sessions, config);
    let response = service.handle(request).await;
    drop(service);
    if let Some(fault) = server.into_fault() {
        return Err(fault);
    }
    shown(response.map(Body::new)).await
}

fn request(headers: &HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = axum::http::Method::POST;
    let kept =
        headers.iter().filter(|(name, _)| HEADERS.contains(name) || name.as_str().starts_with(PARAM_HEADERS));
    let told = request.headers_mut();
    for (name, value) in kept {
        told.append(name.clone(), value.clone());
    }
    told.insert(header::ACCEPT, ACCEPTED);
    told.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // `rmcp` also checks the Host header. The gate has already checked the Host of the request, so `rmcp` gets a
    // fixed one.
    told.insert(header::HOST, HeaderValue::from_static("localhost"));
    request
}

fn short(answer: Bytes) -> Bytes {
    if answer.len() <= ERROR_BYTES_MAX {
        return answer;
    }
    let Ok(mut told) = serde_json::from_slice::<Value>(&answer) else { return answer };
    let Some(error) = told.get_mut("error").and_then(Value::as_object_mut) else { return answer };
    error.remove("data");
    if let Some(Value::String(message)) = error.get_mut("message") {
        *message = message.chars().take(ERROR_CHARS_MAX).collect();
    }
    told.to_string().into()
}

/// Converts the response of `rmcp`. If `rmcp` cannot read a message, it responds with plain text. This function
/// converts the text to a JSON-RPC error.
async fn shown(response: Response) -> Result<Response, ApiError> {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|of| of == "application/json");
    let status = response.status();
    if status == StatusCode::ACCEPTED {
        return Ok(response);
    }
    let (mut head, body) = response.into_parts();
    let body = body.collect().await.map_err(ApiError::internal)?.to_bytes();
    if is_json {
        let body = short(body);
        head.headers.remove(header::CONTENT_LENGTH);
        return Ok(Response::from_parts(head, Body::from(body)));
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    if status.is_client_error() {
        return Ok(Unreadable::otherwise(status, text).into_response());
    }
    Err(ApiError::internal(format!("the protocol answered {status}: {text}")))
}
