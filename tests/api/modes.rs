//! Tests of booking modes, and of requests with which the team confirms or declines appointments.

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, for_the_team};

const AT: &str = "2026-03-03T09:00:00Z";

async fn ask(salon: &Salon, starts_at: &str) -> Value {
    salon.try_book_with(&salon.colour, starts_at, json!({ "allow_pending": true })).await.created()
}

async fn team(salon: &Salon, appointment: &Value, verb: &str) -> Answer {
    salon
        .operator
        .call("POST", &format!("/appointments/{}/{verb}", appointment["id"].as_str().unwrap()))
        .await
}

#[tokio::test]
async fn the_booking_mode_decides_whether_a_booking_is_confirmed_pending_or_refused() {
    let server = Server::open().await;
    for (mode, allow, status) in [
        ("instant", json!(false), "confirmed"),
        ("instant", json!(true), "confirmed"),
        ("instant", json!(null), "confirmed"),
        ("request", json!(true), "pending"),
        ("request", json!(false), "booking_requires_confirmation"),
        ("request", json!(null), "booking_requires_confirmation"),
        ("off", json!(true), "booking_disabled"),
        ("off", json!(false), "booking_disabled"),
    ] {
        let salon = server.salon_with(json!({ "booking_mode": mode })).await;
        let answer = salon.try_book_with(&salon.cut, AT, json!({ "allow_pending": allow })).await;
        if answer.status == 201 {
            assert_eq!(answer.data()["status"], status, "{answer}");
        } else {
            answer.fails(409, status);
            assert!(salon.api.all("/appointments").await.is_empty());
        }
    }
}

#[tokio::test]
async fn unknown_ids_are_refused_before_the_mode_and_the_mode_before_the_time() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "off" })).await;
    salon.try_book(&salon.anna, AT).await.invalid_at(&["service_id"]);
    salon.try_book(&salon.cut, "2026-03-08T09:00:00Z").await.fails(409, "booking_disabled");
    salon.set(json!({ "booking_mode": "request" })).await;
    salon.try_book(&salon.cut, "2026-03-08T09:00:00Z").await.fails(409, "booking_requires_confirmation");
}

#[tokio::test]
async fn a_booking_by_the_team_is_confirmed_in_every_mode_and_follows_every_other_rule() {
    let server = Server::open().await;
    for mode in ["instant", "request", "off"] {
        let salon = server.salon_with(json!({ "booking_mode": mode })).await;
        let book = async |more: Value| {
            salon.operator.post("/appointments", &salon.booking(&salon.colour, AT, more)).await
        };
        let booked = book(json!({})).await.created();
        assert_eq!((&booked["status"], &booked["source"]), (&json!("confirmed"), &json!("dashboard")));
        book(json!({})).await.fails(409, "slot_unavailable").says("taken");
        book(json!({ "starts_at": "2026-03-08T09:00:00Z" }))
            .await
            .fails(409, "slot_unavailable")
            .says("closed");
        book(json!({ "source": "letter" })).await.invalid_at(&["source"]);
        for (source, hour) in [("voice", 10), ("sms", 11), ("website", 12), ("api", 13), ("mcp", 14)] {
            let at = format!("2026-03-04T{hour}:00:00Z");
            let more = json!({ "source": source, "starts_at": at, "service_id": salon.cut });
            assert_eq!(book(more).await.created()["source"], source);
        }
    }
}

#[tokio::test]
async fn a_pending_request_blocks_its_time_until_it_is_declined_or_cancelled() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let listed = async || {
        salon
            .slots(&salon.colour, "start_date=2026-03-03")
            .await
            .contains(&crate::harness::stamp("2026-03-03T09:00"))
    };
    let pending = ask(&salon, AT).await;
    assert!(!listed().await);
    let more = json!({ "allow_pending": true });
    salon.try_book_with(&salon.colour, AT, more).await.fails(409, "slot_unavailable").says("taken");
    assert_eq!(team(&salon, &pending, "decline").await.data()["status"], "declined");
    assert!(listed().await);
    let second = ask(&salon, AT).await;
    assert!(!listed().await);
    assert_eq!(salon.cancel(&second).await.data()["status"], "cancelled");
    assert!(listed().await);
}

#[tokio::test]
async fn confirm_and_decline_apply_to_pending_appointments_only() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let mut made = Vec::new();
    for (day, status) in ["pending", "confirmed", "declined", "cancelled"].into_iter().enumerate() {
        for (hour, verb) in ["confirm", "decline"].into_iter().enumerate() {
            let one = ask(&salon, &format!("2026-03-{:02}T{:02}:00:00Z", 3 + day, 9 + 2 * hour)).await;
            match status {
                "confirmed" => drop(team(&salon, &one, "confirm").await.data()),
                "declined" => drop(team(&salon, &one, "decline").await.data()),
                "cancelled" => drop(salon.cancel(&one).await.data()),
                _ => {}
            }
            made.push((status, verb, salon.show(&one).await));
        }
    }
    server.clock.advance(10);
    for (status, verb, one) in made {
        let answer = team(&salon, &one, verb).await;
        match (status, verb) {
            ("pending", _) => {
                let after = answer.data();
                assert_eq!(after["status"], if verb == "confirm" { "confirmed" } else { "declined" });
                assert_eq!(after["updated_at"], "2026-03-02T06:00:10.000Z");
                assert_eq!(for_the_team(salon.show(&one).await), after);
            }
            ("confirmed", "confirm") | ("declined", "decline") => {
                assert_eq!(answer.data(), for_the_team(one), "unchanged");
            }
            _ => {
                answer.fails(409, "conflict");
                assert_eq!(crate::harness::paths(&answer), ["status"]);
                assert_eq!(salon.show(&one).await, one);
            }
        }
    }
}

#[tokio::test]
async fn a_request_can_be_confirmed_after_the_mode_has_changed() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let pending = ask(&salon, AT).await;
    salon.set(json!({ "booking_mode": "off", "hours": [] })).await;
    assert_eq!(team(&salon, &pending, "confirm").await.data()["status"], "confirmed");
}
