//! Reads of a business that go straight to the store, past the actor's queue.
//!
//! What was read may not be synced yet. Each read therefore waits, after reading, until everything that had been
//! submitted for the business is: no answer shows what a crash could take back.

use std::collections::HashMap;

use chrono::NaiveDate;
use tokio::sync::oneshot;

use super::actor::{Message, Permits};
use super::handle::{BusinessHandle, Reply};
use super::state::State;
use crate::domain::availability::Slot;
use crate::domain::{
    ApiKey, Appointment, AppointmentId, AppointmentStatus, AuditEntry, Business, Contact, ContactId,
    ResourceId, Service, ServiceId, StaffId, StaffMember, Timestamp,
};
use crate::engine::EngineError;
use crate::store::keys::kind;
use crate::store::records::BusyRecord;
use crate::store::{Key, KeyRange, Order, Record, Store, StoreError, keys};
use crate::view::{AppointmentParties, AppointmentView, OperatorKeyView};

/// Which part of a list is asked for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// At most so many items.
    pub limit: usize,
    /// Those after this position, as an earlier [`Page::next`] gave it.
    pub after: Option<Vec<u8>>,
}

/// Part of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The items in the list's order.
    pub items: Vec<T>,
    /// The position of the last item, when there are more.
    pub next: Option<Vec<u8>>,
}

/// What a list of appointments is narrowed to.
#[derive(Clone, Debug, Default)]
pub struct AppointmentFilter {
    /// Only these statuses; empty for all.
    pub status: Vec<AppointmentStatus>,
    /// Only those that start at or after this instant.
    pub from: Option<Timestamp>,
    /// Only those that start before this instant.
    pub to: Option<Timestamp>,
    /// Only this service's.
    pub service_id: Option<ServiceId>,
    /// Only this staff member's.
    pub staff_id: Option<StaffId>,
    /// Only this contact's.
    pub contact_id: Option<ContactId>,
    /// Only those changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
}

impl AppointmentFilter {
    fn admits(
        &self,
        starts_at: Timestamp,
        service: ServiceId,
        staff: StaffId,
        status: AppointmentStatus,
    ) -> bool {
        self.from.is_none_or(|from| starts_at >= from)
            && self.to.is_none_or(|to| starts_at < to)
            && self.service_id.is_none_or(|id| id == service)
            && self.staff_id.is_none_or(|id| id == staff)
            && (self.status.is_empty() || self.status.contains(&status))
    }

    fn admits_record(&self, appointment: &Appointment) -> bool {
        let Appointment { starts_at, service_id, staff_id, status, .. } = *appointment;
        self.admits(starts_at, service_id, staff_id, status)
    }
}

impl BusinessHandle {
    /// Reads from the store and waits until what was read is on the disk.
    pub(crate) async fn read<T>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, EngineError> {
        let value = read(&self.inner.store)?;
        self.inner.store.settled(self.id).await?;
        Ok(value)
    }

    /// The profile.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such business, or the store's failure.
    pub async fn business(&self) -> Result<Business, EngineError> {
        self.read(|store| store.get(&keys::profile(self.id))).await?.ok_or(EngineError::NotFound)
    }

    /// The services in the order of their creation; inactive ones too, or not.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn services(
        &self,
        inactive_too: bool,
        page: &PageRequest,
    ) -> Result<Page<Service>, EngineError> {
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::SERVICE), Order::Ascending, page, |_, value| {
                let service = Service::decode(value)?;
                Ok((service.active || inactive_too).then_some(service))
            })
        })
        .await
    }

    /// The staff members in the order of their creation.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn staff(&self, page: &PageRequest) -> Result<Page<StaffMember>, EngineError> {
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::STAFF), Order::Ascending, page, |_, value| {
                StaffMember::decode(value).map(Some)
            })
        })
        .await
    }

    /// The audit log, newest first.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn audit(&self, page: &PageRequest) -> Result<Page<AuditEntry>, EngineError> {
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::AUDIT), Order::Descending, page, |_, value| {
                AuditEntry::decode(value).map(Some)
            })
        })
        .await
    }

    /// The API keys in the order of their creation, with when each was last used.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn keys(&self, page: &PageRequest) -> Result<Page<OperatorKeyView>, EngineError> {
        self.inner.key_usage.write(&self.inner.store).await?;
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::KEY), Order::Ascending, page, |_, prefix| {
                let prefix = keys::prefix_from_value(prefix)?;
                let Some(key) = store.get::<ApiKey>(&keys::api_key(prefix))? else { return Ok(None) };
                let last_used_at = crate::key_usage::last_used(store, key.id)?;
                Ok(Some(OperatorKeyView { key: (&key).into(), last_used_at, revoked_at: key.revoked_at }))
            })
        })
        .await
    }

    /// An appointment, or `None`.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn appointment(&self, id: AppointmentId) -> Result<Option<AppointmentView>, EngineError> {
        self.read(|store| {
            let appointment = store.get::<Appointment>(&keys::appointment(self.id, id))?;
            let mut names = Names::new(store, self)?;
            appointment.map(|appointment| names.show(&appointment)).transpose()
        })
        .await
    }

    /// The appointments that the filter admits, by start, or with `updated_since` by change.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn appointments(
        &self,
        filter: &AppointmentFilter,
        page: &PageRequest,
    ) -> Result<Page<AppointmentView>, EngineError> {
        if let Some(since) = filter.updated_since {
            let fence = self.fence().await?;
            return self.read(|store| self.appointments_by_change(store, filter, since, fence, page)).await;
        }
        self.read(|store| {
            let mut names = Names::new(store, self)?;
            let (from, to) = (filter.from.unwrap_or(Timestamp::MIN), filter.to.unwrap_or(Timestamp::MAX));
            if let Some(contact) = filter.contact_id {
                let range = keys::appointments_of_contact(self.id, contact);
                return collect(store, range, Order::Ascending, page, |key, _| {
                    let (starts_at, id) = keys::instant_and_id::<AppointmentId>(key)?;
                    let found = store.get::<Appointment>(&keys::appointment(self.id, id))?;
                    let current = found.filter(|a| a.starts_at == starts_at && filter.admits_record(a));
                    current.map(|appointment| names.show(&appointment)).transpose()
                });
            }
            collect(
                store,
                keys::appointments_starting(self.id, from, to),
                Order::Ascending,
                page,
                |key, value| {
                    let (starts_at, id) = keys::instant_and_id::<AppointmentId>(key)?;
                    let row = BusyRecord::decode(value)?;
                    if !filter.admits(starts_at, row.service_id, row.staff_id, row.status) {
                        return Ok(None);
                    }
                    let found = store.get::<Appointment>(&keys::appointment(self.id, id))?;
                    // A row that was read before a move and a record read after it do not belong together.
                    let current = found.filter(|a| a.starts_at == starts_at && filter.admits_record(a));
                    current.map(|appointment| names.show(&appointment)).transpose()
                },
            )
        })
        .await
    }

    /// The appointments changed from `since` up to the fence, in the order of their changes.
    fn appointments_by_change(
        &self,
        store: &Store,
        filter: &AppointmentFilter,
        since: Timestamp,
        fence: Timestamp,
        page: &PageRequest,
    ) -> Result<Page<AppointmentView>, StoreError> {
        let mut names = Names::new(store, self)?;
        collect(store, keys::appointments_changed(self.id, since, fence), Order::Ascending, page, |key, _| {
            let (updated_at, id) = keys::instant_and_id::<AppointmentId>(key)?;
            let found = store.get::<Appointment>(&keys::appointment(self.id, id))?;
            let admitted = found.filter(|a| {
                a.updated_at == updated_at
                    && filter.contact_id.is_none_or(|contact| contact == a.contact_id)
                    && filter.admits_record(a)
            });
            admitted.map(|appointment| names.show(&appointment)).transpose()
        })
    }

    /// The stamp of the newest change, which from now on no change shares: a list by change may show everything up
    /// to it, and a client that goes on from there misses nothing.
    async fn fence(&self) -> Result<Timestamp, EngineError> {
        self.ask(|state, now| {
            let tick = chrono::TimeDelta::milliseconds(1);
            let fence = state.last.max(now - tick);
            state.last = fence + tick;
            Ok(fence)
        })
        .await
    }

    /// The open times of a service, on the local days `first` to `last`.
    ///
    /// # Errors
    /// A refusal with the paths of what is not usable, or the engine's failure.
    pub async fn availability(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Result<Vec<Slot>, EngineError> {
        self.ask(move |state, now| Ok(state.diary(now).slots(service, staff, first, last)?)).await
    }

    /// Asks the actor a question about what is in its memory, answered once that is on the disk.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut State, Timestamp) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.call(|reply: Reply<T>, permits: Permits| Message::Ask {
            question: Box::new(move |state, now| {
                let answer = question(state, now);
                Box::new(move || {
                    let _ = oneshot::Sender::send(reply, answer);
                    drop(permits);
                })
            }),
        })
        .await
    }
}

/// Bytes of a key that name the business and the kind, which every key of a list shares.
const HEAD_BYTES: usize = 17;

/// Walks a range from the page's position, keeps what `pick` gives back, and stops at the limit. A position is the end
/// of the last item's key, behind its head.
pub(crate) fn collect<T>(
    store: &Store,
    mut range: KeyRange,
    order: Order,
    page: &PageRequest,
    mut pick: impl FnMut(&[u8], &[u8]) -> Result<Option<T>, StoreError>,
) -> Result<Page<T>, StoreError> {
    if let Some(position) = &page.after {
        let key = Key::new(&range.from[..HEAD_BYTES]).with(position);
        range = match order {
            Order::Ascending => range.after(key),
            Order::Descending => range.before(key),
        };
    }
    let mut items = Vec::new();
    let mut last = Vec::new();
    for row in store.scan(&range, order) {
        let (key, value) = row?;
        let Some(item) = pick(&key, &value)? else { continue };
        if items.len() == page.limit {
            return Ok(Page { items, next: Some(last) });
        }
        items.push(item);
        last = key[HEAD_BYTES..].to_vec();
    }
    Ok(Page { items, next: None })
}

/// The names that appointments refer to, each read once.
struct Names<'a> {
    store: &'a Store,
    business: crate::domain::BusinessId,
    timezone: &'static str,
    services: HashMap<ServiceId, String>,
    staff: HashMap<StaffId, String>,
    contacts: HashMap<ContactId, Contact>,
}

impl<'a> Names<'a> {
    fn new(store: &'a Store, of: &BusinessHandle) -> Result<Self, StoreError> {
        let business = store.get::<Business>(&keys::profile(of.id))?;
        let business = business.ok_or_else(|| StoreError::damaged("business", "it is not there"))?;
        Ok(Self {
            store,
            business: of.id,
            timezone: business.zone.name(),
            services: HashMap::new(),
            staff: HashMap::new(),
            contacts: HashMap::new(),
        })
    }

    fn show(&mut self, appointment: &Appointment) -> Result<AppointmentView, StoreError> {
        let (store, of) = (self.store, self.business);
        let service = once(&mut self.services, appointment.service_id, |id| {
            Ok(store.get::<Service>(&keys::service(of, id))?.map(|service| service.name))
        })?;
        let staff = once(&mut self.staff, appointment.staff_id, |id| {
            Ok(store.get::<StaffMember>(&keys::staff(of, id))?.map(|member| member.name))
        })?;
        let contact =
            once(&mut self.contacts, appointment.contact_id, |id| store.get(&keys::contact(of, id)))?;
        let parties =
            AppointmentParties { timezone: self.timezone, service_name: service, staff_name: staff, contact };
        Ok(AppointmentView::new(appointment, parties))
    }
}

/// The record of an id, read at its first use; a record that another refers to is there.
fn once<I: ResourceId + std::hash::Hash, T>(
    known: &mut HashMap<I, T>,
    id: I,
    read: impl FnOnce(I) -> Result<Option<T>, StoreError>,
) -> Result<&T, StoreError> {
    match known.entry(id) {
        std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
        std::collections::hash_map::Entry::Vacant(entry) => match read(id)? {
            Some(value) => Ok(entry.insert(value)),
            None => Err(StoreError::damaged("appointment", format!("it refers to {id}, which is not there"))),
        },
    }
}
