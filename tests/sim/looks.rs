//! Reads of the clients. A change that a read shows must be durable, a listed time must be bookable, and a business
//! must see only its own data.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use chrono::{NaiveDate, TimeDelta};
use domain::booking::{BookRequest, Party};
use domain::{
    AppointmentStatus, CallOutcome, CallStatus, ContactDetails, DeliveryStatus, Direction, Phone, Refusal,
    ResourceId, Search, ServiceId, Source, StaffId, Timestamp, WebhookId, search_text,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::{
    AppointmentFilter, CallFilter, ContactFilter, FOUND_MAX, MessageFilter, Page, PageRequest,
};
use engine::delivery::DeliveryFilter;
use engine::{BusinessHandle, EngineError};
use serde::Serialize;
use serde_json::Value;
use view::{AppointmentView, ContactView, OperatorCallView};

use crate::insights;
use crate::ledger::{Came, Ledger};
use crate::life::Life;
use crate::shop::text;
use crate::sim::Sim;
use crate::wide::Workload;

/// A kind of read.
#[derive(Clone, Copy, Debug)]
enum Look {
    Appointments,
    ChangedAppointments,
    Contacts,
    NamedContacts,
    Calls,
    Messages,
    Business,
    Audit,
    One,
}

const LOOKS: [Look; 9] = [
    Look::Appointments,
    Look::ChangedAppointments,
    Look::Contacts,
    Look::NamedContacts,
    Look::Calls,
    Look::Messages,
    Look::Business,
    Look::Audit,
    Look::One,
];

fn page(limit: usize) -> PageRequest {
    PageRequest { limit, after: None }
}

fn values<T: Serialize>(items: &[T]) -> Vec<Value> {
    items.iter().map(|item| serde_json::to_value(item).unwrap()).collect()
}

/// Reads a list to its end and returns its items.
pub(crate) async fn all<T, F>(
    limit: usize,
    mut next: impl FnMut(PageRequest) -> F,
) -> Result<Vec<T>, EngineError>
where
    F: Future<Output = Result<Page<T>, EngineError>>,
{
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let found = next(PageRequest { limit, after }).await?;
        assert!(found.items.len() <= limit);
        items.extend(found.items);
        match found.next {
            None => return Ok(items),
            next => after = next,
        }
    }
}

/// Returns the first items of a list. A page may be empty, so the function may read several pages.
async fn some<T, F>(limit: usize, mut next: impl FnMut(PageRequest) -> F) -> Result<Vec<T>, EngineError>
where
    F: Future<Output = Result<Page<T>, EngineError>>,
{
    let mut after = None;
    loop {
        let found = next(PageRequest { limit, after }).await?;
        assert!(found.items.len() <= limit);
        if !found.items.is_empty() || found.next.is_none() {
            return Ok(found.items);
        }
        after = found.next;
    }
}

/// Makes one read. Returns the resources in the response.
async fn look(
    handle: &BusinessHandle,
    look: Look,
    id: Option<uuid::Uuid>,
) -> Result<Vec<Value>, EngineError> {
    let any = AppointmentFilter::default();
    let changed = Some(Timestamp::MIN);
    Ok(match look {
        Look::Appointments => values(&some(20, async |page| handle.appointments(&any, &page).await).await?),
        Look::ChangedAppointments => {
            let filter = AppointmentFilter { updated_since: changed, ..any };
            values(&all(30, async |page| handle.appointments(&filter, &page).await).await?)
        }
        Look::Contacts => {
            let filter = ContactFilter::default();
            values(&some(10, async |page| handle.contacts(&filter, &page).await).await?)
        }
        Look::NamedContacts => {
            let filter = ContactFilter { name_part: Some("CONTACT 1".into()), ..ContactFilter::default() };
            values(&some(10, async |page| handle.contacts(&filter, &page).await).await?)
        }
        Look::Calls => {
            let filter = CallFilter::default();
            values(&some(10, async |page| handle.calls(&filter, &page).await).await?)
        }
        Look::Messages => {
            let filter = MessageFilter::default();
            values(&some(10, async |page| handle.messages(&filter, &page).await).await?)
        }
        Look::Business => {
            let business = view::OperatorBusinessView::from(&handle.business().await?);
            let mut found = values(&[business]);
            for service in all(50, async |page| handle.services(true, &page).await).await? {
                found.extend(values(&[view::OperatorServiceView::from(&service)]));
            }
            for member in all(50, async |page| handle.staff(&page).await).await? {
                found.extend(values(&[view::OperatorStaffView::from(&member)]));
            }
            for endpoint in all(50, async |page| handle.webhooks(&page).await).await? {
                found.extend(values(&[view::WebhookView::from(&endpoint)]));
            }
            found
        }
        Look::Audit => {
            some(10, async |page| handle.audit(&page).await).await?;
            Vec::new()
        }
        Look::One => match id {
            Some(id) => values(&handle.appointment(id.into()).await?.into_iter().collect::<Vec<_>>()),
            None => Vec::new(),
        },
    })
}

impl Sim {
    /// Starts one random read.
    pub(crate) fn some_look(&self, life: &mut Life) {
        let shop = self.dice.below(self.shops.len());
        let what = *self.dice.pick(&LOOKS);
        let known = self.dice.any(&self.shops[shop].appointments).map(ResourceId::uuid);
        let handle = life.engine.business(self.shops[shop].id);
        let other = life.engine.business(self.shops[(shop + 1) % self.shops.len()].id);
        let (world, ledger): (_, Arc<Ledger>) = (self.world.clone(), Arc::clone(&self.ledger));
        let closing = Arc::clone(&life.closing);
        world.say(format_args!("a client reads {what:?} of {shop}"));
        life.spawn(async move {
            let asked = world.time.believed().0;
            match look(&handle, what, known).await {
                Ok(found) => {
                    if matches!(what, Look::ChangedAppointments) {
                        world.time.listed(shop, asked);
                    }
                    if matches!(what, Look::One) && known.is_some() && found.is_empty() {
                        world.wrong(format_args!("{known:?} of {shop} is missing"));
                    }
                    found.iter().for_each(|resource| ledger.saw(shop, resource, "shown"));
                }
                Err(EngineError::Failed | EngineError::Overloaded | EngineError::Resting(_))
                    if world.was_broken(shop) =>
                {
                    return;
                }
                Err(_) if world.failed() || closing.load(Ordering::SeqCst) => return,
                Err(error) => world.wrong(format_args!("reading {what:?} of {shop} failed: {error}")),
            }
            if let Some(id) = known
                && matches!(other.appointment(id.into()).await, Ok(Some(_)))
            {
                world.wrong(format_args!("{id} of {shop} was shown to another business"));
            }
        });
    }

    /// Lists the available times of a business. Then books a listed time and a time that is not listed, and checks the
    /// outcomes.
    pub(crate) async fn probe(&mut self, life: &mut Life) {
        life.quiet().await;
        let shop = self.dice.below(self.shops.len());
        self.rested(life, shop).await;
        let service = *self.dice.pick(&self.shops[shop].services);
        let staff = self.dice.maybe(2, || *self.dice.pick(&self.shops[shop].staff));
        let handle = life.engine.business(self.shops[shop].id);
        let today = handle.now().utc().with_timezone(&self.shops[shop].zone).date_naive();
        let day = today + TimeDelta::days(i64::try_from(self.dice.below(3)).unwrap());
        let party = self.some_party();
        let listed = handle.availability(service, staff, (day, day), party.terms()).await;
        let (now, unlisted) = (handle.now(), self.time_of(shop, day));
        let listed = match listed {
            Ok(listed) => listed,
            Err(EngineError::Refused(Refusal::Invalid(_))) => Vec::new(),
            Err(_) if self.world.failed() => return,
            Err(error) => panic!("the available times of {shop} could not be listed: {error}"),
        };
        self.world.say(format_args!("{} available times at {shop} on {day} for {service}", listed.len()));
        assert!(listed.is_sorted_by(|a, b| a.starts_at < b.starts_at), "{listed:?}");
        if !listed.iter().any(|slot| slot.starts_at == unlisted) {
            let came = self.probe_time(life, (shop, service, staff), unlisted, party).await;
            assert!(!matches!(came, Came::Done(_)), "{unlisted} is not listed, and was booked");
        }
        if !listed.is_empty() {
            let slot = *self.dice.pick(&listed);
            assert!(slot.starts_at > now, "{slot:?} is in the past");
            let came = self.probe_time(life, (shop, service, staff), slot.starts_at, party).await;
            let passed = slot.starts_at <= handle.now();
            let room = has_room(&handle).await;
            assert!(
                passed || !room || came != Came::Refused,
                "{} is listed, but its booking was refused",
                slot.starts_at
            );
        }
    }

    /// Returns a random requester of available times: usually an integration, and sometimes the team, which may ignore
    /// buffers.
    fn some_party(&self) -> Party {
        let integration = Party::Integration { allow_pending: true };
        match self.workload {
            Workload::First | Workload::Talks => integration,
            Workload::Wide => match self.dice.below(5) {
                nth @ (0 | 1) => {
                    Party::Team { ignore_buffers: nth == 0, ignore_calendars: false, any_minute: false }
                }
                _ => integration,
            },
        }
    }

    /// Returns a random quarter hour of a day in the time zone of the business.
    pub(crate) fn time_of(&self, shop: usize, day: NaiveDate) -> Timestamp {
        let minutes = i64::try_from(self.dice.below(96)).unwrap() * 15;
        let local = day.and_hms_opt(0, 0, 0).unwrap() + TimeDelta::minutes(minutes);
        let at = local.and_local_timezone(self.shops[shop].zone).earliest();
        at.map_or(Timestamp::MIN, |at| Timestamp::from(at.to_utc()))
    }

    pub(crate) async fn probe_time(
        &mut self,
        life: &mut Life,
        (shop, service_id, staff_id): (usize, ServiceId, Option<StaffId>),
        starts_at: Timestamp,
        party: Party,
    ) -> Came {
        let request =
            BookRequest { service_id, starts_at, staff_id, source: Source::Api, party, duration: None };
        let contact = BookingContact::Described(ContactDetails {
            name: Some(text("Prober")),
            phone: Some(Phone::from_e164("+15550999999".into()).unwrap()),
            ..ContactDetails::default()
        });
        let is_online = self.workload == Workload::Wide && matches!(party, Party::Integration { .. });
        let op = match is_online && service_id.uuid().as_bytes()[15].is_multiple_of(2) {
            true => self.book_online(shop, Some(request)).into(),
            false => Book { request, contact }.into(),
        };
        self.came(life, shop, op).await
    }

    /// Checks all lists while no changes are made: each can be read to its end, is in order, and matches the single
    /// resources.
    pub(crate) async fn walk(&self, life: &Life) {
        for (number, shop) in self.shops.iter().enumerate() {
            self.rested(life, number).await;
            let handle = life.engine.business(shop.id);
            if let Err(error) = walk(&handle).await {
                assert!(self.world.failed(), "a list could not be read: {error}");
            }
            self.check_unhandled_calls(&handle).await;
        }
    }

    /// Checks that the list of unhandled calls contains the same calls as a walk over all calls.
    pub(crate) async fn check_unhandled_calls(&self, handle: &BusinessHandle) {
        if let Err(error) = unhandled_calls(handle).await {
            assert!(self.world.failed(), "the calls could not be read: {error}");
        }
    }
}

async fn unhandled_calls(handle: &BusinessHandle) -> Result<(), EngineError> {
    let filter = CallFilter::default();
    let calls = all(4, async |page| handle.calls_as::<OperatorCallView>(&filter, &page).await).await?;
    let is_unhandled = |it: &&OperatorCallView| {
        let is_missed = it.call.direction == Direction::Inbound && it.call.status != CallStatus::Completed;
        is_missed && it.handled_at == Some(None)
    };
    let expected: Vec<_> = calls.iter().filter(is_unhandled).map(|it| it.call.id).collect();
    let filter = CallFilter { unhandled: true, ..filter };
    let found = all(3, async |page| handle.calls(&filter, &page).await).await?;
    let found: Vec<_> = found.iter().map(|call| call.id).collect();
    assert_eq!(found, expected, "the list of unhandled calls differs from a walk over all calls");
    Ok(())
}

/// True if the budget permits one more appointment and one more contact.
pub(crate) async fn has_room(handle: &BusinessHandle) -> bool {
    let Ok(budget) = handle.budget().await else { return false };
    let budget = serde_json::to_value(budget).unwrap();
    let room = |kind: &str| budget[kind]["rows"].as_u64() < budget[kind]["rows_max"].as_u64();
    room("appointments") && room("contacts")
}

async fn walk(handle: &BusinessHandle) -> Result<(), EngineError> {
    let changed = Some(Timestamp::MIN);
    let filter = AppointmentFilter::default();
    let by_start = all(7, async |page| handle.appointments(&filter, &page).await).await?;
    assert!(by_start.is_sorted_by(|a, b| (a.starts_at, a.id) < (b.starts_at, b.id)));
    let filter = AppointmentFilter { updated_since: changed, ..filter };
    let by_change = all(5, async |page| handle.appointments(&filter, &page).await).await?;
    assert!(by_change.is_sorted_by(|a, b| (a.updated_at, a.id) < (b.updated_at, b.id)));
    assert_eq!(by_start.len(), by_change.len());
    for shown in by_start.iter().chain(&by_change) {
        let got = handle.appointment(shown.id).await?;
        assert_eq!(values(&[shown]), values(got.as_slice()));
    }
    let (waiting, more) = handle.requests(by_start.len()).await?;
    assert!(!more);
    let now = handle.now(); // appointments that have begun since the request are removed from both lists
    let waits = |one: &&AppointmentView| one.status == AppointmentStatus::Pending && one.starts_at >= now;
    let listed: Vec<_> = by_start.iter().filter(waits).map(|one| one.id).collect();
    let found: Vec<_> = waiting.iter().filter(waits).map(|one| one.id).collect();
    assert_eq!(found, listed);
    let filter = ContactFilter::default();
    let newest = all(6, async |page| handle.contacts(&filter, &page).await).await?;
    assert!(newest.is_sorted_by(|a, b| a.id > b.id));
    let filter = ContactFilter { updated_since: changed, ..filter };
    let by_change = all(4, async |page| handle.contacts(&filter, &page).await).await?;
    assert!(by_change.is_sorted_by(|a, b| (a.updated_at, a.id) < (b.updated_at, b.id)));
    assert_eq!(newest.len(), by_change.len());
    for shown in &newest {
        assert_eq!(values(&[shown]), values(handle.contact(shown.id).await?.as_slice()));
        if let Some(phone) = &shown.phone {
            let phone = Some(Phone::from_e164(phone.clone()).unwrap());
            let filter = ContactFilter { phone, ..ContactFilter::default() };
            assert_eq!(values(&handle.contacts(&filter, &page(5)).await?.items), values(&[shown]));
        }
        if let Some(name) = &shown.name {
            let filter = ContactFilter { name_part: Some(name.clone()), ..ContactFilter::default() };
            let found = all(3, async |page| handle.contacts(&filter, &page).await).await?;
            assert!(found.iter().any(|found| found.id == shown.id), "{name} was not found by name");
        }
    }
    // A search must find exactly the contacts that match, in the order of the list.
    for words in ["contact", "CONTACT 1", "renamed", "555", "1 con", "nobody"] {
        let search = Search::new(words, &[]);
        let matches = |it: &&ContactView| {
            let text = search_text(it.name.as_deref(), it.phone.as_deref(), it.email.as_deref());
            search.matches(&text)
        };
        let expected: Vec<_> = newest.iter().filter(matches).map(|it| it.id).collect();
        let filter = ContactFilter { search: Some(search.clone()), ..ContactFilter::default() };
        let found = all(3, async |page| handle.contacts(&filter, &page).await).await?;
        let found: Vec<_> = found.iter().map(|it| it.id).collect();
        assert_eq!(found, expected, "a search for {words} differs from a walk over the contacts");
        assert!(handle.search(&search).await?.len() <= FOUND_MAX);
    }
    // After the response to an erasure, appointments still refer to the erased contact until a background job
    // changes them. So the test finds the erased contacts through these appointments.
    let known: BTreeSet<_> = newest.iter().map(|it| it.id).collect();
    let mut erased = BTreeSet::new();
    for id in by_start.iter().filter_map(|it| it.contact_id).filter(|id| !known.contains(id)) {
        // The list also omits contacts that cannot be decoded, but these were not erased.
        if matches!(handle.contact(id).await, Ok(None)) {
            erased.insert(id);
        }
    }
    insights::check(handle, &by_start, &erased).await?;
    let filter = CallFilter::default();
    let newest = all(4, async |page| handle.calls(&filter, &page).await).await?;
    assert!(newest.is_sorted_by(|a, b| (a.started_at, a.id) > (b.started_at, b.id)));
    for shown in &newest {
        assert_eq!(values(&[shown]), values(handle.call_record(shown.id).await?.as_slice()));
    }
    let mut by_outcome = 0;
    for outcome in CallOutcome::ALL {
        let filter = CallFilter { outcome: Some(*outcome), updated_since: changed, ..CallFilter::default() };
        let found = all(3, async |page| handle.calls(&filter, &page).await).await?;
        assert!(found.iter().all(|call| call.outcome == *outcome));
        by_outcome += found.len();
    }
    assert_eq!(by_outcome, newest.len());
    let filter = CallFilter { updated_since: changed, ..filter };
    assert_eq!(all(3, async |page| handle.calls(&filter, &page).await).await?.len(), newest.len());
    let filter = MessageFilter::default();
    let newest = all(4, async |page| handle.messages(&filter, &page).await).await?;
    assert!(newest.is_sorted_by(|a, b| (a.created_at, a.id) > (b.created_at, b.id)));
    let filter = MessageFilter { updated_since: changed, ..filter };
    assert_eq!(all(3, async |page| handle.messages(&filter, &page).await).await?.len(), newest.len());
    for endpoint in all(2, async |page| handle.webhooks(&page).await).await? {
        walk_log(handle, endpoint.id).await?;
    }
    Ok(())
}

/// Reads the delivery log while new deliveries may be added. A delivery that is finished must not change.
async fn walk_log(handle: &BusinessHandle, id: WebhookId) -> Result<(), EngineError> {
    let of = |status| DeliveryFilter { status, ..DeliveryFilter::default() };
    let whole = all(4, async |page| handle.deliveries(id, of(None), &page).await).await?;
    assert!(whole.is_sorted_by(|a, b| a.event_id > b.event_id));
    let delivered = Some(DeliveryStatus::Delivered);
    let found = all(4, async |page| handle.deliveries(id, of(delivered), &page).await).await?;
    let ids: BTreeSet<_> = found.iter().map(|row| row.event_id).collect();
    let were = whole.iter().filter(|row| row.status == DeliveryStatus::Delivered);
    assert!(were.into_iter().all(|row| ids.contains(&row.event_id)), "deliveries of {id} are missing");
    Ok(())
}
