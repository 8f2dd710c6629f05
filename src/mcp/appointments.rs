//! The tools `list_appointments` and `get_appointment`. Their results contain names and local times.

use chrono::TimeDelta;
use domain::{AppointmentId, AppointmentStatus, ContactId};
use engine::business::AppointmentFilter;
use schemars::JsonSchema;
use serde::Serialize;
use view::AppointmentView;

use super::bounds::{Paging, page, text};
use super::catalog::{Catalog, For};
use super::moment::WallClock;
use super::refused::Refused;
use super::tool_call::ToolCall;
use super::values::{DayOrTime, Named, id};
use crate::http::cursor::CursorText;
use crate::json_object;
use crate::rest::error::ApiError;
use crate::rest::values::RecordId;

const DAYS_AHEAD: TimeDelta = TimeDelta::days(30);

json_object! {
    pub(super) struct ListAppointmentsArgs {
        /// Only appointments from this date or time on. Without from and to: the next 30 days.
        from: Option<DayOrTime>,
        /// Only appointments that start before this time, or by the end of this date.
        to: Option<DayOrTime>,
        /// Only appointments with this status.
        status: Option<AppointmentStatus>,
        /// Only this service, by name or id.
        service: Option<Named>,
        /// Only this staff member, by name or id.
        staff: Option<Named>,
        /// Only appointments of this contact.
        contact_id: Option<String>,
        /// The next_cursor of the previous page.
        cursor: Option<CursorText>,
    }
}

json_object! {
    pub(super) struct One {
        /// The id of the appointment.
        appointment_id: String,
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Appointment {
    id: String,
    status: String,
    starts_at: String,
    ends_at: String,
    local_start: String,
    local_end: String,
    weekday: String,
    timezone: String,
    service_id: String,
    service_name: String,
    staff_id: String,
    staff_name: String,
    contact_id: Option<String>,
    contact_name: Option<String>,
    contact_phone: Option<String>,
    source: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Appointments {
    appointments: Vec<Appointment>,
    #[serde(flatten)]
    paging: Paging,
}

impl Appointment {
    pub(super) fn of(view: &AppointmentView) -> Result<Self, Refused> {
        let zone = view.timezone.parse().map_err(|_| ApiError::internal("an unknown zone"))?;
        let clock = WallClock(zone);
        Ok(Self {
            id: view.id.to_string(),
            status: view.status.to_string(),
            starts_at: view.starts_at.to_string(),
            ends_at: view.ends_at.to_string(),
            local_start: clock.local(view.starts_at),
            local_end: clock.local(view.ends_at),
            weekday: clock.weekday(view.starts_at).to_owned(),
            timezone: view.timezone.to_string(),
            service_id: view.service_id.to_string(),
            service_name: view.service_name.clone(),
            staff_id: view.staff_id.to_string(),
            staff_name: view.staff_name.clone(),
            contact_id: text(view.contact_id.as_ref()),
            contact_name: view.contact_name.clone(),
            contact_phone: text(view.contact_phone.as_ref()),
            source: view.source.to_string(),
        })
    }
}

pub(super) async fn list(asking: ToolCall, wanted: ListAppointmentsArgs) -> Result<Appointments, Refused> {
    let catalog = Catalog::read(&asking).await?;
    let clock = catalog.clock();
    let (from, to) = match clock.between((wanted.from, wanted.to))? {
        (None, None) => {
            let now = asking.business.now();
            (Some(now), Some(now + DAYS_AHEAD))
        }
        given => given,
    };
    let contact_id = wanted.contact_id.map(|text| id::<ContactId>(&text)).transpose()?;
    let filter = AppointmentFilter {
        status: wanted.status.into_iter().collect(),
        from,
        to,
        service_id: wanted.service.map(|named| catalog.service(&named, For::Finding)).transpose()?,
        staff_id: wanted.staff.map(|named| catalog.staff_member(&named, For::Finding)).transpose()?,
        contact_id,
        ..AppointmentFilter::default()
    };
    let (business, filter) = (&asking.business, &filter);
    let read = |request| async move { business.appointments(filter, &request).await };
    let (appointments, paging) =
        page(&asking, wanted.cursor.as_ref(), read, |view| Appointment::of(&view)).await?;
    Ok(Appointments { appointments, paging })
}

pub(super) async fn get(asking: ToolCall, one: One) -> Result<Appointment, Refused> {
    show(&asking, id(&one.appointment_id)?).await
}

pub(super) async fn show(asking: &ToolCall, id: AppointmentId) -> Result<Appointment, Refused> {
    let found = asking.business.appointment(id).await?;
    Appointment::of(&found.ok_or(AppointmentId::NOT_FOUND)?)
}
