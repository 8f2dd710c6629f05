//! Expired records are deleted when the wall clock and the steady clock both show that they have expired.

use chrono::TimeDelta;
use domain::{CallDetails, Direction, MessageDetails, Phone, Timestamp};
use engine::business::commands::appointments::Cancel;
use engine::business::commands::calls::RecordCall;
use engine::business::commands::erasure::PatchRetention;
use engine::business::commands::messages::TakeMessage;
use engine::business::{AppointmentFilter, CallFilter, MessageFilter};

use crate::harness::{
    Shop, World, appointment_of, at, by_operator, first_page, id_of, json, pass, text, walk,
};
use crate::rows::Rows;

const DAY: u64 = 24 * 60;

fn call(at: Timestamp) -> RecordCall {
    let details = CallDetails {
        from_number: Some(Phone::from_e164("+15550001111".into()).unwrap()),
        ..CallDetails::of(Direction::Inbound, at, at)
    };
    RecordCall { details, contact_name: None }
}

fn message(call_id: Option<domain::CallId>) -> TakeMessage {
    let details = MessageDetails { call_id, ..MessageDetails::of(text("Ring back")) };
    TakeMessage { details }
}

/// Counts the calls, messages, appointments and audit entries.
async fn there(world: &World, shop: &Shop) -> [usize; 4] {
    let handle = world.at(shop);
    let calls = walk(100, async |page| handle.calls(&CallFilter::default(), &page).await).await;
    let messages = walk(100, async |page| handle.messages(&MessageFilter::default(), &page).await).await;
    let filter = AppointmentFilter::default();
    let appointments = walk(100, async |page| handle.appointments(&filter, &page).await).await;
    let audit = walk(100, async |page| handle.audit(&page).await).await;
    [calls.len(), messages.len(), appointments.len(), audit.len()]
}

async fn keep(world: &World, shop: &Shop, patch: PatchRetention) {
    world.at(shop).change(by_operator(), patch).await.unwrap();
}

async fn check(world: &mut World, shop: &Shop) {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    Rows::checked(&store, shop.id);
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    store.close().await.unwrap();
    world.open_again().await;
}

#[tokio::test(start_paused = true)]
async fn setting_a_retention_deletes_older_records() {
    let mut world = World::new(70).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    for _ in 0..600 {
        handle.change(by_operator(), call(at(0, 7))).await.unwrap();
    }
    let last = id_of(&handle.change(by_operator(), call(at(0, 7))).await.unwrap());
    let of_call = handle.change(by_operator(), message(Some(last))).await.unwrap();
    let held = handle.change(by_operator(), shop.booking(at(60, 9), 1)).await.unwrap();
    let past = handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let cancelled = handle.change(by_operator(), shop.booking(at(60, 11), 1)).await.unwrap();
    handle.change(by_operator(), Cancel { id: appointment_of(&cancelled) }).await.unwrap();
    pass(40 * DAY).await;
    // Without a retention period, every record is still there.
    assert_eq!(there(&world, &shop).await[..3], [601, 1, 3]);
    keep(
        &world,
        &shop,
        PatchRetention {
            calls_days: Some(Some(39)),
            appointments_days: Some(Some(30)),
            ..PatchRetention::default()
        },
    )
    .await;
    pass(1).await;
    let [calls, messages, appointments, _] = there(&world, &shop).await;
    assert_eq!(
        (calls, messages, appointments),
        (0, 1, 2),
        "an appointment that has not ended must stay, even if it is cancelled"
    );
    let handle = world.at(&shop);
    assert!(handle.appointment(appointment_of(&past)).await.unwrap().is_none());
    assert!(handle.appointment(appointment_of(&held)).await.unwrap().is_some());
    // A message keeps the id of its deleted call.
    let messages = handle.messages(&MessageFilter::default(), &first_page()).await.unwrap().items;
    assert_eq!(messages[0].call_id, Some(last));
    assert_eq!(json(&of_call)["id"], messages[0].id.to_string());
    check(&mut world, &shop).await;
    // From this moment on, new records are deleted when they expire.
    world.at(&shop).change(by_operator(), call(at(0, 7))).await.unwrap();
    pass(38 * DAY).await;
    assert_eq!(there(&world, &shop).await[0], 1);
    pass(2 * DAY + 90).await;
    assert_eq!(
        there(&world, &shop).await[0],
        0,
        "the call must be deleted within one more day, which is the interval of the age marks"
    );
    check(&mut world, &shop).await;
}

#[tokio::test(start_paused = true)]
async fn a_wrong_clock_deletes_no_record() {
    let mut world = World::new(71).await;
    let shop = world.shop(1).await;
    keep(
        &world,
        &shop,
        PatchRetention {
            calls_days: Some(Some(30)),
            messages_days: Some(Some(30)),
            appointments_days: Some(Some(30)),
            audit_days: Some(Some(90)),
        },
    )
    .await;
    let handle = world.at(&shop);
    handle.change(by_operator(), call(at(0, 7))).await.unwrap();
    handle.change(by_operator(), message(None)).await.unwrap();
    handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    pass(2 * DAY).await;
    world.jump_and_hold(&shop, TimeDelta::days(400)).await;
    pass(2 * DAY).await;
    assert_eq!(there(&world, &shop).await[..3], [1, 1, 1]);
    // After the clock is corrected, every record is deleted when it expires, even the call whose timestamp is
    // in the future.
    world.at(&shop).change(by_operator(), call(at(0, 7))).await.unwrap();
    world.jump_and_hold(&shop, TimeDelta::days(-400)).await;
    pass(20 * DAY).await;
    assert_eq!(there(&world, &shop).await[..3], [2, 1, 1]);
    pass(15 * DAY).await;
    assert_eq!(there(&world, &shop).await[..3], [0, 0, 0]);
    check(&mut world, &shop).await;
}

#[tokio::test(start_paused = true)]
async fn the_newest_audit_entry_is_kept_and_contains_the_usage() {
    let mut world = World::new(72).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    for hour in 0..5 {
        handle.change(by_operator(), shop.booking(at(400, hour), 1)).await.unwrap();
    }
    keep(&world, &shop, PatchRetention { audit_days: Some(Some(90)), ..PatchRetention::default() }).await;
    let before = view::render(&world.at(&shop).budget().await.unwrap());
    pass(95 * DAY).await;
    world.restart().await;
    assert_eq!(view::render(&world.at(&shop).budget().await.unwrap()), before);
    pass(2).await;
    let log = walk(100, async |page| world.at(&shop).audit(&page).await).await;
    assert_eq!(log.len(), 1, "{log:?}");
    assert_eq!(log[0].action.as_str(), "retention.updated");
    check(&mut world, &shop).await;
}
