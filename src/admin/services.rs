//! `B/services`.

use domain::{
    BUFFER_MINUTES_MAX, Buffers, Currency, MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, PRICE_CENTS_MAX, Price,
    Refusal, ServiceId, Text,
};
use engine::business::commands::catalog::{CreateService, DeleteService, PatchService};
use view::{AffectingView, OperatorServiceView};

use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::{
    ApiError, Body, Business, Changed, Context, Created, Gone, ListQuery, Listed, Path, PlainList, Query,
};

json_object! {
    /// A service as it is created.
    pub(crate) struct ServiceBody {
        /// Its name.
        name: Text<1, 200>,
        /// What it is; empty when absent.
        description: Option<Text<0, 2000>>,
        /// How long it takes, in minutes.
        duration_minutes: Whole<5, 1440>,
        /// Whether it can be booked; true when absent.
        active: Option<bool>,
        /// How long before an appointment the staff member is kept free, in minutes; 0 when absent.
        buffer_before_minutes: Option<Whole<0, BUFFER_MINUTES_MAX>>,
        /// How long after an appointment the staff member is kept free, in minutes; 0 when absent.
        buffer_after_minutes: Option<Whole<0, BUFFER_MINUTES_MAX>>,
        /// How long before it begins customers have to book, in minutes; 0 when absent.
        min_notice_minutes: Option<Whole<0, MIN_NOTICE_MINUTES_MAX>>,
        /// How many local days ahead customers can book; as far as they like when absent.
        max_advance_days: Option<AdvanceDays>,
        /// What it costs, in hundredths of the currency, which is given with it.
        price_cents: Option<Whole<0, PRICE_CENTS_MAX>>,
        /// The currency of the price, in the form of ISO 4217: three capital letters.
        currency: Option<Currency>,
    }
}

json_object! {
    /// What of a service is to change; what is absent stays.
    pub(crate) struct ServicePatch {
        /// Its name.
        name: Patch<Text<1, 200>>,
        /// What it is; null empties it.
        description: Patch<Option<Text<0, 2000>>>,
        /// How long it takes, in minutes; appointments keep the duration they were booked with.
        duration_minutes: Patch<Whole<5, 1440>>,
        /// Whether it can be booked.
        active: Patch<bool>,
        /// How long before an appointment the staff member is kept free, in minutes; appointments keep what they were
        /// booked with.
        buffer_before_minutes: Patch<Whole<0, BUFFER_MINUTES_MAX>>,
        /// How long after an appointment the staff member is kept free, in minutes; appointments keep what they were
        /// booked with.
        buffer_after_minutes: Patch<Whole<0, BUFFER_MINUTES_MAX>>,
        /// How long before it begins customers have to book, in minutes.
        min_notice_minutes: Patch<Whole<0, MIN_NOTICE_MINUTES_MAX>>,
        /// How many local days ahead customers can book; null for as far as they like.
        max_advance_days: Patch<Option<AdvanceDays>>,
        /// What it costs, in hundredths of the currency; null clears the price and its currency.
        price_cents: Patch<Option<Whole<0, PRICE_CENTS_MAX>>>,
        /// The currency of the price, in the form of ISO 4217: three capital letters.
        currency: Patch<Option<Currency>>,
    }
}

type AdvanceDays = Whole<{ *MAX_ADVANCE_DAYS.start() }, { *MAX_ADVANCE_DAYS.end() }>;

fn nothing() -> Text<0, 2000> {
    Text::default()
}

impl ServiceBody {
    /// A price needs a currency, and a currency a price.
    pub(crate) fn change(self) -> Result<CreateService, Refusal> {
        let minutes = |given: Option<Whole<0, BUFFER_MINUTES_MAX>>| given.map_or(0, Whole::get);
        let buffers = Buffers::new(minutes(self.buffer_before_minutes), minutes(self.buffer_after_minutes));
        let price = Price::patched(None, Some(self.price_cents.map(Whole::get)), Some(self.currency));
        Ok(CreateService {
            name: self.name,
            description: self.description.unwrap_or_else(nothing),
            duration_minutes: self.duration_minutes.get(),
            active: self.active.unwrap_or(true),
            buffers: buffers.unwrap_or_default(),
            min_notice_minutes: self.min_notice_minutes.map_or(0, Whole::get),
            max_advance_days: self.max_advance_days.map(Whole::get),
            price: price.map_err(|problem| Refusal::Invalid(vec![problem]))?,
        })
    }
}

impl ServicePatch {
    pub(crate) fn change(self, id: ServiceId) -> PatchService {
        PatchService {
            id,
            name: self.name.set(),
            description: self.description.set().map(|text| text.unwrap_or_else(nothing)),
            duration_minutes: self.duration_minutes.set().map(Whole::get),
            active: self.active.set(),
            buffer_before_minutes: self.buffer_before_minutes.set().map(Whole::get),
            buffer_after_minutes: self.buffer_after_minutes.set().map(Whole::get),
            min_notice_minutes: self.min_notice_minutes.set().map(Whole::get),
            max_advance_days: self.max_advance_days.set().map(|days| days.map(Whole::get)),
            price_cents: self.price_cents.set().map(|cents| cents.map(Whole::get)),
            currency: self.currency.set(),
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

/// The search for references takes time, depending on the number of appointments.
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
