//! All routes of the dashboard, with the access that each one needs.

use axum::http::Method;
use domain::Right;

use super::pages::access::people::change::Step;
use super::pages::access::{audit, keys, mail, notifications, people, webhooks};
use super::pages::{
    account, day, enter, forgotten, landing, password, records, sessions, settings, sign_in, unsubscribe,
};
use super::route::{Anybody, Route, Session, get, post};
use super::stream;

pub(super) const ROOTS: [&str; 2] = ["/", "/dashboard/"];
pub(super) const ASSETS: &str = "/dashboard/assets/{digest}/{name}";
pub(super) const REST: &str = "/dashboard/{*rest}";

/// The route table. The nearest page above a form's path shows the kept form.
#[rustfmt::skip]
pub(super) fn table() -> Vec<Route> {
    vec![
        // Without a session.
        get("/dashboard/sign-in", Anybody, sign_in::show),
        post("/dashboard/sign-in", Anybody, sign_in::sent),
        post("/dashboard/sign-out", Anybody, sign_in::sign_out),
        get("/dashboard/forgotten", Anybody, forgotten::show),
        post("/dashboard/forgotten", Anybody, forgotten::sent),
        get("/dashboard/enter/{token}", Anybody, enter::show),
        post("/dashboard/enter/{token}", Anybody, enter::sent),
        get("/dashboard/unsubscribe/{token}", Anybody, unsubscribe::show),
        post("/dashboard/unsubscribe/{token}", Anybody, unsubscribe::sent).sent_from_anywhere(),
        // The person's account.
        get("/dashboard/password", Session::Restricted, password::show),
        post("/dashboard/password", Session::Restricted, password::sent),
        get("/dashboard", Session::Full, landing::show),
        post("/dashboard/accept/{business_id}", Session::Full, landing::accept),
        post("/dashboard/decline/{business_id}", Session::Full, landing::decline),
        get("/dashboard/account", Session::Full, account::show),
        post("/dashboard/account", Session::Full, account::sent),
        post("/dashboard/account/email", Session::Full, account::email),
        get("/dashboard/account/sessions", Session::Full, sessions::show),
        post("/dashboard/account/sessions", Session::Full, sessions::end_others),
        post("/dashboard/account/sessions/{session_id}/end", Session::Full, sessions::end),
        // Today, calendar and appointments.
        get("/dashboard/b/{business_id}/today", Right::Day, day::today::show),
        get("/dashboard/b/{business_id}/stream", Right::Own, stream::show),
        get("/dashboard/b/{business_id}/calendar", Right::Day, day::calendar::show),
        get("/dashboard/b/{business_id}/appointments/new", Right::Day, day::booking::show),
        post("/dashboard/b/{business_id}/appointments/new", Right::Day, day::booking::sent),
        get("/dashboard/b/{business_id}/appointments/{appointment_id}", Right::Day, day::appointment::show),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/confirm", Right::Day, day::appointment::confirm),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/notes", Right::Day, day::appointment::note),
        get("/dashboard/b/{business_id}/appointments/{appointment_id}/move", Right::Day, day::moving::show),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/move", Right::Day, day::moving::sent),
        get("/dashboard/b/{business_id}/appointments/{appointment_id}/decline", Right::Day, day::ending::declining),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/decline", Right::Day, day::ending::decline),
        get("/dashboard/b/{business_id}/appointments/{appointment_id}/cancel", Right::Day, day::ending::cancelling),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/cancel", Right::Day, day::ending::cancel),
        get("/dashboard/b/{business_id}/alerts", Right::Own, day::alerts::show),
        post("/dashboard/b/{business_id}/alerts", Right::Own, day::alerts::read_all),
        post("/dashboard/b/{business_id}/alerts/{number}/read", Right::Own, day::alerts::read_one),

        get("/dashboard/b/{business_id}/messages", Right::Day, records::messages::show),
        get("/dashboard/b/{business_id}/messages/{message_id}", Right::Day, records::message::show),
        post("/dashboard/b/{business_id}/messages/{message_id}/status", Right::Day, records::message::status),
        post("/dashboard/b/{business_id}/messages/{message_id}/assign", Right::Day, records::message::assign),
        get("/dashboard/b/{business_id}/calls", Right::Day, records::calls::list),
        get("/dashboard/b/{business_id}/calls/{call_id}", Right::Day, records::calls::show),
        get("/dashboard/b/{business_id}/contacts", Right::Day, records::contact::list),
        get("/dashboard/b/{business_id}/contacts/new", Right::Day, records::contact_edit::new),
        post("/dashboard/b/{business_id}/contacts/new", Right::Day, records::contact_edit::add).kept(),
        get("/dashboard/b/{business_id}/contacts/{contact_id}", Right::Day, records::contact::show),
        get("/dashboard/b/{business_id}/contacts/{contact_id}/edit", Right::Day, records::contact_edit::edit),
        post("/dashboard/b/{business_id}/contacts/{contact_id}/edit", Right::Day, records::contact_edit::save).kept(),
        get("/dashboard/b/{business_id}/contacts/{contact_id}/export", Right::Data, records::contact_export::show),
        get("/dashboard/b/{business_id}/contacts/{contact_id}/erase", Right::Data, records::contact_erase::show),
        post("/dashboard/b/{business_id}/contacts/{contact_id}/erase", Right::Data, records::contact_erase::sent),
        get("/dashboard/b/{business_id}/knowledge", Right::Settings, records::knowledge::list),
        get("/dashboard/b/{business_id}/knowledge/new", Right::Settings, records::knowledge::new),
        post("/dashboard/b/{business_id}/knowledge/new", Right::Settings, records::knowledge::add).kept(),
        get("/dashboard/b/{business_id}/knowledge/{knowledge_id}", Right::Settings, records::knowledge::show),
        post("/dashboard/b/{business_id}/knowledge/{knowledge_id}", Right::Settings, records::knowledge::save).kept(),
        get("/dashboard/b/{business_id}/knowledge/{knowledge_id}/delete", Right::Settings, records::knowledge::ask_delete),
        post("/dashboard/b/{business_id}/knowledge/{knowledge_id}/delete", Right::Settings, records::knowledge::delete),

        // Settings of the business.
        get("/dashboard/b/{business_id}/settings/business", Right::Settings, settings::business::show),
        post("/dashboard/b/{business_id}/settings/business", Right::Settings, settings::business::sent),
        get("/dashboard/b/{business_id}/settings/hours", Right::Settings, settings::hours::show),
        post("/dashboard/b/{business_id}/settings/hours", Right::Settings, settings::hours::sent),
        post("/dashboard/b/{business_id}/settings/hours/days", Right::Settings, settings::hours::add_day),
        get("/dashboard/b/{business_id}/settings/hours/days/{date}", Right::Settings, settings::special_day::show),
        post("/dashboard/b/{business_id}/settings/hours/days/{date}", Right::Settings, settings::special_day::sent),
        post("/dashboard/b/{business_id}/settings/hours/days/{date}/remove", Right::Settings, settings::hours::remove_day),
        get("/dashboard/b/{business_id}/settings/services", Right::Settings, settings::service::list),
        get("/dashboard/b/{business_id}/settings/services/new", Right::Settings, settings::service::show_new),
        post("/dashboard/b/{business_id}/settings/services/new", Right::Settings, settings::service::add),
        get("/dashboard/b/{business_id}/settings/services/{service_id}", Right::Settings, settings::service::show),
        post("/dashboard/b/{business_id}/settings/services/{service_id}", Right::Settings, settings::service::sent),
        get("/dashboard/b/{business_id}/settings/services/{service_id}/delete", Right::Settings, settings::deletion::show_service),
        post("/dashboard/b/{business_id}/settings/services/{service_id}/delete", Right::Settings, settings::deletion::service),
        get("/dashboard/b/{business_id}/settings/staff", Right::Settings, settings::staff_member::list),
        get("/dashboard/b/{business_id}/settings/staff/new", Right::Settings, settings::staff_member::show_new),
        post("/dashboard/b/{business_id}/settings/staff/new", Right::Settings, settings::staff_member::add),
        get("/dashboard/b/{business_id}/settings/staff/{staff_id}", Right::Settings, settings::staff_member::show),
        post("/dashboard/b/{business_id}/settings/staff/{staff_id}", Right::Settings, settings::staff_member::sent),
        // The change checks whose time off it is, since members may change their own.
        post("/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off", Right::Day, settings::staff_member::add_time_off),
        post("/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off/{time_off_id}/remove", Right::Day, settings::staff_member::remove_time_off),
        get("/dashboard/b/{business_id}/settings/staff/{staff_id}/delete", Right::Settings, settings::deletion::show_staff),
        post("/dashboard/b/{business_id}/settings/staff/{staff_id}/delete", Right::Settings, settings::deletion::staff),
        get("/dashboard/b/{business_id}/settings/data", Right::Data, settings::data::show),
        post("/dashboard/b/{business_id}/settings/data", Right::Data, settings::data::sent),
        get("/dashboard/b/{business_id}/settings/data/export", Right::Data, settings::data::export),

        // Keys and webhooks.
        get("/dashboard/b/{business_id}/settings/keys", Right::Integrations, keys::list),
        get("/dashboard/b/{business_id}/settings/keys/new", Right::Integrations, keys::new),
        post("/dashboard/b/{business_id}/settings/keys/new", Right::Integrations, keys::create),
        get("/dashboard/b/{business_id}/settings/keys/{key_id}/revoke", Right::Integrations, keys::ask_revoke),
        post("/dashboard/b/{business_id}/settings/keys/{key_id}/revoke", Right::Integrations, keys::revoke),
        get("/dashboard/b/{business_id}/settings/webhooks", Right::Integrations, webhooks::one::list),
        get("/dashboard/b/{business_id}/settings/webhooks/new", Right::Integrations, webhooks::form::new),
        post("/dashboard/b/{business_id}/settings/webhooks/new", Right::Integrations, webhooks::form::create),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}", Right::Integrations, webhooks::one::show),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/edit", Right::Integrations, webhooks::form::edit),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/edit", Right::Integrations, webhooks::form::save),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/test", Right::Integrations, webhooks::delivery::test),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/test", Right::Integrations, webhooks::delivery::send),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/on", Right::Integrations, webhooks::actions::on),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/off", Right::Integrations, webhooks::actions::off),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/rotate", Right::Integrations, webhooks::actions::ask_rotate),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/rotate", Right::Integrations, webhooks::actions::rotate),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/delete", Right::Integrations, webhooks::actions::ask_delete),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/delete", Right::Integrations, webhooks::actions::delete),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/resend-missed", Right::Integrations, webhooks::actions::resend_missed),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}", Right::Integrations, webhooks::delivery::show),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}/resend", Right::Integrations, webhooks::actions::resend),
        get("/dashboard/b/{business_id}/settings/audit", Right::Integrations, audit::show),

        // People, notifications and logs.
        get("/dashboard/b/{business_id}/settings/people", Right::People, people::list),
        get("/dashboard/b/{business_id}/settings/people/invite", Right::People, people::invite::show),
        post("/dashboard/b/{business_id}/settings/people/invite", Right::People, people::invite::sent),
        get("/dashboard/b/{business_id}/settings/people/{membership_id}", Right::People, people::one::show),
        post("/dashboard/b/{business_id}/settings/people/{membership_id}", Right::People, people::one::sent),
        get("/dashboard/b/{business_id}/settings/people/{membership_id}/disable", Right::People, |it| people::change::show(it, Step::Disable)),
        post("/dashboard/b/{business_id}/settings/people/{membership_id}/disable", Right::People, |it| people::change::sent(it, Step::Disable)),
        get("/dashboard/b/{business_id}/settings/people/{membership_id}/enable", Right::People, |it| people::change::show(it, Step::Enable)),
        post("/dashboard/b/{business_id}/settings/people/{membership_id}/enable", Right::People, |it| people::change::sent(it, Step::Enable)),
        get("/dashboard/b/{business_id}/settings/people/{membership_id}/remove", Right::People, |it| people::change::show(it, Step::Remove)),
        post("/dashboard/b/{business_id}/settings/people/{membership_id}/remove", Right::People, |it| people::change::sent(it, Step::Remove)),
        get("/dashboard/b/{business_id}/settings/notifications", Right::Own, notifications::show),
        post("/dashboard/b/{business_id}/settings/notifications", Right::Own, notifications::sent),
        post("/dashboard/b/{business_id}/settings/notifications/test", Right::Own, notifications::test),
        get("/dashboard/b/{business_id}/settings/mail", Right::Integrations, mail::show),
        post("/dashboard/b/{business_id}/settings/mail/{mail_id}/resend", Right::Integrations, mail::resend),
    ]
}

/// Method, path and access of every route, for tests.
pub(crate) fn routes() -> Vec<(Method, &'static str, String)> {
    table().into_iter().map(|row| (row.method.clone(), row.path, row.access.word())).collect()
}

pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    table().into_iter().map(|row| row.path).chain(ROOTS).chain([ASSETS, REST])
}
