//! Bookings and moves by the team.

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, for_the_team, id, merged};

const AT: &str = "2026-03-03T09:00:00Z";

/// Requests a booking by the team for the default contact.
async fn book(salon: &Salon, service: &str, at: &str, more: Value) -> Answer {
    salon.operator.post("/appointments", &salon.booking(service, at, more)).await
}

async fn reschedule(salon: &Salon, appointment: &Value, body: Value) -> Answer {
    salon.operator.post(&format!("/appointments/{}/reschedule", id(appointment)), &body).await
}

#[tokio::test]
async fn a_name_alone_is_always_a_new_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let book = async |at, contact| book(&salon, &salon.cut, at, json!({ "contact": contact })).await;
    let first = book(AT, json!({ "name": "Zoé Martin" })).await.created();
    let second =
        book("2026-03-03T10:00:00Z", json!({ "name": "Zoé Martin", "locale": "fr" })).await.created();
    assert_ne!(first["contact_id"], second["contact_id"]);
    let contact = salon.operator.get(&format!("/contacts/{}", first["contact_id"].as_str().unwrap())).await;
    assert_eq!(contact.data()["name"], "Zoé Martin");
    assert_eq!((&contact.data()["phone"], &contact.data()["email"]), (&json!(null), &json!(null)));
    assert_eq!(salon.operator.all("/contacts").await.len(), 2);
    let created = salon.operator.all("/audit").await;
    assert_eq!(created.iter().filter(|entry| entry["action"] == "contact.created").count(), 2);
    for bad in [json!({}), json!({ "name": null }), json!({ "locale": "fr" })] {
        book("2026-03-03T11:00:00Z", bad).await.invalid_at(&["contact"]);
    }
    // Integrations must still name a phone number or an email address.
    let more = json!({ "contact": { "name": "Zoé Martin" } });
    salon.try_book_with(&salon.cut, "2026-03-03T11:00:00Z", more).await.invalid_at(&["contact"]);
    let named = json!({ "name": "Other", "phone": "+33612345678" });
    let known = book("2026-03-03T11:00:00Z", named.clone()).await.created();
    let again = book("2026-03-03T12:00:00Z", named).await.created();
    assert_eq!(known["contact_id"], again["contact_id"]);
    assert_ne!(id(&known), id(&again));
}

#[tokio::test]
async fn the_team_chooses_the_duration_within_bookable_time() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let anna = |more: Value| merged(json!({ "staff_id": salon.anna }), more);
    let booked = book(&salon, &salon.cut, AT, anna(json!({ "duration_minutes": 45 }))).await.created();
    assert_eq!(booked["ends_at"], "2026-03-03T09:45:00.000Z");
    for bad in [json!(4), json!(721), json!(30.5), json!("30")] {
        let more = anna(json!({ "duration_minutes": bad }));
        book(&salon, &salon.cut, "2026-03-03T11:00:00Z", more).await.invalid_at(&["duration_minutes"]);
        let more = json!({ "starts_at": AT, "duration_minutes": bad });
        reschedule(&salon, &booked, more).await.invalid_at(&["duration_minutes"]);
    }
    let late = anna(json!({ "duration_minutes": 720 }));
    book(&salon, &salon.cut, AT, late).await.fails(409, "slot_unavailable");
    let next = book(&salon, &salon.cut, "2026-03-03T11:00:00Z", anna(json!({}))).await.created();
    assert_eq!(next["ends_at"], "2026-03-03T11:30:00.000Z");
    let resized = |minutes: u32| json!({ "starts_at": AT, "duration_minutes": minutes });
    reschedule(&salon, &booked, resized(121)).await.fails(409, "slot_unavailable").says("taken");
    // The same start and duration change nothing.
    assert_eq!(reschedule(&salon, &booked, resized(45)).await.data(), booked);
    server.clock.advance(5);
    let longer = reschedule(&salon, &booked, resized(120)).await.data();
    assert_eq!(longer["ends_at"], "2026-03-03T11:00:00.000Z");
    assert_ne!(longer["updated_at"], booked["updated_at"]);
    let last = salon.operator.all("/audit").await.remove(0);
    assert_eq!(last["action"], "appointment.rescheduled");
    let change = json!({ "field": "ends_at", "from": booked["ends_at"], "to": longer["ends_at"] });
    assert_eq!(last["changes"], json!([change]));
    let moved = reschedule(&salon, &booked, json!({ "starts_at": "2026-03-04T09:00:00Z" })).await.data();
    assert_eq!(moved["ends_at"], "2026-03-04T11:00:00.000Z");
    assert_eq!(moved, for_the_team(salon.show(&booked).await));
    // Integrations cannot choose the duration.
    let more = json!({ "duration_minutes": 45 });
    salon.try_book_with(&salon.cut, AT, more.clone()).await.invalid_at(&["duration_minutes"]);
    let more = merged(more, json!({ "starts_at": AT }));
    salon.try_move(&booked, more).await.invalid_at(&["duration_minutes"]);
}
