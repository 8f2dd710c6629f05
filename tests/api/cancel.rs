//! Tests of `POST /appointments/{id}/cancel`.

use serde_json::json;

use crate::harness::{Server, for_the_team, stamp};

const AT: &str = "2026-03-03T09:00:00Z";

#[tokio::test]
async fn a_cancelled_time_can_be_booked_again() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.colour, AT).await;
    salon.try_book(&salon.colour, AT).await.fails(409, "slot_unavailable");
    server.clock.advance(1);
    let cancelled = salon.cancel(&booked).await.is(200).data();
    let mut expected = booked.clone();
    expected["status"] = json!("cancelled");
    expected["updated_at"] = json!("2026-03-02T06:00:01.000Z");
    assert_eq!(cancelled, expected);
    assert_eq!(salon.show(&booked).await, expected);
    assert!(salon.slots(&salon.colour, "start_date=2026-03-03").await.contains(&stamp("2026-03-03T09:00")));
    assert_ne!(salon.book(&salon.colour, AT).await["id"], booked["id"]);
}

#[tokio::test]
async fn a_cancelled_appointment_is_returned_unchanged() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.colour, AT).await;
    let first = salon.cancel(&booked).await;
    server.clock.advance(100);
    for _ in 0..3 {
        let again = salon.cancel(&booked).await;
        assert_eq!((again.is(200).data(), again.etag()), (first.data(), first.etag()));
    }
    let entries = salon.operator.all("/audit").await;
    let count = entries.iter().filter(|entry| entry["action"] == "appointment.cancelled").count();
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_declined_appointment_stays_declined() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let pending = salon.try_book_with(&salon.cut, AT, json!({ "allow_pending": true })).await.created();
    let path = format!("/appointments/{}/decline", pending["id"].as_str().unwrap());
    let declined = salon.operator.call("POST", &path).await.data();
    server.clock.advance(1);
    assert_eq!(for_the_team(salon.cancel(&pending).await.is(200).data()), declined);
}

#[tokio::test]
async fn an_appointment_can_be_cancelled_in_every_mode_and_at_any_time() {
    let server = Server::open().await;
    for mode in ["instant", "request", "off"] {
        let salon = server.salon().await;
        let booked = [
            salon.book(&salon.cut, "2026-03-02T09:00:00Z").await,
            salon.book(&salon.cut, "2026-03-02T10:00:00Z").await,
            salon.book(&salon.cut, AT).await,
        ];
        salon.set(json!({ "booking_mode": mode })).await;
        server.clock.set("2026-03-02T10:15:00Z");
        for one in &booked {
            assert_eq!(salon.cancel(one).await.is(200).data()["status"], "cancelled");
        }
        server.clock.set("2026-03-02T06:00:00Z");
    }
}

#[tokio::test]
async fn a_cancellation_accepts_no_body_or_an_empty_object() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let path = format!("/appointments/{}/cancel", booked["id"].as_str().unwrap());
    salon.api.post(&path, &json!({ "reason": "ill" })).await.fails(400, "invalid_request");
    salon.api.post(&path, &json!([])).await.fails(400, "invalid_request");
    salon.api.call("POST", &path).bytes("reason=ill").await.fails(400, "invalid_request");
    assert_eq!(salon.show(&booked).await, booked);
    assert_eq!(salon.api.post(&path, &json!({})).await.is(200).data()["status"], "cancelled");
}

#[tokio::test]
async fn the_operator_cancels_too() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let path = format!("/appointments/{}/cancel", booked["id"].as_str().unwrap());
    let cancelled = salon.operator.call("POST", &path).await.is(200).data();
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(salon.operator.call("POST", &path).await.data(), cancelled);
}
