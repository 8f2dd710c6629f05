//! The repair corrects timestamps that a wrong clock has set in the future.

use chrono::TimeDelta;
use domain::{BusinessId, CalendarState, Timestamp};
use engine::Engine;
use engine::business::{AppointmentFilter, ContactFilter};
use engine::repair::{RepairError, repair_stamps};
use store::{Batch, Key, KeyRange, Order, Pair, Record, Store, StoreError, keys};

use crate::harness::{
    Shop, World, appointment_of, at, by_operator, everything_else_runs, first_page, json, once,
};

/// A shop that was used while the clock was three years ahead. The engine is closed.
async fn used_on_a_wrong_clock(seed: u64) -> (World, Shop) {
    let world = World::new(seed).await;
    let shop = world.shop(1).await;
    world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    world.jump_and_hold(&shop, TimeDelta::days(1_000)).await;
    for day in 1_001..1_010 {
        let contact = usize::try_from(day).unwrap();
        world.at(&shop).change(once(1, contact as u8), shop.booking(at(day, 9), contact)).await.ok();
        world.at(&shop).change(by_operator(), shop.booking(at(day, 12), contact)).await.unwrap();
    }
    world.engine.clone().close().await.unwrap();
    world.clock.jump(TimeDelta::days(-1_000));
    (world, shop)
}

fn everything(store: &Store) -> Vec<Pair> {
    let all = KeyRange { from: keys::meta(), to: Key::new(&[0xff; 17]) };
    store.scan(&all, Order::Ascending).map(Result::unwrap).collect()
}

#[tokio::test(start_paused = true)]
async fn future_timestamps_are_moved_to_the_present_in_order_and_time_continues_from_there() {
    let (mut world, shop) = used_on_a_wrong_clock(1).await;
    // Without a repair, new timestamps stay in the future, because timestamps never decrease.
    world.open_again().await;
    let stuck = world.at(&shop).change(by_operator(), shop.booking(at(1_020, 9), 5)).await.unwrap();
    assert!(json(&stuck)["updated_at"].as_str().unwrap().starts_with("2028-"), "{:?}", json(&stuck));
    let all = AppointmentFilter { updated_since: Some(Timestamp::MIN), ..AppointmentFilter::default() };
    let before = world.at(&shop).appointments(&all, &first_page()).await.unwrap().items;
    world.engine.clone().close().await.unwrap();

    let present = world.ports.clock.now();
    let store = world.store();
    let was = everything(&store);
    let planned = repair_stamps(&store, present, true).await.unwrap();
    assert_eq!(everything(&store), was, "only told");
    let done = repair_stamps(&store, present, false).await.unwrap();
    assert_eq!((&planned.businesses, planned.others), (&done.businesses, done.others));
    let [business] = &done.businesses[..] else { panic!("{done:?}") };
    assert_eq!((business.id, business.name.as_str()), (shop.id, "Shop"));
    assert_eq!(business.records["appointments"], 11, "{business}");
    let nothing = repair_stamps(&store, present, false).await.unwrap();
    assert!(nothing.businesses.is_empty() && !nothing.resumed);
    store.close().await.unwrap();

    world.open_again().await;
    let handle = world.at(&shop);
    let after = handle.appointments(&all, &first_page()).await.unwrap().items;
    let ids = |list: &[view::AppointmentView]| list.iter().map(|a| (a.id, a.starts_at)).collect::<Vec<_>>();
    assert_eq!(ids(&after), ids(&before), "the repair must keep the appointments in the same order");
    assert!(after.iter().all(|appointment| appointment.updated_at <= present));
    let changed =
        ContactFilter { updated_since: Some(present - TimeDelta::minutes(1)), ..ContactFilter::default() };
    assert!(!handle.contacts(&changed, &first_page()).await.unwrap().items.is_empty());
    let new = handle.change(by_operator(), shop.booking(at(4, 9), 6)).await.unwrap();
    let stamp = Timestamp::parse(json(&new)["updated_at"].as_str().unwrap()).unwrap();
    assert!((stamp - world.ports.clock.now()).num_seconds().abs() < 2, "{stamp}");
    // A client that continues from the last change it has read finds the new change.
    let since = after.last().unwrap().updated_at;
    let news = AppointmentFilter { updated_since: Some(since), ..AppointmentFilter::default() };
    let news = handle.appointments(&news, &first_page()).await.unwrap().items;
    assert_eq!(news.last().unwrap().id, appointment_of(&new));
}

#[tokio::test(start_paused = true)]
async fn the_times_of_the_reads_of_a_calendar_are_corrected() {
    let (world, shop) = used_on_a_wrong_clock(3).await;
    let present = world.ports.clock.now();
    let store = world.store();
    let ahead = |days| Some(present + TimeDelta::days(days));
    let state = CalendarState {
        last_read_at: ahead(999),
        last_attempt_at: ahead(1_000),
        ..CalendarState::new(uuid::Uuid::from_u128(1).into())
    };
    let row = keys::calendar_state(shop.id, state.calendar_id);
    let mut batch = Batch::new();
    batch.put(row, state.encode());
    store.submit(shop.id, batch, Box::new(|| ()));
    let done = repair_stamps(&store, present, false).await.unwrap();
    assert_eq!(done.businesses[0].records["states of calendars"], 1);
    let after = store.get::<CalendarState>(&row).unwrap().unwrap();
    let (read, attempt) = (after.last_read_at.unwrap(), after.last_attempt_at.unwrap());
    assert!(read < attempt && attempt <= present, "{read} {attempt}");
    store.close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_engine_starts_on_a_store_whose_repair_is_not_finished() {
    let (mut world, shop) = used_on_a_wrong_clock(2).await;
    let present = world.ports.clock.now();
    let store = world.store();
    let mut batch = Batch::new();
    batch.put(keys::repair(), keys::millis_value(present));
    store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
    store.close().await.unwrap();
    let refused = Engine::start(world.store(), world.ports.clone()).await.unwrap_err();
    assert!(matches!(refused, StoreError::RepairUnfinished), "{refused}");
    everything_else_runs().await; // the refused store releases the disk
    let store = world.store();
    // A repeated repair uses the time of the first repair.
    let done = repair_stamps(&store, present + TimeDelta::days(1), false).await.unwrap();
    assert!(done.resumed && done.present == present && done.businesses[0].id == shop.id);
    store.close().await.unwrap();
    world.open_again().await;
}

#[tokio::test(start_paused = true)]
async fn a_repair_without_a_store_is_refused() {
    let disk = store::MemoryBackend::new();
    let store = Store::in_memory(&disk, Box::new(|error| panic!("{error}"))).unwrap();
    let refused = repair_stamps(&store, at(0, 0), false).await.unwrap_err();
    assert!(matches!(refused, RepairError::NoStore));
}
