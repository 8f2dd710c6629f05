//! `B/staff`: who carries out services.

use actors::business::commands::catalog::{CreateStaff, DeleteStaff, PatchStaff};
use actors::domain::{ServiceId, StaffId, Text};
use actors::view::StaffView;

use crate::http::lists::DistinctList;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::{
    ApiError, Body, Business, Changed, Context, Created, Gone, ListQuery, Listed, Path, PlainList, Query,
};
use crate::rest::values::time::Zone;

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
        timezone: Option<Zone>,
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
        timezone: Patch<Zone>,
        /// All the services they offer.
        service_ids: Patch<DistinctList<ServiceId, 0, SERVICES_MAX>>,
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<StaffBody>,
) -> Result<Created<StaffView>, ApiError> {
    context
        .change(CreateStaff {
            name: body.name,
            active: body.active.unwrap_or(true),
            zone: body.timezone.map(Zone::get),
            service_ids: body.service_ids.into_vec(),
        })
        .await
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<StaffView>, ApiError> {
    let asked = query.open(&context, business.list("operator staff"))?;
    let found = business.staff(&asked.page).await?;
    Ok(asked.listed_as(found, |member| StaffView::from(&member)))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<StaffPatch>,
    Path(id): Path<StaffId>,
) -> Result<Changed<StaffView>, ApiError> {
    context
        .change(PatchStaff {
            id,
            name: patch.name.set(),
            active: patch.active.set(),
            zone: patch.timezone.set().map(Zone::get),
            service_ids: patch.service_ids.set().map(DistinctList::into_vec),
        })
        .await
}

/// Looking for what refers to it comes first, and takes as long as there is much to look through.
pub(super) async fn delete(
    context: Context,
    Path(id): Path<StaffId>,
    business: Business,
) -> Result<Gone, ApiError> {
    if let Some(given) = context.remembered::<DeleteStaff, _>().await? {
        return Ok(given);
    }
    let watch = business.watch_unused_staff(id).await?;
    context.change(DeleteStaff { id, watch }).await
}
