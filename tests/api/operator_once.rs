//! Tests of `Idempotency-Key` in the operator API, for clients that repeat a request after a lost response.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Answer, Salon, Server, id};

const OF_A_BUSINESS: &str = "/admin/v1/businesses/{business_id}";
const AT: &str = "2026-03-03T09:00:00Z";

async fn send(salon: &Salon, (method, path, body): (&str, &str, &Value), key: &str) -> Answer {
    let call = salon.operator.call(method, path).once(key);
    if body.is_null() { call.await } else { call.json(body).await }
}

/// Returns the audit log. If `erases` is true, returns only the ids and actions of the changes that were
/// requested, because the cleanup of an erasure adds and changes other entries.
async fn log(salon: &Salon, erases: bool) -> Vec<Value> {
    let entries = salon.operator.all("/audit").await;
    if !erases {
        return entries;
    }
    let asked_for = entries.iter().filter(|entry| entry["actor"]["type"] != "system");
    asked_for.map(|entry| json!([entry["id"], entry["action"]])).collect()
}

/// Asserts that the second response is a copy of the first one.
fn replays(first: &Answer, second: &Answer) {
    assert!(!first.has("idempotent-replayed"), "{first}");
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!((second.status, &second.bytes), (first.status, &first.bytes));
    assert_eq!(second.headers.get("etag"), first.headers.get("etag"));
}

/// The route of this path, with `{…}` in place of each id.
fn route(path: &str) -> String {
    let named = [
        "services",
        "staff",
        "keys",
        "feeds",
        "calendars",
        "conversations",
        "appointments",
        "calls",
        "contacts",
        "messages",
        "knowledge",
        "webhooks",
        "special-days",
        "time-off",
        "people",
    ];
    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    for at in 1..segments.len() {
        if let Some(kind) = named.iter().find(|kind| segments[at - 1] == **kind) {
            let one = match *kind {
                "special-days" => "date",
                "time-off" => "time_off_id",
                "people" => "person_id",
                "staff" => "staff_id",
                "knowledge" => "knowledge_id",
                several => &format!("{}_id", &several[..several.len() - 1]),
            };
            segments[at] = format!("{{{one}}}");
        }
    }
    format!("{OF_A_BUSINESS}{}", segments.join("/"))
}

#[tokio::test]
async fn every_change_of_a_business_happens_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let hook = salon.webhook().await;
    let contact = salon.contact(json!({ "name": "Ada", "phone": "+14155552671" })).await;
    let merged = salon.contact(json!({ "name": "Ada King" })).await;
    let (message, missed) = (salon.message(json!({})).await, salon.record_call(json!({})).await);
    let [unused, short] = [json!({ "name": "Unused", "duration_minutes": 30 }), json!({ "name": "Short" })];
    let service = salon.operator.post("/services", &unused).await.created();
    let staff = json!({ "name": "Nobody", "service_ids": [] });
    let without_services = salon.operator.post("/staff", &staff).await.created();
    let note = json!({ "title": "Pets", "content": "Welcome." });
    let known = salon.operator.post("/knowledge", &note).await.created();
    let key = json!({ "name": "till", "scopes": ["calls:read"] });
    let till = salon.operator.post("/keys", &key).await.created();
    let feed = salon.operator.post("/feeds", &json!({})).await.created();
    let calendar = format!("/calendars/{}", salon.calendar(&server).await);
    let [talk, thread] = [json!({ "channel": "voice" }), json!({ "channel": "sms" })];
    let talk = salon.operator.post("/conversations", &talk).await.created();
    let thread = salon.operator.post("/conversations", &thread).await.created();
    let ada = json!({ "email": "ada@example.com", "role": "owner" });
    let ada = salon.operator.post("/people", &ada).await.created();
    salon.set(json!({ "booking_mode": "request" })).await;
    let pending = async |at: &str| {
        let more = json!({ "allow_pending": true });
        salon.try_book_with(&salon.cut, at, more).await.created()
    };
    let [to_confirm, to_decline] = [pending("2026-03-04T09:00:00Z").await, pending(AT).await];
    let team =
        json!({ "service_id": salon.cut, "starts_at": "2026-03-05T09:00:00Z", "contact_id": contact["id"] });
    let booked = salon.operator.post("/appointments", &team).await.created();
    let off = json!({ "from": "2026-04-01", "to": "2026-04-01" });
    let off = salon.operator.post(&format!("/staff/{}/time-off", salon.anna), &off).await.created();
    let of = |kind: &str, one: &Value, end: &str| format!("/{kind}/{}{end}", id(one));
    let call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "from_number": "+14155550100",
        "started_at": "2026-03-01T08:00:00Z", "ended_at": "2026-03-01T08:02:00Z",
    });
    let booking = json!({ "service_id": salon.cut, "starts_at": "2026-03-06T09:00:00Z",
        "contact": { "phone": "+14155550101" } });
    let rows: Vec<(&str, String, Value)> = vec![
        ("PATCH", String::new(), json!({ "name": "Salon Zoë" })),
        ("POST", "/services".into(), json!({ "name": "Perm", "duration_minutes": 60 })),
        ("PATCH", of("services", &service, ""), short.clone()),
        ("PUT", of("services", &service, "/staff"), json!({ "staff_ids": [salon.anna] })),
        ("PUT", of("services", &service, "/staff"), json!({ "staff_ids": [] })),
        ("DELETE", of("services", &service, ""), Value::Null),
        ("POST", "/staff".into(), json!({ "name": "Dan", "service_ids": [salon.cut] })),
        ("PATCH", of("staff", &without_services, ""), short),
        ("DELETE", of("staff", &without_services, ""), Value::Null),
        (
            "POST",
            format!("/staff/{}/time-off", salon.ben),
            json!({ "from": "2026-04-01", "to": "2026-04-02" }),
        ),
        ("DELETE", format!("/staff/{}/time-off/{}", salon.anna, id(&off)), Value::Null),
        ("PUT", "/special-days/2026-05-01".into(), json!({ "closed": true })),
        ("DELETE", "/special-days/2026-05-01".into(), Value::Null),
        ("DELETE", of("keys", &till, ""), Value::Null),
        ("DELETE", of("feeds", &feed, ""), Value::Null),
        ("PATCH", calendar.clone(), json!({ "name": "Home" })),
        ("DELETE", calendar, Value::Null),
        ("PATCH", "/receptionist".into(), json!({ "team_first_seconds": 20 })),
        ("POST", "/conversations".into(), json!({ "channel": "voice", "from": "+14155550103" })),
        ("POST", of("conversations", &talk, "/turns"), json!({ "text": "Bonjour" })),
        ("POST", of("conversations", &talk, "/end"), Value::Null),
        ("POST", of("conversations", &thread, "/reply"), json!({ "text": "Bonjour" })),
        ("DELETE", of("conversations", &thread, ""), Value::Null),
        ("POST", "/appointments".into(), booking),
        ("PATCH", of("appointments", &to_confirm, ""), json!({ "notes": "Brings a dog" })),
        ("POST", of("appointments", &to_confirm, "/confirm"), Value::Null),
        ("POST", of("appointments", &to_decline, "/decline"), Value::Null),
        ("POST", of("appointments", &booked, "/reschedule"), json!({ "starts_at": "2026-03-05T11:00:00Z" })),
        ("POST", of("appointments", &booked, "/cancel"), Value::Null),
        ("POST", "/contacts".into(), json!({ "phone": "+14155550102" })),
        ("PATCH", of("contacts", &contact, ""), json!({ "name": "Ada Lovelace" })),
        ("POST", "/calls".into(), call),
        ("PATCH", of("calls", &missed, ""), json!({ "handled": true })),
        ("POST", "/messages".into(), json!({ "body": "Please call." })),
        ("PATCH", of("messages", &message, ""), json!({ "status": "read" })),
        ("POST", "/knowledge".into(), json!({ "title": "Parking", "content": "Behind the house." })),
        ("PATCH", of("knowledge", &known, ""), json!({ "content": "No." })),
        ("DELETE", of("knowledge", &known, ""), Value::Null),
        ("PATCH", of("webhooks", &hook, ""), json!({ "status": "disabled" })),
        ("DELETE", of("webhooks", &hook, ""), Value::Null),
        ("PATCH", of("people", &ada, ""), json!({ "role": "admin", "name": "Ada" })),
        ("PATCH", of("people", &ada, "/notifications"), json!({ "call_missed": { "in_app": false } })),
        ("DELETE", of("people", &ada, ""), Value::Null),
        ("PATCH", "/budget".into(), json!({ "contacts": { "rows_max": 1000 } })),
        ("PATCH", "/retention".into(), json!({ "calls_days": 3650 })),
        ("PATCH", "/website".into(), json!({ "enabled": true })),
        ("PATCH", "/notices".into(), json!({ "email": "all" })),
        ("PUT", of("contacts", &contact, "/consent"), json!({ "texts": "refused" })),
        ("POST", of("contacts", &contact, "/merge"), json!({ "from": id(&merged) })),
        ("DELETE", of("contacts", &contact, ""), Value::Null),
    ];
    let mut tried: BTreeSet<(String, String)> = BTreeSet::new();
    let document = receptionist::openapi::operator_document();
    for (number, (method, path, body)) in rows.iter().enumerate() {
        server.clock.advance(1);
        let key = format!("adapter-{number}");
        let described =
            &document["paths"][route(path).trim_start_matches("/admin/v1")][method.to_lowercase()];
        let conditional = described["parameters"].to_string().contains("#/components/parameters/If-Match");
        let stale = salon.operator.call(method, path).header("if-match", "\"stale\"");
        let first = if conditional {
            let stale = if body.is_null() { stale.await } else { stale.json(body).await };
            stale.fails(409, "conflict");
            assert_eq!(stale.body["error"]["details"][0]["path"], "If-Match", "{stale}");
            send(&salon, (method, path, body), &key).await
        } else {
            let stale = stale.once(&key);
            if body.is_null() { stale.await } else { stale.json(body).await }
        };
        assert!(
            matches!(first.status, 200 | 201 | 204),
            "the API document lists If-Match: {conditional}; the response: {first}"
        );
        let erases = *path == of("contacts", &contact, "") && *method == "DELETE";
        let before = log(&salon, erases).await;
        replays(&first, &send(&salon, (method, path, body), &key).await);
        assert_eq!(log(&salon, erases).await, before, "{method} {path} was carried out twice");
        let other = send(&salon, ("PATCH", "", &json!({ "name": "x" })), &key).await;
        other.fails(422, "idempotency_key_reused");
        tried.insert(((*method).to_owned(), route(path)));
    }
    // The last request deletes the business, so the request's idempotency key cannot be stored in the
    // business.
    let end = ("DELETE", "", &Value::Null);
    let first = send(&salon, end, "adapter-ends").await;
    assert_eq!(first.status, 202, "{first}");
    let second = send(&salon, end, "adapter-ends").await;
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!((second.status, &second.bytes), (first.status, &first.bytes));
    send(&salon, end, "another").await.fails(404, "not_found");
    tried.insert(("DELETE".to_owned(), OF_A_BUSINESS.to_owned()));
    // Other tests cover these routes. Their responses contain a secret, their body is a file, or they need a
    // calendar server, an unanswered question, or a delivery or mail with a particular status.
    let apart = [
        "/contacts/import",
        "/keys",
        "/feeds",
        "/calendars",
        "/discover",
        "/{calendar_id}/read",
        "/{appointment_id}/write",
        "/{gap_id}",
        "/webhooks",
        "/rotate-secret",
        "/people",
        "/link",
        "/resend",
        "/resend-missed",
        "/try-now",
        "/send-again",
    ];
    let there = receptionist::service::routes().into_iter().filter(|(method, path)| {
        method != "GET" && path.starts_with(OF_A_BUSINESS) && !apart.iter().any(|end| path.ends_with(end))
    });
    let there: BTreeSet<_> = there.map(|(method, path)| (method.to_string(), path.to_owned())).collect();
    assert_eq!(tried, there);
}

#[tokio::test]
async fn a_call_that_is_reported_twice_is_one_call_and_one_event() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let events = json!({ "url": "https://a.example.com/", "events": ["call.completed", "contact.created"] });
    let hook = salon.operator.post("/webhooks", &events).await.created();
    let call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "from_number": "+14155550100",
        "started_at": "2026-03-01T08:00:00Z", "ended_at": "2026-03-01T08:02:00Z",
    });
    let first = send(&salon, ("POST", "/calls", &call), "k").await;
    for _ in 0..3 {
        server.clock.advance(3600);
        replays(&first, &send(&salon, ("POST", "/calls", &call), "k").await);
    }
    assert_eq!(salon.operator.all("/calls").await.len(), 1);
    assert_eq!(salon.operator.all(&format!("/webhooks/{}/deliveries", id(&hook))).await.len(), 2);
    server.clock.advance(24 * 3600);
    assert!(!send(&salon, ("POST", "/calls", &call), "k").await.has("idempotent-replayed"));
    assert_eq!(salon.operator.all("/calls").await.len(), 2);
}

#[tokio::test]
async fn idempotency_keys_of_the_operator_are_separate_for_each_business() {
    let server = Server::open().await;
    let [salon, other] = [server.salon().await, server.salon().await];
    let body = json!({ "name": "Zoé" });
    let mine = send(&salon, ("POST", "/contacts", &body), "k").await.created();
    let of_key = salon.api.call("POST", "/contacts").json(&body).once("k").await.created();
    let of_other = send(&other, ("POST", "/contacts", &body), "k").await.created();
    assert!(mine["id"] != of_key["id"] && of_key["id"] != of_other["id"]);
    for bad in ["", "two words"] {
        send(&salon, ("POST", "/contacts", &body), bad).await.invalid_at(&["Idempotency-Key"]);
    }
}

/// Whether a file in the directory contains this text.
fn is_kept(dir: &std::path::Path, text: &str) -> bool {
    std::fs::read_dir(dir).unwrap().map(Result::unwrap).any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return is_kept(&path, text);
        }
        // Only files are read, because a socket has no content.
        path.is_file() && memchr::memmem::find(&std::fs::read(path).unwrap(), text.as_bytes()).is_some()
    })
}

#[tokio::test]
async fn a_key_that_is_created_again_is_not_shown_again() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let body = json!({ "name": "till", "scopes": ["calls:read"] });
    let first = send(&salon, ("POST", "/keys", &body), "k").await;
    let shown = first.created();
    let text = shown["key"].as_str().unwrap();
    let again = send(&salon, ("POST", "/keys", &body), "k").await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let mut without = shown.clone();
    without["key"] = Value::Null;
    assert_eq!(again.created(), without);
    assert_eq!(again.etag(), first.etag());
    assert_eq!(salon.operator.all("/keys").await.len(), 2);
    salon.api.with_token(text).get("/calls").await.is(200);
    server.restart().await;
    assert!(is_kept(server.data_dir(), "till"), "the search must find stored text");
    assert!(!is_kept(server.data_dir(), text), "only the hash of a key may be stored");
}

#[tokio::test]
async fn a_webhook_that_is_created_again_does_not_show_its_secret_again() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = json!({ "url": "https://b.example.com/", "events": ["call.completed"] });
    let first = send(&salon, ("POST", "/webhooks", &body), "k").await;
    let mut shown = first.created();
    assert!(shown["secret"].as_str().unwrap().starts_with("whsec_"));
    let again = send(&salon, ("POST", "/webhooks", &body), "k").await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.etag(), first.etag());
    shown["secret"] = Value::Null;
    assert_eq!(again.created(), shown);
    assert_eq!(salon.operator.all("/webhooks").await.len(), 1);
    // In the public API, the response to a repeated request contains the secret again. Unlike the operator API, this
    // API has no route for a new secret.
    let of_key = async || salon.api.call("POST", "/webhooks").json(&body).once("k").await;
    let (first, again) = (of_key().await, of_key().await);
    replays(&first, &again);
    assert!(again.created()["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_eq!(salon.operator.all("/webhooks").await.len(), 2);
}

#[tokio::test]
async fn a_secret_is_rotated_once_and_not_shown_again() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/webhooks/{}/rotate-secret", id(&salon.webhook().await));
    let first = send(&salon, ("POST", &path, &Value::Null), "k").await;
    assert!(first.data()["secret"].as_str().unwrap().starts_with("whsec_"));
    let again = send(&salon, ("POST", &path, &Value::Null), "k").await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.data(), json!({ "secret": null }));
    let rotated = salon.operator.all("/audit").await;
    assert_eq!(rotated.iter().filter(|entry| entry["action"] == "webhook.secret_rotated").count(), 1);
}

#[tokio::test]
async fn a_business_is_created_once() {
    let mut server = Server::open().await;
    let body = json!({ "name": "Salon", "timezone": "Europe/Paris" });
    let create = async |server: &Server, body: &Value| {
        server.operator.call("POST", "/businesses").json(body).once("k").await
    };
    let first = create(&server, &body).await;
    first.is(201);
    server.operator_of(id(&first.data())).patch("", &json!({ "name": "Another" })).await.is(200);
    replays(&first, &create(&server, &body).await);
    let other = json!({ "name": "Other", "timezone": "Europe/Paris" });
    create(&server, &other).await.fails(422, "idempotency_key_reused");
    server.restart().await;
    server.clock.advance(24 * 3600 - 1);
    replays(&first, &create(&server, &body).await);
    assert_eq!(server.operator.all("/businesses").await.len(), 1);
    server.clock.advance(2);
    let anew = create(&server, &other).await;
    assert_ne!(anew.created()["id"], first.data()["id"]);
    replays(&anew, &create(&server, &other).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_requests_with_one_key_create_one_business() {
    let server = Server::open().await;
    let body = json!({ "name": "Salon", "timezone": "Europe/Paris" });
    let mut tasks = JoinSet::new();
    for _ in 0..32 {
        let call = server.operator.call("POST", "/businesses").json(&body).once("k");
        tasks.spawn(async move { call.await });
    }
    let answers: Vec<Answer> = tasks.join_all().await;
    assert_eq!(server.operator.all("/businesses").await.len(), 1);
    let first = answers.iter().filter(|answer| answer.status == 201 && !answer.has("idempotent-replayed"));
    assert_eq!(first.count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.fails(409, "idempotency_request_in_progress");
    }
}
