//! Every route of the dashboard: the one place that lists them, with who may come.

use actors::domain::Right;
use axum::http::Method;

use super::pages::{
    account, alerts, enter, forgotten, landing, password, sessions, sign_in, today, unsubscribe,
};
use super::route::{Anybody, Person, Restricted, Route, Sending, route};

/// The paths that lead to the dashboard and are none of its pages.
pub(super) const ROOTS: [&str; 2] = ["/", "/dashboard/"];
/// Where the assets are.
pub(super) const ASSETS: &str = "/dashboard/assets/{digest}/{name}";
/// Every other path below the dashboard.
pub(super) const REST: &str = "/dashboard/{*rest}";

/// The table. A form that is kept is shown by the nearest page above the path it was sent to.
#[rustfmt::skip]
pub(super) fn table() -> Vec<Route> {
    use Sending::{FromAnywhere, HarmlessTwice};
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    vec![
        // Before anybody is known.
        route(Anybody, GET, "/dashboard/sign-in", sign_in::show),
        route(Anybody, POST, "/dashboard/sign-in", sign_in::sent).sent(HarmlessTwice),
        route(Anybody, POST, "/dashboard/sign-out", sign_in::sign_out).sent(HarmlessTwice),
        route(Anybody, GET, "/dashboard/forgotten", forgotten::show),
        route(Anybody, POST, "/dashboard/forgotten", forgotten::sent).sent(HarmlessTwice),
        route(Anybody, GET, "/dashboard/enter/{token}", enter::show),
        route(Anybody, POST, "/dashboard/enter/{token}", enter::sent).sent(HarmlessTwice),
        route(Anybody, GET, "/dashboard/unsubscribe/{token}", unsubscribe::show),
        route(Anybody, POST, "/dashboard/unsubscribe/{token}", unsubscribe::sent).sent(FromAnywhere),
        // A person's own.
        route(Restricted, GET, "/dashboard/password", password::show),
        route(Restricted, POST, "/dashboard/password", password::sent),
        route(Person, GET, "/dashboard", landing::show),
        route(Person, POST, "/dashboard/accept/{business_id}", landing::accept),
        route(Person, POST, "/dashboard/decline/{business_id}", landing::decline),
        route(Person, GET, "/dashboard/account", account::show),
        route(Person, POST, "/dashboard/account", account::sent),
        route(Person, POST, "/dashboard/account/email", account::email),
        route(Person, GET, "/dashboard/account/sessions", sessions::show),
        route(Person, POST, "/dashboard/account/sessions", sessions::end_others),
        route(Person, POST, "/dashboard/account/sessions/{session_id}/end", sessions::end),
        // A business's.
        route(Right::Day, GET, "/dashboard/b/{business_id}/today", today::show),
        route(Right::Own, GET, "/dashboard/b/{business_id}/alerts", alerts::show),
        route(Right::Own, POST, "/dashboard/b/{business_id}/alerts", alerts::read_all),
        route(Right::Own, POST, "/dashboard/b/{business_id}/alerts/{number}/read", alerts::read_one),
    ]
}

/// Method, path and access of every route, for tests that walk them.
pub(crate) fn routes() -> Vec<(Method, &'static str, String)> {
    table().into_iter().map(|row| (row.method.clone(), row.path, row.access())).collect()
}

/// Every path that is served.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    table().into_iter().map(|row| row.path).chain(ROOTS).chain([ASSETS, REST])
}
