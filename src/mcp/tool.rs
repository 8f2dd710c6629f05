//! A row of the tool table: description, scope and handler.

use std::pin::Pin;
use std::sync::Arc;

use domain::Scope;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::asking::Asking;
use super::bounds::answer;
use super::refused::Refused;
use super::schema;
use crate::http::json::Json;
use crate::http::read::{FromJson, from_json};
use crate::json_object;

/// The effect of a tool, sent to clients as hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    Adds,
    /// It changes or removes records. A repeated call changes nothing more.
    Changes,
}

pub(super) type Run = Box<dyn Fn(Asking, &Json) -> Outcome + Send + Sync>;
pub(super) type Outcome = Pin<Box<dyn Future<Output = Result<Value, Refused>> + Send>>;

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) scope: Scope,
    pub(super) listed: Listed,
    pub(super) run: Run,
}

impl Tool {
    pub(super) fn about(mut self, about: &'static str) -> Self {
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

pub(super) fn tool<A, V, Fut>(
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
