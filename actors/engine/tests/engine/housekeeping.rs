//! The daily background job that checks the unused businesses.

use domain::{Actor, BookingMode, BusinessId, Locale, WeeklyBreaks, WeeklyHours};
use engine::{Engine, NewBusiness};
use store::records::RoundRecord;
use store::{Order, keys};

use crate::harness::{Shop, World, by_operator, everything_else_runs, once, pass, text};

const DAY_MINUTES: u64 = 24 * 60;

async fn unused(engine: &Engine, count: u64) {
    for _ in 0..count {
        let new = NewBusiness {
            name: text("Shop"),
            zone: chrono_tz::UTC,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::default(),
            breaks: WeeklyBreaks::default(),
            phone_region: "US".into(),
        };
        engine.create_business(new, Actor::Operator).await.unwrap();
    }
}

fn looked_at(world: &World) -> u64 {
    let (idle, started) = world.engine.unused_businesses_looked_at();
    idle + started
}

/// The job checks 80 businesses a second, so a million businesses take less than four hours.
#[tokio::test(start_paused = true)]
async fn the_daily_job_reads_80_businesses_a_second_without_starting_actors() {
    let world = World::new(40).await;
    unused(&world.engine, 6_000).await;
    pass(1).await;
    everything_else_runs().await; // the job has begun
    let before = looked_at(&world);
    pass(1).await;
    assert_eq!(looked_at(&world) - before, 4_800);
    pass(DAY_MINUTES - 10).await;
    assert_eq!(
        world.engine.unused_businesses_looked_at(),
        (6_000, 0),
        "each business must be checked once a day"
    );
    assert_eq!(world.engine.running_businesses(), 0);
    pass(15).await;
    assert_eq!(world.engine.unused_businesses_looked_at(), (12_000, 0));
}

#[tokio::test(start_paused = true)]
async fn the_daily_job_begins_on_time_although_the_machine_was_suspended() {
    let world = World::new(46).await;
    unused(&world.engine, 40).await;
    pass(30).await;
    let before = looked_at(&world);
    world.clock.suspend(chrono::TimeDelta::hours(24));
    pass(3).await;
    assert_eq!(looked_at(&world) - before, 40);
}

#[tokio::test(start_paused = true)]
async fn a_business_with_background_work_is_started_and_stopped_and_others_are_not() {
    let world = World::new(41).await;
    unused(&world.engine, 40).await;
    let shop = world.shop(0).await;
    unused(&world.engine, 40).await;
    world.at(&shop).change(once(1, 1), rename()).await.unwrap();
    pass(30).await;
    let (_, before) = world.engine.unused_businesses_looked_at();
    for _ in 0..4 {
        pass(DAY_MINUTES).await;
        assert_eq!(world.engine.running_businesses(), 0, "every started business must be stopped again");
    }
    let (idle, started) = world.engine.unused_businesses_looked_at();
    assert_eq!(started - before, 1, "the business must start once, for its expired key");
    assert!(idle >= 4 * 80, "{idle}");
    world.engine.clone().close().await.unwrap();
    let left = world.store().scan(&keys::of_kind(shop.id, keys::kind::IDEMPOTENCY), Order::Ascending).count();
    assert_eq!(left, 0);
}

fn rename() -> engine::business::commands::profile::PatchBusiness {
    engine::business::commands::profile::PatchBusiness::suspending(true)
}

#[tokio::test(start_paused = true)]
async fn the_daily_job_continues_at_its_position_after_a_restart() {
    for crashes in [false, true] {
        let mut world = World::new(42).await;
        unused(&world.engine, 12_000).await;
        pass(2).await;
        everything_else_runs().await;
        let before = looked_at(&world);
        assert!((4_000..12_000).contains(&before), "{before}");
        if crashes {
            world.crash(0).await;
        } else {
            world.restart().await;
        }
        assert_eq!(looked_at(&world), 0);
        pass(DAY_MINUTES / 2).await;
        let after = looked_at(&world);
        // The progress of the last minute is not stored, so up to 4,900 businesses are checked twice.
        assert!(
            (12_000..=12_000 + 4_900).contains(&(before + after)),
            "{before} and {after} businesses were checked"
        );
        world.restart().await;
        pass(DAY_MINUTES / 4).await;
        assert_eq!(looked_at(&world), 0, "the daily job must be finished");
    }
}

#[tokio::test(start_paused = true)]
async fn undecodable_progress_and_a_damaged_list_do_not_stop_the_daily_job() {
    let mut world = World::new(43).await;
    unused(&world.engine, 100).await;
    let shop: Shop = world.shop(0).await;
    world.at(&shop).change(by_operator(), rename()).await.unwrap();
    let list = keys::of_kind(BusinessId::INSTALLATION, keys::installation_kind::BUSINESS_INDEX);
    world.plant(list.from, b"").await;
    world.plant(keys::round(), b"\xee").await;
    pass(30).await;
    assert_eq!(looked_at(&world), 101);
    world.engine.clone().close().await.unwrap();
    let kept = world.store().get::<RoundRecord>(&keys::round()).unwrap().unwrap();
    assert_eq!((kept.after, kept.is_through), (Some(shop.id), true));
}
