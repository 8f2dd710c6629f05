//! Lost rows are reported by backups, by exports and by the daily count. A lost row is one that the store no
//! longer has, although the recorded usage of the business still includes it.

use std::time::Duration;

use domain::{Actor, BusinessId, KeyId, ResourceId, Scopes};
use engine::backup::{RestoreError, restore};
use engine::business::commands::keys::{CreateKey, RevokeKey};
use engine::moving::Moved;
use engine::{Engine, ExportError};
use store::keys::{installation_kind, kind};
use store::{Batch, Key, Order, Store, keys};
use tokio::time::Instant;

use crate::harness::{Shop, World, at, by_operator, everything_else_runs, id_of, pass, text};

/// A shop with this number of appointments, and with two API keys. One of the keys is revoked.
async fn shop_with(world: &World, appointments: usize) -> Shop {
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    for number in 0..appointments {
        let hour = i64::try_from(number).unwrap();
        handle.change(by_operator(), shop.booking(at(1, hour), number)).await.unwrap();
    }
    for revokes in [true, false] {
        let create = CreateKey { name: text("key"), scopes: Scopes::all() };
        let id: KeyId = id_of(&handle.change(by_operator(), create).await.unwrap());
        if revokes {
            handle.change(by_operator(), RevokeKey { id }).await.unwrap();
        }
    }
    shop
}

/// The first `count` keys of a kind.
async fn keys_of(world: &mut World, of: BusinessId, kind: u8, count: usize) -> Vec<Key> {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let rows = store.rows().scan(&keys::of_kind(of, kind), Order::Ascending).take(count);
    let found = rows.map(|row| Key::new(&row.unwrap().0)).collect::<Vec<_>>();
    store.close().await.unwrap();
    world.open_again().await;
    assert_eq!(found.len(), count);
    found
}

async fn lose(world: &mut World, of: BusinessId, kind: u8, count: usize) {
    let lost = keys_of(world, of, kind, count).await;
    world.lose(&lost).await;
}

/// The missing rows that the report of a backup lists.
async fn backed_up(world: &World, to: &std::path::Path) -> Vec<(BusinessId, String, Option<u64>, u64)> {
    let id = world.engine.begin_backup(Actor::Operator, to).unwrap();
    while world.engine.backup(id).unwrap().outcome.is_none() {
        everything_else_runs().await;
    }
    let manifest = world.engine.backup(id).unwrap().outcome.unwrap().unwrap();
    assert_eq!(manifest.is_complete(), manifest.problems.is_empty());
    assert_eq!(manifest.problem_count, manifest.problems.len() as u64);
    manifest.problems.into_iter().map(|it| (it.business_id, it.kind, it.recorded, it.found)).collect()
}

#[tokio::test]
async fn a_backup_names_missing_rows_and_a_restore_needs_their_acceptance() {
    let mut world = World::new(70).await;
    let (shop, other) = (shop_with(&world, 5).await, shop_with(&world, 3).await);
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    assert!(backed_up(&world, &at("whole")).await.is_empty());
    let listed = keys_of(&mut world, BusinessId::INSTALLATION, installation_kind::API_KEY, 4).await;
    lose(&mut world, shop.id, kind::APPOINTMENT, 2).await;
    lose(&mut world, shop.id, kind::STAFF, 1).await;
    let lacks = backed_up(&world, &at("rows")).await;
    let appointments = (shop.id, "appointments".to_owned(), Some(5), 3);
    assert_eq!(lacks, [(shop.id, "staff".to_owned(), Some(1), 0), appointments]);
    assert_eq!(world.engine.backups_ended(), (0, 1, 0));
    let from = at("rows");
    let refused = restore(&from, &at("refused"), None, false, &world.ports).await;
    assert!(matches!(refused, Err(RestoreError::Incomplete(lacks)) if lacks.count == 2));
    assert!(!at("refused").exists());
    let restored = restore(&from, &at("accepted"), None, true, &world.ports).await.unwrap();
    assert_eq!(restored.incomplete.count, 2);
    // If the operator accepts an incomplete backup, the restore removes the recorded usage of this business. So later
    // checks do not report the missing records again.
    let store = Store::open_disk(&at("accepted"), Box::new(|_| ())).unwrap();
    assert_eq!(store.newest_entry(shop.id).unwrap().unwrap().usage, None);
    assert!(store.newest_entry(other.id).unwrap().unwrap().usage.is_some());
    store.close().await.unwrap();
    // The record of an API key is a row of the installation, but the usage of the business includes it. Therefore the
    // loss of this record is reported for the business.
    world.lose(&listed).await;
    let lacks = backed_up(&world, &at("keys")).await;
    assert!(lacks.contains(&(other.id, "keys".to_owned(), Some(1), 0)), "{lacks:?}");
}

#[tokio::test(start_paused = true)]
async fn an_export_with_missing_rows_is_incomplete_and_other_businesses_are_complete() {
    let mut world = World::new(71).await;
    let (shop, other) = (shop_with(&world, 5).await, shop_with(&world, 3).await);
    lose(&mut world, shop.id, kind::APPOINTMENT, 1).await;
    for (one, businesses) in [(None, 2), (Some(shop.id), 1)] {
        let mut export = world.engine.export(Actor::Operator, one, true).unwrap();
        let mut moved = Vec::new();
        let lacks = loop {
            match export.next().await {
                Ok(records) => {
                    assert!(!records.is_empty(), "the export was completed");
                    moved.extend(records);
                }
                Err(ExportError::Incomplete(lacks)) => break lacks.listed,
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!(lacks.len(), 1);
        assert_eq!((lacks[0].business_id, &*lacks[0].kind), (shop.id, "appointments"));
        assert_eq!((lacks[0].recorded, lacks[0].found), (Some(5), 4));
        let begun = moved.iter().filter(|moved| matches!(moved, Moved::Business(_))).count();
        let ended = moved.iter().filter(|moved| matches!(moved, Moved::End { .. })).count();
        assert_eq!((begun, ended), (businesses, businesses - 1));
    }
    let mut export = world.engine.export(Actor::Operator, Some(other.id), true).unwrap();
    while !export.next().await.unwrap().is_empty() {}
    assert_eq!(export.businesses(), 1);
}

/// Opens the store and starts an engine on it.
async fn opened(world: &mut World) -> Store {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    world.engine = Engine::start(store.clone(), world.ports.clone()).await.unwrap();
    store
}

#[tokio::test(start_paused = true)]
async fn the_daily_count_sets_only_a_business_with_missing_rows_aside() {
    let mut world = World::new(72).await;
    let (shop, other) = (shop_with(&world, 5).await, shop_with(&world, 3).await);
    pass(5).await;
    assert_eq!(world.engine.businesses_counted(), (2, 0));
    // An undecodable row is not a missing row, so this business must not be set aside.
    let spoilt = keys_of(&mut world, other.id, kind::APPOINTMENT, 1).await;
    world.spoil(spoilt[0]).await;
    lose(&mut world, shop.id, kind::APPOINTMENT, 2).await;
    let store = opened(&mut world).await;
    // These exports hold all export permits. The daily count must run without an export permit.
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut export = world.engine.export(Actor::Operator, Some(other.id), false).unwrap();
        export.next().await.unwrap();
        held.push(export);
    }
    pass(24 * 60 + 5).await;
    assert_eq!(world.engine.businesses_counted(), (1, 1));
    let reason = format!(
        "the daily count did not find the recorded rows: business {}: appointments: 5 recorded, 3 found",
        shop.id
    );
    assert_eq!(store.businesses_set_aside(), [(shop.id, reason)]);
    pass(24 * 60).await;
    assert_eq!(world.engine.businesses_counted(), (2, 1), "a set-aside business must not be counted again");
}

#[tokio::test(start_paused = true)]
async fn changes_continue_during_a_count_which_is_of_one_point_in_time() {
    let mut world = World::new(73).await;
    let shop = shop_with(&world, 20).await;
    more_rows(&mut world, &shop, 5_000).await;
    let booked_until = Instant::now() + Duration::from_secs(90);
    let (mut number, mut made) = (20, Vec::new());
    while Instant::now() < booked_until {
        number += 1;
        let hour = i64::try_from(number).unwrap();
        let booking = shop.booking(at(1, hour), number);
        made.push(world.at(&shop).change(by_operator(), booking).await.unwrap());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(made.len() > 500);
    assert_eq!(world.engine.businesses_counted(), (1, 0));
}

/// Adds undecodable rows. A count reads them, but the recorded usage does not include them.
async fn more_rows(world: &mut World, shop: &Shop, rows: u64) {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let numbers: Vec<_> = (0..rows).collect();
    for numbers in numbers.chunks(10_000) {
        let mut batch = Batch::new();
        for number in numbers {
            let id = uuid::Uuid::from_u128(u128::from(*number) + 1);
            batch.put(keys::call(shop.id, id.into()), b"\xee".to_vec());
        }
        store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
    }
    store.close().await.unwrap();
    world.open_again().await;
}

#[tokio::test(start_paused = true)]
async fn at_most_2_000_rows_are_counted_in_a_second_over_all_businesses() {
    let mut world = World::new(74).await;
    for _ in 0..4 {
        let shop = world.shop(1).await;
        more_rows(&mut world, &shop, 4_000).await;
    }
    world.restart().await;
    let (mut began, mut counted) = (None, 0);
    while counted < 4 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        let now = world.engine.businesses_counted().0;
        if now > counted {
            // The measurement begins with the first finished count.
            began.get_or_insert_with(Instant::now);
            counted = now;
        }
    }
    let took = began.unwrap().elapsed();
    assert!(took >= Duration::from_millis(5_900) && took < Duration::from_millis(6_600), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_count_continues_after_a_restart() {
    let mut world = World::new(75).await;
    let (first, second) = (shop_with(&world, 1).await, shop_with(&world, 1).await);
    more_rows(&mut world, &second, 60_000).await;
    while world.engine.businesses_counted().0 == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(world.engine.businesses_counted(), (1, 0), "the second business must still be counted");
    world.restart().await;
    pass(3).await;
    assert_eq!(world.engine.businesses_counted(), (1, 0), "only the second business must be counted again");
    assert!(first.id.uuid() < second.id.uuid());
}
