//! Deletion of businesses. After the response to the deletion, the business no longer exists. Some time later,
//! no row of the business is left.

use std::time::Duration;

use domain::{Actor, BusinessId, ContactDetails, EventTypes, Scopes, Text, WebhookUrl};
use engine::EngineError;
use engine::business::PageRequest;
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::keys::CreateKey;
use engine::business::commands::webhooks::CreateWebhook;
use engine::credentials::Credential;
use store::{Order, Tombstone, keys};

use crate::harness::{Shop, World, by_operator, everything_else_runs, first_page, json, once, pass, text};

/// Returns the number of rows that are left of the business. Restarts the engine.
async fn left(world: &mut World, of: BusinessId) -> usize {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let own = store.rows().scan(&keys::all(of), Order::Ascending).count();
    let installation = store.scan(&keys::all(BusinessId::INSTALLATION), Order::Ascending);
    let named = of.to_string();
    let bytes = uuid::Uuid::parse_str(&named).unwrap();
    let named = installation.filter(|row| {
        let (key, value) = row.as_ref().unwrap();
        let has = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        has(key, bytes.as_bytes()) || has(value, bytes.as_bytes())
    });
    let left = own + named.count();
    store.close().await.unwrap();
    world.open_again().await;
    left
}

async fn filled(world: &World) -> (Shop, String) {
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let url = WebhookUrl::parse("https://hooks.example.com/").unwrap();
    let create = CreateWebhook { url, events: EventTypes::all(), description: Text::default() };
    handle.change(by_operator(), create).await.unwrap();
    let key = CreateKey { name: text("k"), scopes: Scopes::all() };
    let key = handle.change(by_operator(), key).await.unwrap();
    for number in 0..400 {
        let details =
            ContactDetails { name: Some(text(&format!("No. {number}"))), ..ContactDetails::default() };
        handle.change(by_operator(), CreateContact { details }).await.unwrap();
    }
    (shop, json(&key)["key"].as_str().unwrap().to_owned())
}

async fn is_let_in(world: &World, key: &str) -> bool {
    world.engine.authenticate(&Credential::parse(key).unwrap()).await.unwrap().is_some()
}

#[tokio::test(start_paused = true)]
async fn a_deleted_business_is_not_found_immediately_and_leaves_no_rows() {
    let mut world = World::new(80).await;
    let (shop, key) = filled(&world).await;
    let (other, other_key) = filled(&world).await;
    assert!(is_let_in(&world, &key).await);
    world.disk.set_sync_delay(Duration::from_millis(30));
    let handle = world.at(&shop);
    let before = world
        .ask(
            &shop,
            CreateContact {
                details: ContactDetails { name: Some(text("Last")), ..ContactDetails::default() },
            },
        )
        .await;
    world.engine.end_business(shop.id, once(1, 1)).await.unwrap();
    before.await.unwrap().unwrap();
    assert!(!is_let_in(&world, &key).await);
    assert!(matches!(handle.business().await, Err(EngineError::NotFound)));
    assert!(matches!(
        handle.change(by_operator(), shop.booking(crate::harness::at(1, 9), 1)).await,
        Err(EngineError::NotFound)
    ));
    assert!(matches!(handle.budget().await, Err(EngineError::NotFound)));
    let list = world.engine.businesses(&PageRequest { limit: 10, after: None }).await.unwrap().items;
    assert_eq!(list.iter().map(|business| business.id).collect::<Vec<_>>(), [other.id]);
    let again = world.engine.end_business(shop.id, once(1, 1)).await.unwrap();
    assert!(again.replayed);
    assert!(matches!(world.engine.end_business(shop.id, by_operator()).await, Err(EngineError::NotFound)));
    // The power is cut during the deletion.
    for keep in [1, 0, 2] {
        tokio::time::sleep(Duration::from_millis(70)).await;
        world.crash(keep).await;
        world.disk.set_sync_delay(Duration::from_millis(30));
        assert!(!is_let_in(&world, &key).await);
        assert!(matches!(world.at(&shop).business().await, Err(EngineError::NotFound)));
    }
    world.disk.set_sync_delay(Duration::ZERO);
    pass(2).await;
    assert_eq!(
        left(&mut world, shop.id).await,
        1,
        "only the installation's audit entry may still name the business"
    );
    let log = world.engine.people().audit(&first_page()).await.unwrap().items;
    let told: Vec<_> = log.iter().map(|entry| (entry.action.as_str(), entry.actor)).collect();
    assert_eq!(told, [("business.ended", Actor::Operator)]);
    assert!(is_let_in(&world, &other_key).await);
    assert!(world.disk.tombstones().contains(&Tombstone::EndedBusiness(shop.id)));
    assert!(left(&mut world, other.id).await > 400);
}

#[tokio::test(start_paused = true)]
async fn requests_during_a_deletion_are_not_found() {
    let world = World::new(81).await;
    let (shop, _) = filled(&world).await;
    world.disk.hold_syncs();
    let engine = world.engine.clone();
    let id = shop.id;
    let ending = tokio::spawn(async move { engine.end_business(id, by_operator()).await });
    everything_else_runs().await;
    let late = world.ask(&shop, shop.booking(crate::harness::at(1, 9), 1)).await;
    assert!(!late.is_finished(), "the deletion is not durable yet");
    world.disk.release_syncs();
    ending.await.unwrap().unwrap();
    assert!(matches!(late.await.unwrap(), Err(EngineError::NotFound)));
}
