//! `B/services`: what can be booked.

use actors::business::commands::catalog::{CreateService, DeleteService, PatchService};
use actors::domain::{ServiceId, Text};
use actors::view::OperatorServiceView;

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
    }
}

/// No description.
fn nothing() -> Text<0, 2000> {
    Text::default()
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<ServiceBody>,
) -> Result<Created<OperatorServiceView>, ApiError> {
    context
        .change(CreateService {
            name: body.name,
            description: body.description.unwrap_or_else(nothing),
            duration_minutes: body.duration_minutes.get(),
            active: body.active.unwrap_or(true),
        })
        .await
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
) -> Result<Changed<OperatorServiceView>, ApiError> {
    context
        .change(PatchService {
            id,
            name: patch.name.set(),
            description: patch.description.set().map(|text| text.unwrap_or_else(nothing)),
            duration_minutes: patch.duration_minutes.set().map(Whole::get),
            active: patch.active.set(),
        })
        .await
}

/// Looking for what refers to it comes first, and takes as long as there is much to look through.
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
