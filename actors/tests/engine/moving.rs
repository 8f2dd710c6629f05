//! What arrives in another store is what the engine there goes on with.

use actors::Engine;
use actors::business::{AppointmentFilter, ContactFilter, PageRequest};
use actors::domain::BusinessId;
use actors::moving::{Import, Moved, Settled, Which, leave, meant, settle};
use actors::store::{Batch, Store, StoreError, keys};

use crate::harness::{Shop, World, at, by_operator, everything_else_runs, first_page, is_taken, json, walk};

/// Everything that leaves a store.
fn leaving(store: &Store) -> Vec<Moved> {
    let mut moved = Vec::new();
    for business in meant(store, &Which::All).unwrap() {
        let took = leave(store, &business, true, &mut |record| {
            moved.push(record);
            Ok::<(), StoreError>(())
        });
        took.unwrap();
    }
    moved
}

/// A shop with 150 contacts and as many appointments, and what leaves it.
async fn used(seed: u64) -> (World, Shop, Vec<Moved>) {
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
    let mut import = Import::begin(&store, &here.ports).await.unwrap();
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
async fn an_import_that_broke_off_holds_the_engine_up_until_it_is_finished_or_taken_back() {
    let (_, shop, moved) = used(3).await;
    // Before it was known to be good, behind every so many records; and after.
    for records in (0..=moved.len()).step_by(67).chain([moved.len()]) {
        let mut here = World::new(4).await;
        here.engine.clone().close().await.unwrap();
        let store = here.store();
        let mut import = Import::begin(&store, &here.ports).await.unwrap();
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

        if records > 0 {
            let refused = Engine::start(here.store(), here.ports.clone()).await.unwrap_err();
            assert!(matches!(refused, StoreError::ImportUnfinished), "{refused}");
            everything_else_runs().await;
        }
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
    let mut import = Import::begin(&store, &here.ports).await.unwrap();
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
