//! Tests of erasures, deletions of businesses, and retention in the operator API.

use domain::BusinessId;
use memchr::memmem;
use serde_json::{Value, json};
use store::keys::{self, installation_kind, kind};
use store::{Order, Store, every_row, piece_of};

use crate::harness::{Salon, Server, id, merged};

/// Texts in lower case that identify the contact: parts of the name and address, the phone number as stored
/// and as typed, and a part of what the contact said. Every record about the contact contains one of them.
const WORDS: [&str; 6] =
    ["ermintrude", "vanishing", "33612000471", "06 12 00 04 71", "0612000471", "rather not say"];
const SAID: &str = "ERMINTRUDE would rather not say. Call 06 12 00 04 71!";
/// The maximum number of restarts until the cleanup is complete.
const STARTS: usize = 50;

#[tokio::test]
async fn an_erased_contact_is_not_found_and_their_records_stay() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact =
        salon.contact(json!({ "name": "Ada", "phone": "+14155552671", "email": "ada@a.example" })).await;
    let call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "from_number": "+14155552671",
        "started_at": "2026-03-01T08:00:00Z", "ended_at": "2026-03-01T08:02:00Z", "summary": "Asks for Zoë.",
    });
    let call = salon.operator.post("/calls", &call).await.created();
    let of = format!("/contacts/{}", id(&contact));
    salon.operator.call("DELETE", &of).await.is(204);
    salon.operator.get(&of).await.fails(404, "not_found");
    salon.operator.call("DELETE", &of).await.fails(404, "not_found");
    let kept = salon.operator.get(&format!("/calls/{}", id(&call))).await.data();
    for lost in ["contact_id", "contact_name", "from_number", "to_number", "summary", "recording_url"] {
        assert!(kept[lost].is_null(), "{lost}: {kept}");
    }
    for stays in ["id", "started_at", "ended_at", "duration_seconds", "outcome", "created_at"] {
        assert_eq!(kept[stays], call[stays], "{stays}");
    }
}

#[tokio::test]
async fn a_deleted_business_returns_404_and_its_keys_401() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    salon.api.get("/business").await.is(200);
    salon.operator.call("DELETE", "").await.is(202);
    salon.operator.get("").await.fails(404, "not_found");
    salon.operator.call("DELETE", "").await.fails(404, "not_found");
    salon.api.get("/business").await.fails(401, "unauthorized");
    other.api.get("/business").await.is(200);
}

#[tokio::test]
async fn retention_is_changed_like_any_resource() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.operator.get("/retention").await;
    let never =
        json!({ "calls_days": null, "messages_days": null, "audit_days": null, "appointments_days": null });
    assert_eq!(first.data(), never);
    for (field, bad) in [("calls_days", 0), ("messages_days", 36_501), ("audit_days", 89)] {
        let answer = salon.operator.patch("/retention", &json!({ (field): bad })).await;
        assert_eq!(answer.fails(400, "invalid_request").body["error"]["details"][0]["path"], field);
    }
    let change = json!({ "calls_days": 30, "audit_days": 90 });
    let stale =
        salon.operator.call("PATCH", "/retention").json(&change).header("if-match", "\"other\"").await;
    stale.fails(409, "conflict");
    let changed = salon.operator.patch("/retention", &change).await;
    assert_eq!(changed.data()["calls_days"], 30);
    assert_eq!(changed.etag(), salon.operator.get("/retention").await.etag());
    let cleared = salon.operator.patch("/retention", &json!({ "calls_days": null })).await;
    assert!(cleared.data()["calls_days"].is_null());
    assert_eq!(cleared.data()["audit_days"], 90);
}

/// Stops the service, reads all rows, and starts the service again. A long value is stored in pieces, so
/// the rows are read twice: as stored, and with the pieces joined. Returns the kinds of the rows that
/// contain one of `WORDS`, and whether the cleanup is unfinished.
async fn kinds_with_texts(server: &mut Server) -> (Vec<u8>, bool) {
    server.stop().await;
    let report = engine::verify::verify(server.data_dir()).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let store = Store::open_disk(server.data_dir(), Box::new(|error| panic!("{error}"))).unwrap();
    let kept = store.rows().scan(&every_row(), Order::Ascending);
    let mut kinds = Vec::new();
    for row in kept.chain(store.scan(&every_row(), Order::Ascending)) {
        let (key, value) = row.unwrap();
        let lower = value.to_ascii_lowercase();
        if WORDS.iter().any(|word| memmem::find(&lower, word.as_bytes()).is_some()) {
            let whole = piece_of(&key);
            kinds.push(keys::kind_of(whole.as_deref().unwrap_or(&key)).unwrap());
        }
    }
    let unfinished = keys::of_kind(BusinessId::INSTALLATION, installation_kind::UNFINISHED);
    let is_unfinished = store.scan(&unfinished, Order::Ascending).next().is_some();
    store.close().await.unwrap();
    server.start().await;
    kinds.sort_unstable();
    kinds.dedup();
    (kinds, is_unfinished)
}

/// Waits until only rows of the kinds in `but` still contain one of `WORDS`. If `but` is empty, no row may contain one
/// of them, and the cleanup must be complete.
async fn gone(server: &mut Server, salon: &Salon, but: &[u8]) -> bool {
    let mut left = Vec::new();
    for _ in 0..STARTS {
        let (kinds, is_unfinished) = kinds_with_texts(server).await;
        if kinds == but && is_unfinished != but.is_empty() {
            return true;
        }
        left = kinds;
        // The cleanup continues while the service handles this request.
        salon.again(server).operator.all("/audit").await;
    }
    panic!("rows of these kinds still contain her data: {left:x?}");
}

/// Creates an endpoint that receives every event. Its receiver never responds.
async fn endpoint(salon: &Salon, host: &str) -> String {
    let events = ["appointment.booked", "appointment.cancelled", "appointment.rescheduled"];
    let events = [&events[..], &["call.completed", "contact.created", "message.taken"]].concat();
    let body = json!({ "url": format!("https://{host}.example.com/"), "events": events });
    format!("/webhooks/{}", id(&salon.api.post("/webhooks", &body).await.created()))
}

/// Sends a POST request with an idempotency key.
async fn once(salon: &Salon, path: &str, body: &Value, key: &str) -> crate::harness::Answer {
    salon.api.call("POST", path).json(body).once(key).await
}

#[tokio::test]
async fn no_row_and_no_response_contains_data_of_an_erased_contact() {
    let mut server = Server::open().await;
    let salon = server.salon_with(json!({ "phone_region": "FR" })).await;
    let other = salon.contact(json!({ "name": "Somebody Else", "phone": "06 12 00 09 99" })).await;
    let (on, off) = (endpoint(&salon, "on").await, endpoint(&salon, "off").await);
    let person = json!({
        "name": "Ermintrude Vanishing", "phone": "06 12 00 04 71", "email": "Ermintrude@Vanishing.example",
    });
    let contact = once(&salon, "/contacts", &person, "create").await.created();
    assert_eq!(contact["phone"], "+33612000471");
    let of = json!({ "contact_id": contact["id"] });
    let booking = salon.booking(&salon.cut, "2026-03-03T09:00:00Z", of.clone());
    let booked = once(&salon, "/appointments", &booking, "book").await.created();
    let cancelled = salon.booking(&salon.cut, "2026-03-03T10:00:00Z", of.clone());
    let cancelled = once(&salon, "/appointments", &cancelled, "cancel").await.created();
    salon.cancel(&cancelled).await.is(200);
    let moved = salon.try_book_with(&salon.massage, "2026-03-03T11:00:00Z", of.clone()).await.created();
    salon.try_move(&moved, json!({ "starts_at": "2026-03-04T11:00:00Z" })).await.is(200);
    let named = json!({ "contact": { "name": "Ermintrude", "phone": "+33 6 12 00 04 71" } });
    let named = salon.try_book_with(&salon.cut, "2026-03-05T09:00:00Z", named).await.created();
    assert_eq!(named["contact_id"], contact["id"]);
    // The first call has the contact's phone number, and the second call has the contact's id. Each call has a
    // message that is linked to the contact only through the call.
    let calls = [
        json!({ "from_number": "0612000471", "contact_name": "Ermintrude", "summary": SAID.repeat(100) }),
        merged(of.clone(), json!({ "summary": SAID, "recording_url": "https://r.example/ermintrude" })),
    ];
    for call in calls {
        let call = salon.record_call(call).await;
        salon.message(json!({ "call_id": call["id"], "body": SAID })).await;
    }
    let left = json!({ "caller_name": "Ermintrude", "caller_phone": "06 12 00 04 71", "body": SAID });
    let left = salon.message(left).await;
    salon.patch_message(&left, json!({ "notes": SAID })).await;
    salon.patch_contact(&contact, json!({ "name": "Ermintrude B. Vanishing" })).await;
    let alert = json!({ "alert": "Ermintrude would rather not say" });
    salon.operator.patch(&format!("/contacts/{}", id(&contact)), &alert).await.is(200);
    salon.operator.patch(&off, &json!({ "status": "disabled" })).await.is(200);
    let (kinds, _) = kinds_with_texts(&mut server).await;
    for kind in [kind::CONTACT, kind::CALL, kind::MESSAGE, kind::EVENT, kind::AUDIT] {
        assert!(kinds.contains(&kind), "no row of kind {kind:x} contains her data: {kinds:x?}");
    }
    assert!(kinds.contains(&kind::IDEMPOTENCY), "{kinds:x?}");

    let salon = salon.again(&server);
    let shown = format!("/contacts/{}", id(&contact));
    salon.operator.call("DELETE", &shown).await.is(204);
    salon.get(&shown).await.fails(404, "not_found");
    let replays = async |salon: &Salon| {
        once(salon, "/contacts", &person, "create").await.fails(404, "not_found");
        let again = once(salon, "/appointments", &booking, "book").await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        let no_contact = json!({ "contact_id": null, "contact_name": null, "contact_phone": null });
        let expected = merged(booked.clone(), no_contact);
        assert_eq!(merged(again.data(), json!({ "updated_at": booked["updated_at"] })), expected);
    };
    // Events about the contact are still pending for the enabled endpoint, so they remain. All other data of
    // the contact is deleted.
    gone(&mut server, &salon, &[kind::EVENT]).await;
    let salon = salon.again(&server);
    replays(&salon).await;
    assert_eq!(salon.api.all("/contacts").await, std::slice::from_ref(&other));
    for (list, count) in [("/calls", 2), ("/messages", 3)] {
        let kept = salon.operator.all(list).await;
        assert_eq!(kept.len(), count, "{list}");
        assert!(kept.iter().all(|record| record["contact_id"].is_null()), "{kept:?}");
        assert!(kept.iter().all(|record| record["notes"].is_null()), "{kept:?}");
    }
    salon.try_patch_message(&left, json!({ "notes": "Late" })).await.fails(409, "conflict");
    salon.try_patch_message(&left, json!({ "notes": null, "status": "resolved" })).await.is(200);
    for appointment in [&booked, &cancelled, &moved, &named] {
        assert!(salon.show(appointment).await["contact_id"].is_null());
    }
    let waiting = salon.operator.all(&format!("{on}/deliveries?status=pending")).await;
    assert!(waiting.len() >= 10, "{waiting:?}");
    salon.operator.patch(&off, &json!({ "status": "enabled" })).await.is(200);
    let missed = salon.operator.all(&format!("{off}/deliveries?status=missed")).await;
    assert_eq!(missed.len(), waiting.len());
    for delivery in &missed {
        let resend = format!("{off}/deliveries/{}/resend", delivery["event_id"].as_str().unwrap());
        salon
            .operator
            .post(&resend, &json!({}))
            .await
            .fails(409, "conflict")
            .says("a contact who was erased");
    }

    // The service no longer stores the events, because they have expired.
    server.clock.advance(25 * 3_600);
    gone(&mut server, &salon, &[]).await;
    let salon = salon.again(&server);
    assert!(salon.operator.all(&format!("{on}/deliveries?status=pending")).await.is_empty());
    for delivery in &waiting {
        let resend = format!("{on}/deliveries/{}/resend", delivery["event_id"].as_str().unwrap());
        salon
            .operator
            .post(&resend, &json!({}))
            .await
            .fails(409, "conflict")
            .says("a contact who was erased");
    }
    assert_eq!(salon.api.all("/contacts").await, [other]);
}
