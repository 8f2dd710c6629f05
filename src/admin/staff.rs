//! Staff members of a business.

use domain::{OFFERED_MAX, ServiceId, StaffHours, StaffId, Text};
use engine::business::commands::catalog::{CreateStaff, DeleteStaff, PatchStaff};
use view::{AffectingView, OperatorStaffView};

use super::services::{PaletteColor, Position};
use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::*;
use crate::rest::values::time::Zone;

json_object! {
    /// A new staff member.
    pub(crate) struct StaffBody {
        /// The name of the staff member.
        name: Text<1, 200>,
        /// Whether the staff member takes appointments. The default is true.
        active: Option<bool>,
        /// The IANA time zone in which the staff member sees times. The default is the business's time zone.
        timezone: Option<Zone>,
        /// The services that the staff member offers.
        service_ids: DistinctList<ServiceId, 0, OFFERED_MAX>,
        /// The staff member's own hours, up to 4 windows a day. The default is all opening hours.
        hours: Option<StaffHours>,
        /// The position of the staff member in lists on pages, lowest first. The default is 0.
        position: Option<Position>,
        /// The index of a colour in the palette of the team's pages.
        color: Option<PaletteColor>,
    }
}

json_object! {
    /// A change to a staff member; a property that is absent keeps its value.
    pub(crate) struct StaffPatch {
        /// The name of the staff member.
        name: Patch<Text<1, 200>>,
        /// Whether the staff member takes appointments.
        active: Patch<bool>,
        /// The IANA time zone in which the staff member sees times.
        timezone: Patch<Zone>,
        /// All services that the staff member offers.
        service_ids: Patch<DistinctList<ServiceId, 0, OFFERED_MAX>>,
        /// The staff member's own hours of the whole week; null means all opening hours.
        hours: Patch<Option<StaffHours>>,
        /// The position of the staff member in lists on pages, lowest first.
        position: Patch<Position>,
        /// The index of a colour in the palette of the team's pages; null clears it.
        color: Patch<Option<PaletteColor>>,
    }
}

impl From<StaffBody> for CreateStaff {
    fn from(body: StaffBody) -> Self {
        Self {
            name: body.name,
            active: body.active.unwrap_or(true),
            zone: body.timezone.map(Zone::get),
            service_ids: body.service_ids.into_vec(),
            hours: body.hours,
            position: body.position.map_or(0, Whole::get),
            color: body.color.map(Whole::get),
        }
    }
}

impl StaffPatch {
    pub(crate) fn change(self, id: StaffId) -> PatchStaff {
        PatchStaff {
            id,
            name: self.name.set(),
            active: self.active.set(),
            zone: self.timezone.set().map(Zone::get),
            service_ids: self.service_ids.set().map(DistinctList::into_vec),
            hours: self.hours.set(),
            position: self.position.set().map(Whole::get),
            color: self.color.set().map(|color| color.map(Whole::get)),
        }
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<StaffBody>,
) -> Result<Created<OperatorStaffView>, ApiError> {
    context.change(CreateStaff::from(body)).await
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<OperatorStaffView>, ApiError> {
    let asked = query.open(&context, business.list("operator staff"))?;
    let found = business.staff(&asked.page).await?;
    Ok(asked.listed_as(found, |member| OperatorStaffView::from(&member)))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<StaffPatch>,
    Path(id): Path<StaffId>,
) -> Result<Changed<AffectingView<OperatorStaffView>>, ApiError> {
    let changed: Changed<AffectingView<OperatorStaffView>> = context.change(patch.change(id)).await?;
    Ok(changed.tagged_as(|shown| &shown.resource))
}

/// Deletes a staff member. The request is refused if an appointment or a message refers to the staff member. This check
/// can take long, so the handler first looks for the stored response to an earlier request with the same idempotency
/// key.
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
