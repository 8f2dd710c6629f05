//! The context of one tool call.

use std::sync::Arc;

use domain::{ResourceId, Scope};
use engine::BusinessHandle;
use engine::business::{AnswerOf, Change, Idempotency, Request};

use super::refused::Refused;
use super::values::IdempotencyKey;
use crate::http::cursor::{Binding, Cursors};
use crate::http::idempotency::fingerprint_of;
use crate::http::json::Json;
use crate::rest::context::{Caller, Context};

/// The first part of a fingerprint, which distinguishes MCP calls from requests to `/v1`.
const SURFACE: &[u8] = b"MCP";

/// The tool that may show names of services and staff without the scope `business:read`.
pub(super) const FIND_OPEN_TIMES: &str = "find_open_times";

const HOW: [&str; 2] = ["cursor", "idempotency_key"];

/// One call of a tool with an API key.
#[derive(Clone)]
pub(super) struct ToolCall {
    pub(super) business: BusinessHandle,
    pub(super) caller: Caller,
    pub(super) tool: &'static str,
    cursors: Cursors,
    canonical: Arc<[u8]>,
}

impl ToolCall {
    pub(super) fn new(
        context: &Context,
        business: &BusinessHandle,
        tool: &'static str,
        arguments: &Json,
    ) -> Self {
        let canonical = asked(arguments).canonical().into();
        let (business, caller, cursors) = (business.clone(), context.caller.clone(), context.cursors.clone());
        Self { business, caller, tool, cursors, canonical }
    }

    pub(super) fn may(&self, scope: Scope) -> bool {
        self.caller.may(scope)
    }

    /// Whether the result may name services and staff members.
    pub(super) fn may_name(&self) -> bool {
        self.may(Scope::BusinessRead) || self.tool == FIND_OPEN_TIMES
    }

    pub(super) async fn change<C: Change + 'static>(
        &self,
        key: Option<&IdempotencyKey>,
        change: C,
    ) -> Result<AnswerOf<C>, Refused> {
        let idempotency = key.map(|key| Idempotency {
            key: self.caller.key_hash(key.0.as_bytes()),
            fingerprint: fingerprint_of([SURFACE, self.tool.as_bytes(), &self.canonical]),
        });
        let request = Request { idempotency, ..Request::by(self.caller.actor) };
        Ok(self.business.change(request, change).await?)
    }

    pub(super) fn opened(&self, cursor: Option<&str>) -> Result<Option<Vec<u8>>, Refused> {
        let opened = cursor.map(|cursor| {
            self.cursors.open(&self.binding(), cursor).ok_or_else(|| Refused::with_text(
                "cursor must be the next_cursor of an earlier result of this tool with the same other arguments. Call \
                 the tool without it to get the first page.",
            ))
        });
        opened.transpose()
    }

    pub(super) fn sealed(&self, position: &[u8]) -> String {
        self.cursors.seal(&self.binding(), position)
    }

    fn binding(&self) -> Binding {
        let list = Binding::list("mcp").with(self.tool.as_bytes());
        list.with(self.business.id().uuid().as_bytes()).with(&self.canonical)
    }
}

/// The arguments that identify the request: all except `cursor` and `idempotency_key`, without nulls.
fn asked(arguments: &Json) -> Json {
    match without_nulls(arguments) {
        Json::Object(mut properties) => {
            properties.retain(|(name, _)| !HOW.contains(&name.as_str()));
            Json::Object(properties)
        }
        other => other,
    }
}

/// Removes nulls at any depth, since null means absent.
fn without_nulls(json: &Json) -> Json {
    match json {
        Json::Object(properties) => {
            let said = properties.iter().filter(|(_, value)| !matches!(value, Json::Null));
            Json::Object(said.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_are_removed_at_every_depth_and_cursor_and_key_are_ignored() {
        let asked = |text: &str| asked(&Json::parse(text.as_bytes()).unwrap()).canonical();
        let plain = asked(r#"{"a":1,"b":{"c":[{"d":2}]}}"#);
        assert_eq!(asked(r#"{"x":null,"b":{"n":null,"c":[{"d":2,"e":null}]},"a":1,"cursor":"z"}"#), plain);
        assert_ne!(asked(r#"{"a":1,"b":{"c":[{"d":2},null]}}"#), plain, "nulls in an array must be kept");
        assert_ne!(asked(r#"{"a":1,"b":{"c":[{"d":2}],"cursor":"z"}}"#), plain);
    }
}
