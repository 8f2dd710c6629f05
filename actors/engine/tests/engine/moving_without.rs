//! Data that an export omits: data of contacts that are being erased, and expired records.

use domain::{CallId, ContactId, MessageId};
use engine::business::commands::appointments::BookingContact;
use engine::business::commands::erasure::{EraseContact, PatchRetention};
use engine::business::{CallFilter, MessageFilter};
use engine::moving::{ImportOptions, Moved};
use store::keys;

use crate::erasing::{EMAIL, NAME, PHONE, SAID, call, message, person};
use crate::harness::{Shop, World, at, by_operator, first_page, id_of, pass};
use crate::imports::import;
use crate::moving::{leaving, problems_of};

/// Returns a shop with a contact to which records of every kind refer, and the id of this contact.
pub(crate) async fn somebodys(seed: u64) -> (World, Shop, ContactId) {
    let world = World::new(seed).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let change = async |change: engine::business::commands::messages::TakeMessage| {
        handle.change(by_operator(), change).await.unwrap()
    };
    change(message(Some(PHONE), None)).await; // the message has no contact
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

/// Whether the exported records contain data of the erased contact.
pub(crate) fn tells_of_them(moved: &[Moved]) -> bool {
    let shown = format!("{moved:?}");
    [NAME, &PHONE[1..], EMAIL, SAID, "recordings.example"].iter().any(|word| shown.contains(word))
}

/// Imports the records into a new world with a running engine. Checks that an export of the new world
/// equals the imported records.
async fn arrived(moved: &[Moved], seed: u64) -> World {
    let mut here = World::new(seed).await;
    import(&here, moved, ImportOptions::default()).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    assert!(leaving(&store) == moved, "the second export must equal the first");
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    store.close().await.unwrap();
    here.open_again().await;
    here
}

#[tokio::test(start_paused = true)]
async fn an_export_omits_a_contact_at_every_stage_of_the_erasure() {
    let (mut world, shop, somebody) = somebodys(10).await;
    world.disk.hold_syncs();
    let erasing = world.ask(&shop, EraseContact { id: somebody }).await;
    world.crash(1).await; // only the deletion of the contact survives
    erasing.await.unwrap().unwrap_err();
    world.disk.hold_syncs();
    world.disk.crash(0);
    world.end_of_life().await;
    let store = world.store();
    assert!(store.contains(&keys::unfinished(shop.id)).unwrap());
    let kept = store.scan(&keys::all(shop.id), store::Order::Ascending);
    let told = kept.filter(|row| String::from_utf8_lossy(&row.as_ref().unwrap().1).contains(SAID));
    assert!(told.count() > 2, "nothing may be deleted yet");
    let before = leaving(&store);
    assert!(!tells_of_them(&before), "{before:#?}");
    store.close().await.unwrap();
    arrived(&before, 11).await;

    // After the cleanup, the export differs only in timestamps. The other caller and their booking are
    // unchanged.
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
async fn an_imported_retention_takes_effect() {
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
    // The export contains the message, although the call to which it refers was deleted.
    let names = |moved: &Moved| matches!(moved, Moved::Message(it) if it.call_id == Some(called));
    assert!(moved.iter().any(names));

    let mut here = World::new(15).await;
    pass(21 * 24 * 60).await; // the clock of the new world reaches the time of the export
    import(&here, &moved, ImportOptions::default()).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    assert_eq!(leaving(&store), moved);
    let report = engine::verify::check(store.rows()).unwrap();
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
    assert_eq!(view::render(&was.await), view::render(&is.await));
    // Imported records expire according to their original timestamps.
    pass(11 * 24 * 60).await;
    assert_eq!(there().await, [left]);
    pass(20 * 24 * 60).await;
    assert_eq!(there().await, []);
}

#[tokio::test(start_paused = true)]
async fn an_import_refuses_missing_references_unless_they_may_have_expired() {
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
    let told = problems_of(moved.clone()).await;
    let paths: std::collections::BTreeSet<_> = told.iter().map(|wrong| wrong.problem.path.as_str()).collect();
    assert_eq!(paths.into_iter().collect::<Vec<_>>(), ["appointment_id", "call_id"]);
    // If the export contains retention periods, the referenced records may have expired, so their absence is accepted.
    moved.insert(1, Moved::Retention(domain::Retention::default()));
    if let Some(Moved::End { records }) = moved.last_mut() {
        *records += 1;
    }
    assert_eq!(problems_of(moved.clone()).await, []);
    let here = World::new(17).await;
    import(&here, &moved, ImportOptions::default()).await;
    here.engine.clone().close().await.unwrap();
    let store = here.store();
    let calls = leaving(&store);
    let calls = calls.iter().filter_map(|moved| match moved {
        Moved::Call(call) => Some(call),
        _ => None,
    });
    assert!(calls.clone().count() == 2 && calls.clone().all(|call| *call == call.erased()));
    // The retention periods may occur only once, and only before other records.
    moved.insert(2, moved[1].clone());
    moved.insert(4, moved[1].clone());
    let told = problems_of(moved).await;
    assert_eq!(told.iter().map(|wrong| wrong.line).collect::<Vec<_>>(), [4, 6]);
    assert!(told.iter().all(|wrong| wrong.problem.path == "kind"), "{told:?}");
}
