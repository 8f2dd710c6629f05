//! Every route of the dashboard: the one place that lists them, with who may come.

use actors::domain::Right;
use axum::http::Method;

use super::pages::access::{audit, keys, webhooks};
use super::pages::{account, day, enter, forgotten, landing, password, sessions, sign_in, unsubscribe};
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
        route(Person, GET, "/dashboard/account", account::show),
        route(Person, POST, "/dashboard/account", account::sent),
        route(Person, POST, "/dashboard/account/email", account::email),
        route(Person, GET, "/dashboard/account/sessions", sessions::show),
        route(Person, POST, "/dashboard/account/sessions", sessions::end_others),
        route(Person, POST, "/dashboard/account/sessions/{session_id}/end", sessions::end),
        // Today, the calendar and appointments.
        route(Right::Day, GET, "/dashboard/b/{business_id}/today", day::today::show),
        route(Right::Own, GET, "/dashboard/b/{business_id}/alerts", day::alerts::show),
        route(Right::Own, POST, "/dashboard/b/{business_id}/alerts", day::alerts::read_all),
        route(Right::Own, POST, "/dashboard/b/{business_id}/alerts/{number}/read", day::alerts::read_one),

        // Messages, calls, contacts and knowledge.

        // What a business sets.

        // Keys, webhooks, people, notifications and logs.
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/keys", keys::show),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/keys/new", keys::form),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/keys/new", keys::create),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/keys/{key_id}/revoke", keys::ask),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/keys/{key_id}/revoke", keys::revoke),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks", webhooks::list),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks/new", webhooks::new_form),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/new", webhooks::create),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}", webhooks::one),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/edit", webhooks::edit_form),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/edit", webhooks::save),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/test", webhooks::test_form),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/test", webhooks::test),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/on", webhooks::on),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/off", webhooks::off),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/rotate", webhooks::ask_rotate),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/rotate", webhooks::rotate),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/delete", webhooks::ask_delete),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/delete", webhooks::delete),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/resend-missed", webhooks::resend_missed),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}", webhooks::delivery),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}/resend", webhooks::resend),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/audit", audit::show),

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
