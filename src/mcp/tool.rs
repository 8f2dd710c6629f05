//! A row of the tool table: description, scope and handler.

use std::pin::Pin;
use std::sync::Arc;

use domain::Scope;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::answer;
use super::asking::Asking;
use super::refused::Refused;
use super::schema;
use crate::http::json::Json;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{FromJson, from_json};

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
    pub(super) fn arguments(&self) -> Vec<&str> {
        let properties = self.listed.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)).collect()
    }
}

/// The empty arguments of a tool.
pub(super) struct Nothing;

impl FromJson for Nothing {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        crate::http::read::Properties::sort(json, &[], at, problems).map(|_| Self)
    }
}

impl JsonSchema for Nothing {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Nothing".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object", "properties": {}})
    }
}

/// Builds a row from name, title and scope.
pub(super) fn tool<A, V, Fut>(
    (name, title): (&'static str, &'static str),
    scope: Scope,
    effect: Effect,
    description: &'static str,
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
    let listed = Listed::new(name, description, input)
        .with_title(title)
        .with_raw_output_schema(Arc::new(schema::output::<V>()))
        .with_annotations(hints);
    let run = move |asking: Asking, arguments: &Json| -> Outcome {
        match read(arguments, &asking) {
            Ok(arguments) => {
                let outcome = handler(asking, arguments);
                Box::pin(async move { outcome.await.and_then(|shown| answer(&shown)) })
            }
            Err(refused) => Box::pin(std::future::ready(Err(refused))),
        }
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
