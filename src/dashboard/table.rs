//! All routes of the dashboard, with the access that each one needs.

use axum::http::Method;
use domain::{Right, WebhookStatus};

use super::pages::access::people::change::{self, Step};
use super::pages::access::{audit, keys, mail, notifications, people, webhooks};
use super::pages::{
    account, day, enter, forgotten, landing, password, records, settings, sign_in, unsubscribe,
};
use super::route::{Anybody, Route, Session, form, get, post};
use super::stream;

pub(super) const ROOTS: [&str; 2] = ["/", "/dashboard/"];
pub(super) const ASSETS: &str = "/dashboard/assets/{digest}/{name}";
pub(super) const REST: &str = "/dashboard/{*rest}";

/// The route table. A submitted form may be kept as a draft ([`super::drafts`]). The draft is shown on the page at the
/// form's path. If no page has this path, the draft is shown on the page at the nearest parent path.
#[rustfmt::skip]
pub(super) fn table() -> Vec<Route> {
    // At each path, GET shows a page with a form, and POST makes the change.
    let forms = [
        form("/dashboard/sign-in", Anybody, sign_in::show, sign_in::sent),
        form("/dashboard/forgotten", Anybody, forgotten::show, forgotten::sent),
        form("/dashboard/enter/{token}", Anybody, enter::show, enter::sent),
        form("/dashboard/password", Session::Restricted, password::show, password::sent),
        form("/dashboard/account", Session::Full, account::show, account::sent),
        form("/dashboard/account/sessions", Session::Full, account::sessions, account::end_others),
        form("/dashboard/b/{business_id}/appointments/new", Right::Day, day::booking::show, day::booking::sent),
        form("/dashboard/b/{business_id}/appointments/{appointment_id}/move", Right::Day, day::moving::show, day::moving::sent),
        form("/dashboard/b/{business_id}/appointments/{appointment_id}/shift", Right::Day, day::shift::show, day::shift::sent),
        form("/dashboard/b/{business_id}/calendar/block", Right::Day, day::block::show, day::block::sent),
        form("/dashboard/b/{business_id}/appointments/{appointment_id}/decline", Right::Day, day::appointment::declining, day::appointment::decline),
        form("/dashboard/b/{business_id}/appointments/{appointment_id}/cancel", Right::Day, day::appointment::cancelling, day::appointment::cancel),
        form("/dashboard/b/{business_id}/alerts", Right::Own, day::alerts::show, day::alerts::read_all),
        form("/dashboard/b/{business_id}/messages/new", Right::Day, records::by_hand::new_message, records::by_hand::add_message),
        form("/dashboard/b/{business_id}/calls/new", Right::Day, records::by_hand::new_call, records::by_hand::add_call),
        form("/dashboard/b/{business_id}/contacts/new", Right::Day, records::contact_edit::new, records::contact_edit::add).map(Route::kept),
        form("/dashboard/b/{business_id}/contacts/import", Right::Data, records::contact_import::show, records::contact_import::sent).map(Route::with_file),
        form("/dashboard/b/{business_id}/contacts/{contact_id}/edit", Right::Day, records::contact_edit::edit, records::contact_edit::save).map(Route::kept),
        form("/dashboard/b/{business_id}/contacts/{contact_id}/merge", Right::Data, records::contact_merge::ask, records::contact_merge::merge),
        form("/dashboard/b/{business_id}/contacts/{contact_id}/erase", Right::Data, records::contact_edit::ask_erase, records::contact_edit::erase),
        form("/dashboard/b/{business_id}/knowledge/new", Right::Settings, records::knowledge::new, records::knowledge::add).map(Route::kept),
        form("/dashboard/b/{business_id}/knowledge/{knowledge_id}", Right::Settings, records::knowledge::show, records::knowledge::save).map(Route::kept),
        form("/dashboard/b/{business_id}/knowledge/{knowledge_id}/delete", Right::Settings, records::knowledge::ask_delete, records::knowledge::delete),
        form("/dashboard/b/{business_id}/settings/business", Right::Settings, settings::business::show, settings::business::sent),
        form("/dashboard/b/{business_id}/settings/hours", Right::Settings, settings::hours::show, settings::hours::sent),
        form("/dashboard/b/{business_id}/settings/hours/holidays", Right::Settings, settings::holidays::show, settings::holidays::sent).map(Route::with_file),
        form("/dashboard/b/{business_id}/settings/hours/days/{date}", Right::Settings, settings::special_day::show, settings::special_day::sent),
        form("/dashboard/b/{business_id}/settings/services/new", Right::Settings, settings::service::show_new, settings::service::add),
        form("/dashboard/b/{business_id}/settings/services/start", Right::Settings, settings::start::show, settings::start::sent),
        form("/dashboard/b/{business_id}/settings/services/{service_id}", Right::Settings, settings::service::show, settings::service::sent),
        form("/dashboard/b/{business_id}/settings/services/{service_id}/delete", Right::Settings, settings::deletion::show_service, settings::deletion::service),
        form("/dashboard/b/{business_id}/settings/staff/new", Right::Settings, settings::staff_member::show_new, settings::staff_member::add),
        form("/dashboard/b/{business_id}/settings/staff/{staff_id}", Right::Settings, settings::staff_member::show, settings::staff_member::sent),
        form("/dashboard/b/{business_id}/settings/staff/{staff_id}/delete", Right::Settings, settings::deletion::show_staff, settings::deletion::staff),
        form("/dashboard/b/{business_id}/settings/website", Right::Settings, settings::website::show, settings::website::sent),
        form("/dashboard/b/{business_id}/settings/notices", Right::Settings, settings::notices::show, settings::notices::sent),
        form("/dashboard/b/{business_id}/settings/receptionist", Right::Settings, settings::receptionist::show, settings::receptionist::sent),
        form("/dashboard/b/{business_id}/settings/calendars", Right::Own, settings::calendars::feeds::show, settings::calendars::feeds::create),
        form("/dashboard/b/{business_id}/settings/calendars/connect", Right::Own, settings::calendars::connected::show, settings::calendars::connected::connect),
        form("/dashboard/b/{business_id}/settings/calendars/{calendar_id}/change", Right::Own, settings::calendars::connected::ask_change, settings::calendars::connected::change),
        form("/dashboard/b/{business_id}/settings/calendars/{calendar_id}/disconnect", Right::Own, settings::calendars::connected::ask_disconnect, settings::calendars::connected::disconnect),
        form("/dashboard/b/{business_id}/settings/calendars/feeds/{feed_id}/revoke", Right::Own, settings::calendars::feeds::ask_revoke, settings::calendars::feeds::revoke),
        form("/dashboard/b/{business_id}/settings/data", Right::Data, settings::data::show, settings::data::sent),
        form("/dashboard/b/{business_id}/settings/keys/new", Right::Integrations, keys::new, keys::create),
        form("/dashboard/b/{business_id}/settings/keys/{key_id}/revoke", Right::Integrations, keys::ask_revoke, keys::revoke),
        form("/dashboard/b/{business_id}/settings/webhooks/new", Right::Integrations, webhooks::form::new, webhooks::form::create),
        form("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/edit", Right::Integrations, webhooks::form::edit, webhooks::form::save),
        form("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/test", Right::Integrations, webhooks::delivery::test, webhooks::delivery::send),
        form("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/rotate", Right::Integrations, webhooks::actions::ask_rotate, webhooks::actions::rotate),
        form("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/delete", Right::Integrations, webhooks::actions::ask_delete, webhooks::actions::delete),
        form("/dashboard/b/{business_id}/settings/people/invite", Right::People, people::invite::show, people::invite::sent),
        form("/dashboard/b/{business_id}/settings/people/{membership_id}", Right::People, people::one::show, people::one::sent),
        form("/dashboard/b/{business_id}/settings/people/{membership_id}/disable", Right::People, |it| change::show(it, Step::Disable), |it| change::sent(it, Step::Disable)),
        form("/dashboard/b/{business_id}/settings/people/{membership_id}/enable", Right::People, |it| change::show(it, Step::Enable), |it| change::sent(it, Step::Enable)),
        form("/dashboard/b/{business_id}/settings/people/{membership_id}/remove", Right::People, |it| change::show(it, Step::Remove), |it| change::sent(it, Step::Remove)),
        form("/dashboard/b/{business_id}/settings/notifications", Right::Own, notifications::show, notifications::sent),
    ];
    // The other routes: pages without a form, and changes that a button of another page makes.
    let others = [
        post("/dashboard/sign-out", Anybody, sign_in::sign_out),
        get("/dashboard/unsubscribe/{token}", Anybody, unsubscribe::show),
        post("/dashboard/unsubscribe/{token}", Anybody, unsubscribe::sent).sent_from_anywhere(),
        get("/dashboard", Session::Full, landing::show),
        post("/dashboard/accept/{business_id}", Session::Full, landing::accept),
        post("/dashboard/decline/{business_id}", Session::Full, landing::decline),
        post("/dashboard/account/email", Session::Full, account::email),
        post("/dashboard/account/sessions/{session_id}/end", Session::Full, account::end),
        get("/dashboard/b/{business_id}/today", Right::Day, day::today::show),
        post("/dashboard/b/{business_id}/today/hide-steps", Right::Settings, day::steps::hide),
        get("/dashboard/b/{business_id}/stream", Right::Own, stream::show),
        get("/dashboard/b/{business_id}/calendar", Right::Day, day::calendar::show),
        get("/dashboard/b/{business_id}/search", Right::Day, records::search::show),
        get("/dashboard/b/{business_id}/shortcuts", Right::Own, day::shortcuts::show),
        get("/dashboard/b/{business_id}/appointments/{appointment_id}", Right::Day, day::appointment::show),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/confirm", Right::Day, day::appointment::confirm),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/notes", Right::Day, day::appointment::note),
        post("/dashboard/b/{business_id}/appointments/{appointment_id}/attendance", Right::Day, day::appointment::attend),
        post("/dashboard/b/{business_id}/alerts/{number}/read", Right::Own, day::alerts::read_one),
        get("/dashboard/b/{business_id}/messages", Right::Day, records::messages::show),
        get("/dashboard/b/{business_id}/messages/{message_id}", Right::Day, records::message::show),
        post("/dashboard/b/{business_id}/messages/{message_id}/status", Right::Day, records::message::status),
        post("/dashboard/b/{business_id}/messages/{message_id}/assign", Right::Day, records::message::assign),
        post("/dashboard/b/{business_id}/messages/{message_id}/notes", Right::Day, records::message::note),
        post("/dashboard/b/{business_id}/messages/{message_id}/snooze", Right::Day, records::message::snooze),
        get("/dashboard/b/{business_id}/calls", Right::Day, records::calls::list),
        get("/dashboard/b/{business_id}/calls/{call_id}", Right::Day, records::calls::show),
        post("/dashboard/b/{business_id}/calls/{call_id}/handled", Right::Day, records::calls::handled),
        get("/dashboard/b/{business_id}/contacts", Right::Day, records::contact::list),
        get("/dashboard/b/{business_id}/contacts/download", Right::Data, records::contact_import::contacts),
        get("/dashboard/b/{business_id}/appointments/download", Right::Data, records::contact_import::appointments),
        get("/dashboard/b/{business_id}/contacts/{contact_id}", Right::Day, records::contact::show),
        get("/dashboard/b/{business_id}/insights", Right::Data, records::insights::show),
        get("/dashboard/b/{business_id}/insights/download", Right::Data, records::insights::download),
        get("/dashboard/b/{business_id}/contacts/{contact_id}/export", Right::Data, records::contact_export::show),
        get("/dashboard/b/{business_id}/conversations", Right::Day, records::conversations::list),
        get("/dashboard/b/{business_id}/conversations/{conversation_id}", Right::Day, records::conversations::show),
        post("/dashboard/b/{business_id}/conversations/{conversation_id}/reply", Right::Day, records::conversations::reply),
        post("/dashboard/b/{business_id}/conversations/{conversation_id}/end", Right::Day, records::conversations::end),
        get("/dashboard/b/{business_id}/knowledge/gaps", Right::Settings, records::gaps::list),
        post("/dashboard/b/{business_id}/knowledge/gaps/{gap_id}/delete", Right::Settings, records::gaps::delete),
        get("/dashboard/b/{business_id}/knowledge", Right::Settings, records::knowledge::list),
        post("/dashboard/b/{business_id}/settings/hours/days", Right::Settings, settings::hours::add_day),
        post("/dashboard/b/{business_id}/settings/hours/days/{date}/remove", Right::Settings, settings::hours::remove_day),
        get("/dashboard/b/{business_id}/settings/services", Right::Settings, settings::service::list),
        get("/dashboard/b/{business_id}/settings/staff", Right::Settings, settings::staff_member::list),
        // Members may change only their own time off. The engine checks this.
        post("/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off", Right::Day, settings::staff_member::add_time_off),
        post("/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off/{time_off_id}/remove", Right::Day, settings::staff_member::remove_time_off),
        post("/dashboard/b/{business_id}/settings/notices/{notice_id}/send-again", Right::Settings, settings::notices::send_again),
        post("/dashboard/b/{business_id}/settings/calendars/connect/choose", Right::Own, settings::calendars::connected::chosen),
        get("/dashboard/b/{business_id}/settings/calendars/{calendar_id}", Right::Own, settings::calendars::one::show),
        post("/dashboard/b/{business_id}/settings/calendars/{calendar_id}/appointments/{appointment_id}/write", Right::Own, settings::calendars::one::write),
        post("/dashboard/b/{business_id}/settings/calendars/{calendar_id}/read", Right::Own, settings::calendars::connected::read),
        get("/dashboard/b/{business_id}/settings/data/export", Right::Data, settings::data::export),
        get("/dashboard/b/{business_id}/settings/keys", Right::Integrations, keys::list),
        get("/dashboard/b/{business_id}/settings/webhooks", Right::Integrations, webhooks::one::list),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}", Right::Integrations, webhooks::one::show),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/on", Right::Integrations, |it| webhooks::actions::switch(it, WebhookStatus::Enabled, "on")),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/off", Right::Integrations, |it| webhooks::actions::switch(it, WebhookStatus::Disabled, "off")),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/resend-missed", Right::Integrations, webhooks::actions::resend_missed),
        get("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}", Right::Integrations, webhooks::delivery::show),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}/resend", Right::Integrations, webhooks::actions::resend),
        post("/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}/try-now", Right::Integrations, webhooks::actions::try_now),
        get("/dashboard/b/{business_id}/settings/audit", Right::Integrations, audit::show),
        get("/dashboard/b/{business_id}/settings/people", Right::People, people::list),
        post("/dashboard/b/{business_id}/settings/notifications/test", Right::Own, notifications::test),
        get("/dashboard/b/{business_id}/settings/mail", Right::Integrations, mail::show),
        post("/dashboard/b/{business_id}/settings/mail/{mail_id}/resend", Right::Integrations, mail::resend),
    ];
    forms.into_iter().flatten().chain(others).collect()
}

/// Method, path and access of every route, for tests.
pub(crate) fn routes() -> Vec<(Method, &'static str, String)> {
    table().into_iter().map(|row| (row.method.clone(), row.path, row.access.word())).collect()
}

pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    table().into_iter().map(|row| row.path).chain(ROOTS).chain([ASSETS, REST])
}
