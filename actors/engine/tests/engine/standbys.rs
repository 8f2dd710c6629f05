//! Entries of the standby list are counted, merged, exported, imported and erased like other records of a contact.

use std::time::Duration;

use domain::{
    BudgetKind, Conflict, ContactId, Email, Named, Phone, ProblemCode, Refusal, Standby, StandbyDetails,
};
use engine::business::commands::contacts::{AddStandby, MergeContacts};
use engine::business::commands::erasure::EraseContact;
use engine::moving::{ImportOptions, Moved, MovedKind};
use engine::{BusinessHandle, EngineError};
use store::keys::{self, kind};
use store::{Order, Record};

use crate::budget::{rows_max, told};
use crate::erasing::person;
use crate::harness::{
    Shop, World, body, by_operator, everything_else_runs, first_page, id_of, once, pass, text,
};
use crate::imports::import;
use crate::moving::{leaving, told_of};

const PHONE: &str = "+15550004711";
const EMAIL: &str = "anna@x.example";

fn standby(shop: &Shop, contact_id: ContactId, wish: &str) -> AddStandby {
    AddStandby { details: StandbyDetails { contact_id, service_id: shop.service, wish: text(wish) } }
}

async fn contact(handle: &BusinessHandle, name: &str, phone: &str, email: &str) -> ContactId {
    id_of(&handle.change(by_operator(), person(name, phone, email)).await.unwrap())
}

async fn entries(handle: &BusinessHandle) -> Vec<Standby> {
    handle.all(&first_page()).await.unwrap().items
}

#[tokio::test(start_paused = true)]
async fn an_entry_needs_a_contact_and_a_service_of_the_business() {
    let world = World::new(81).await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    let theirs = contact(&world.at(&other), "Anna", PHONE, EMAIL).await;
    let handle = world.at(&shop);
    let refused = handle.change(by_operator(), standby(&other, theirs, "Any morning")).await;
    let Err(EngineError::Refused(Refusal::Invalid(problems))) = refused else { panic!("it was added") };
    let found: Vec<_> = problems.iter().map(|problem| (problem.path.as_str(), &problem.code)).collect();
    let missing = [Named::Contact, Named::Service].map(ProblemCode::NotOfTheBusiness);
    assert_eq!(found, [("contact_id", &missing[0]), ("service_id", &missing[1])]);
    assert_eq!(entries(&handle).await, []);
}

#[tokio::test(start_paused = true)]
async fn entries_are_counted_and_refused_beyond_their_budget() {
    let mut world = World::new(82).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let anna = contact(&handle, "Anna", PHONE, EMAIL).await;
    let added = handle.change(once(1, 1), standby(&shop, anna, "Any morning")).await.unwrap();
    let again = handle.change(once(1, 1), standby(&shop, anna, "Any morning")).await.unwrap();
    assert!(again.replayed);
    assert_eq!(body(&again), body(&added));
    let used = entries(&handle).await.iter().map(|entry| entry.encode().len() as u64).collect::<Vec<_>>();
    assert_eq!(told(&handle).await["standbys"], (1, used[0]));
    handle.change(by_operator(), rows_max(BudgetKind::Standbys, 1)).await.unwrap();
    world.restart().await;
    let handle = world.at(&shop);
    assert_eq!(told(&handle).await["standbys"], (1, used[0]));
    let refused = handle.change(by_operator(), standby(&shop, anna, "Any evening")).await;
    let Err(EngineError::Refused(Refusal::Conflict { conflict, .. })) = refused else {
        panic!("it was added")
    };
    assert_eq!(conflict, Conflict::BudgetUsedUp(BudgetKind::Standbys));
}

#[tokio::test(start_paused = true)]
async fn entries_move_in_a_merge_and_are_emptied_by_an_erasure() {
    let world = World::new(83).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let anna = contact(&handle, "Anna", PHONE, EMAIL).await;
    let ann = contact(&handle, "Ann", "+15550004712", "ann@x.example").await;
    let bo = contact(&handle, "Bo", "+15550004713", "bo@x.example").await;
    for (of, wish) in [(anna, "Any morning"), (ann, "Mornings, please"), (bo, "Evenings")] {
        handle.change(by_operator(), standby(&shop, of, wish)).await.unwrap();
    }
    let before = entries(&handle).await;
    let (phone, email) = (Phone::from_e164(PHONE.into()).ok(), Email::new(EMAIL).ok());
    handle.change(by_operator(), MergeContacts { id: anna, from: ann, phone, email }).await.unwrap();
    // Until the merge has moved the entry, the list of the survivor reads both indexes.
    let theirs = MovedKind::Standby.of_contact(&handle, ann, &first_page()).await.unwrap().items;
    let ids = |all: &[Moved]| -> Vec<_> {
        all.iter()
            .map(|one| if let Moved::Standby(entry) = one { entry.id } else { panic!("{one:?}") })
            .collect()
    };
    assert_eq!(ids(&theirs), [before[1].id, before[0].id]);
    pass(5).await;
    everything_else_runs().await;
    let merged = entries(&handle).await;
    assert_eq!(merged[1], Standby { contact_id: Some(anna), ..before[1].clone() });
    assert_eq!(merged[0], before[0]);

    handle.change(by_operator(), EraseContact { id: anna }).await.unwrap();
    pass(5).await;
    everything_else_runs().await;
    assert_eq!(entries(&handle).await, [before[0].erased(), before[1].erased(), before[2].clone()]);
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let index = keys::of_kind(shop.id, kind::STANDBY_BY_CONTACT);
    assert_eq!(store.scan(&index, Order::Ascending).count(), 1, "only Bo has an entry");
    for row in store.scan(&store::every_row(), Order::Ascending) {
        let (key, value) = row.unwrap();
        let shown = String::from_utf8_lossy(&value).to_lowercase();
        assert!(!shown.contains("morning"), "{:?}: {shown}", store::Key::new(&key));
    }
}

#[tokio::test(start_paused = true)]
async fn entries_are_exported_and_imported_unchanged() {
    let world = World::new(84).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let anna = contact(&handle, "Anna", PHONE, EMAIL).await;
    let bo = contact(&handle, "Bo", "+15550004713", "bo@x.example").await;
    for (of, wish) in [(anna, "Any morning"), (bo, "Evenings")] {
        handle.change(by_operator(), standby(&shop, of, wish)).await.unwrap();
    }
    handle.change(by_operator(), EraseContact { id: bo }).await.unwrap();
    let used = told(&handle).await;
    tokio::time::sleep(Duration::from_secs(300)).await;
    world.engine.clone().close().await.unwrap();
    let moved = leaving(&world.store());
    let kept = moved.iter().filter(|one| matches!(one, Moved::Standby(_))).count();
    assert_eq!(kept, 2, "an export contains the entries of erased contacts, without their data");

    let mut here = World::new(85).await;
    import(&here, &moved, ImportOptions::default()).await;
    assert_eq!(told(&here.at(&shop)).await["standbys"].0, used["standbys"].0);
    here.engine.clone().close().await.unwrap();
    assert_eq!(leaving(&here.store()), moved);
    here.open_again().await;

    let of_nobody = moved.into_iter().map(|one| match one {
        Moved::Standby(entry) => Moved::Standby(Standby { contact_id: Some(bo), ..entry }),
        other => other,
    });
    let wrong = told_of(of_nobody.filter(|one| !matches!(one, Moved::End { .. })).collect()).await;
    let found: Vec<_> = wrong.iter().map(|one| (one.problem.path.as_str(), &one.problem.code)).collect();
    let missing = ProblemCode::NotOfTheBusiness(Named::Contact);
    assert_eq!(found, [("contact_id", &missing), ("contact_id", &missing)]);
}
