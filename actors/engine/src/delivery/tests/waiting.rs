//! Many waiting deliveries at one endpoint or at many endpoints.

use domain::AttemptFailure;

use super::*;

async fn happen_often(world: &World, times: usize) {
    let changes: Vec<_> = (0..times)
        .map(|number| {
            let details = named(&format!("N{number}"));
            let business = world.business.clone();
            async move { business.change(Request::by(Actor::Operator), CreateContact { details }).await }
        })
        .collect();
    for change in changes {
        change.await.unwrap();
    }
}

fn named(name: &str) -> ContactDetails {
    ContactDetails { name: Some(Text::new(name.into()).unwrap()), ..ContactDetails::default() }
}

/// Returns the time until an event arrives at an endpoint, for two businesses: the business that already has
/// `waiting` deliveries, and a business without deliveries.
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
async fn ten_thousand_events_at_a_dead_endpoint_delay_no_other_event() {
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
async fn deliveries_due_while_the_engine_was_closed_are_sent_as_fast_as_permits_allow() {
    let mut world = World::new().await;
    let mut receivers = Vec::new();
    for number in 1..=20 {
        receivers.push(world.endpoint(&format!("e{number}"), number, NO).await.1);
    }
    world.happen("A").await;
    settle().await;
    world.stand_still(3_600).await;
    sleep(Duration::from_millis(2)).await;
    assert!(
        receivers.iter().all(|receiver| receiver.requests().len() == 2),
        "each receiver must get exactly two attempts"
    );
}

#[tokio::test(start_paused = true)]
async fn deliveries_due_while_the_machine_was_suspended_are_attempted_within_30_seconds_as_permits_allow() {
    let world = World::with_permits(4).await;
    let mut receivers = Vec::new();
    for number in 1..=20 {
        receivers.push(world.endpoint(&format!("e{number}"), number, NO).await.1);
    }
    world.happen("A").await;
    // The timer must find the due fourth attempts within 30 s. But the timer also wakes every 60 s for other work, and
    // this wake-up finds due deliveries too. The pause of 211 s ensures that no wake-up for other work happens while
    // the test waits for the fourth attempts.
    sleep(Duration::from_secs(211)).await;
    let tried = |times| receivers.iter().all(|receiver| receiver.requests().len() == times);
    assert!(tried(3), "the attempts are due at 0 s, 30 s, 150 s and 750 s");
    world.clock.suspend(Duration::from_secs(400));
    sleep(Duration::from_secs(31)).await;
    assert!(tried(3), "the fourth attempt must not be due yet");
    world.clock.suspend(Duration::from_secs(3_600));
    let (began, mut most) = (Instant::now(), 0);
    while !tried(4) {
        assert!(began.elapsed() < Duration::from_secs(31), "the timer must check at least every 30 s");
        sleep(Duration::from_millis(1)).await;
        most = most.max(world.business.businesses.deliveries.dispatcher.permits_held());
    }
    assert!(most <= 4, "at most 4 permits may be taken, not {most}");
    sleep(Duration::from_secs(60)).await;
    assert!(tried(4), "no delivery may be attempted twice");
}

#[tokio::test(start_paused = true)]
async fn a_damaged_row_of_the_list_of_endpoints_hides_no_later_one() {
    use domain::BusinessId;
    use store::keys::installation_kind;
    use store::{Batch, keys};
    let mut world = World::new().await;
    let (_, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    assert_eq!(receiver.requests().len(), 1);
    let mut batch = Batch::default();
    let list = keys::of_kind(BusinessId::INSTALLATION, installation_kind::ENDPOINT_INDEX);
    for damaged in [&[0][..], &[0; 16], &[0; 31], &[0; 33]] {
        batch.put(list.from.with(damaged), Vec::new());
    }
    world.business.shared().store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
    world.business.shared().store.wait_durable(BusinessId::INSTALLATION).await.unwrap();
    world.stand_still(60).await;
    settle().await;
    assert_eq!(receiver.requests().len(), 2, "the due delivery must be attempted");
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_jumps_neither_fires_nor_freezes_a_schedule() {
    for hours in [-1_000, -1, 1, 1_000] {
        let world = World::new().await;
        let (_, receiver) = world.endpoint("a", 1, NO).await;
        world.happen("A").await;
        sleep(Duration::from_secs(200)).await;
        assert_eq!(receiver.requests().len(), 3, "the attempts are due at 0 s, 30 s and 150 s");
        world.clock.is_off(hours);
        sleep(Duration::from_secs(540)).await;
        assert_eq!(receiver.requests().len(), 3, "the fourth attempt is due at 750 s");
        sleep(Duration::from_secs(20)).await;
        assert_eq!(receiver.requests().len(), 4, "a jump of {hours} hours must not delay the fourth attempt");
        world.happen("B").await;
        settle().await;
        assert_eq!(receiver.requests().len(), 5, "a new event must be sent immediately");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dead_endpoint_delays_no_other() {
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
async fn a_delivery_without_its_event_affects_no_other() {
    use store::{Batch, keys};
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    let lost = world.log(id).await[0].event_id;
    let mut batch = Batch::default();
    batch.delete(keys::event(world.business.id(), lost));
    world.business.shared().store.submit(world.business.id(), batch, Box::new(|| ()));
    sleep(Duration::from_secs(31)).await;
    world.receiver("a.example.com", 2, OK);
    world.happen("B").await;
    settle().await;
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[1].status), (DeliveryStatus::Delivered, DeliveryStatus::Failed));
    assert_eq!((log[1].attempts_made, log[1].next_attempt_at), (1, None));
    assert_eq!(log[1].last_error, Some(AttemptFailure::EventGone.into()));
    assert_eq!(receiver.requests().len(), 1);
    assert_eq!(world.status(id).await.0, WebhookStatus::Enabled);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_with_a_long_log_is_deleted_in_few_steps() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.set(id, WebhookStatus::Disabled).await;
    happen_often(&world, 3_000).await;
    let before = world.engine.commit_stats().changes;
    world.disk.set_sync_delay(Duration::from_millis(5));
    world.business.change(Request::by(Actor::Operator), DeleteWebhook { id }).await.unwrap();
    sleep(Duration::from_secs(30)).await;
    let steps = world.engine.commit_stats().changes - before;
    assert!((12..=16).contains(&steps), "{steps} changes");
    let left = world
        .business
        .shared()
        .store
        .scan(&store::keys::deliveries(world.business.id(), id), store::Order::Ascending);
    assert_eq!(left.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn due_times_written_while_the_clock_was_ahead_are_corrected() {
    for hours in [5, 20] {
        let mut world = World::new().await;
        let (_, receiver) = world.endpoint("a", 1, NO).await;
        world.clock.is_off(hours);
        world.restart().await;
        world.happen("A").await;
        sleep(Duration::from_secs(200)).await;
        assert_eq!(receiver.requests().len(), 3, "the attempts are due at 0 s, 30 s and 150 s");
        world.clock.is_off(0);
        sleep(Duration::from_secs(720)).await; // by then the jump has lasted long enough to be believed
        assert_eq!(receiver.requests().len(), 4, "the fourth attempt is due at 750 s of steady time");
        world.restart().await;
        sleep(Duration::from_secs(1_790)).await;
        assert_eq!(receiver.requests().len(), 4, "the fifth attempt must not be due yet");
        sleep(Duration::from_secs(20)).await;
        assert_eq!(receiver.requests().len(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn events_resent_after_disabling_do_not_wait_for_the_earlier_attempt() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    let hanging = world.receiver_that("a.example.com", 1, "", Then::Hangs);
    world.happen("A").await;
    settle().await;
    assert_eq!(hanging.requests().len(), 1);
    let event = world.log(id).await[0].event_id;
    let refused = world.business.resend(id, event).await;
    assert!(
        matches!(refused, Err(EngineError::Refused(Refusal::Conflict { .. }))),
        "the delivery is pending"
    );
    world.set(id, WebhookStatus::Disabled).await;
    world.set(id, WebhookStatus::Enabled).await;
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Missed);
    let revived = world.receiver("a.example.com", 2, OK);
    assert_eq!(world.business.resend_missed(id).await.unwrap(), 1);
    settle().await;
    assert_eq!(revived.requests().len(), 1);
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[0].attempts_made), (DeliveryStatus::Delivered, 1));
}

#[tokio::test(start_paused = true)]
async fn an_event_resent_during_its_attempt_is_also_sent_after_a_restart() {
    let mut world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    world.receiver_that("a.example.com", 1, "", Then::Hangs);
    world.happen("A").await;
    settle().await;
    let event = world.log(id).await[0].event_id;
    world.set(id, WebhookStatus::Disabled).await;
    world.set(id, WebhookStatus::Enabled).await;
    world.business.resend(id, event).await.unwrap();
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Pending);
    let revived = world.receiver("a.example.com", 2, OK);
    world.restart().await;
    settle().await;
    assert_eq!(revived.requests().len(), 1);
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Delivered);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_with_a_known_outcome_is_not_repeated() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    // The response body never ends, and the outcome is recorded only after the body is read or has timed out.
    let slow = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n";
    world.receiver_that("a.example.com", 1, slow, Then::Hangs);
    world.happen("A").await;
    settle().await;
    world.set(id, WebhookStatus::Disabled).await;
    world.set(id, WebhookStatus::Enabled).await;
    let other = world.receiver("a.example.com", 2, OK);
    let before = Instant::now();
    assert_eq!(world.business.resend_missed(id).await.unwrap(), 0);
    assert!(
        before.elapsed() > Duration::from_millis(400),
        "the request must wait for the attempts in progress"
    );
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(other.requests().len(), 0);
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Delivered);
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_one_attempt_shows_whether_a_failing_endpoint_responds() {
    let mut world = World::new().await;
    let (_, receiver) = world.endpoint("a", 1, NO).await;
    happen_often(&world, 20).await;
    settle().await;
    assert_eq!(receiver.requests().len(), 20);
    let hanging = world.receiver_that("a.example.com", 1, "", Then::Hangs);
    world.stand_still(3_600).await;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(hanging.requests().len(), 1);
    let revived = world.receiver("a.example.com", 2, OK);
    sleep(Duration::from_secs(30)).await;
    assert_eq!(revived.requests().len(), 19, "all other deliveries must follow");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_waited_for_the_disk_is_signed_with_the_newly_acknowledged_secret() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    sleep(Duration::from_secs(29)).await;
    assert_eq!(receiver.requests().len(), 1);
    // The disk is busy with the sync of another change, so the new secret must wait for the next sync. During this
    // wait, the retry becomes due.
    world.disk.hold_syncs();
    let create = CreateContact { details: ContactDetails { locale: Some(Locale::Fr), ..named("B") } };
    let business = world.business.clone();
    let created = tokio::spawn(async move { business.change(Request::by(Actor::Operator), create).await });
    settle().await;
    let business = world.business.clone();
    let rotated = tokio::spawn(async move { business.rotate_secret(id, Request::by(Actor::Operator)).await });
    sleep(Duration::from_secs(5)).await;
    assert_eq!(receiver.requests().len(), 1);
    world.disk.release_syncs();
    created.await.unwrap().unwrap();
    rotated.await.unwrap().unwrap();
    settle().await;
    let secret = world.business.webhook(id).await.unwrap().unwrap().secret;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 3, "the retry and the other event must have arrived");
    for request in &requests[1..] {
        let (id, at) = (header(request, "webhook-id"), header(request, "webhook-timestamp"));
        let signed = sign(secret.bytes(), id, at.parse().unwrap(), body(request).as_bytes());
        assert_eq!(header(request, "webhook-signature"), signed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_shortage_on_this_machine_uses_up_no_attempt() {
    const TOO_MANY_OPEN_FILES: i32 = 24;
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.net.put("93.184.216.1:443", Place::Error(TOO_MANY_OPEN_FILES));
    world.happen("A").await;
    sleep(Duration::from_secs(3_600)).await;
    let log = world.log(id).await;
    assert_eq!(
        (log[0].status, log[0].attempts_made, &log[0].last_error),
        (DeliveryStatus::Pending, 0, &None)
    );
    let receiver = world.receiver("a.example.com", 1, OK);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(receiver.requests().len(), 1);
    assert_eq!(world.log(id).await[0].attempts_made, 1);
}
