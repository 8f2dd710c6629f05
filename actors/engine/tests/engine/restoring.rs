//! A restore applies the erasures and revocations since the backup to the restored store.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use domain::{Actor, Address, ContactId, MembershipPatch, PersonId, ResourceId, Role, Scopes, Timestamp};
use engine::Engine;
use engine::backup::{Backup, restore};
use engine::business::commands::erasure::{EndBusiness, EraseContact};
use engine::business::commands::keys::CreateKey;
use engine::business::commands::people::RemoveMember;
use engine::credentials::Credential;
use engine::moving::ImportOptions;
use engine::people::Invitation;
use store::records::MetaRecord;
use store::{Order, Record, Store, keys};
use view::ImportedView;

use crate::erasing::{EMAIL, NAME, PHONE, SAID, call, message, person};
use crate::exports::rest_of;
use crate::harness::{
    Shop, World, at, by_operator, everything_else_runs, first_page, id_of, json, pass, text,
};

/// Adds a person and signs them in.
async fn add(world: &World, shop: &Shop, email: &str) -> PersonId {
    let people = world.engine.people();
    let invitation = Invitation {
        email: Address::new(email).unwrap(),
        name: None,
        locale: None,
        role: Role::Member,
        staff_id: None,
    };
    let invited = people.invite(&world.at(shop), by_operator(), invitation).await.unwrap();
    let id = id_of::<PersonId>(&invited.answer);
    let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
    people.patch_member(&world.at(shop), by_operator(), (id, active, None)).await.unwrap();
    id
}

pub(crate) async fn backed_up(world: &World, to: &Path) {
    let id = world.engine.begin_backup(Actor::Operator, to).unwrap();
    while world.engine.backup(id).unwrap().outcome.is_none() {
        everything_else_runs().await;
    }
    world.engine.backup(id).unwrap().outcome.unwrap().unwrap();
}

/// Two services run on stores that were restored from the same backup. A mailed link of one service must not
/// be valid at the other.
#[tokio::test]
async fn a_restored_store_has_its_own_secret_for_mailed_links_and_shares_the_other_one() {
    let world = World::new(91).await;
    world.shop(1).await;
    let home = tempfile::tempdir().unwrap();
    let backup = home.path().join("backup");
    backed_up(&world, &backup).await;
    let mut secrets = BTreeSet::new();
    for name in ["one", "two"] {
        let to = home.path().join(name);
        restore(&backup, &to, None, false, &world.ports).await.unwrap();
        let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
        let meta = store.get::<MetaRecord>(&keys::meta()).unwrap().unwrap();
        assert_eq!(
            meta.secret,
            world.engine.secret(),
            "cursors and one-click unsubscribe links must stay valid"
        );
        secrets.insert(meta.link_secret);
        store.close().await.unwrap();
    }
    let rows = Backup::open(&backup).unwrap().read_chunk(0).unwrap();
    let (_, before) = rows.into_iter().find(|(row, _)| **row == *keys::meta()).unwrap();
    secrets.insert(MetaRecord::decode(&before).unwrap().link_secret);
    assert_eq!(secrets.len(), 3);
}

#[tokio::test]
async fn a_person_removed_since_a_backup_is_not_restored_and_one_invited_again_before_it_is() {
    let world = World::new(90).await;
    let shop = world.shop(1).await;
    let back = add(&world, &shop, "back@example.com").await;
    let remove = async |id| world.at(&shop).change(by_operator(), RemoveMember { id }).await.unwrap();
    remove(back).await;
    world.clock.jump(chrono::TimeDelta::seconds(1));
    assert_eq!(add(&world, &shop, "back@example.com").await, back, "the account must be the same");
    let (gone, stays) =
        (add(&world, &shop, "gone@example.com").await, add(&world, &shop, "b@example.com").await);
    let home = tempfile::tempdir().unwrap();
    let (backup, to) = (home.path().join("backup"), home.path().join("restored"));
    backed_up(&world, &backup).await;
    remove(gone).await;
    let lines: String = world.disk.tombstones().iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(lines.lines().filter(|line| line.starts_with("removed-person ")).count(), 2);
    std::fs::write(home.path().join("tombstones"), lines).unwrap();
    let restored = restore(&backup, &to, Some(home.path()), false, &world.ports).await.unwrap();
    assert_eq!(restored.removed, 1);
    let verified = engine::verify::verify(&to).await.unwrap();
    assert!(verified.is_whole(), "{:?}", verified.findings);
    let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
    let engine = Engine::start(store, world.ports.clone()).await.unwrap();
    let listed = engine.people().of_business(&engine.business(shop.id), &first_page()).await.unwrap().items;
    let listed: BTreeSet<_> = listed.iter().map(|person| person.id).collect();
    assert_eq!(listed, BTreeSet::from([back, stays]));
    engine.close().await.unwrap();
}

/// While the clock is earlier than the newest timestamp, timestamps do not advance. So a removal and the invitation
/// after it could get the same timestamp, but the restore must know which of them is later.
#[tokio::test(start_paused = true)]
async fn a_person_invited_again_stays_although_the_clock_was_early_at_their_removal() {
    let mut world = World::new(94).await;
    let shop = world.shop(1).await;
    world.clock.jump(chrono::TimeDelta::hours(-6));
    world.restart().await;
    let mut people = BTreeSet::new();
    for email in ["again@example.com", "twice@example.com", "gone@example.com"] {
        people.insert(add(&world, &shop, email).await);
    }
    let [again, twice, gone] = <[PersonId; 3]>::try_from(Vec::from_iter(people)).unwrap();
    let home = tempfile::tempdir().unwrap();
    let [first, second, list_at] = ["first", "second", "list"].map(|name| home.path().join(name));
    backed_up(&world, &first).await;
    let remove = async |id| world.at(&shop).change(by_operator(), RemoveMember { id }).await.unwrap();
    for (id, email) in [
        (again, "again@example.com"),
        (twice, "twice@example.com"),
        (twice, "twice@example.com"),
        (gone, "gone@example.com"),
    ] {
        remove(id).await;
        assert_eq!(add(&world, &shop, email).await, id, "the account must be the same");
    }
    backed_up(&world, &second).await;
    remove(gone).await;
    list(&world, &list_at);
    // All three people are members in the first backup. Its restore removes them, and appends a line with a time to the
    // list of tombstones for each of them. The time in a person's last line can then be earlier than the time in an
    // older line. So the restore of the second backup must apply the latest time of each person.
    let mut list = list_at;
    for (backup, left) in [(&first, BTreeSet::new()), (&second, BTreeSet::from([again, twice]))] {
        let to = home.path().join(format!("from {}", backup.file_name().unwrap().display()));
        let restored = restore(backup, &to, Some(&list), false, &world.ports).await.unwrap();
        assert_eq!(restored.removed, 3 - left.len());
        let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store, world.ports.clone()).await.unwrap();
        let listed =
            engine.people().of_business(&engine.business(shop.id), &first_page()).await.unwrap().items;
        assert_eq!(listed.iter().map(|person| person.id).collect::<BTreeSet<_>>(), left);
        engine.close().await.unwrap();
        list = to;
    }
}

#[tokio::test]
async fn erasures_and_deletions_since_a_backup_leave_no_rows_in_the_restored_store() {
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
    backed_up(&world, &backup).await;
    world.at(&shop).change(by_operator(), EraseContact { id: known[0] }).await.unwrap();
    world.at(&ended).change(by_operator(), EndBusiness { once: None }).await.unwrap();
    let lines: String = world.disk.tombstones().iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(lines.lines().count(), 2);
    // A contact that was created and erased after the backup is not in the restored store.
    let lines = format!("{lines}erased-contact {} {}\n", shop.id, uuid::Uuid::from_u128(7));
    std::fs::write(home.path().join("tombstones"), lines).unwrap();

    let restored = restore(&backup, &to, Some(home.path()), false, &world.ports).await.unwrap();
    assert_eq!((restored.erased, restored.ended), (1, 1));
    let verified = engine::verify::verify(&to).await.unwrap();
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
            everything_else_runs().await;
        }
    })
    .await
    .unwrap();
    engine.close().await.unwrap();
    let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
    for row in store.scan(&store::every_row(), Order::Ascending) {
        let (key, value) = row.unwrap();
        assert!(!key.starts_with(ended.id.uuid().as_bytes()), "a row of the business is left");
        let shown = String::from_utf8_lossy(&value);
        for word in [NAME, &PHONE[1..], EMAIL, SAID] {
            assert!(!shown.contains(word), "{word} is left in {:?}", store::Key::new(&key));
        }
    }
    assert!(engine::verify::check(store.rows()).unwrap().is_whole());
    let listed: BTreeSet<_> = store::read_tombstones(&to).unwrap().into_iter().collect();
    assert_eq!(listed.len(), 3);
}

pub(crate) fn list(world: &World, at: &Path) {
    let lines: String = world.disk.tombstones().iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(at, lines).unwrap();
}

async fn key_of(world: &World, shop: &Shop) -> String {
    let key = CreateKey { name: text("key"), scopes: Scopes::all() };
    json(&world.at(shop).change(by_operator(), key).await.unwrap())["key"].as_str().unwrap().to_owned()
}

/// The list of tombstones keeps the order of the events, even when a business is imported again.
#[tokio::test]
async fn a_business_that_was_imported_again_is_not_deleted_by_earlier_tombstones() {
    let world = World::new(91).await;
    let shop = world.shop(1).await;
    let old_key = key_of(&world, &shop).await;
    let home = tempfile::tempdir().unwrap();
    let [first, second, list_at] = ["first", "second", "list"].map(|name| home.path().join(name));
    backed_up(&world, &first).await;
    let moved = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    world.engine.end_business(shop.id, by_operator()).await.unwrap();
    list(&world, &list_at);
    let ended =
        restore(&first, &home.path().join("ended"), Some(&list_at), false, &world.ports).await.unwrap();
    assert_eq!((ended.ended, ended.valid), (1, 0));

    let engine = &world.engine;
    let mut importing = loop {
        everything_else_runs().await;
        let mut importing = engine.import(ImportOptions::default()).unwrap();
        // An import of the business is refused until all rows of the deleted business are deleted.
        if importing.take(2, moved[0].clone()).await.unwrap().is_empty() {
            break importing;
        }
        importing.take_back().await.unwrap();
    };
    for (line, record) in (3..).zip(&moved[1..]) {
        assert_eq!(importing.take(line, record.clone()).await.unwrap(), []);
    }
    let view = ImportedView {
        businesses: 1,
        records: 1,
        exported_at: Timestamp::MIN,
        dry_run: false,
        lost_slugs: Vec::new(),
    };
    importing.finish(view, Actor::Operator, None).await.unwrap();
    let new_key = key_of(&world, &shop).await;
    world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    backed_up(&world, &second).await;
    list(&world, &list_at);

    // The earlier backup contains the old key, and the later backup contains the new key. A restore of either backup
    // keeps the business. The old key in the earlier backup is revoked. The new key in the later backup stays valid.
    for (backup, expected) in [(&second, (0, 0, 1)), (&first, (0, 1, 0))] {
        let to = home.path().join(format!("from {}", backup.file_name().unwrap().display()));
        let restored = restore(backup, &to, Some(&list_at), false, &world.ports).await.unwrap();
        assert_eq!((restored.ended, restored.revoked, restored.valid), expected);
        let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store, world.ports.clone()).await.unwrap();
        assert!(engine.business(shop.id).business().await.is_ok());
        let lets_in =
            async |key: &str| engine.authenticate(&Credential::parse(key).unwrap()).await.unwrap().is_some();
        assert_eq!((lets_in(&old_key).await, lets_in(&new_key).await), (false, backup == &second));
        engine.close().await.unwrap();
        // The list in the restored store begins with all lines of the current list, in the same order.
        let kept = store::read_tombstones(&to).unwrap();
        let listed = store::read_tombstones(&list_at).unwrap();
        assert_eq!(kept[..listed.len()], listed[..]);
    }
}

#[tokio::test(start_paused = true)]
async fn revocations_are_applied_to_undecodable_records_too() {
    let mut world = World::new(92).await;
    let (shop, ended) = (world.shop(1).await, world.shop(1).await);
    let known: ContactId =
        id_of(&world.at(&shop).change(by_operator(), person(NAME, PHONE, EMAIL)).await.unwrap());
    world.spoil(keys::contact(shop.id, known)).await;
    world.spoil(keys::profile(ended.id)).await;
    let home = tempfile::tempdir().unwrap();
    let [backup, list_at, to] = ["backup", "list", "to"].map(|name| home.path().join(name));
    backed_up(&world, &backup).await;
    let lines = format!("erased-contact {} {known}\nended-business {}\n", shop.id, ended.id);
    std::fs::write(&list_at, lines).unwrap();
    let restored = restore(&backup, &to, Some(&list_at), false, &world.ports).await.unwrap();
    assert_eq!((restored.erased, restored.ended, restored.kept), (1, 1, 0));
    let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
    assert!(store.rows().get(&keys::contact(shop.id, known)).unwrap().is_none());
    assert!(store.rows().get(&keys::profile(ended.id)).unwrap().is_none());
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    store.close().await.unwrap();
    pass(1).await;
}
