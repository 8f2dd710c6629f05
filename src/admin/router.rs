//! The routes of the operator API: method, path, handler, and text of the API document.

use std::future::ready;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware;
use axum::response::IntoResponse;
use engine::Engine;
use view::{OperatorAppointmentView, OperatorContactView};

use super::gate::{Token, TokenGate};
use super::hosts::AdminHosts;
use super::{
    appointments, audit, backup, budget, businesses, calls, contacts, diary, keys, knowledge, mail, messages,
    moving, people, retention, services, staff, webhooks,
};
use crate::api;
use crate::config::AdminToken;
use crate::metrics::Metrics;
use crate::rest::error::{ApiError, Code};
use crate::rest::route::{Route, delete, get, patch, post, put};
use crate::rest::router::{self, Gate};

/// The refusals of a time for the team.
const TEAM_MOVE: &[Code] = &[Code::SlotUnavailable];
/// `Conflict` is the limit on stored appointments.
const TEAM_BOOKING: &[Code] = &[Code::SlotUnavailable, Code::Conflict];
/// A limit on stored rows, or another state.
const CONFLICT: &[Code] = &[Code::Conflict];

/// The router and the API document use this table.
#[rustfmt::skip] // one row, one paragraph
pub(crate) fn table() -> Vec<Route<Token>> {
    macro_rules! b {
        ($path:literal) => {
            concat!("/admin/v1/businesses/{business_id}", $path)
        };
    }
    vec![
        post("/admin/v1/businesses", Token, businesses::create)
            .named("createBusiness", "Create a business"),
        get("/admin/v1/businesses", Token, businesses::list)
            .named("listBusinesses", "List the businesses")
            .details("Ordered by creation."),
        get(b!(""), Token, businesses::show)
            .named("getBusiness", "Get a business"),
        patch(b!(""), Token, businesses::update)
            .named("updateBusiness", "Change a business, suspend it or let it in again")
            .details("What is left out stays. `hours` replaces the whole week, and `breaks` all of its breaks. Appointments stay, and those that this leaves outside are told."),
        delete(b!(""), Token, businesses::end)
            .named("endBusiness", "End a business for good")
            .details("Its keys let nobody in and it is found no more with the answer; its rows go in steps behind that. Nothing brings it back."),
        post(b!("/services"), Token, services::create)
            .named("createService", "Add a service")
            .refuses(CONFLICT),
        get(b!("/services"), Token, services::list)
            .named("listServices", "List the services, inactive ones included")
            .details("Ordered by creation."),
        patch(b!("/services/{service_id}"), Token, services::update)
            .named("updateService", "Change a service")
            .details("What is left out stays. Appointments keep the duration and the buffers they were booked with."),
        delete(b!("/services/{service_id}"), Token, services::delete)
            .named("deleteService", "Delete a service that nothing refers to")
            .details("One that an appointment was ever booked for, or that a staff member offers, can be made inactive instead.")
            .refuses(CONFLICT),
        post(b!("/staff"), Token, staff::create)
            .named("createStaffMember", "Add a staff member")
            .refuses(CONFLICT),
        get(b!("/staff"), Token, staff::list)
            .named("listStaff", "List the staff members, inactive ones included")
            .details("Ordered by creation."),
        patch(b!("/staff/{staff_id}"), Token, staff::update)
            .named("updateStaffMember", "Change a staff member")
            .details("What is left out stays. `service_ids` and `hours` replace all of them. Appointments stay, and those that this leaves outside are told."),
        delete(b!("/staff/{staff_id}"), Token, staff::delete)
            .named("deleteStaffMember", "Delete a staff member that nothing refers to")
            .details("One with whom an appointment was ever booked, or for whom a message is, can be made inactive instead.")
            .refuses(CONFLICT),
        post(b!("/keys"), Token, keys::create)
            .named("createKey", "Create an API key")
            .details("The answer is the only one that carries the `key`.")
            .refuses(CONFLICT),
        get(b!("/keys"), Token, keys::list)
            .named("listKeys", "List the API keys, revoked ones included")
            .details("Ordered by creation. Keys are not shown whole."),
        delete(b!("/keys/{key_id}"), Token, keys::revoke)
            .named("revokeKey", "Revoke an API key"),
        get(b!("/special-days"), Token, diary::special_days)
            .named("listSpecialDays", "List the dates on which a business has other hours than those of the week")
            .details("Ordered by date."),
        put(b!("/special-days/{date}"), Token, diary::set_special_day)
            .named("setSpecialDay", "Say when a business is open on a date")
            .details("In place of the windows that the week opens on it, and of what was said before. A window that runs over midnight from the day before stays, and so do breaks. A business keeps at most 1,000 special days. `affected` tells which appointments to come on that date lie outside of when they could be booked, be it by this change or an earlier one: the same change again is answered so again.")
            .refuses(CONFLICT),
        delete(b!("/special-days/{date}"), Token, diary::delete_special_day)
            .named("deleteSpecialDay", "Have a date be as the week says again")
            .conditional()
            .details("`affected` tells which appointments to come on that date lie outside then.")
            .refuses(CONFLICT),
        post(b!("/staff/{staff_id}/time-off"), Token, diary::add_time_off)
            .named("addTimeOff", "Give a staff member time off")
            .details("From `starts_at` to `ends_at`, or on the whole days `from` to `to`. At most 1,000 of a staff member are kept, and 10,000 of a business; where there are as many, the one that ended first is deleted to make room. Whole days are those of the business's time zone as it is now: when that changes, time off stays at its instants.")
            .refuses(CONFLICT),
        get(b!("/staff/{staff_id}/time-off"), Token, diary::times_off)
            .named("listTimeOff", "List what a staff member has off")
            .details("Ordered by start."),
        delete(b!("/staff/{staff_id}/time-off/{time_off_id}"), Token, diary::delete_time_off)
            .named("deleteTimeOff", "Take time off back")
            .conditional()
            .refuses(CONFLICT),
        post(b!("/people"), Token, people::create)
            .named("addPerson", "Add a person to the business's people")
            .details("Their account is made if there is none of this address. `link` is where they choose a password: null where the account has one, or people reach the service nowhere. An account whose address is not confirmed loses its password, sessions and links first.")
            .refuses(CONFLICT),
        get(b!("/people"), Token, people::list)
            .named("listPeople", "List the business's people")
            .details("Ordered by the creation of their accounts."),
        get(b!("/people/{person_id}"), Token, people::show)
            .named("getPerson", "Get a person"),
        patch(b!("/people/{person_id}"), Token, people::update)
            .named("updatePerson", "Change what a person is, or whether they come in")
            .details("What is left out stays. `name` is that of the account, whatever business it belongs to.")
            .refuses(CONFLICT),
        delete(b!("/people/{person_id}"), Token, people::remove)
            .named("removePerson", "Take a person's membership away")
            .details("From their sessions the business is gone at once. The last owner can be removed, too."),
        post(b!("/people/{person_id}/link"), Token, people::link)
            .named("createSignInLink", "Make a link for a person to sign in or choose a password with")
            .details("It can be used once, and voids every earlier one. The answer is the only one that carries the `link`.")
            .refuses(CONFLICT),
        get(b!("/people/{person_id}/notifications"), Token, people::notifications)
            .named("getNotifications", "Get how a person is alerted"),
        patch(b!("/people/{person_id}/notifications"), Token, people::notify)
            .named("updateNotifications", "Change how a person is alerted")
            .details("What is left out stays."),
        get(b!("/availability"), Token, diary::availability)
            .named("listAvailability", "List the times at which the team can book a service")
            .details("In every booking mode, and whatever notice and advance the service asks of customers."),
        get(b!("/appointments"), Token, api::appointments::list::<OperatorAppointmentView>)
            .named("listAppointments", "List appointments")
            .details("Ordered by start; with `updated_since` by their last change."),
        get(b!("/appointments/{appointment_id}"), Token, api::appointments::show::<OperatorAppointmentView>)
            .named("getAppointment", "Get an appointment"),
        patch(b!("/appointments/{appointment_id}"), Token, appointments::update)
            .named("updateAppointment", "Change what the team notes of an appointment")
            .details("What is left out stays. Integrations see no change: `updated_at` stays, and no event is sent."),
        post(b!("/appointments"), Token, appointments::book)
            .named("bookAppointment", "Book an appointment as the team")
            .details("For exactly one of `contact_id` and `contact`. It is confirmed in every booking mode, and neither notice nor advance bind it; with `ignore_buffers` nor does what appointments keep free around them.")
            .refuses(TEAM_BOOKING),
        post(b!("/appointments/{appointment_id}/confirm"), Token, appointments::confirm)
            .named("confirmAppointment", "Confirm an appointment that waits for the team")
            .details("One that is confirmed already is returned unchanged."),
        post(b!("/appointments/{appointment_id}/decline"), Token, appointments::decline)
            .named("declineAppointment", "Decline an appointment that waits for the team")
            .details("One that is declined already is returned unchanged."),
        post(b!("/appointments/{appointment_id}/cancel"), Token, appointments::cancel)
            .named("cancelAppointment", "Cancel an appointment")
            .details("One that is cancelled or declined already is returned unchanged."),
        post(b!("/appointments/{appointment_id}/reschedule"), Token, appointments::reschedule)
            .named("rescheduleAppointment", "Move an appointment to another time as the team")
            .details("It is confirmed in every booking mode; `ignore_buffers` as for booking.")
            .refuses(TEAM_MOVE),
        get(b!("/contacts"), Token, api::contacts::list::<OperatorContactView>)
            .named("listContacts", "List contacts")
            .details("Newest first; with `updated_since` by their last change."),
        post(b!("/contacts"), Token, contacts::create)
            .named("createContact", "Create a contact")
            .refuses(CONFLICT),
        get(b!("/contacts/{contact_id}"), Token, api::contacts::show::<OperatorContactView>)
            .named("getContact", "Get a contact"),
        patch(b!("/contacts/{contact_id}"), Token, contacts::update)
            .named("updateContact", "Change a contact")
            .details("What is left out stays, null clears. A name, a phone or an email must remain.")
            .refuses(CONFLICT),
        delete(b!("/contacts/{contact_id}"), Token, contacts::erase)
            .named("eraseContact", "Erase a person")
            .details("The contact is gone with the answer. Calls, messages and appointments keep their ids and times and lose names, numbers and text, in steps behind the answer; so do the audit log, remembered answers, and what receivers of webhooks answered. Events that wait are sent as they were, for 24 hours at most, and are wiped then. Nothing brings it back."),
        get(b!("/calls"), Token, api::calls::list)
            .named("listCalls", "List calls")
            .details("Newest first; with `updated_since` by their last change."),
        get(b!("/calls/{call_id}"), Token, api::calls::show)
            .named("getCall", "Get a call"),
        post(b!("/calls"), Token, calls::create)
            .named("recordCall", "Save a call that has ended")
            .refuses(CONFLICT),
        get(b!("/messages"), Token, api::messages::list)
            .named("listMessages", "List messages")
            .details("Newest first; with `updated_since` by their last change."),
        post(b!("/messages"), Token, messages::create)
            .named("takeMessage", "Take a message for the team")
            .refuses(CONFLICT),
        patch(b!("/messages/{message_id}"), Token, messages::update)
            .named("updateMessage", "Say how far the team is with a message, or for whom it is"),
        get(b!("/knowledge"), Token, knowledge::list)
            .named("listKnowledge", "List what the receptionist knows")
            .details("Ordered by creation."),
        post(b!("/knowledge"), Token, api::knowledge::create)
            .named("addKnowledge", "Add to what the receptionist knows")
            .refuses(CONFLICT),
        get(b!("/knowledge/{knowledge_id}"), Token, knowledge::show)
            .named("getKnowledge", "Get a piece of what the receptionist knows"),
        patch(b!("/knowledge/{knowledge_id}"), Token, knowledge::update)
            .named("updateKnowledge", "Change a piece of what the receptionist knows")
            .details("What is left out stays.")
            .refuses(CONFLICT),
        delete(b!("/knowledge/{knowledge_id}"), Token, knowledge::delete)
            .named("deleteKnowledge", "Remove a piece of what the receptionist knows"),
        post(b!("/webhooks"), Token, webhooks::create)
            .named("createWebhook", "Subscribe an endpoint to events")
            .details("The answer is the only one that carries the `secret`; given again under its `Idempotency-Key`, it carries null.")
            .refuses(CONFLICT),
        delete(b!("/webhooks/{webhook_id}"), Token, api::webhooks::delete)
            .named("deleteWebhook", "Remove a webhook endpoint")
            .details("What waits for it is never sent."),
        get(b!("/webhooks"), Token, webhooks::list)
            .named("listWebhooks", "List the webhook endpoints")
            .details("Ordered by creation. Secrets are not shown."),
        get(b!("/webhooks/{webhook_id}"), Token, webhooks::show)
            .named("getWebhook", "Get a webhook endpoint"),
        patch(b!("/webhooks/{webhook_id}"), Token, webhooks::update)
            .named("updateWebhook", "Turn a webhook endpoint on or off"),
        get(b!("/webhooks/{webhook_id}/deliveries"), Token, webhooks::deliveries)
            .named("listDeliveries", "List the deliveries to a webhook endpoint")
            .details("Newest first, of the last 30 days."),
        post(b!("/webhooks/{webhook_id}/deliveries/{event_id}/resend"), Token, webhooks::resend)
            .named("resendDelivery", "Send an event again")
            .details("The same id and bytes, on a new schedule.")
            .refuses(CONFLICT),
        post(b!("/webhooks/{webhook_id}/resend-missed"), Token, webhooks::resend_missed)
            .named("resendMissed", "Send every missed and failed event of an endpoint again")
            .details("As far as the budget of what waits has room.")
            .refuses(CONFLICT),
        post(b!("/webhooks/{webhook_id}/rotate-secret"), Token, webhooks::rotate_secret)
            .named("rotateWebhookSecret", "Give a webhook endpoint a new secret")
            .details("The answer is the only one that carries it; the old one stops working at once."),
        get(b!("/budget"), Token, budget::show)
            .named("getBudget", "Get how much a business may keep of each kind, and how much it keeps"),
        patch(b!("/budget"), Token, budget::update)
            .named("updateBudget", "Change how much a business may keep")
            .details("What is left out stays, null brings the default back."),
        get(b!("/retention"), Token, retention::show)
            .named("getRetention", "Get for how many days a business keeps what has happened"),
        patch(b!("/retention"), Token, retention::update)
            .named("updateRetention", "Change for how many days a business keeps what has happened")
            .details("What is left out stays, null is for ever. What is older goes within an hour, and from then on as its time comes; what refers to it keeps its id."),
        post("/admin/v1/backup", Token, backup::create)
            .named("createBackup", "Begin to copy the store while the service runs")
            .details("Into a directory of the service's machine. One backup is made at a time.")
            .refuses(CONFLICT),
        get("/admin/v1/backup/{backup_id}", Token, backup::show)
            .named("getBackup", "Get how far a backup has come")
            .details("Of those begun since the service started, the last 32."),
        get("/admin/v1/export", Token, moving::export_all)
            .named("exportBusinesses", "Export every business")
            .details("As lines of JSON, each business as it is at a point of its own while the service runs. The topic `export` of the documentation describes the lines."),
        get(b!("/export"), Token, moving::export)
            .named("exportBusiness", "Export a business")
            .details("As lines of JSON, as it is at one point while the service runs."),
        get("/admin/v1/audit", Token, audit::installation)
            .named("listInstallationAuditEntries", "List what was done to the installation")
            .details("To people's accounts; exports and backups; businesses that were ended. Newest first. What was done in a business is in its own audit log."),
        post("/admin/v1/mail/test", Token, mail::test)
            .named("testMail", "Send a mail that says nothing but that it has arrived")
            .details("At once and once; the answer tells what the relay said. Without a relay in the settings it is refused.")
            .refuses(CONFLICT),
        post("/admin/v1/import", Token, moving::import)
            .named("importBusinesses", "Import businesses that were exported")
            .details("Lines of JSON as an export gives them, read as they come. Nothing is imported unless every line is good, and nobody finds anything of it before all of it is there. What is wrong is told by its line, 100 problems at most. One import is made at a time.")
            .refuses(CONFLICT),
        get(b!("/audit"), Token, audit::list)
            .named("listAuditEntries", "List who changed what")
            .details("Newest first."),
    ]
}

/// Builds the router of the operator listener. `others` are routes without the token. Requests for other
/// hosts are refused.
pub(crate) fn router(
    engine: Engine,
    token: AdminToken,
    hosts: AdminHosts,
    others: Router,
    metrics: Arc<Metrics>,
) -> Router {
    let gate = TokenGate::new(engine, token, metrics);
    let (fallback, lists) = (gate.clone(), router::lists(&table()));
    // Unknown paths need the token too.
    let no_such_path = |request: Request| async move {
        let answer = ApiError::NoSuchPath(router::list_above(&lists, request.uri().path())).into_response();
        fallback.authenticate(request, |_, ()| ready(answer)).await
    };
    let check = middleware::from_fn(move |request, next| hosts.clone().check(request, next));
    router::router(table(), &gate).merge(others).fallback(no_such_path).layer(check)
}
