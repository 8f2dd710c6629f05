//! The routes of the public API: method, path, scope, handler, and text of the API document.

use std::future::ready;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use domain::Scope;
use view::{AppointmentView, ContactView};

use super::access::Access;
use super::gate::KeyGate;
use super::{
    appointments, availability, business, calls, catalog, contacts, knowledge, me, messages, webhooks,
};
use crate::rest::error::{ApiError, Code};
use crate::rest::route::{Route, delete, get, patch, post};
use crate::rest::router::{self, Gate};

/// The refusals of a time.
const BOOKING: &[Code] = &[Code::BookingDisabled, Code::BookingRequiresConfirmation, Code::SlotUnavailable];
/// The refusals of a new appointment. `Conflict` is the limit on stored appointments.
const NEW_BOOKING: &[Code] =
    &[Code::BookingDisabled, Code::BookingRequiresConfirmation, Code::SlotUnavailable, Code::Conflict];

/// The router and the API document use this table.
#[rustfmt::skip] // one row, one paragraph
pub(crate) fn table() -> Vec<Route<Access>> {
    use Access::AnyKey;
    use Scope::{
        AppointmentsRead, AppointmentsWrite, BusinessRead, BusinessWrite, CallsRead, ContactsRead, ContactsWrite,
        KnowledgeWrite, MessagesRead, WebhooksManage};
    vec![
        get("/v1/me", AnyKey, me::show)
            .named("getMe", "Describe the key and its business")
            .details("Works with any valid key, whatever its scopes, and even while the business is suspended."),
        get("/v1/business", BusinessRead, business::show)
            .named("getBusiness", "Get the business profile and opening hours"),
        patch("/v1/business", BusinessWrite, business::update)
            .named("updateBusiness", "Update the business profile or opening hours")
            .details("What is left out stays. `hours` replaces the whole week; a day that is not listed becomes \
                closed. A change of hours touches no appointment that exists."),
        get("/v1/services", BusinessRead, catalog::services)
            .named("listServices", "List the services that can be booked")
            .details("Ordered by creation."),
        get("/v1/staff", BusinessRead, catalog::staff)
            .named("listStaff", "List the staff members, inactive ones included")
            .details("Ordered by creation."),
        get("/v1/availability", AppointmentsRead, availability::list)
            .named("listAvailability", "List the times at which a service can be booked")
            .details("Start times lie on a grid of 30 minutes of local time from each day's opening. A time can be \
                booked exactly when it is listed here. At most 7 days in one request."),
        get("/v1/appointments", AppointmentsRead, appointments::list::<AppointmentView>)
            .named("listAppointments", "List appointments")
            .details("Ordered by start; with `updated_since` by their last change."),
        post("/v1/appointments", AppointmentsWrite, appointments::book)
            .named("bookAppointment", "Book an appointment")
            .details("For exactly one of `contact_id` and `contact`. Without `staff_id` a free staff member is chosen. \
                Where the booking mode is `request`, `allow_pending` makes it a request that holds its time.")
            .refuses(NEW_BOOKING),
        get("/v1/appointments/{appointment_id}", AppointmentsRead, appointments::show::<AppointmentView>)
            .named("getAppointment", "Get an appointment"),
        post("/v1/appointments/{appointment_id}/cancel", AppointmentsWrite, appointments::cancel)
            .named("cancelAppointment", "Cancel an appointment")
            .details("One that is cancelled or declined already is returned unchanged."),
        post("/v1/appointments/{appointment_id}/reschedule", AppointmentsWrite, appointments::reschedule)
            .named("rescheduleAppointment", "Move an appointment to another time")
            .details("It keeps its id and its duration, and its staff member unless `staff_id` is given.")
            .refuses(BOOKING),
        get("/v1/contacts", ContactsRead, contacts::list::<ContactView>)
            .named("listContacts", "List contacts")
            .details("Newest first; with `updated_since` by their last change."),
        post("/v1/contacts", ContactsWrite, contacts::create)
            .named("createContact", "Create a contact")
            .details("With a name, a phone or an email at least. A phone or an email that another contact has is a \
                conflict. Made again under its key once the person was erased, it is not found.")
            .refuses(&[Code::Conflict, Code::NotFound]),
        get("/v1/contacts/{contact_id}", ContactsRead, contacts::show::<ContactView>)
            .named("getContact", "Get a contact"),
        patch("/v1/contacts/{contact_id}", ContactsWrite, contacts::update)
            .named("updateContact", "Update a contact")
            .details("What is left out stays, null clears. A phone or an email that another contact has is a conflict."),
        get("/v1/calls", CallsRead, calls::list)
            .named("listCalls", "List calls")
            .details("Newest first; with `updated_since` by their last change."),
        get("/v1/calls/{call_id}", CallsRead, calls::show)
            .named("getCall", "Get a call"),
        get("/v1/messages", MessagesRead, messages::list)
            .named("listMessages", "List the messages taken for the team")
            .details("Newest first; with `updated_since` by their last change."),
        post("/v1/knowledge", KnowledgeWrite, knowledge::create)
            .named("addKnowledge", "Add to what the receptionist knows")
            .details("Where the business keeps as much as it may, it is a conflict.")
            .refuses(&[Code::Conflict]),
        get("/v1/webhooks", WebhooksManage, webhooks::list)
            .named("listWebhooks", "List the webhook endpoints")
            .details("Ordered by creation. Secrets are not shown."),
        post("/v1/webhooks", WebhooksManage, webhooks::create)
            .named("createWebhook", "Subscribe an HTTPS endpoint to events")
            .details("The answer is the only one that carries the `secret`. The URL must use https and resolve to public \
                addresses only. At most 25 endpoints a business.")
            .refuses(&[Code::Conflict]),
        get("/v1/webhooks/{webhook_id}", WebhooksManage, webhooks::show)
            .named("getWebhook", "Get a webhook endpoint"),
        patch("/v1/webhooks/{webhook_id}", WebhooksManage, webhooks::update)
            .named("updateWebhook", "Change a webhook endpoint, or turn it on or off")
            .details("What is left out stays. A changed URL takes effect with the next attempt."),
        delete("/v1/webhooks/{webhook_id}", WebhooksManage, webhooks::delete)
            .named("deleteWebhook", "Remove a webhook endpoint")
            .details("What waits for it is never sent."),
        post("/v1/webhooks/{webhook_id}/test", WebhooksManage, webhooks::test)
            .named("testWebhook", "Send a signed sample event at once")
            .details("One attempt without retries, marked by the header `webhook-test: true`. It works on a disabled \
                endpoint, changes nothing and is not in the delivery log."),
    ]
}

pub(crate) fn router(gate: &Arc<KeyGate>) -> Router {
    let (fallback, lists) = (Arc::clone(gate), router::lists(&table()));
    let no_such_path = |request: Request| async move {
        let path = request.uri().path();
        let (ours, answer) = (
            path == "/v1" || path.starts_with("/v1/"),
            ApiError::NoSuchPath(router::list_above(&lists, path)).into_response(),
        );
        if ours { fallback.authenticate(request, |_, _| ready(answer)).await } else { answer }
    };
    router::router(table(), gate).fallback(no_such_path)
}
