//! A small browser: it keeps cookies, and fills in the forms that stand in pages.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use url::form_urlencoded::Serializer;

use super::{Page, laws};

/// So often a page is looked at until it says something.
const LOOKS_MAX: usize = 1_000;

/// A browser, with its cookies.
#[derive(Clone)]
pub(crate) struct Browser {
    client: Client<HttpConnector, Full<Bytes>>,
    address: SocketAddr,
    pub(crate) cookies: BTreeMap<String, String>,
}

impl Browser {
    pub(super) fn new(address: SocketAddr) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { client, address, cookies: BTreeMap::new() }
    }

    /// A page, without following where it leads.
    pub(crate) async fn get(&mut self, path: &str) -> Page {
        self.ask("GET", path, &[], String::new()).await
    }

    /// Sends fields as a form of the service's own pages does.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.post_from(path, fields, &[("sec-fetch-site", "same-origin")]).await
    }

    /// Sends fields with these headers.
    pub(crate) async fn post_from(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Page {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        self.ask("POST", path, headers, body).await
    }

    /// Sends the form of a page that goes to this path, with these fields filled in and all others as they stand there.
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

    /// The page once it says this: what it tells of may still be under way.
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

    /// Sends a request.
    pub(crate) async fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Page {
        let what = format!("{method} {path}");
        let uri = format!("http://{}{path}", self.address);
        let mut request = Request::builder().method(method).uri(uri);
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
        let request = request.body(Full::new(body.into())).unwrap();
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
