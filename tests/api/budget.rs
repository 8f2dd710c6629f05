//! Tests of the budget of a business in the operator API: limits, usage, and refusals at the limit.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Answer, Salon, Server, id};

const KINDS: [&str; 11] = [
    "services",
    "staff",
    "keys",
    "contacts",
    "appointments",
    "calls",
    "messages",
    "knowledge",
    "waiting_deliveries",
    "waiting_notices",
    "conversations",
];

impl Salon {
    async fn budget(&self) -> Value {
        self.operator.get("/budget").await.data()
    }

    async fn allow(&self, kind: &str, limit: Value) {
        self.operator.patch("/budget", &json!({ (kind): limit })).await.is(200);
    }

    /// Creates another record of a kind. The number makes the record unique.
    async fn one_more(&self, kind: &str, number: usize) -> Answer {
        let start = || format!("2026-03-03T{:02}:00:00Z", 8 + number);
        match kind {
            "services" => {
                self.operator.post("/services", &json!({ "name": "S", "duration_minutes": 30 })).await
            }
            "staff" => self.operator.post("/staff", &json!({ "name": "S", "service_ids": [] })).await,
            "keys" => self.operator.post("/keys", &json!({ "name": "K", "scopes": ["calls:read"] })).await,
            "contacts" => self.try_contact(json!({ "name": format!("C{number}") })).await,
            "appointments" => self.try_book_with(&self.cut, &start(), json!({ "staff_id": self.anna })).await,
            "calls" => self.try_call(json!({})).await,
            "messages" => self.try_message(json!({})).await,
            "knowledge" => {
                self.api.post("/knowledge", &json!({ "title": "T", "content": format!("{number}") })).await
            }
            "conversations" => self.operator.post("/conversations", &json!({ "channel": "sms" })).await,
            other => panic!("no request creates {other}"),
        }
    }
}

fn full(answer: &Answer, path: &str, says: &str) {
    answer.fails(409, "conflict").says("used up");
    let details = answer.body["error"]["details"].as_array().unwrap();
    assert_eq!((details.len(), &details[0]["path"]), (1, &json!(path)), "{answer}");
    assert!(details[0]["message"].as_str().unwrap().starts_with(says), "{answer}");
}

#[tokio::test]
async fn every_kind_is_shown_with_its_default() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let budget = salon.budget().await;
    let kinds: Vec<_> = budget.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = KINDS.to_vec();
    expected.sort_unstable();
    assert_eq!(kinds, expected);
    for (kind, rows) in [("services", 3), ("staff", 3), ("keys", 1), ("contacts", 0)] {
        assert_eq!(budget[kind]["rows"], rows, "{kind}");
    }
    assert_eq!(budget["contacts"]["rows_max"], 1_000_000);
    assert_eq!(budget["knowledge"]["bytes_max"], 268_435_456);
    assert_eq!(budget["keys"]["rows_max"], 100);
    let others = KINDS.iter().filter(|kind| **kind != "keys");
    assert!(others.into_iter().all(|kind| budget[kind]["rows_max"].as_u64().unwrap() >= 1_000));
}

#[tokio::test]
async fn each_limit_allows_its_last_record_and_refuses_the_next() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    for kind in KINDS.into_iter().filter(|kind| !kind.starts_with("waiting_")) {
        let word = kind;
        let rows = salon.budget().await[kind]["rows"].as_u64().unwrap();
        salon.allow(kind, json!({ "rows_max": rows + 1 })).await;
        salon.one_more(kind, 1).await.created();
        let says = format!("the business may keep at most {} {word}; it has {}", rows + 1, rows + 1);
        full(&salon.one_more(kind, 2).await, kind, &says);
        let used = salon.budget().await[kind].clone();
        assert_eq!(used["rows"], rows + 1, "{kind}");

        salon.allow(kind, json!({ "rows_max": null, "bytes_max": used["bytes"] })).await;
        let says = format!("the business may keep at most {} bytes of {word}", used["bytes"]);
        full(&salon.one_more(kind, 2).await, kind, &says);
        salon.allow(kind, json!({ "bytes_max": null })).await;
        salon.one_more(kind, 2).await.created();
        assert_eq!(salon.budget().await[kind]["rows"], rows + 2, "{kind}");
    }
}

#[tokio::test]
async fn at_the_limit_changes_deletions_and_resumptions_succeed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "A", "phone": "+33612345678" })).await;
    let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let message = salon.message(json!({})).await;
    let nothing = json!({ "rows_max": 0, "bytes_max": 0 });
    let patch: Value = KINDS.iter().map(|kind| ((*kind).to_owned(), nothing.clone())).collect();
    salon.operator.patch("/budget", &patch).await.is(200);
    salon.patch_contact(&contact, json!({ "name": "A".repeat(200) })).await;
    salon.try_patch_message(&message, json!({ "status": "read" })).await.is(200);
    salon.try_move(&booked, json!({ "starts_at": "2026-03-03T10:00:00Z" })).await.is(200);
    salon.cancel(&booked).await.is(200);
    let long = json!({ "name": "L".repeat(200) });
    salon.operator.patch(&format!("/services/{}", salon.cut), &long).await.is(200);
    salon.operator.patch(&format!("/staff/{}", salon.anna), &long).await.is(200);
    let hook = salon.webhook().await;
    salon.api.patch(&format!("/webhooks/{}", id(&hook)), &json!({ "status": "disabled" })).await.is(200);
    salon.set(json!({ "name": "B" })).await;
    salon.operator.call("DELETE", &format!("/keys/{}", salon.key_id)).await.is(204);
    assert_eq!(salon.budget().await["keys"]["rows"], 0, "a revoked key must not use the budget");
}

#[tokio::test]
async fn a_call_is_stored_without_a_contact_at_the_contact_limit() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let known = salon.contact(json!({ "name": "Ada", "phone": "+33612345678" })).await;
    salon.webhook().await;
    salon.allow("contacts", json!({ "rows_max": 1 })).await;
    let anonymous = json!({ "from_number": "+33698765432", "contact_name": "Ben" });
    let call = salon.record_call(anonymous.clone()).await;
    assert_eq!((&call["contact_id"], &call["contact_name"]), (&Value::Null, &Value::Null));
    assert_eq!(call["from_number"], "+33698765432");
    let call = salon.record_call(json!({ "from_number": "+33612345678" })).await;
    assert_eq!(call["contact_id"], known["id"]);
    let message = salon.message(json!({ "caller_phone": "+33698765432" })).await;
    assert_eq!(message["contact_id"], Value::Null);
    assert_eq!(salon.api.all("/contacts").await.len(), 1);

    let inline = json!({ "contact": { "phone": "+33698765432" } });
    let booking = salon.try_book_with(&salon.cut, "2026-03-03T09:00:00Z", inline.clone()).await;
    full(&booking, "contact", "the business may keep at most 1 contacts; it has 1");
    salon.book(&salon.cut, "2026-03-03T09:00:00Z").await; // the contact already exists
    salon.allow("contacts", json!({ "rows_max": 2 })).await;
    salon.try_book_with(&salon.cut, "2026-03-03T10:00:00Z", inline).await.created();
    let call = salon.record_call(anonymous).await;
    assert_ne!(call["contact_id"], Value::Null);
}

#[tokio::test]
async fn deliveries_beyond_the_pending_limit_are_missed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let hook = salon.webhook().await;
    let log = format!("/webhooks/{}/deliveries", id(&hook));
    salon.allow("waiting_deliveries", json!({ "rows_max": 1 })).await;
    salon.contact(json!({ "name": "A" })).await;
    salon.contact(json!({ "name": "B" })).await;
    let missed = salon.operator.all(&format!("{log}?status=missed")).await;
    assert_eq!((missed.len(), salon.operator.all(&log).await.len()), (1, 2));
    assert_eq!(salon.budget().await["waiting_deliveries"]["rows"], 1);
    let resend = format!("{log}/{}/resend", missed[0]["event_id"].as_str().unwrap());
    let refused = salon.operator.call("POST", &resend).await;
    refused.fails(409, "conflict").says("used up");
    let all = format!("/webhooks/{}/resend-missed", id(&hook));
    assert_eq!(salon.operator.call("POST", &all).await.is(202).body["data"]["resent"], 0);
    salon.allow("waiting_deliveries", json!({ "rows_max": null })).await;
    salon.operator.call("POST", &resend).await.is(202);
    assert!(salon.operator.all(&format!("{log}?status=missed")).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_64_concurrent_creations_only_as_many_as_allowed_succeed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.allow("contacts", json!({ "rows_max": 10 })).await;
    let mut tasks = JoinSet::new();
    for number in 0..64 {
        let salon = salon.clone();
        tasks.spawn(async move { salon.try_contact(json!({ "name": format!("C{number}") })).await });
    }
    let (made, refused): (Vec<_>, Vec<_>) =
        tasks.join_all().await.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), refused.len()), (10, 54));
    for answer in &refused {
        full(answer, "contacts", "the business may keep at most 10 contacts; it has 10");
    }
    assert_eq!(salon.api.all("/contacts").await.len(), 10);
    assert_eq!(salon.budget().await["contacts"]["rows"], 10);
}

#[tokio::test]
async fn a_budget_is_changed_like_any_resource() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    for (body, paths) in [
        (json!({}), &[""][..]),
        (json!({ "contacts": {} }), &["contacts"]),
        (json!({ "contacts": null }), &["contacts"]),
        (json!({ "clients": { "rows_max": 1 } }), &["clients"]),
        (json!({ "contacts": { "rows": 1 } }), &["contacts.rows"]),
        (json!({ "contacts": { "rows_max": -1 } }), &["contacts.rows_max"]),
        (
            json!({ "contacts": { "rows_max": 1.5, "bytes_max": "1" } }),
            &["contacts.rows_max", "contacts.bytes_max"],
        ),
        (json!({ "calls": { "bytes_max": 9_007_199_254_740_992_u64 } }), &["calls.bytes_max"]),
    ] {
        let answer = salon.operator.patch("/budget", &body).await;
        answer.fails(400, "invalid_request");
        let mut said = crate::harness::paths(&answer);
        said.retain(|path| paths.contains(&path.as_str()));
        assert_eq!(said, paths, "{answer}");
    }
    let first = salon.operator.get("/budget").await;
    let change = json!({ "contacts": { "rows_max": 9_007_199_254_740_991_u64, "bytes_max": 0 } });
    let stale = salon.operator.call("PATCH", "/budget").json(&change).header("if-match", "\"other\"").await;
    stale.fails(409, "conflict");
    let changed =
        salon.operator.call("PATCH", "/budget").json(&change).header("if-match", &first.etag()).await;
    assert_eq!(changed.data()["contacts"]["rows_max"], 9_007_199_254_740_991_u64);
    assert_eq!(changed.etag(), salon.operator.get("/budget").await.etag());
    let entry = salon.operator.get("/audit?limit=1").await.list()[0].clone();
    assert_eq!((&entry["action"], &entry["resource_id"]), (&json!("budget.updated"), &json!(salon.id)));
    assert_eq!(
        entry["changes"].as_object().map(serde_json::Map::len).or(entry["changes"].as_array().map(Vec::len)),
        Some(1)
    );
    server.restart().await;
    let salon = salon.again(&server);
    assert_eq!(salon.budget().await, changed.data());
    salon.allow("contacts", json!({ "rows_max": null, "bytes_max": null })).await;
    assert_eq!(salon.budget().await, first.data());
}
