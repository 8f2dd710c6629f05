//! Tests with a full or nearly full disk.

use std::time::Duration;

use domain::{
    Actor, AppointmentStatus, BookingMode, DisabledReason, EventTypes, KeyId, Scopes, Text, WebhookId,
    WebhookStatus, WebhookUrl,
};
use engine::EngineError;
use engine::business::commands::appointments::Cancel;
use engine::business::commands::keys::{CreateKey, RevokeKey};
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::webhooks::{CreateWebhook, DeleteWebhook, PatchWebhook};
use serde_json::Value;
use store::{DiskReserve, RoomLevel};

use crate::harness::{
    World, appointment_of, at, body, by_operator, first_page, id_of, json, once, pass, text,
};

const MIB: u64 = 1 << 20;

/// Leaves this much of the disk free, and waits until the engine notices the change.
async fn free(world: &World, mib: u64) {
    world.disk.set_free(mib * MIB);
    tokio::time::sleep(Duration::from_secs(1)).await;
}

fn is_full<T>(result: &Result<T, EngineError>) -> bool {
    matches!(result, Err(EngineError::DiskFull(_)))
}

fn webhook() -> CreateWebhook {
    let url = WebhookUrl::parse("https://a.example.com/").unwrap();
    CreateWebhook { url, events: EventTypes::all(), description: Text::default() }
}

#[tokio::test(start_paused = true)]
async fn below_the_reserve_only_changes_that_grow_the_store_are_refused() {
    let world = World::new(1).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let create = CreateKey { name: text("key"), scopes: Scopes::all() };
    let key = handle.change(by_operator(), create.clone()).await.unwrap();
    let endpoint: WebhookId = id_of(&handle.change(by_operator(), webhook()).await.unwrap());
    let first = handle.change(once(1, 1), shop.booking(at(1, 9), 1)).await.unwrap();
    let applies = world.disk.applies();

    free(&world, 1_023).await;
    assert_eq!(world.engine.room().0, RoomLevel::Scarce);
    assert!(is_full(&handle.change(once(2, 2), shop.booking(at(1, 10), 1)).await));
    assert!(is_full(&handle.change(by_operator(), create.clone()).await));
    let new = engine::NewBusiness {
        name: text("Another"),
        zone: chrono_tz::UTC,
        locale: domain::Locale::En,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: domain::WeeklyHours::default(),
        breaks: domain::WeeklyBreaks::default(),
        phone_region: "US".into(),
    };
    assert!(is_full(&world.engine.create_business(new.clone(), Actor::Operator).await));
    assert_eq!(world.disk.applies(), applies, "a refused change must not write");
    assert_eq!(world.engine.businesses(&first_page()).await.unwrap().items.len(), 1);

    // A stored response is replayed, and the record can be read.
    let again = handle.change(once(1, 1), shop.booking(at(1, 9), 1)).await.unwrap();
    assert!(again.replayed && body(&again) == body(&first));
    let id = appointment_of(&first);
    assert_eq!(handle.appointment(id).await.unwrap().unwrap().status, AppointmentStatus::Confirmed);
    handle.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    handle.change(by_operator(), PatchBusiness::suspending(false)).await.unwrap();
    handle.rotate_secret(endpoint, by_operator()).await.unwrap();
    handle.change(by_operator(), RevokeKey { id: id_of(&key) }).await.unwrap();
    handle.change(once(3, 3), Cancel { id }).await.unwrap();
    assert!(handle.change(once(3, 3), Cancel { id }).await.unwrap().replayed);

    // The shortage ends when the free space exceeds the reserve by an eighth of the reserve.
    free(&world, 1_151).await;
    assert!(is_full(&handle.change(by_operator(), create).await));
    free(&world, 1_152).await;
    let booked = handle.change(once(2, 2), shop.booking(at(1, 10), 1)).await.unwrap();
    assert!(!booked.replayed, "the refused request must not be stored");
    world.engine.create_business(new, Actor::Operator).await.unwrap();
    let audit: Vec<_> = handle.audit(&first_page()).await.unwrap().items;
    let booked = audit.iter().filter(|entry| entry.action.as_str() == "appointment.booked").count();
    assert_eq!(booked, 2, "{audit:?}");
}

#[tokio::test(start_paused = true)]
async fn in_the_last_part_of_the_reserve_only_stopping_and_deleting_succeed() {
    let world = World::new(4).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let create = CreateKey { name: text("key"), scopes: Scopes::all() };
    let key: KeyId = id_of(&handle.change(by_operator(), create).await.unwrap());
    let endpoint = handle.change(by_operator(), webhook()).await.unwrap();
    let endpoint: WebhookId = id_of(&endpoint);
    let other: WebhookId = id_of(&handle.change(by_operator(), webhook()).await.unwrap());
    let id = appointment_of(&handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap());

    free(&world, 255).await;
    assert_eq!(world.engine.room().0, RoomLevel::Exhausted);
    let applies = world.disk.applies();
    let disabled = Some(WebhookStatus::Disabled);
    let off = PatchWebhook {
        id: endpoint,
        url: None,
        events: None,
        description: None,
        status: disabled,
        reason: DisabledReason::Operator,
    };
    let stop = PatchBusiness { booking_mode: Some(BookingMode::Off), ..PatchBusiness::default() };
    // While the disk is nearly full (`RoomLevel::Exhausted`), the service accepts a change that disables an endpoint or
    // the bookings and does nothing else. If the change also sets a text, for example a name, the service refuses it.
    // If the service accepted it, a client could fill the disk by repeating the change with a new text each time.
    assert!(is_full(&handle.change(by_operator(), shop.booking(at(1, 10), 1)).await));
    let described =
        PatchWebhook { description: Some(Text::new("another each time".into()).unwrap()), ..off.clone() };
    assert!(is_full(&handle.change(by_operator(), described).await));
    let renamed = PatchBusiness { name: Some(text("Another each time")), ..stop.clone() };
    assert!(is_full(&handle.change(by_operator(), renamed).await));
    assert!(is_full(&handle.rotate_secret(endpoint, by_operator()).await));
    assert!(is_full(&handle.change(by_operator(), PatchBusiness::suspending(false)).await));
    assert!(is_full(&handle.resend_missed(endpoint).await));
    pass(3).await; // nothing is deleted or written
    assert_eq!(world.disk.applies(), applies, "a refused change must not write");

    let cancelled = handle.change(once(1, 1), Cancel { id }).await.unwrap();
    assert!(handle.change(once(1, 1), Cancel { id }).await.unwrap().replayed);
    handle.change(by_operator(), RevokeKey { id: key }).await.unwrap();
    handle.change(by_operator(), off.clone()).await.unwrap();
    handle.change(by_operator(), DeleteWebhook { id: other }).await.unwrap();
    handle.change(by_operator(), stop.clone()).await.unwrap();
    handle.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();

    // The disk is still nearly full. The test repeats changes that were made above, so they change nothing. Without an
    // idempotency key, a repeated change writes nothing, so it is accepted. With a new idempotency key, a repeated
    // change is refused, because the service would have to store the response.
    let applies = world.disk.applies();
    assert_eq!(body(&handle.change(by_operator(), Cancel { id }).await.unwrap()), body(&cancelled));
    handle.change(by_operator(), RevokeKey { id: key }).await.unwrap();
    handle.change(by_operator(), off).await.unwrap();
    handle.change(by_operator(), stop).await.unwrap();
    handle.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    assert!(is_full(&handle.change(once(2, 2), Cancel { id }).await));
    assert!(is_full(&handle.change(once(3, 3), RevokeKey { id: key }).await));
    assert_eq!(world.disk.applies(), applies);
    assert_eq!(world.fatal(), 0);
}

#[tokio::test(start_paused = true)]
async fn below_the_floor_all_changes_are_refused_and_reads_and_starts_work() {
    let mut world = World::new(2).await;
    let shop = world.shop(1).await;
    let create = CreateKey { name: text("key"), scopes: Scopes::all() };
    let key = world.at(&shop).change(by_operator(), create).await.unwrap();
    let shown: Value = json(&key);
    let credential = engine::credentials::Credential::parse(shown["key"].as_str().unwrap()).unwrap();
    let first = world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let id = appointment_of(&first);

    free(&world, 63).await;
    for _ in 0..2 {
        assert_eq!(world.engine.room().0, RoomLevel::Full);
        let applies = world.disk.applies();
        let handle = world.at(&shop);
        assert!(is_full(&handle.change(by_operator(), Cancel { id }).await));
        assert!(is_full(&handle.change(by_operator(), PatchBusiness::suspending(true)).await));
        assert!(world.engine.authenticate(&credential).await.unwrap().is_some());
        let read = handle.appointment(id).await.unwrap().unwrap();
        assert_eq!(read.status, AppointmentStatus::Confirmed);
        assert_eq!(handle.keys(&first_page()).await.unwrap().items.len(), 1);
        pass(3).await; // the use of keys is written, and expired rows are deleted
        assert_eq!(world.disk.applies(), applies);
        assert_eq!(world.fatal(), 0);
        world.restart().await;
    }
    assert!(world.engine.authenticate(&credential).await.unwrap().is_some());
    free(&world, 72).await;
    assert_eq!(world.engine.room().0, RoomLevel::Exhausted);
    let applies = world.disk.applies();
    pass(2).await;
    assert_eq!(world.disk.applies(), applies);
    free(&world, 288).await;
    assert_eq!(world.engine.room().0, RoomLevel::Scarce);
    pass(2).await;
    assert!(world.disk.applies() > applies, "the delayed use of the key must be written");
    world.at(&shop).change(by_operator(), Cancel { id }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn without_a_reserve_nothing_is_refused() {
    let world = World::new(3).await;
    let shop = world.shop(1).await;
    world.engine.set_disk_reserve(DiskReserve::Bytes(0));
    free(&world, 0).await;
    world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    world.engine.set_disk_reserve(DiskReserve::Bytes(100 * MIB));
    assert!(is_full(&world.at(&shop).change(by_operator(), shop.booking(at(1, 10), 1)).await), "at once");
}
