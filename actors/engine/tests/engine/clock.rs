//! Jumps of the wall clock in both directions. The service ignores a short jump and follows a lasting jump.
//! No time is booked twice, timestamps never decrease, and retention periods keep their length.

use chrono::TimeDelta;
use domain::Timestamp;
use domain::availability::{Slot, Terms};
use domain::booking::{MoveRequest, Party};
use engine::Limits;
use engine::business::AppointmentFilter;
use engine::business::commands::appointments::{Cancel, Reschedule};
use store::keys;
use store::records::ClockRecord;

use crate::harness::{
    Shop, World, appointment_of, at, by_operator, everything_else_runs, first_page, hold, is_taken, json,
    pass, walk,
};

async fn open_on(world: &World, shop: &Shop, day: i64) -> Vec<Slot> {
    let date = at(day, 0).utc().date_naive();
    world.at(shop).availability(shop.service, None, (date, date), Terms::Integration).await.unwrap()
}

/// Reads the time once a minute for 12 minutes. If the time is read at least every three minutes, the service follows a
/// jump of the wall clock after ten minutes. While the disk hangs, the supervisor does not read the time, so the test
/// reads it.
async fn read_each_minute(world: &World) {
    for _ in 0..12 {
        pass(1).await;
        world.engine.now();
    }
}

fn lists(open: &[Slot], starts_at: Timestamp) -> bool {
    open.iter().any(|slot| slot.starts_at == starts_at)
}

#[tokio::test(start_paused = true)]
async fn appointments_that_the_actor_forgot_in_a_jump_still_block_their_time() {
    let world = World::new(1).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    for day in 0..30 {
        handle.change(by_operator(), shop.booking(at(day, 10), 1)).await.unwrap();
    }
    for (forward, back) in [(60, 60), (200, 199), (10, 11)] {
        world.jump_and_hold(&shop, TimeDelta::days(forward)).await;
        let now = world.engine.now();
        assert_eq!(now, world.ports.clock.now());
        let later = Timestamp::from_millis(now.millis() - now.millis() % 86_400_000) + TimeDelta::days(40);
        handle.change(by_operator(), shop.booking(later, 2)).await.unwrap();
        assert!(is_taken(&handle.change(by_operator(), shop.booking(later, 3)).await));
        world.jump_and_hold(&shop, TimeDelta::days(-back)).await;
        for day in 2..30 {
            assert!(is_taken(&handle.change(by_operator(), shop.booking(at(day, 10), 3)).await), "day {day}");
            let open = open_on(&world, &shop, day).await;
            assert!(!lists(&open, at(day, 10)) && lists(&open, at(day, 11)), "day {day}");
        }
        world.jump_and_hold(&shop, TimeDelta::days(back - forward)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn unsynced_appointments_are_reloaded_with_their_pending_changes() {
    let world = World::new(2).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let mut ids = Vec::new();
    for hour in [8, 12, 16] {
        let booked = handle.change(by_operator(), shop.booking(at(3, hour), 1)).await.unwrap();
        ids.push(appointment_of(&booked));
    }
    world.disk.hold_syncs();
    let party = Party::TEAM;
    let request = MoveRequest { starts_at: at(3, 10), staff_id: None, party, duration: None };
    let mut pending = vec![world.ask(&shop, shop.booking(at(5, 9), 2)).await];
    // While the first change is being synced, the store only queues these changes.
    pending.push(world.ask(&shop, Reschedule { id: ids[0], request }).await);
    pending.push(world.ask(&shop, Cancel { id: ids[1] }).await);
    pending.push(world.ask(&shop, shop.booking(at(3, 14), 2)).await);
    world.clock.jump(TimeDelta::days(60));
    read_each_minute(&world).await;
    let far = world.ask(&shop, shop.booking(at(70, 9), 3)).await; // the actor discards past days
    world.clock.jump(TimeDelta::days(-60));
    read_each_minute(&world).await;
    let free: Vec<_> = [8, 12].map(|hour| shop.booking(at(3, hour), 4)).into();
    let taken: Vec<_> = [10, 14, 16].map(|hour| shop.booking(at(3, hour), 4)).into();
    let (mut booked, mut refused) = (Vec::new(), Vec::new());
    for booking in taken {
        refused.push(world.ask(&shop, booking).await);
    }
    for booking in free {
        booked.push(world.ask(&shop, booking).await);
    }
    world.disk.release_syncs();
    for answer in pending.into_iter().chain([far]).chain(booked) {
        answer.await.unwrap().unwrap();
    }
    for answer in refused {
        assert!(is_taken(&answer.await.unwrap()));
    }
}

#[tokio::test(start_paused = true)]
async fn timestamps_never_decrease_and_a_restart_repeats_none() {
    let mut world = World::new(3).await;
    let shop = world.shop(1).await;
    let mut newest = Timestamp::MIN.to_string();
    for step in 0..8 {
        let day = 20 + step;
        let contact = usize::try_from(step).unwrap();
        let booked = world.at(&shop).change(by_operator(), shop.booking(at(day, 9), contact)).await.unwrap();
        let stamp = json(&booked)["updated_at"].as_str().unwrap().to_owned();
        assert!(newest < stamp, "{newest} must be earlier than {stamp}");
        newest = stamp;
        // A list ordered by `updated_at` is read before the clock jumps back. No later change may get a timestamp
        // before the time of this read.
        let all = AppointmentFilter { updated_since: Some(Timestamp::MIN), ..AppointmentFilter::default() };
        let shown = world.at(&shop).appointments(&all, &first_page()).await.unwrap();
        assert_eq!(shown.items.last().unwrap().updated_at.to_string(), newest);
        world.clock.jump(TimeDelta::hours(-6));
        if step % 2 == 0 {
            world.restart().await;
        }
    }
    let handle = world.at(&shop);
    let log = walk(3, async |page| handle.audit(&page).await).await;
    assert!(log.is_sorted_by(|newer, older| newer.at >= older.at && newer.id > older.id));
}

#[tokio::test(start_paused = true)]
async fn businesses_are_listed_in_the_order_of_their_creation_whatever_the_clock_did() {
    let mut world = World::new(4).await;
    let mut created = Vec::new();
    for _ in 0..5 {
        created.push(world.shop(0).await.id);
        world.clock.jump(TimeDelta::days(-30));
        world.restart().await;
    }
    let engine = world.engine.clone();
    let listed = walk(2, async |page| engine.businesses(&page).await).await;
    assert_eq!(listed.iter().map(|business| business.id).collect::<Vec<_>>(), created);
}

/// Books a time on this day and returns the timestamp of the booking.
async fn stamp(world: &World, shop: &Shop, day: i64) -> Timestamp {
    let contact = usize::try_from(day).unwrap();
    let booked = world.at(shop).change(by_operator(), shop.booking(at(day, 9), contact)).await.unwrap();
    Timestamp::parse(json(&booked)["updated_at"].as_str().unwrap()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_short_jump_of_the_clock_has_no_effect() {
    let world = World::new(5).await;
    let shop = world.shop(1).await;
    let mut day = 1_100;
    for years in [3, -3] {
        let jump = TimeDelta::days(365 * years);
        for minutes in [0, 1, 9] {
            world.clock.jump(jump);
            pass(minutes).await;
            day += 1;
            let truth = world.ports.clock.now() - jump;
            let stamped = stamp(&world, &shop, day).await;
            assert!(
                (stamped - truth).num_seconds().abs() < 2,
                "with a clock that is {years} years off: {stamped} instead of {truth}"
            );
            // The corrected clock also decides which times are in the past.
            let open = open_on(&world, &shop, 0).await;
            assert!(open.iter().all(|slot| slot.starts_at > truth) && !open.is_empty());
            world.clock.jump(-jump);
            world.engine.now(); // the service reads the clock and notices the jump back
            pass(1).await;
        }
    }
    day += 1;
    let after = stamp(&world, &shop, day).await;
    assert!((after - world.ports.clock.now()).num_seconds().abs() < 2, "{after}");
}

#[tokio::test(start_paused = true)]
async fn a_lasting_jump_is_followed_without_any_request() {
    let world = World::new(6).await;
    let shop = world.shop(1).await;
    for (jump, day) in [(TimeDelta::days(400), 900), (TimeDelta::hours(1), 901)] {
        world.clock.jump(jump);
        assert!(world.engine.clock_doubted());
        let before = stamp(&world, &shop, day).await;
        assert!(before < world.ports.clock.now() - jump + TimeDelta::minutes(1), "{before}");
        hold().await;
        assert!(!world.engine.clock_doubted());
        let after = stamp(&world, &shop, day + 10).await;
        assert!((world.ports.clock.now() - after).num_seconds().abs() < 2, "{after}");
    }
    // The service also follows the jump back, but the timestamps of changes never decrease.
    let newest = stamp(&world, &shop, 950).await;
    world.jump_and_hold(&shop, TimeDelta::days(-400)).await;
    assert!(world.engine.now() < newest);
    assert!(stamp(&world, &shop, 951).await >= newest);
}

#[tokio::test(start_paused = true)]
async fn a_clock_correction_of_less_than_a_minute_is_followed_immediately() {
    let world = World::new(7).await;
    for seconds in [60, -60, 59, 1] {
        world.clock.jump(TimeDelta::seconds(seconds));
        assert_eq!(world.engine.now(), world.ports.clock.now());
        assert!(!world.engine.clock_doubted());
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_change_with_a_wrong_clock_leaves_its_timestamp_for_the_next_start() {
    let mut world = World::new(8).await;
    let shop = world.shop(1).await;
    world.engine.clone().close().await.unwrap();
    world.clock.jump(TimeDelta::days(1_000));
    world.open_again().await;
    let wrong = stamp(&world, &shop, 1_001).await;
    everything_else_runs().await;
    world.disk.crash(0);
    world.end_of_life().await;
    let kept: ClockRecord = world.store().get(&keys::clock()).unwrap().unwrap();
    assert_eq!(kept.newest, wrong);
}

/// Stops the engine, moves the wall clock by `off`, restarts the machine, and starts the engine.
async fn start_off_by(world: &mut World, off: TimeDelta) {
    world.engine.clone().close().await.unwrap();
    world.clock.jump(off);
    world.clock.reboot();
    world.open_again().await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_right_a_second_after_the_start_is_believed_immediately() {
    for stopped in [TimeDelta::hours(5), TimeDelta::days(400)] {
        let mut world = World::new(9).await;
        let shop = world.shop(1).await;
        stamp(&world, &shop, 30).await;
        let kept = world.engine.now();
        let off = TimeDelta::days(10_000);
        start_off_by(&mut world, stopped - off).await;
        assert!(world.engine.clock_doubted());
        assert!((world.engine.now() - kept).num_seconds().abs() < 2, "{}", world.engine.now());
        let open = open_on(&world, &shop, 0).await;
        assert!(open.iter().all(|slot| slot.starts_at > kept) && !open.is_empty());
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        world.clock.jump(off);
        let truth = world.ports.clock.now();
        assert_eq!(world.engine.now(), truth);
        assert!(!world.engine.clock_doubted());
        let open = open_on(&world, &shop, 0).await;
        assert!(open.iter().all(|slot| slot.starts_at > truth), "no past time may be listed");
        let past = truth - TimeDelta::minutes(10);
        let past = Timestamp::from_millis(past.millis() - past.millis() % 1_800_000);
        assert!(world.at(&shop).change(by_operator(), shop.booking(past, 7)).await.is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_early_from_the_start_is_never_believed() {
    let mut world = World::new(10).await;
    let shop = world.shop(1).await;
    stamp(&world, &shop, 30).await;
    let kept = world.engine.now();
    start_off_by(&mut world, TimeDelta::days(-90)).await;
    for hour in 1..=3 {
        pass(60).await;
        assert!((world.engine.now() - kept - TimeDelta::hours(hour)).num_seconds().abs() < 2);
    }
    // At the next start, the wall clock is still 90 days slow. The service must continue from its own time before
    // the restart.
    start_off_by(&mut world, TimeDelta::zero()).await;
    assert!((world.engine.now() - kept - TimeDelta::hours(3)).num_seconds().abs() < 2);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_stored_time_is_repaired() {
    let mut world = World::new(11).await;
    let shop = world.shop(1).await;
    world.jump_and_hold(&shop, TimeDelta::days(1_000)).await;
    start_off_by(&mut world, TimeDelta::days(-1_000)).await;
    assert!(world.engine.now() > world.ports.clock.now() + TimeDelta::days(999));
    world.engine.clone().close().await.unwrap();
    let (store, present) = (world.store(), world.ports.clock.now());
    assert_eq!(engine::repair::repair_stamps(&store, present, false).await.unwrap().others, 1);
    store.close().await.unwrap();
    world.open_again().await;
    assert_eq!(world.engine.now(), world.ports.clock.now());
    assert!((stamp(&world, &shop, 30).await - present).num_seconds() < 2);
}

/// Reads a list ordered by `updated_at`. Returns the service's time after the read.
async fn polled(world: &World, shop: &Shop) -> Timestamp {
    let all = AppointmentFilter { updated_since: Some(Timestamp::MIN), ..AppointmentFilter::default() };
    world.at(shop).appointments(&all, &first_page()).await.unwrap();
    world.engine.now()
}

#[tokio::test(start_paused = true)]
async fn in_the_same_boot_no_timestamp_is_earlier_than_a_list_of_an_earlier_run() {
    for (step, back) in [(0, 0), (0, -6 * 3_600), (55, -50), (55, -6 * 3_600)] {
        let mut world = World::new(12).await;
        let shop = world.shop(1).await;
        stamp(&world, &shop, 30).await;
        pass(2).await;
        tokio::time::sleep(std::time::Duration::from_secs(40)).await; // 40 s have passed since the time was last stored
        world.clock.jump(TimeDelta::seconds(step)); // the service follows a jump of this size immediately
        let listed = polled(&world, &shop).await;
        world.clock.jump(TimeDelta::seconds(back));
        world.crash(0).await;
        let stamped = stamp(&world, &shop, 31).await;
        assert!(
            stamped >= listed,
            "{stamped} is earlier than {listed}, after the clock moved back by only {back} s"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn after_another_boot_no_timestamp_is_earlier_than_the_stored_time() {
    let mut world = World::new(13).await;
    let shop = world.shop(1).await;
    stamp(&world, &shop, 30).await;
    pass(5).await;
    let listed = polled(&world, &shop).await;
    // An orderly stop stores the current time, so no timestamp after the restart is earlier than the time at which the
    // list was read.
    start_off_by(&mut world, TimeDelta::days(-1)).await;
    let stamped = stamp(&world, &shop, 31).await;
    assert!(stamped >= listed, "{stamped} is earlier than {listed}");
    // The service stores the time once a minute. After a crash and another boot, it continues from the stored time,
    // which may be about one minute old. So a timestamp after the crash may be up to about one minute earlier than a
    // list that was read before the crash.
    tokio::time::sleep(std::time::Duration::from_secs(40)).await;
    let listed = polled(&world, &shop).await;
    world.clock.jump(TimeDelta::days(-1));
    world.clock.reboot();
    world.crash(0).await;
    let stamped = stamp(&world, &shop, 32).await;
    assert!(stamped > listed - TimeDelta::seconds(65), "{stamped} is more than 65 s earlier than {listed}");
}

#[tokio::test(start_paused = true)]
async fn no_timestamp_is_earlier_than_a_list_that_a_stopped_actor_returned() {
    let mut world = World::new(14).await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    world.limits = Limits { business_actors: 1, ..Limits::default() };
    world.restart().await;
    stamp(&world, &shop, 30).await;
    pass(5).await;
    let listed = polled(&world, &shop).await;
    stamp(&world, &other, 30).await;
    everything_else_runs().await;
    assert_eq!(world.engine.running_businesses(), 1, "the actor of the first shop must be stopped");
    world.clock.jump(TimeDelta::seconds(-50)); // the service follows a jump of this size immediately
    let stamped = stamp(&world, &shop, 31).await;
    assert!(stamped >= listed, "{stamped} is earlier than {listed}");
}
