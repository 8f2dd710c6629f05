//! The table of tools: name, title, scope, effect, description for the model, and handler.

use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use domain::Scope;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::bounds::answer;
use super::refused::Refused;
use super::schema;
use super::tool_call::{FIND_OPEN_TIMES, ToolCall};
use super::{appointments, booking, business, contacts, conversations, knowledge, open_times};
use crate::http::json::Json;
use crate::http::read::{FromJson, from_json};
use crate::json_object;

/// The table in the order of `tools/list`. It never changes within a process.
pub(super) fn all() -> &'static [Tool] {
    static ALL: LazyLock<Vec<Tool>> = LazyLock::new(table);
    &ALL
}

/// The tool that a business offers only if its knowledge is public.
pub(super) const SEARCH_KNOWLEDGE: &str = "search_knowledge";

fn table() -> Vec<Tool> {
    use Effect::{Adds, Changes, Reads};
    use Scope::{
        AppointmentsRead, AppointmentsWrite, BusinessRead, BusinessWrite, CallsRead, ContactsRead,
        ContactsWrite, KnowledgeWrite, MessagesRead,
    };
    vec![
        tool("get_business", "The business", BusinessRead, Reads, business::get).about(
            "Returns the profile, the opening hours, the services and staff with their ids, and the local \
             time now. Call this tool first.",
        ),
        tool("update_business", "Change the business", BusinessWrite, Changes, business::update).about(
            "Changes the profile or the opening hours. Values that are not sent stay unchanged; hours \
             replaces the whole week.",
        ),
        tool(SEARCH_KNOWLEDGE, "Search the knowledge", BusinessRead, Reads, knowledge::search).about(
            "Searches the texts that the business has published for its customers. Returns up to 3 passages. \
             Answer questions about the business only from them. If there is no passage, say that you do not know.",
        ),
        tool(FIND_OPEN_TIMES, "Find open times", AppointmentsRead, Reads, open_times::find).about(
            "Returns the times at which a service can be booked, by day, in the business's time zone. No \
             other time can be booked. To move an appointment, send its appointment_id: its current time \
             then counts as free.",
        ),
        tool("list_appointments", "List appointments", AppointmentsRead, Reads, appointments::list).about(
            "Returns appointments in order of their start, at most 20 per page. To find a caller's \
             appointments, call find_contacts first and send the contact_id.",
        ),
        tool("get_appointment", "One appointment", AppointmentsRead, Reads, appointments::get)
            .about("Returns one appointment by its id."),
        tool("book_appointment", "Book an appointment", AppointmentsWrite, Adds, booking::book).about(
            "Books an open time. If the contact already has an appointment for the same service and \
             start (with the same staff member, if staff is sent), the tool returns it with already_booked \
             true and books nothing. An appointment with status pending waits for confirmation by the team.",
        ),
        tool(
            "reschedule_appointment",
            "Move an appointment",
            AppointmentsWrite,
            Changes,
            booking::reschedule,
        )
        .about(
            "Moves an appointment to another open time. The appointment keeps its id. It also keeps its \
             staff member unless staff is sent.",
        ),
        tool("cancel_appointment", "Cancel an appointment", AppointmentsWrite, Changes, booking::cancel)
            .about("Cancels an appointment permanently. To change its time, use reschedule_appointment."),
        tool("find_contacts", "Find contacts", ContactsRead, Reads, contacts::find).about(
            "Returns the contacts that match all sent arguments, newest first, at most 20 per page. Without \
             arguments, it returns all contacts. Accents must match: if a name is not found, try a part of \
             the surname.",
        ),
        tool("get_contact", "One contact", ContactsRead, Reads, contacts::get)
            .about("Returns one contact by its id."),
        tool("create_contact", "Create a contact", ContactsWrite, Adds, contacts::create).about(
            "Creates a contact. A name, a phone or an email is required. book_appointment also creates new \
             contacts.",
        ),
        tool("update_contact", "Change a contact", ContactsWrite, Changes, contacts::update)
            .about("Changes a contact. Values that are not sent stay unchanged."),
        tool("list_calls", "List calls", CallsRead, Reads, conversations::list_calls)
            .about("Returns calls with their outcome and summary, newest first, at most 20 per page."),
        tool("get_call", "One call", CallsRead, Reads, conversations::get_call)
            .about("Returns one call by its id, with up to 8,000 characters of its summary."),
        tool("list_messages", "List messages", MessagesRead, Reads, conversations::list_messages)
            .about("Returns the messages that callers left for the team, newest first, at most 20 per page."),
        tool("add_knowledge", "Add knowledge", KnowledgeWrite, Adds, conversations::add_knowledge)
            .about("Adds an entry to the knowledge base, from which the receptionist answers callers."),
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

type Run = Box<dyn Fn(ToolCall, &Json) -> Outcome + Send + Sync>;
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
    handler: fn(ToolCall, A) -> Fut,
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
    let run = move |asking: ToolCall, arguments: &Json| -> Outcome {
        let arguments = read(arguments, &asking);
        Box::pin(async move { answer(&handler(asking, arguments?).await?) })
    };
    Tool { name, scope, listed, run: Box::new(run) }
}

/// Parses the arguments with the parsers of the `/v1` API. Missing arguments are treated as an empty object.
fn read<A: FromJson>(arguments: &Json, asking: &ToolCall) -> Result<A, Refused> {
    let none = Json::Object(Vec::new());
    match arguments {
        Json::Null => Ok(from_json(&none, asking.caller.reading.clone())?),
        Json::Object(_) => Ok(from_json(arguments, asking.caller.reading.clone())?),
        _ => Err(Refused::with_text(format!(
            "Nothing was done: the arguments of `{}` must be one JSON object.",
            asking.tool
        ))),
    }
}
