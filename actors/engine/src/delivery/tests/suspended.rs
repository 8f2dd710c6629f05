use super::*;
use crate::business::commands::profile::PatchBusiness;

async fn suspend(world: &World, suspended: bool) {
    let patch = PatchBusiness::suspending(suspended);
    world.business.change(Request::by(Actor::Operator), patch).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn deliveries_of_a_suspended_business_wait_with_their_schedule() {
    let mut world = World::new().await;
    let (id, failing) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    assert_eq!(failing.requests().len(), 1);
    suspend(&world, true).await;
    world.happen("B").await; // the operator makes a change
    sleep(Duration::from_secs(100)).await;
    world.restart().await;
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(failing.requests().len(), 1, "the retry and the new event must wait");
    assert!(world.log(id).await.iter().all(|row| row.status == DeliveryStatus::Pending));
    assert_eq!(world.engine.attempts_under_way(), 0);
    suspend(&world, false).await;
    settle().await;
    assert_eq!(failing.requests().len(), 3, "both must be sent immediately");
    let log = world.log(id).await;
    assert_eq!((log[1].attempts_made, log[0].attempts_made), (2, 1));
    sleep(Duration::from_secs(200)).await;
    assert_eq!(failing.requests().len(), 6, "the next attempts are due after 30 s and 120 s");
}

#[tokio::test(start_paused = true)]
async fn events_resent_or_tested_during_a_suspension_are_not_sent() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, OK).await;
    world.set(id, WebhookStatus::Disabled).await;
    world.happen("A").await;
    world.set(id, WebhookStatus::Enabled).await;
    suspend(&world, true).await;
    assert_eq!(
        world.business.resend_missed(id).await.unwrap(),
        1,
        "the request to send the event again must be accepted"
    );
    assert!(matches!(world.business.test_webhook(id, None).await, Err(EngineError::Suspended)));
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(receiver.requests().len(), 0);
    suspend(&world, false).await;
    settle().await;
    assert_eq!(receiver.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn attempts_in_progress_when_a_business_is_suspended_may_finish() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    // The response arrives after one second, when the business is already suspended.
    let slow = world.receiver_that("a.example.com", 1, "", Then::Drips(b"HTTP/1.1 204 No Content\r\n\r\n"));
    world.happen("A").await;
    settle().await;
    assert_eq!(slow.requests().len(), 1);
    suspend(&world, true).await;
    sleep(Duration::from_secs(2)).await;
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Delivered);
}
