//! Tests of `POST /calls` of the operator API, and of `GET /calls/{call_id}` of the public API.

use serde_json::{Value, json};

use crate::harness::{OUTCOMES, Salon, Server, id, of_characters};

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

async fn read(salon: &Salon, call: &Value) -> Value {
    salon.get(&format!("/calls/{}", id(call))).await.data()
}

#[tokio::test]
async fn a_complete_call_is_saved_and_read_back() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    let appointment = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let message = salon.message(json!({})).await;
    let whole = json!({
        "direction": "outbound",
        "status": "failed",
        "outcome": "message_taken",
        "from_number": "+33142685300",
        "to_number": "+33699999999",
        "contact_id": contact["id"],
        "started_at": "2026-03-01T08:00:00.250Z",
        "ended_at": "2026-03-01T08:02:00.000Z",
        "duration_seconds": 77,
        "locale": "fr",
        "summary": "Élodie wants a cut.\nTomorrow. 👍🏽",
        "recording_url": "https://example.com/recordings/1?key=a%20b",
        "appointment_id": appointment["id"],
        "message_id": message["id"],
    });
    server.clock.set("2026-03-02T07:00:00Z");
    let made = salon.record_call(whole.clone()).await;
    for (name, value) in whole.as_object().unwrap() {
        assert_eq!(made[name], *value, "{name}");
    }
    assert_eq!(made["contact_name"], "Zoé");
    assert_eq!(made["created_at"], "2026-03-02T07:00:00.000Z");
    let shown = salon.get(&format!("/calls/{}", id(&made))).await;
    assert_eq!(shown.data(), made);
    salon
        .api
        .call("GET", &format!("/calls/{}", id(&made)))
        .header("if-none-match", &shown.etag())
        .await
        .is(304);
    let bare = salon.record_call(json!({})).await;
    for name in ["from_number", "to_number", "contact_id", "contact_name", "locale", "summary"] {
        assert_eq!(bare[name], Value::Null, "{name}");
    }
    for name in ["recording_url", "appointment_id", "message_id"] {
        assert_eq!(bare[name], Value::Null, "{name}");
    }
    assert_eq!(bare["duration_seconds"], 90, "the duration must be computed from start and end");
    let nulls = json!({ "summary": null, "from_number": null, "duration_seconds": null, "contact_id": null });
    assert_eq!(salon.record_call(nulls).await["duration_seconds"], 90);
}

#[tokio::test]
async fn every_enum_value_of_a_call_is_accepted() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let words: [(&str, &[&str]); 4] = [
        ("direction", &["inbound", "outbound"]),
        ("status", &["completed", "missed", "failed"]),
        ("outcome", &OUTCOMES),
        ("locale", &["en", "fr"]),
    ];
    for (name, values) in words {
        for value in values {
            let made = salon.record_call(json!({ name: value })).await;
            assert_eq!(read(&salon, &made).await[name], *value);
        }
    }
}

#[tokio::test]
async fn every_property_has_its_rule() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let theirs = [
        ("contact_id", other.contact(json!({ "name": "A" })).await),
        ("appointment_id", other.book(&other.cut, "2026-03-03T09:00:00Z").await),
        ("message_id", other.message(json!({})).await),
    ];
    for (name, record) in &theirs {
        for id in [id(record), UNKNOWN, "x", ""] {
            salon.try_call(json!({ *name: id })).await.invalid_at(&[name]);
        }
    }
    for (body, path) in [
        (json!({ "direction": "in" }), "direction"),
        (json!({ "status": "Completed" }), "status"),
        (json!({ "outcome": "" }), "outcome"),
        (json!({ "outcome": null }), "outcome"),
        (json!({ "from_number": "anonymous" }), "from_number"),
        (json!({ "to_number": "12" }), "to_number"),
        (json!({ "contact_name": " " }), "contact_name"),
        (json!({ "contact_name": "x".repeat(201) }), "contact_name"),
        (json!({ "started_at": "2026-03-02T05:00:00" }), "started_at"),
        (json!({ "started_at": null }), "started_at"),
        (json!({ "ended_at": "2026-03-02" }), "ended_at"),
        (json!({ "ended_at": "2026-03-02T04:59:59.999Z" }), "ended_at"),
        (json!({ "duration_seconds": -1 }), "duration_seconds"),
        (json!({ "duration_seconds": 1.5 }), "duration_seconds"),
        (json!({ "duration_seconds": "90" }), "duration_seconds"),
        (json!({ "locale": "de" }), "locale"),
        (json!({ "summary": ["a"] }), "summary"),
        (json!({ "summary": "a\0b" }), "summary"),
        (json!({ "recording_url": "recording.mp3" }), "recording_url"),
        (json!({ "recording_url": "ftp://example.com/1" }), "recording_url"),
        (json!({ "recording_url": format!("https://example.com/{}", "a".repeat(2000)) }), "recording_url"),
        (json!({ "id": UNKNOWN }), "id"),
        (json!({ "created_at": "2026-03-02T05:00:00Z" }), "created_at"),
    ] {
        salon.try_call(body).await.invalid_at(&[path]);
    }
    let missing = salon.operator.post("/calls", &json!({})).await;
    missing.invalid_at(&["direction", "status", "outcome", "started_at", "ended_at"]);
    let many = json!({ "contact_id": UNKNOWN, "appointment_id": UNKNOWN, "message_id": UNKNOWN });
    salon.try_call(many).await.invalid_at(&["contact_id", "appointment_id", "message_id"]);
    assert!(salon.api.all("/calls").await.is_empty());
    assert!(salon.api.all("/contacts").await.is_empty());
    let at_once = json!({ "ended_at": "2026-03-02T06:00:00+01:00" });
    assert_eq!(salon.record_call(at_once).await["duration_seconds"], 0);
}

#[tokio::test]
async fn a_call_belongs_to_the_contact_with_the_other_partys_number() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "phone_region": "FR" })).await;
    let zoe = salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    let inbound =
        json!({ "from_number": "06 12 34 56 78", "to_number": "+33142685300", "contact_name": "Other" });
    let outbound =
        json!({ "direction": "outbound", "to_number": "+33612345678", "from_number": "+33142685300" });
    for more in [inbound, outbound] {
        let made = salon.record_call(more).await;
        assert_eq!((&made["contact_id"], &made["contact_name"]), (&zoe["id"], &json!("Zoé")));
        for number in ["from_number", "to_number"] {
            assert!(made[number].as_str().unwrap().starts_with("+33"), "{made}");
        }
    }
    assert_eq!(salon.api.all("/contacts").await, [zoe], "the call must find the contact and not rename it");
}

#[tokio::test]
async fn an_unknown_number_creates_one_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let caller = json!({ "from_number": "+33611111111", "contact_name": "Amélie" });
    let first = salon.record_call(caller).await;
    assert_eq!(first["contact_name"], "Amélie");
    let again = salon.record_call(json!({ "from_number": "+33611111111", "status": "missed" })).await;
    assert_eq!(again["contact_id"], first["contact_id"]);
    let nameless = salon.record_call(json!({ "from_number": "+33622222222" })).await;
    assert_eq!(nameless["contact_name"], Value::Null);
    let contacts = salon.api.all("/contacts").await;
    assert_eq!(contacts.len(), 2);
    let amelie = salon.get(&format!("/contacts/{}", first["contact_id"].as_str().unwrap())).await.data();
    assert_eq!((&amelie["name"], &amelie["phone"]), (&json!("Amélie"), &json!("+33611111111")));
    let hidden = salon.record_call(json!({ "contact_name": "Nobody", "to_number": "+33142685300" })).await;
    assert_eq!(hidden["contact_id"], Value::Null, "a call without a number must not create a contact");
    assert_eq!(salon.api.all("/contacts").await.len(), 2);
}

#[tokio::test]
async fn a_refused_call_creates_no_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let bad = json!({ "from_number": "+33611111111", "message_id": UNKNOWN });
    salon.try_call(bad).await.invalid_at(&["message_id"]);
    assert!(salon.api.all("/contacts").await.is_empty());
}

#[tokio::test]
async fn a_summary_of_20_000_characters_is_returned_byte_for_byte() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for summary in of_characters(20_000) {
        let made = salon.record_call(json!({ "summary": summary })).await;
        assert!(made["summary"] == *summary, "changed: {}…", summary.chars().take(20).collect::<String>());
        assert!(read(&salon, &made).await == made);
        let more = format!("{summary}é");
        salon.try_call(json!({ "summary": more })).await.invalid_at(&["summary"]);
    }
    let listed = salon.api.all("/calls").await;
    let mut kept: Vec<_> = listed.iter().map(|call| call["summary"].as_str().unwrap().to_owned()).collect();
    let mut sent = of_characters(20_000);
    kept.sort_unstable();
    sent.sort_unstable();
    assert!(kept == sent);
}

#[tokio::test]
async fn summaries_survive_a_restart() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    for summary in of_characters(20_000) {
        salon.record_call(json!({ "summary": summary })).await;
    }
    let before = salon.api.all("/calls").await;
    server.restart().await;
    assert!(salon.again(&server).api.all("/calls").await == before);
}

#[tokio::test]
async fn a_call_of_another_business_is_not_found() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let theirs = other.record_call(json!({ "from_number": "+33611111111" })).await;
    let foreign = salon.get(&format!("/calls/{}", id(&theirs))).await;
    assert_eq!(foreign.fails(404, "not_found").body, salon.get(&format!("/calls/{UNKNOWN}")).await.body);
    assert_eq!(foreign.body, salon.get("/calls/none").await.body);
    assert!(salon.api.all("/calls").await.is_empty());
    let mine = salon.record_call(json!({ "from_number": "+33611111111" })).await;
    assert_ne!(mine["contact_id"], theirs["contact_id"]);
    assert_eq!(other.api.all("/calls").await, [theirs]);
}
