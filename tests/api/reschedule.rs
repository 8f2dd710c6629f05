//! Tests of `POST /appointments/{id}/reschedule`.

use serde_json::{Value, json};

use crate::harness::{Server, stamp};

const AT: &str = "2026-03-03T09:00:00Z";
const LATER: &str = "2026-03-03T14:00:00Z";

#[tokio::test]
async fn a_moved_appointment_keeps_its_id_duration_and_staff_member() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.massage, &salon.ben, AT).await;
    salon
        .operator
        .patch(&format!("/services/{}", salon.massage), &json!({ "duration_minutes": 20 }))
        .await
        .is(200);
    server.clock.advance(1);
    let moved = salon.try_move(&booked, json!({ "starts_at": LATER })).await.is(200).data();
    let mut expected = booked.clone();
    expected["starts_at"] = json!(stamp("2026-03-03T14:00"));
    expected["ends_at"] = json!(stamp("2026-03-03T15:00"));
    expected["updated_at"] = json!("2026-03-02T06:00:01.000Z");
    assert_eq!(moved, expected);
    assert_eq!(salon.show(&booked).await, expected);
    assert_eq!(salon.api.all("/appointments").await, [expected]);
    salon.book_with(&salon.cut, &salon.ben, AT).await;
}

#[tokio::test]
async fn a_move_may_overlap_the_appointments_own_time() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.colour, &salon.anna, AT).await;
    for start in ["09:30", "08:30", "10:00", "09:00"] {
        let moved =
            salon.try_move(&booked, json!({ "starts_at": stamp(&format!("2026-03-03T{start}")) })).await;
        assert_eq!(moved.data()["starts_at"], stamp(&format!("2026-03-03T{start}")));
    }
    salon.book_with(&salon.cut, &salon.anna, "2026-03-03T10:30:00Z").await;
    let answer = salon.try_move(&booked, json!({ "starts_at": "2026-03-03T09:30:00Z" })).await;
    answer.fails(409, "slot_unavailable").says("taken");
}

#[tokio::test]
async fn a_move_to_the_same_time_and_staff_member_changes_nothing_in_any_mode() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.massage, &salon.ben, AT).await;
    let tag = salon.get(&format!("/appointments/{}", booked["id"].as_str().unwrap())).await.etag();
    server.clock.advance(100);
    for mode in ["instant", "request", "off"] {
        salon.set(json!({ "booking_mode": mode })).await;
        for body in [
            json!({ "starts_at": AT }),
            json!({ "starts_at": "2026-03-03T10:00:00+01:00", "staff_id": salon.ben }),
            json!({ "starts_at": AT, "staff_id": null, "allow_pending": true }),
        ] {
            let answer = salon.try_move(&booked, body).await;
            assert_eq!((answer.is(200).data(), answer.etag()), (booked.clone(), tag.clone()));
        }
    }
    server.clock.set("2026-03-03T09:30:00Z");
    assert_eq!(
        salon.try_move(&booked, json!({ "starts_at": AT })).await.is(200).data(),
        booked,
        "the move must be accepted although the appointment has started"
    );
}

#[tokio::test]
async fn an_appointment_can_be_moved_to_another_staff_member() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.cut, &salon.ben, AT).await;
    let moved = salon.try_move(&booked, json!({ "starts_at": AT, "staff_id": salon.chloe })).await.data();
    assert_eq!((&moved["staff_id"], &moved["staff_name"]), (&json!(salon.chloe), &json!("Chloé")));
    salon.book_with(&salon.cut, &salon.ben, AT).await;
    let back = salon.try_move(&booked, json!({ "starts_at": AT, "staff_id": salon.ben })).await;
    back.fails(409, "slot_unavailable").says("taken");
    salon.try_move(&booked, json!({ "starts_at": LATER, "staff_id": salon.ben })).await.is(200);
}

#[tokio::test]
async fn an_unknown_inactive_or_unqualified_staff_member_is_invalid() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let booked = salon.book(&salon.colour, AT).await;
    let unknown = "018f0000-0000-7000-8000-000000000000";
    for staff in [unknown, &other.anna, &salon.ben, "x"] {
        salon
            .try_move(&booked, json!({ "starts_at": LATER, "staff_id": staff }))
            .await
            .invalid_at(&["staff_id"]);
    }
    let cut = salon.book_with(&salon.cut, &salon.ben, AT).await;
    salon.operator.patch(&format!("/staff/{}", salon.chloe), &json!({ "active": false })).await.is(200);
    let body = json!({ "starts_at": LATER, "staff_id": salon.chloe });
    salon.try_move(&cut, body).await.invalid_at(&["staff_id"]);
}

#[tokio::test]
async fn a_refused_move_changes_nothing() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.massage, &salon.ben, AT).await;
    salon.book_with(&salon.massage, &salon.ben, LATER).await;
    server.clock.set("2026-03-03T08:10:00Z");
    for (start, reason) in [
        (LATER, "taken"),
        ("2026-03-03T13:30:00Z", "taken"),
        ("2026-03-03T08:00:00Z", "past"),
        ("2026-03-03T16:30:00Z", "outside"),
        ("2026-03-08T09:00:00Z", "closed"),
        ("2026-03-03T11:10:00Z", "grid"),
    ] {
        let answer = salon.try_move(&booked, json!({ "starts_at": start })).await;
        answer.fails(409, "slot_unavailable").says(reason);
        assert_eq!(salon.show(&booked).await, booked);
    }
    let slots = salon.slots(&salon.cut, &format!("start_date=2026-03-03&staff_id={}", salon.ben)).await;
    assert!(!slots.contains(&stamp("2026-03-03T09:00")) && slots.contains(&stamp("2026-03-03T10:00")));
}

#[tokio::test]
async fn a_cancelled_declined_or_ended_appointment_cannot_be_moved() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let ask = async |at: &str| {
        let answer = salon.try_book_with(&salon.colour, at, json!({ "allow_pending": true })).await;
        answer.created()
    };
    let (cancelled, declined) = (ask(AT).await, ask(LATER).await);
    salon.cancel(&cancelled).await.is(200);
    let decline = format!("/appointments/{}/decline", declined["id"].as_str().unwrap());
    salon.operator.call("POST", &decline).await.is(200);
    for (one, at) in [(&cancelled, AT), (&declined, LATER)] {
        for start in [at, "2026-03-04T09:00:00Z", "2026-03-08T09:00:00Z"] {
            let answer = salon.try_move(one, json!({ "starts_at": start, "allow_pending": true })).await;
            answer.fails(409, "conflict");
            assert_eq!(crate::harness::paths(&answer), ["status"], "{answer}");
        }
    }
    let ended = ask(AT).await;
    server.clock.set("2026-03-03T10:30:00Z");
    let next = json!({ "starts_at": "2026-03-04T09:00:00Z", "allow_pending": true });
    salon.try_move(&ended, next.clone()).await.fails(409, "conflict");
    server.clock.set("2026-03-03T10:29:59Z");
    salon.try_move(&ended, next).await.is(200);
}

#[tokio::test]
async fn the_modes_apply_as_for_booking() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let to = |start: &str, allow: bool| json!({ "starts_at": start, "allow_pending": allow });
    salon.set(json!({ "booking_mode": "off" })).await;
    salon.try_move(&booked, to(LATER, true)).await.fails(409, "booking_disabled");
    salon.set(json!({ "booking_mode": "request" })).await;
    salon.try_move(&booked, to(LATER, false)).await.fails(409, "booking_requires_confirmation");
    salon.try_move(&booked, json!({ "starts_at": LATER })).await.fails(409, "booking_requires_confirmation");
    assert_eq!(salon.show(&booked).await, booked);
    let pending = salon.try_move(&booked, to(LATER, true)).await.data();
    assert_eq!(
        (&pending["status"], &pending["starts_at"]),
        (&json!("pending"), &json!(stamp("2026-03-03T14:00")))
    );
    salon.set(json!({ "booking_mode": "instant" })).await;
    assert_eq!(salon.try_move(&booked, to(AT, false)).await.data()["status"], "confirmed");
}

#[tokio::test]
async fn a_move_by_the_team_ignores_the_mode_and_keeps_the_appointment_confirmed() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let pending = salon.try_book_with(&salon.cut, AT, json!({ "allow_pending": true })).await.created();
    let path = format!("/appointments/{}/reschedule", pending["id"].as_str().unwrap());
    salon.set(json!({ "booking_mode": "off" })).await;
    let moved = salon.operator.post(&path, &json!({ "starts_at": LATER })).await.data();
    assert_eq!(
        (&moved["status"], &moved["starts_at"]),
        (&json!("confirmed"), &json!(stamp("2026-03-03T14:00")))
    );
    let sunday = json!({ "starts_at": "2026-03-08T09:00:00Z" });
    salon.operator.post(&path, &sunday).await.fails(409, "slot_unavailable");
}

#[tokio::test]
async fn an_inactive_service_or_staff_member_cannot_get_a_moved_appointment() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.cut, &salon.ben, AT).await;
    let staff = format!("/staff/{}", salon.ben);
    salon.operator.patch(&staff, &json!({ "active": false })).await.is(200);
    salon.try_move(&booked, json!({ "starts_at": LATER })).await.fails(409, "slot_unavailable");
    salon.try_move(&booked, json!({ "starts_at": LATER, "staff_id": salon.chloe })).await.is(200);
    salon.operator.patch(&format!("/services/{}", salon.cut), &json!({ "active": false })).await.is(200);
    salon.try_move(&booked, json!({ "starts_at": AT })).await.fails(409, "slot_unavailable");
}

#[tokio::test]
async fn an_invalid_body_is_refused_with_the_paths() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    for (body, paths) in [
        (json!({}), &["starts_at"][..]),
        (json!({ "starts_at": null }), &["starts_at"]),
        (json!({ "starts_at": "2026-03-03T10:00:00" }), &["starts_at"]),
        (json!({ "starts_at": "2300-01-01T09:00:00Z" }), &["starts_at"]),
        (json!({ "starts_at": LATER, "service_id": salon.cut }), &["service_id"]),
        (json!({ "starts_at": LATER, "allow_pending": 0 }), &["allow_pending"]),
        (json!({ "starts_at": 1, "staff_id": 2 }), &["starts_at", "staff_id"]),
        (Value::Null, &[""]),
    ] {
        salon.try_move(&booked, body).await.invalid_at(paths);
    }
}
