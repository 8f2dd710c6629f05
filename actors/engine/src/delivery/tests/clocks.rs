//! Effects of the wall clock on deliveries. Receivers get the time of the wall clock, the log shows the believed time,
//! and the retention of 30 days uses both clocks.

use store::{Order, keys};

use super::*;

/// How many deliveries and how many events are stored.
fn kept(world: &World, endpoint: WebhookId) -> (usize, usize) {
    let (store, of) = (&world.business.shared().store, world.business.id());
    let count = |range| store.scan(&range, Order::Ascending).count();
    (count(keys::deliveries(of, endpoint)), count(keys::of_kind(of, keys::kind::EVENT)))
}

async fn days(count: u64) {
    sleep(Duration::from_secs(count * 24 * 3_600)).await;
}

#[tokio::test(start_paused = true)]
async fn receivers_see_the_wall_clock_and_the_log_shows_the_corrected_time() {
    for hours in [20_000, -20_000] {
        let world = World::new().await;
        let (id, receiver) = world.endpoint("a", 1, OK).await;
        world.clock.is_off(hours);
        world.happen("A").await;
        settle().await;
        let truth = world.clock.now() - chrono::TimeDelta::hours(hours);
        let requests = receiver.requests();
        let sent: i64 = header(&requests[0], "webhook-timestamp").parse().unwrap();
        assert!((sent - world.clock.now().millis() / 1_000).abs() <= 1);
        let row = &world.log(id).await[0];
        for stamp in [Some(row.created_at), row.last_attempt_at] {
            assert!((stamp.unwrap() - truth).num_seconds().abs() <= 1, "{stamp:?} at {truth}");
        }
        let envelope: Value = serde_json::from_str(body(&requests[0])).unwrap();
        assert_eq!(envelope["created_at"], row.created_at.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn deliveries_hidden_from_the_log_are_deleted_when_both_clocks_permit_it() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.happen("A").await;
    days(29).await;
    assert_eq!((kept(&world, id), world.log(id).await.len()), ((1, 1), 1));
    // The delivery is now one year old by the wall clock, so the log hides it. By the steady clock it is
    // younger than 30 days, so it is kept.
    world.clock.is_off(365 * 24);
    sleep(Duration::from_secs(2 * 3_600)).await;
    assert_eq!((kept(&world, id), world.log(id).await.len()), ((1, 1), 0));
    days(2).await;
    assert_eq!(kept(&world, id), (0, 1), "the event must be kept for two more days");
    days(2).await;
    assert_eq!(kept(&world, id), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn deliveries_shown_in_the_log_are_kept_after_thirty_days_of_steady_time() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.happen("A").await;
    days(29).await;
    // The wall clock is set back by ten days. The delivery is now 19 days old by the wall clock and 29 days old by the
    // steady clock.
    world.clock.is_off(-10 * 24);
    days(6).await;
    assert_eq!((kept(&world, id), world.log(id).await.len()), ((1, 1), 1));
    days(9).await;
    assert_eq!((kept(&world, id), world.log(id).await.len()), ((0, 0), 0));
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_was_once_years_ahead_stops_no_deletion() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.clock.is_off(20_000);
    sleep(Duration::from_secs(15 * 60)).await;
    world.happen("A").await;
    settle().await;
    world.clock.is_off(0);
    sleep(Duration::from_secs(15 * 60)).await;
    // Timestamps never decrease, so the new event also gets a timestamp that is two years ahead.
    world.happen("B").await;
    settle().await;
    assert!(world.log(id).await.iter().all(|row| row.created_at > world.clock.now()));
    days(29).await;
    assert_eq!(kept(&world, id), (2, 2));
    days(8).await;
    assert_eq!(kept(&world, id), (0, 0));
    // A new delivery must still be kept for 30 days.
    world.happen("C").await;
    days(28).await;
    assert_eq!(kept(&world, id), (1, 1));
}
