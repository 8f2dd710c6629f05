//! The routes of the public API: method, path, scope, handler, and text of the API document.

use std::future::ready;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use domain::Scope;
use view::{AppointmentView, CallView, ContactView, MessageView};

use super::gate::{Access, KeyGate};
use super::{appointments, availability, business, contacts, conversations, webhooks};
use crate::rest::error::{ApiError, Code};
use crate::rest::route::{Route, delete, get, patch, post};
use crate::rest::router::{self, Gate};

/// The error codes of a move to a time that cannot be booked.
const BOOKING: &[Code] = &[Code::BookingDisabled, Code::BookingRequiresConfirmation, Code::SlotUnavailable];
/// The error codes of a new booking. `Conflict` means that the limit on stored appointments has been reached.
const NEW_BOOKING: &[Code] =
    &[Code::BookingDisabled, Code::BookingRequiresConfirmation, Code::SlotUnavailable, Code::Conflict];

/// The table from which the router and the API document are made.
#[rustfmt::skip] // keeps each route in one paragraph
pub(crate) fn table() -> Vec<Route<Access>> {
    use Access::AnyKey;
    use Scope::{
        AppointmentsRead, AppointmentsWrite, BusinessRead, BusinessWrite, CallsRead, ContactsRead, ContactsWrite,
        KnowledgeWrite, MessagesRead, WebhooksManage};
    vec![
        get("/v1/me", AnyKey, business::caller)
            .named("getMe", "Get the API key and the business of the request")
            .details("The request works with any valid key, whatever its scopes, and even while the business is suspended."),
        get("/v1/business", BusinessRead, business::show)
            .named("getBusiness", "Get the business profile and opening hours"),
        patch("/v1/business", BusinessWrite, business::update)
            .named("updateBusiness", "Change the business profile or the opening hours")
            .details("A property that is left out keeps its value. `hours` replaces the whole week; a day that is not listed becomes \
                closed. Existing appointments do not change."),
        get("/v1/services", BusinessRead, business::services)
            .named("listServices", "List the services that can be booked")
            .details("Ordered by creation."),
        get("/v1/staff", BusinessRead, business::staff)
            .named("listStaff", "List the staff members, including inactive ones")
            .details("Ordered by creation."),
        get("/v1/availability", AppointmentsRead, availability::list)
            .named("listAvailability", "List the times at which a service can be booked")
            .details("Start times are on a grid of 30 minutes of local time from the opening of each day. A time can be \
                booked if and only if it is in this list. A request covers at most 7 days."),
        get("/v1/appointments", AppointmentsRead, appointments::list)
            .named("listAppointments", "List appointments")
            .details("The list is ordered by start. With `updated_since`, it is ordered by the last change, oldest first."),
        post("/v1/appointments", AppointmentsWrite, appointments::book)
            .named("bookAppointment", "Book an appointment")
            .details("The body has exactly one of `contact_id` and `contact`. Without `staff_id` the service chooses a free staff member. \
                In the booking mode `request`, `allow_pending` creates a pending appointment that holds its time.")
            .refuses(NEW_BOOKING),
        get("/v1/appointments/{appointment_id}", AppointmentsRead, appointments::show::<AppointmentView>)
            .named("getAppointment", "Get an appointment"),
        post("/v1/appointments/{appointment_id}/cancel", AppointmentsWrite, appointments::cancel)
            .named("cancelAppointment", "Cancel an appointment")
            .details("An appointment that is already cancelled or declined is returned unchanged."),
        post("/v1/appointments/{appointment_id}/reschedule", AppointmentsWrite, appointments::reschedule)
            .named("rescheduleAppointment", "Move an appointment to another time")
            .details("The appointment keeps its id, its duration and, without `staff_id`, its staff member.")
            .refuses(BOOKING),
        get("/v1/contacts", ContactsRead, contacts::list)
            .named("listContacts", "List contacts")
            .details("The list is ordered from newest to oldest. With `updated_since`, it is ordered by the last change, oldest first."),
        post("/v1/contacts", ContactsWrite, contacts::create)
            .named("createContact", "Create a contact")
            .details("A contact needs a name, a phone or an email. If another contact has the phone or the email, \
                the response is a conflict. If the contact was erased after the first request, a repeated request \
                gets a 404.")
            .refuses(&[Code::Conflict, Code::NotFound]),
        get("/v1/contacts/{contact_id}", ContactsRead, contacts::show::<ContactView>)
            .named("getContact", "Get a contact"),
        patch("/v1/contacts/{contact_id}", ContactsWrite, contacts::update)
            .named("updateContact", "Change a contact")
            .details("A property that is left out keeps its value; null clears it. If another contact has the phone or the email, the response is a conflict."),
        get("/v1/calls", CallsRead, conversations::calls::<CallView>)
            .named("listCalls", "List calls")
            .details("The list is ordered from newest to oldest. With `updated_since`, it is ordered by the last change, oldest first."),
        get("/v1/calls/{call_id}", CallsRead, conversations::call::<CallView>)
            .named("getCall", "Get a call"),
        get("/v1/messages", MessagesRead, conversations::messages::<MessageView>)
            .named("listMessages", "List the messages taken for the team")
            .details("The list is ordered from newest to oldest. With `updated_since`, it is ordered by the last change, oldest first."),
        post("/v1/knowledge", KnowledgeWrite, conversations::add_knowledge)
            .named("addKnowledge", "Add a knowledge entry")
            .details("If the business has used up its budget for knowledge, the response is a conflict.")
            .refuses(&[Code::Conflict]),
        get("/v1/webhooks", WebhooksManage, webhooks::list)
            .named("listWebhooks", "List the webhook endpoints")
            .details("The list is ordered by creation and contains no secrets."),
        post("/v1/webhooks", WebhooksManage, webhooks::create)
            .named("createWebhook", "Create a webhook endpoint")
            .details("Only this response contains the `secret`. The URL must use https and resolve to public \
                addresses only. A business has at most 25 endpoints.")
            .refuses(&[Code::Conflict]),
        get("/v1/webhooks/{webhook_id}", WebhooksManage, webhooks::show)
            .named("getWebhook", "Get a webhook endpoint"),
        patch("/v1/webhooks/{webhook_id}", WebhooksManage, webhooks::update)
            .named("updateWebhook", "Change, enable or disable a webhook endpoint")
            .details("A property that is left out keeps its value. A changed URL takes effect with the next attempt."),
        delete("/v1/webhooks/{webhook_id}", WebhooksManage, webhooks::delete)
            .named("deleteWebhook", "Delete a webhook endpoint")
            .details("The service stops sending to the endpoint. It never sends the pending deliveries of this endpoint."),
        post("/v1/webhooks/{webhook_id}/test", WebhooksManage, webhooks::test)
            .named("testWebhook", "Send a signed sample event")
            .details("The service makes one attempt, with the header `webhook-test: true` and without retries. A test works on a disabled \
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
