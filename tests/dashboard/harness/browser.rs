//! A small browser. It keeps cookies and fills in forms.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use url::form_urlencoded::Serializer;

use super::{Page, laws};

/// The maximum number of requests while waiting for a text on a page.
const LOOKS_MAX: usize = 10_000;

/// A browser, with its cookies.
#[derive(Clone)]
pub(crate) struct Browser {
    client: Client<HttpConnector, Full<Bytes>>,
    address: SocketAddr,
    pub(crate) cookies: BTreeMap<String, String>,
}

/// An open stream of server-sent events.
pub(crate) struct Events {
    body: Incoming,
    unread: String,
}

impl Events {
    /// Returns the data of the next event, or `None` if the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            let event = self.block().await?;
            if let Some(data) = event.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// The next event or comment of the stream, as text.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.unread.split_once("\n\n") {
                let block = block.to_owned();
                self.unread = rest.to_owned();
                return Some(block);
            }
            let frame = self.body.frame().await?.expect("the stream must not be cut off");
            self.unread.push_str(std::str::from_utf8(frame.data_ref()?).unwrap());
        }
    }
}

impl Browser {
    pub(super) fn new(address: SocketAddr) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { client, address, cookies: BTreeMap::new() }
    }

    /// Requests a page. Does not follow redirects.
    pub(crate) async fn get(&mut self, path: &str) -> Page {
        self.ask("GET", path, &[], String::new()).await
    }

    /// Posts the fields in the same way as a form on a page of the service.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.post_from(path, fields, &[("sec-fetch-site", "same-origin")]).await
    }

    /// Posts fields with additional headers.
    pub(crate) async fn post_from(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Page {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        self.ask("POST", path, headers, body).await
    }

    /// Submits the form with this action. The values in `fields` replace those of the form. The other fields of the
    /// form keep their values.
    pub(crate) async fn submit(&mut self, page: &Page, action: &str, fields: &[(&str, &str)]) -> Page {
        let form = page.form(action);
        let mut all = form.fields.clone();
        for (name, value) in fields {
            assert!(form.controls.iter().any(|one| one == name), "{action} has no field {name}: {form:?}");
            match all.iter_mut().find(|(field, _)| field == name) {
                Some(field) => (*value).clone_into(&mut field.1),
                None => all.push(((*name).to_owned(), (*value).to_owned())),
            }
        }
        let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.post(action, &all).await
    }

    /// Submits the form with this action, without one of its fields. A browser sends no field for a
    /// checkbox that is not ticked.
    pub(crate) async fn submit_without(&mut self, page: &Page, action: &str, field: &str) -> Page {
        let mut all = page.form(action).fields;
        all.retain(|(name, _)| name != field);
        let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.post(action, &all).await
    }

    /// Submits the form with this action as `multipart/form-data`, with a file in its field `file` if there is one.
    pub(crate) async fn upload(&mut self, page: &Page, action: &str, file: Option<&[u8]>) -> Page {
        let mut body = Vec::new();
        let mut part = |head: &str, value: &[u8]| {
            let head = format!("--xyz\r\nContent-Disposition: form-data; name=\"{head}\r\n\r\n");
            body.extend([head.as_bytes(), value, b"\r\n"].concat());
        };
        for (name, value) in page.form(action).fields.iter().filter(|(name, _)| name != "file") {
            part(&format!("{name}\""), value.as_bytes());
        }
        if let Some(file) = file {
            part("file\"; filename=\"c.csv\"\r\nContent-Type: text/csv", file);
        }
        body.extend(b"--xyz--\r\n");
        let headers = [("sec-fetch-site", "same-origin")];
        let mut request = self.request("POST", action, &headers, String::new());
        let kind = "multipart/form-data; boundary=xyz".parse().unwrap();
        request.headers_mut().insert("content-type", kind);
        *request.body_mut() = Full::new(body.into());
        self.sent(format!("POST {action}"), request).await
    }

    /// Requests a page repeatedly until it contains this text.
    pub(crate) async fn until(&mut self, path: &str, text: &str) -> Page {
        for _ in 0..LOOKS_MAX {
            let page = self.get(path).await.is(200);
            if page.text().contains(text) {
                return page;
            }
            tokio::task::yield_now().await;
        }
        self.get(path).await.says(text)
    }

    /// Opens a stream of events.
    pub(crate) async fn listen(&self, path: &str) -> Events {
        let answer = self.client.request(self.request("GET", path, &[], String::new())).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.headers()["content-type"], "text/event-stream", "{path}");
        assert_eq!(answer.headers()["cache-control"], "no-store", "{path}");
        let mut events = Events { body: answer.into_body(), unread: String::new() };
        assert_eq!(events.block().await.unwrap(), "event: hello\ndata: {}", "{path}");
        events
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Request<Full<Bytes>> {
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !self.cookies.is_empty() {
            let cookies = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
            request = request.header("cookie", cookies.collect::<Vec<_>>().join("; "));
        }
        if method == "POST" {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        request.body(Full::new(body.into())).unwrap()
    }

    pub(crate) async fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Page {
        let request = self.request(method, path, headers, body);
        self.sent(format!("{method} {path}"), request).await
    }

    async fn sent(&mut self, what: String, request: Request<Full<Bytes>>) -> Page {
        let answer = self.client.request(request).await.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let (head, body) = answer.into_parts();
        for cookie in head.headers.get_all("set-cookie") {
            self.take(cookie.to_str().unwrap());
        }
        let body = body.collect().await.unwrap().to_bytes();
        let page =
            Page::new(what, head.status.as_u16(), head.headers, String::from_utf8(body.to_vec()).unwrap());
        laws::check(&page);
        page
    }

    fn take(&mut self, cookie: &str) {
        assert!(cookie.contains("SameSite=Lax"), "{cookie}");
        let (pair, marks) = cookie.split_once(';').unwrap();
        let (name, value) = pair.split_once('=').unwrap();
        if name.contains("receptionist") {
            assert!(marks.contains("HttpOnly") && marks.contains("Path=/;"), "{cookie}");
        }
        if marks.contains("Max-Age=0") {
            self.cookies.remove(name);
        } else {
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
    }
}
