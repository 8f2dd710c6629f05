//! `/me`, `/business`, `/services` and `/staff` show the key, the profile with the opening hours, and the
//! catalog of services and staff.

use domain::{BusinessId, Locale, Text, WeeklyHours};
use engine::business::commands::profile::{PatchBusiness, PatchProfile};
use schemars::JsonSchema;
use serde::Serialize;
use view::{BusinessView, KeyView, ServiceView, StaffView};

use crate::http::authorization::BadCredential;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::*;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A change to the business; a property that is absent keeps its value.
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

pub(super) async fn services(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<ServiceView>, ApiError> {
    let asked = query.open(&context, business.list("services"))?;
    let found = business.services(false, &asked.page).await?;
    Ok(asked.listed_as(found, |service| ServiceView::from(&service)))
}

pub(super) async fn staff(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<StaffView>, ApiError> {
    let asked = query.open(&context, business.list("staff"))?;
    let found = business.staff(&asked.page).await?;
    Ok(asked.listed_as(found, |member| StaffView::from(&member)))
}

/// The API key of the request, and its business.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CallerIdentity {
    /// The key.
    api_key: KeyView,
    /// The business of the key.
    business: BusinessName,
}

/// The id and the name of a business.
#[derive(Debug, Serialize, JsonSchema)]
struct BusinessName {
    /// The id of the business.
    id: BusinessId,
    /// The name of the business.
    name: String,
}

/// Returns the API key and its business. The request needs no particular scope, and works even if the
/// business is suspended.
pub(super) async fn caller(context: Context) -> Result<One<CallerIdentity>, ApiError> {
    let principal = context.caller.principal.as_ref().ok_or(ApiError::NoKey(BadCredential::Missing))?;
    Ok(One::of(&CallerIdentity {
        api_key: KeyView::from(&principal.key),
        business: BusinessName { id: principal.business.id, name: principal.business.name.clone() },
    }))
}
