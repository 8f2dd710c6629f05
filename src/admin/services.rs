//! `B/services`: what can be booked.

use actors::business::commands::catalog::{CreateService, PatchService};
use actors::domain::Text;
use actors::view::OperatorServiceView;

use crate::http::call::Call;
use crate::http::query::ListQuery;
use crate::http::read::Patch;
use crate::http::routes::Handled;
use crate::http::values::Whole;
use crate::json_object;

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
    check crate::http::read::not_empty
}

/// No description.
fn nothing() -> Text<0, 2000> {
    Text::default()
}

pub(super) async fn create(mut call: Call) -> Handled {
    let body: ServiceBody = call.body().await?;
    call.change(CreateService {
        name: body.name,
        description: body.description.unwrap_or_else(nothing),
        duration_minutes: body.duration_minutes.get(),
        active: body.active.unwrap_or(true),
    })
    .await
}

pub(super) async fn list(call: Call) -> Handled {
    let query: ListQuery = call.query()?;
    let binding = call.binding("operator services")?;
    let page = call.page(query.limit.get(), query.cursor.as_ref(), &binding)?;
    let found = call.business()?.services(true, &page).await?;
    call.list(found, &binding, |service| OperatorServiceView::from(&service))
}

pub(super) async fn update(mut call: Call) -> Handled {
    let patch: ServicePatch = call.body().await?;
    let id = call.id("service_id", "service")?;
    call.change(PatchService {
        id,
        name: patch.name.set(),
        description: patch.description.set().map(|text| text.unwrap_or_else(nothing)),
        duration_minutes: patch.duration_minutes.set().map(Whole::get),
        active: patch.active.set(),
    })
    .await
}
