//! Every route of the public API: its method, path, scope and handler.

use std::sync::Arc;

use actors::Engine;
use actors::domain::Scope;
use axum::extract::Request;
use axum::http::Method;
use axum::{Router, middleware};

use super::gate::{Gate, gate};
use super::{appointments, availability, business, calls, catalog, contacts, knowledge, me, messages};
use crate::http::cursor::Cursors;
use crate::http::error::ApiError;
use crate::http::routes::{self, Route, route};

/// Who may call an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Any valid key, even of a suspended business.
    AnyKey,
    /// A key with this scope.
    Scope(Scope),
}

/// The table.
fn table() -> Vec<Route<Access>> {
    use Access::AnyKey;
    const READ_BUSINESS: Access = Access::Scope(Scope::BusinessRead);
    const WRITE_BUSINESS: Access = Access::Scope(Scope::BusinessWrite);
    const READ_CALLS: Access = Access::Scope(Scope::CallsRead);
    const READ_CONTACTS: Access = Access::Scope(Scope::ContactsRead);
    const WRITE_CONTACTS: Access = Access::Scope(Scope::ContactsWrite);
    const READ_MESSAGES: Access = Access::Scope(Scope::MessagesRead);
    const WRITE_KNOWLEDGE: Access = Access::Scope(Scope::KnowledgeWrite);
    const READ_APPOINTMENTS: Access = Access::Scope(Scope::AppointmentsRead);
    const WRITE_APPOINTMENTS: Access = Access::Scope(Scope::AppointmentsWrite);
    vec![
        route(Method::GET, "/v1/me", AnyKey, me::show),
        route(Method::GET, "/v1/business", READ_BUSINESS, business::show),
        route(Method::PATCH, "/v1/business", WRITE_BUSINESS, business::update),
        route(Method::GET, "/v1/services", READ_BUSINESS, catalog::services),
        route(Method::GET, "/v1/staff", READ_BUSINESS, catalog::staff),
        route(Method::GET, "/v1/availability", READ_APPOINTMENTS, availability::list),
        route(Method::GET, "/v1/appointments", READ_APPOINTMENTS, appointments::list),
        route(Method::POST, "/v1/appointments", WRITE_APPOINTMENTS, appointments::book),
        route(Method::GET, "/v1/appointments/{appointment_id}", READ_APPOINTMENTS, appointments::show),
        route(
            Method::POST,
            "/v1/appointments/{appointment_id}/cancel",
            WRITE_APPOINTMENTS,
            appointments::cancel,
        ),
        route(
            Method::POST,
            "/v1/appointments/{appointment_id}/reschedule",
            WRITE_APPOINTMENTS,
            appointments::reschedule,
        ),
        route(Method::GET, "/v1/contacts", READ_CONTACTS, contacts::list),
        route(Method::POST, "/v1/contacts", WRITE_CONTACTS, contacts::create),
        route(Method::GET, "/v1/contacts/{contact_id}", READ_CONTACTS, contacts::show),
        route(Method::PATCH, "/v1/contacts/{contact_id}", WRITE_CONTACTS, contacts::update),
        route(Method::GET, "/v1/calls", READ_CALLS, calls::list),
        route(Method::GET, "/v1/calls/{call_id}", READ_CALLS, calls::show),
        route(Method::GET, "/v1/messages", READ_MESSAGES, messages::list),
        route(Method::POST, "/v1/knowledge", WRITE_KNOWLEDGE, knowledge::create),
    ]
}

/// A row of the table, as tools and tests may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicRoute {
    /// The method.
    pub method: Method,
    /// The path, with `{…_id}` for a parameter.
    pub path: &'static str,
    /// The scope that a key needs; `None` when any valid key will do.
    pub scope: Option<Scope>,
}

/// Every route of the public API.
pub fn api_routes() -> Vec<PublicRoute> {
    let scope = |access| match access {
        Access::AnyKey => None,
        Access::Scope(scope) => Some(scope),
    };
    let shown =
        |row: Route<Access>| PublicRoute { method: row.method, path: row.path, scope: scope(row.access) };
    table().into_iter().map(shown).collect()
}

/// The router of the public API: `/v1` behind the gate.
pub(crate) fn router(engine: Engine, requests_per_minute: u32) -> Router {
    let cursors = Cursors::new(engine.secret());
    let door = Arc::new(Gate::new(engine, cursors, requests_per_minute));
    let no_such_path =
        |request: Request| async move { ApiError::NoSuchPath(request.uri().path().to_owned()) };
    routes::router(table(), &door)
        .fallback(no_such_path)
        .layer(middleware::from_fn_with_state(Arc::clone(&door), gate))
}
