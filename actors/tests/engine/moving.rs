//! What arrives in another store is what the engine there goes on with.

use actors::business::commands::appointments::{BookingContact, Cancel};
use actors::business::commands::erasure::{EraseContact, PatchRetention};
use actors::business::{AppointmentFilter, CallFilter, ContactFilter, MessageFilter, PageRequest};
use actors::domain::{
    Actor, BusinessId, CallId, ContactId, EventType, MessageId, ResourceId, Service, WebhookEndpoint,
    WebhookSecret, WebhookStatus,
};
use actors::moving::{Import, ImportOptions, Leaving, Moved, Settled, Which, Wrong, meant, settle};
use actors::store::{Batch, Store, keys};
use actors::{EngineError, Export, ExportError};

use crate::erasing::{EMAIL, NAME, PHONE, SAID, call, message, person};
use crate::harness::{
    Shop, World, at, by_operator, everything_else_runs, first_page, id_of, is_taken, json, pass, walk,
};

/// Everything that leaves a store.
pub(crate) fn leaving(store: &Store) -> Vec<Moved> {
    let mut moved = Vec::new();
    for business in meant(store, &Which::All).unwrap() {
        let mut leaving = Leaving::of(business, true);
        loop {
            let records = leaving.next(store, store.rows()).unwrap();
            if records.is_empty() {
                break;
            }
            moved.extend(records);
        }
    }
    moved
}

/// A shop with 150 contacts and as many appointments, and what leaves it.
pub(crate) async fn used(seed: u64) -> (World, Shop, Vec<Moved>) {
    let world = World::new(seed).await;
    let shop = world.shop(2).await;
    for number in 0..150 {
        let day = i64::try_from(number / 10).unwrap() + 1;
        let hour = i64::try_from(number % 10).unwrap();
        world.at(&shop).change(by_operator(), shop.booking(at(day, hour), number)).await.unwrap();
    }
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let moved = leaving(&store);
    store.close().await.unwrap();
    (world, shop, moved)
}

async fn take_all(import: &mut Import, moved: &[Moved]) {
    for (line, record) in (2..).zip(moved) {
        assert_eq!(import.take(line, record.clone()).await.unwrap(), [], "line {line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_business_that_arrived_is_found_searched_counted_and_booked_as_before() {
    let (mut there, shop, moved) = used(1).await;
    let mut here = World::new(2).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    assert_eq!(settle(&store).await.unwrap(), Settled::Nothing);
    let mut import = Import::begin(&store, &here.ports, ImportOptions::default()).await.unwrap();
    take_all(&mut import, &moved).await;
    assert_eq!(import.count(), (1, moved.len() as u64 - 1));
    assert!(import.finish().await.unwrap());
    assert_eq!(leaving(&store), moved);
    store.close().await.unwrap();

    there.open_again().await;
    here.open_again().await;
    let (before, after) = (there.at(&shop), here.at(&shop));
    let all = AppointmentFilter::default();
    let appointments = async |handle: &actors::BusinessHandle| {
        walk(100, async |page: PageRequest| handle.appointments(&all, &page).await).await
    };
    let [was, is] = [&before, &after].map(&appointments);
    assert_eq!(serde_json::to_value(was.await).unwrap(), serde_json::to_value(is.await).unwrap());
    // The index of names, packed anew, finds the same.
    let named = ContactFilter { name_part: Some("TACT 14".into()), ..ContactFilter::default() };
    let found = after.contacts(&named, &first_page()).await.unwrap().items;
    assert_eq!(found.len(), 11, "Contact 14 and Contact 140 to 149");
    let was = before.contacts(&named, &first_page()).await.unwrap().items;
    assert_eq!(serde_json::to_value(was).unwrap(), serde_json::to_value(found).unwrap());
    let budgets = [before.budget().await.unwrap(), after.budget().await.unwrap()];
    let [was, is] = budgets.map(|budget| serde_json::to_value(budget).unwrap());
    for kind in ["services", "staff", "contacts", "appointments"] {
        assert_eq!(was[kind], is[kind], "{kind}");
    }
    let log = after.audit(&first_page()).await.unwrap().items;
    assert_eq!(log.iter().map(|entry| entry.action.as_str()).collect::<Vec<_>>(), ["business.imported"]);

    // What is taken is taken, and what is made now is newer than all that came.
    assert!(is_taken(&after.change(by_operator(), shop.booking(at(1, 0), 7)).await));
    let booked = after.change(by_operator(), shop.booking(at(40, 9), 7)).await.unwrap();
    let newest = appointments(&before).await.into_iter().map(|appointment| appointment.id).max().unwrap();
    assert!(json(&booked)["id"].as_str().unwrap() > newest.to_string().as_str());
    assert_eq!(json(&booked)["contact_name"], "Contact 7", "found by the phone number");
}

#[tokio::test(start_paused = true)]
async fn an_import_that_broke_off_is_finished_or_taken_back() {
    let (_, shop, moved) = used(3).await;
    // Before it was known to be good, behind every so many records; and after.
    for records in (0..=moved.len()).step_by(67).chain([moved.len()]) {
        let mut here = World::new(4).await;
        here.engine.clone().close().await.unwrap();
        let store = here.store();
        let mut import = Import::begin(&store, &here.ports, ImportOptions::default()).await.unwrap();
        take_all(&mut import, &moved[..records]).await;
        drop(import);
        let good = records == moved.len();
        if good {
            // As far as finishing comes before it opens the first business.
            let mut batch = Batch::new();
            batch.put(keys::moving(BusinessId::INSTALLATION), Vec::new());
            store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
        }
        store.close().await.unwrap();

        let store = here.store();
        let settled = settle(&store).await.unwrap();
        let expected = match records {
            0 => Settled::Nothing,
            _ if good => Settled::Finished(1),
            _ => Settled::TakenBack(1),
        };
        assert_eq!(settled, expected, "behind {records} records");
        let left = store.scan(&keys::all(shop.id), actors::store::Order::Ascending).count();
        assert_eq!(left > 0, good, "{left} rows are left behind {records} records");
        if good {
            assert_eq!(leaving(&store), moved);
        }
        store.close().await.unwrap();
        here.open_again().await;
        assert_eq!(here.at(&shop).business().await.is_ok(), good);
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_number_that_came_twice_is_told_while_the_first_one_is_on_its_way() {
    let (_, _, moved) = used(5).await;
    let here = World::new(6).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    let mut import = Import::begin(&store, &here.ports, ImportOptions::default()).await.unwrap();
    let phones = moved.iter().filter_map(|record| match record {
        Moved::Contact(contact) => contact.phone.clone(),
        _ => None,
    });
    let phones: Vec<String> = phones.collect();
    let mut contacts = 0;
    for (line, record) in (2..).zip(moved) {
        let Moved::Contact(mut contact) = record else {
            assert_eq!(import.take(line, record).await.unwrap(), []);
            if contacts > 0 {
                break;
            }
            continue;
        };
        if contacts > 0 && contacts % 10 == 0 {
            contact.phone = Some(phones[contacts - 10].clone());
            let wrong = import.take(line, Moved::Contact(contact)).await.unwrap();
            assert_eq!(wrong.len(), 1);
            assert_eq!((wrong[0].line, wrong[0].problem.path.as_str()), (line, "phone"));
            break;
        }
        assert_eq!(import.take(line, Moved::Contact(contact)).await.unwrap(), []);
        contacts += 1;
    }
    assert!(!import.finish().await.unwrap(), "one was not good");
    assert_eq!(leaving(&store), []);
}

/// Every record that an export hands out from now on.
pub(crate) async fn rest_of(export: &mut Export) -> Vec<Moved> {
    let mut moved = Vec::new();
    loop {
        let records = export.next().await.unwrap();
        if records.is_empty() {
            return moved;
        }
        moved.extend(records);
    }
}

#[tokio::test(start_paused = true)]
async fn a_business_leaves_as_it_was_at_one_point_whatever_happens_meanwhile() {
    let world = World::new(5).await;
    let (shop, other) = (world.shop(2).await, world.shop(1).await);
    let mut booked = Vec::new();
    let time =
        |number: usize| at(i64::try_from(number / 10).unwrap() + 1, i64::try_from(number % 10).unwrap());
    for number in 0..600 {
        let answer = world.at(&shop).change(by_operator(), shop.booking(time(number), number)).await.unwrap();
        booked.push(json(&answer)["id"].as_str().unwrap().to_owned());
    }
    let mut as_it_is = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    let mut export = world.engine.export(Actor::Operator, None, true).unwrap();
    // With the first business its point is set; of the other one it is set later.
    let mut moved = export.next().await.unwrap();
    let mut made = 600;
    loop {
        let cancel = Cancel { id: booked.pop().unwrap().parse().unwrap() };
        world.at(&shop).change(by_operator(), cancel).await.unwrap();
        for _ in 0..3 {
            world.at(&shop).change(by_operator(), shop.booking(time(made), made)).await.unwrap();
            made += 1;
        }
        world.at(&other).change(by_operator(), other.booking(time(made), made)).await.unwrap();
        let records = export.next().await.unwrap();
        if matches!(records.first(), Some(Moved::Business(_))) {
            assert!(moved == as_it_is, "it is not what was there");
            moved = records;
            break;
        }
        moved.extend(records);
    }
    moved.extend(rest_of(&mut export).await);
    as_it_is = rest_of(&mut world.engine.export(Actor::Operator, Some(other.id), true).unwrap()).await;
    assert!(moved == as_it_is, "it is not the other business");
    assert_eq!(export.businesses(), 2);
    let now = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    assert!(now.len() > as_it_is.len());
}

#[tokio::test(start_paused = true)]
async fn exports_that_nobody_takes_hold_nothing_up() {
    let world = World::new(6).await;
    let shop = world.shop(1).await;
    let begin = || world.engine.export(Actor::Operator, Some(shop.id), false);
    let mut held = Vec::new();
    while let Ok(mut export) = begin() {
        export.next().await.unwrap();
        held.push(export);
    }
    assert!(matches!(begin(), Err(EngineError::Overloaded)) && held.len() == 3);
    // Beside them there is room for a backup, and for every change.
    let dir = tempfile::tempdir().unwrap();
    let id = world.engine.begin_backup(Actor::Operator, &dir.path().join("b")).unwrap();
    while world.engine.backup(id).unwrap().outcome.is_none() {
        everything_else_runs().await;
    }
    world.engine.backup(id).unwrap().outcome.unwrap().unwrap();
    world.at(&shop).change(by_operator(), shop.booking(at(1, 0), 1)).await.unwrap();
    // One that is let go gives its place back; one that is taken late is over.
    held.pop();
    let mut late = begin().unwrap();
    late.next().await.unwrap();
    tokio::time::advance(std::time::Duration::from_secs(3_601)).await;
    assert!(matches!(late.next().await, Err(ExportError::TooSlow)));
    drop(late);
    // And the engine closes though there are some.
    let mut last = begin().unwrap();
    last.next().await.unwrap();
    world.engine.clone().close().await.unwrap();
    assert!(matches!(last.next().await, Err(ExportError::Engine(EngineError::Stopping))));
    assert!(matches!(begin(), Err(EngineError::Stopping)));
}

/// What is told of records that come behind each other in a new business.
async fn told_of(records: Vec<Moved>) -> Vec<Wrong> {
    let here = World::new(7).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    let mut import = Import::begin(&store, &here.ports, ImportOptions::default()).await.unwrap();
    let mut wrong = Vec::new();
    for (line, record) in (2..).zip(records) {
        wrong.extend(import.take(line, record).await.unwrap());
    }
    import.take_back().await.unwrap();
    wrong
}

#[tokio::test(start_paused = true)]
async fn a_business_arrives_with_no_more_than_it_may_have() {
    let (_, _, moved) = used(8).await;
    let find = |is: fn(&Moved) -> bool| moved.iter().find(|moved| is(moved)).unwrap().clone();
    let business = find(|moved| matches!(moved, Moved::Business(_)));
    let Moved::Service(service) = find(|moved| matches!(moved, Moved::Service(_))) else { unreachable!() };
    let id = |number: u128| uuid::Uuid::from_u128(service.id.uuid().as_u128() + number);
    let services =
        (0..1_001).map(|number| Moved::Service(Service { id: id(number).into(), ..service.clone() }));
    let wrong = told_of([business.clone()].into_iter().chain(services).collect()).await;
    let told: Vec<_> = wrong.iter().map(|wrong| (wrong.line, wrong.problem.message.as_str())).collect();
    assert_eq!(told, [(1_003, "the business may keep at most 1000 services; it has 1000")]);

    let endpoint = |number: u128| WebhookEndpoint {
        id: id(number).into(),
        url: "https://a.example.com/".into(),
        events: [EventType::CallCompleted].into_iter().collect(),
        description: String::new(),
        status: WebhookStatus::Enabled,
        disabled_reason: None,
        disabled_at: None,
        epoch: 0,
        secret: WebhookSecret::new([7; 32]),
        created_at: service.created_at,
        updated_at: service.updated_at,
    };
    let endpoints = (0..26).map(|number| Moved::Webhook(endpoint(number)));
    let wrong = told_of([business].into_iter().chain(endpoints).collect()).await;
    let told: Vec<_> = wrong.iter().map(|wrong| (wrong.line, wrong.problem.message.as_str())).collect();
    assert_eq!(told, [(28, "a business has at most 25 webhook endpoints")]);
}

/// A shop with somebody of whom everything tells that can, and who that is.
pub(crate) async fn somebodys(seed: u64) -> (World, Shop, ContactId) {
    let world = World::new(seed).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let change = async |change: actors::business::commands::messages::TakeMessage| {
        handle.change(by_operator(), change).await.unwrap()
    };
    change(message(Some(PHONE), None)).await; // under nobody
    let somebody: ContactId = id_of(&handle.change(by_operator(), person(NAME, PHONE, EMAIL)).await.unwrap());
    let other = person("Other", "+15550009999", "other@b.example");
    let other: ContactId = id_of(&handle.change(by_operator(), other).await.unwrap());
    let mut booking = shop.booking(at(1, 9), 1);
    booking.contact = BookingContact::Known(somebody);
    handle.change(by_operator(), booking).await.unwrap();
    handle.change(by_operator(), shop.booking(at(1, 10), 2)).await.unwrap();
    let called: CallId = id_of(&handle.change(by_operator(), call(PHONE, None)).await.unwrap());
    let mut of_other = call(PHONE, Some(other));
    (of_other.details.summary, of_other.details.recording_url) = (None, None);
    handle.change(by_operator(), of_other).await.unwrap();
    change(message(Some(PHONE), None)).await;
    change(message(None, Some(called))).await;
    (world, shop, somebody)
}

/// Whether something that leaves tells of who was erased.
pub(crate) fn tells_of_them(moved: &[Moved]) -> bool {
    let shown = format!("{moved:?}");
    [NAME, &PHONE[1..], EMAIL, SAID, "recordings.example"].iter().any(|word| shown.contains(word))
}

/// Imports into a new world, whose engine runs then; everything leaves it again as it came.
async fn arrived(moved: &[Moved], seed: u64) -> World {
    let mut here = World::new(seed).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    let mut import = Import::begin(&store, &here.ports, ImportOptions::default()).await.unwrap();
    take_all(&mut import, moved).await;
    assert!(import.finish().await.unwrap());
    assert!(leaving(&store) == moved, "it is not what came");
    let report = actors::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    store.close().await.unwrap();
    here.open_again().await;
    here
}

#[tokio::test(start_paused = true)]
async fn nothing_leaves_of_somebody_who_is_being_erased_however_far_that_has_come() {
    let (mut world, shop, somebody) = somebodys(10).await;
    world.disk.hold_syncs();
    let erasing = world.ask(&shop, EraseContact { id: somebody }).await;
    world.crash(1).await; // the contact is gone, and nothing else
    erasing.await.unwrap().unwrap_err();
    world.disk.hold_syncs();
    world.disk.crash(0);
    world.end_of_life().await;
    let store = world.store();
    assert!(store.contains(&keys::unfinished(shop.id)).unwrap());
    let kept = store.scan(&keys::all(shop.id), actors::store::Order::Ascending);
    let told = kept.filter(|row| String::from_utf8_lossy(&row.as_ref().unwrap().1).contains(SAID));
    assert!(told.count() > 2, "it is all there still");
    let before = leaving(&store);
    assert!(!tells_of_them(&before), "{before:#?}");
    store.close().await.unwrap();
    arrived(&before, 11).await;

    // Behind it the same leaves, but for the stamps; and the other caller and their booking are as they were.
    world.open_again().await;
    pass(2).await;
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    assert!(!store.contains(&keys::unfinished(shop.id)).unwrap());
    let after = leaving(&store);
    let unstamped = |moved: &[Moved]| -> Vec<Moved> {
        let mut moved = moved.to_vec();
        for record in &mut moved {
            match record {
                Moved::Appointment(it) => it.updated_at = it.created_at,
                Moved::Call(it) => it.updated_at = it.created_at,
                Moved::Message(it) => it.updated_at = it.created_at,
                _ => {}
            }
        }
        moved
    };
    assert_eq!(unstamped(&before), unstamped(&after));
    assert!(
        after.iter().any(
            |moved| matches!(moved, Moved::Contact(contact) if contact.name.as_deref() == Some("Other"))
        )
    );
    store.close().await.unwrap();
    arrived(&after, 12).await;
}

#[tokio::test(start_paused = true)]
async fn a_running_service_lets_nothing_leave_of_somebody_while_they_are_erased() {
    let (world, shop, somebody) = somebodys(13).await;
    let handle = world.at(&shop);
    for _ in 0..700 {
        handle.change(by_operator(), call(PHONE, None)).await.unwrap();
    }
    world.disk.set_sync_delay(std::time::Duration::from_millis(50));
    handle.change(by_operator(), EraseContact { id: somebody }).await.unwrap();
    let moved = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    assert!(!tells_of_them(&moved));
    let calls = moved.iter().filter_map(|moved| match moved {
        Moved::Call(call) => Some(call),
        _ => None,
    });
    assert_eq!(calls.clone().count(), 702);
    let not_reached = calls.filter(|call| call.updated_at == call.created_at).count();
    assert!(not_reached > 300, "most were exported before they were erased: {not_reached}");
}

#[tokio::test(start_paused = true)]
async fn how_long_things_are_kept_moves_and_takes_effect_where_it_arrives() {
    let (mut world, shop, somebody) = somebodys(14).await;
    let handle = world.at(&shop);
    handle.change(by_operator(), EraseContact { id: somebody }).await.unwrap();
    let called: CallId = id_of(&handle.change(by_operator(), call("+15550007777", None)).await.unwrap());
    pass(20 * 24 * 60).await;
    let left: MessageId = id_of(&handle.change(by_operator(), message(None, Some(called))).await.unwrap());
    let keep = PatchRetention {
        calls_days: Some(Some(10)),
        messages_days: Some(Some(30)),
        ..PatchRetention::default()
    };
    handle.change(by_operator(), keep).await.unwrap();
    pass(2).await;
    assert_eq!(handle.calls(&CallFilter::default(), &first_page()).await.unwrap().items.len(), 0);
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let moved = leaving(&store);
    store.close().await.unwrap();
    world.open_again().await;
    // The message names a call that has gone.
    let names = |moved: &Moved| matches!(moved, Moved::Message(it) if it.call_id == Some(called));
    assert!(moved.iter().any(names));

    let mut here = World::new(15).await;
    pass(21 * 24 * 60).await; // the clock is where the other one is
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    let mut import = Import::begin(&store, &here.ports, ImportOptions::default()).await.unwrap();
    take_all(&mut import, &moved).await;
    assert!(import.finish().await.unwrap());
    assert_eq!(leaving(&store), moved);
    let report = actors::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    store.close().await.unwrap();
    here.open_again().await;
    let handle = here.at(&shop);
    let there = async || {
        let messages = handle.messages(&MessageFilter::default(), &first_page()).await.unwrap().items;
        messages.into_iter().map(|message| message.id).collect::<Vec<_>>()
    };
    assert_eq!(there().await.len(), 4);
    let [was, is] = [world.at(&shop), here.at(&shop)].map(async |handle| handle.retention().await.unwrap());
    assert_eq!(actors::view::render(&was.await), actors::view::render(&is.await));
    // What was made there goes when its time is over, by the stamps that it bears.
    pass(11 * 24 * 60).await;
    assert_eq!(there().await, [left]);
    pass(20 * 24 * 60).await;
    assert_eq!(there().await, []);
}

#[tokio::test(start_paused = true)]
async fn what_may_not_have_gone_must_be_there_and_of_whom_is_not_there_nothing_is_taken() {
    let (world, _, _) = somebodys(16).await;
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let mut moved = leaving(&store);
    store.close().await.unwrap();
    let foreign = uuid::Uuid::from_u128(7);
    for record in &mut moved {
        match record {
            Moved::Call(it) => {
                (it.appointment_id, it.message_id) = (Some(foreign.into()), Some(foreign.into()));
                it.contact_id = Some(foreign.into());
            }
            Moved::Message(it) => it.call_id = Some(foreign.into()),
            _ => {}
        }
    }
    let told = told_of(moved.clone()).await;
    let paths: std::collections::BTreeSet<_> = told.iter().map(|wrong| wrong.problem.path.as_str()).collect();
    assert_eq!(paths.into_iter().collect::<Vec<_>>(), ["appointment_id", "call_id"]);
    // Where something is kept for a time, it may have gone.
    moved.insert(1, Moved::Retention(actors::domain::Retention::default()));
    if let Some(Moved::End { records }) = moved.last_mut() {
        *records += 1;
    }
    assert_eq!(told_of(moved.clone()).await, []);
    let here = World::new(17).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    let mut import = Import::begin(&store, &here.ports, ImportOptions::default()).await.unwrap();
    take_all(&mut import, &moved).await;
    assert!(import.finish().await.unwrap());
    let calls = leaving(&store);
    let calls = calls.iter().filter_map(|moved| match moved {
        Moved::Call(call) => Some(call),
        _ => None,
    });
    assert!(calls.clone().count() == 2 && calls.clone().all(|call| *call == call.erased()));
    // It stands once, and before everything else.
    moved.insert(2, moved[1].clone());
    moved.insert(4, moved[1].clone());
    let told = told_of(moved).await;
    assert_eq!(told.iter().map(|wrong| wrong.line).collect::<Vec<_>>(), [4, 6]);
    assert!(told.iter().all(|wrong| wrong.problem.path == "kind"), "{told:?}");
}
