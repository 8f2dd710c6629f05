//! `B/staff`: who carries out services.

use actors::business::commands::catalog::{CreateStaff, PatchStaff};
use actors::domain::{ServiceId, Text};
use actors::view::StaffView;
use chrono_tz::Tz;

use crate::http::call::Call;
use crate::http::query::ListQuery;
use crate::http::read::Patch;
use crate::http::routes::Handled;
use crate::http::values::DistinctList;
use crate::json_object;

/// How many services one staff member can offer.
const SERVICES_MAX: usize = 500;

json_object! {
    /// A staff member as they are added.
    pub(crate) struct StaffBody {
        /// Their name.
        name: Text<1, 200>,
        /// Whether they take appointments; true when absent.
        active: Option<bool>,
        /// The IANA time zone they see times in; the business's when absent.
        timezone: Option<Tz>,
        /// The services they offer.
        service_ids: DistinctList<ServiceId, 0, SERVICES_MAX>,
    }
}

json_object! {
    /// What of a staff member is to change; what is absent stays.
    pub(crate) struct StaffPatch {
        /// Their name.
        name: Patch<Text<1, 200>>,
        /// Whether they take appointments.
        active: Patch<bool>,
        /// The IANA time zone they see times in.
        timezone: Patch<Tz>,
        /// All the services they offer.
        service_ids: Patch<DistinctList<ServiceId, 0, SERVICES_MAX>>,
    }
    check crate::http::read::not_empty
}

pub(super) async fn create(mut call: Call) -> Handled {
    let body: StaffBody = call.body().await?;
    call.change(CreateStaff {
        name: body.name,
        active: body.active.unwrap_or(true),
        zone: body.timezone,
        service_ids: body.service_ids.into_vec(),
    })
    .await
}

pub(super) async fn list(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("operator staff")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.staff(&page).await?;
    call.list(found, &binding, |member| StaffView::from(&member))
}

pub(super) async fn update(mut call: Call) -> Handled {
    let patch: StaffPatch = call.body().await?;
    let id = call.id("staff_id", "staff member")?;
    call.change(PatchStaff {
        id,
        name: patch.name.set(),
        active: patch.active.set(),
        zone: patch.timezone.set(),
        service_ids: patch.service_ids.set().map(DistinctList::into_vec),
    })
    .await
}
