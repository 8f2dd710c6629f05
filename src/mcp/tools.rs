//! The table of tools: name, title, scope, effect, description for the model, and handler.

use std::sync::LazyLock;

use domain::Scope;

use super::asking::FIND_OPEN_TIMES;
use super::tool::{Effect, Tool, tool};
use super::{appointments, booking, business, calls, contacts, knowledge, messages, open_times};

/// The table in the order of `tools/list`. It never changes within a process.
pub(super) fn all() -> &'static [Tool] {
    static ALL: LazyLock<Vec<Tool>> = LazyLock::new(table);
    &ALL
}

pub(super) fn named(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

fn table() -> Vec<Tool> {
    use Effect::{Adds, Changes, Reads};
    use Scope::{
        AppointmentsRead, AppointmentsWrite, BusinessRead, BusinessWrite, CallsRead, ContactsRead,
        ContactsWrite, KnowledgeWrite, MessagesRead,
    };
    vec![
        tool("get_business", "The business", BusinessRead, Reads, business::get).about(
            "Profile, opening hours, services and staff with their ids, and the local time now. Call it \
             first.",
        ),
        tool("update_business", "Change the business", BusinessWrite, Changes, business::update).about(
            "Changes the profile or the opening hours. What is left out stays; hours replace the whole week.",
        ),
        tool(FIND_OPEN_TIMES, "Find open times", AppointmentsRead, Reads, open_times::find).about(
            "Times at which a service can be booked, by day, on the business's clock. Only these can be \
             booked. To move an appointment, send its appointment_id: its own time then counts as free.",
        ),
        tool("list_appointments", "List appointments", AppointmentsRead, Reads, appointments::list).about(
            "Appointments by start, 20 to a page. To find a caller's, call find_contacts first and send \
             contact_id.",
        ),
        tool("get_appointment", "One appointment", AppointmentsRead, Reads, appointments::get)
            .about("One appointment by its id."),
        tool("book_appointment", "Book an appointment", AppointmentsWrite, Adds, booking::book).about(
            "Books an open time. Asked again for the same service, start and contact, it answers the \
             appointment with already_booked true and books nothing. Status pending: the team has yet to \
             confirm.",
        ),
        tool(
            "reschedule_appointment",
            "Move an appointment",
            AppointmentsWrite,
            Changes,
            booking::reschedule,
        )
        .about(
            "Moves an appointment to another open time; it keeps its id, and its staff member unless staff \
             is given.",
        ),
        tool("cancel_appointment", "Cancel an appointment", AppointmentsWrite, Changes, booking::cancel)
            .about(
                "Cancels an appointment for good; its time is free again. To change its time, move it \
                 instead.",
            ),
        tool("find_contacts", "Find contacts", ContactsRead, Reads, contacts::find).about(
            "Contacts by part of the name, phone or email, newest first, 20 to a page; without any, all. \
             Accents count: try part of the surname alone.",
        ),
        tool("get_contact", "One contact", ContactsRead, Reads, contacts::get)
            .about("One contact by their id."),
        tool("create_contact", "Create a contact", ContactsWrite, Adds, contacts::create)
            .about("Creates a contact with a name, a phone or an email. Booking does that by itself."),
        tool("update_contact", "Change a contact", ContactsWrite, Changes, contacts::update)
            .about("Changes a contact. What is left out stays."),
        tool("list_calls", "List calls", CallsRead, Reads, calls::list)
            .about("Calls with outcome and summary, newest first, 20 to a page."),
        tool("get_call", "One call", CallsRead, Reads, calls::get)
            .about("One call by its id, with more of its summary."),
        tool("list_messages", "List messages", MessagesRead, Reads, messages::list)
            .about("Messages that callers left for the team, newest first, 20 to a page."),
        tool("add_knowledge", "Add knowledge", KnowledgeWrite, Adds, knowledge::add)
            .about("Adds to what the receptionist answers callers from."),
    ]
}
