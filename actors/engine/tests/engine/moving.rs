//! The engine treats imported records in the same way as records that it has created itself.

use domain::{
    BudgetKind, BusinessId, EventType, ImportProblem, ProblemCode, ResourceId, Service, WebhookEndpoint,
    WebhookSecret, WebhookStatus, WebhookUrl,
};
use engine::business::{AppointmentFilter, ContactFilter, PageRequest};
use engine::moving::{ImportOptions, Leaving, Moved, Wrong};
use store::{Order, Store, keys};

use crate::harness::{Shop, World, at, by_operator, first_page, is_taken, json, walk};
use crate::imports::import;

pub(crate) fn leaving(store: &Store) -> Vec<Moved> {
    let mut moved = Vec::new();
    let all = keys::of_kind(BusinessId::INSTALLATION, keys::installation_kind::BUSINESS_INDEX);
    for row in store.scan(&all, Order::Ascending) {
        let id = keys::listed_business(&row.unwrap().0).unwrap();
        let business = store.get(&keys::profile(id)).unwrap().unwrap();
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

/// Returns a shop with 150 contacts and 150 appointments, and the exported records of the shop.
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

#[tokio::test(start_paused = true)]
async fn an_imported_business_can_be_searched_counted_and_booked() {
    let (mut there, shop, moved) = used(1).await;
    let mut here = World::new(2).await;
    import(&here, &moved, ImportOptions::default()).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    assert_eq!(leaving(&store), moved);
    store.close().await.unwrap();

    there.open_again().await;
    here.open_again().await;
    let (before, after) = (there.at(&shop), here.at(&shop));
    let all = AppointmentFilter::default();
    let appointments = async |handle: &engine::BusinessHandle| {
        walk(100, async |page: PageRequest| handle.appointments(&all, &page).await).await
    };
    let [was, is] = [&before, &after].map(&appointments);
    assert_eq!(serde_json::to_value(was.await).unwrap(), serde_json::to_value(is.await).unwrap());
    // The import also writes the search texts, so a search finds the same contacts as on the old installation.
    let named = ContactFilter { name_part: Some("TACT 14".into()), ..ContactFilter::default() };
    let found = after.contacts(&named, &first_page()).await.unwrap().items;
    assert_eq!(found.len(), 11, "the search must find Contact 14 and Contacts 140 to 149");
    let was = before.contacts(&named, &first_page()).await.unwrap().items;
    assert_eq!(serde_json::to_value(was).unwrap(), serde_json::to_value(found).unwrap());
    let budgets = [before.budget().await.unwrap(), after.budget().await.unwrap()];
    let [was, is] = budgets.map(|budget| serde_json::to_value(budget).unwrap());
    for kind in ["services", "staff", "contacts", "appointments"] {
        assert_eq!(was[kind], is[kind], "{kind}");
    }
    let log = after.audit(&first_page()).await.unwrap().items;
    assert_eq!(log.iter().map(|entry| entry.action.as_str()).collect::<Vec<_>>(), ["business.imported"]);

    // An imported booking blocks its time, and new records are newer than all imported records.
    assert!(is_taken(&after.change(by_operator(), shop.booking(at(1, 0), 7)).await));
    let booked = after.change(by_operator(), shop.booking(at(40, 9), 7)).await.unwrap();
    let newest = appointments(&before).await.into_iter().map(|appointment| appointment.id).max().unwrap();
    assert!(json(&booked)["id"].as_str().unwrap() > newest.to_string().as_str());
    assert_eq!(
        json(&booked)["contact_name"],
        "Contact 7",
        "the booking must find the contact by its phone number"
    );
}

#[tokio::test(start_paused = true)]
async fn a_repeated_phone_number_is_reported_before_the_first_one_is_written() {
    let (_, _, moved) = used(5).await;
    let here = World::new(6).await;
    let mut import = here.engine.import(ImportOptions::default()).unwrap();
    let phones = moved.iter().filter_map(|record| match record {
        Moved::Contact(contact) => contact.phone.clone(),
        _ => None,
    });
    let phones: Vec<_> = phones.collect();
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
    assert!(!import.is_good(), "the import must have errors");
    import.take_back().await.unwrap();
    here.engine.clone().close().await.unwrap();
    assert_eq!(leaving(&here.store()), []);
}

/// The errors that occur when these records are imported, in order, into a new business.
pub(crate) async fn problems_of(records: Vec<Moved>) -> Vec<Wrong> {
    let here = World::new(7).await;
    let mut import = here.engine.import(ImportOptions::default()).unwrap();
    let mut wrong = Vec::new();
    for (line, record) in (2..).zip(records) {
        wrong.extend(import.take(line, record).await.unwrap());
    }
    import.take_back().await.unwrap();
    wrong
}

#[tokio::test(start_paused = true)]
async fn an_import_respects_the_limits_of_a_business() {
    let (_, _, moved) = used(8).await;
    let find = |is: fn(&Moved) -> bool| moved.iter().find(|moved| is(moved)).unwrap().clone();
    let business = find(|moved| matches!(moved, Moved::Business(_)));
    let Moved::Service(service) = find(|moved| matches!(moved, Moved::Service(_))) else { unreachable!() };
    let id = |number: u128| uuid::Uuid::from_u128(service.id.uuid().as_u128() + number);
    let services =
        (0..1_001).map(|number| Moved::Service(Service { id: id(number).into(), ..service.clone() }));
    let wrong = problems_of([business.clone()].into_iter().chain(services).collect()).await;
    let told: Vec<_> = wrong.iter().map(|wrong| (wrong.line, &wrong.problem.code)).collect();
    let full = ProblemCode::RowsFull { kind: BudgetKind::Services, max: 1_000, used: 1_000 };
    assert_eq!(told, [(1_003, &full)]);

    let endpoint = |number: u128| WebhookEndpoint {
        id: id(number).into(),
        url: WebhookUrl::parse("https://a.example.com/").unwrap(),
        events: [EventType::CallCompleted].into_iter().collect(),
        description: String::new(),
        status: WebhookStatus::Enabled,
        disabled_reason: None,
        disabled_at: None,
        epoch: 0,
        secret: WebhookSecret::new([7; 32]),
        alerted_of: None,
        created_at: service.created_at,
        updated_at: service.updated_at,
    };
    let endpoints = (0..26).map(|number| Moved::Webhook(endpoint(number)));
    let wrong = problems_of([business].into_iter().chain(endpoints).collect()).await;
    let told: Vec<_> = wrong.iter().map(|wrong| (wrong.line, &wrong.problem.code)).collect();
    assert_eq!(told, [(28, &ImportProblem::EndpointsMax(25).into())]);
}
