//! A person who changes the calendar with another program.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::servers::{Account, CalendarServer};

const CALENDAR: &str = "text/calendar; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";

pub(crate) struct Person {
    hyper: Hyper<HttpConnector, Full<Bytes>>,
    account: Account,
}

impl Person {
    pub(crate) fn new(account: Account) -> Self {
        // Servers close unused connections at unpredictable times, so each request uses a new connection.
        let hyper = Hyper::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build_http();
        Self { hyper, account }
    }

    /// Sends a request. Returns `None` if the server does not respond.
    async fn try_send(&self, method: &str, path: &str, kind: &str, body: &str) -> Option<(u16, String)> {
        let (host, port) = CalendarServer::ADDRESS;
        let login = BASE64_STANDARD.encode(format!("{}:{}", self.account.user, self.account.password));
        let request = Request::builder().method(method).uri(format!("http://{host}:{port}{path}"));
        let request = request.header("authorization", format!("Basic {login}")).header("content-type", kind);
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        let response = self.hyper.request(request).await.ok()?;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.ok()?.to_bytes();
        Some((status, String::from_utf8_lossy(&body).into_owned()))
    }

    async fn send(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, String) {
        self.try_send(method, path, kind, body).await.expect("the calendar server did not respond")
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.account.collection)
    }

    pub(crate) async fn is_served(&self) -> bool {
        self.try_send("OPTIONS", &self.account.entered, XML, "").await.is_some()
    }

    /// Creates a calendar. Its path is the path of the account's calendar, followed by `suffix`.
    pub(crate) async fn creates(&self, suffix: &str, name: &str, component: &str) {
        let path = format!("{}{suffix}/", self.account.collection.trim_end_matches('/'));
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><c:mkcalendar xmlns:d=\"DAV:\" \
             xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:set><d:prop><d:displayname>{name}</d:displayname>\
             <c:supported-calendar-component-set><c:comp name=\"{component}\"/></c:supported-calendar-component-set>\
             </d:prop></d:set></c:mkcalendar>"
        );
        let (mut status, mut text) = self.send("MKCALENDAR", &path, XML, &body).await;
        if status != 201 {
            // An earlier run of the test may have left the calendar on an installed server.
            self.send("DELETE", &path, XML, "").await;
            (status, text) = self.send("MKCALENDAR", &path, XML, &body).await;
        }
        assert_eq!(status, 201, "{path}: {text}");
    }

    /// Returns the calendar file of an event, or `None` if the calendar does not have the event.
    pub(crate) async fn sees(&self, name: &str) -> Option<String> {
        let (status, text) = self.send("GET", &self.path(name), CALENDAR, "").await;
        match status {
            200 => Some(text.replace("\r\n ", "")),
            404 | 410 => None,
            _ => panic!("{name}: {status} {text}"),
        }
    }

    pub(crate) async fn stores(&self, name: &str, text: &str) {
        let (status, refusal) = self.send("PUT", &self.path(name), CALENDAR, text).await;
        assert!((200..300).contains(&status), "{name}: {status} {refusal}");
    }

    /// Tries to store a copy of an event, with the same UID, at another path. Returns whether the server has stored
    /// the copy. Deletes the copy.
    pub(crate) async fn may_store_twice(&self, name: &str, copy: &str) -> bool {
        let text = self.sees(name).await.unwrap();
        let is_stored = self.send("PUT", &self.path(copy), CALENDAR, &text).await.0 < 300;
        if is_stored {
            self.deletes(copy).await;
        }
        is_stored
    }

    pub(crate) async fn deletes(&self, name: &str) {
        let (status, text) = self.send("DELETE", &self.path(name), CALENDAR, "").await;
        assert!((200..300).contains(&status), "{name}: {status} {text}");
    }

    /// Changes an event: replaces the first text of each pair by the second text.
    pub(crate) async fn edits(&self, name: &str, pairs: &[(&str, &str)]) {
        let mut text = self.sees(name).await.unwrap();
        for (from, to) in pairs {
            assert!(text.contains(from), "{from} is not in {text}");
            text = text.replace(from, to);
        }
        self.stores(name, &text).await;
    }

    /// Moves an event to another path.
    pub(crate) async fn renames(&self, from: &str, to: &str) {
        let text = self.sees(from).await.unwrap();
        self.deletes(from).await;
        self.stores(to, &text).await;
    }
}
