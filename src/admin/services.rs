//! Services of a business.

use domain::{
    BUFFER_MINUTES_MAX, Buffers, COLORS, Currency, MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, POSITION_MAX,
    PRICE_CENTS_MAX, Price, Refusal, ServiceId, StaffId, Text,
};
use engine::business::commands::catalog::{CreateService, DeleteService, PatchService, SetServiceStaff};
use view::{AffectingView, OperatorServiceView, ServiceStaffView};

use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::*;

json_object! {
    /// A new service.
    pub(crate) struct ServiceBody {
        /// The name of the service.
        name: Text<1, 200>,
        /// The description. The default is an empty text.
        description: Option<Text<0, 2000>>,
        /// The duration in minutes.
        duration_minutes: Whole<5, 1440>,
        /// Whether the service can be booked. The default is true.
        active: Option<bool>,
        /// The buffer before an appointment, in minutes. The default is 0.
        buffer_before_minutes: Option<Whole<0, BUFFER_MINUTES_MAX>>,
        /// The buffer after an appointment, in minutes. The default is 0.
        buffer_after_minutes: Option<Whole<0, BUFFER_MINUTES_MAX>>,
        /// The minimum time from a customer's booking to the start of the appointment, in minutes. The default is 0.
        min_notice_minutes: Option<Whole<0, MIN_NOTICE_MINUTES_MAX>>,
        /// How many days ahead customers can book, in the business's time zone. The default is no limit.
        max_advance_days: Option<AdvanceDays>,
        /// The price in hundredths of the currency unit. If it is set, `currency` is required.
        price_cents: Option<Whole<0, PRICE_CENTS_MAX>>,
        /// The ISO 4217 code of the price's currency, such as EUR.
        currency: Option<Currency>,
        /// The heading above the service in lists on the dashboard pages.
        category: Option<Text<1, 60>>,
        /// The position of the service in lists on pages, lowest first. The default is 0.
        position: Option<Position>,
        /// The index of a colour in the palette of the team's pages.
        color: Option<PaletteColor>,
    }
}

json_object! {
    /// A change to a service; a property that is absent keeps its value.
    pub(crate) struct ServicePatch {
        /// The name of the service.
        name: Patch<Text<1, 200>>,
        /// The description; null empties it.
        description: Patch<Option<Text<0, 2000>>>,
        /// The duration in minutes; existing appointments keep their duration.
        duration_minutes: Patch<Whole<5, 1440>>,
        /// Whether the service can be booked.
        active: Patch<bool>,
        /// The buffer before an appointment, in minutes; existing appointments keep their buffer.
        buffer_before_minutes: Patch<Whole<0, BUFFER_MINUTES_MAX>>,
        /// The buffer after an appointment, in minutes; existing appointments keep their buffer.
        buffer_after_minutes: Patch<Whole<0, BUFFER_MINUTES_MAX>>,
        /// The minimum time from a customer's booking to the start of the appointment, in minutes.
        min_notice_minutes: Patch<Whole<0, MIN_NOTICE_MINUTES_MAX>>,
        /// How many days ahead customers can book, in the business's time zone; null for no limit.
        max_advance_days: Patch<Option<AdvanceDays>>,
        /// The price in hundredths of the currency unit; null clears the price and its currency.
        price_cents: Patch<Option<Whole<0, PRICE_CENTS_MAX>>>,
        /// The ISO 4217 code of the price's currency, such as EUR.
        currency: Patch<Option<Currency>>,
        /// The heading above the service in lists on the dashboard pages; null clears it.
        category: Patch<Option<Text<1, 60>>>,
        /// The position of the service in lists on pages, lowest first.
        position: Patch<Position>,
        /// The index of a colour in the palette of the team's pages; null clears it.
        color: Patch<Option<PaletteColor>>,
    }
}

json_object! {
    /// The staff members who offer a service.
    pub(crate) struct ServiceStaffBody {
        /// All staff members who offer the service.
        staff_ids: DistinctList<StaffId, 0, STAFF_MAX>,
    }
}

const STAFF_MAX: usize = 1_000;

pub(crate) type Position = Whole<0, POSITION_MAX>;
pub(crate) type PaletteColor = Whole<{ *COLORS.start() }, { *COLORS.end() }>;
type AdvanceDays = Whole<{ *MAX_ADVANCE_DAYS.start() }, { *MAX_ADVANCE_DAYS.end() }>;

impl ServiceBody {
    pub(crate) fn change(self) -> Result<CreateService, Refusal> {
        let minutes = |given: Option<Whole<0, BUFFER_MINUTES_MAX>>| given.map_or(0, Whole::get);
        let buffers = Buffers::new(minutes(self.buffer_before_minutes), minutes(self.buffer_after_minutes));
        let price = Price::patched(None, Some(self.price_cents.map(Whole::get)), Some(self.currency));
        Ok(CreateService {
            name: self.name,
            description: self.description.unwrap_or_default(),
            duration_minutes: self.duration_minutes.get(),
            active: self.active.unwrap_or(true),
            buffers: buffers.unwrap_or_default(),
            min_notice_minutes: self.min_notice_minutes.map_or(0, Whole::get),
            max_advance_days: self.max_advance_days.map(Whole::get),
            price: price.map_err(|problem| Refusal::Invalid(vec![problem]))?,
            category: self.category,
            position: self.position.map_or(0, Whole::get),
            color: self.color.map(Whole::get),
        })
    }
}

impl ServicePatch {
    pub(crate) fn change(self, id: ServiceId) -> PatchService {
        PatchService {
            id,
            name: self.name.set(),
            description: self.description.set().map(Option::unwrap_or_default),
            duration_minutes: self.duration_minutes.set().map(Whole::get),
            active: self.active.set(),
            buffer_before_minutes: self.buffer_before_minutes.set().map(Whole::get),
            buffer_after_minutes: self.buffer_after_minutes.set().map(Whole::get),
            min_notice_minutes: self.min_notice_minutes.set().map(Whole::get),
            max_advance_days: self.max_advance_days.set().map(|days| days.map(Whole::get)),
            price_cents: self.price_cents.set().map(|cents| cents.map(Whole::get)),
            currency: self.currency.set(),
            category: self.category.set(),
            position: self.position.set().map(Whole::get),
            color: self.color.set().map(|color| color.map(Whole::get)),
        }
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<ServiceBody>,
) -> Result<Created<OperatorServiceView>, ApiError> {
    context.change(body.change()?).await
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<OperatorServiceView>, ApiError> {
    let asked = query.open(&context, business.list("operator services"))?;
    let found = business.services(true, &asked.page).await?;
    Ok(asked.listed_as(found, |service| OperatorServiceView::from(&service)))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<ServicePatch>,
    Path(id): Path<ServiceId>,
) -> Result<Changed<AffectingView<OperatorServiceView>>, ApiError> {
    let changed: Changed<AffectingView<OperatorServiceView>> = context.change(patch.change(id)).await?;
    Ok(changed.tagged_as(|shown| &shown.resource))
}

pub(super) async fn set_staff(
    context: Context,
    Body(body): Body<ServiceStaffBody>,
    Path(id): Path<ServiceId>,
) -> Result<Changed<AffectingView<ServiceStaffView>>, ApiError> {
    let staff_ids = body.staff_ids.into_vec();
    let changed: Changed<AffectingView<ServiceStaffView>> =
        context.change(SetServiceStaff { id, staff_ids }).await?;
    Ok(changed.tagged_as(|shown| &shown.resource))
}

/// Deletes a service that no appointment uses. The search for an appointment of the service can take long, so
/// the handler first looks for the stored response to an earlier request with the same idempotency key.
pub(super) async fn delete(
    context: Context,
    Path(id): Path<ServiceId>,
    business: Business,
) -> Result<Gone, ApiError> {
    if let Some(given) = context.remembered::<DeleteService, _>().await? {
        return Ok(given);
    }
    let watch = business.watch_unused_service(id).await?;
    context.change(DeleteService { id, watch }).await
}
