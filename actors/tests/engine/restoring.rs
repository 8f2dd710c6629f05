//! What was erased or ended since a backup is gone from the store that is made of it, once an engine has run on it.

use std::time::Duration;

use actors::Engine;
use actors::backup::restore;
use actors::business::commands::erasure::{EndBusiness, EraseContact};
use actors::domain::{Actor, ContactId, ResourceId};
use actors::store::{Order, Store, keys};

use crate::erasing::{EMAIL, NAME, PHONE, SAID, call, message, person};
use crate::harness::{World, by_operator, everything_else_runs, id_of};

#[tokio::test]
async fn what_was_erased_or_ended_since_a_backup_leaves_nothing_in_what_is_restored() {
    let world = World::new(90).await;
    let (shop, ended) = (world.shop(1).await, world.shop(1).await);
    let mut known = Vec::new();
    for shop in [&shop, &ended] {
        let handle = world.at(shop);
        known.push(id_of::<ContactId>(
            &handle.change(by_operator(), person(NAME, PHONE, EMAIL)).await.unwrap(),
        ));
        handle.change(by_operator(), call(PHONE, None)).await.unwrap();
        handle.change(by_operator(), message(Some(PHONE), None)).await.unwrap();
    }
    let home = tempfile::tempdir().unwrap();
    let (backup, to) = (home.path().join("backup"), home.path().join("restored"));
    let id = world.engine.begin_backup(Actor::Operator, &backup).unwrap();
    while world.engine.backup(id).unwrap().outcome.is_none() {
        everything_else_runs().await;
    }
    world.engine.backup(id).unwrap().outcome.unwrap().unwrap();
    world.at(&shop).change(by_operator(), EraseContact { id: known[0] }).await.unwrap();
    world.at(&ended).change(by_operator(), EndBusiness { once: None }).await.unwrap();
    let lines: String = world.disk.tombstones().iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(lines.lines().count(), 2);
    // One that came and went since is not there to be taken back.
    let lines = format!("{lines}erased-contact {} {}\n", shop.id, uuid::Uuid::from_u128(7));
    std::fs::write(home.path().join("tombstones"), lines).unwrap();

    let restored = restore(&backup, &to, Some(home.path()), &world.ports).await.unwrap();
    assert_eq!((restored.erased, restored.ended), (1, 1));
    let verified = actors::verify::verify(&to).await.unwrap();
    assert!(verified.is_whole(), "{:?}", verified.findings);
    let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
    let engine = Engine::start(store.clone(), world.ports.clone()).await.unwrap();
    assert!(engine.business(shop.id).contact(known[0]).await.unwrap().is_none());
    assert!(engine.business(ended.id).business().await.is_err());
    let left = || {
        store.contains(&keys::unfinished(shop.id)).unwrap()
            || store.contains(&keys::ending(ended.id)).unwrap()
    };
    tokio::time::timeout(Duration::from_secs(60), async {
        while left() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    engine.close().await.unwrap();
    let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
    for row in store.scan(&actors::store::every_row(), Order::Ascending) {
        let (key, value) = row.unwrap();
        assert!(!key.starts_with(ended.id.uuid().as_bytes()), "a row of the business is left");
        let shown = String::from_utf8_lossy(&value);
        for word in [NAME, &PHONE[1..], EMAIL, SAID] {
            assert!(!shown.contains(word), "{word} is left in {:?}", actors::store::Key::new(&key));
        }
    }
    assert!(actors::verify::check(store.rows()).unwrap().is_whole());
    assert_eq!(actors::store::read_tombstones(&to).unwrap().len(), 3);
}
