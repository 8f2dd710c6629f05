//! Reads appointments.

use std::collections::HashMap;

use chrono::{NaiveDate, TimeDelta};
use domain::availability::{Concerned, Slot, Terms};
use domain::{
    Appointment, AppointmentId, AppointmentStatus, AttendanceFilter, Business, BusinessId, Contact,
    ContactId, Named, Refusal, Service, ServiceId, StaffId, StaffMember, Timestamp,
};
use store::{Order, Record, Store, StoreError, keys};
use uuid::Uuid;
use view::{AffectedView, AppointmentParties, AppointmentView, SomeAppointmentView};

use super::changes::Changes;
use super::{End, Page, PageRequest, collect, of_contact, once, walk_theirs};
use crate::business::state::State;
use crate::business::{BusinessHandle, contact};
use crate::error::Result;
use crate::scans::Reader;

/// The maximum number of tries to read an appointment. A try fails if the appointment is moved during the try.
const MOVES_MAX: usize = 16;

#[derive(Clone, Debug, Default)]
pub struct AppointmentFilter {
    pub status: Vec<AppointmentStatus>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub service_id: Option<ServiceId>,
    pub staff_id: Option<StaffId>,
    pub contact_id: Option<ContactId>,
    /// Lists only appointments with one of these values. If this list is empty, all appointments match.
    pub attendance: Vec<AttendanceFilter>,
    /// Lists the appointments that were changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
    /// Sorts by start, latest first. Has no effect with `updated_since`.
    pub latest_first: bool,
}

impl AppointmentFilter {
    fn admits(&self, appointment: &Appointment) -> bool {
        let Appointment { starts_at, service_id, staff_id, status, attendance, .. } = *appointment;
        self.from.is_none_or(|from| starts_at >= from)
            && self.to.is_none_or(|to| starts_at < to)
            && self.service_id.is_none_or(|id| id == service_id)
            && self.staff_id.is_none_or(|id| id == staff_id)
            && (self.status.is_empty() || self.status.contains(&status))
            && (self.attendance.is_empty() || self.attendance.contains(&attendance.into()))
    }
}

impl BusinessHandle {
    pub async fn appointment(&self, id: AppointmentId) -> Result<Option<AppointmentView>> {
        self.appointment_as(id).await
    }

    pub async fn appointment_as<V: SomeAppointmentView>(&self, id: AppointmentId) -> Result<Option<V>> {
        self.read(|store| {
            let appointment = appointment(store, self.id, id)?;
            let reader = Reader::unbounded(store);
            appointment.map(|appointment| Names::of(self.id).show(&reader, &appointment)).transpose()
        })
        .await
    }

    /// Returns the times to which an appointment can be moved, within an inclusive range of local days. `duration` is
    /// the new duration of the appointment, or `None` to keep its duration. Fails with [`Refusal::NotFound`], or with
    /// the errors of [`Self::availability`].
    pub async fn availability_to_move(
        &self,
        (id, staff): (AppointmentId, StaffId),
        days: (NaiveDate, NaiveDate),
        terms: Terms,
        duration: Option<TimeDelta>,
    ) -> Result<Vec<Slot>> {
        let moved = self.read(|store| appointment(store, self.id, id)).await?;
        let moved = moved.ok_or(Refusal::NotFound(Named::Appointment))?;
        self.ask(move |state, now| {
            Ok(state.schedule(now).slots_to_move(&moved, staff, days, terms, duration)?)
        })
        .await
    }

    /// Finds the future appointments in `concerned` that are outside bookable time. Returns the earliest ones
    /// and the total number.
    pub async fn outside(&self, concerned: Concerned) -> Result<(Vec<AppointmentView>, usize)> {
        let outside = self
            .ask(move |state, now| Ok(AffectedView::new(state.schedule(now).outside(&concerned))))
            .await?;
        Ok((self.shown(&outside.ids).await?, outside.count))
    }

    /// Returns the future appointments that await confirmation, earliest first, at most `limit`. The second
    /// value is true if there are more.
    pub async fn requests(&self, limit: usize) -> Result<(Vec<AppointmentView>, bool)> {
        let waiting = move |state: &mut State, now| {
            let to_come = state.pending.range((now, AppointmentId::from(Uuid::nil()))..);
            Ok(to_come.take(limit.saturating_add(1)).map(|(_, id)| *id).collect::<Vec<_>>())
        };
        let mut waiting = self.ask(waiting).await?;
        let more = waiting.len() > limit;
        waiting.truncate(limit);
        let mut shown = self.shown(&waiting).await?;
        shown.retain(|appointment| appointment.status == AppointmentStatus::Pending);
        Ok((shown, more))
    }

    pub(super) async fn shown(&self, ids: &[AppointmentId]) -> Result<Vec<AppointmentView>> {
        let shown = self.read(|store| {
            let (reader, mut names) = (Reader::unbounded(store), Names::of(self.id));
            let found = ids.iter().filter_map(|id| appointment(store, self.id, *id).transpose());
            found.map(|found| names.show(&reader, &found?)).collect()
        });
        shown.await
    }

    /// The matching appointments, ordered by start, or by `updated_at` if `updated_since` is set.
    pub async fn appointments(
        &self,
        filter: &AppointmentFilter,
        page: &PageRequest,
    ) -> Result<Page<AppointmentView>> {
        self.appointments_as(filter, page).await
    }

    pub async fn appointments_as<V: SomeAppointmentView>(
        &self,
        filter: &AppointmentFilter,
        page: &PageRequest,
    ) -> Result<Page<V>> {
        let (of, filter) = (self.id, filter.clone());
        let order = if filter.latest_first { Order::Descending } else { Order::Ascending };
        let mut names = Names::of(of);
        if let Some(since) = filter.updated_since {
            let changes = Changes { of, since, until: self.fence().await? };
            return self
                .list(page, move |reader, page| {
                    of_contact(reader, (of, filter.contact_id), (page, Order::Ascending), |whose| {
                        let admits = |appointment: &Appointment| {
                            whose.is_none_or(|whose| whose.has(appointment.contact_id))
                                && filter.admits(appointment)
                        };
                        changes.page(reader, page, admits, |appointment| names.show(reader, appointment))
                    })
                })
                .await;
        }
        if filter.contact_id.is_some() {
            return self
                .list(page, move |reader, page| {
                    of_contact(reader, (of, filter.contact_id), (page, order), |whose| {
                        let Some(whose) = whose else { return Ok((Vec::new(), End::OfList)) };
                        walk_theirs(
                            reader,
                            (whose, order),
                            |contact| keys::appointments_of_contact(of, contact),
                            page,
                            |starts_at, id| keys::appointment(of, starts_at, id),
                            |starts_at, a: &Appointment| a.starts_at == starts_at && filter.admits(a),
                            |appointment| names.show(reader, appointment),
                        )
                    })
                })
                .await;
        }
        let (from, to) = (filter.from.unwrap_or(Timestamp::MIN), filter.to.unwrap_or(Timestamp::MAX));
        let range = keys::appointments_starting(of, from, to);
        self.list(page, move |reader, page| {
            collect(reader, range, order, page, |_, value| {
                let appointment = Appointment::decode(value)?;
                filter.admits(&appointment).then(|| names.show(reader, &appointment)).transpose()
            })
        })
        .await
    }
}

/// Reads the start of an appointment, and then the row of the appointment, whose key contains the start. Tries again if
/// the appointment was moved between the two reads.
fn appointment(store: &Store, of: BusinessId, id: AppointmentId) -> Result<Option<Appointment>, StoreError> {
    for _ in 0..MOVES_MAX {
        let Some(start) = store.get_raw(&keys::appointment_start(of, id))? else { return Ok(None) };
        let starts_at = keys::millis_from_value(&start)?;
        if let Some(appointment) = store.get(&keys::appointment(of, starts_at, id))? {
            return Ok(Some(appointment));
        }
    }
    Err(StoreError::damaged("appointment", "its row in the index by id refers to a missing row"))
}

struct Names {
    business: BusinessId,
    timezone: Option<&'static str>,
    services: HashMap<ServiceId, String>,
    staff: HashMap<StaffId, String>,
    contacts: HashMap<ContactId, Option<Contact>>,
}

impl Names {
    fn of(business: BusinessId) -> Self {
        Self {
            business,
            timezone: None,
            services: HashMap::new(),
            staff: HashMap::new(),
            contacts: HashMap::new(),
        }
    }

    fn show<V: SomeAppointmentView>(
        &mut self,
        reader: &Reader<'_>,
        appointment: &Appointment,
    ) -> Result<V, StoreError> {
        let of = self.business;
        let timezone = match self.timezone {
            Some(timezone) => timezone,
            None => {
                let business = reader.get::<Business>(&keys::profile(of))?;
                let business = business.ok_or_else(|| StoreError::damaged("business", "it is missing"))?;
                *self.timezone.insert(business.zone.name())
            }
        };
        let service = once(&mut self.services, appointment.service_id, String::new, |id| {
            Ok(reader.get::<Service>(&keys::service(of, id))?.map(|service| service.name))
        })?;
        let staff = once(&mut self.staff, appointment.staff_id, String::new, |id| {
            Ok(reader.get::<StaffMember>(&keys::staff(of, id))?.map(|member| member.name))
        })?;
        // The contact may be missing, because an appointment refers to an erased contact until a background job has
        // changed the appointment.
        let contact = appointment
            .contact_id
            .map(|id| {
                let read = |id| contact(reader, of, id).map(Some);
                once(&mut self.contacts, id, || None, read)
            })
            .transpose()?
            .and_then(Option::as_ref);
        let parties = AppointmentParties { timezone, service_name: service, staff_name: staff, contact };
        Ok(V::new(appointment, parties))
    }
}
