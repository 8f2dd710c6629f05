//! The delivery log with its filters and counts, a single delivery with its body, and the response to an
//! endpoint test.

use domain::{EventId, Named, Timestamp};

use super::*;
use crate::delivery::{ATTEMPTS_MAX, DeliveryTally};

const DAY: u64 = 86_400;

#[tokio::test(start_paused = true)]
async fn the_log_is_filtered_by_status_type_and_time() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.happen("First").await;
    settle().await;
    sleep(Duration::from_secs(DAY)).await;
    let second = world.clock.now();
    world.set(id, WebhookStatus::Disabled).await;
    world.happen("Second").await;
    settle().await;
    let count = async |filter: DeliveryFilter| {
        let all = PageRequest { limit: 100, after: None };
        world.business.deliveries(id, filter, &all).await.unwrap().items.len()
    };
    let filter = DeliveryFilter::default();
    let before = second - chrono::TimeDelta::milliseconds(1);
    for (filter, expected) in [
        (filter, 2),
        (DeliveryFilter { status: Some(DeliveryStatus::Missed), ..filter }, 1),
        (DeliveryFilter { status: Some(DeliveryStatus::Failed), ..filter }, 0),
        (DeliveryFilter { event: Some(EventType::ContactCreated), ..filter }, 2),
        (DeliveryFilter { event: Some(EventType::CallCompleted), ..filter }, 0),
        (DeliveryFilter { from: Some(before), ..filter }, 1),
        (DeliveryFilter { until: Some(before), ..filter }, 1),
        (DeliveryFilter { from: Some(before), until: Some(before), ..filter }, 0),
        (DeliveryFilter { from: Some(Timestamp::MIN), until: Some(Timestamp::MAX), ..filter }, 2),
    ] {
        assert_eq!(count(filter).await, expected, "{filter:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn delivered_and_failed_events_are_counted_up_to_a_limit() {
    let world = World::new().await;
    let (good, _) = world.endpoint("a", 1, OK).await;
    let (bad, _) = world.endpoint("b", 2, NO).await;
    let began = world.clock.now();
    for name in ["A", "B", "C"] {
        world.happen(name).await;
    }
    settle().await;
    world.set(bad, WebhookStatus::Disabled).await;
    world.set(bad, WebhookStatus::Enabled).await;
    world.happen("D").await;
    settle().await;
    let tally = async |id, at_most| world.business.tally_deliveries(id, began, at_most).await.unwrap();
    let none = DeliveryTally::default();
    assert_eq!(tally(good, 9).await, DeliveryTally { delivered: 4, ..none });
    assert_eq!(tally(good, 4).await, DeliveryTally { delivered: 4, ..none });
    assert_eq!(tally(good, 3).await, DeliveryTally { delivered: 3, more: true, ..none });
    assert_eq!(tally(bad, 9).await, DeliveryTally { failed: 1, missed: 3, ..none });
    let later = began + chrono::TimeDelta::days(1);
    let since = world.business.tally_deliveries(good, later, 9).await.unwrap();
    assert_eq!(since, none);
}

#[tokio::test(start_paused = true)]
async fn a_delivery_shows_exactly_the_bytes_that_it_sends() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("Zoé").await;
    settle().await;
    let listed = world.log(id).await.remove(0);
    let delivery = world.business.delivery(id, listed.event_id).await.unwrap();
    assert_eq!((delivery.shown.status, delivery.shown.attempts_made), (DeliveryStatus::Pending, 1));
    assert!(receiver.requests()[0].ends_with(std::str::from_utf8(&delivery.body.unwrap()).unwrap()));
    let none: EventId = id.to_string().parse().unwrap();
    let refused = world.business.delivery(id, none).await.unwrap_err();
    assert!(matches!(refused, EngineError::Refused(Refusal::NotFound(Named::Delivery))), "{refused:?}");
    // The log shows a delivery for 30 days only.
    sleep(Duration::from_secs(30 * DAY)).await;
    assert!(world.business.delivery(id, listed.event_id).await.is_err());
    assert_eq!(ATTEMPTS_MAX, 9);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_test_shows_the_request_and_the_response() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    let trial = world.business.try_webhook(id, Some(EventType::MessageTaken)).await.unwrap();
    assert_eq!((trial.shown.delivered, trial.shown.response_status), (false, Some(500)));
    assert_eq!(trial.response_body.as_deref(), Some("no\u{fffd}go"));
    let request = &receiver.requests()[0];
    assert!(request.ends_with(std::str::from_utf8(&trial.body).unwrap()));
    for (name, value) in &trial.headers {
        assert_eq!(header(request, name), value, "{name}");
    }
    assert_eq!(
        trial.headers.len(),
        5,
        "{:?}",
        trial.headers.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    assert_eq!(trial.url, "https://a.example.com/hook");
    assert!(!format!("{trial:?}").contains("v1,"), "a log must not contain a signature");
    assert!(world.log(id).await.is_empty(), "a test must not appear in the delivery log");
}
