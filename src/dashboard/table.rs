//! Every route of the dashboard: the one place that lists them, with who may come.

use actors::domain::Right;
use axum::http::Method;

use super::pages::{
    account, alerts, enter, forgotten, landing, password, sessions, sign_in, today, unsubscribe,
};
use super::route::{Route, Sending, anybody, member, person, restricted};

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
        anybody(GET, "/dashboard/sign-in", sign_in::show),
        anybody(POST, "/dashboard/sign-in", sign_in::sent).sent(HarmlessTwice),
        anybody(POST, "/dashboard/sign-out", sign_in::sign_out).sent(HarmlessTwice),
        anybody(GET, "/dashboard/forgotten", forgotten::show),
        anybody(POST, "/dashboard/forgotten", forgotten::sent).sent(HarmlessTwice),
        anybody(GET, "/dashboard/enter/{token}", enter::show),
        anybody(POST, "/dashboard/enter/{token}", enter::sent).sent(HarmlessTwice),
        anybody(GET, "/dashboard/unsubscribe/{token}", unsubscribe::show),
        anybody(POST, "/dashboard/unsubscribe/{token}", unsubscribe::sent).sent(FromAnywhere),
        // A person's own.
        restricted(GET, "/dashboard/password", password::show),
        restricted(POST, "/dashboard/password", password::sent),
        person(GET, "/dashboard", landing::show),
        person(POST, "/dashboard/accept/{business_id}", landing::accept),
        person(GET, "/dashboard/account", account::show),
        person(POST, "/dashboard/account", account::sent),
        person(POST, "/dashboard/account/email", account::email),
        person(GET, "/dashboard/account/sessions", sessions::show),
        person(POST, "/dashboard/account/sessions", sessions::end_others),
        person(POST, "/dashboard/account/sessions/{session_id}/end", sessions::end),
        // A business's.
        member(GET, "/dashboard/b/{business_id}/today", Right::Day, today::show),
        member(GET, "/dashboard/b/{business_id}/alerts", Right::Own, alerts::show),
        member(POST, "/dashboard/b/{business_id}/alerts", Right::Own, alerts::read_all),
        member(POST, "/dashboard/b/{business_id}/alerts/{number}/read", Right::Own, alerts::read_one),
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
