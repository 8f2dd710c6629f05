//! Exports of a running service. Each business is exported as of one point in time, even if it changes during
//! the export.

use domain::Actor;
use engine::business::commands::appointments::Cancel;
use engine::business::commands::erasure::EraseContact;
use engine::moving::Moved;
use engine::{EngineError, Export, ExportError};

use crate::erasing::{PHONE, call};
use crate::harness::{World, at, by_operator, everything_else_runs, json};
use crate::moving_without::{somebodys, tells_of_them};

/// Reads the remaining records of an export and returns them.
pub(crate) async fn rest_of(export: &mut Export) -> Vec<Moved> {
    let mut moved = Vec::new();
    loop {
        let records = export.next().await.unwrap();
        if records.is_empty() {
            return moved;
        }
        moved.extend(records);
    }
}

#[tokio::test(start_paused = true)]
async fn an_export_shows_a_business_at_one_point_in_time() {
    let world = World::new(5).await;
    let (shop, other) = (world.shop(2).await, world.shop(1).await);
    let mut booked = Vec::new();
    let time =
        |number: usize| at(i64::try_from(number / 10).unwrap() + 1, i64::try_from(number % 10).unwrap());
    for number in 0..600 {
        let answer = world.at(&shop).change(by_operator(), shop.booking(time(number), number)).await.unwrap();
        booked.push(json(&answer)["id"].as_str().unwrap().to_owned());
    }
    let mut as_it_is = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    let mut export = world.engine.export(Actor::Operator, None, true).unwrap();
    // The export of a business shows the state at the time when its first record is read. The other business is read
    // later, so its export shows a later state.
    let mut moved = export.next().await.unwrap();
    let mut made = 600;
    loop {
        let cancel = Cancel { id: booked.pop().unwrap().parse().unwrap() };
        world.at(&shop).change(by_operator(), cancel).await.unwrap();
        for _ in 0..3 {
            world.at(&shop).change(by_operator(), shop.booking(time(made), made)).await.unwrap();
            made += 1;
        }
        world.at(&other).change(by_operator(), other.booking(time(made), made)).await.unwrap();
        let records = export.next().await.unwrap();
        if matches!(records.first(), Some(Moved::Business(_))) {
            assert!(moved == as_it_is, "the export differs from the state when it began");
            moved = records;
            break;
        }
        moved.extend(records);
    }
    moved.extend(rest_of(&mut export).await);
    as_it_is = rest_of(&mut world.engine.export(Actor::Operator, Some(other.id), true).unwrap()).await;
    assert!(moved == as_it_is, "the export differs from the other business");
    assert_eq!(export.businesses(), 2);
    let now = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    assert!(now.len() > as_it_is.len());
}

#[tokio::test(start_paused = true)]
async fn unread_exports_delay_no_request() {
    let world = World::new(6).await;
    let shop = world.shop(1).await;
    let begin = || world.engine.export(Actor::Operator, Some(shop.id), false);
    let mut held = Vec::new();
    while let Ok(mut export) = begin() {
        export.next().await.unwrap();
        held.push(export);
    }
    assert!(matches!(begin(), Err(EngineError::Overloaded)) && held.len() == 3);
    // A backup and changes are possible during the exports.
    let dir = tempfile::tempdir().unwrap();
    let id = world.engine.begin_backup(Actor::Operator, &dir.path().join("b")).unwrap();
    while world.engine.backup(id).unwrap().outcome.is_none() {
        everything_else_runs().await;
    }
    world.engine.backup(id).unwrap().outcome.unwrap().unwrap();
    world.at(&shop).change(by_operator(), shop.booking(at(1, 0), 1)).await.unwrap();
    // A dropped export returns its permit. An export that is read too slowly is cancelled.
    held.pop();
    let mut late = begin().unwrap();
    late.next().await.unwrap();
    tokio::time::advance(std::time::Duration::from_secs(3_601)).await;
    assert!(matches!(late.next().await, Err(ExportError::TooSlow)));
    drop(late);
    // The engine can close while exports are open.
    let mut last = begin().unwrap();
    last.next().await.unwrap();
    world.engine.clone().close().await.unwrap();
    assert!(matches!(last.next().await, Err(ExportError::Engine(EngineError::Stopping))));
    assert!(matches!(begin(), Err(EngineError::Stopping)));
}

#[tokio::test(start_paused = true)]
async fn people_run_one_export_per_business_and_leave_a_permit_to_the_operator() {
    let world = World::new(8).await;
    let mut shops = Vec::new();
    for _ in 0..3 {
        shops.push(world.shop(1).await);
    }
    let person = Actor::Person(uuid::Uuid::from_u128(7).into());
    let begin = |by, shop: usize| world.engine.export(by, Some(shops[shop].id), false);
    let first = begin(person, 0).unwrap();
    assert!(
        matches!(begin(person, 0), Err(EngineError::Overloaded)),
        "the business has an export in progress"
    );
    let _second = begin(person, 1).unwrap();
    assert!(matches!(begin(person, 2), Err(EngineError::Overloaded)), "the last permit is for the operator");
    let _operators = begin(Actor::Operator, 0).unwrap();
    drop(first);
    begin(person, 2).unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_export_during_an_erasure_contains_no_data_of_the_contact() {
    let (world, shop, somebody) = somebodys(13).await;
    let handle = world.at(&shop);
    for _ in 0..700 {
        handle.change(by_operator(), call(PHONE, None)).await.unwrap();
    }
    world.disk.set_sync_delay(std::time::Duration::from_millis(50));
    handle.change(by_operator(), EraseContact { id: somebody }).await.unwrap();
    let moved = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    assert!(!tells_of_them(&moved));
    let calls = moved.iter().filter_map(|moved| match moved {
        Moved::Call(call) => Some(call),
        _ => None,
    });
    assert_eq!(calls.clone().count(), 702);
    let not_reached = calls.filter(|call| call.updated_at == call.created_at).count();
    assert!(not_reached > 300, "at least 300 calls must be exported before their erasure, not {not_reached}");
}
