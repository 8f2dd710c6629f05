//! Tests of every route of the public API. A request is accepted with a key that has only the scope of the
//! route, and refused without a key or without this scope. The first test fails if a route has no row in the
//! table. The module `foreign` tests ids of another business.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Answer, Api, SCOPES, Salon, Server, id};

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

/// A request to which the route responds with a success.
struct Row {
    method: &'static str,
    path: &'static str,
    scope: Option<&'static str>,
    query: String,
    body: Value,
}

/// The ids of a salon's records that occur in paths.
struct Records {
    contact_id: String,
    call_id: String,
    appointment_id: String,
    webhook_id: String,
}

impl Records {
    async fn of(salon: &Salon) -> Self {
        let contact = salon.contact(json!({ "name": "A" })).await;
        let call = salon.record_call(json!({})).await;
        let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
        let webhook = salon.webhook().await;
        let [contact_id, call_id, appointment_id, webhook_id] =
            [contact, call, booked, webhook].map(|made| id(&made).to_owned());
        Self { contact_id, call_id, appointment_id, webhook_id }
    }

    /// Uses the same id for all records.
    fn all(id: &str) -> Self {
        Self { contact_id: id.into(), call_id: id.into(), appointment_id: id.into(), webhook_id: id.into() }
    }

    /// Replaces the placeholders in the path, such as `{call_id}`, by ids. The path begins with `/v1`.
    fn fill(&self, path: &str) -> String {
        let filled = path
            .replace("{contact_id}", &self.contact_id)
            .replace("{call_id}", &self.call_id)
            .replace("{appointment_id}", &self.appointment_id)
            .replace("{webhook_id}", &self.webhook_id);
        assert!(!filled.contains('{'), "a record for {path} is missing");
        filled
    }
}

fn rows(salon: &Salon) -> Vec<Row> {
    let row = |method, path, scope, query: &str, body| Row {
        method,
        path,
        scope: Some(scope),
        query: query.to_owned(),
        body,
    };
    let get = |path, scope| row("GET", path, scope, "", Value::Null);
    let booking = salon.booking(&salon.cut, "2026-03-04T09:00:00Z", json!({}));
    let times = format!("?service_id={}&start_date=2026-03-05", salon.cut);
    let subscription = json!({ "url": "https://b.example.com/", "events": ["contact.created"] });
    let knowledge = json!({ "title": "Parking", "content": "Behind the house." });
    vec![
        Row { scope: None, ..get("/me", "") },
        get("/business", "business:read"),
        row("PATCH", "/business", "business:write", "", json!({ "name": "B" })),
        get("/services", "business:read"),
        get("/staff", "business:read"),
        get("/calls", "calls:read"),
        get("/calls/{call_id}", "calls:read"),
        get("/contacts", "contacts:read"),
        get("/contacts/{contact_id}", "contacts:read"),
        row("POST", "/contacts", "contacts:write", "", json!({ "name": "B" })),
        row("PATCH", "/contacts/{contact_id}", "contacts:write", "", json!({ "name": "B" })),
        get("/appointments", "appointments:read"),
        get("/appointments/{appointment_id}", "appointments:read"),
        row("GET", "/availability", "appointments:read", &times, Value::Null),
        row("POST", "/appointments", "appointments:write", "", booking),
        row(
            "POST",
            "/appointments/{appointment_id}/reschedule",
            "appointments:write",
            "",
            json!({ "starts_at": "2026-03-05T09:00:00Z" }),
        ),
        row("POST", "/appointments/{appointment_id}/cancel", "appointments:write", "", Value::Null),
        get("/messages", "messages:read"),
        row("POST", "/knowledge", "knowledge:write", "", knowledge),
        get("/webhooks", "webhooks:manage"),
        row("POST", "/webhooks", "webhooks:manage", "", subscription),
        get("/webhooks/{webhook_id}", "webhooks:manage"),
        row("PATCH", "/webhooks/{webhook_id}", "webhooks:manage", "", json!({ "description": "B" })),
        row("POST", "/webhooks/{webhook_id}/test", "webhooks:manage", "", Value::Null),
        row("DELETE", "/webhooks/{webhook_id}", "webhooks:manage", "", Value::Null),
    ]
}

impl Row {
    async fn send(&self, api: &Api, records: &Records) -> Answer {
        let path = format!("{}{}", records.fill(self.path), self.query);
        match &self.body {
            Value::Null => api.call(self.method, &path).await,
            body => api.call(self.method, &path).json(body).await,
        }
    }
}

#[tokio::test]
async fn every_route_of_the_table_is_tried_here_with_its_scope() {
    let server = Server::open().await;
    let tried: BTreeSet<_> =
        rows(&server.salon().await).iter().map(|row| (row.method.to_owned(), row.path, row.scope)).collect();
    let document = receptionist::openapi::document();
    let mut offered = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            offered.insert((method.to_uppercase(), path.as_str(), operation["x-required-scope"].as_str()));
        }
    }
    assert_eq!(tried, offered);
}

#[tokio::test]
async fn every_route_accepts_a_key_with_only_its_scope() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let records = Records::of(&salon).await;
    for row in rows(&salon) {
        // An API key must have at least one scope. A route that needs no scope accepts a key with any
        // scope.
        let key = salon.key(&[row.scope.unwrap_or("webhooks:manage")]).await;
        let answer = row.send(&key, &records).await;
        match row.method {
            "DELETE" => _ = answer.is(204),
            _ => _ = answer.data(),
        }
    }
}

#[tokio::test]
async fn the_document_names_the_headers_that_each_route_reads() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let records = Records::of(&salon).await;
    let document = receptionist::openapi::document();
    let mut wrong = Vec::new();
    for (number, row) in rows(&salon).iter().enumerate() {
        let described = &document["paths"][row.path][row.method.to_lowercase()]["parameters"].to_string();
        let path = format!("{}{}", records.fill(row.path), row.query);
        let ask = async |name: &str, value: &str| {
            let call = salon.api.call(row.method, &path).header(name, value);
            if row.body.is_null() { call.await } else { call.json(&row.body).await }
        };
        // A record can be deleted only once, so the idempotency key of a deletion is used only once.
        let key = format!("headers-{number}");
        let call = salon.api.call(row.method, &path).header("if-match", "\"stale\"").once(&key);
        let stale = if row.body.is_null() { call.await } else { call.json(&row.body).await };
        let reads_match = stale.status == 409 && stale.body["error"]["details"][0]["path"] == "If-Match";
        let reads_none = row.method == "GET" && ask("if-none-match", "*").await.status == 304;
        if reads_match {
            ask("idempotency-key", &key).await;
        }
        let reads_key = ask("idempotency-key", &key).await.has("idempotent-replayed");
        for (name, reads) in
            [("If-Match", reads_match), ("If-None-Match", reads_none), ("Idempotency-Key", reads_key)]
        {
            if described.contains(&format!("#/components/parameters/{name}")) != reads {
                wrong.push(format!("{} {} reads {name}: {reads}", row.method, row.path));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[tokio::test]
async fn every_route_is_closed_without_a_key() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let records = Records::of(&salon).await;
    let before = salon.operator.all("/audit").await;
    for row in rows(&salon) {
        row.send(&server.anonymous(), &records).await.fails(401, "unauthorized");
        let other = format!("{}x", &salon.key[..salon.key.len() - 1]);
        if other != salon.key {
            row.send(&server.with_key(&other), &records).await.fails(401, "unauthorized");
        }
    }
    assert_eq!(salon.operator.all("/audit").await, before);
}

#[tokio::test]
async fn every_route_is_closed_to_a_key_with_every_other_scope() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let records = Records::of(&salon).await;
    let before = salon.operator.all("/audit").await.len();
    let mut keys = 0;
    for row in rows(&salon) {
        let Some(scope) = row.scope else { continue };
        let others: Vec<_> = SCOPES.into_iter().filter(|other| *other != scope).collect();
        let key = salon.key(&others).await;
        keys += 1;
        row.send(&key, &records).await.fails(403, "insufficient_scope").says(scope);
        row.send(&key, &Records::all(UNKNOWN)).await.fails(403, "insufficient_scope");
    }
    assert_eq!(
        salon.operator.all("/audit").await.len(),
        before + keys,
        "only the creation of the keys may be audited"
    );
}
