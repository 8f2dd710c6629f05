//! Tests that only the operator API shows the notes and the snooze of a message, and the mark of a handled
//! call.

use ports::Clock;
use serde_json::{Value, json};

use crate::harness::{Server, for_integrations, id, merged};

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

#[tokio::test]
async fn notes_and_snooze_of_a_message_are_shown_only_to_the_team() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.try_message(json!({})).await;
    let taken = first.created();
    assert_eq!((&taken["notes"], &taken["snoozed_until"]), (&Value::Null, &Value::Null));
    server.clock.advance(5);
    let until = "2026-03-03T08:00:00.000Z";
    let desk =
        json!({ "notes": "Left a voicemail.\nTry again 📞", "snoozed_until": "2026-03-03T09:00:00+01:00" });
    let noted = salon.try_patch_message(&taken, desk.clone()).await;
    let expected = merged(taken.clone(), merged(desk, json!({ "snoozed_until": until })));
    assert_eq!(noted.data(), expected);
    assert_ne!(noted.etag(), first.etag());
    assert_eq!(salon.operator.all("/messages").await, std::slice::from_ref(&expected));
    // The public API shows neither the notes nor `snoozed_until`, so it shows the message unchanged.
    assert_eq!(salon.api.all("/messages").await, [for_integrations(taken.clone())]);
    let later = format!("/messages?updated_since={}", server.clock.now());
    assert_eq!(salon.api.all(&later).await, [] as [Value; 0]);
    // A change of the status keeps the notes and the snooze, and changes `updated_at`.
    let read = salon.try_patch_message(&taken, json!({ "status": "read" })).await.data();
    assert_eq!((&read["notes"], &read["snoozed_until"]), (&expected["notes"], &json!(until)));
    assert_ne!(read["updated_at"], taken["updated_at"]);
    let path = format!("/messages/{}", id(&taken));
    let stale = salon.operator.call("PATCH", &path).header("if-match", &noted.etag());
    stale.json(&json!({ "notes": null })).await.fails(409, "conflict");
    for (change, path) in [
        (json!({ "notes": "" }), "notes"),
        (json!({ "notes": "é".repeat(1_001) }), "notes"),
        (json!({ "snoozed_until": "tomorrow" }), "snoozed_until"),
        (json!({ "snoozed_until": 1 }), "snoozed_until"),
    ] {
        salon.try_patch_message(&taken, change).await.invalid_at(&[path]);
    }
    salon.try_message(json!({ "notes": "No" })).await.invalid_at(&["notes"]);
    salon.try_patch_message(&taken, json!({ "notes": "é".repeat(1_000) })).await.is(200);
    let cleared =
        salon.try_patch_message(&taken, json!({ "notes": null, "snoozed_until": null })).await.data();
    assert_eq!((&cleared["notes"], &cleared["snoozed_until"]), (&Value::Null, &Value::Null));
    // The audit log contains the snooze, but not the text of the notes.
    let entries = salon.operator.all("/audit").await;
    let changes: Vec<_> = entries.iter().filter(|entry| entry["action"] == "message.updated").collect();
    assert_eq!(changes.len(), 4, "{changes:?}");
    let snoozed = json!([{ "field": "snoozed_until", "from": null, "to": until }]);
    assert_eq!((&changes[3]["changes"], &changes[1]["changes"]), (&snoozed, &json!([])));
}

#[tokio::test]
async fn the_mark_of_a_handled_call_is_shown_only_to_the_team() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let missed = json!({ "status": "missed", "from_number": "+33611111111", "contact_name": "Zoé" });
    let first = salon.try_call(missed).await;
    let call = first.created();
    assert_eq!(call["handled_at"], Value::Null);
    let path = format!("/calls/{}", id(&call));
    let seen = salon.get(&path).await;
    assert_eq!(seen.data(), for_integrations(call.clone()));
    let mark = async |handled: bool| salon.operator.patch(&path, &json!({ "handled": handled })).await;
    server.clock.set("2026-03-02T07:00:00Z");
    let handled = mark(true).await;
    let expected = merged(call.clone(), json!({ "handled_at": "2026-03-02T07:00:00.000Z" }));
    assert_eq!(handled.data(), expected);
    assert_ne!(handled.etag(), first.etag());
    server.clock.advance(60);
    assert_eq!(mark(true).await.data(), expected, "the first mark must stay");
    assert_eq!(salon.operator.get(&path).await.data(), expected);
    assert_eq!(salon.operator.all("/calls").await, [expected]);
    // The public API shows no change to the call.
    let after = salon.get(&path).await;
    assert_eq!((after.data(), after.etag()), (seen.data(), seen.etag()));
    assert_eq!(salon.api.all("/calls?updated_since=2026-03-02T07:00:00Z").await, [] as [Value; 0]);
    salon.api.call("PATCH", &path).json(&json!({ "handled": true })).await.fails(405, "method_not_allowed");
    let stale = salon.operator.call("PATCH", &path).header("if-match", &first.etag());
    stale.json(&json!({ "handled": false })).await.fails(409, "conflict");
    assert_eq!(mark(false).await.data(), call);
    for (body, at) in [
        (json!({}), "handled"),
        (json!({ "handled": null }), "handled"),
        (json!({ "handled": "yes" }), "handled"),
        (json!({ "handled": true, "summary": "x" }), "summary"),
    ] {
        salon.operator.patch(&path, &body).await.invalid_at(&[at]);
    }
    salon
        .operator
        .patch(&format!("/calls/{UNKNOWN}"), &json!({ "handled": true }))
        .await
        .fails(404, "not_found");
    let entries = salon.operator.all("/audit").await;
    let changes: Vec<_> = entries.iter().filter(|entry| entry["action"] == "call.updated").collect();
    assert_eq!(changes.len(), 2, "{changes:?}");
    let marked = json!([{ "field": "handled_at", "from": null, "to": "2026-03-02T07:00:00.000Z" }]);
    assert_eq!(changes[1]["changes"], marked);
    assert_eq!(changes[0]["changes"][0]["to"], Value::Null);
}
