//! The use of permits, and the cost of an endpoint that only waits.

use super::*;

/// The time between an event and the arrival of its request.
async fn arrives_after(world: &World, receiver: &Receiver) -> Duration {
    let (start, before) = (Instant::now(), receiver.requests().len());
    world.happen("now").await;
    while receiver.requests().len() == before {
        sleep(Duration::from_millis(1)).await;
    }
    start.elapsed()
}

/// A world with one permit, held by a hanging endpoint, and a second endpoint of another business.
async fn one_permit() -> (World, WebhookId, BusinessHandle, Arc<Receiver>) {
    let mut world = World::with_permits(1).await;
    let (hanging, _) = world.endpoint("a", 1, OK).await;
    world.receiver_that("a.example.com", 1, "", Then::Hangs);
    world.happen("A").await;
    settle().await;
    assert_eq!(world.engine.attempts_under_way(), 1);
    let other = new_business(&world.engine).await;
    let first = std::mem::replace(&mut world.business, other);
    let (_, receiver) = world.endpoint("b", 2, OK).await;
    (world, hanging, first, receiver)
}

#[tokio::test(start_paused = true)]
async fn a_waiting_endpoint_gets_a_permit_as_soon_as_it_is_returned() {
    let (world, _, _, receiver) = one_permit().await;
    let took = arrives_after(&world, &receiver).await;
    let left = Duration::from_secs(10) - Duration::from_millis(500);
    assert!(took.abs_diff(left) < Duration::from_millis(50), "{took:?}");
    assert_eq!(world.engine.endpoints_waiting(), 1, "only the first endpoint waits, for its retry");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_or_disabled_endpoint_returns_its_permits_immediately() {
    for delete in [true, false] {
        let (mut world, id, first, receiver) = one_permit().await;
        let second = std::mem::replace(&mut world.business, first);
        world.happen("B").await;
        if delete {
            world.business.change(Request::by(Actor::Operator), DeleteWebhook { id }).await.unwrap();
        } else {
            world.set(id, WebhookStatus::Disabled).await;
        }
        sleep(Duration::from_millis(2)).await;
        assert_eq!(world.engine.attempts_under_way(), 0);
        let first = std::mem::replace(&mut world.business, second);
        assert!(arrives_after(&world, &receiver).await < Duration::from_millis(50));
        if !delete {
            world.business = first;
            sleep(Duration::from_secs(20)).await;
            let log = world.log(id).await;
            assert_eq!(
                (log[1].status, log[1].attempts_made),
                (DeliveryStatus::Missed, 0),
                "an attempt that never began must not be recorded"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_holds_no_permit() {
    let world = World::with_permits(1).await;
    let (dripping, _) = world.endpoint("a", 1, OK).await;
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n";
    let receiver = world.receiver_that("a.example.com", 1, head, Then::Drips(b"x"));
    for _ in 0..3 {
        assert!(arrives_after(&world, &receiver).await < Duration::from_millis(50));
    }
    assert!(world.log(dripping).await.iter().all(|row| row.status == DeliveryStatus::Pending));
    sleep(Duration::from_millis(1_100)).await;
    assert!(world.log(dripping).await.iter().all(|row| row.status == DeliveryStatus::Delivered));
}

#[tokio::test(start_paused = true)]
async fn a_limited_number_of_bodies_of_a_business_is_read_at_the_same_time() {
    let world = World::new().await;
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf";
    for number in 1..=20 {
        world.endpoint(&format!("e{number}"), number, OK).await;
        world.receiver_that(&format!("e{number}.example.com"), number, head, Then::Hangs);
    }
    world.happen("A").await;
    sleep(Duration::from_secs(3)).await;
    let endpoints = world.business.webhooks(&PageRequest { limit: 100, after: None }).await.unwrap().items;
    let mut read = 0;
    for endpoint in endpoints {
        let log = world.log(endpoint.id).await;
        assert_eq!((log[0].status, log[0].last_response_status), (DeliveryStatus::Delivered, Some(200)));
        read += usize::from(log[0].last_response_body.as_deref() == Some("half"));
    }
    assert_eq!(read, 16);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_only_waits_has_no_actor_and_keeps_its_schedule() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    // Four attempts start at 0 s, 30 s, 150 s and 750 s. The fifth attempt is due at 2,550 s. Until then the endpoint
    // only waits, so its actor is stopped.
    sleep(Duration::from_secs(1_700)).await;
    assert_eq!(receiver.requests().len(), 4);
    assert_eq!((world.engine.running_deliveries(), world.engine.endpoints_waiting()), (0, 1));
    sleep(Duration::from_secs(840)).await;
    assert_eq!(receiver.requests().len(), 4);
    sleep(Duration::from_secs(20)).await;
    assert_eq!(receiver.requests().len(), 5);
    assert_eq!(world.log(id).await[0].attempts_made, 5);
}

#[tokio::test(start_paused = true)]
async fn no_more_actors_start_than_there_are_permits() {
    let mut world = World::with_permits(4).await;
    let mut receivers = Vec::new();
    for number in 1..=20 {
        receivers.push(world.endpoint(&format!("e{number}"), number, NO).await.1);
    }
    world.happen("A").await;
    sleep(Duration::from_secs(5)).await;
    let dead: Vec<_> = (1..=20)
        .map(|number| world.receiver_that(&format!("e{number}.example.com"), number, "", Then::Hangs))
        .collect();
    world.stand_still(3_600).await;
    settle().await;
    let running = world.engine.running_deliveries();
    assert!((1..=4).contains(&running), "{running} actors run");
    assert_eq!(world.engine.endpoints_waiting(), 20 - running);
    let tried = || dead.iter().filter(|receiver| !receiver.requests().is_empty()).count();
    assert_eq!(tried(), running);
    // Failing endpoints of one business get only some of the permits, so perhaps only one attempt runs at a time. An
    // attempt takes at most 10 s, so the first attempts at all 20 endpoints take at most 200 s.
    sleep(Duration::from_secs(10 * 21)).await;
    assert_eq!(tried(), 20, "each endpoint must get its turn");
}

#[tokio::test(start_paused = true)]
async fn above_a_limit_an_actor_that_only_waits_is_stopped_immediately() {
    let world = World::with(Limits { actors_at_rest: 3, ..Limits::default() }).await;
    let mut receivers = Vec::new();
    for number in 1..=10 {
        receivers.push(world.endpoint(&format!("e{number}"), number, NO).await.1);
    }
    world.happen("A").await;
    let made = |times: usize| receivers.iter().all(|receiver| receiver.requests().len() == times);
    for (waits, times) in [(0, 1), (30, 2), (120, 3)] {
        sleep(Duration::from_secs(waits)).await;
        settle().await;
        assert!(made(times), "each receiver must have {times} attempts");
        assert_eq!((world.engine.running_deliveries(), world.engine.endpoints_waiting()), (3, 10));
    }
}
