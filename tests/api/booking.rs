//! Tests of `POST /appointments`: a time can be booked if and only if `GET /availability` lists it.

use serde_json::{Value, json};

use crate::harness::{Server, stamp, week};

const TUESDAY: &str = "start_date=2026-03-03";

#[tokio::test]
async fn a_booking_returns_the_complete_appointment_which_can_be_read() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let more = json!({ "staff_id": salon.ben, "allow_pending": true });
    let answer = salon.try_book_with(&salon.massage, "2026-03-03T10:00:00+01:00", more).await;
    let booked = answer.created();
    // Each timestamp is later than the previous one, even if the clock does not advance. The test therefore
    // ignores the last digits.
    assert!(booked["created_at"].as_str().unwrap().starts_with("2026-03-02T06:00:00.00"));
    assert_eq!(
        booked,
        json!({
            "id": booked["id"],
            "status": "confirmed",
            "starts_at": "2026-03-03T09:00:00.000Z",
            "ends_at": "2026-03-03T10:00:00.000Z",
            "timezone": "Europe/Paris",
            "service_id": salon.massage,
            "service_name": "Massage",
            "staff_id": salon.ben,
            "staff_name": "Ben",
            "contact_id": booked["contact_id"],
            "contact_name": "Zoé Martin",
            "contact_phone": "+33612345678",
            "source": "api",
            "calendar_sync_status": "not_connected",
            "created_at": booked["created_at"],
            "updated_at": booked["created_at"],
        })
    );
    assert_eq!(salon.show(&booked).await, booked);
    assert_eq!(salon.api.all("/appointments").await, std::slice::from_ref(&booked));
    let upper = booked["id"].as_str().unwrap().to_uppercase();
    assert_eq!(salon.get(&format!("/appointments/{upper}")).await.data(), booked);
}

#[tokio::test]
async fn an_instant_needs_an_offset_and_may_have_any_offset() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for text in ["2026-03-03T08:00:00Z", "2026-03-03T09:00:00+01:00", "2026-03-03T03:00:00.000-05:00"] {
        assert_eq!(salon.book(&salon.cut, text).await["starts_at"], stamp("2026-03-03T08:00"));
    }
    for text in [
        "2026-03-03T10:00:00",
        "2026-03-03 10:00:00Z",
        "2026-03-03",
        "2026-03-03T10:00Z",
        "2026-02-29T10:00:00Z",
        "2026-03-03T25:00:00Z",
        "1772532000",
        "tomorrow",
        "",
    ] {
        salon.try_book(&salon.cut, text).await.invalid_at(&["starts_at"]);
    }
    salon
        .try_book_with(&salon.cut, "", json!({ "starts_at": 1_772_532_000 }))
        .await
        .invalid_at(&["starts_at"]);
}

#[tokio::test]
async fn every_time_listed_for_a_staff_member_can_be_booked_with_them() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for staff in [&salon.anna, &salon.ben, &salon.chloe] {
        let query = format!("{TUESDAY}&staff_id={staff}");
        let listed = salon.slots(&salon.cut, &query).await;
        assert_eq!(listed.len(), 18);
        for start in &listed {
            assert_eq!(salon.book_with(&salon.cut, staff, start).await["starts_at"], *start);
        }
        assert!(salon.slots(&salon.cut, &query).await.is_empty());
    }
    assert!(salon.slots(&salon.cut, TUESDAY).await.is_empty());
    assert!(salon.slots(&salon.massage, TUESDAY).await.is_empty());
    assert_eq!(salon.api.all("/appointments").await.len(), 54);
}

#[tokio::test]
async fn a_time_can_be_booked_exactly_when_it_is_listed() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "hours": week("09:10", "12:30") })).await;
    server.clock.set("2026-03-03T08:40:00Z");
    for (service, staff) in [(&salon.massage, &salon.anna), (&salon.massage, &salon.ben)] {
        salon.book_with(service, staff, "2026-03-03T09:10:00Z").await;
    }
    let listed = salon.slots(&salon.massage, TUESDAY).await;
    for minute in (0..24 * 60).step_by(5) {
        let start = stamp(&format!("2026-03-03T{:02}:{:02}", minute / 60, minute % 60));
        let answer = salon.try_book(&salon.massage, &start).await;
        if listed.contains(&start) {
            salon.cancel(&answer.created()).await.is(200);
        } else {
            answer.fails(409, "slot_unavailable");
        }
    }
    assert_eq!(
        listed,
        [stamp("2026-03-03T10:10")],
        "the times at 08:40, 09:10 and 09:40 overlap the two massages"
    );
}

#[tokio::test]
async fn a_refusal_gives_the_reason_why_the_time_is_not_available() {
    let server = Server::open().await;
    let salon = server.salon().await;
    server.clock.set("2026-03-02T10:00:00Z");
    salon.book_with(&salon.cut, &salon.ben, "2026-03-02T12:00:00Z").await;
    for (start, reason) in [
        ("2026-03-02T09:30:00Z", "past"),
        ("2026-03-02T10:00:00Z", "past"),
        ("1970-01-01T00:00:00Z", "past"),
        ("2026-03-02T16:59:00Z", "outside opening hours"),
        ("2026-03-02T17:00:00Z", "outside opening hours"),
        ("2026-03-03T07:30:00Z", "outside opening hours"),
        ("2026-03-08T10:00:00Z", "closed that day"),
        ("2026-03-02T11:15:00Z", "30-minute grid"),
        ("2026-03-02T11:00:01Z", "30-minute grid"),
        ("2026-03-02T11:00:00.001Z", "30-minute grid"),
        ("2026-03-02T12:00:00Z", "taken"),
    ] {
        let answer = salon.try_book_with(&salon.cut, start, json!({ "staff_id": salon.ben })).await;
        answer.fails(409, "slot_unavailable").says(reason);
    }
    salon
        .try_book(&salon.massage, "2026-03-02T16:30:00Z")
        .await
        .fails(409, "slot_unavailable")
        .says("outside");
    let massage =
        salon.try_book_with(&salon.massage, "2026-03-02T11:30:00Z", json!({ "staff_id": salon.ben })).await;
    massage.fails(409, "slot_unavailable").says("taken");
    assert_eq!(salon.api.all("/appointments").await.len(), 1);
}

#[tokio::test]
async fn appointments_that_touch_do_not_overlap() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (service, start) in
        [(&salon.cut, "09:00"), (&salon.massage, "09:30"), (&salon.colour, "10:30"), (&salon.cut, "12:00")]
    {
        salon.book_with(service, &salon.anna, &stamp(&format!("2026-03-03T{start}"))).await;
    }
    for start in ["08:30", "09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "12:00"] {
        let more = json!({ "staff_id": salon.anna });
        let answer = salon.try_book_with(&salon.massage, &stamp(&format!("2026-03-03T{start}")), more).await;
        answer.fails(409, "slot_unavailable").says("taken");
    }
}

#[tokio::test]
async fn all_unusable_ids_of_a_booking_are_reported_together() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let at = "2026-03-03T09:00:00Z";
    let unknown = "018f0000-0000-7000-8000-000000000000";
    let theirs = other.book(&other.cut, at).await;
    let staff = |id: &str| json!({ "staff_id": id });
    salon.try_book(unknown, at).await.invalid_at(&["service_id"]);
    salon.try_book(&other.cut, at).await.invalid_at(&["service_id"]);
    for id in [unknown, &other.anna, &salon.cut] {
        salon.try_book_with(&salon.cut, at, staff(id)).await.invalid_at(&["staff_id"]);
    }
    salon.try_book_with(&salon.colour, at, staff(&salon.ben)).await.invalid_at(&["staff_id"]);
    for id in [&json!(unknown), &theirs["contact_id"]] {
        salon.try_book_with(&salon.cut, at, json!({ "contact_id": id })).await.invalid_at(&["contact_id"]);
    }
    let all = json!({ "staff_id": unknown, "contact_id": unknown });
    salon.try_book_with(unknown, at, all).await.invalid_at(&["service_id", "staff_id", "contact_id"]);
    salon.operator.patch(&format!("/staff/{}", salon.ben), &json!({ "active": false })).await.is(200);
    salon.try_book_with(&salon.cut, at, staff(&salon.ben)).await.invalid_at(&["staff_id"]);
    salon.operator.patch(&format!("/services/{}", salon.cut), &json!({ "active": false })).await.is(200);
    salon.try_book(&salon.cut, at).await.invalid_at(&["service_id"]);
    assert!(salon.api.all("/appointments").await.is_empty());
}

#[tokio::test]
async fn missing_and_mistyped_properties_are_named() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let phone = json!({ "phone": "+33612345678" });
    salon.api.post("/appointments", &json!({})).await.invalid_at(&["contact", "service_id", "starts_at"]);
    for (more, path) in [
        (json!({ "contact": null }), "contact"),
        (json!({ "contact": phone, "contact_id": salon.id }), "contact"),
        (json!({ "contact": {} }), "contact"),
        (json!({ "contact": { "name": "Zoé" } }), "contact"),
        (json!({ "contact": "Zoé" }), "contact"),
        (json!({ "contact": { "phone": 33612345678_u64 } }), "contact.phone"),
        (json!({ "contact_id": "x" }), "contact_id"),
        (json!({ "contact_id": 5 }), "contact_id"),
        (json!({ "staff_id": "x" }), "staff_id"),
        (json!({ "staff_id": [] }), "staff_id"),
        (json!({ "allow_pending": "true" }), "allow_pending"),
        (json!({ "allow_pending": 1 }), "allow_pending"),
        (json!({ "source": "voice" }), "source"),
        (json!({ "ends_at": "2026-03-03T09:30:00Z" }), "ends_at"),
        (json!({ "status": "confirmed" }), "status"),
        (json!({ "service_id": null }), "service_id"),
        (json!({ "starts_at": null }), "starts_at"),
        (json!({ "starts_at": "2200-01-03T09:00:00Z" }), "starts_at"),
        (json!({ "starts_at": "0001-01-03T09:00:00Z" }), "starts_at"),
    ] {
        let answer = salon.try_book_with(&salon.cut, "2026-03-03T09:00:00Z", more).await;
        answer.invalid_at(&[path]);
    }
    let nulls = json!({ "contact": phone, "staff_id": null, "contact_id": null, "allow_pending": null });
    salon.try_book_with(&salon.cut, "2026-03-03T09:00:00Z", nulls).await.is(201);
}

#[tokio::test]
async fn without_a_staff_id_the_staff_member_with_the_fewest_booked_minutes_that_day_is_chosen() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let taker = async |start: &str| {
        let booked = salon.book(&salon.cut, &stamp(&format!("2026-03-03T{start}"))).await;
        booked["staff_id"].as_str().unwrap().to_owned()
    };
    salon.book_with(&salon.colour, &salon.anna, "2026-03-04T09:00:00Z").await;
    assert_eq!(
        taker("08:00").await,
        salon.anna,
        "all have 0 booked minutes on this day, so the lowest id wins"
    );
    assert_eq!(taker("08:00").await, salon.ben);
    assert_eq!(taker("08:00").await, salon.chloe);
    salon.book_with(&salon.massage, &salon.anna, "2026-03-03T10:00:00Z").await;
    assert_eq!(taker("12:00").await, salon.ben, "Anna has 90 booked minutes, and the others have 30");
    assert_eq!(taker("12:30").await, salon.chloe, "Ben has 60 booked minutes");
    assert_eq!(taker("10:00").await, salon.ben, "both have 60 booked minutes, so the lowest id wins");
    let at_noon = salon.api.all(&format!("/appointments?staff_id={}", salon.ben)).await;
    for appointment in &at_noon {
        salon.cancel(appointment).await.is(200);
    }
    assert_eq!(taker("14:00").await, salon.ben, "cancelled appointments must not count");
    assert_eq!(taker("14:00").await, salon.chloe, "a staff member who is busy must be skipped");
}

#[tokio::test]
async fn booked_minutes_are_counted_by_local_day() {
    let server = Server::open().await;
    let mut hours = week("00:00", "24:00");
    hours.as_array_mut().unwrap().truncate(4);
    let salon = server.salon_with(json!({ "hours": hours })).await;
    // In Paris, the massage starts at 23:00 on Monday. The two cuts start at 0:00 and 0:30 on Tuesday.
    salon.book_with(&salon.massage, &salon.anna, "2026-03-02T22:00:00Z").await;
    salon.book_with(&salon.cut, &salon.ben, "2026-03-02T23:00:00Z").await;
    salon.book_with(&salon.cut, &salon.chloe, "2026-03-02T23:30:00Z").await;
    assert_eq!(salon.book(&salon.cut, "2026-03-03T22:30:00Z").await["staff_id"], salon.anna);
    salon.book_with(&salon.cut, &salon.anna, "2026-03-03T12:00:00Z").await;
    assert_eq!(
        salon.book(&salon.cut, "2026-03-03T23:00:00Z").await["staff_id"],
        salon.anna,
        "on the new day, all have 0 booked minutes, so the lowest id wins"
    );
}

#[tokio::test]
async fn pending_requests_count_as_booked_minutes_and_block_their_time() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let ask = async |start: &str| {
        let answer = salon.try_book_with(&salon.cut, start, json!({ "allow_pending": true })).await;
        answer.created()
    };
    let all: Vec<Value> = vec![
        ask("2026-03-03T09:00:00Z").await,
        ask("2026-03-03T09:00:00Z").await,
        ask("2026-03-03T10:00:00Z").await,
    ];
    let takers: Vec<_> = all.iter().map(|one| one["staff_id"].as_str().unwrap()).collect();
    assert_eq!(takers, [&salon.anna, &salon.ben, &salon.chloe]);
    assert!(all.iter().all(|one| one["status"] == "pending"));
}
