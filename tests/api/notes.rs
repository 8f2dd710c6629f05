//! Tests that only the operator API shows the team's notes on contacts and appointments.

use ports::Clock;
use serde_json::{Value, json};

use crate::harness::{Salon, Server, for_the_team, id, merged};

/// Returns a contact or an appointment with its `ETag`. The contact's `visits` are removed.
async fn seen(salon: &Salon, path: &str) -> (Value, String) {
    let answer = salon.operator.get(path).await;
    let mut data = answer.data();
    data.as_object_mut().unwrap().remove("visits");
    (data, answer.etag())
}

#[tokio::test]
async fn notes_of_a_contact_are_shown_only_to_the_team() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    let path = format!("/contacts/{}", id(&contact));
    assert_eq!(seen(&salon, &path).await.0, for_the_team(contact.clone()));
    let (before, tag) = (salon.get(&path).await, seen(&salon, &path).await.1);
    let changed_since = format!("/contacts?updated_since={}", before.data()["updated_at"].as_str().unwrap());
    server.clock.advance(5);
    let notes = "Prefers Ada.\nAllergic to nuts 🥜";
    let noted = salon.operator.patch(&path, &json!({ "notes": notes })).await;
    let expected = merged(for_the_team(contact.clone()), json!({ "notes": notes }));
    assert_eq!(noted.data(), expected);
    assert_eq!(seen(&salon, &path).await, (expected.clone(), noted.etag()));
    assert_ne!(noted.etag(), tag);
    assert_eq!(salon.operator.all("/contacts").await, std::slice::from_ref(&expected));
    // The public API shows no change to the contact.
    let after = salon.get(&path).await;
    assert_eq!((after.data(), after.etag()), (contact.clone(), before.etag()));
    assert_eq!(salon.api.all(&changed_since).await, std::slice::from_ref(&contact));
    let later = format!("/contacts?updated_since={}", server.clock.now());
    assert_eq!(salon.api.all(&later).await, [] as [Value; 0]);
    salon.try_patch_contact(&contact, json!({ "notes": "No" })).await.invalid_at(&["notes", ""]);
    // The operator API compares `If-Match` with its own ETag of the contact. The ETag that the public API has
    // returned does not match.
    let stale = salon.operator.call("PATCH", &path).header("if-match", &tag).json(&json!({ "notes": null }));
    stale.await.fails(409, "conflict");
    // A client of the public API changes another field of the contact. The notes do not change.
    let renamed = salon.patch_contact(&contact, json!({ "name": "Zoë" })).await;
    assert_eq!(renamed.get("notes"), None);
    assert_eq!(seen(&salon, &path).await.0, merged(for_the_team(renamed.clone()), json!({ "notes": notes })));
    server.clock.advance(5);
    let both = salon.operator.patch(&path, &json!({ "name": "Zo", "notes": null })).await.data();
    assert_eq!((&both["name"], &both["notes"]), (&json!("Zo"), &json!(null)));
    assert_ne!(both["updated_at"], renamed["updated_at"]);
    for (notes, is_fit) in [("x".repeat(1_000), true), ("é".repeat(1_001), false), (" ".into(), false)] {
        let answer = salon.operator.patch(&path, &json!({ "notes": notes })).await;
        if is_fit {
            answer.is(200)
        } else {
            answer.invalid_at(&["notes"])
        };
    }
    let actions: Vec<Value> = salon.operator.all("/audit").await;
    let changes: Vec<_> = actions.iter().filter(|entry| entry["action"] == "contact.updated").collect();
    assert_eq!(changes.len(), 4, "{changes:?}");
    assert_eq!(changes[3]["changes"], json!([{ "field": "notes", "from": null, "to": notes_of(&expected) }]));
}

#[tokio::test]
async fn the_alert_of_a_contact_is_shown_only_to_the_team() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "Zoé" })).await;
    let path = format!("/contacts/{}", id(&contact));
    let before = salon.get(&path).await;
    server.clock.advance(5);
    let alert = json!({ "alert": "Allergic to nuts 🥜" });
    let changed = salon.operator.patch(&path, &alert).await;
    let expected = merged(for_the_team(contact.clone()), alert);
    assert_eq!(changed.data(), expected);
    assert_eq!(seen(&salon, &path).await, (expected, changed.etag()));
    let after = salon.get(&path).await;
    assert_eq!((after.data(), after.etag()), (contact.clone(), before.etag()));
    salon.try_patch_contact(&contact, json!({ "alert": "No" })).await.invalid_at(&["alert", ""]);
    salon.try_contact(json!({ "name": "B", "alert": "No" })).await.invalid_at(&["alert"]);
    for (alert, is_fit) in [("é".repeat(100), true), ("x".repeat(101), false), (" ".into(), false)] {
        let answer = salon.operator.patch(&path, &json!({ "alert": alert })).await;
        if is_fit {
            answer.is(200)
        } else {
            answer.invalid_at(&["alert"])
        };
    }
    let cleared = salon.operator.patch(&path, &json!({ "alert": null })).await.data();
    assert_eq!(cleared, for_the_team(contact));
}

fn notes_of(contact: &Value) -> Value {
    contact["notes"].clone()
}

#[tokio::test]
async fn notes_of_an_appointment_are_shown_only_to_the_team_and_erased_with_the_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let path = format!("/appointments/{}", id(&booked));
    assert_eq!(seen(&salon, &path).await.0, for_the_team(booked.clone()));
    let (before, tag) = (salon.get(&path).await, seen(&salon, &path).await.1);
    server.clock.advance(5);
    let noted = salon.operator.patch(&path, &json!({ "notes": "Brings a dog" })).await;
    let expected = merged(for_the_team(booked.clone()), json!({ "notes": "Brings a dog" }));
    assert_eq!(noted.data(), expected);
    assert_eq!(seen(&salon, &path).await, (expected.clone(), noted.etag()));
    assert_eq!(salon.operator.all("/appointments").await, std::slice::from_ref(&expected));
    let after = salon.get(&path).await;
    assert_eq!((after.data(), after.etag()), (booked.clone(), before.etag()));
    let later = format!("/appointments?updated_since={}", server.clock.now());
    assert_eq!(salon.api.all(&later).await, [] as [Value; 0]);
    salon.api.call("PATCH", &path).json(&json!({ "notes": "No" })).await.fails(405, "method_not_allowed");
    let stale = salon.operator.call("PATCH", &path).header("if-match", &tag).json(&json!({ "notes": null }));
    stale.await.fails(409, "conflict");
    salon.operator.patch(&path, &json!({})).await.fails(400, "invalid_request");
    salon.operator.patch(&path, &json!({ "notes": "é".repeat(1_001) })).await.invalid_at(&["notes"]);
    salon.operator.patch(&path, &json!({ "status": "cancelled" })).await.invalid_at(&["status", ""]);
    let moved = json!({ "starts_at": "2026-03-03T10:00:00Z" });
    let moved = salon.operator.post(&format!("{path}/reschedule"), &moved).await.data();
    assert_eq!(moved["notes"], "Brings a dog");
    // The audit log records that the notes changed, but not their text, because an entry of the log may be
    // kept longer than the appointment.
    let entries: Vec<Value> = salon.operator.all("/audit").await;
    let noted: Vec<_> = entries.iter().filter(|entry| entry["action"] == "appointment.updated").collect();
    assert_eq!(noted.len(), 1, "{entries:?}");
    assert_eq!(noted[0]["changes"], json!([]));
    salon.operator.delete(&format!("/contacts/{}", booked["contact_id"].as_str().unwrap())).await.is(204);
    let erased = seen(&salon, &path).await.0;
    assert_eq!((&erased["contact_id"], &erased["notes"]), (&json!(null), &json!(null)));
    salon.operator.patch(&path, &json!({ "notes": "Late" })).await.fails(409, "conflict");
    salon.operator.patch(&path, &json!({ "notes": null })).await.is(200);
}
