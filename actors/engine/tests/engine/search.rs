//! Search by name, number and address finds exactly the matching records, also after changes,
//! erasures, retention, crashes and damage.

use domain::{
    CallDetails, CallId, ContactDetails, ContactId, ContactPatch, Direction, Email, FoundKind,
    MessageDetails, Phone, Search,
};
use engine::business::commands::calls::RecordCall;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::erasure::{EraseContact, PatchRetention};
use engine::business::commands::messages::TakeMessage;
use engine::business::{ContactFilter, FOUND_MAX};
use engine::{BusinessHandle, Limits};
use store::keys::{self, kind};
use store::records::SearchRecord;
use store::{Order, Record};

use crate::harness::{Shop, World, at, by_operator, first_page, id_of, pass, text, walk};
use crate::rows::Rows;

fn phone(number: usize) -> Phone {
    Phone::from_e164(format!("+336{number:08}")).unwrap()
}

fn contact(number: usize) -> CreateContact {
    const FIRST: [&str; 5] = ["Zoé", "Jean-Pierre", "O’Neill", "Ana Maria", "Łukasz"];
    let name = format!("{} Lefèvre{}", FIRST[number % FIRST.len()], number % 7);
    CreateContact {
        details: ContactDetails {
            name: (number % 11 != 10).then(|| text(&name)),
            phone: (number % 3 != 2).then(|| phone(number)),
            email: (number.is_multiple_of(4) || number % 11 == 10)
                .then(|| Email::new(&format!("mail.{number}@example.com")).unwrap()),
            ..ContactDetails::default()
        },
    }
}

/// The searches that the tests make.
fn searches() -> Vec<Search> {
    let trunks = [("33".to_owned(), "0".to_owned())];
    let words = "lefevre|LEFÈVRE3|zoe|pierre jean|oneill lef|neill|maria a|lukasz|06 00 00 01|+336000001|0012|mail\
        |mail.1|example 9|100|efevre|nobody|renamed|l|&";
    words.split('|').map(|words| Search::new(words, &trunks)).collect()
}

async fn found(handle: &BusinessHandle, search: &Search, limit: usize) -> Vec<ContactId> {
    let filter = ContactFilter { search: Some(search.clone()), ..ContactFilter::default() };
    let found = walk(limit, async |page| handle.contacts(&filter, &page).await).await;
    found.iter().map(|contact| contact.id).collect()
}

/// Checks that each search finds exactly the matching contacts of the list of all contacts. Returns the total number of
/// contacts that the searches found.
async fn check(handle: &BusinessHandle, limit: usize) -> usize {
    let all = walk(100, async |page| handle.contacts(&ContactFilter::default(), &page).await).await;
    let mut count = 0;
    for (number, search) in searches().iter().enumerate() {
        let matches = |it: &&view::ContactView| {
            let fields = [&it.name, &it.phone, &it.email].map(Option::as_deref);
            search.matches(&domain::search_text(fields[0], fields[1], fields[2]))
        };
        let expected: Vec<_> = all.iter().filter(matches).map(|it| it.id).collect();
        assert_eq!(found(handle, search, limit).await, expected, "search {number}, limit {limit}");
        count += expected.len();
    }
    count
}

async fn rows_checked(world: &mut World, shop: &Shop) {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    Rows::checked(&store, shop.id);
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    store.close().await.unwrap();
    world.open_again().await;
}

#[tokio::test(start_paused = true)]
async fn a_search_finds_the_same_contacts_as_a_walk_over_all_contacts() {
    let mut world = World::new(1).await;
    let shop = world.shop(1).await;
    let mut ids: Vec<ContactId> = Vec::new();
    for number in 0..300 {
        let made = world.at(&shop).change(by_operator(), contact(number)).await.unwrap();
        ids.push(id_of(&made));
        if [1, 63, 64, 65, 129, 200].contains(&number) {
            check(&world.at(&shop), 7).await;
        }
        if number == 100 {
            world.restart().await;
        }
    }
    let count = check(&world.at(&shop), 1).await;
    assert!(count > 500, "the searches find only {count} contacts");
    // Every third contact loses its phone number and gets a long name. The index rows then become too long and are
    // divided.
    for id in ids.iter().step_by(3) {
        let long = format!("Renamed {}", "Émile ".repeat(30));
        let name = Some(Some(text(&long)));
        let patch = ContactPatch { name, phone: Some(None), ..ContactPatch::default() };
        world.at(&shop).change(by_operator(), PatchContact { id: *id, patch }).await.unwrap();
    }
    check(&world.at(&shop), 9).await;
    rows_checked(&mut world, &shop).await;
    // An index row lists several contacts. The test erases all contacts of some index rows, and the newest contacts.
    for id in ids[..150].iter().chain(&ids[280..]) {
        world.at(&shop).change(by_operator(), EraseContact { id: *id }).await.unwrap();
    }
    check(&world.at(&shop), 100).await;
    for number in 300..400 {
        world.at(&shop).change(by_operator(), contact(number)).await.unwrap();
    }
    // With a smaller limit on the rows that a request reads, pages end earlier. All pages together must still
    // show the same contacts.
    for scan_rows in [1, 2, 7, 40] {
        world.limits = Limits { scan_rows, ..world.limits };
        world.restart().await;
        check(&world.at(&shop), 20).await;
    }
    pass(5).await;
    rows_checked(&mut world, &shop).await;
}

#[tokio::test(start_paused = true)]
async fn search_texts_are_consistent_after_a_crash_with_unsynced_contacts() {
    for keep in [0, 30, usize::MAX] {
        let mut world = World::new(7 + keep as u64 % 5).await;
        let shop = world.shop(1).await;
        for number in 0..60 {
            world.at(&shop).change(by_operator(), contact(number)).await.unwrap();
        }
        world.disk.set_sync_delay(std::time::Duration::from_secs(5));
        let mut pending = Vec::new();
        for number in 60..140 {
            pending.push(world.ask(&shop, contact(number)).await);
        }
        world.crash(keep).await;
        world.disk.set_sync_delay(std::time::Duration::ZERO);
        check(&world.at(&shop), 30).await;
        for number in 140..220 {
            world.at(&shop).change(by_operator(), contact(number)).await.unwrap();
        }
        check(&world.at(&shop), 30).await;
        rows_checked(&mut world, &shop).await;
    }
}

async fn record(handle: &BusinessHandle, number: usize) -> CallId {
    let details = CallDetails {
        from_number: (number % 5 != 4).then(|| phone(number)),
        ..CallDetails::of(Direction::Inbound, at(0, 7), at(0, 7))
    };
    id_of(&handle.change(by_operator(), RecordCall { details, contact_name: None }).await.unwrap())
}

async fn take(handle: &BusinessHandle, name: &str, number: usize) {
    let details = MessageDetails {
        caller_name: Some(text(name)),
        caller_phone: Some(phone(number)),
        ..MessageDetails::of(text("Lefèvre in the text is not found"))
    };
    handle.change(by_operator(), TakeMessage { details }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_search_in_the_business_finds_records_of_every_kind() {
    let mut world = World::new(3).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    handle.change(by_operator(), shop.booking(at(3, 9), 1)).await.unwrap();
    let in_call = record(&handle, 7).await;
    take(&handle, "Hélène", 8).await;
    let kinds = async |world: &World, words: &str| {
        let trunks = [("33".to_owned(), "0".to_owned())];
        let found = world.at(&shop).search(&Search::new(words, &trunks)).await.unwrap();
        found.iter().map(|found| (found.kind, found.title.clone())).collect::<Vec<_>>()
    };
    let booked = [FoundKind::Contact, FoundKind::Appointment].map(|kind| (kind, "Contact 1".to_owned()));
    assert_eq!(kinds(&world, "contact 1").await, booked);
    assert_eq!(kinds(&world, "+1555 0000001").await, booked);
    // The call has created a contact, so the search finds both.
    let called = [FoundKind::Contact, FoundKind::Call].map(|kind| (kind, "+33600000007".to_owned()));
    assert_eq!(kinds(&world, "06 00 00 00 07").await, called);
    assert_eq!(kinds(&world, "helene").await, [(FoundKind::Message, "Hélène".to_owned())]);
    assert_eq!(kinds(&world, "000008 hel").await.len(), 1);
    assert_eq!(kinds(&world, "lefevre").await, []);
    // The contact's call and message are found by the contact's name.
    let details =
        ContactDetails { name: Some(text("Zoé")), phone: Some(phone(77)), ..ContactDetails::default() };
    let zoe: ContactId = id_of(&handle.change(by_operator(), CreateContact { details }).await.unwrap());
    record(&handle, 77).await;
    take(&handle, "Her mother", 77).await;
    let theirs = kinds(&world, "zoe").await;
    let expected = [FoundKind::Contact, FoundKind::Call, FoundKind::Message];
    assert_eq!(theirs.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), expected);
    assert_eq!(theirs[2].1, "Her mother");
    handle.change(by_operator(), EraseContact { id: zoe }).await.unwrap();
    for words in ["zoe", "mother", "000077"] {
        assert_eq!(kinds(&world, words).await, [], "{words}");
    }
    // A search returns at most [`FOUND_MAX`] records, among them records of each kind.
    for number in 100..230 {
        record(&handle, number).await;
        take(&handle, "Many", number).await;
        handle.change(by_operator(), contact(1_000 + number)).await.unwrap();
    }
    let many = handle.search(&Search::new("60000", &[])).await.unwrap();
    assert_eq!(many.len(), FOUND_MAX);
    for kind in [FoundKind::Contact, FoundKind::Call, FoundKind::Message] {
        assert!(many.iter().filter(|found| found.kind == kind).count() > 5, "{many:?}");
    }
    assert!(many.is_sorted_by_key(|found| found.kind));
    // When retention deletes a call, it also deletes the call's search texts.
    pass(1).await;
    rows_checked(&mut world, &shop).await;
    let retention = PatchRetention { calls_days: Some(Some(1)), ..PatchRetention::default() };
    world.at(&shop).change(by_operator(), retention).await.unwrap();
    pass(60 * 50).await;
    assert_eq!(world.at(&shop).call_record(in_call).await.unwrap().map(|call| call.id), None);
    assert_eq!(kinds(&world, "06 00 00 00 07").await, called[..1]);
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let left = store.scan(&keys::of_kind(shop.id, kind::CALL_SEARCH), Order::Ascending);
    let texts = left.map(|row| SearchRecord::decode(&row.unwrap().1).unwrap().texts.len()).sum::<usize>();
    assert_eq!(texts, 0);
    store.close().await.unwrap();
    world.open_again().await;
    rows_checked(&mut world, &shop).await;
}

#[tokio::test(start_paused = true)]
async fn contacts_of_a_damaged_row_are_not_found_and_stop_nothing() {
    let mut world = World::new(4).await;
    let shop = world.shop(1).await;
    let mut ids: Vec<ContactId> = Vec::new();
    for number in 0..200 {
        ids.push(id_of(&world.at(&shop).change(by_operator(), contact(number)).await.unwrap()));
    }
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let rows = store.scan(&keys::of_kind(shop.id, kind::CONTACT_SEARCH), Order::Ascending);
    let rows: Vec<_> = rows.map(|row| store::Key::new(&row.unwrap().0)).collect();
    store.close().await.unwrap();
    world.open_again().await;
    assert!(rows.len() >= 2, "{rows:?}");
    for damaged in [rows[0], rows[rows.len() - 1]] {
        let any = Search::new("l", &[]);
        let whole = found(&world.at(&shop), &any, 100).await.len();
        world.spoil(damaged).await;
        let handle = world.at(&shop);
        let left = found(&handle, &any, 100).await.len();
        assert!(left > 0 && left < whole, "{left} of {whole} contacts");
        let last: ContactId = keys::id_at_end(&damaged).unwrap();
        let at = ids.iter().position(|id| *id == last).unwrap();
        let patch = ContactPatch { name: Some(Some(text("Renamed"))), ..ContactPatch::default() };
        handle.change(by_operator(), PatchContact { id: last, patch }).await.unwrap();
        handle.change(by_operator(), EraseContact { id: ids[at - 1] }).await.unwrap();
        handle.change(by_operator(), contact(500 + at)).await.unwrap();
    }
    assert_eq!(world.fatal(), 0);
    assert!(
        !world.at(&shop).contacts(&ContactFilter::default(), &first_page()).await.unwrap().items.is_empty()
    );
}
