//! Tests of the audit entries for changes to contacts, calls, messages and knowledge: the actor, the record
//! and the changed fields.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, id};

/// Returns the entries from the oldest to the newest, without the first `before` entries.
async fn entries_after(salon: &Salon, before: usize) -> Vec<Value> {
    let mut all = salon.operator.all("/audit").await;
    all.truncate(all.len() - before);
    all.reverse();
    all
}

async fn count(salon: &Salon) -> usize {
    salon.operator.all("/audit").await.len()
}

fn what(entry: &Value) -> (&str, &str, &str) {
    let text = |name: &str| entry[name].as_str().unwrap();
    (text("action"), text("resource_type"), text("resource_id"))
}

/// The names of the changed fields of an entry, with the old and new values.
fn changes(entry: &Value) -> Vec<(String, Value, Value)> {
    let list = entry["changes"].as_array().unwrap();
    let mut all: Vec<_> = list
        .iter()
        .map(|one| (one["field"].as_str().unwrap().to_owned(), one["from"].clone(), one["to"].clone()))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn by_key(salon: &Salon) -> Value {
    json!({ "type": "api_key", "id": salon.key_id })
}

fn by_operator() -> Value {
    json!({ "type": "operator", "id": null })
}

#[tokio::test]
async fn creating_and_changing_a_contact_with_a_key_is_logged() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let before = count(&salon).await;
    server.clock.set("2026-03-02T07:00:00Z");
    let made = salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    server.clock.advance(5);
    salon
        .patch_contact(&made, json!({ "name": null, "email": "Z@example.com", "phone": "+33612345678" }))
        .await;
    let entries = entries_after(&salon, before).await;
    let [created, updated] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(what(created), ("contact.created", "contact", id(&made)));
    assert_eq!(what(updated), ("contact.updated", "contact", id(&made)));
    for (entry, at) in [(created, "2026-03-02T07:00:00.000Z"), (updated, "2026-03-02T07:00:05.000Z")] {
        assert_eq!((&entry["actor"], &entry["at"]), (&by_key(&salon), &json!(at)));
    }
    let expected = [
        ("email".to_owned(), Value::Null, json!("z@example.com")),
        ("name".to_owned(), json!("Zoé"), Value::Null),
    ];
    assert_eq!(changes(updated), expected);
}

#[tokio::test]
async fn a_call_is_logged_with_the_contact_it_created() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let before = count(&salon).await;
    let call = salon.record_call(json!({ "from_number": "+33611111111" })).await;
    let entries = entries_after(&salon, before).await;
    let mut told: Vec<_> = entries.iter().map(what).collect();
    told.sort_unstable();
    let contact = call["contact_id"].as_str().unwrap();
    assert_eq!(told, [("call.completed", "call", id(&call)), ("contact.created", "contact", contact)]);
    assert!(entries.iter().all(|entry| entry["actor"] == by_operator()));
    let before = count(&salon).await;
    let again = salon.record_call(json!({ "from_number": "+33611111111" })).await;
    let entries = entries_after(&salon, before).await;
    assert_eq!(entries.iter().map(what).collect::<Vec<_>>(), [("call.completed", "call", id(&again))]);
}

#[tokio::test]
async fn taking_and_handling_a_message_is_logged() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let before = count(&salon).await;
    let made = salon.message(json!({ "staff_id": salon.anna })).await;
    salon.try_patch_message(&made, json!({ "status": "resolved", "staff_id": null })).await.is(200);
    let entries = entries_after(&salon, before).await;
    let [taken, updated] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(what(taken), ("message.taken", "message", id(&made)));
    assert_eq!(what(updated), ("message.updated", "message", id(&made)));
    assert_eq!((&taken["actor"], &updated["actor"]), (&by_operator(), &by_operator()));
    let expected = [
        ("staff_id".to_owned(), json!(salon.anna), Value::Null),
        ("status".to_owned(), json!("new"), json!("resolved")),
    ];
    assert_eq!(changes(updated), expected);
}

#[tokio::test]
async fn knowledge_is_logged_once_for_repeated_requests() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let before = count(&salon).await;
    let body = json!({ "title": "Parking", "content": "Behind the house." });
    let send = async || salon.api.call("POST", "/knowledge").json(&body).once("k").await.created();
    let (made, _) = (send().await, send().await);
    let entries = entries_after(&salon, before).await;
    assert_eq!(entries.iter().map(what).collect::<Vec<_>>(), [("knowledge.created", "knowledge", id(&made))]);
    assert_eq!(entries[0]["actor"], by_key(&salon));
}

#[tokio::test]
async fn refused_changes_and_changes_without_effect_leave_no_entry() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    let message = salon.message(json!({})).await;
    let before = salon.operator.all("/audit").await;
    salon.patch_contact(&contact, json!({ "name": "Zoé" })).await;
    salon.try_patch_contact(&contact, json!({ "name": "" })).await.is(400);
    salon.try_contact(json!({ "phone": "+33612345678" })).await.is(409);
    salon.try_patch_message(&message, json!({ "status": "new" })).await.is(200);
    salon.try_patch_message(&message, json!({ "staff_id": salon.id })).await.is(400);
    salon.try_call(json!({ "from_number": "+33611111111", "outcome": "none" })).await.is(400);
    salon.api.post("/knowledge", &json!({ "title": " ", "content": "a" })).await.is(400);
    salon.api.anonymous().post("/contacts", &json!({ "name": "A" })).await.is(401);
    assert_eq!(salon.operator.all("/audit").await, before);
}
