//! Rows that do not decode: one of each kind is put into a store, and everything else goes on.

use std::collections::BTreeSet;

use actors::business::commands::calls::RecordCall;
use actors::business::commands::catalog::{CreateService, CreateStaff};
use actors::business::commands::contacts::CreateContact;
use actors::business::commands::keys::CreateKey;
use actors::business::commands::knowledge::AddKnowledge;
use actors::business::commands::messages::TakeMessage;
use actors::business::commands::webhooks::CreateWebhook;
use actors::business::{AppointmentFilter, CallFilter, ContactFilter, MessageFilter};
use actors::credentials::Credential;
use actors::delivery::DeliveryFilter;
use actors::domain::{
    BusinessId, CallDetails, CallOutcome, CallStatus, ContactDetails, Direction, EventTypes,
    KnowledgeDetails, MessageDetails, MessageStatus, Phone, Scopes, ServiceId, StaffId, Text, Timestamp,
    Urgency, WebhookId,
};
use actors::net::WebhookUrl;
use actors::store::keys::{installation_kind, kind};
use actors::store::{Key, Order, keys};
use actors::{BusinessHandle, EngineError};

use crate::harness::{
    Shop, World, at, by_operator, first_page, id_of, is_taken, json, once, pass, text, walk,
};

/// What a business has of everything.
struct Full {
    shop: Shop,
    hook: WebhookId,
    credential: Credential,
}

async fn full(world: &World) -> Full {
    let mut shop = world.shop(1).await;
    let handle = world.at(&shop);
    // Whatever is damaged, there is another one of it: the second service and the second staff member.
    let create = CreateService {
        name: text("Shave"),
        description: Text::default(),
        duration_minutes: 60,
        active: true,
    };
    let service: ServiceId = id_of(&handle.change(by_operator(), create).await.unwrap());
    let create = CreateStaff {
        name: text("Second"),
        active: true,
        zone: None,
        service_ids: vec![shop.service, service],
    };
    let second: StaffId = id_of(&handle.change(by_operator(), create).await.unwrap());
    shop.staff.push(second);
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
            direction: Direction::Inbound,
            status: CallStatus::Completed,
            outcome: CallOutcome::Other,
            from_number: Some(phone.clone()),
            to_number: None,
            contact_id: None,
            started_at: at(0, 1),
            ended_at: at(0, 2),
            duration_seconds: None,
            locale: None,
            summary: None,
            recording_url: None,
            appointment_id: None,
            message_id: None,
        };
        handle.change(by_operator(), RecordCall { details, contact_name: None }).await.unwrap();
        let details = MessageDetails {
            call_id: None,
            contact_id: None,
            caller_name: None,
            caller_phone: Some(phone),
            body: Text::new("Ring back".into()).unwrap(),
            urgency: Urgency::Normal,
            staff_id: None,
            status: MessageStatus::New,
        };
        handle.change(by_operator(), TakeMessage { details }).await.unwrap();
        let details = KnowledgeDetails {
            title: text("Parking"),
            content: Text::new("x".repeat(9_000)).unwrap(), // in pieces
            source_url: None,
            locale: None,
        };
        handle.change(by_operator(), AddKnowledge { details }).await.unwrap();
    }
    world.engine.authenticate(&credential).await.unwrap().unwrap();
    pass(2).await; // its use is written
    Full { shop, hook, credential }
}

/// How many items every list of a business has.
async fn lists(handle: &BusinessHandle, hook: WebhookId) -> Vec<(&'static str, usize)> {
    let since = Some(Timestamp::MIN);
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
        ("knowledge", walk(3, async |page| handle.knowledge_list(&page).await).await.len()),
        ("keys", walk(3, async |page| handle.keys(&page).await).await.len()),
        ("webhooks", walk(3, async |page| handle.webhooks(&page).await).await.len()),
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

/// The kinds whose rows are records, or values that are read.
const OF_A_BUSINESS: [u8; 30] = [
    kind::SERVICE,
    kind::STAFF,
    kind::WEBHOOK,
    kind::BUDGET,
    kind::KEY,
    kind::APPOINTMENT,
    kind::APPOINTMENT_START,
    kind::APPOINTMENT_BY_UPDATE,
    kind::CONTACT,
    kind::CONTACT_BY_PHONE,
    kind::CONTACT_BY_UPDATE,
    kind::CONTACT_NAMES,
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
    0x0f, // of no kind that is known, among those that an actor loads
    0x6f,
];

/// Puts damage into the store while no engine is on it: into the first and the last row of a kind, whose second one of
/// every record stays whole; where there is none, a row that cannot be of the kind.
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
        let Full { shop, hook, .. } = full(&world).await;
        let neighbour = world.shop(1).await;
        let whole = lists(&world.at(&shop), hook).await;
        damage(&mut world, shop.id, kind, last).await;
        let handle = world.at(&shop);

        // What is damaged may be what is booked; the other one can be.
        let mut booked = 0;
        for service in handle.services(true, &first_page()).await.unwrap().items {
            for staff in handle.staff(&first_page()).await.unwrap().items {
                if staff.service_ids.contains(&service.id) {
                    let of = Shop { service: service.id, staff: vec![staff.id], ..shop.clone() };
                    let booking = of.booking(at(3, 9 + booked), 7);
                    handle
                        .change(by_operator(), booking)
                        .await
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    booked += 1;
                }
            }
        }
        assert!(booked > 0, "{what}");
        let found = lists(&handle, hook).await;
        for (name, items) in &found {
            let before = whole.iter().find(|(list, _)| list == name).unwrap().1;
            let least = if *name == "named" && kind == kind::CONTACT_NAMES { 1 } else { before - 1 };
            assert!(*items >= least, "{what}: {name} has {items} of {before}");
        }
        assert!(!handle.audit(&first_page()).await.unwrap().items.is_empty(), "{what}");
        handle.budget().await.unwrap();
        assert_eq!(world.engine.businesses(&first_page()).await.unwrap().items.len(), 2, "{what}");
        // Sweeps, the round and what is due go by, and the business is put away and loaded again.
        for _ in 0..2 {
            pass(27 * 60).await;
            world.restart().await;
        }
        let handle = world.at(&shop);
        handle.change(by_operator(), CreateContact { details: named("After") }).await.unwrap();
        world.at(&neighbour).change(by_operator(), neighbour.booking(at(9, 9), 1)).await.unwrap();
        assert_eq!(world.fatal(), 0, "{what}");
    }
}

fn named(name: &str) -> ContactDetails {
    ContactDetails { name: Some(text(name)), ..ContactDetails::default() }
}

#[tokio::test(start_paused = true)]
async fn rows_of_the_installation_that_do_not_decode_keep_nobody_out() {
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
        // What a key that is cut off would be, and what a value is that holds something else.
        world.plant(range.from, b"\xee").await;
        damage(&mut world, BusinessId::INSTALLATION, kind, true).await;
        let opened = [
            world.engine.authenticate(&one.credential).await,
            world.engine.authenticate(&other.credential).await,
        ];
        let opened = opened.into_iter().filter(|opened| matches!(opened, Ok(Some(_)))).count();
        assert!(
            opened >= if kind == installation_kind::API_KEY { 1 } else { 2 },
            "kind {kind:#04x}: {opened}"
        );
        for full in [&one, &other] {
            let handle = world.at(&full.shop);
            handle.change(by_operator(), full.shop.booking(at(3, 9), 7)).await.unwrap();
            lists(&handle, full.hook).await;
        }
        assert!(!world.engine.businesses(&first_page()).await.unwrap().items.is_empty());
        pass(27 * 60).await;
        world.restart().await;
        assert_eq!(world.fatal(), 0);
    }
}

/// The key of an appointment still tells where it starts.
#[tokio::test(start_paused = true)]
async fn nobody_is_booked_over_an_appointment_that_does_not_decode() {
    let mut world = World::new(2).await;
    let Full { shop, .. } = full(&world).await;
    let row = damage(&mut world, shop.id, kind::APPOINTMENT, false).await; // at 9, with the first of two
    for round in 0..2 {
        let handle = world.at(&shop);
        let day = at(2, 0).utc().date_naive();
        let slots = handle.availability(shop.service, None, day, day).await.unwrap();
        let open: BTreeSet<_> = slots.iter().map(|slot| slot.starts_at).collect();
        assert!(open.contains(&at(2, 8)) && open.contains(&at(2, 10)), "{open:?}");
        assert!(!open.contains(&at(2, 9)), "whose time it is, nobody knows");
        for staff in &shop.staff {
            let booking = shop.booking_with(Some(*staff), at(2, 9), 5);
            assert!(is_taken(&handle.change(by_operator(), booking).await));
        }
        let at_eight = shop.booking_with(Some(shop.staff[round]), at(2, 7), 5);
        handle.change(by_operator(), at_eight).await.unwrap();
        // Asked for alone it is an error, and no answer that there is none.
        let (_, id) = keys::instant_and_id(&row).unwrap();
        assert!(matches!(handle.appointment(id).await, Err(EngineError::Store(_))));
        assert_eq!(world.engine.rows_set_aside(), 1);
        world.restart().await;
    }
}
