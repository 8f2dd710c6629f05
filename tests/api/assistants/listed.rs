//! Tests of the list of tools. For each set of scopes, the list must equal a recorded copy. All clients must
//! accept its schemas, and its size is limited.
//!
//! `GOLDEN=write cargo test --test api assistants` writes new copies.

use std::path::Path;

use serde_json::{Value, json};

use super::Assistant;
use crate::harness::{SCOPES, Server};

/// The maximum size of the whole list in tokens. The test counts four characters as one token.
const LIST_TOKENS_MAX: usize = 6_000;

/// The tools in the order of the list. Each has its scope and its hints: read-only, destructive, idempotent.
const TOOLS: [(&str, &str, [bool; 3]); 16] = [
    ("get_business", "business:read", [true, false, true]),
    ("update_business", "business:write", [false, true, true]),
    ("find_open_times", "appointments:read", [true, false, true]),
    ("list_appointments", "appointments:read", [true, false, true]),
    ("get_appointment", "appointments:read", [true, false, true]),
    ("book_appointment", "appointments:write", [false, false, false]),
    ("reschedule_appointment", "appointments:write", [false, true, true]),
    ("cancel_appointment", "appointments:write", [false, true, true]),
    ("find_contacts", "contacts:read", [true, false, true]),
    ("get_contact", "contacts:read", [true, false, true]),
    ("create_contact", "contacts:write", [false, false, false]),
    ("update_contact", "contacts:write", [false, true, true]),
    ("list_calls", "calls:read", [true, false, true]),
    ("get_call", "calls:read", [true, false, true]),
    ("list_messages", "messages:read", [true, false, true]),
    ("add_knowledge", "knowledge:write", [false, false, false]),
];

async fn tools(assistant: &Assistant) -> Vec<Value> {
    let result = assistant.ask("tools/list", json!({})).await;
    assert_eq!(result["cacheScope"], "private");
    assert!(result.get("nextCursor").is_none());
    result["tools"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_tool_list_equals_the_recorded_one() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/assistants/golden");
    let sets: [(&str, &[&str]); 4] = [
        ("all", &SCOPES),
        ("appointments", &["appointments:read", "appointments:write"]),
        ("reading", &["business:read", "appointments:read", "contacts:read", "calls:read", "messages:read"]),
        ("none", &["webhooks:manage"]),
    ];
    for (name, scopes) in sets {
        let listed = tools(&Assistant::with_scopes(&server, &salon, scopes).await).await;
        let text = format!("{}\n", serde_json::to_string_pretty(&listed).unwrap());
        let file = golden.join(format!("{name}.json"));
        if std::env::var_os("GOLDEN").is_some_and(|what| what == "write") {
            std::fs::create_dir_all(&golden).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let known = std::fs::read_to_string(&file).unwrap();
        assert_eq!(known, text, "{name}");
    }
}

#[tokio::test]
async fn each_scope_shows_its_tools_with_their_hints() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for scope in SCOPES {
        let listed = tools(&Assistant::with_scopes(&server, &salon, &[scope]).await).await;
        let names: Vec<_> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let expected: Vec<_> = TOOLS.iter().filter(|tool| tool.1 == scope).map(|tool| tool.0).collect();
        assert_eq!(names, expected, "{scope}");
    }
    let all = tools(&Assistant::of(&server, &salon)).await;
    for (tool, (name, _, [reads, destroys, idempotent])) in all.iter().zip(TOOLS) {
        assert_eq!(tool["name"], name);
        let hints = json!({"readOnlyHint": reads, "destructiveHint": destroys, "idempotentHint": idempotent,
            "openWorldHint": false});
        assert_eq!(tool["annotations"], hints, "{name}");
        for told in ["title", "description"] {
            assert!(tool[told].as_str().is_some_and(|text| text.len() > 5), "{told} of {name} is too short");
        }
    }
    assert_eq!(all.len(), TOOLS.len());
}

#[tokio::test]
async fn a_tool_outside_the_scopes_of_a_key_names_the_missing_scope() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (name, scope, _) in TOOLS {
        let others: Vec<_> = SCOPES.into_iter().filter(|other| *other != scope).collect();
        let without = Assistant::with_scopes(&server, &salon, &others).await;
        without.call(name, json!({})).await.refuses(&[scope, name, "lacks the scope"]);
    }
}

#[tokio::test]
async fn schemas_use_only_keywords_that_every_client_supports() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for tool in tools(&Assistant::of(&server, &salon)).await {
        for schema in ["inputSchema", "outputSchema"] {
            let schema = &tool[schema];
            assert_eq!(schema["type"], "object", "{}", tool["name"]);
            assert!(schema["properties"].is_object(), "{}", tool["name"]);
            lint(schema, &format!("{}", tool["name"]));
            jsonschema::draft202012::new(schema).unwrap();
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{}", tool["name"]);
        for (name, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name} of {} has no description", tool["name"]);
        }
    }
}

pub(super) fn lint(schema: &Value, at: &str) {
    const KNOWN: [&str; 7] =
        ["type", "description", "properties", "required", "items", "enum", "additionalProperties"];
    let schema = schema.as_object().unwrap_or_else(|| panic!("{at} is not an object"));
    for keyword in schema.keys() {
        assert!(KNOWN.contains(&keyword.as_str()), "{at} has the keyword {keyword}");
    }
    assert!(schema["type"].is_string(), "{at} has several types");
    if let Some(properties) = schema.get("properties") {
        let properties = properties.as_object().unwrap();
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for name in &required {
            assert!(
                properties.contains_key(name.as_str().unwrap()),
                "{at} requires {name}, which is no property"
            );
        }
        properties.iter().for_each(|(name, property)| lint(property, &format!("{at}.{name}")));
    }
    if let Some(items) = schema.get("items") {
        lint(items, &format!("{at}[]"));
    }
}

#[tokio::test]
async fn the_tool_list_is_within_its_token_limit() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let listed = Value::Array(tools(&Assistant::of(&server, &salon)).await).to_string();
    let tokens = listed.chars().count().div_ceil(4);
    assert!(tokens < LIST_TOKENS_MAX, "the list has too many tokens: {tokens}");
}
