//! The resources that a person can attach: the results of `get_business` and `get_appointment`.

use domain::{AppointmentId, Scope};
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;

use super::asking::Asking;
use super::bounds::answer;
use super::refused::Refused;
use super::{appointments, business};
use crate::rest::values::RecordId;

const BUSINESS: &str = "receptionist://business";
const APPOINTMENTS: &str = "receptionist://appointments/";

pub(super) const MEDIA_TYPE: &str = "application/json";

pub(super) fn listed(may: impl Fn(Scope) -> bool) -> Vec<Resource> {
    let business = Resource::new(BUSINESS, "business")
        .with_title("The business")
        .with_description("Profile, hours, services and staff, and the local time.")
        .with_mime_type(MEDIA_TYPE);
    may(Scope::BusinessRead).then_some(business).into_iter().collect()
}

pub(super) fn templates(may: impl Fn(Scope) -> bool) -> Vec<ResourceTemplate> {
    let appointment = ResourceTemplate::new(format!("{APPOINTMENTS}{{id}}"), "appointment")
        .with_title("One appointment")
        .with_description("An appointment by its id, with names and local times.")
        .with_mime_type(MEDIA_TYPE);
    may(Scope::AppointmentsRead).then_some(appointment).into_iter().collect()
}

/// The scope that a resource needs, or `None` for an unknown URI.
pub(super) fn scope(uri: &str) -> Option<Scope> {
    match uri {
        BUSINESS => Some(Scope::BusinessRead),
        uri => uri.starts_with(APPOINTMENTS).then_some(Scope::AppointmentsRead),
    }
}

pub(super) async fn read(asking: &Asking, uri: &str) -> Result<Value, Refused> {
    match uri.strip_prefix(APPOINTMENTS) {
        None => answer(&business::show(asking).await?),
        Some(id) => {
            let id = id.parse().map_err(|_| AppointmentId::NOT_FOUND)?;
            answer(&appointments::show(asking, id).await?)
        }
    }
}
