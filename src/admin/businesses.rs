//! `/admin/v1/businesses`: creating, listing and changing businesses.

use actors::NewBusiness;
use actors::business::commands::Audience;
use actors::business::commands::profile::PatchBusiness;
use actors::domain::{BookingMode, Locale, Text, WeeklyHours};
use actors::view::{self, OperatorBusinessView};
use axum::http::StatusCode;
use chrono_tz::Tz;

use crate::http::call::Call;
use crate::http::cursor::Binding;
use crate::http::envelope;
use crate::http::query::ListQuery;
use crate::http::read::Patch;
use crate::http::routes::Handled;
use crate::http::values::{PhoneRegion, WebsiteUrl};
use crate::json_object;

json_object! {
    /// A business as it is created.
    pub(crate) struct NewBusinessBody {
        /// Its name.
        name: Text<1, 200>,
        /// Its IANA time zone.
        timezone: Tz,
        /// The default language for callers; `en` when absent.
        locale: Option<Locale>,
        /// Its web site.
        website_url: Option<WebsiteUrl>,
        /// How appointments come about; `instant` when absent.
        booking_mode: Option<BookingMode>,
        /// Its opening hours; closed when absent.
        hours: Option<WeeklyHours>,
        /// The ISO 3166 region in which national phone numbers are read; `US` when absent.
        phone_region: Option<PhoneRegion>,
    }
}

json_object! {
    /// What of a business is to change; what is absent stays.
    pub(crate) struct OperatorBusinessPatch {
        /// Its name.
        name: Patch<Text<1, 200>>,
        /// Its IANA time zone.
        timezone: Patch<Tz>,
        /// The default language for callers.
        locale: Patch<Locale>,
        /// Its web site; null clears it.
        website_url: Patch<Option<WebsiteUrl>>,
        /// How appointments come about.
        booking_mode: Patch<BookingMode>,
        /// The opening hours of the whole week; a day that is omitted becomes closed.
        hours: Patch<WeeklyHours>,
        /// The ISO 3166 region in which national phone numbers are read.
        phone_region: Patch<PhoneRegion>,
        /// Whether its keys are shut out of everything but `GET /me`.
        suspended: Patch<bool>,
    }
    check crate::http::read::not_empty
}

pub(super) async fn create(mut call: Call) -> Handled {
    let body: NewBusinessBody = call.body().await?;
    let new = NewBusiness {
        name: body.name,
        zone: body.timezone,
        locale: body.locale.unwrap_or(Locale::En),
        website_url: body.website_url.map(WebsiteUrl::into_string),
        booking_mode: body.booking_mode.unwrap_or(BookingMode::Instant),
        hours: body.hours.unwrap_or_default(),
        phone_region: body.phone_region.unwrap_or_default().into_string(),
    };
    let business = call.engine.create_business(new, call.caller.actor).await?;
    Ok(envelope::resource(StatusCode::CREATED, &view::render(&OperatorBusinessView::from(&business))))
}

pub(super) async fn list(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = Binding::list("businesses");
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.engine.businesses(&page).await?;
    call.list(found, &binding, |business| OperatorBusinessView::from(&business))
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let business = call.business()?.business().await?;
    call.one(&OperatorBusinessView::from(&business))
}

pub(super) async fn update(mut call: Call) -> Handled {
    let patch: OperatorBusinessPatch = call.body().await?;
    call.change(PatchBusiness {
        name: patch.name.set(),
        zone: patch.timezone.set(),
        locale: patch.locale.set(),
        website_url: patch.website_url.set().map(|url| url.map(WebsiteUrl::into_string)),
        booking_mode: patch.booking_mode.set(),
        hours: patch.hours.set(),
        phone_region: patch.phone_region.set().map(PhoneRegion::into_string),
        suspended: patch.suspended.set(),
        audience: Audience::Operator,
    })
    .await
}
