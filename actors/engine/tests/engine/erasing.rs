//! The erasure of contacts. Their data is deleted in steps, even when other changes, crashes or restarts
//! occur.

use std::time::Duration;

use domain::booking::{MoveRequest, Party};
use domain::{
    CallDetails, CallId, ContactDetails, ContactId, ContactPatch, Direction, DisabledReason, Email, EventId,
    EventTypes, MessageDetails, MessageId, MessageStatus, Named, Phone, Refusal, ResourceId, Text, WebhookId,
    WebhookStatus, WebhookUrl,
};
use engine::business::commands::appointments::Reschedule;
use engine::business::commands::calls::RecordCall;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use engine::business::commands::webhooks::{CreateWebhook, PatchWebhook};
use engine::business::{AppointmentFilter, CallFilter, ContactFilter, MessageFilter};
use engine::{BusinessHandle, EngineError};
use store::keys::{self, kind};
use store::{Batch, Order, Tombstone};

use crate::harness::{
    Shop, World, appointment_of, at, body, by_operator, everything_else_runs, first_page, id_of, json, once,
    pass, text,
};
use crate::rows::Rows;

pub(crate) const NAME: &str = "Ermintrude Erased";
pub(crate) const PHONE: &str = "+15550004711";
pub(crate) const EMAIL: &str = "ermintrude@gone.example";
pub(crate) const SAID: &str = "She would rather not say";

fn phone(number: &str) -> Phone {
    Phone::from_e164(number.into()).unwrap()
}

pub(crate) fn person(name: &str, number: &str, email: &str) -> CreateContact {
    CreateContact {
        details: ContactDetails {
            name: Some(text(name)),
            phone: Some(phone(number)),
            email: Some(Email::new(email).unwrap()),
            ..ContactDetails::default()
        },
    }
}

pub(crate) fn call(from: &str, contact: Option<ContactId>) -> RecordCall {
    let details = CallDetails {
        from_number: Some(phone(from)),
        to_number: Some(phone("+15550000000")),
        contact_id: contact,
        // The summary is so long that it is stored in pieces.
        summary: Some(Text::new(SAID.repeat(300)).unwrap()),
        recording_url: Some("https://recordings.example/4711".into()),
        ..CallDetails::of(Direction::Inbound, at(0, 7), at(0, 8))
    };
    RecordCall { details, contact_name: None }
}

pub(crate) fn message(from: Option<&str>, call: Option<CallId>) -> TakeMessage {
    let details = MessageDetails {
        call_id: call,
        caller_name: Some(text(NAME)),
        caller_phone: from.map(phone),
        ..MessageDetails::of(text(SAID))
    };
    TakeMessage { details }
}

async fn endpoint(handle: &BusinessHandle, host: &str) -> WebhookId {
    let url = WebhookUrl::parse(&format!("https://{host}.example.com/")).unwrap();
    let create = CreateWebhook { url, events: EventTypes::all(), description: Text::default() };
    id_of(&handle.change(by_operator(), create).await.unwrap())
}

async fn turn_off(handle: &BusinessHandle, id: WebhookId) {
    let (url, events, description) = (None, None, None);
    let (status, reason) = (Some(WebhookStatus::Disabled), DisabledReason::Operator);
    let off = PatchWebhook { id, url, events, description, status, reason };
    handle.change(by_operator(), off).await.unwrap();
}

/// Returns the rows whose values contain one of these words, ignoring case. The pieces of a long value are joined
/// before the search. Closes the engine for the search, and opens it again afterwards.
async fn telling(world: &mut World, words: &[&str]) -> Vec<String> {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let mut found = Vec::new();
    for row in store.scan(&store::every_row(), Order::Ascending) {
        let (key, value) = row.unwrap();
        let shown = String::from_utf8_lossy(&value).to_lowercase();
        if words.iter().any(|word| shown.contains(&word.to_lowercase())) {
            found.push(format!("{:?}: {shown}", store::Key::new(&key)));
        }
    }
    store.close().await.unwrap();
    world.open_again().await;
    found
}

async fn is_finished(world: &mut World, shop: &Shop) -> bool {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let kinds = [kind::ERASURE, kind::ERASING, kind::WIPE];
    let left = kinds
        .iter()
        .any(|kind| store.scan(&keys::of_kind(shop.id, *kind), Order::Ascending).next().is_some());
    assert_eq!(left, store.contains(&keys::unfinished(shop.id)).unwrap());
    store.close().await.unwrap();
    world.open_again().await;
    !left
}

async fn erase(handle: &BusinessHandle, id: ContactId) {
    handle.change(by_operator(), EraseContact { id }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_erasure_deletes_personal_data_and_keeps_ids_and_times() {
    let mut world = World::new(60).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let off = endpoint(&handle, "off").await;
    let other = id_of::<ContactId>(
        &handle.change(by_operator(), person("Other", "+15550009999", "other@b.example")).await.unwrap(),
    );
    let without_contact =
        id_of::<MessageId>(&handle.change(by_operator(), message(Some(PHONE), None)).await.unwrap());
    let created = handle.change(once(1, 1), person(NAME, PHONE, EMAIL)).await.unwrap();
    let erased: ContactId = id_of(&created);
    let patch = ContactPatch { name: Some(Some(text("Ermintrude Former"))), ..ContactPatch::default() };
    handle.change(once(2, 1), PatchContact { id: erased, patch }).await.unwrap();
    let mut booking = shop.booking(at(1, 9), 1);
    booking.contact = engine::business::commands::appointments::BookingContact::Known(erased);
    let booked = handle.change(once(3, 1), booking).await.unwrap();
    let appointment = appointment_of(&booked);
    let to = MoveRequest { starts_at: at(1, 11), staff_id: None, party: Party::TEAM, duration: None };
    handle.change(by_operator(), Reschedule { id: appointment, request: to }).await.unwrap();
    let called = handle.change(once(4, 1), call(PHONE, None)).await.unwrap();
    let of_other: CallId = id_of(&handle.change(by_operator(), call(PHONE, Some(other))).await.unwrap());
    let taken = handle.change(once(5, 1), message(Some(PHONE), None)).await.unwrap();
    let in_call: MessageId =
        id_of(&handle.change(by_operator(), message(None, Some(id_of(&called)))).await.unwrap());
    turn_off(&handle, off).await;
    let words = ["Ermintrude", &PHONE[1..], "gone.example", SAID, "recordings.example"];
    assert!(telling(&mut world, &words).await.len() > 8);

    let handle = world.at(&shop);
    let used = handle.budget().await.unwrap();
    let since = handle.now();
    erase(&handle, erased).await;
    // From the response on, requests do not find the contact, although the cleanup continues.
    assert!(handle.contact(erased).await.unwrap().is_none());
    let shown = handle.appointment(appointment).await.unwrap().unwrap();
    assert_eq!((shown.contact_id, shown.contact_name, shown.contact_phone), (None, None, None));
    assert_eq!(shown.starts_at, at(1, 11));
    let call = handle.call_record(id_of(&called)).await.unwrap().unwrap();
    assert_eq!(
        (call.contact_id, call.summary, call.from_number, call.recording_url),
        (None, None, None, None)
    );
    assert_eq!((call.started_at, call.duration_seconds), (at(0, 7), 3_600));
    everything_else_runs().await;

    for (list, listed) in [
        (
            "calls",
            handle
                .calls(&CallFilter { contact_id: Some(erased), ..CallFilter::default() }, &first_page())
                .await
                .unwrap()
                .items
                .len(),
        ),
        (
            "messages",
            handle
                .messages(
                    &MessageFilter { contact_id: Some(erased), ..MessageFilter::default() },
                    &first_page(),
                )
                .await
                .unwrap()
                .items
                .len(),
        ),
        (
            "appointments",
            handle
                .appointments(
                    &AppointmentFilter { contact_id: Some(erased), ..AppointmentFilter::default() },
                    &first_page(),
                )
                .await
                .unwrap()
                .items
                .len(),
        ),
        (
            "names",
            handle
                .contacts(
                    &ContactFilter { name_part: Some("ermintrude".into()), ..ContactFilter::default() },
                    &first_page(),
                )
                .await
                .unwrap()
                .items
                .len(),
        ),
    ] {
        assert_eq!(listed, 0, "{list}");
    }
    // A client that reads the calls ordered by `updated_at` sees that the erasure has changed the call.
    let changed = CallFilter { updated_since: Some(since), ..CallFilter::default() };
    assert_eq!(handle.calls(&changed, &first_page()).await.unwrap().items.len(), 2);
    let filter = MessageFilter { updated_since: Some(since), ..MessageFilter::default() };
    let messages = handle.messages(&filter, &first_page()).await.unwrap().items;
    let mut ids: Vec<_> = messages.iter().map(|message| message.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, [without_contact, id_of(&taken), in_call]);
    assert!(messages.iter().all(|message| message.body.is_empty() && message.caller_phone.is_none()));
    let filter = AppointmentFilter { updated_since: Some(since), ..AppointmentFilter::default() };
    assert_eq!(handle.appointments(&filter, &first_page()).await.unwrap().items.len(), 1);
    // A call by another person from this number loses only the number.
    let of_other = handle.call_record(of_other).await.unwrap().unwrap();
    assert_eq!((of_other.contact_id, of_other.from_number), (Some(other), None));
    assert!(of_other.summary.is_some());
    // The cleanup also changes the recorded usage.
    let now = handle.budget().await.unwrap();
    assert_ne!(view::render(&used), view::render(&now));

    let told = telling(&mut world, &["Ermintrude", &PHONE[1..], "gone.example"]).await;
    assert!(told.is_empty(), "{told:#?}");
    assert!(is_finished(&mut world, &shop).await);
    // A replayed response shows the current state of the resource.
    let handle = world.at(&shop);
    let again = handle.change(once(1, 1), person(NAME, PHONE, EMAIL)).await;
    assert!(matches!(again, Err(EngineError::Refused(Refusal::NotFound(Named::Contact)))), "{again:?}");
    let patch = ContactPatch { name: Some(Some(text("Ermintrude Former"))), ..ContactPatch::default() };
    let again = handle.change(once(2, 1), PatchContact { id: erased, patch }).await;
    assert!(matches!(again, Err(EngineError::Refused(Refusal::NotFound(Named::Contact)))), "{again:?}");
    let again = handle.change(once(3, 1), shop.booking(at(1, 9), 1)).await.unwrap();
    assert!(again.replayed);
    let shown = handle.appointment(appointment).await.unwrap().unwrap();
    assert_eq!(body(&again), serde_json::to_string(&shown).unwrap());
    let again = handle.change(once(5, 1), message(Some(PHONE), None)).await.unwrap();
    assert_eq!(
        (json(&again)["body"].as_str(), json(&again)["id"].as_str()),
        (Some(""), json(&taken)["id"].as_str())
    );
    // Another contact can get the phone number.
    let next: ContactId = id_of(&handle.change(by_operator(), person("Next", PHONE, EMAIL)).await.unwrap());
    assert_ne!(next, erased);
    let twice = handle.change(by_operator(), EraseContact { id: erased }).await;
    assert!(matches!(twice, Err(EngineError::Refused(Refusal::NotFound(Named::Contact)))));
    // The newest audit entries record the erasure, but not the person.
    let log = handle.audit(&first_page()).await.unwrap().items;
    assert!(log.iter().any(|entry| entry.action.as_str() == "contact.erase"
        && entry.resource_id == erased.uuid()
        && entry.changes.is_empty()));
    let updated = log.iter().find(|entry| entry.action.as_str() == "contact.updated").unwrap();
    assert_eq!(updated.changes, []);
    assert!(world.disk.tombstones().contains(&Tombstone::ErasedContact(shop.id, erased)));
}

#[tokio::test(start_paused = true)]
async fn pending_events_are_wiped_after_a_day_or_immediately_if_none_is_sent() {
    let mut world = World::new(61).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let on = endpoint(&handle, "on").await;
    let off = endpoint(&handle, "off").await;
    turn_off(&handle, off).await;
    let erased: ContactId = id_of(&handle.change(by_operator(), person(NAME, PHONE, EMAIL)).await.unwrap());
    erase(&handle, erased).await;
    pass(2).await;
    assert_eq!(
        telling(&mut world, &["Ermintrude"]).await.len(),
        1,
        "the event must be kept for the enabled endpoint"
    );
    let handle = world.at(&shop);
    let log =
        handle.deliveries(off, engine::delivery::DeliveryFilter::default(), &first_page()).await.unwrap();
    let event: EventId = log.items[0].event_id;
    assert_eq!(
        handle
            .resend_missed(off)
            .await
            .map_err(|error| matches!(error, EngineError::Refused(Refusal::Conflict { .. }))),
        Err(true),
        "the endpoint is disabled"
    );
    // The event stays until the last attempt of its delivery, which is made after 22 hours and 42 minutes.
    pass(22 * 60).await;
    assert_eq!(telling(&mut world, &["Ermintrude"]).await.len(), 1);
    pass(60).await;
    assert!(telling(&mut world, &["Ermintrude"]).await.is_empty());
    assert!(is_finished(&mut world, &shop).await);
    let handle = world.at(&shop);
    for endpoint in [on, off] {
        let again = handle.resend(endpoint, event).await;
        assert!(matches!(again, Err(EngineError::Refused(Refusal::Conflict { .. }))), "{again:?}");
    }
    let (url, events, description) = (None, None, None);
    let (status, reason) = (Some(WebhookStatus::Enabled), DisabledReason::Operator);
    let turn_on = PatchWebhook { id: on, url, events, description, status, reason };
    handle.change(by_operator(), turn_on).await.unwrap();
    assert!(matches!(handle.resend(on, event).await, Err(EngineError::Refused(Refusal::Conflict { .. }))));
    assert_eq!(handle.resend_missed(on).await.unwrap(), 0);

    // The erasure does not wait for the deliveries of a suspended business.
    let erased: ContactId = id_of(&handle.change(by_operator(), person(NAME, PHONE, EMAIL)).await.unwrap());
    let suspend = engine::business::commands::profile::PatchBusiness::suspending(true);
    handle.change(by_operator(), suspend).await.unwrap();
    erase(&handle, erased).await;
    pass(3).await;
    assert!(telling(&mut world, &["Ermintrude"]).await.is_empty());
    assert!(is_finished(&mut world, &shop).await);
}

#[tokio::test(start_paused = true)]
async fn much_data_is_erased_in_steps_while_the_business_continues() {
    const CALLS: u32 = 900;
    let mut world = World::new(62).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let erased: ContactId = id_of(&handle.change(by_operator(), person(NAME, PHONE, EMAIL)).await.unwrap());
    for _ in 0..CALLS {
        handle.change(by_operator(), call(PHONE, None)).await.unwrap();
    }
    let taken: MessageId = id_of(&handle.change(by_operator(), message(Some(PHONE), None)).await.unwrap());
    world.disk.set_sync_delay(Duration::from_millis(50));
    erase(&handle, erased).await;
    // Changes between the steps of the cleanup are carried out. Their responses contain no data of the erased
    // person.
    let patch = PatchMessage { status: Some(MessageStatus::Read), ..PatchMessage::of(taken) };
    let patched = handle.change(once(9, 1), patch).await.unwrap();
    assert_eq!(
        (json(&patched)["body"].as_str(), json(&patched)["status"].as_str()),
        (Some(""), Some("read"))
    );
    // Another person calls from the phone number during the cleanup, and becomes a new contact.
    let new = id_of::<CallId>(&handle.change(by_operator(), call(PHONE, None)).await.unwrap());
    let next = handle.call_record(new).await.unwrap().unwrap();
    assert!(next.contact_id.is_some_and(|id| id != erased));
    // The power is cut several times during the cleanup.
    for keep in [0, 1, 2] {
        tokio::time::sleep(Duration::from_millis(120)).await;
        world.crash(keep).await;
        world.disk.set_sync_delay(Duration::from_millis(50));
    }
    world.disk.set_sync_delay(Duration::ZERO);
    pass(2).await;
    assert!(is_finished(&mut world, &shop).await);
    let handle = world.at(&shop);
    let kept = handle.call_record(new).await.unwrap().unwrap();
    assert_eq!((kept.from_number.as_deref(), kept.contact_id), (Some(PHONE), next.contact_id));
    let calls =
        crate::harness::walk(100, async |page| handle.calls(&CallFilter::default(), &page).await).await;
    assert_eq!(calls.len() as u32, CALLS + 1);
    assert_eq!(calls.iter().filter(|call| call.summary.is_some()).count(), 1);
    let told = telling(&mut world, &["Ermintrude"]).await;
    assert!(told.is_empty(), "{told:#?}");
    let store = {
        world.engine.clone().close().await.unwrap();
        world.store()
    };
    Rows::checked(&store, shop.id);
}

/// The cleanup continues even if no request loads the business, and it skips an undecodable record.
#[tokio::test(start_paused = true)]
async fn an_erasure_continues_without_requests_and_skips_undecodable_records() {
    let mut world = World::new(63).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let erased: ContactId = id_of(&handle.change(by_operator(), person(NAME, PHONE, EMAIL)).await.unwrap());
    let first: CallId = id_of(&handle.change(by_operator(), call(PHONE, None)).await.unwrap());
    handle.change(by_operator(), call(PHONE, None)).await.unwrap();
    world.disk.hold_syncs();
    let erasing = world.ask(&shop, EraseContact { id: erased }).await;
    world.crash(1).await; // only the deletion of the contact survives
    erasing.await.unwrap().unwrap_err();
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    assert!(!store.contains(&keys::contact(shop.id, erased)).unwrap());
    let mut batch = Batch::default();
    batch.put(keys::call(shop.id, first), vec![9, 9, 9]);
    store.submit(shop.id, batch, Box::new(|| ()));
    store.close().await.unwrap();
    world.open_again().await;
    pass(1).await;
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    assert!(!store.contains(&keys::unfinished(shop.id)).unwrap());
    assert_eq!(
        store
            .scan(&keys::of_kind(shop.id, kind::CALL), Order::Ascending)
            .filter(|row| row.as_ref().unwrap().1.len() > 1_000)
            .count(),
        0
    );
}
