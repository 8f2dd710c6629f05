//! Tests of the tools, resources and prompts of `/mcp`, with an MCP client.

mod answers;
mod arguments;
mod booking;
mod foreign;
mod knowledge;
mod listed;
mod protocol;
mod wire;

use serde_json::{Value, json};

use crate::harness::{Answer, Api, Salon, Server};

/// An MCP client with one API key.
#[derive(Clone)]
struct Assistant(Api);

/// The result of a tool call.
#[derive(Clone, Debug)]
struct ToolResult {
    is_error: bool,
    text: String,
    content: Value,
}

impl Assistant {
    fn with_key(server: &Server, key: &str) -> Self {
        Self(server.root().with_token(key))
    }

    fn of(server: &Server, salon: &Salon) -> Self {
        Self::with_key(server, &salon.key)
    }

    /// A client whose key belongs to this salon and has these scopes.
    async fn with_scopes(server: &Server, salon: &Salon, scopes: &[&str]) -> Self {
        let key = salon.operator.post("/keys", &json!({"name": "some", "scopes": scopes})).await.created();
        Self::with_key(server, key["key"].as_str().unwrap())
    }

    async fn send(&self, message: &Value) -> Answer {
        self.0.call("POST", "/mcp").json(message).await
    }

    /// Sends a request and returns its result.
    async fn ask(&self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        answer.is(200);
        answer.body.get("result").unwrap_or_else(|| panic!("{answer}")).clone()
    }

    async fn request(&self, method: &str, params: Value) -> Answer {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await
    }

    /// Calls a tool. Checks that the response is a valid result of the protocol.
    async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
        assert!(!text.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')), "{text}");
        let is_error = result["isError"].as_bool().unwrap_or_default();
        let content = result.get("structuredContent").cloned().unwrap_or_default();
        if is_error {
            assert_eq!(content, Value::Null, "an error result must contain only text: {result}");
        } else {
            let same: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(same, content, "the text must equal the structured content");
            assert_no_nulls(&content);
        }
        ToolResult { is_error, text, content }
    }
}

impl ToolResult {
    /// Asserts that the result is a success, and returns its content.
    #[track_caller]
    fn done(self) -> Value {
        assert!(!self.is_error, "{}", self.text);
        self.content
    }

    /// Asserts that the result is an error whose message contains all of these parts. Returns the message.
    #[track_caller]
    fn refuses(self, parts: &[&str]) -> String {
        assert!(self.is_error, "{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "the text lacks {part:?}: {}", self.text);
        }
        self.text
    }
}

fn assert_no_nulls(value: &Value) {
    match value {
        Value::Null => panic!("a result must contain no null"),
        Value::Array(items) => items.iter().for_each(assert_no_nulls),
        Value::Object(properties) => properties.values().for_each(assert_no_nulls),
        _ => {}
    }
}
