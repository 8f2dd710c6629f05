//! A request with an idempotency key is carried out once.

use chrono::TimeDelta;
use domain::Refusal;
use engine::EngineError;
use engine::business::commands::appointments::Cancel;
use engine::business::commands::catalog::CreateService;
use store::records::IdempotencyRecord;
use store::{Batch, Key, Order, Record, keys};

use crate::harness::{World, appointment_of, at, body, by_operator, hold, is_taken, once, pass, text};

fn service() -> CreateService {
    CreateService::lasting(text("Wash"), 30)
}

#[tokio::test(start_paused = true)]
async fn a_repeated_request_gets_the_first_response() {
    let mut world = World::new(1).await;
    let shop = world.shop(1).await;
    world.disk.hold_syncs();
    let first = world.ask_as(&shop, once(1, 1), shop.booking(at(1, 9), 1)).await;
    let meanwhile = world.ask_as(&shop, once(1, 1), shop.booking(at(1, 9), 1)).await;
    let other = world.ask_as(&shop, once(1, 2), shop.booking(at(1, 10), 1)).await;
    world.disk.release_syncs();
    let first = first.await.unwrap().unwrap();
    assert!(!first.replayed);
    let meanwhile = meanwhile.await.unwrap();
    assert!(matches!(meanwhile, Err(EngineError::Refused(Refusal::IdempotencyInProgress))));
    let other = other.await.unwrap();
    assert!(matches!(other, Err(EngineError::Refused(Refusal::IdempotencyKeyReused))));

    for step in ["running", "put away", "restarted"] {
        match step {
            "put away" => pass(12).await,
            "restarted" => world.restart().await,
            _ => {}
        }
        let handle = world.at(&shop);
        let again = handle.change(once(1, 1), shop.booking(at(1, 9), 1)).await.unwrap();
        assert!(again.replayed, "{step}");
        assert_eq!(body(&again), body(&first), "{step}");
        let other = handle.change(once(1, 2), shop.booking(at(1, 10), 1)).await;
        assert!(matches!(other, Err(EngineError::Refused(Refusal::IdempotencyKeyReused))), "{step}");
    }
    world.at(&shop).change(once(2, 1), shop.booking(at(1, 10), 1)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_a_request_is_replayed_only_if_its_change_exists() {
    for keep in [0, 1] {
        let mut world = World::new(2).await;
        let shop = world.shop(1).await;
        world.disk.hold_syncs();
        let lost = world.ask_as(&shop, once(1, 1), shop.booking(at(1, 9), 1)).await;
        world.crash(keep).await;
        lost.await.unwrap().unwrap_err();
        let again = world.at(&shop).change(once(1, 1), shop.booking(at(1, 9), 1)).await.unwrap();
        assert_eq!(again.replayed, keep == 1);
        let taken = world.at(&shop).change(once(2, 1), shop.booking(at(1, 9), 2)).await;
        assert!(is_taken(&taken));
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_is_kept_for_24_hours_and_midnight_does_not_matter() {
    let world = World::new(3).await;
    let shop = world.shop(1).await;
    for start in [0, 15 * 60 + 59, 10 * 60] {
        pass(start).await;
        let key = u8::try_from(start % 251).unwrap();
        let handle = world.at(&shop);
        let first = handle.change(once(key, 1), service()).await.unwrap();
        pass(24 * 60 - 1).await;
        let again = handle.change(once(key, 1), service()).await.unwrap();
        assert!(again.replayed);
        assert_eq!(body(&again), body(&first));
        pass(1).await;
        let anew = handle.change(once(key, 1), service()).await.unwrap();
        assert!(!anew.replayed);
        assert_ne!(body(&anew), body(&first));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_is_not_remembered_and_an_unchanged_one_is() {
    let world = World::new(4).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let in_the_way = handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let id = appointment_of(&in_the_way);
    assert!(is_taken(&handle.change(once(1, 1), shop.booking(at(1, 9), 2)).await));
    handle.change(once(2, 1), Cancel { id }).await.unwrap();
    assert!(!handle.change(once(1, 1), shop.booking(at(1, 9), 2)).await.unwrap().replayed);
    let unchanged = handle.change(once(3, 1), Cancel { id }).await.unwrap();
    let again = handle.change(once(3, 1), Cancel { id }).await.unwrap();
    assert!(!unchanged.replayed && again.replayed);
    assert_eq!(body(&again), body(&unchanged));
}

#[tokio::test(start_paused = true)]
async fn a_key_of_a_response_without_a_change_is_known_after_the_clock_went_back() {
    let mut world = World::new(6).await;
    let shop = world.shop(1).await;
    let booked = world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let id = appointment_of(&booked);
    world.at(&shop).change(by_operator(), Cancel { id }).await.unwrap();
    pass(48 * 60).await;
    let unchanged = world.at(&shop).change(once(1, 1), Cancel { id }).await.unwrap();
    world.restart().await;
    world.clock.jump(TimeDelta::days(-7));
    let again = world.at(&shop).change(once(1, 1), Cancel { id }).await.unwrap();
    assert!(again.replayed);
    assert_eq!(body(&again), body(&unchanged));
}

#[tokio::test(start_paused = true)]
async fn expired_keys_are_deleted_while_the_business_is_in_use() {
    let mut world = World::new(5).await;
    let shop = world.shop(1).await;
    for number in 0..3 {
        world.at(&shop).change(once(number, 1), service()).await.unwrap();
        pass(24 * 60).await;
    }
    // Once a minute, the jobs of each running business delete its expired keys. The requests keep the business running.
    for _ in 0..3 {
        world.at(&shop).change(by_operator(), service()).await.unwrap();
        pass(1).await;
    }
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let range = keys::of_kind(shop.id, keys::kind::IDEMPOTENCY);
    let days = store.scan(&range, Order::Ascending).count();
    assert_eq!(days, 1, "only the row of the previous day may be left");
    store.close().await.unwrap();
    world.open_again().await;
    assert!(!world.at(&shop).change(once(0, 1), service()).await.unwrap().replayed);
}

/// The number of unused businesses. It exceeds the number of businesses that one step of the daily round checks, so the
/// round takes several steps.
const UNUSED: u64 = 25;

#[tokio::test(start_paused = true)]
async fn expired_keys_are_deleted_without_another_request() {
    let world = World::new(9).await;
    let mut shops = Vec::new();
    for _ in 0..UNUSED {
        let shop = world.shop(0).await;
        world.at(&shop).change(once(1, 1), service()).await.unwrap();
        shops.push(shop);
    }
    pass(30).await;
    assert_eq!(world.engine.running_businesses(), 0, "the actors of all businesses must have stopped");
    pass(4 * 24 * 60).await;
    assert_eq!(world.engine.running_businesses(), 0, "the actors of all businesses must have stopped again");
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    for shop in shops {
        let left = store.scan(&keys::of_kind(shop.id, keys::kind::IDEMPOTENCY), Order::Ascending).count();
        assert_eq!(left, 0, "{}", shop.id);
    }
}

/// An event that follows the use of an idempotency key.
#[derive(Clone, Copy, Debug)]
enum Happens {
    /// `Glitch(days, minutes)`: the clock jumps by `days` days, and is corrected after `minutes` minutes.
    Glitch(i64, u64),
    /// The clock jumps by this many days, and is not corrected.
    Jump(i64),
    Restart,
    Crash,
}

#[tokio::test(start_paused = true)]
async fn a_key_is_known_for_24_hours_of_steady_time_whatever_the_clock_does() {
    use Happens::{Crash, Glitch, Jump, Restart};
    for (number, happens) in [
        vec![Glitch(1_000, 0)],
        vec![Glitch(1_000, 30)],
        vec![Glitch(-1_000, 30)],
        vec![Jump(1_000), Jump(-1_000)],
        vec![Jump(-3_000), Restart],
        vec![Jump(3_000), Restart, Jump(-3_000), Crash],
        vec![Glitch(1_000, 30), Crash, Crash],
        vec![Jump(-1_000), Restart, Jump(1_000)],
    ]
    .into_iter()
    .enumerate()
    {
        let mut world = World::new(20 + u64::try_from(number).unwrap()).await;
        let shop = world.shop(1).await;
        let started = tokio::time::Instant::now();
        let first = world.at(&shop).change(once(1, 1), service()).await.unwrap();
        for step in &happens {
            match *step {
                Glitch(days, minutes) => {
                    world.clock.jump(TimeDelta::days(days));
                    world.at(&shop).change(by_operator(), service()).await.unwrap();
                    pass(minutes).await;
                    world.at(&shop).change(by_operator(), service()).await.unwrap();
                    world.clock.jump(TimeDelta::days(-days));
                }
                Jump(days) => world.clock.jump(TimeDelta::days(days)),
                Restart => world.restart().await,
                Crash => world.crash(usize::MAX).await,
            }
            world.at(&shop).change(by_operator(), service()).await.unwrap();
            hold().await;
            let again = world.at(&shop).change(once(1, 1), service()).await.unwrap();
            assert!(again.replayed && body(&again) == body(&first), "{step:?} of {happens:?}");
        }
        // After a crash, the steady time continues from the stored value, which is at most one minute old.
        // Therefore each crash can lengthen the 24 hours by one minute.
        let day = tokio::time::Duration::from_secs(24 * 3_600);
        tokio::time::sleep(day - started.elapsed() - tokio::time::Duration::from_millis(2)).await;
        assert!(world.at(&shop).change(once(1, 1), service()).await.unwrap().replayed, "{happens:?}");
        pass(3).await;
        assert!(!world.at(&shop).change(once(1, 1), service()).await.unwrap().replayed, "{happens:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn time_until_a_restart_of_the_machine_counts_up_to_24_hours_by_the_wall_clock() {
    let mut world = World::new(40).await;
    let shop = world.shop(1).await;
    let known = async |world: &World, key: u8| {
        world.at(&shop).change(once(key, 1), service()).await.unwrap().replayed
    };
    assert!(!known(&world, 1).await);
    // If the service restarts but the machine does not, the age of a response does not depend on the wall clock.
    world.engine.clone().close().await.unwrap();
    world.clock.jump(TimeDelta::hours(30));
    world.open_again().await;
    assert!(known(&world, 1).await);
    world.engine.clone().close().await.unwrap();
    world.clock.reboot();
    world.clock.jump(TimeDelta::hours(23));
    world.open_again().await;
    assert!(known(&world, 1).await);
    pass(61).await;
    assert!(!known(&world, 1).await);
    world.engine.clone().close().await.unwrap();
    world.clock.reboot();
    world.clock.jump(TimeDelta::days(400));
    world.open_again().await;
    assert!(!known(&world, 1).await, "by the only available clock, a day has passed");
    // This request has another key, so a new response is stored. A later backward jump of the clock does
    // not change the age of this response.
    assert!(!known(&world, 2).await);
    world.engine.clone().close().await.unwrap();
    world.clock.reboot();
    world.clock.jump(TimeDelta::days(-400));
    world.open_again().await;
    assert!(known(&world, 2).await);
    pass(24 * 60 - 1).await;
    assert!(known(&world, 2).await);
    pass(1).await;
    assert!(!known(&world, 2).await);
}

/// Changes the store as if the first version had written it while its clock was fast by `ahead`. Rewrites the stored
/// responses in the format of the first version, adds `ahead` to their times, and deletes the stored time of the clock.
async fn as_before(world: &World, ahead: TimeDelta) {
    let store = world.store();
    for (key, _) in store
        .scan(
            &keys::of_kind(domain::BusinessId::INSTALLATION, keys::installation_kind::CLOCK),
            Order::Ascending,
        )
        .map(Result::unwrap)
    {
        let mut batch = Batch::new();
        batch.delete(Key::new(&key));
        store.submit(domain::BusinessId::INSTALLATION, batch, Box::new(|| ()));
    }
    let index = keys::of_kind(domain::BusinessId::INSTALLATION, keys::installation_kind::BUSINESS_INDEX);
    for (row, _) in store.scan(&index, Order::Ascending).map(Result::unwrap) {
        let of = keys::id_at_end(&row).unwrap();
        for (key, value) in
            store.scan(&keys::of_kind(of, keys::kind::IDEMPOTENCY), Order::Ascending).map(Result::unwrap)
        {
            let record = IdempotencyRecord::decode(&value).unwrap();
            let answered = record.answered + ahead;
            let (_, hash) = keys::day_and_hash(&key).unwrap();
            let mut bytes = IdempotencyRecord { answered, ..record }.encode();
            bytes[0] = 1; // the first version has the same fields except the last one
            bytes.pop();
            let mut batch = Batch::new();
            batch.delete(Key::new(&key));
            batch.put(keys::idempotency(of, answered.day(), &hash), bytes);
            store.submit(of, batch, Box::new(|| ()));
        }
    }
    store.close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn keys_that_an_earlier_version_remembered_are_known_whatever_its_clock_showed() {
    for ahead in [TimeDelta::zero(), TimeDelta::days(1_000)] {
        let mut world = World::new(41).await;
        let shop = world.shop(1).await;
        world.at(&shop).change(once(1, 1), service()).await.unwrap();
        world.engine.clone().close().await.unwrap();
        as_before(&world, ahead).await;
        world.open_again().await;
        for _ in 0..2 {
            assert!(world.at(&shop).change(once(1, 1), service()).await.unwrap().replayed, "{ahead}");
            pass(23 * 60).await;
        }
        pass(3 * 60).await;
        assert!(!world.at(&shop).change(once(1, 1), service()).await.unwrap().replayed, "{ahead}");
    }
}
