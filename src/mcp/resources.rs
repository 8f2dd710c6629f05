//! Resources: what a person may attach for an assistant to read. They show what `get_business` and `get_appointment`
//! show.

use domain::{AppointmentId, Scope};
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;

use super::answer::answer;
use super::asking::Asking;
use super::refused::Refused;
use super::{appointments, business};

/// The address of the business.
const BUSINESS: &str = "receptionist://business";
/// Where the address of an appointment begins.
const APPOINTMENTS: &str = "receptionist://appointments/";

/// What resources are.
pub(super) const MEDIA_TYPE: &str = "application/json";

/// The resources of a key with these scopes.
pub(super) fn listed(may: impl Fn(Scope) -> bool) -> Vec<Resource> {
    let business = || {
        Resource::new(BUSINESS, "business")
            .with_title("The business")
            .with_description("Profile, hours, services and staff, and the local time.")
            .with_mime_type(MEDIA_TYPE)
    };
    may(Scope::BusinessRead).then(business).into_iter().collect()
}

/// The templates of a key with these scopes.
pub(super) fn templates(may: impl Fn(Scope) -> bool) -> Vec<ResourceTemplate> {
    let appointment = || {
        ResourceTemplate::new(format!("{APPOINTMENTS}{{id}}"), "appointment")
            .with_title("One appointment")
            .with_description("An appointment by its id, with names and local times.")
            .with_mime_type(MEDIA_TYPE)
    };
    may(Scope::AppointmentsRead).then(appointment).into_iter().collect()
}

/// Why a resource is not shown.
pub(super) enum Missing {
    /// Nothing is at this address, or nothing of this business.
    Unknown,
    /// The key lacks this scope.
    Scope(Scope),
    /// It cannot be read.
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

/// What is at an address.
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
