//! The delivery log keeps deliveries for 30 days. Afterwards all their rows are deleted.

use std::time::Duration;

use domain::{
    BudgetKind, ContactDetails, DisabledReason, EventTypes, Text, WebhookId, WebhookStatus, WebhookUrl,
};
use engine::business::PageRequest;
use engine::business::commands::budget::{LimitPatch, PatchBudget};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::webhooks::{CreateWebhook, PatchWebhook};
use engine::delivery::DeliveryFilter;
use store::Order;
use store::keys::{self, kind};

use crate::harness::{Shop, World, by_operator, id_of, text};

/// The number of events. One step of the sweep deletes fewer events.
const EVENTS: usize = 300;
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn an_endpoint(world: &World, shop: &Shop) -> WebhookId {
    let url = WebhookUrl::parse("https://hooks.example.com/").unwrap();
    let create = CreateWebhook { url, events: EventTypes::all(), description: Text::default() };
    id_of(&world.at(shop).change(by_operator(), create).await.unwrap())
}

/// A disabled endpoint. It misses every event.
async fn an_endpoint_that_is_off(world: &World, shop: &Shop) -> WebhookId {
    let id = an_endpoint(world, shop).await;
    let (url, events, description) = (None, None, None);
    let (status, reason) = (Some(WebhookStatus::Disabled), DisabledReason::Operator);
    let off = PatchWebhook { id, url, events, description, status, reason };
    world.at(shop).change(by_operator(), off).await.unwrap();
    id
}

async fn is_shown(world: &World, shop: &Shop, endpoint: WebhookId) -> bool {
    let page = PageRequest { limit: 1, after: None };
    let log = world.at(shop).deliveries(endpoint, DeliveryFilter::default(), &page).await.unwrap();
    !log.items.is_empty()
}

/// Restarts the engine. Returns how many deliveries and how many events are on the disk.
async fn kept(world: &mut World, shop: &Shop) -> (usize, usize) {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let count = |kind| store.scan(&keys::of_kind(shop.id, kind), Order::Ascending).count();
    let kept = (count(kind::DELIVERY), count(kind::EVENT));
    store.close().await.unwrap();
    world.open_again().await;
    kept
}

async fn happen(world: &World, shop: &Shop, times: usize) {
    for number in 0..times {
        let details =
            ContactDetails { name: Some(text(&format!("No. {number}"))), ..ContactDetails::default() };
        world.at(shop).change(by_operator(), CreateContact { details }).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_log_keeps_deliveries_for_30_days_and_events_for_32() {
    let mut world = World::new(30).await;
    let shop = world.shop(0).await;
    let endpoint = an_endpoint_that_is_off(&world, &shop).await;
    happen(&world, &shop, EVENTS).await;
    let written = tokio::time::Instant::now();
    let until = async |age: Duration| tokio::time::sleep_until(written + age).await;

    until(30 * DAY - MINUTE).await;
    assert!(is_shown(&world, &shop, endpoint).await, "deliveries must be shown until 30 days have passed");
    assert_eq!(kept(&mut world, &shop).await, (EVENTS, EVENTS));
    until(30 * DAY + MINUTE).await;
    assert!(!is_shown(&world, &shop, endpoint).await, "deliveries must be hidden after 30 days");
    // The business is not in use, so its expired rows are deleted only once a day.
    until(31 * DAY + DAY / 2).await;
    assert_eq!(
        kept(&mut world, &shop).await,
        (0, EVENTS),
        "events must be kept longer, because an attempt may be in progress"
    );
    until(33 * DAY + DAY / 2).await;
    assert_eq!(kept(&mut world, &shop).await, (0, 0));
}

/// A suspended business has more pending deliveries than one step of the sweep reads. The sweep must keep
/// them, and must reach and delete the later deliveries, which have the status `missed` because the budget was full.
#[tokio::test(start_paused = true)]
async fn old_pending_deliveries_do_not_keep_later_ones_from_being_deleted() {
    const MISSED: usize = 20;
    let mut world = World::new(31).await;
    let shop = world.shop(0).await;
    an_endpoint(&world, &shop).await;
    let handle = world.at(&shop);
    handle.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    let limits = LimitPatch { rows_max: Some(Some(EVENTS as u64)), bytes_max: None };
    let budget = PatchBudget { limits: vec![(BudgetKind::WaitingDeliveries, limits)] };
    handle.change(by_operator(), budget).await.unwrap();
    happen(&world, &shop, EVENTS + MISSED).await;
    let (deliveries, events) = kept(&mut world, &shop).await;
    assert_eq!((deliveries, events), (EVENTS + MISSED, EVENTS + MISSED));
    tokio::time::sleep(31 * DAY + DAY / 2).await;
    assert_eq!(kept(&mut world, &shop).await, (EVENTS, events));
    tokio::time::sleep(2 * DAY).await;
    assert_eq!(kept(&mut world, &shop).await, (EVENTS, EVENTS));
}
