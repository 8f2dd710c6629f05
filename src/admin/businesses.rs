//! `/admin/v1/businesses` creates, lists, changes and deletes businesses.

use domain::{BookingMode, BusinessId, CustomerWord, Locale, Text, WeeklyBreaks, WeeklyHours};
use engine::NewBusiness;
use engine::business::commands::profile::PatchBusiness;
use view::{AffectingView, OperatorBusinessView};

use crate::http::cursor::Binding;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::output::AnswerTo;
use crate::rest::prelude::*;
use crate::rest::values::grid::GridMinutes;
use crate::rest::values::phone::PhoneRegion;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A new business.
    pub(crate) struct NewBusinessBody {
        /// The name of the business.
        name: Text<1, 200>,
        /// The IANA time zone of the business.
        timezone: Zone,
        /// The language for callers. The default is `en`.
        locale: Option<Locale>,
        /// The web site.
        website_url: Option<WebsiteUrl>,
        /// The booking mode. The default is `instant`.
        booking_mode: Option<BookingMode>,
        /// The opening hours. The default is no hours.
        hours: Option<WeeklyHours>,
        /// The weekly breaks. Appointments never overlap a break. The default is no breaks.
        breaks: Option<WeeklyBreaks>,
        /// The ISO 3166 region of phone numbers without a country code. The default is `US`.
        phone_region: Option<PhoneRegion>,
    }
}

json_object! {
    /// A change to a business; a property that is absent keeps its value.
    pub(crate) struct OperatorBusinessPatch {
        /// The name of the business.
        name: Patch<Text<1, 200>>,
        /// The IANA time zone of the business.
        timezone: Patch<Zone>,
        /// The default language for callers.
        locale: Patch<Locale>,
        /// The web site; null clears it.
        website_url: Patch<Option<WebsiteUrl>>,
        /// The booking mode.
        booking_mode: Patch<BookingMode>,
        /// The opening hours of the whole week; a day that is omitted becomes closed.
        hours: Patch<WeeklyHours>,
        /// All breaks of the week. Appointments never overlap a break.
        breaks: Patch<WeeklyBreaks>,
        /// The ISO 3166 region of phone numbers without a country code.
        phone_region: Patch<PhoneRegion>,
        /// Whether the business is suspended. The keys of a suspended business can use only `GET /me`.
        suspended: Patch<bool>,
        /// The word that the dashboard pages use for a customer.
        customer_word: Patch<CustomerWord>,
        /// The interval between the lines of the team's calendars, in minutes. Bookable times do not depend
        /// on it.
        grid_minutes: Patch<GridMinutes>,
    }
}

impl From<OperatorBusinessPatch> for PatchBusiness {
    fn from(patch: OperatorBusinessPatch) -> Self {
        Self {
            name: patch.name.set(),
            zone: patch.timezone.set().map(Zone::get),
            locale: patch.locale.set(),
            website_url: patch.website_url.set().map(|url| url.map(WebsiteUrl::into_string)),
            booking_mode: patch.booking_mode.set(),
            hours: patch.hours.set(),
            breaks: patch.breaks.set(),
            phone_region: patch.phone_region.set().map(PhoneRegion::into_string),
            suspended: patch.suspended.set(),
            customer_word: patch.customer_word.set(),
            grid_minutes: patch.grid_minutes.set().map(GridMinutes::get),
        }
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<NewBusinessBody>,
) -> Result<Created<OperatorBusinessView>, ApiError> {
    let new = NewBusiness {
        name: body.name,
        zone: body.timezone.get(),
        locale: body.locale.unwrap_or(Locale::En),
        website_url: body.website_url.map(WebsiteUrl::into_string),
        booking_mode: body.booking_mode.unwrap_or(BookingMode::Instant),
        hours: body.hours.unwrap_or_default(),
        breaks: body.breaks.unwrap_or_default(),
        phone_region: body.phone_region.unwrap_or_default().into_string(),
    };
    let by = context.caller.actor;
    Ok(match context.idempotency()? {
        Some(once) => Created::answer_to(context.engine.create_business_once(new, by, once).await?),
        None => Created::of(OperatorBusinessView::from(&context.engine.create_business(new, by).await?)),
    })
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
) -> Result<Listed<OperatorBusinessView>, ApiError> {
    let asked = query.open(&context, Binding::list("businesses"))?;
    let found = context.engine.businesses(&asked.page).await?;
    Ok(asked.listed_as(found, |business| OperatorBusinessView::from(&business)))
}

pub(super) async fn show(_: Context, business: Business) -> Result<One<OperatorBusinessView>, ApiError> {
    Ok(One::of(&OperatorBusinessView::from(&business.business().await?)))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<OperatorBusinessPatch>,
) -> Result<Changed<AffectingView<OperatorBusinessView>>, ApiError> {
    let changed: Changed<AffectingView<OperatorBusinessView>> =
        context.change(PatchBusiness::from(patch)).await?;
    Ok(changed.tagged_as(|shown| &shown.resource))
}

pub(super) async fn end(context: Context, Path(id): Path<BusinessId>) -> Result<Ending, ApiError> {
    let answer = context.engine.end_business(id, context.request()?).await?;
    Ok(Ending::answer_to(answer))
}
