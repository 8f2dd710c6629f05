//! Every route of the operator API.

use std::future::ready;
use std::sync::Arc;

use actors::Engine;
use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::IntoResponse;

use super::door::Operator;
use super::{appointments, audit, budget, businesses, calls, keys, messages, services, staff, webhooks};
use crate::config::AdminToken;
use crate::http::cursor::Cursors;
use crate::http::error::ApiError;
use crate::http::routes::{self, Door, Route, route};

/// The table. Whoever has the token may call all of it.
fn table() -> Vec<Route<()>> {
    macro_rules! b {
        ($path:literal) => {
            concat!("/admin/v1/businesses/{business_id}", $path)
        };
    }
    vec![
        route(Method::POST, "/admin/v1/businesses", (), businesses::create),
        route(Method::GET, "/admin/v1/businesses", (), businesses::list),
        route(Method::GET, b!(""), (), businesses::show),
        route(Method::PATCH, b!(""), (), businesses::update),
        route(Method::POST, b!("/services"), (), services::create),
        route(Method::GET, b!("/services"), (), services::list),
        route(Method::PATCH, b!("/services/{service_id}"), (), services::update),
        route(Method::POST, b!("/staff"), (), staff::create),
        route(Method::GET, b!("/staff"), (), staff::list),
        route(Method::PATCH, b!("/staff/{staff_id}"), (), staff::update),
        route(Method::POST, b!("/keys"), (), keys::create),
        route(Method::GET, b!("/keys"), (), keys::list),
        route(Method::DELETE, b!("/keys/{key_id}"), (), keys::revoke),
        route(Method::POST, b!("/appointments"), (), appointments::book),
        route(Method::POST, b!("/appointments/{appointment_id}/confirm"), (), appointments::confirm),
        route(Method::POST, b!("/appointments/{appointment_id}/decline"), (), appointments::decline),
        route(Method::POST, b!("/appointments/{appointment_id}/cancel"), (), appointments::cancel),
        route(Method::POST, b!("/appointments/{appointment_id}/reschedule"), (), appointments::reschedule),
        route(Method::POST, b!("/calls"), (), calls::create),
        route(Method::POST, b!("/messages"), (), messages::create),
        route(Method::PATCH, b!("/messages/{message_id}"), (), messages::update),
        route(Method::GET, b!("/webhooks"), (), webhooks::list),
        route(Method::GET, b!("/webhooks/{webhook_id}"), (), webhooks::show),
        route(Method::PATCH, b!("/webhooks/{webhook_id}"), (), webhooks::update),
        route(Method::GET, b!("/webhooks/{webhook_id}/deliveries"), (), webhooks::deliveries),
        route(Method::POST, b!("/webhooks/{webhook_id}/deliveries/{event_id}/resend"), (), webhooks::resend),
        route(Method::POST, b!("/webhooks/{webhook_id}/resend-missed"), (), webhooks::resend_missed),
        route(Method::POST, b!("/webhooks/{webhook_id}/rotate-secret"), (), webhooks::rotate_secret),
        route(Method::GET, b!("/budget"), (), budget::show),
        route(Method::PATCH, b!("/budget"), (), budget::update),
        route(Method::GET, b!("/audit"), (), audit::list),
    ]
}

/// Method and path of every row of it.
pub(crate) fn routes() -> impl Iterator<Item = (Method, &'static str)> {
    table().into_iter().map(|row| (row.method, row.path))
}

/// The router of the operator API, behind its token.
pub(crate) fn router(engine: Engine, token: AdminToken) -> Router {
    let cursors = Cursors::new(engine.secret());
    let operator = Operator { engine, cursors, token: Arc::new(token) };
    let fallback = operator.clone();
    // Unknown paths, too, ask for the token first.
    let no_such_path = |request: Request| async move {
        let answer = ApiError::NoSuchPath(request.uri().path().to_owned()).into_response();
        fallback.gate(request, |_, ()| ready(answer)).await
    };
    routes::router(table(), &operator).fallback(no_such_path)
}
