//! Every route of the public API: its method, path, scope and handler, and what the document says of it.

use std::sync::Arc;

use actors::Engine;
use actors::domain::Scope;
use actors::view::{
    AppointmentView, BusinessView, CallView, ContactView, KnowledgeView, MessageView, ServiceView, StaffView,
};
use axum::extract::Request;
use axum::{Router, middleware};

use super::gate::{Gate, gate};
use super::operation::{Access, Operation, get, patch, post};
use super::{appointments, availability, business, calls, catalog, contacts, knowledge, me, messages};
use crate::http::cursor::Cursors;
use crate::http::error::{ApiError, Code};
use crate::http::query::ListQuery;
use crate::http::routes::{self, Route};
use crate::metrics::Metrics;

/// Why a time cannot be booked.
const BOOKING: &[Code] = &[Code::BookingDisabled, Code::BookingRequiresConfirmation, Code::SlotUnavailable];

/// The table, from which the router and the published document follow.
#[rustfmt::skip] // one row, one paragraph
pub(crate) fn table() -> Vec<Route<Operation>> {
    use Access::AnyKey;
    use Scope::{
        AppointmentsRead, AppointmentsWrite, BusinessRead, BusinessWrite, CallsRead, ContactsRead, ContactsWrite,
        KnowledgeWrite, MessagesRead,
    };
    vec![
        get("/v1/me", AnyKey, me::show)
            .named("getMe", "Describe the key and its business")
            .details("Works with any valid key, whatever its scopes, and even while the business is suspended.")
            .one::<me::Me>(),
        get("/v1/business", BusinessRead, business::show)
            .named("getBusiness", "Get the business profile and opening hours")
            .one::<BusinessView>(),
        patch("/v1/business", BusinessWrite, business::update)
            .named("updateBusiness", "Update the business profile or opening hours")
            .details("What is left out stays. `hours` replaces the whole week; a day that is not listed becomes \
                closed. A change of hours touches no appointment that exists.")
            .body::<business::BusinessPatch>()
            .one::<BusinessView>(),
        get("/v1/services", BusinessRead, catalog::services)
            .named("listServices", "List the services that can be booked")
            .details("Ordered by creation.")
            .query::<ListQuery>()
            .list::<ServiceView>(),
        get("/v1/staff", BusinessRead, catalog::staff)
            .named("listStaff", "List the staff members, inactive ones included")
            .details("Ordered by creation.")
            .query::<ListQuery>()
            .list::<StaffView>(),
        get("/v1/availability", AppointmentsRead, availability::list)
            .named("listAvailability", "List the times at which a service can be booked")
            .details("Start times lie on a grid of 30 minutes of local time from each day's opening. A time can be \
                booked exactly when it is listed here. At most 7 days in one request.")
            .query::<availability::AvailabilityQuery>()
            .list::<availability::SlotView>(),
        get("/v1/appointments", AppointmentsRead, appointments::list)
            .named("listAppointments", "List appointments")
            .details("Ordered by start; with `updated_since` by their last change.")
            .query::<appointments::AppointmentsQuery>()
            .list::<AppointmentView>(),
        post("/v1/appointments", AppointmentsWrite, appointments::book)
            .named("bookAppointment", "Book an appointment")
            .details("For exactly one of `contact_id` and `contact`. Without `staff_id` a free staff member is chosen. \
                Where the booking mode is `request`, `allow_pending` makes it a request that holds its time.")
            .body::<appointments::BookBody>()
            .refuses(BOOKING)
            .created::<AppointmentView>(),
        get("/v1/appointments/{appointment_id}", AppointmentsRead, appointments::show)
            .named("getAppointment", "Get an appointment")
            .one::<AppointmentView>(),
        post("/v1/appointments/{appointment_id}/cancel", AppointmentsWrite, appointments::cancel)
            .named("cancelAppointment", "Cancel an appointment")
            .details("One that is cancelled or declined already is returned unchanged.")
            .one::<AppointmentView>(),
        post("/v1/appointments/{appointment_id}/reschedule", AppointmentsWrite, appointments::reschedule)
            .named("rescheduleAppointment", "Move an appointment to another time")
            .details("It keeps its id and its duration, and its staff member unless `staff_id` is given.")
            .body::<appointments::RescheduleBody>()
            .refuses(BOOKING)
            .one::<AppointmentView>(),
        get("/v1/contacts", ContactsRead, contacts::list)
            .named("listContacts", "List contacts")
            .details("Newest first; with `updated_since` by their last change, oldest first.")
            .query::<contacts::ContactsQuery>()
            .list::<ContactView>(),
        post("/v1/contacts", ContactsWrite, contacts::create)
            .named("createContact", "Create a contact")
            .details("Needs one of `name`, `phone` and `email`. Phone and email are each unique within the business.")
            .body::<contacts::NewContactBody>()
            .refuses(&[Code::Conflict])
            .created::<ContactView>(),
        get("/v1/contacts/{contact_id}", ContactsRead, contacts::show)
            .named("getContact", "Get a contact")
            .one::<ContactView>(),
        patch("/v1/contacts/{contact_id}", ContactsWrite, contacts::update)
            .named("updateContact", "Update a contact")
            .details("What is left out stays, `null` clears; one of `name`, `phone` and `email` must remain.")
            .body::<contacts::ContactPatchBody>()
            .one::<ContactView>(),
        get("/v1/calls", CallsRead, calls::list)
            .named("listCalls", "List calls")
            .details("Newest first by their start; with `updated_since` by their last change, oldest first.")
            .query::<calls::CallsQuery>()
            .list::<CallView>(),
        get("/v1/calls/{call_id}", CallsRead, calls::show)
            .named("getCall", "Get a call")
            .one::<CallView>(),
        get("/v1/messages", MessagesRead, messages::list)
            .named("listMessages", "List messages")
            .details("Newest first; with `updated_since` by their last change, oldest first.")
            .query::<messages::MessagesQuery>()
            .list::<MessageView>(),
        post("/v1/knowledge", KnowledgeWrite, knowledge::create)
            .named("addKnowledge", "Add a piece of knowledge")
            .body::<knowledge::KnowledgeBody>()
            .created::<KnowledgeView>(),
    ]
}

/// The router of the public API: `/v1` behind the gate.
pub(crate) fn router(engine: Engine, requests_per_minute: u32, metrics: Arc<Metrics>) -> Router {
    let cursors = Cursors::new(engine.secret());
    let door = Arc::new(Gate::new(engine, cursors, requests_per_minute, metrics));
    let no_such_path =
        |request: Request| async move { ApiError::NoSuchPath(request.uri().path().to_owned()) };
    routes::router(table(), &door)
        .fallback(no_such_path)
        .layer(middleware::from_fn_with_state(Arc::clone(&door), gate))
}
