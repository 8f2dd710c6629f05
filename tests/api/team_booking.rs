//! Tests of bookings and moves by the team.

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
    // Unlike the operator API, the public API requires a phone number or an email address.
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
    // A move to the same start and duration changes nothing.
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
    // The public API does not accept a duration.
    let more = json!({ "duration_minutes": 45 });
    salon.try_book_with(&salon.cut, AT, more.clone()).await.invalid_at(&["duration_minutes"]);
    let more = merged(more, json!({ "starts_at": AT }));
    salon.try_move(&booked, more).await.invalid_at(&["duration_minutes"]);
}

/// The body of a booking with Anna. The booking overrides the rules.
fn anyway(salon: &Salon, more: Value) -> Value {
    merged(json!({ "staff_id": salon.anna, "override": true }), more)
}

/// The rules that the newest change has overridden, as the audit log lists them.
async fn overridden(salon: &Salon, action: &str) -> Value {
    let last = salon.operator.all("/audit").await.remove(0);
    assert_eq!(last["action"], action);
    let changes = last["changes"].as_array().unwrap();
    let listed = changes.iter().find(|change| change["field"] == "override");
    listed.map_or(json!(null), |change| {
        assert_eq!(change["from"], json!(null));
        change["to"].clone()
    })
}

#[tokio::test]
async fn the_team_books_at_a_time_that_is_not_bookable() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.set(json!({ "breaks": [{ "day": "tuesday", "from": "12:00", "to": "13:00" }] })).await;
    let path = format!("/staff/{}/time-off", salon.anna);
    salon.operator.post(&path, &json!({ "from": "2026-03-05", "to": "2026-03-05" })).await.created();
    salon.operator.call("PUT", "/special-days/2026-03-06").json(&json!({ "closed": true })).await.is(200);
    for (at, rules) in [
        ("2026-03-03T09:00:00Z", json!(null)),
        ("2026-03-03T10:07:00Z", json!(["grid"])),
        ("2026-03-03T11:00:00Z", json!(["break"])),
        ("2026-03-03T20:00:00Z", json!(["opening_hours"])),
        ("2026-03-05T09:00:00Z", json!(["time_off"])),
        ("2026-03-06T09:00:00Z", json!(["special_day"])),
        ("2026-02-02T08:00:00Z", json!(["past"])),
        ("2026-02-01T22:59:00Z", json!(["past", "opening_hours"])),
    ] {
        if !rules.is_null() {
            let without = json!({ "staff_id": salon.anna });
            book(&salon, &salon.cut, at, without).await.fails(409, "slot_unavailable");
        }
        let booked = book(&salon, &salon.cut, at, anyway(&salon, json!({}))).await.created();
        assert_eq!(
            (&booked["status"], &booked["staff_id"]),
            (&json!("confirmed"), &json!(salon.anna)),
            "{at}"
        );
        assert_eq!(overridden(&salon, "appointment.booked").await, rules, "{at}");
        // The appointment blocks its time for every other request.
        let again = book(&salon, &salon.cut, at, anyway(&salon, json!({}))).await;
        again.fails(409, "slot_unavailable").says("taken");
    }
    let too_old = "2026-01-31T05:59:00Z";
    book(&salon, &salon.cut, too_old, anyway(&salon, json!({})))
        .await
        .fails(409, "slot_unavailable")
        .says("past");
    let oldest = "2026-01-31T06:00:00Z";
    book(&salon, &salon.cut, oldest, anyway(&salon, json!({}))).await.created();
    let chloe = anyway(&salon, json!({ "staff_id": salon.chloe }));
    book(&salon, &salon.colour, "2026-03-03T15:00:00Z", chloe).await.invalid_at(&["staff_id"]);
    let anyone = anyway(&salon, json!({ "staff_id": null }));
    book(&salon, &salon.cut, "2026-03-03T15:00:00Z", anyone).await.invalid_at(&["staff_id"]);
    let seconds = book(&salon, &salon.cut, "2026-03-03T15:00:01Z", anyway(&salon, json!({}))).await;
    seconds.invalid_at(&["starts_at"]).says("whole minute");
    let more = json!({ "override": true });
    salon.try_book_with(&salon.cut, AT, more).await.invalid_at(&["override"]);
}

#[tokio::test]
async fn past_appointments_never_overlap() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let past = anyway(&salon, json!({ "duration_minutes": 720 }));
    let long = book(&salon, &salon.cut, "2026-02-10T06:00:00Z", past).await.created();
    server.restart().await;
    let salon = salon.again(&server);
    for (at, is_free) in [
        ("2026-02-10T05:30:00Z", true),
        ("2026-02-10T05:31:00Z", false),
        ("2026-02-10T12:00:00Z", false),
        ("2026-02-10T17:59:00Z", false),
        ("2026-02-10T18:00:00Z", true),
    ] {
        let answer = book(&salon, &salon.cut, at, anyway(&salon, json!({}))).await;
        if is_free {
            answer.created();
        } else {
            answer.fails(409, "slot_unavailable").says("taken");
        }
    }
    let longer = anyway(&salon, json!({ "starts_at": "2026-02-10T06:00:00Z", "duration_minutes": 719 }));
    let shorter = reschedule(&salon, &long, longer).await.data();
    assert_eq!(shorter["ends_at"], "2026-02-10T17:59:00.000Z");
    assert_eq!(overridden(&salon, "appointment.rescheduled").await, json!(["past", "opening_hours"]));
    let taken = anyway(&salon, json!({ "starts_at": "2026-02-10T18:15:00Z" }));
    reschedule(&salon, &long, taken).await.fails(409, "slot_unavailable").says("taken");
    let back = json!({ "starts_at": "2026-03-03T09:00:00Z", "duration_minutes": 60 });
    reschedule(&salon, &long, back.clone()).await.fails(409, "conflict").says("ended");
    let moved = reschedule(&salon, &long, anyway(&salon, back)).await.data();
    assert_eq!(moved["starts_at"], "2026-03-03T09:00:00.000Z");
    let freed = "2026-02-10T12:00:00Z";
    let freed = book(&salon, &salon.cut, freed, anyway(&salon, json!({}))).await.created();
    salon.cancel(&freed).await.is(200);
    let own = json!({ "staff_id": salon.anna, "duration_minutes": 60 });
    book(&salon, &salon.cut, "2026-03-03T09:00:00Z", own).await.fails(409, "slot_unavailable");
}
