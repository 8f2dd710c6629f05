//! Reading appointments.

use std::collections::HashMap;

use super::{Page, PageRequest, collect, once, walk};
use crate::business::BusinessHandle;
use crate::domain::{
    Appointment, AppointmentId, AppointmentStatus, Business, BusinessId, Contact, ContactId, Service,
    ServiceId, StaffId, StaffMember, Timestamp,
};
use crate::engine::EngineError;
use crate::store::keys::kind;
use crate::store::records::BusyRecord;
use crate::store::{Order, Record, Store, StoreError, keys};
use crate::view::{AppointmentParties, AppointmentView};

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
                return walk(
                    store,
                    (keys::appointments_of_contact(self.id, contact), Order::Ascending),
                    page,
                    |id| keys::appointment(self.id, id),
                    |starts_at, a: &Appointment| a.starts_at == starts_at && filter.admits_record(a),
                    |appointment| names.show(appointment),
                );
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
        walk(
            store,
            (keys::changed(self.id, kind::APPOINTMENT_BY_UPDATE, since, fence), Order::Ascending),
            page,
            |id| keys::appointment(self.id, id),
            |updated_at, a: &Appointment| {
                a.updated_at == updated_at
                    && filter.contact_id.is_none_or(|contact| contact == a.contact_id)
                    && filter.admits_record(a)
            },
            |appointment| names.show(appointment),
        )
    }
}

/// The names that appointments refer to, each read once.
struct Names<'a> {
    store: &'a Store,
    business: BusinessId,
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
