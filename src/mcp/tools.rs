//! The table of tools: name, title, scope, effect, description for the model, and handler.

use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use domain::Scope;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::asking::{Asking, FIND_OPEN_TIMES};
use super::bounds::answer;
use super::refused::Refused;
use super::schema;
use super::{appointments, booking, business, contacts, conversations, open_times};
use crate::http::json::Json;
use crate::http::read::{FromJson, from_json};
use crate::json_object;

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
        tool("list_calls", "List calls", CallsRead, Reads, conversations::list_calls)
            .about("Calls with outcome and summary, newest first, 20 to a page."),
        tool("get_call", "One call", CallsRead, Reads, conversations::get_call)
            .about("One call by its id, with more of its summary."),
        tool("list_messages", "List messages", MessagesRead, Reads, conversations::list_messages)
            .about("Messages that callers left for the team, newest first, 20 to a page."),
        tool("add_knowledge", "Add knowledge", KnowledgeWrite, Adds, conversations::add_knowledge)
            .about("Adds to what the receptionist answers callers from."),
    ]
}

/// The effect of a tool, sent to clients as hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Reads,
    Adds,
    /// The tool changes or removes records. A repeated call has no further effect.
    Changes,
}

type Run = Box<dyn Fn(Asking, &Json) -> Outcome + Send + Sync>;
type Outcome = Pin<Box<dyn Future<Output = Result<Value, Refused>> + Send>>;

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) scope: Scope,
    pub(super) listed: Listed,
    pub(super) run: Run,
}

impl Tool {
    fn about(mut self, about: &'static str) -> Self {
        self.listed.description = Some(about.into());
        self
    }

    pub(super) fn arguments(&self) -> Vec<&str> {
        let properties = self.listed.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)).collect()
    }
}

json_object! {
    pub(super) struct Nothing {}
}

fn tool<A, V, Fut>(
    name: &'static str,
    title: &'static str,
    scope: Scope,
    effect: Effect,
    handler: fn(Asking, A) -> Fut,
) -> Tool
where
    A: FromJson + Send + 'static,
    V: Serialize + JsonSchema,
    Fut: Future<Output = Result<V, Refused>> + Send + 'static,
{
    let hints = ToolAnnotations::new()
        .read_only(effect == Effect::Reads)
        .destructive(effect == Effect::Changes)
        .idempotent(effect != Effect::Adds)
        .open_world(false);
    let input: Arc<JsonObject> = Arc::new(schema::input::<A>());
    let listed = Listed::new(name, "", input)
        .with_title(title)
        .with_raw_output_schema(Arc::new(schema::output::<V>()))
        .with_annotations(hints);
    let run = move |asking: Asking, arguments: &Json| -> Outcome {
        let arguments = read(arguments, &asking);
        Box::pin(async move { answer(&handler(asking, arguments?).await?) })
    };
    Tool { name, scope, listed, run: Box::new(run) }
}

/// Parses the arguments with the parsers of the `/v1` API. Missing arguments are treated as an empty object.
fn read<A: FromJson>(arguments: &Json, asking: &Asking) -> Result<A, Refused> {
    let none = Json::Object(Vec::new());
    match arguments {
        Json::Null => Ok(from_json(&none, asking.caller.reading.clone())?),
        Json::Object(_) => Ok(from_json(arguments, asking.caller.reading.clone())?),
        _ => Err(Refused::told(format!(
            "Nothing was done: the arguments of `{}` must be one JSON object.",
            asking.tool
        ))),
    }
}
