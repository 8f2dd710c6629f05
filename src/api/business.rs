//! `/business`: the profile and the opening hours.

use domain::{Locale, Text, WeeklyHours};
use engine::business::commands::profile::{PatchBusiness, PatchProfile};
use view::BusinessView;

use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::{ApiError, Body, Business, Changed, Context, One};
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A change of the business; a property that is absent keeps its value.
    pub(crate) struct BusinessPatch {
        /// The name of the business.
        name: Patch<Text<1, 200>>,
        /// The IANA time zone of the business.
        timezone: Patch<Zone>,
        /// The default language for callers.
        locale: Patch<Locale>,
        /// The web site; null clears it.
        website_url: Patch<Option<WebsiteUrl>>,
        /// The opening hours of the whole week; a day that is omitted becomes closed.
        hours: Patch<WeeklyHours>,
    }
}

pub(super) async fn show(_: Context, business: Business) -> Result<One<BusinessView>, ApiError> {
    Ok(One::of(&BusinessView::from(&business.business().await?)))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<BusinessPatch>,
) -> Result<Changed<BusinessView>, ApiError> {
    context
        .change(PatchProfile(PatchBusiness {
            name: patch.name.set(),
            zone: patch.timezone.set().map(Zone::get),
            locale: patch.locale.set(),
            website_url: patch.website_url.set().map(|url| url.map(WebsiteUrl::into_string)),
            hours: patch.hours.set(),
            ..PatchBusiness::default()
        }))
        .await
}
