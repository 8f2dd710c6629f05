//! `/admin/v1/export`, `B/export`: businesses as lines, while the service runs.

use actors::domain::{BusinessId, ResourceId};
use axum::body::Body;

use crate::moving::stream;
use crate::query_object;
use crate::rest::prelude::{ApiError, Business, Context, Lines, Query};

query_object! {
    /// What of a business is exported.
    pub(crate) struct ExportQuery {
        /// Whether webhook endpoints come too, with the secrets that their deliveries are signed with; false when absent.
        with_secrets: Option<bool>,
    }
}

pub(super) async fn export_all(
    context: Context,
    Query(query): Query<ExportQuery>,
) -> Result<Lines, ApiError> {
    lines(&context, None, &query)
}

pub(super) async fn export(
    context: Context,
    Query(query): Query<ExportQuery>,
    business: Business,
) -> Result<Lines, ApiError> {
    lines(&context, Some(business.id()), &query)
}

fn lines(context: &Context, one: Option<BusinessId>, query: &ExportQuery) -> Result<Lines, ApiError> {
    let export = context.engine.export(context.caller.actor, one, query.with_secrets.unwrap_or_default())?;
    tracing::info!(business.id = one.map(|id| tracing::field::display(id.uuid())), "an export begins");
    Ok(Lines(Body::from_stream(stream(export, context.engine.now()))))
}
