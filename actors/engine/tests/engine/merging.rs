//! Merges of contacts. The records of the merged contact move in steps, and every read shows them as records of
//! the survivor, even when other changes, crashes or restarts occur.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};
use std::time::Duration;

use domain::booking::{MoveRequest, Party};
use domain::{
    Appointment, AppointmentId, CallId, CallRecord, Conflict, Contact, ContactDetails, ContactId,
    ContactPatch, Email, EmailConsent, InsightPeriod, MessageId, Named, Phone, Refusal, ResourceId,
    TakenMessage, Text, TextConsent,
};
use engine::business::commands::ForOperator;
use engine::business::commands::appointments::{BookingContact, Reschedule};
use engine::business::commands::contacts::{CreateContact, MergeContacts, PatchContact};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::notices::SetConsent;
use engine::business::{AppointmentFilter, CallFilter, ContactFilter, MessageFilter};
use engine::moving::Moved;
use engine::{BusinessHandle, EngineError};
use store::keys::{self, kind};
use store::{Order, Store, Tombstone};
use view::PeriodView;

use crate::erasing::{call, message, person};
use crate::harness::{
    Shop, World, appointment_of, at, by_operator, everything_else_runs, first_page, id_of, json, once, pass,
    text, walk,
};
use crate::moving::leaving;
use crate::rows::Rows;

const KEPT: &str = "+15550004711";
const GONE: &str = "+15550004712";
const KEPT_EMAIL: &str = "kept@x.example";
const GONE_EMAIL: &str = "gone@x.example";

fn phone(number: &str) -> Option<Phone> {
    Phone::from_e164(number.into()).ok()
}

/// A merge of `from` into `id`. The result has the phone number of `from` and the email address of `id`.
fn merge(id: ContactId, from: ContactId) -> MergeContacts {
    MergeContacts { id, from, phone: phone(GONE), email: Email::new(KEPT_EMAIL).ok() }
}

/// A shop with two contacts.
struct Two {
    world: World,
    shop: Shop,
    kept: ContactId,
    gone: ContactId,
}

impl Two {
    async fn new(seed: u64) -> Self {
        let world = World::new(seed).await;
        let shop = world.shop(2).await;
        let handle = world.at(&shop);
        let kept = handle.change(once(1, 1), person("Anna Smith", KEPT, KEPT_EMAIL)).await.unwrap();
        let gone = handle.change(once(2, 1), person("Ann Smith", GONE, GONE_EMAIL)).await.unwrap();
        Self { kept: id_of(&kept), gone: id_of(&gone), world, shop }
    }

    fn handle(&self) -> BusinessHandle {
        self.world.at(&self.shop)
    }

    /// Adds appointments, calls and messages. One third of them belong to the contact `kept`, and the others to `gone`.
    async fn fill(&self, count: i64) -> Theirs {
        let (handle, mut made) = (self.handle(), Theirs::default());
        for number in 0..count {
            let who = if number % 3 == 0 { self.kept } else { self.gone };
            let mut booking = self.shop.booking(at(1 + number / 4, 9 + number % 4), 1);
            booking.contact = BookingContact::Known(who);
            made.appointments.insert(appointment_of(&handle.change(by_operator(), booking).await.unwrap()));
            let call = call(KEPT, Some(who));
            made.calls.insert(id_of(&handle.change(by_operator(), call).await.unwrap()));
            let mut message = message(None, None);
            message.details.contact_id = Some(who);
            made.messages.insert(id_of(&handle.change(by_operator(), message).await.unwrap()));
        }
        made
    }

    async fn rows(&mut self) -> Store {
        self.world.engine.clone().close().await.unwrap();
        let store = self.world.store();
        let report = engine::verify::check(store.rows()).unwrap();
        assert!(report.is_whole(), "{:?}", report.findings);
        store
    }

    /// Whether records are still moving. Restarts the engine.
    async fn is_moving(&mut self) -> bool {
        let store = self.rows().await;
        let merging = keys::of_kind(self.shop.id, kind::MERGING);
        let is_moving = store.scan(&merging, Order::Ascending).next().is_some();
        assert_eq!(is_moving, store.contains(&keys::unfinished(self.shop.id)).unwrap());
        if !is_moving {
            let gone = self.gone;
            let refers = |key: &[u8]| key[17..].windows(16).any(|part| part == gone.uuid().as_bytes());
            let kinds = [kind::APPOINTMENT_BY_CONTACT, kind::CALL_BY_CONTACT, kind::MESSAGE_BY_CONTACT];
            for row in kinds.iter().flat_map(|kind| {
                store.scan(&keys::of_kind(self.shop.id, *kind), Order::Ascending).collect::<Vec<_>>()
            }) {
                assert!(!refers(&row.unwrap().0), "an index row refers to the merged contact");
            }
            Rows::checked(&store, self.shop.id);
        }
        store.close().await.unwrap();
        self.world.open_again().await;
        is_moving
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Theirs {
    appointments: BTreeSet<AppointmentId>,
    calls: BTreeSet<CallId>,
    messages: BTreeSet<MessageId>,
}

/// Lists the records of a contact in pages. Checks that the records are in order, that none is repeated, and that each
/// has the contact id `shown`.
async fn listed(handle: &BusinessHandle, asked: ContactId, shown: ContactId) -> Theirs {
    let mut found = Theirs::default();
    for latest_first in [false, true] {
        let filter =
            AppointmentFilter { contact_id: Some(asked), latest_first, ..AppointmentFilter::default() };
        let items = walk(7, async |page| handle.appointments(&filter, &page).await).await;
        let by_start =
            |pair: &[view::AppointmentView]| (pair[0].starts_at < pair[1].starts_at) != latest_first;
        assert!(items.windows(2).all(by_start), "the appointments are not in order");
        assert!(items.iter().all(|it| it.contact_id == Some(shown)));
        found.appointments = items.iter().map(|it| it.id).collect();
        assert_eq!(found.appointments.len(), items.len());
    }
    let filter = CallFilter { contact_id: Some(asked), ..CallFilter::default() };
    let items = walk(7, async |page| handle.calls(&filter, &page).await).await;
    assert!(items.is_sorted_by(|one, next| (one.started_at, one.id) > (next.started_at, next.id)));
    assert!(items.iter().all(|it| it.contact_id == Some(shown)));
    found.calls = items.iter().map(|it| it.id).collect();
    let filter = MessageFilter { contact_id: Some(asked), ..MessageFilter::default() };
    let items = walk(7, async |page| handle.messages(&filter, &page).await).await;
    assert!(items.is_sorted_by(|one, next| (one.created_at, one.id) > (next.created_at, next.id)));
    assert!(items.iter().all(|it| it.contact_id == Some(shown)));
    found.messages = items.iter().map(|it| it.id).collect();
    found
}

fn refusal<T>(result: Result<T, EngineError>) -> Refusal {
    match result {
        Err(EngineError::Refused(refusal)) => refusal,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("the change was made"),
    }
}

fn conflict<T>(result: Result<T, EngineError>) -> Conflict {
    match refusal(result) {
        Refusal::Conflict { conflict, .. } => conflict,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_opt_out_of_either_contact_holds_for_the_survivor() {
    let given = [(None, None), (Some(EmailConsent::NoReminders), Some(TextConsent::Refused))];
    for (of_kept, of_gone) in [(given[1], given[0]), (given[0], given[1])] {
        let two = Two::new(71).await;
        let handle = two.handle();
        for (id, (email, texts)) in [(two.kept, of_kept), (two.gone, of_gone)] {
            handle.change(by_operator(), SetConsent { id, email, texts }).await.unwrap();
        }
        // The survivor gets the phone number of one contact and the email address of the other contact.
        handle.change(by_operator(), merge(two.kept, two.gone)).await.unwrap();
        let consent = handle.consent(two.kept).await.unwrap();
        assert_eq!(consent.email, Some(EmailConsent::NoReminders));
        assert_eq!(consent.texts, Some(TextConsent::Refused));
    }
}

/// Returns the number of confirmed visits of the contact and, for each week, the counts of new, returning and unknown
/// customers.
async fn figures(of: &BusinessHandle, contact: ContactId) -> (u32, Vec<[u32; 3]>) {
    let visits = of.visits(contact).await.unwrap();
    let date = |text: &str| text.parse().unwrap();
    let dates = date("2026-03-01")..=date("2026-12-31");
    let insights = of.insights(dates, InsightPeriod::Week).await.unwrap();
    let customers = |it: &PeriodView| [it.new_customers, it.returning_customers, it.unknown_customers];
    (visits.confirmed, insights.periods.iter().map(customers).collect())
}

#[tokio::test(start_paused = true)]
async fn figures_during_a_merge_are_those_before_or_after_it() {
    for seed in 80..84 {
        let two = Two::new(seed).await;
        let (handle, kept) = (two.handle(), two.kept);
        for number in 0..240 {
            let mut booking = two.shop.booking(at(1 + number / 4, 9 + number % 4), 1);
            let who = if number % 2 == 0 { two.kept } else { two.gone };
            booking.contact = BookingContact::Known(who);
            handle.change(by_operator(), booking).await.unwrap();
        }
        let before = figures(&handle, kept).await;
        let is_over = Arc::new(AtomicBool::new(false));
        let reader = std::thread::spawn({
            let (handle, is_over) = (handle.clone(), Arc::clone(&is_over));
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let mut seen = Vec::new();
                loop {
                    let is_last = is_over.load(atomic::Ordering::SeqCst);
                    seen.push(runtime.block_on(figures(&handle, kept)));
                    if is_last {
                        return seen;
                    }
                }
            }
        });
        handle.change(by_operator(), merge(kept, two.gone)).await.unwrap();
        let between = figures(&handle, kept).await;
        pass(1).await;
        is_over.store(true, atomic::Ordering::SeqCst);
        let after = figures(&handle, kept).await;
        assert_eq!((before.0, after.0), (120, 240));
        // The reader may still need responses of the actors, which run on this thread, so the thread must not
        // block.
        while !reader.is_finished() {
            tokio::task::yield_now().await;
        }
        for (visits, customers) in reader.join().unwrap().into_iter().chain([between]) {
            assert!([before.0, after.0].contains(&visits), "{visits} visits");
            assert!([&before.1, &after.1].contains(&&customers), "{customers:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn both_ids_lead_to_the_survivor_while_and_after_the_records_move() {
    let mut two = Two::new(70).await;
    let (kept, gone) = (two.kept, two.gone);
    let made = two.fill(80).await;
    let handle = two.handle();
    let one = *made.appointments.last().unwrap();
    let before = handle.appointment(one).await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let since = handle.now();
    two.world.disk.set_sync_delay(Duration::from_millis(50));
    let answer = handle.change(once(3, 1), merge(kept, gone)).await.unwrap();
    assert_eq!(answer.value.contact.id, kept);
    assert_eq!(answer.value.contact.phone.as_deref(), Some(GONE));
    assert_eq!(answer.value.contact.email.as_deref(), Some(KEPT_EMAIL));
    assert_eq!(answer.value.notes.get(), Some("Ann Smith\n+15550004711\ngone@x.example"));
    // The lists are complete before, between and after the steps of the job.
    let mut looks = 0;
    for _ in 0..12 {
        for asked in [kept, gone] {
            assert_eq!(listed(&handle, asked, kept).await, made);
            assert_eq!(handle.contact(asked).await.unwrap().unwrap().id, kept);
            assert_eq!(handle.visits(asked).await.unwrap().confirmed, 80);
        }
        looks += 1;
        tokio::time::sleep(Duration::from_millis(17)).await;
    }
    assert_eq!(looks, 12);
    let every = walk(100, async |page| handle.contacts(&ContactFilter::default(), &page).await).await;
    assert_eq!(every.iter().map(|it| it.id).collect::<Vec<_>>(), [kept]);
    for part in ["ann smith", "smith"] {
        let filter = ContactFilter { name_part: Some(part.into()), ..ContactFilter::default() };
        let found = handle.contacts(&filter, &first_page()).await.unwrap().items;
        assert_eq!(found.len(), usize::from(part == "smith"), "{part}");
    }
    let by_phone = |number| ContactFilter { phone: phone(number), ..ContactFilter::default() };
    assert_eq!(handle.contacts(&by_phone(KEPT), &first_page()).await.unwrap().items.len(), 0);
    assert_eq!(handle.contacts(&by_phone(GONE), &first_page()).await.unwrap().items[0].id, kept);
    two.world.disk.set_sync_delay(Duration::ZERO);
    pass(2).await;
    assert!(!two.is_moving().await);
    let handle = two.handle();
    assert_eq!(listed(&handle, gone, kept).await, made);
    // The appointment has not changed, apart from its contact.
    let after = handle.appointment(one).await.unwrap().unwrap();
    assert_eq!((after.updated_at, after.contact_id), (before.updated_at, Some(kept)));
    let filter = AppointmentFilter { updated_since: Some(since), ..AppointmentFilter::default() };
    assert_eq!(handle.appointments(&filter, &first_page()).await.unwrap().items.len(), 0);
    let log = walk(100, async |page| handle.audit(&page).await).await;
    let merged = log.iter().find(|entry| entry.action.as_str() == "contact.merged").unwrap();
    assert_eq!(merged.resource_id, kept.uuid());
    assert!(
        merged.changes.iter().any(|change| change.field == "merged" && change.to.contains(&gone.to_string()))
    );
    // If the request that created one of the contacts is repeated, the response contains the id of the surviving
    // contact.
    for (request, create) in
        [(1, person("Anna Smith", KEPT, KEPT_EMAIL)), (2, person("Ann Smith", GONE, GONE_EMAIL))]
    {
        let again = handle.change(once(request, 1), create).await.unwrap();
        assert!(again.replayed);
        assert_eq!(json(&again)["id"].as_str().unwrap(), kept.to_string());
    }
    assert!(handle.change(once(3, 1), merge(kept, gone)).await.unwrap().replayed);
    // Changes, bookings, calls and messages with the id of the merged contact act on the survivor.
    let patch = ContactPatch { alert: Some(Some(text("Nuts"))), ..ContactPatch::default() };
    let patched = handle.change(by_operator(), ForOperator(PatchContact { id: gone, patch })).await.unwrap();
    assert_eq!(patched.value.contact.id, kept);
    let mut booking = two.shop.booking(at(40, 9), 1);
    booking.contact = BookingContact::Known(gone);
    assert_eq!(handle.change(by_operator(), booking).await.unwrap().value.contact_id, Some(kept));
    let called = handle.change(by_operator(), call(KEPT, Some(gone))).await.unwrap();
    assert_eq!(json(&called)["contact_id"].as_str().unwrap(), kept.to_string());
    // The merge dropped this phone number, so the number no longer identifies the survivor.
    let called = handle.change(by_operator(), call(KEPT, None)).await.unwrap();
    assert_ne!(json(&called)["contact_id"].as_str().unwrap(), kept.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_change_moves_its_record_and_a_crash_does_not_stop_the_merge() {
    let mut two = Two::new(71).await;
    let (kept, gone) = (two.kept, two.gone);
    let made = two.fill(90).await;
    two.world.disk.set_sync_delay(Duration::from_millis(20));
    two.handle().change(by_operator(), merge(kept, gone)).await.unwrap();
    let last = *made.appointments.last().unwrap();
    let request = MoveRequest { starts_at: at(1, 14), staff_id: None, party: Party::TEAM, duration: None };
    let moved = two.handle().change(by_operator(), Reschedule { id: last, request }).await.unwrap();
    assert_eq!(moved.value.contact_id, Some(kept));
    for keep in [0, 1, 0, 2] {
        assert_eq!(listed(&two.handle(), gone, kept).await, made);
        tokio::time::sleep(Duration::from_millis(25)).await;
        two.world.crash(keep).await;
        two.world.disk.set_sync_delay(Duration::from_millis(20));
    }
    two.world.disk.set_sync_delay(Duration::ZERO);
    pass(2).await;
    assert!(!two.is_moving().await);
    for asked in [kept, gone] {
        assert_eq!(listed(&two.handle(), asked, kept).await, made);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unsuitable_merge_is_refused_and_changes_nothing() {
    let two = Two::new(72).await;
    let (kept, gone, handle) = (two.kept, two.gone, two.handle());
    let unknown = ContactId::from(uuid::Uuid::from_u128(7));
    let ask = async |change: MergeContacts| handle.change(by_operator(), change).await;
    assert_eq!(refusal(ask(merge(unknown, gone)).await), Refusal::NotFound(Named::Contact));
    for (change, paths) in [
        (merge(kept, unknown), vec!["from"]),
        (merge(kept, kept), vec!["from"]),
        (MergeContacts { phone: phone("+15559999999"), ..merge(kept, gone) }, vec!["phone"]),
        (MergeContacts { email: Email::new("c@x.example").ok(), ..merge(kept, gone) }, vec!["email"]),
    ] {
        let Refusal::Invalid(problems) = refusal(ask(change).await) else { panic!("{paths:?}") };
        assert_eq!(problems.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), paths);
    }
    let notes = Text::new("x".repeat(995)).ok();
    let patch = ContactPatch { notes: Some(notes), ..ContactPatch::default() };
    handle.change(by_operator(), PatchContact { id: gone, patch }).await.unwrap();
    assert_eq!(conflict(ask(merge(kept, gone)).await), Conflict::NotesTooLong(1_000));
    let patch = ContactPatch { notes: Some(None), ..ContactPatch::default() };
    handle.change(by_operator(), PatchContact { id: gone, patch }).await.unwrap();
    assert_eq!(handle.contact(gone).await.unwrap().unwrap().id, gone);

    let third: ContactId =
        id_of(&handle.change(by_operator(), person("Third", "+15550004713", "t@x.example")).await.unwrap());
    two.fill(70).await;
    two.world.disk.set_sync_delay(Duration::from_secs(1));
    ask(merge(kept, gone)).await.unwrap();
    let into_third = |from| MergeContacts { id: third, from, phone: None, email: None };
    let from_third = || MergeContacts { id: kept, ..into_third(third) };
    // The job needs several steps, and no step is durable yet, so the other merges must be refused.
    let (one, other, last) = tokio::join!(ask(into_third(kept)), ask(into_third(gone)), ask(from_third()));
    for refused in [one, other, last] {
        assert_eq!(conflict(refused), Conflict::ContactMerging);
    }
    two.world.disk.set_sync_delay(Duration::ZERO);
    pass(1).await;
    assert!(matches!(refusal(ask(merge(kept, gone)).await), Refusal::Invalid(_)), "it is the same contact");
    // The erasure is decided first. From then on, the merges must be refused, even before the job that erases the
    // contact begins.
    let (erased, one, other) = tokio::join!(
        handle.change(by_operator(), EraseContact { id: third }),
        ask(into_third(kept)),
        ask(from_third())
    );
    erased.unwrap();
    for refused in [one, other] {
        assert_eq!(conflict(refused), Conflict::ContactErased);
    }
}

#[tokio::test(start_paused = true)]
async fn a_contact_gets_a_bounded_number_of_merged_contacts() {
    let mut two = Two::new(73).await;
    let (kept, handle) = (two.kept, two.handle());
    let merged = async |number: usize| {
        let name =
            ContactDetails { name: Some(text(&format!("N{}", number % 9))), ..ContactDetails::default() };
        let from = id_of(&handle.change(by_operator(), CreateContact { details: name }).await.unwrap());
        let merge = MergeContacts { id: kept, from, phone: phone(KEPT), email: None };
        let merged = handle.change(by_operator(), merge).await;
        everything_else_runs().await;
        merged
    };
    for number in 0..domain::MERGES_MAX {
        merged(number).await.unwrap();
    }
    assert_eq!(conflict(merged(0).await), Conflict::MergesFull(domain::MERGES_MAX));
    handle.change(by_operator(), EraseContact { id: kept }).await.unwrap();
    pass(2).await;
    assert_eq!(two.world.disk.tombstones().len(), domain::MERGES_MAX + 1);
    assert!(!two.is_moving().await);
}

/// The contact `gone` is merged into `kept`, and then `kept` into `third`. The erasure of `gone` erases all three, even
/// while records are still moving.
#[tokio::test(start_paused = true)]
async fn an_erasure_of_any_id_erases_all_merged_contacts() {
    for is_moving in [false, true] {
        let mut two = Two::new(74).await;
        let (kept, gone, handle) = (two.kept, two.gone, two.handle());
        // A message without a contact id belongs to the contact with the phone number of the message.
        let old: MessageId =
            id_of(&handle.change(by_operator(), message(Some("+15550004712"), None)).await.unwrap());
        two.fill(if is_moving { 130 } else { 9 }).await;
        let neither = MergeContacts { phone: None, ..merge(kept, gone) };
        handle.change(by_operator(), neither).await.unwrap();
        pass(1).await;
        let third = person("Third", "+15550004713", "t@x.example");
        let third: ContactId = id_of(&handle.change(by_operator(), third).await.unwrap());
        two.world.disk.set_sync_delay(Duration::from_millis(u64::from(is_moving) * 300));
        let last = MergeContacts { id: third, from: kept, phone: None, email: Email::new(KEPT_EMAIL).ok() };
        handle.change(by_operator(), last).await.unwrap();
        for id in [kept, gone, third] {
            assert_eq!(handle.contact(id).await.unwrap().unwrap().id, third);
        }
        // No contact has this number any more, so a call from it creates a contact.
        let new = handle.change(by_operator(), call(GONE, None)).await.unwrap();
        let new_contact = json(&new)["contact_id"].as_str().unwrap().to_owned();
        assert!([kept, gone, third].iter().all(|id| id.to_string() != new_contact));
        handle.change(by_operator(), EraseContact { id: gone }).await.unwrap();
        for id in [kept, gone, third] {
            assert!(handle.contact(id).await.unwrap().is_none());
            let filter = CallFilter { contact_id: Some(id), ..CallFilter::default() };
            assert!(handle.calls(&filter, &first_page()).await.unwrap().items.is_empty());
        }
        two.world.disk.set_sync_delay(Duration::ZERO);
        pass(3).await;
        let handle = two.handle();
        assert_eq!(handle.message(old).await.unwrap().unwrap().body, "");
        let call = handle.call_record(id_of(&new)).await.unwrap().unwrap();
        assert_eq!((call.from_number.as_deref(), call.summary.is_some()), (Some(GONE), true));
        let mut tombstones = two.world.disk.tombstones();
        for id in [kept, gone, third] {
            let erased = Tombstone::ErasedContact(two.shop.id, id);
            assert!(tombstones.contains(&erased), "{is_moving}");
            tombstones.retain(|tombstone| *tombstone != erased);
        }
        assert!(tombstones.is_empty());
        assert!(!two.is_moving().await);
        let store = two.rows().await;
        let of = two.shop.id;
        for kind in [kind::ALIAS, kind::ALIAS_OF, kind::ERASURE] {
            assert!(store.scan(&keys::of_kind(of, kind), Order::Ascending).next().is_none(), "{kind:#x}");
        }
        let mut told = 0;
        for row in store.scan(&keys::all(of), Order::Ascending) {
            let (_, value) = row.unwrap();
            let shown = String::from_utf8_lossy(&value);
            told +=
                usize::from(["Smith", "x.example", "15550004711"].iter().any(|word| shown.contains(word)));
        }
        assert_eq!(told, 0, "the data of the erased contacts is left ({is_moving})");
        store.close().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_export_contains_only_the_survivor_at_every_moment() {
    let mut two = Two::new(75).await;
    let (kept, gone) = (two.kept, two.gone);
    two.fill(12).await;
    two.world.disk.hold_syncs();
    let merging = two.world.ask(&two.shop, merge(kept, gone)).await;
    two.world.crash(1).await; // only the merge survives
    merging.await.unwrap().unwrap_err();
    two.world.disk.hold_syncs();
    two.world.disk.crash(0);
    two.world.end_of_life().await;
    let store = two.world.store();
    assert!(store.contains(&keys::merging(two.shop.id, kept)).unwrap());
    let contacts_of = |moved: &[Moved]| -> Vec<ContactId> {
        let contact = |moved: &Moved| match moved {
            Moved::Contact(Contact { id, .. }) => Some(*id),
            Moved::Appointment(Appointment { contact_id, .. })
            | Moved::Call(CallRecord { contact_id, .. })
            | Moved::Message(TakenMessage { contact_id, .. }) => *contact_id,
            _ => None,
        };
        moved.iter().filter_map(contact).collect()
    };
    let before = leaving(&store);
    assert_eq!(contacts_of(&before), vec![kept; 1 + 3 * 12]);
    store.close().await.unwrap();
    two.world.open_again().await;
    pass(2).await;
    assert!(!two.is_moving().await);
    let store = two.rows().await;
    assert!(leaving(&store) == before, "the export changes when the records move");
    store.close().await.unwrap();
}
