//! Businesses with missing or damaged rows are set aside: the engine refuses every request to them. All other
//! businesses continue.

use domain::availability::Terms;
use domain::{Actor, BusinessId, ContactDetails, Scopes};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::keys::CreateKey;
use engine::business::{AppointmentFilter, ContactFilter};
use engine::credentials::Credential;
use engine::{EngineError, ExportError};
use store::{Order, Pair, Rows, StoreError, keys};

use crate::exports::rest_of;
use crate::harness::{
    Shop, World, at, by_operator, everything_else_runs, first_page, json, once, pass, text,
};

const REASON: &str = "3 rows are missing";

fn is_set_aside<T: std::fmt::Debug>(result: &Result<T, EngineError>, of: BusinessId) {
    let error = result.as_ref().unwrap_err();
    let named =
        matches!(error, EngineError::Store(StoreError::BusinessSetAside { business }) if *business == of);
    assert!(named, "{error:?}");
}

async fn credential(world: &World, shop: &Shop) -> Credential {
    let create = CreateKey { name: text("key"), scopes: Scopes::all() };
    let key = world.at(shop).change(by_operator(), create).await.unwrap();
    Credential::parse(json(&key)["key"].as_str().unwrap()).unwrap()
}

fn contact(name: &str) -> CreateContact {
    CreateContact { details: ContactDetails { name: Some(text(name)), ..ContactDetails::default() } }
}

/// Every row of a business, even if the business is set aside.
async fn rows_of(world: &mut World, of: BusinessId) -> Vec<Pair> {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let rows = store.all_rows().scan(&keys::all(of), Order::Ascending).collect::<Result<_, _>>().unwrap();
    store.close().await.unwrap();
    world.open_again().await;
    rows
}

/// Checks that every request to the business fails with the same error.
async fn everything_fails(world: &World, shop: &Shop, key: &Credential) {
    let (engine, handle, of) = (&world.engine, world.at(shop), shop.id);
    is_set_aside(&engine.authenticate(key).await, of);
    is_set_aside(&handle.business().await, of);
    is_set_aside(&handle.change(by_operator(), shop.booking(at(5, 9), 1)).await, of);
    is_set_aside(&handle.change(once(7, 7), contact("Once")).await, of);
    is_set_aside(&handle.contacts(&ContactFilter::default(), &first_page()).await, of);
    is_set_aside(&handle.appointments(&AppointmentFilter::default(), &first_page()).await, of);
    is_set_aside(&handle.audit(&first_page()).await, of);
    is_set_aside(&handle.retention().await, of);
    is_set_aside(&handle.budget().await, of);
    let today = engine.now().utc().date_naive();
    is_set_aside(&handle.availability(shop.service, None, (today, today), Terms::Integration).await, of);
    is_set_aside(&engine.end_business(of, by_operator()).await, of);
    is_set_aside(&engine.export(Actor::Operator, Some(of), false).map(drop), of);
}

/// Checks that the business that is not set aside can be read, changed and exported, and is the only listed business.
async fn the_other_goes_on(world: &World, other: &Shop, key: &Credential, day: i64) {
    let handle = world.at(other);
    world.engine.authenticate(key).await.unwrap().unwrap();
    handle.change(by_operator(), other.booking(at(day, 9), 1)).await.unwrap();
    assert!(
        !handle.appointments(&AppointmentFilter::default(), &first_page()).await.unwrap().items.is_empty()
    );
    let listed = world.engine.businesses(&first_page()).await.unwrap().items;
    assert_eq!(listed.iter().map(|business| business.id).collect::<Vec<_>>(), [other.id]);
    let mut export = world.engine.export(Actor::Operator, None, false).unwrap();
    assert!(!rest_of(&mut export).await.is_empty());
    assert_eq!(export.businesses(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_running_business_stays_set_aside_over_restarts_and_the_other_continues() {
    let mut world = World::new(1).await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    let (key, others_key) = (credential(&world, &shop).await, credential(&world, &other).await);
    world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    world.engine.authenticate(&key).await.unwrap().unwrap();
    pass(2).await;
    let before = rows_of(&mut world, shop.id).await;
    world.engine.authenticate(&key).await.unwrap().unwrap();
    let day = at(1, 0).utc().date_naive();
    world.at(&shop).availability(shop.service, None, (day, day), Terms::Integration).await.unwrap();

    world.engine.set_business_aside(shop.id, REASON).unwrap();
    for life in 0..3 {
        assert_eq!(world.engine.businesses_set_aside(), [(shop.id, REASON.to_owned())]);
        everything_fails(&world, &shop, &key).await;
        the_other_goes_on(&world, &other, &others_key, 2 + life).await;
        // During this time, sweeps and the daily background jobs run, and deliveries become due.
        pass(26 * 60).await;
        everything_fails(&world, &shop, &key).await;
        assert_eq!(world.engine.running_businesses(), 0, "its actor must not start again");
        if life == 1 {
            world.crash(0).await;
        } else {
            world.restart().await;
        }
    }
    assert_eq!(world.fatal(), 1, "only the crash may be counted");
    assert!(rows_of(&mut world, shop.id).await == before, "rows of the business were changed");

    // The operator removes the business from the list `businesses-set-aside`, so the engine accepts it again.
    world.engine.clone().close().await.unwrap();
    world.disk.lift_aside();
    world.open_again().await;
    world.engine.authenticate(&key).await.unwrap().unwrap();
    world.at(&shop).change(by_operator(), shop.booking(at(5, 9), 1)).await.unwrap();
    assert_eq!(world.engine.businesses(&first_page()).await.unwrap().items.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_when_a_business_is_set_aside_get_responses() {
    let world = World::new(2).await;
    let shop = world.shop(1).await;
    world.disk.hold_syncs();
    let mut pending = Vec::new();
    for hour in 0..4 {
        pending.push(world.ask(&shop, shop.booking(at(1, 9 + hour), 1)).await);
    }
    let handle = world.at(&shop);
    let (service, day) = (shop.service, at(1, 0).utc().date_naive());
    let asked =
        tokio::spawn(async move { handle.availability(service, None, (day, day), Terms::Integration).await });
    everything_else_runs().await;
    world.engine.set_business_aside(shop.id, REASON).unwrap();
    world.disk.release_syncs();
    // Changes that were queued before the business was set aside are written and acknowledged.
    for answer in pending {
        answer.await.unwrap().unwrap();
    }
    drop(asked.await.unwrap());
    is_set_aside(&world.at(&shop).business().await, shop.id);
    pass(2).await;
    assert_eq!((world.engine.running_businesses(), world.fatal()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_export_of_a_business_set_aside_ends_and_a_backup_copies_readable_rows() {
    let mut world = World::new(3).await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    for number in 0..300 {
        world.at(&shop).change(by_operator(), contact(&format!("Contact {number}"))).await.unwrap();
    }
    let mut export = world.engine.export(Actor::Operator, Some(shop.id), false).unwrap();
    export.next().await.unwrap();
    world.engine.set_business_aside(shop.id, REASON).unwrap();
    let ended = loop {
        match export.next().await {
            Ok(records) => assert!(!records.is_empty(), "the export was completed"),
            Err(error) => break error,
        }
    };
    assert!(matches!(ended, ExportError::Store(StoreError::BusinessSetAside { .. })), "{ended:?}");
    let dir = tempfile::tempdir().unwrap();
    let id = world.engine.begin_backup(Actor::Operator, &dir.path().join("b")).unwrap();
    while world.engine.backup(id).unwrap().outcome.is_none() {
        everything_else_runs().await;
    }
    let manifest = world.engine.backup(id).unwrap().outcome.unwrap().unwrap();
    let rows = rows_of(&mut world, shop.id).await.len() + rows_of(&mut world, other.id).await.len();
    assert!(
        manifest.rows > rows as u64,
        "{} rows are in the backup, but {rows} are on the disk",
        manifest.rows
    );
}

#[tokio::test(start_paused = true)]
async fn deletions_and_erasures_wait_while_a_business_is_set_aside_and_others_continue() {
    let mut world = World::new(4).await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    for number in 0..600 {
        world.at(&shop).change(by_operator(), contact(&format!("Contact {number}"))).await.unwrap();
    }
    world.engine.end_business(shop.id, by_operator()).await.unwrap();
    world.engine.set_business_aside(shop.id, REASON).unwrap();
    pass(3).await;
    world.engine.end_business(other.id, by_operator()).await.unwrap();
    pass(3).await;
    assert!(rows_of(&mut world, other.id).await.is_empty());
    let left = rows_of(&mut world, shop.id).await.len();
    assert!(left > 0, "the rows of the business must still exist");
    pass(3).await;
    assert_eq!(rows_of(&mut world, shop.id).await.len(), left);
    // After the operator removes the business from the list `businesses-set-aside`, its deletion continues.
    world.engine.clone().close().await.unwrap();
    world.disk.lift_aside();
    world.open_again().await;
    pass(3).await;
    assert!(rows_of(&mut world, shop.id).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_repair_of_stamps_is_refused_while_a_business_is_set_aside() {
    let world = World::new(5).await;
    let shop = world.shop(1).await;
    world.engine.set_business_aside(shop.id, REASON).unwrap();
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let repaired = engine::repair::repair_stamps(&store, at(1, 0), true).await;
    assert!(repaired.unwrap_err().to_string().contains(&shop.id.to_string()));
    engine::repair::repair_stamps(&store, at(1, 0), false).await.unwrap_err();
    store.close().await.unwrap();
    let mut world = world;
    world.open_again().await; // the repair has changed nothing yet
}
