//! Every route of the dashboard: the one place that lists them, with who may come.

use actors::domain::Right;
use axum::http::Method;

use super::pages::access::people::change::Step;
use super::pages::access::{audit, keys, mail, notifications, people, webhooks};
use super::pages::{
    account, day, enter, forgotten, landing, password, records, sessions, settings, sign_in, unsubscribe,
};
use super::route::{Anybody, Person, Restricted, Route, route};
use super::stream;

/// The paths that lead to the dashboard and are none of its pages.
pub(super) const ROOTS: [&str; 2] = ["/", "/dashboard/"];
/// Where the assets are.
pub(super) const ASSETS: &str = "/dashboard/assets/{digest}/{name}";
/// Every other path below the dashboard.
pub(super) const REST: &str = "/dashboard/{*rest}";

/// The table. A form that is kept is shown by the nearest page above the path it was sent to.
#[rustfmt::skip]
pub(super) fn table() -> Vec<Route> {
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    vec![
        // Before anybody is known.
        route(Anybody, GET, "/dashboard/sign-in", sign_in::show),
        route(Anybody, POST, "/dashboard/sign-in", sign_in::sent),
        route(Anybody, POST, "/dashboard/sign-out", sign_in::sign_out),
        route(Anybody, GET, "/dashboard/forgotten", forgotten::show),
        route(Anybody, POST, "/dashboard/forgotten", forgotten::sent),
        route(Anybody, GET, "/dashboard/enter/{token}", enter::show),
        route(Anybody, POST, "/dashboard/enter/{token}", enter::sent),
        route(Anybody, GET, "/dashboard/unsubscribe/{token}", unsubscribe::show),
        route(Anybody, POST, "/dashboard/unsubscribe/{token}", unsubscribe::sent).sent_from_anywhere(),
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
        // Today, the calendar and appointments.
        route(Right::Day, GET, "/dashboard/b/{business_id}/today", day::today::show),
        route(Right::Own, GET, "/dashboard/b/{business_id}/stream", stream::show),
        route(Right::Day, GET, "/dashboard/b/{business_id}/calendar", day::calendar::show),
        route(Right::Day, GET, "/dashboard/b/{business_id}/appointments/new", day::booking::show),
        route(Right::Day, POST, "/dashboard/b/{business_id}/appointments/new", day::booking::sent),
        route(Right::Day, GET, "/dashboard/b/{business_id}/appointments/{appointment_id}", day::appointment::show),
        route(Right::Day, POST, "/dashboard/b/{business_id}/appointments/{appointment_id}/confirm", day::appointment::confirm),
        route(Right::Day, POST, "/dashboard/b/{business_id}/appointments/{appointment_id}/notes", day::appointment::note),
        route(Right::Day, GET, "/dashboard/b/{business_id}/appointments/{appointment_id}/move", day::moving::show),
        route(Right::Day, POST, "/dashboard/b/{business_id}/appointments/{appointment_id}/move", day::moving::sent),
        route(Right::Day, GET, "/dashboard/b/{business_id}/appointments/{appointment_id}/decline", day::ending::declining),
        route(Right::Day, POST, "/dashboard/b/{business_id}/appointments/{appointment_id}/decline", day::ending::decline),
        route(Right::Day, GET, "/dashboard/b/{business_id}/appointments/{appointment_id}/cancel", day::ending::cancelling),
        route(Right::Day, POST, "/dashboard/b/{business_id}/appointments/{appointment_id}/cancel", day::ending::cancel),
        route(Right::Own, GET, "/dashboard/b/{business_id}/alerts", day::alerts::show),
        route(Right::Own, POST, "/dashboard/b/{business_id}/alerts", day::alerts::read_all),
        route(Right::Own, POST, "/dashboard/b/{business_id}/alerts/{number}/read", day::alerts::read_one),

        // Messages, calls, contacts and knowledge.
        route(Right::Day, GET, "/dashboard/b/{business_id}/messages", records::messages::show),
        route(Right::Day, GET, "/dashboard/b/{business_id}/messages/{message_id}", records::message::show),
        route(Right::Day, POST, "/dashboard/b/{business_id}/messages/{message_id}/status", records::message::status),
        route(Right::Day, POST, "/dashboard/b/{business_id}/messages/{message_id}/assign", records::message::assign),
        route(Right::Day, GET, "/dashboard/b/{business_id}/calls", records::calls::show),
        route(Right::Day, GET, "/dashboard/b/{business_id}/calls/{call_id}", records::call::show),
        route(Right::Day, GET, "/dashboard/b/{business_id}/contacts", records::contacts::show),
        route(Right::Day, GET, "/dashboard/b/{business_id}/contacts/new", records::contact_edit::new),
        route(Right::Day, POST, "/dashboard/b/{business_id}/contacts/new", records::contact_edit::add).kept(),
        route(Right::Day, GET, "/dashboard/b/{business_id}/contacts/{contact_id}", records::contact::show),
        route(Right::Day, GET, "/dashboard/b/{business_id}/contacts/{contact_id}/edit", records::contact_edit::edit),
        route(Right::Day, POST, "/dashboard/b/{business_id}/contacts/{contact_id}/edit", records::contact_edit::save).kept(),
        route(Right::Data, GET, "/dashboard/b/{business_id}/contacts/{contact_id}/export", records::contact_export::show),
        route(Right::Data, GET, "/dashboard/b/{business_id}/contacts/{contact_id}/erase", records::contact_erase::show),
        route(Right::Data, POST, "/dashboard/b/{business_id}/contacts/{contact_id}/erase", records::contact_erase::sent),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/knowledge", records::knowledge::show),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/knowledge/new", records::knowledge_edit::new),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/knowledge/new", records::knowledge_edit::add).kept(),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/knowledge/{knowledge_id}", records::knowledge_edit::show),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/knowledge/{knowledge_id}", records::knowledge_edit::save).kept(),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/knowledge/{knowledge_id}/delete", records::knowledge_delete::show),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/knowledge/{knowledge_id}/delete", records::knowledge_delete::sent),

        // What a business sets.
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/business", settings::business::show),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/business", settings::business::sent),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/hours", settings::hours::show),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/hours", settings::hours::sent),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/hours/days", settings::hours::add_day),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/hours/days/{date}", settings::special_day::show),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/hours/days/{date}", settings::special_day::sent),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/hours/days/{date}/remove", settings::hours::remove_day),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/services", settings::services::show),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/services/new", settings::service::show_new),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/services/new", settings::service::add),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/services/{service_id}", settings::service::show),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/services/{service_id}", settings::service::sent),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/services/{service_id}/delete", settings::deletion::show_service),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/services/{service_id}/delete", settings::deletion::service),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/staff", settings::staff::show),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/staff/new", settings::staff_member::show_new),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/staff/new", settings::staff_member::add),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/staff/{staff_id}", settings::staff_member::show),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/staff/{staff_id}", settings::staff_member::sent),
        // Whose time off it is, is looked at where it is decided: members change their own.
        route(Right::Day, POST, "/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off", settings::staff_member::add_time_off),
        route(Right::Day, POST, "/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off/{time_off_id}/remove", settings::staff_member::remove_time_off),
        route(Right::Settings, GET, "/dashboard/b/{business_id}/settings/staff/{staff_id}/delete", settings::deletion::show_staff),
        route(Right::Settings, POST, "/dashboard/b/{business_id}/settings/staff/{staff_id}/delete", settings::deletion::staff),
        route(Right::Data, GET, "/dashboard/b/{business_id}/settings/data", settings::data::show),
        route(Right::Data, POST, "/dashboard/b/{business_id}/settings/data", settings::data::sent),
        route(Right::Data, GET, "/dashboard/b/{business_id}/settings/data/export", settings::data::export),

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

        // People, notifications, mail.
        route(Right::People, GET, "/dashboard/b/{business_id}/settings/people", people::list::show),
        route(Right::People, GET, "/dashboard/b/{business_id}/settings/people/invite", people::invite::show),
        route(Right::People, POST, "/dashboard/b/{business_id}/settings/people/invite", people::invite::sent),
        route(Right::People, GET, "/dashboard/b/{business_id}/settings/people/{membership_id}", people::one::show),
        route(Right::People, POST, "/dashboard/b/{business_id}/settings/people/{membership_id}", people::one::sent),
        route(Right::People, GET, "/dashboard/b/{business_id}/settings/people/{membership_id}/disable", |it| people::change::show(it, Step::Disable)),
        route(Right::People, POST, "/dashboard/b/{business_id}/settings/people/{membership_id}/disable", |it| people::change::sent(it, Step::Disable)),
        route(Right::People, GET, "/dashboard/b/{business_id}/settings/people/{membership_id}/enable", |it| people::change::show(it, Step::Enable)),
        route(Right::People, POST, "/dashboard/b/{business_id}/settings/people/{membership_id}/enable", |it| people::change::sent(it, Step::Enable)),
        route(Right::People, GET, "/dashboard/b/{business_id}/settings/people/{membership_id}/remove", |it| people::change::show(it, Step::Remove)),
        route(Right::People, POST, "/dashboard/b/{business_id}/settings/people/{membership_id}/remove", |it| people::change::sent(it, Step::Remove)),
        route(Right::Own, GET, "/dashboard/b/{business_id}/settings/notifications", notifications::show),
        route(Right::Own, POST, "/dashboard/b/{business_id}/settings/notifications", notifications::sent),
        route(Right::Own, POST, "/dashboard/b/{business_id}/settings/notifications/test", notifications::test),
        route(Right::Integrations, GET, "/dashboard/b/{business_id}/settings/mail", mail::show),
        route(Right::Integrations, POST, "/dashboard/b/{business_id}/settings/mail/{mail_id}/resend", mail::resend),
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
