//! The resources that a person can attach: the results of `get_business` and `get_appointment`.

use domain::{AppointmentId, Scope};
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;

use super::answer::answer;
use super::asking::Asking;
use super::refused::Refused;
use super::{appointments, business};

const BUSINESS: &str = "receptionist://business";
/// The prefix of appointment URIs.
const APPOINTMENTS: &str = "receptionist://appointments/";

pub(super) const MEDIA_TYPE: &str = "application/json";

pub(super) fn listed(may: impl Fn(Scope) -> bool) -> Vec<Resource> {
    let business = || {
        Resource::new(BUSINESS, "business")
            .with_title("The business")
            .with_description("Profile, hours, services and staff, and the local time.")
            .with_mime_type(MEDIA_TYPE)
    };
    may(Scope::BusinessRead).then(business).into_iter().collect()
}

pub(super) fn templates(may: impl Fn(Scope) -> bool) -> Vec<ResourceTemplate> {
    let appointment = || {
        ResourceTemplate::new(format!("{APPOINTMENTS}{{id}}"), "appointment")
            .with_title("One appointment")
            .with_description("An appointment by its id, with names and local times.")
            .with_mime_type(MEDIA_TYPE)
    };
    may(Scope::AppointmentsRead).then(appointment).into_iter().collect()
}

pub(super) enum Missing {
    /// The URI is unknown or not of this business.
    Unknown,
    Scope(Scope),
    Refused(Refused),
}

impl From<Refused> for Missing {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Rules(_) | Refused::Told(_) => Self::Unknown,
            fault => Self::Refused(fault),
        }
    }
}

pub(super) async fn read(asking: &Asking, uri: &str) -> Result<Value, Missing> {
    let needs = |scope| if asking.may(scope) { Ok(()) } else { Err(Missing::Scope(scope)) };
    if uri == BUSINESS {
        needs(Scope::BusinessRead)?;
        return Ok(answer(&business::show(asking).await?)?);
    }
    let id = uri.strip_prefix(APPOINTMENTS).ok_or(Missing::Unknown)?;
    needs(Scope::AppointmentsRead)?;
    let id: AppointmentId = id.parse().map_err(|_| Missing::Unknown)?;
    Ok(answer(&appointments::show(asking, id).await?)?)
}
