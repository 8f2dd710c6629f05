//! A small HTTP client, and the business of the tests.

use std::collections::BTreeMap;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use crate::process::{Server, TOKEN};

/// The duration of the booked service in minutes.
const MINUTES: i64 = 60;

/// A client of one process. It keeps its connections open and never repeats a request on its own.
#[derive(Clone)]
pub(crate) struct Client {
    hyper: Hyper<HttpConnector, Full<Bytes>>,
    public: String,
    admin: String,
}

/// A complete response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) replayed: bool,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A text property of the resource in the response.
    pub(crate) fn text(&self, property: &str) -> String {
        text(&self.body["data"], property)
    }
}

pub(crate) fn text(resource: &Value, property: &str) -> String {
    resource[property].as_str().unwrap_or_else(|| panic!("{property} is missing in {resource}")).to_owned()
}

/// The response to a browser.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    /// The path of a redirect.
    pub(crate) location: Option<String>,
    pub(crate) body: String,
}

/// A `POST` request to the public API, with the idempotency key with which it can be repeated.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    pub(crate) idempotency_key: String,
}

impl Client {
    pub(crate) fn of(server: &Server) -> Self {
        let hyper = Hyper::builder(TokioExecutor::new()).retry_canceled_requests(false).build_http();
        Self { hyper, public: server.public.clone(), admin: server.admin.clone() }
    }

    /// Sends a request. Returns `None` if the connection failed before the response was complete.
    async fn send(
        &self,
        method: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Option<Answer> {
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let bytes = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let answer = self.hyper.request(request.body(Full::new(bytes)).unwrap()).await.ok()?;
        let (status, replayed) =
            (answer.status().as_u16(), answer.headers().contains_key("idempotent-replayed"));
        let bytes = answer.into_body().collect().await.ok()?.to_bytes();
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        Some(Answer { status, replayed, body })
    }

    /// Calls the operator API. Any status is accepted.
    pub(crate) async fn ask_operator(&self, method: &str, path: &str, body: Option<Value>) -> Option<Answer> {
        let token = format!("Bearer {TOKEN}");
        let url = format!("{}{path}", self.admin);
        self.send(method, &url, &[("authorization", &token)], body.as_ref()).await
    }

    /// Calls the operator API. Asserts a success.
    pub(crate) async fn operator(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.ask_operator(method, path, body).await.expect("the operator API did not respond");
        assert!(answer.is_success(), "{method} {path}: {answer:?}");
        answer.body
    }

    /// Calls the operator API with an idempotency key. Any status is accepted.
    pub(crate) async fn operator_once(&self, path: &str, body: &Value, key: &str) -> Option<Answer> {
        let token = format!("Bearer {TOKEN}");
        let headers = [("authorization", token.as_str()), ("idempotency-key", key)];
        self.send("POST", &format!("{}{path}", self.admin), &headers, Some(body)).await
    }

    /// Sends a request of the chat on a booking page, for a client at the address `from`. Any status is accepted.
    pub(crate) async fn chat(&self, from: &str, path: &str, token: &str, body: &Value) -> Option<Answer> {
        let (root, token) = (self.public.trim_end_matches("/v1"), format!("Bearer {token}"));
        let headers = [
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
            ("x-forwarded-for", from),
        ];
        self.send("POST", &format!("{root}{path}"), &headers, Some(body)).await
    }

    /// All items of a list in the operator API.
    pub(crate) async fn operator_list(&self, path: &str) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        let mark = if path.contains('?') { '&' } else { '?' };
        loop {
            let page = self.operator("GET", &format!("{path}{mark}limit=100{cursor}"), None).await;
            all.extend(page["data"].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    /// Sends the request to the public API with its idempotency key.
    pub(crate) async fn call(&self, shop: &Shop, call: &Call) -> Option<Answer> {
        let key = format!("Bearer {}", shop.key);
        let headers = [("authorization", key.as_str()), ("idempotency-key", &call.idempotency_key)];
        self.send("POST", &format!("{}{}", self.public, call.path), &headers, call.body.as_ref()).await
    }

    /// The response of the public API, or `None` if the connection failed.
    pub(crate) async fn try_get(&self, shop: &Shop, path: &str) -> Option<Answer> {
        let key = format!("Bearer {}", shop.key);
        let url = format!("{}{path}", self.public);
        self.send("GET", &url, &[("authorization", &key)], None).await
    }

    pub(crate) async fn get(&self, shop: &Shop, path: &str) -> Answer {
        self.try_get(shop, path).await.expect("the public API did not respond")
    }

    /// Requests a page, or sends a form to its path. As with a proxy, `X-Forwarded-For` contains the client's address
    /// `from`. Returns `None` if the connection failed before the response was complete.
    pub(crate) async fn page(&self, from: &str, path: &str, form: Option<&str>) -> Option<Page> {
        let root = self.public.trim_end_matches("/v1");
        let request = Request::builder().uri(format!("{root}{path}")).header("x-forwarded-for", from);
        let request = match form {
            Some(_) => request.method("POST").header("content-type", "application/x-www-form-urlencoded"),
            None => request,
        };
        let body = Full::new(Bytes::from(form.unwrap_or_default().to_owned()));
        let (head, body) = self.hyper.request(request.body(body).unwrap()).await.ok()?.into_parts();
        let bytes = body.collect().await.ok()?.to_bytes();
        let location = head.headers.get("location").map(|path| path.to_str().unwrap().to_owned());
        let body = String::from_utf8(bytes.to_vec()).unwrap();
        Some(Page { status: head.status.as_u16(), location, body })
    }

    /// All items of a list in the public API, in order.
    pub(crate) async fn list(&self, shop: &Shop, path: &str) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(shop, &format!("{path}{cursor}")).await;
            assert_eq!(page.status, 200, "{page:?}");
            all.extend(page.body["data"].as_array().unwrap().iter().cloned());
            match page.body["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    pub(crate) async fn appointments(&self, shop: &Shop, query: &str) -> Vec<Value> {
        self.list(shop, &format!("/appointments?limit=100{query}")).await
    }

    pub(crate) async fn audit(&self, shop: &Shop) -> Vec<Value> {
        self.operator_list(&format!("/businesses/{}/audit", shop.id)).await
    }
}

/// A business that is always open, with one service and several staff members.
pub(crate) struct Shop {
    pub(crate) id: String,
    pub(crate) key: String,
    pub(crate) service: String,
    pub(crate) staff: Vec<String>,
}

impl Shop {
    pub(crate) async fn create(client: &Client, staff: usize) -> Self {
        let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
        let hours: Vec<_> =
            days.iter().map(|day| json!({ "day": day, "open": "00:00", "close": "24:00" })).collect();
        let business =
            json!({ "name": "Shop", "timezone": "UTC", "booking_mode": "instant", "hours": hours });
        let business = client.operator("POST", "/businesses", Some(business)).await;
        let id = text(&business["data"], "id");
        let add = async |path: &str, body: Value| {
            client.operator("POST", &format!("/businesses/{id}/{path}"), Some(body)).await["data"].clone()
        };
        let service =
            text(&add("services", json!({ "name": "Cut", "duration_minutes": MINUTES })).await, "id");
        let mut members = Vec::new();
        for number in 0..staff {
            let member = json!({ "name": format!("Staff {number}"), "service_ids": [service] });
            members.push(text(&add("staff", member).await, "id"));
        }
        let scopes = [
            "business:read",
            "appointments:read",
            "appointments:write",
            "contacts:read",
            "messages:read",
            "webhooks:manage",
        ];
        let key = text(&add("keys", json!({ "name": "tests", "scopes": scopes })).await, "key");
        Self { id, key, service, staff: members }
    }

    pub(crate) fn booking(&self, staff: usize, starts_at: &str, contact: usize, key: String) -> Call {
        let body = json!({
            "service_id": self.service,
            "staff_id": self.staff[staff],
            "starts_at": starts_at,
            "contact": { "name": format!("Contact {contact}"), "phone": format!("+1415555{contact:04}") },
        });
        Call { path: "/appointments".into(), body: Some(body), idempotency_key: key }
    }
}

/// The start of the half hour with this number. Half hours are counted from a day in the future.
pub(crate) fn slot(number: i64) -> String {
    let now: chrono::DateTime<chrono::Utc> = std::time::SystemTime::now().into();
    let first = now.date_naive() + chrono::TimeDelta::days(2);
    let start = first.and_hms_opt(0, 0, 0).unwrap().and_utc() + chrono::TimeDelta::minutes(30 * number);
    start.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(crate) fn check_overlaps(appointments: &[Value]) {
    let mut by_staff: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for appointment in appointments {
        if ["pending", "confirmed"].contains(&appointment["status"].as_str().unwrap()) {
            let time = (text(appointment, "starts_at"), text(appointment, "ends_at"));
            by_staff.entry(text(appointment, "staff_id")).or_default().push(time);
        }
    }
    for held in by_staff.values_mut() {
        held.sort();
        for pair in held.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{pair:?} overlap");
        }
    }
}
