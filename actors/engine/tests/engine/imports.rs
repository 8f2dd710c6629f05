//! Imports into a running engine: complete and interrupted imports, and imports with erased contacts.

use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use domain::{
    Actor, BusinessId, CallRecord, Channel, ContactDetails, Dropped, EndedBy, GateRule, ImportProblem, Phone,
    Problem, Refusal, ResourceId, Timestamp,
};
use engine::EngineError;
use engine::business::Idempotency;
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::conversations::EndConversation;
use engine::business::commands::erasure::EraseContact;
use engine::moving::{Import, ImportOptions, MISSING_MAX, Moved};
use store::{Batch, Order, Tombstone, keys};
use view::ImportedView;

use crate::erasing::PHONE;
use crate::exports::rest_of;
use crate::harness::{Shop, World, at, by_operator, everything_else_runs, first_page, json, pass, text};
use crate::moving::{leaving, used};
use crate::moving_without::{somebodys, tells_of_them};
use crate::receptionist::{said, start, started, world};

const ERASE_AGAIN: ImportOptions = ImportOptions { erase_again: true };

async fn take_all(importing: &mut Import, moved: &[Moved]) {
    for (line, record) in (2..).zip(moved) {
        assert_eq!(importing.take(line, record.clone()).await.unwrap(), [], "line {line}");
        importing.rest().await.unwrap();
    }
}

fn imported(importing: &mut Import) -> ImportedView {
    let (businesses, records) = importing.count();
    ImportedView {
        businesses,
        records,
        exported_at: Timestamp::from_millis(7),
        dry_run: false,
        lost_slugs: Vec::new(),
    }
}

pub(crate) async fn import(world: &World, moved: &[Moved], options: ImportOptions) {
    let mut importing = world.engine.import(options).unwrap();
    take_all(&mut importing, moved).await;
    let view = imported(&mut importing);
    importing.finish(view, Actor::Operator, None).await.unwrap();
}

async fn rows_of(world: &mut World, id: BusinessId) -> usize {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let rows = store.rows().scan(&keys::all(id), Order::Ascending).count();
    store.close().await.unwrap();
    world.open_again().await;
    rows
}

fn is_refused_for_now<T>(result: &Result<T, EngineError>) -> bool {
    matches!(result, Err(EngineError::Refused(Refusal::UnderWay { .. })))
}

#[tokio::test(start_paused = true)]
async fn an_imported_business_is_not_found_until_it_is_complete() {
    let (_, shop, moved) = used(21).await;
    let mut here = World::new(22).await;
    let neighbour = here.shop(1).await;
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    for (number, part) in (0..).zip(moved.chunks(50)) {
        take_all(&mut importing, part).await;
        assert!(matches!(here.at(&shop).business().await, Err(EngineError::NotFound)));
        let booking = here.at(&shop).change(by_operator(), shop.booking(at(50, 9), 1)).await;
        assert!(matches!(booking, Err(EngineError::NotFound)));
        here.at(&neighbour).change(by_operator(), neighbour.booking(at(1, number), 1)).await.unwrap();
        assert_eq!(here.engine.businesses(&first_page()).await.unwrap().items.len(), 1);
    }
    assert!(
        is_refused_for_now(&here.engine.import(ImportOptions::default())),
        "only one import may run at a time"
    );
    let view = imported(&mut importing);
    importing.finish(view, Actor::Operator, None).await.unwrap();
    here.at(&shop).change(by_operator(), shop.booking(at(50, 9), 1)).await.unwrap();
    assert_eq!(here.engine.businesses(&first_page()).await.unwrap().items.len(), 2);
    let listed = here.disk.tombstones();
    assert!(matches!(&listed[..], [Tombstone::ImportedBusiness(of, _)] if *of == shop.id), "{listed:?}");
    assert!(rows_of(&mut here, shop.id).await > moved.len());
    let again = here.engine.import(ImportOptions::default()).unwrap().take(2, moved[0].clone()).await;
    let wrong = again.unwrap();
    assert_eq!(wrong[0].problem.code, ImportProblem::BusinessExists.into());
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_import_is_removed_and_others_can_be_made() {
    let (_, shop, moved) = used(23).await;
    let mut here = World::new(24).await;
    for records in (0..=moved.len()).step_by(67) {
        let mut importing = here.engine.import(ImportOptions::default()).unwrap();
        take_all(&mut importing, &moved[..records]).await;
        drop(importing);
        if records > 0 {
            assert!(
                is_refused_for_now(&here.engine.import(ImportOptions::default())),
                "the dropped import must not be removed yet"
            );
        }
        pass(1).await;
        assert_eq!(rows_of(&mut here, shop.id).await, 0, "after {records} records");
    }
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    take_all(&mut importing, &moved[..100]).await;
    importing.take_back().await.unwrap();
    import(&here, &moved, ImportOptions::default()).await;
    assert!(here.at(&shop).business().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_import_interrupted_by_a_crash_is_completed_or_removed_at_the_next_start() {
    let (_, shop, moved) = used(25).await;
    // Each pass interrupts an import after a larger number of records. In the last pass, the import has taken all
    // records, so the next start must complete the import. In the other passes, the import must be removed.
    for records in (0..=moved.len()).step_by(67).chain([moved.len()]) {
        let mut here = World::new(26).await;
        let neighbour = here.shop(1).await;
        let mut importing = here.engine.import(ImportOptions::default()).unwrap();
        take_all(&mut importing, &moved[..records]).await;
        let good = records == moved.len();
        if good {
            // The completion of the import is interrupted before the first business becomes visible.
            here.disk.crash(usize::MAX);
            here.end_of_life().await;
            let (store, mut batch) = (here.store(), Batch::new());
            batch.put(keys::moving(BusinessId::INSTALLATION), Vec::new());
            store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
            store.close().await.unwrap();
            here.open_again().await;
        } else {
            here.crash(records % 3).await;
        }
        drop(importing);
        // Another business continues to work. Then a second crash interrupts the completion or the cleanup of the
        // import.
        here.at(&neighbour).change(by_operator(), neighbour.booking(at(1, 9), 1)).await.unwrap();
        here.crash(1).await;
        pass(1).await;
        assert_eq!(here.at(&shop).business().await.is_ok(), good, "after {records} records");
        assert_eq!(rows_of(&mut here, shop.id).await > 0, good, "after {records} records");
        if good {
            let mut export = here.engine.export(Actor::Operator, Some(shop.id), true).unwrap();
            assert!(rest_of(&mut export).await == moved);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeated_import_gets_the_same_response() {
    let (_, _, moved) = used(27).await;
    let mut here = World::new(28).await;
    let asked = Idempotency { key: [1; 32], fingerprint: [2; 32] };
    let once = here.engine.import_once(asked.key).unwrap();
    assert!(!once.is_known());
    let in_progress = here.engine.import_once(asked.key);
    assert!(matches!(in_progress, Err(EngineError::Refused(Refusal::IdempotencyInProgress))));
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    take_all(&mut importing, &moved).await;
    let view = imported(&mut importing);
    let first = importing.finish(view, Actor::Operator, Some(asked)).await.unwrap();
    drop(once);
    here.crash(0).await;
    assert!(here.engine.import_once(asked.key).unwrap().is_known());
    let again = here.engine.imported_before(asked).await.unwrap().unwrap();
    assert!(again.replayed && !first.replayed);
    assert_eq!(json(&again), json(&first));
    let other = Idempotency { fingerprint: [3; 32], ..asked };
    let reused = here.engine.imported_before(other).await;
    assert!(matches!(reused, Err(EngineError::Refused(Refusal::IdempotencyKeyReused))));
    pass(25 * 60).await;
    assert!(!here.engine.import_once(asked.key).unwrap().is_known());
}

/// The behaviour of the client after its request to finish an import was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// The client waits until all other tasks have run.
    Waits,
    /// The client repeats the request immediately.
    AsksAgain,
    /// The service is killed, and the client sends the request to the next process.
    Kills,
}

/// Polls a future once without a waker.
fn is_ready(future: Pin<&mut impl Future>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

/// Sends the request to finish an import, polls the request at most `polls` times, drops it, and checks the result.
/// Returns whether the request had finished before it was dropped.
async fn given_up_after(polls: usize, then: Then, moved: &[Moved], shop: &Shop) -> bool {
    let case = format!("{then:?}, dropped after {polls} polls");
    let asked = Idempotency { key: [1; 32], fingerprint: [2; 32] };
    let mut here = World::new(34).await;
    let neighbour = here.shop(1).await;
    let once = here.engine.import_once(asked.key).unwrap();
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    take_all(&mut importing, moved).await;
    let view = imported(&mut importing);
    here.disk.set_sync_delay(Duration::from_millis(3));
    let mut finishing = Box::pin(importing.finish(view, Actor::Operator, Some(asked)));
    let (mut is_over, mut bookings) = (false, Vec::new());
    for (day, hour) in (1..).flat_map(|day| (0..24).map(move |hour| (day, hour))).take(polls) {
        // Before each poll, another business queues a change. The next write of the import waits for this change.
        bookings.push(here.ask(&neighbour, neighbour.booking(at(day, hour), 1)).await);
        is_over = is_ready(finishing.as_mut());
        if is_over {
            break;
        }
        everything_else_runs().await;
    }
    drop((finishing, once));
    if then == Then::Kills {
        here.crash(0).await;
    }
    if then != Then::Waits
        && here.engine.import_once(asked.key).unwrap().is_known()
        && here.engine.imported_before(asked).await.unwrap().is_some()
    {
        assert!(
            here.at(shop).business().await.is_ok(),
            "{case}: the import was acknowledged, but the business is missing"
        );
    }
    pass(1).await;
    for booking in bookings {
        assert!(booking.await.unwrap().is_ok() || then == Then::Kills, "{case}");
    }
    let is_known = here.engine.import_once(asked.key).unwrap().is_known();
    assert_eq!(here.at(shop).business().await.is_ok(), is_known, "{case}");
    assert!(is_known || !is_over, "{case}: the import was finished, but it is unknown");
    let listed = here.disk.tombstones().into_iter();
    let imported = listed.filter(|line| matches!(line, Tombstone::ImportedBusiness(..)));
    // Before the service opens an imported business, it adds a line to the list of tombstones. A crash can undo the
    // opening, but the line is kept. The service then adds a second line and opens the business again.
    let (lines, lines_max) = (imported.count(), if then == Then::Kills { 2 } else { 1 });
    assert!(lines == 0 || is_known && lines <= lines_max, "{case}: the business was opened {lines} times");
    assert_eq!(rows_of(&mut here, shop.id).await > 0, is_known, "{case}");
    is_over
}

#[tokio::test(start_paused = true)]
async fn an_import_dropped_during_its_finish_exists_exactly_if_its_key_is_stored() {
    let (_, shop, moved) = used(35).await;
    for then in [Then::Waits, Then::AsksAgain, Then::Kills] {
        let mut polls = 0;
        while !given_up_after(polls, then, &moved, &shop).await {
            polls += 1;
        }
        assert!(polls > 5, "the import finished within {polls} polls");
    }
}

#[tokio::test(start_paused = true)]
async fn ending_the_imports_stops_them_and_other_requests_continue() {
    let (_, shop, moved) = used(36).await;
    let mut here = World::new(37).await;
    let neighbour = here.shop(1).await;
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    take_all(&mut importing, &moved[..120]).await;
    assert!(!is_ready(std::pin::pin!(here.engine.imports_end())));
    here.engine.end_imports();
    here.engine.imports_end().await;
    assert!(matches!(importing.rest().await, Err(EngineError::Stopping)));
    assert!(matches!(here.engine.import(ImportOptions::default()), Err(EngineError::Stopping)));
    drop(importing);
    here.at(&neighbour).change(by_operator(), neighbour.booking(at(1, 9), 1)).await.unwrap();
    pass(1).await;
    assert_eq!(rows_of(&mut here, shop.id).await, 0);
    import(&here, &moved, ImportOptions::default()).await;
}

#[tokio::test(start_paused = true)]
async fn missing_messages_of_calls_are_all_counted_and_some_are_named() {
    let (world, shop, _) = somebodys(38).await;
    let export = &mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap();
    let mut moved = rest_of(export).await;
    world.engine.clone().close().await.unwrap();
    let calls = 3 * MISSING_MAX;
    let last = moved.iter().rposition(|moved| matches!(moved, Moved::Call(_))).unwrap();
    let Moved::Call(call) = moved[last].clone() else { unreachable!() };
    let more = (1..=calls as u128).map(|number| {
        let id = uuid::Uuid::from_u128(call.id.uuid().as_u128() + number).into();
        Moved::Call(CallRecord { id, message_id: Some(uuid::Uuid::from_u128(7).into()), ..call.clone() })
    });
    moved.splice(last + 1..last + 1, more);
    if let Some(Moved::End { records }) = moved.last_mut() {
        *records += calls as u64;
    }
    let first = last + 1 + 2; // line numbers start at 1, and the head is the first line
    let here = World::new(39).await;
    let (last, others) = moved.split_last().unwrap();
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    take_all(&mut importing, others).await;
    let end = (moved.len() + 1) as u64;
    let wrong = importing.take(end, last.clone()).await.unwrap();
    assert_eq!(wrong.len(), MISSING_MAX + 1);
    for (line, wrong) in (first as u64..).zip(&wrong[..MISSING_MAX]) {
        assert_eq!((wrong.line, wrong.problem.path.as_str()), (line, "message_id"));
    }
    let rest = &wrong[MISSING_MAX];
    assert_eq!((rest.line, rest.problem.path.as_str()), (end, ""));
    assert_eq!(rest.problem.code, ImportProblem::MoreCallsOfNoMessage((calls - MISSING_MAX) as u64).into());
    importing.take_back().await.unwrap();
    // The last line of a business starts a check of all calls of the business. After `end_imports`, this check returns
    // an error.
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    take_all(&mut importing, others).await;
    here.engine.end_imports();
    let ended = importing.take(end, last.clone()).await;
    assert!(matches!(ended, Err(EngineError::Stopping)));
}

#[tokio::test(start_paused = true)]
async fn an_older_export_does_not_restore_an_erased_contact() {
    let (mut world, shop, somebody) = somebodys(29).await;
    let moved = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    assert!(tells_of_them(&moved));
    world.at(&shop).change(by_operator(), EraseContact { id: somebody }).await.unwrap();
    world.engine.end_business(shop.id, by_operator()).await.unwrap();
    pass(2).await;
    assert_eq!(rows_of(&mut world, shop.id).await, 0);
    let line =
        moved.iter().position(|moved| matches!(moved, Moved::Contact(it) if it.id == somebody)).unwrap();

    let mut importing = world.engine.import(ImportOptions::default()).unwrap();
    let mut wrong = Vec::new();
    for (line, record) in (0..).zip(&moved) {
        wrong.extend(importing.take(line, record.clone()).await.unwrap());
    }
    importing.take_back().await.unwrap();
    assert_eq!(wrong.len(), 1, "records that name the contact must not be reported as well: {wrong:?}");
    assert_eq!((wrong[0].line, wrong[0].problem.path.as_str()), (line as u64, "id"));
    assert_eq!(wrong[0].problem.code, ImportProblem::ErasedHere.into());

    import(&world, &moved, ERASE_AGAIN).await;
    let arrived = rest_of(&mut world.engine.export(Actor::Operator, Some(shop.id), true).unwrap()).await;
    assert!(!tells_of_them(&arrived), "{arrived:#?}");
    assert_eq!(arrived.len(), moved.len() - 1, "everything except the contact must be imported");
    assert!(world.at(&shop).contact(somebody).await.unwrap().is_none());
    // The phone number of the erased contact is free. A new contact with this number gets none of the imported records.
    let phone = Some(Phone::from_e164(PHONE.into()).unwrap());
    let details = ContactDetails { name: Some(text("New")), phone, ..ContactDetails::default() };
    world.at(&shop).change(by_operator(), CreateContact { details }).await.unwrap();
    assert!(rows_of(&mut world, shop.id).await > 0);
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    for row in store.scan(&keys::all(shop.id), Order::Ascending) {
        let value = row.unwrap().1;
        assert!(!String::from_utf8_lossy(&value).contains(crate::erasing::SAID));
    }
    assert_eq!(leaving(&store).len(), moved.len());
    store.close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_business_can_be_imported_and_deleted_repeatedly() {
    let (_, shop, moved) = used(32).await;
    let here = World::new(33).await;
    for _ in 0..5 {
        import(&here, &moved, ImportOptions::default()).await;
        here.at(&shop).change(by_operator(), shop.booking(at(50, 9), 1)).await.unwrap();
        here.engine.end_business(shop.id, by_operator()).await.unwrap();
        everything_else_runs().await;
        assert!(matches!(here.at(&shop).business().await, Err(EngineError::NotFound)));
    }
}

#[tokio::test(start_paused = true)]
async fn an_import_ends_with_its_engine() {
    let (_, shop, moved) = used(30).await;
    let mut here = World::new(31).await;
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    take_all(&mut importing, &moved[..120]).await;
    here.engine.clone().close().await.unwrap();
    assert!(matches!(importing.rest().await, Err(EngineError::Stopping)));
    let view = imported(&mut importing);
    assert!(importing.finish(view, Actor::Operator, None).await.is_err());
    here.open_again().await;
    everything_else_runs().await;
    pass(1).await;
    assert_eq!(rows_of(&mut here, shop.id).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_too_long_for_the_store_is_refused() {
    let (there, shop) = world().await;
    let handle = there.at(&shop);
    let id = started(&handle, start(Channel::Voice)).await;
    said(&handle, id, "Hello").await;
    handle.change(by_operator(), EndConversation { id, by: EndedBy::Team }).await.unwrap();
    there.engine.clone().close().await.unwrap();
    let moved = leaving(&there.store());
    let here = World::new(24).await;
    let mut importing = here.engine.import(ImportOptions::default()).unwrap();
    let mut refused = 0;
    for (line, record) in (2..).zip(moved) {
        let Moved::Conversation(mut it) = record else {
            assert!(refused > 0 || importing.take(line, record).await.unwrap().is_empty());
            continue;
        };
        let dropped = Dropped { rule: GateRule::Form, text: "x".repeat(1_000) };
        it.turns[0].dropped = vec![dropped; 600];
        let wrong = importing.take(line, Moved::Conversation(it)).await.unwrap();
        assert_eq!(wrong[0].problem, Problem::new("turns", ImportProblem::LineBytesMax(512 << 10)));
        refused += 1;
    }
    assert_eq!(refused, 1, "the business must have a conversation");
}
