//! A salvaged store that lacks records can be used: revoked keys stay revoked, and the daily count does not set a
//! business aside because of the lost records.

use std::path::Path;

use domain::{KeyId, ResourceId, Scopes};
use engine::business::commands::keys::CreateKey;
use engine::salvage::{Salvaged, salvage};
use store::keys::{installation_kind, kind};
use store::{Filling, Key, Order, Store, keys};

use crate::harness::{Shop, World, at, by_operator, id_of, text};

const APPOINTMENTS: usize = 5;

async fn shop_with_key(world: &World) -> (Shop, KeyId) {
    let shop = world.shop(1).await;
    for number in 0..APPOINTMENTS {
        let hour = i64::try_from(number).unwrap();
        world.at(&shop).change(by_operator(), shop.booking(at(1, hour), number)).await.unwrap();
    }
    let create = CreateKey { name: text("key"), scopes: Scopes::all() };
    let key = id_of(&world.at(&shop).change(by_operator(), create).await.unwrap());
    (shop, key)
}

/// Copies all rows that `keeps` accepts to a new store in a directory.
async fn copy(world: &mut World, to: &Path, keeps: impl Fn(&Key) -> bool) {
    world.engine.clone().close().await.unwrap();
    let (from, mut filling) = (world.store(), Filling::begin(to, 1).unwrap());
    for row in from.rows().scan(&store::every_row(), Order::Ascending) {
        let row = row.unwrap();
        if keeps(&Key::new(&row.0)) {
            filling.put(row).unwrap();
        }
    }
    filling.into_store(Box::new(|error| panic!("{error}"))).unwrap().close().await.unwrap();
    Filling::finish(to).unwrap();
    from.close().await.unwrap();
    world.open_again().await;
}

fn appointments(salvaged: &Salvaged, shop: &Shop) -> (u64, Option<u64>) {
    let business = salvaged.businesses.iter().find(|business| business.id == shop.id).unwrap();
    let kinds = business.kinds.iter().find(|kind| kind.kind == domain::BudgetKind::Appointments);
    kinds.map(|kind| (kind.found, kind.counted)).unwrap()
}

fn open(dir: &Path) -> Store {
    Store::open_disk(dir, Box::new(|error| panic!("{error}"))).unwrap()
}

#[tokio::test]
async fn a_business_that_lacks_records_is_counted_again() {
    let mut world = World::new(93).await;
    let (shop, _) = shop_with_key(&world).await;
    let (other, _) = shop_with_key(&world).await;
    let home = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| home.path().join(name));
    let of_shop = keys::of_kind(shop.id, kind::APPOINTMENT);
    let is_first = |key: &Key| of_shop.from <= *key && *key < of_shop.to;
    let lost = std::cell::Cell::new(0);
    copy(&mut world, &from, |key| !is_first(key) || lost.replace(lost.get() + 1) > 0).await;
    let salvaged = salvage(&from, &to, &world.ports).await.unwrap();
    assert!(!salvaged.is_whole() && salvaged.not_reapplied.is_none(), "{salvaged:?}");
    assert_eq!(appointments(&salvaged, &shop), (APPOINTMENTS as u64 - 1, Some(APPOINTMENTS as u64)));
    let store = open(&to);
    // The newest audit entry contains no usage, so the service counts the records of the business again.
    assert_eq!(store.newest_entry(shop.id).unwrap().unwrap().usage, None);
    assert!(store.newest_entry(other.id).unwrap().unwrap().usage.is_some());
    store.close().await.unwrap();
}

#[tokio::test]
async fn revocations_are_made_again_if_a_part_of_the_store_is_unreadable() {
    let mut world = World::new(94).await;
    let (shop, key) = shop_with_key(&world).await;
    let home = tempfile::tempdir().unwrap();
    let [whole, torn, from, to] = ["whole", "torn", "from", "to"].map(|name| home.path().join(name));
    copy(&mut world, &from, |_| true).await;
    // In the store, the key is not revoked. The list of tombstones contains its revocation.
    std::fs::write(from.join(store::TOMBSTONES_FILE), format!("revoked-key {key}\n")).unwrap();
    let revoked = async |salvaged: &Path| {
        let store = open(salvaged);
        let all = keys::of_kind(domain::BusinessId::INSTALLATION, installation_kind::API_KEY);
        let keys = store.rows().scan(&all, Order::Ascending).map(|row| {
            let row = row.unwrap();
            store.find_in::<domain::ApiKey>(&Key::new(&row.0), &row.1).unwrap().unwrap()
        });
        let is_revoked = keys.filter(|one| one.id == key).all(|one| one.revoked_at.is_some());
        store.close().await.unwrap();
        is_revoked
    };
    assert!(salvage(&from, &whole, &world.ports).await.unwrap().is_whole());
    assert!(!revoked(&whole).await);
    // The journal of this short run contains every row. The test removes the journal, so that the salvage must read the
    // damaged file.
    std::fs::remove_file(from.join("journal")).unwrap();
    let db = from.join("store/db");
    let mut bytes = std::fs::read(&db).unwrap();
    let at = bytes.windows(16).position(|part| part == shop.id.uuid().as_bytes()).unwrap();
    bytes[at] ^= 1;
    std::fs::write(&db, bytes).unwrap();
    let salvaged = salvage(&from, &to, &world.ports).await.unwrap();
    assert!(!salvaged.is_whole() && !salvaged.unreadable.is_empty(), "{salvaged:?}");
    assert_eq!(salvaged.not_reapplied, None);
    assert!(revoked(&to).await);
    // If the list of revocations cannot be read, the salvage revokes every key.
    std::fs::write(from.join(store::TOMBSTONES_FILE), "unreadable\n").unwrap();
    assert!(!salvage(&from, &torn, &world.ports).await.unwrap().is_whole());
    assert!(revoked(&torn).await);
}
