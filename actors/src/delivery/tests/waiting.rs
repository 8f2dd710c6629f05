//! Much that waits, at one endpoint or at many.

use super::*;

/// Creates this much at once.
async fn happen_often(world: &World, times: usize) {
    let changes: Vec<_> = (0..times)
        .map(|number| {
            let name = Some(Text::new(format!("N{number}")).unwrap());
            let details = ContactDetails { name, ..ContactDetails::default() };
            let business = world.business.clone();
            async move { business.change(Request::by(Actor::Operator), CreateContact { details }).await }
        })
        .collect();
    for change in changes {
        change.await.unwrap();
    }
}

/// How long after something happened an endpoint of the same business, and one of another, have it.
async fn first_attempts(waiting: usize) -> [Duration; 2] {
    let mut world = World::new().await;
    let (dead, _) = world.endpoint("dead", 1, OK).await;
    world.net.put("93.184.216.1:443", Place::BlackHole);
    happen_often(&world, waiting).await;
    assert_eq!(world.log(dead).await.len(), waiting.min(100));
    let mut took = [Duration::ZERO; 2];
    for (took, number) in took.iter_mut().zip([2, 3]) {
        let (_, receiver) = world.endpoint(&format!("live{number}"), number, OK).await;
        let start = Instant::now();
        world.happen("now").await;
        while receiver.requests().is_empty() {
            sleep(Duration::from_millis(1)).await;
        }
        *took = start.elapsed();
        world.business = new_business(&world.engine).await;
    }
    took
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_events_at_a_dead_endpoint_hold_no_other_up() {
    assert_eq!(first_attempts(10_000).await, first_attempts(0).await);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_events_that_waited_are_delivered_each_once() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.set(id, WebhookStatus::Disabled).await;
    happen_often(&world, 10_000).await;
    world.set(id, WebhookStatus::Enabled).await;
    let receiver = world.receiver("a.example.com", 1, "HTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(world.business.resend_missed(id).await.unwrap(), 10_000);
    while receiver.requests().len() < 10_000 {
        settle().await;
    }
    settle().await;
    let ids: std::collections::HashSet<_> =
        receiver.requests().iter().map(|request| header(request, "webhook-id").to_owned()).collect();
    assert_eq!((ids.len(), receiver.requests().len()), (10_000, 10_000));
}

#[tokio::test(start_paused = true)]
async fn what_fell_due_at_many_endpoints_while_stopped_goes_out_one_by_one() {
    let mut world = World::new().await;
    let mut receivers = Vec::new();
    for number in 1..=20 {
        receivers.push(world.endpoint(&format!("e{number}"), number, NO).await.1);
    }
    world.happen("A").await;
    settle().await;
    world.stand_still(3_600).await;
    let dialled = || receivers.iter().map(|receiver| receiver.requests().len() - 1).sum::<usize>();
    assert_eq!(dialled(), 0);
    let (mut before, mut most) = (0, 0);
    for _ in 0..200 {
        sleep(Duration::from_millis(1)).await;
        let now = dialled();
        most = most.max(now - before);
        before = now;
    }
    assert_eq!((before, most), (20, 1), "all of them, and no two in one instant");
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_jumps_neither_fires_nor_freezes_a_schedule() {
    for hours in [-1_000, -1, 1, 1_000] {
        let world = World::new().await;
        let (_, receiver) = world.endpoint("a", 1, NO).await;
        world.happen("A").await;
        sleep(Duration::from_secs(200)).await;
        assert_eq!(receiver.requests().len(), 3, "at 0 s, 30 s and 150 s");
        world.clock.off_hours.store(hours, Ordering::Relaxed);
        sleep(Duration::from_secs(540)).await;
        assert_eq!(receiver.requests().len(), 3, "the fourth is due at 750 s");
        sleep(Duration::from_secs(20)).await;
        assert_eq!(receiver.requests().len(), 4, "after a jump of {hours} hours");
        world.happen("B").await;
        settle().await;
        assert_eq!(receiver.requests().len(), 5, "what is new goes out at once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dead_endpoint_holds_no_other_up() {
    let world = World::new().await;
    let (dead, _) = world.endpoint("dead", 1, OK).await;
    world.net.put("93.184.216.1:443", Place::BlackHole);
    let (_, receiver) = world.endpoint("live", 2, OK).await;
    for number in 0..50 {
        world.happen(&format!("N{number}")).await;
    }
    settle().await;
    assert_eq!(receiver.requests().len(), 50);
    assert!(world.log(dead).await.iter().all(|row| row.status == DeliveryStatus::Pending));
}

#[tokio::test(start_paused = true)]
async fn a_delivery_without_its_event_fails_alone() {
    use crate::store::{Batch, keys};
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    let lost = world.log(id).await[0].event_id;
    let mut batch = Batch::default();
    batch.delete(keys::event(world.business.id(), lost));
    world.business.inner.store.submit(world.business.id(), batch, Box::new(|| ()));
    sleep(Duration::from_secs(31)).await;
    world.receiver("a.example.com", 2, OK);
    world.happen("B").await;
    settle().await;
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[1].status), (DeliveryStatus::Delivered, DeliveryStatus::Failed));
    assert_eq!((log[1].attempts, log[1].next_attempt_at), (1, None));
    assert_eq!(log[1].last_error.as_deref(), Some("the event is not kept any more"));
    assert_eq!(receiver.requests().len(), 1);
    assert_eq!(world.status(id).await.0, WebhookStatus::Enabled);
}
