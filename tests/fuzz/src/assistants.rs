//! A fuzz target that sends messages to `/mcp`. The complete router handles them in this process. Each
//! response must be valid JSON-RPC without an internal error, and each result of a tool must contain text for
//! a model.
//!
//! The input is a text with calls, separated by lines that contain `---`. A call that begins with a brace is
//! a complete message. In other calls, the first line is the name of a tool, and the rest is its arguments.
//! Placeholders such as `{service_id}` are replaced by the ids of existing records.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::http::StatusCode;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::requests::{Server, on_founded};

/// The maximum number of calls that are sent from one input.
const CALLS_MAX: usize = 12;

/// The maximum length of a response, in characters.
const ANSWER_MAX: usize = 100_000;

/// The code of an internal error in JSON-RPC.
const INTERNAL_ERROR: i64 = -32603;

/// Every tool, with the schema of its results.
static TOOLS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    on_founded(async |server| {
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
        let (_, answer) = message(server, list).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        let schema = |tool: &Value| jsonschema::draft202012::new(&tool["outputSchema"]).unwrap();
        tools.iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), schema(tool))).collect()
    })
});

pub fn tools() -> impl Iterator<Item = &'static str> {
    TOOLS.keys().map(String::as_str)
}

/// Sends the calls of the input in order, and checks the responses.
pub fn check(data: &[u8]) {
    done(data);
}

/// Sends the calls of the input. Returns the tools whose calls succeeded.
pub fn done(data: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(data);
    LazyLock::force(&TOOLS); // this starts its own runtime
    on_founded(async |server| {
        let mut done = Vec::new();
        for call in text.split("\n---\n").take(CALLS_MAX) {
            let call = server.fill(call);
            if call.starts_with('{') {
                message(server, call).await;
                continue;
            }
            let (tool, arguments) = call.split_once('\n').unwrap_or((&call, "{}"));
            let name = Value::from(tool);
            let sent = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{name},"arguments":{arguments}}}}}"#
            );
            let is_one = serde_json::from_str::<Value>(&sent).is_ok_and(|sent| {
                sent.as_object().is_some_and(|sent| sent.len() == 4)
                    && sent["params"].as_object().is_some_and(|params| params.len() == 2)
                    && sent["method"] == "tools/call"
                    && sent["params"]["name"] == name
            });
            let (status, answer) = message(server, sent).await;
            let Some(schema) = TOOLS.get(tool).filter(|_| is_one) else { continue };
            assert_eq!(status, StatusCode::OK, "{call}: {answer}");
            let result = &answer["result"];
            let said = result["content"][0]["text"].as_str();
            assert!(
                said.is_some_and(|said| !said.is_empty()),
                "{call}: the result contains no text: {answer}"
            );
            if result["isError"] == true {
                assert!(result.get("structuredContent").is_none(), "{call}: {answer}");
            } else {
                let fits = schema.validate(&result["structuredContent"]);
                assert!(fits.is_ok(), "{call}: {fits:?}: {answer}");
                done.push(tool.to_owned());
            }
        }
        done
    })
}

/// Sends a message and checks the response.
async fn message(server: &Server, body: String) -> (StatusCode, Value) {
    let (status, bytes) = server.post("/mcp", body.clone()).await;
    let shown = String::from_utf8_lossy(&bytes);
    assert!(!status.is_server_error(), "{body}: {status} {shown}");
    assert!(shown.chars().count() < ANSWER_MAX, "{body}: {} characters", shown.chars().count());
    // The response to a notification has no content.
    if status == StatusCode::ACCEPTED {
        assert!(bytes.is_empty(), "{body}: {shown}");
        return (status, Value::Null);
    }
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_else(|_| panic!("{body}: {status} {shown}"));
    // A request that is refused before its message is read gets an error in the format of `/v1`.
    if answer["error"]["code"].is_string() {
        assert!(status.is_client_error(), "{body}: {status} {shown}");
        return (status, answer);
    }
    assert_eq!(answer["jsonrpc"], "2.0", "{body}: {shown}");
    assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{body}: {shown}");
    assert_ne!(answer["error"]["code"], INTERNAL_ERROR, "{body}: {shown}");
    (status, answer)
}
