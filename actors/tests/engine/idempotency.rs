//! A request with an idempotency key is carried out once.

use actors::EngineError;
use actors::business::commands::appointments::Cancel;
use actors::business::commands::catalog::CreateService;
use actors::domain::{Refusal, Text};
use actors::store::{Order, keys};

use crate::harness::{
    World, appointment_of, at, by_operator, everything_else_runs, is_taken, once, pass, text,
};

fn service() -> CreateService {
    let description = Text::new(String::new()).unwrap();
    CreateService { name: text("Wash"), description, duration_minutes: 30, active: true }
}

#[tokio::test(start_paused = true)]
async fn the_same_request_again_gets_the_first_answer() {
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
        assert_eq!((again.status, &again.body), (first.status, &first.body), "{step}");
        let other = handle.change(once(1, 2), shop.booking(at(1, 10), 1)).await;
        assert!(matches!(other, Err(EngineError::Refused(Refusal::IdempotencyKeyReused))), "{step}");
    }
    world.at(&shop).change(once(2, 1), shop.booking(at(1, 10), 1)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_a_request_is_replayed_exactly_when_its_change_is_there() {
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
        assert_eq!(again.body, first.body);
        pass(1).await;
        everything_else_runs().await; // a stamp may be a millisecond ahead of the clock
        let anew = handle.change(once(key, 1), service()).await.unwrap();
        assert!(!anew.replayed);
        assert_ne!(anew.body, first.body);
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
    assert_eq!(again.body, unchanged.body);
}

#[tokio::test(start_paused = true)]
async fn a_key_of_an_unchanged_answer_is_known_to_a_clock_that_has_gone_back() {
    let mut world = World::new(6).await;
    let shop = world.shop(1).await;
    let booked = world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let id = appointment_of(&booked);
    world.at(&shop).change(by_operator(), Cancel { id }).await.unwrap();
    pass(48 * 60).await;
    let unchanged = world.at(&shop).change(once(1, 1), Cancel { id }).await.unwrap();
    world.restart().await;
    world.clock.jump(chrono::TimeDelta::days(-7));
    let again = world.at(&shop).change(once(1, 1), Cancel { id }).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.body, unchanged.body);
}

#[tokio::test(start_paused = true)]
async fn outlived_keys_are_deleted_while_the_business_is_in_use() {
    let mut world = World::new(5).await;
    let shop = world.shop(1).await;
    for number in 0..3 {
        world.at(&shop).change(once(number, 1), service()).await.unwrap();
        pass(24 * 60).await;
    }
    // In use, so that it is there when the sweep comes.
    for _ in 0..3 {
        world.at(&shop).change(by_operator(), service()).await.unwrap();
        pass(1).await;
    }
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let range = keys::of_kind(shop.id, keys::kind::IDEMPOTENCY);
    let days = store.scan(&range, Order::Ascending).count();
    assert_eq!(days, 1, "only the key of yesterday is within reach");
    store.close().await.unwrap();
    world.open_again().await;
    assert!(!world.at(&shop).change(once(0, 1), service()).await.unwrap().replayed);
}

/// More businesses than one minute's sweeping takes.
const UNUSED: u64 = 25;

#[tokio::test(start_paused = true)]
async fn what_has_outlived_its_time_is_deleted_though_nobody_comes_back() {
    let world = World::new(9).await;
    let mut shops = Vec::new();
    for _ in 0..UNUSED {
        let shop = world.shop(0).await;
        world.at(&shop).change(once(1, 1), service()).await.unwrap();
        shops.push(shop);
    }
    pass(30).await;
    assert_eq!(world.engine.running_businesses(), 0, "all are put away");
    pass(4 * 24 * 60).await;
    assert_eq!(world.engine.running_businesses(), 0, "all are put away again");
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    for shop in shops {
        let left = store.scan(&keys::of_kind(shop.id, keys::kind::IDEMPOTENCY), Order::Ascending).count();
        assert_eq!(left, 0, "{}", shop.id);
    }
}
