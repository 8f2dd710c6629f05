//! Tests with one undecodable row of each kind in a store. All other records of the store must still be usable.

use std::collections::BTreeSet;

use domain::availability::Terms;
use domain::{
    BusinessId, CallDetails, ContactDetails, ContactId, DayWindows, Direction, EventTypes, KnowledgeDetails,
    MessageDetails, Phone, Refusal, Scopes, ServiceId, StaffId, Text, Timestamp, WebhookId, WebhookUrl,
};
use engine::business::commands::calls::RecordCall;
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::diary::{AddTimeOff, DeleteTimeOff, OffSpan, SetSpecialDay};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::keys::CreateKey;
use engine::business::commands::knowledge::AddKnowledge;
use engine::business::commands::messages::TakeMessage;
use engine::business::commands::webhooks::CreateWebhook;
use engine::business::{AppointmentFilter, CallFilter, ContactFilter, KnowledgeFilter, MessageFilter};
use engine::credentials::Credential;
use engine::delivery::DeliveryFilter;
use engine::{BusinessHandle, EngineError};
use store::keys::{installation_kind, kind};
use store::{Key, Order, Tombstone, keys};

use crate::harness::{
    Shop, World, at, body, by_operator, first_page, id_of, is_taken, json, once, pass, text, walk,
};

/// A business with records of every kind.
struct Full {
    shop: Shop,
    hook: WebhookId,
    credential: Credential,
}

async fn full(world: &World) -> Full {
    let mut shop = world.shop(1).await;
    let handle = world.at(&shop);
    // Each damaged record needs an intact one of the same kind, so there is a second service and a second
    // staff member.
    let create = CreateService::lasting(text("Shave"), 60);
    let service: ServiceId = id_of(&handle.change(by_operator(), create).await.unwrap());
    let create = CreateStaff::offering(text("Second"), vec![shop.service, service]);
    let second: StaffId = id_of(&handle.change(by_operator(), create).await.unwrap());
    shop.staff.push(second);
    for days in [40, 41] {
        let span = OffSpan::Instants { starts_at: at(days, 9), ends_at: at(days, 10) };
        let off = AddTimeOff { staff_id: shop.staff[0], span, note: None };
        handle.change(by_operator(), off).await.unwrap();
        let date = at(days, 0).utc().date_naive();
        let closed = SetSpecialDay { date, hours: DayWindows::CLOSED, note: None };
        handle.change(by_operator(), closed).await.unwrap();
    }
    let url = WebhookUrl::parse("https://hooks.example.com/").unwrap();
    let create = CreateWebhook { url, events: EventTypes::all(), description: Text::default() };
    let hook = id_of(&handle.change(by_operator(), create).await.unwrap());
    let create = CreateKey { name: text("key"), scopes: Scopes::all() };
    let key = handle.change(by_operator(), create).await.unwrap();
    let credential = Credential::parse(json(&key)["key"].as_str().unwrap()).unwrap();
    for number in 1..=2 {
        let hour = i64::from(number) + 8;
        handle.change(once(number, 1), shop.booking(at(2, hour), number.into())).await.unwrap();
        let phone = Phone::from_e164(format!("+1555{number:07}")).unwrap();
        let details = CallDetails {
            from_number: Some(phone.clone()),
            ..CallDetails::of(Direction::Inbound, at(0, 1), at(0, 2))
        };
        handle.change(by_operator(), RecordCall { details, contact_name: None }).await.unwrap();
        let details = MessageDetails {
            caller_phone: Some(phone),
            ..MessageDetails::of(Text::new("Ring back".into()).unwrap())
        };
        handle.change(by_operator(), TakeMessage { details }).await.unwrap();
        let details = KnowledgeDetails {
            title: text("Parking"),
            content: Text::new("x".repeat(9_000)).unwrap(), // stored in pieces
            source_url: None,
            locale: None,
        };
        handle.change(by_operator(), AddKnowledge { details }).await.unwrap();
    }
    world.engine.authenticate(&credential).await.unwrap().unwrap();
    pass(2).await; // the use of the key is written
    Full { shop, hook, credential }
}

/// The number of items in every list of a business.
async fn lists(handle: &BusinessHandle, Full { shop, hook, .. }: &Full) -> Vec<(&'static str, usize)> {
    let (since, hook) = (Some(Timestamp::MIN), *hook);
    let phone = Some(Phone::from_e164("+15550000001".into()).unwrap());
    let contact = ContactFilter { name_part: Some("contact".into()), ..ContactFilter::default() };
    let by_phone = ContactFilter { phone, ..ContactFilter::default() };
    let contacts = ContactFilter { updated_since: since, ..ContactFilter::default() };
    let appointments = AppointmentFilter { updated_since: since, ..AppointmentFilter::default() };
    let calls = CallFilter { updated_since: since, ..CallFilter::default() };
    let messages = MessageFilter { updated_since: since, ..MessageFilter::default() };
    let mut found = vec![
        ("services", walk(3, async |page| handle.services(true, &page).await).await.len()),
        ("staff", walk(3, async |page| handle.staff(&page).await).await.len()),
        (
            "knowledge",
            walk(3, async |page| handle.knowledge_list(&KnowledgeFilter::default(), &page).await).await.len(),
        ),
        ("keys", walk(3, async |page| handle.keys(&page).await).await.len()),
        ("webhooks", walk(3, async |page| handle.webhooks(&page).await).await.len()),
        ("special days", walk(3, async |page| handle.special_days((None, None), &page).await).await.len()),
        ("times off", walk(3, async |page| handle.times_off(shop.staff[0], &page).await).await.len()),
    ];
    for (name, filter) in [("appointments", AppointmentFilter::default()), ("changed", appointments)] {
        found.push((name, walk(3, async |page| handle.appointments(&filter, &page).await).await.len()));
    }
    for (name, filter) in [
        ("contacts", ContactFilter::default()),
        ("named", contact),
        ("by phone", by_phone),
        ("changed contacts", contacts),
    ] {
        found.push((name, walk(3, async |page| handle.contacts(&filter, &page).await).await.len()));
    }
    for (name, filter) in [("calls", CallFilter::default()), ("changed calls", calls)] {
        found.push((name, walk(3, async |page| handle.calls(&filter, &page).await).await.len()));
    }
    for (name, filter) in [("messages", MessageFilter::default()), ("changed messages", messages)] {
        found.push((name, walk(3, async |page| handle.messages(&filter, &page).await).await.len()));
    }
    let log = async |page| handle.deliveries(hook, DeliveryFilter::default(), &page).await;
    match handle.webhook(hook).await {
        Ok(_) => found.push(("log", walk(3, log).await.len())),
        Err(_) => assert!(matches!(handle.webhook(hook).await, Err(EngineError::Store(_)))),
    }
    found
}

/// The kinds of rows that contain a record or another encoded value.
const OF_A_BUSINESS: [u8; 32] = [
    kind::SERVICE,
    kind::STAFF,
    kind::SPECIAL_DAY,
    kind::BLOCKED_TIME,
    kind::WEBHOOK,
    kind::BUDGET,
    kind::KEY,
    kind::APPOINTMENT,
    kind::APPOINTMENT_START,
    kind::APPOINTMENT_BY_UPDATE,
    kind::CONTACT,
    kind::CONTACT_BY_PHONE,
    kind::CONTACT_BY_UPDATE,
    kind::CONTACT_SEARCH,
    kind::CALL,
    kind::CALL_BY_START,
    kind::CALL_BY_UPDATE,
    kind::MESSAGE,
    kind::MESSAGE_BY_CREATION,
    kind::MESSAGE_BY_STATUS,
    kind::MESSAGE_BY_UPDATE,
    kind::KNOWLEDGE,
    kind::KNOWLEDGE | 0x80,
    kind::EVENT,
    kind::DELIVERY,
    kind::DELIVERY_DUE,
    kind::DELIVERY_REACHED,
    kind::AUDIT,
    kind::IDEMPOTENCY,
    kind::AGE,
    0x0f, // an unknown kind, within the range that an actor loads
    0x6f,
];

/// Damages the first or the last row of a kind, while no engine runs. If the kind has no rows, adds an
/// invalid row.
async fn damage(world: &mut World, of: BusinessId, kind: u8, last: bool) -> Key {
    world.engine.clone().close().await.unwrap();
    let (store, range) = (world.store(), keys::of_kind(of, kind));
    let order = if last { Order::Descending } else { Order::Ascending };
    let key = store.rows().scan(&range, order).next().map(|row| Key::new(&row.unwrap().0));
    store.close().await.unwrap();
    let key = key.unwrap_or(range.from);
    world.plant(key, b"\xee").await;
    key
}

#[tokio::test(start_paused = true)]
async fn a_row_of_any_kind_that_does_not_decode_stops_no_actor_list_or_sweep() {
    for (number, (kind, last)) in
        OF_A_BUSINESS.into_iter().flat_map(|kind| [(kind, false), (kind, true)]).enumerate()
    {
        let what = format!("kind {kind:#04x}, last {last}");
        let mut world = World::new(number as u64).await;
        let full = full(&world).await;
        let shop = &full.shop;
        let neighbour = world.shop(1).await;
        let whole = lists(&world.at(shop), &full).await;
        damage(&mut world, shop.id, kind, last).await;
        let handle = world.at(shop);

        // Some bookings need the damaged record. All other bookings must work.
        let mut booked = 0;
        for service in handle.services(true, &first_page()).await.unwrap().items {
            for staff in handle.staff(&first_page()).await.unwrap().items {
                if staff.service_ids.contains(&service.id) {
                    let of = Shop { service: service.id, staff: vec![staff.id], ..shop.clone() };
                    let booking = of.booking(at(4, 9 + booked), 7);
                    handle
                        .change(by_operator(), booking)
                        .await
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    booked += 1;
                }
            }
        }
        assert!(booked > 0, "{what}");
        let found = lists(&handle, &full).await;
        for (name, items) in &found {
            let before = whole.iter().find(|(list, _)| list == name).unwrap().1;
            assert!(*items >= before - 1, "{what}: {name} has {items} of {before}");
        }
        assert!(!handle.audit(&first_page()).await.unwrap().items.is_empty(), "{what}");
        handle.budget().await.unwrap();
        assert_eq!(world.engine.businesses(&first_page()).await.unwrap().items.len(), 2, "{what}");
        // Twice, 27 hours pass, in which sweeps, the daily job and due deliveries run. After each period, the engine
        // restarts and loads the business again.
        for _ in 0..2 {
            pass(27 * 60).await;
            world.restart().await;
        }
        let handle = world.at(shop);
        handle.change(by_operator(), CreateContact { details: named("After") }).await.unwrap();
        world.at(&neighbour).change(by_operator(), neighbour.booking(at(9, 9), 1)).await.unwrap();
        // Despite undecodable records, every contact can be erased, and the business can be deleted.
        for contact in handle.contacts(&ContactFilter::default(), &first_page()).await.unwrap().items {
            handle.change(by_operator(), EraseContact { id: contact.id }).await.unwrap();
        }
        pass(2).await;
        world.engine.end_business(shop.id, by_operator()).await.unwrap();
        pass(2).await;
        assert_eq!(world.fatal(), 0, "{what}");
        assert_eq!(rows_of(&mut world, shop.id).await, 0, "{what}");
    }
}

async fn rows_of(world: &mut World, of: BusinessId) -> usize {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let rows = store.rows().scan(&keys::all(of), Order::Ascending).count();
    store.close().await.unwrap();
    world.open_again().await;
    rows
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_contact_is_erased_with_all_its_index_rows() {
    let mut world = World::new(6).await;
    let Full { shop, .. } = full(&world).await;
    let contacts = world.at(&shop).contacts(&ContactFilter::default(), &first_page()).await.unwrap().items;
    let id: ContactId = contacts.last().unwrap().id;
    world.spoil(keys::contact(shop.id, id)).await;
    let handle = world.at(&shop);
    assert!(matches!(handle.contact(id).await, Err(EngineError::Store(_))));
    handle.change(by_operator(), EraseContact { id }).await.unwrap();
    assert!(handle.contact(id).await.unwrap().is_none());
    assert!(world.disk.tombstones().contains(&Tombstone::ErasedContact(shop.id, id)));
    // The erased contact's phone number is free immediately, so a booking with this number creates a new contact. The
    // rest of the erasure must not take the number from the new contact.
    let booked = handle.change(by_operator(), shop.booking(at(4, 9), 1)).await.unwrap();
    let new = json(&booked)["contact_id"].clone();
    assert_ne!(new, serde_json::json!(id));
    let again = EraseContact { id };
    assert!(matches!(
        handle.change(by_operator(), again).await,
        Err(EngineError::Refused(Refusal::NotFound(_)))
    ));
    pass(2).await;
    let booked = handle.change(by_operator(), shop.booking(at(4, 10), 1)).await.unwrap();
    assert_eq!(json(&booked)["contact_id"], new);
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    store.close().await.unwrap();
    world.open_again().await;
    assert_eq!(world.engine.rows_set_aside(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_business_with_an_undecodable_profile_can_be_deleted() {
    let mut world = World::new(7).await;
    let Full { shop, credential, .. } = full(&world).await;
    let neighbour = world.shop(1).await;
    damage(&mut world, shop.id, kind::PROFILE, false).await;
    let handle = world.at(&shop);
    assert!(matches!(handle.business().await, Err(EngineError::Store(_))));
    assert!(handle.change(by_operator(), shop.booking(at(4, 9), 1)).await.is_err());
    let ended = world.engine.end_business(shop.id, once(9, 9)).await.unwrap();
    assert_eq!(json(&ended)["id"], serde_json::json!(shop.id));
    let again = world.engine.end_business(shop.id, once(9, 9)).await.unwrap();
    assert!(again.replayed && body(&again) == body(&ended));
    assert!(matches!(world.engine.end_business(shop.id, by_operator()).await, Err(EngineError::NotFound)));
    assert!(matches!(handle.business().await, Err(EngineError::NotFound)));
    assert!(world.engine.authenticate(&credential).await.unwrap().is_none());
    assert!(world.disk.tombstones().contains(&Tombstone::EndedBusiness(shop.id)));
    pass(2).await;
    assert_eq!(rows_of(&mut world, shop.id).await, 0);
    let left = world.engine.businesses(&first_page()).await.unwrap().items;
    assert_eq!(left.iter().map(|business| business.id).collect::<Vec<_>>(), [neighbour.id]);
}

fn named(name: &str) -> ContactDetails {
    ContactDetails { name: Some(text(name)), ..ContactDetails::default() }
}

#[tokio::test(start_paused = true)]
async fn undecodable_rows_of_the_installation_block_no_other_key() {
    for kind in [
        installation_kind::BUSINESS_INDEX,
        installation_kind::API_KEY,
        installation_kind::KEY_USED,
        installation_kind::ENDPOINT_INDEX,
        installation_kind::CLOCK,
        installation_kind::ROUND,
        kind::IDEMPOTENCY,
    ] {
        let mut world = World::new(1).await;
        let (one, other) = (full(&world).await, full(&world).await);
        let range = keys::of_kind(BusinessId::INSTALLATION, kind);
        // The planted row has a truncated key. The damaged row has a value that cannot be decoded.
        world.plant(range.from, b"\xee").await;
        damage(&mut world, BusinessId::INSTALLATION, kind, true).await;
        let opened = [
            world.engine.authenticate(&one.credential).await,
            world.engine.authenticate(&other.credential).await,
        ];
        let opened = opened.into_iter().filter(|opened| matches!(opened, Ok(Some(_)))).count();
        assert!(
            opened >= if kind == installation_kind::API_KEY { 1 } else { 2 },
            "kind {kind:#04x}: {opened} keys are accepted"
        );
        for full in [&one, &other] {
            let handle = world.at(&full.shop);
            handle.change(by_operator(), full.shop.booking(at(3, 9), 7)).await.unwrap();
            lists(&handle, full).await;
        }
        assert!(!world.engine.businesses(&first_page()).await.unwrap().items.is_empty());
        pass(27 * 60).await;
        world.restart().await;
        assert_eq!(world.fatal(), 0);
    }
}

/// The key of an undecodable appointment still contains its start. Therefore the service blocks 24 hours from
/// this start, the maximum length of an appointment.
#[tokio::test(start_paused = true)]
async fn no_booking_overlaps_an_undecodable_appointment() {
    let mut world = World::new(2).await;
    let Full { shop, .. } = full(&world).await;
    let row = damage(&mut world, shop.id, kind::APPOINTMENT, false).await; // the appointment at 9:00 with the first of two staff members
    for round in 0..2 {
        let handle = world.at(&shop);
        let day = at(2, 0).utc().date_naive();
        let slots = handle.availability(shop.service, None, (day, day), Terms::Integration).await.unwrap();
        let open: BTreeSet<_> = slots.iter().map(|slot| slot.starts_at).collect();
        assert!(open.contains(&at(2, 8)), "{open:?}");
        assert!(open.iter().all(|start| *start < at(2, 9)), "the undecodable appointment must block its day");
        for (staff, hour) in shop.staff.iter().flat_map(|staff| [(staff, 9), (staff, 20), (staff, 24 + 8)]) {
            let booking = shop.booking_with(Some(*staff), at(2, hour), 5);
            assert!(is_taken(&handle.change(by_operator(), booking).await), "at {hour}");
        }
        let later = shop.booking_with(Some(shop.staff[round]), at(3, 9), 5);
        handle.change(by_operator(), later).await.unwrap();
        let at_eight = shop.booking_with(Some(shop.staff[round]), at(2, 7), 5);
        handle.change(by_operator(), at_eight).await.unwrap();
        // A request for this appointment returns a store error, not `Refusal::NotFound`.
        let (_, id) = keys::instant_and_id(&row).unwrap();
        assert!(matches!(handle.appointment(id).await, Err(EngineError::Store(_))));
        assert_eq!(world.engine.rows_set_aside(), 1);
        world.restart().await;
    }
}

/// The key of time off contains the staff member and the start, but not the end. If time off cannot be decoded, its end
/// is therefore unknown, and the service blocks a long period. A person who knows the end can delete the time off and
/// add it again.
#[tokio::test(start_paused = true)]
async fn no_booking_overlaps_undecodable_time_off_until_it_is_deleted() {
    let mut world = World::new(3).await;
    let shop = world.shop(2).await;
    let staff_id = shop.staff[0];
    let span = OffSpan::Instants { starts_at: at(2, 9), ends_at: at(2, 10) };
    let off = AddTimeOff { staff_id, span, note: None };
    let id = id_of(&world.at(&shop).change(by_operator(), off).await.unwrap());
    damage(&mut world, shop.id, kind::BLOCKED_TIME, false).await;
    let open = async |world: &World, days| {
        let day = at(days, 0).utc().date_naive();
        let (handle, days) = (world.at(&shop), (day, day));
        let slots =
            handle.availability(shop.service, Some(staff_id), days, Terms::Integration).await.unwrap();
        slots.into_iter().map(|slot| slot.starts_at).collect::<BTreeSet<_>>()
    };
    for hour in [9, 10] {
        let day = open(&world, 2).await;
        assert!(day.contains(&at(2, 8)) && day.range(at(2, 9)..).next().is_none(), "{day:?}");
        assert!(open(&world, 32).await.is_empty());
        let after = open(&world, 33).await;
        assert_eq!(after.first(), Some(&at(33, 9)), "the block must end after 31 days");
        let other = shop.booking_with(Some(shop.staff[1]), at(2, hour), 5);
        world.at(&shop).change(by_operator(), other).await.unwrap();
        assert!(world.at(&shop).times_off(staff_id, &first_page()).await.unwrap().items.is_empty());
        assert_eq!(world.engine.rows_set_aside(), 1);
        world.restart().await;
    }
    world.at(&shop).change(by_operator(), DeleteTimeOff { staff_id, id }).await.unwrap();
    assert!(open(&world, 2).await.contains(&at(2, 9)) && !open(&world, 32).await.is_empty());
    world.restart().await;
    assert!(open(&world, 2).await.contains(&at(2, 9)));
    assert_eq!((world.engine.rows_set_aside(), world.fatal()), (0, 0));
}

/// An undecodable special day has no effect and can be set again.
#[tokio::test(start_paused = true)]
async fn an_undecodable_special_day_follows_the_week_until_it_is_set_again() {
    let mut world = World::new(4).await;
    let shop = world.shop(1).await;
    let date = at(2, 0).utc().date_naive();
    let closed = SetSpecialDay { date, hours: DayWindows::CLOSED, note: None };
    world.at(&shop).change(by_operator(), closed.clone()).await.unwrap();
    damage(&mut world, shop.id, kind::SPECIAL_DAY, false).await;
    let open = async |world: &World| {
        let handle = world.at(&shop);
        let found = handle.availability(shop.service, None, (date, date), Terms::Integration);
        found.await.unwrap().len()
    };
    assert!(open(&world).await > 0);
    world.at(&shop).change(by_operator(), closed).await.unwrap();
    assert_eq!(open(&world).await, 0);
    world.restart().await;
    assert_eq!((open(&world).await, world.engine.rows_set_aside(), world.fatal()), (0, 0, 0));
}
