//! Tests of the attendance of appointments, and of the removal of the data that a customer entered.

use ports::Clock;
use serde_json::{Value, json};

use crate::harness::{Salon, Server, for_the_team, id, ids, merged};

/// Tuesday at noon in the zone of the salon.
const AT: &str = "2026-03-03T11:00:00Z";

fn path(appointment: &Value) -> String {
    format!("/appointments/{}", id(appointment))
}

async fn set(salon: &Salon, appointment: &Value, attendance: Value) -> crate::harness::Answer {
    salon.operator.patch(&path(appointment), &json!({ "attendance": attendance })).await
}

#[tokio::test]
async fn attendance_is_shown_only_to_the_team() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    server.clock.set(AT);
    let (before, tag) = (salon.get(&path(&booked)).await, salon.operator.get(&path(&booked)).await.etag());
    for attendance in ["arrived", "completed", "no_show"] {
        let answer = set(&salon, &booked, json!(attendance)).await;
        let expected = merged(for_the_team(booked.clone()), json!({ "attendance": attendance }));
        assert_eq!(answer.data(), expected);
        assert_ne!(answer.etag(), tag);
        assert_eq!(salon.operator.get(&path(&booked)).await.etag(), answer.etag());
    }
    let after = salon.get(&path(&booked)).await;
    assert_eq!((after.data(), after.etag()), (booked.clone(), before.etag()));
    let later = format!("/appointments?updated_since={}", server.clock.now());
    assert_eq!(salon.api.all(&later).await, [] as [Value; 0]);
    salon.get("/appointments?attendance=none").await.invalid_at(&["attendance"]);
    let stale = salon.operator.call("PATCH", &path(&booked)).header("if-match", &tag);
    stale.json(&json!({ "attendance": null })).await.fails(409, "conflict");
    for bad in [json!("left"), json!(true), json!("Arrived")] {
        set(&salon, &booked, bad).await.invalid_at(&["attendance"]);
    }
    assert_eq!(set(&salon, &booked, json!(null)).await.data(), for_the_team(booked.clone()));
    set(&salon, &booked, json!(null)).await.is(200);
    let entries = salon.operator.all("/audit").await;
    let updates = entries.iter().rev().filter(|entry| entry["action"] == "appointment.updated");
    let changes: Vec<_> = updates.map(|entry| entry["changes"].clone()).collect();
    let change = |from: Value, to: Value| json!([{ "field": "attendance", "from": from, "to": to }]);
    assert_eq!(
        changes,
        [
            change(json!(null), json!("arrived")),
            change(json!("arrived"), json!("completed")),
            change(json!("completed"), json!("no_show")),
            change(json!("no_show"), json!(null)),
        ]
    );
}

#[tokio::test]
async fn attendance_can_be_set_from_the_day_or_the_start_of_a_confirmed_appointment() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    // An arrival can be recorded from the start of the local day, which is 23:00 UTC on the previous day.
    for (now, attendance, is_early) in [
        ("2026-03-02T22:59:59.999Z", "arrived", true),
        ("2026-03-02T23:00:00Z", "arrived", false),
        ("2026-03-03T10:59:59.999Z", "completed", true),
        ("2026-03-03T10:59:59.999Z", "no_show", true),
        (AT, "completed", false),
        (AT, "no_show", false),
        ("2026-05-01T09:00:00Z", "completed", false),
    ] {
        server.clock.set(now);
        let answer = set(&salon, &booked, json!(attendance)).await;
        if is_early {
            answer.fails(409, "conflict").says("can be set from");
        } else {
            assert_eq!(answer.data()["attendance"], attendance);
        }
    }
    assert_eq!(salon.cancel(&booked).await.data()["status"], "cancelled");
    assert_eq!(salon.operator.get(&path(&booked)).await.data()["attendance"], json!(null));
    for attendance in ["arrived", "completed", "no_show"] {
        set(&salon, &booked, json!(attendance)).await.fails(409, "conflict").says("only a confirmed");
    }
    set(&salon, &booked, json!(null)).await.is(200);
    salon.set(json!({ "booking_mode": "request" })).await;
    let more = json!({ "allow_pending": true });
    let pending = salon.try_book_with(&salon.cut, "2026-05-01T10:00:00Z", more).await.created();
    set(&salon, &pending, json!("arrived")).await.fails(409, "conflict").says("only a confirmed");
}

#[tokio::test]
async fn a_move_removes_the_attendance() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.massage, AT).await;
    server.clock.set(AT);
    set(&salon, &booked, json!("arrived")).await.is(200);
    let to = json!({ "starts_at": "2026-03-03T13:00:00Z" });
    let moved = salon.operator.post(&format!("{}/reschedule", path(&booked)), &to).await.data();
    assert_eq!(moved["attendance"], json!(null));
    set(&salon, &booked, json!("arrived")).await.is(200);
    // A move to the same time changes nothing.
    let same = salon.operator.post(&format!("{}/reschedule", path(&booked)), &to).await.data();
    assert_eq!(same["attendance"], "arrived");
    let to = json!({ "starts_at": "2026-03-04T13:00:00Z" });
    salon.try_move(&booked, to).await.is(200);
    assert_eq!(salon.operator.get(&path(&booked)).await.data()["attendance"], json!(null));
    let entries = salon.operator.all("/audit").await;
    let moves = entries.iter().filter(|entry| entry["action"] == "appointment.rescheduled");
    for entry in moves {
        let removed = json!({ "field": "attendance", "from": "arrived", "to": null });
        assert!(entry["changes"].as_array().unwrap().contains(&removed), "{entry}");
    }
}

#[tokio::test]
async fn lists_are_filtered_by_attendance() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut booked = Vec::new();
    for hour in 9..14 {
        booked.push(salon.book(&salon.cut, &format!("2026-03-03T{hour:02}:00:00Z")).await);
    }
    server.clock.set("2026-03-03T20:00:00Z");
    for (at, attendance) in [(0, "arrived"), (1, "completed"), (2, "no_show")] {
        set(&salon, &booked[at], json!(attendance)).await.is(200);
    }
    salon.cancel(&booked[4]).await.is(200);
    let contact = booked[0]["contact_id"].as_str().unwrap();
    for (query, expected) in [
        ("attendance=arrived".to_owned(), &[0][..]),
        ("attendance=completed,no_show".to_owned(), &[1, 2]),
        ("attendance=none".to_owned(), &[3, 4]),
        ("attendance=none&status=confirmed".to_owned(), &[3]),
        ("attendance=arrived,none,no_show".to_owned(), &[0, 2, 3, 4]),
        (format!("attendance=no_show&contact_id={contact}"), &[2]),
        ("attendance=no_show&updated_since=2026-03-01T00:00:00Z".to_owned(), &[2]),
    ] {
        for limit in [1, 100] {
            let found = salon.operator.walk(&format!("/appointments?{query}"), limit).await;
            let expected: Vec<_> = expected.iter().map(|at| id(&booked[*at]).to_owned()).collect();
            assert_eq!(ids(&found), expected, "{query}");
        }
    }
    for bad in ["", "null", "arrived,", "Arrived"] {
        salon.operator.get(&format!("/appointments?attendance={bad}")).await.invalid_at(&["attendance"]);
    }
}

#[tokio::test]
async fn an_erasure_keeps_the_attendance() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    server.clock.set(AT);
    set(&salon, &booked, json!("no_show")).await.is(200);
    salon.operator.delete(&format!("/contacts/{}", booked["contact_id"].as_str().unwrap())).await.is(204);
    let erased = salon.operator.get(&path(&booked)).await.data();
    assert_eq!((&erased["contact_id"], &erased["attendance"]), (&json!(null), &json!("no_show")));
    assert_eq!(set(&salon, &booked, json!("completed")).await.data()["attendance"], "completed");
}

#[tokio::test]
async fn the_entries_of_a_customer_can_only_be_cleared() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    for bad in [json!({}), json!("x"), json!({ "name": "Ada" })] {
        let answer = salon.operator.patch(&path(&booked), &json!({ "booked_as": bad })).await;
        answer.invalid_at(&["booked_as"]).says("must be null");
    }
    let cleared = salon.operator.patch(&path(&booked), &json!({ "booked_as": null })).await.data();
    assert_eq!(cleared, for_the_team(booked));
}
