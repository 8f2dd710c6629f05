//! `/business`: the profile and the opening hours.

use actors::business::commands::Audience;
use actors::business::commands::profile::PatchBusiness;
use actors::domain::{Locale, Text, WeeklyHours};
use actors::view::BusinessView;
use chrono_tz::Tz;

use crate::http::call::Call;
use crate::http::read::Patch;
use crate::http::routes::Handled;
use crate::http::values::WebsiteUrl;
use crate::json_object;

json_object! {
    /// What of the business is to change; what is absent stays.
    pub(crate) struct BusinessPatch {
        /// Its name.
        name: Patch<Text<1, 200>>,
        /// Its IANA time zone.
        timezone: Patch<Tz>,
        /// The default language for callers.
        locale: Patch<Locale>,
        /// Its web site; null clears it.
        website_url: Patch<Option<WebsiteUrl>>,
        /// The opening hours of the whole week; a day that is omitted becomes closed.
        hours: Patch<WeeklyHours>,
    }
    check crate::http::read::not_empty
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let business = call.business()?.business().await?;
    call.one(&BusinessView::from(&business))
}

pub(super) async fn update(mut call: Call) -> Handled {
    let patch: BusinessPatch = call.body().await?;
    call.change(PatchBusiness {
        name: patch.name.set(),
        zone: patch.timezone.set(),
        locale: patch.locale.set(),
        website_url: patch.website_url.set().map(|url| url.map(WebsiteUrl::into_string)),
        booking_mode: None,
        hours: patch.hours.set(),
        phone_region: None,
        suspended: None,
        audience: Audience::Integration,
    })
    .await
}
