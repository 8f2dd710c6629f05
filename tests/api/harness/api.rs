//! A small HTTP client, used as `api.get("/me").await` or
//! `api.call("POST", "/x").json(&body).header("If-Match", tag).await`.

use std::future::{Future, IntoFuture};
use std::net::SocketAddr;
use std::pin::Pin;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::{Answer, laws};

/// One of the two APIs with the token of one client.
#[derive(Clone)]
pub(crate) struct Api {
    client: Client<HttpConnector, Full<Bytes>>,
    pub(crate) address: SocketAddr,
    base: String,
    token: Option<String>,
}

impl Api {
    pub(super) fn new(address: SocketAddr, base: &str, token: Option<&str>) -> Self {
        let client = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
        Self { client, address, base: base.to_owned(), token: token.map(str::to_owned) }
    }

    /// The same API with this token.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// The same API, without a token.
    pub(crate) fn anonymous(&self) -> Self {
        Self { token: None, ..self.clone() }
    }

    pub(crate) fn token(&self) -> &str {
        self.token.as_deref().unwrap()
    }

    /// A request that is sent when it is awaited.
    pub(crate) fn call(&self, method: &str, path: &str) -> Pending {
        let mut pending = Pending {
            api: self.clone(),
            method: method.parse().unwrap(),
            path: format!("{}{path}", self.base),
            headers: Vec::new(),
            body: Bytes::new(),
        };
        if let Some(token) = &self.token {
            pending = pending.header("authorization", &format!("Bearer {token}"));
        }
        pending
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call("POST", path).json(body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.call("PATCH", path).json(body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.call("DELETE", path).await
    }

    /// Reads a list page by page, and returns every item.
    pub(crate) async fn walk(&self, path: &str, limit: usize) -> Vec<Value> {
        let join = if path.contains('?') { '&' } else { '?' };
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{path}{join}limit={limit}{cursor}")).await;
            let items = page.list();
            assert!(items.len() <= limit, "{page}");
            all.extend(items);
            match page.body["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    pub(crate) async fn all(&self, path: &str) -> Vec<Value> {
        self.walk(path, 100).await
    }
}

/// A request that is sent when it is awaited.
pub(crate) struct Pending {
    api: Api,
    method: Method,
    path: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl Pending {
    /// Adds a header. The same name may be added several times.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.parse().unwrap(), value.parse().unwrap()));
        self
    }

    /// Sets a JSON body.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.bytes(body.to_string()).header("content-type", "application/json")
    }

    /// Sets a body without a content type.
    pub(crate) fn bytes(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets the idempotency key.
    pub(crate) fn once(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    async fn send(self) -> Answer {
        let uri = format!("http://{}{}", self.api.address, self.path);
        let what = format!("{} {}", self.method, self.path);
        let mut request = Request::builder().method(self.method.clone()).uri(uri);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(self.body)).unwrap();
        let response = self.api.client.request(request).await;
        let response = response.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.unwrap_or_else(|error| panic!("{what}: {error:?}")).to_bytes();
        let answer = Answer::new(what, head.status.as_u16(), head.headers, bytes);
        laws::check(&answer, &self.method, &self.path);
        answer
    }
}

impl IntoFuture for Pending {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The text with percent-encoding, for a query.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
