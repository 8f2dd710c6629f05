//! Sends messages to the MCP server, and calls every tool with valid and invalid arguments.

use serde_json::{Value, json};

use crate::bodies::Schemas;
use crate::groups::FOUNDING;
use crate::scene::{Ask, Scene, Who, tool};

/// Arguments with which each tool call succeeds.
const GOOD: [(&str, &str); 16] = [
    ("get_business", r#"{"odd":1}"#),
    ("update_business", r#"{"name":"Salon Zoé"}"#),
    (
        "find_open_times",
        r#"{"service":"Cut","from":"2026-03-04","to":"2026-03-04","staff":"Anna","part_of_day":"morning"}"#,
    ),
    ("list_appointments", r#"{"from":"2026-03-02","to":"2026-03-31","status":"confirmed"}"#),
    ("get_appointment", r#"{"appointment_id":"{appointment_id}"}"#),
    (
        "book_appointment",
        r#"{"service":"Cut","starts_at":"2026-03-04T10:00","contact":{"name":"Ada","phone":"+33612345699"}}"#,
    ),
    (
        "reschedule_appointment",
        r#"{"appointment_id":"{appointment_id}","expected_starts_at":"2026-03-02T11:00","starts_at":"2026-03-06T10:00"}"#,
    ),
    ("cancel_appointment", r#"{"appointment_id":"{unknown}","expected_starts_at":"2026-03-02T11:00"}"#),
    ("find_contacts", r#"{"query":"ada"}"#),
    ("get_contact", r#"{"contact_id":"{contact_id}"}"#),
    ("create_contact", r#"{"name":"Grace Hopper"}"#),
    ("update_contact", r#"{"contact_id":"{contact_id}","name":"Ada L."}"#),
    ("list_calls", r#"{"from":"2026-03-01","to":"2026-03-03"}"#),
    ("get_call", r#"{"call_id":"{call_id}"}"#),
    ("list_messages", r#"{"from":"2026-03-01","to":"2026-03-03"}"#),
    ("add_knowledge", r#"{"title":"Parking","content":"Behind the house."}"#),
];

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    let list = Ask::new("POST", "/mcp").json(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let listed = scene.send(list, Who::Own).await.body["result"]["tools"].clone();
    for tool in listed.as_array().unwrap() {
        wrong(scene, tool).await;
    }
}

pub(crate) async fn at_work(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    scene.play(include_str!("../scripts/assistants.txt")).await;
}

async fn wrong(scene: &mut Scene, described: &Value) {
    let name = described["name"].as_str().unwrap();
    let (_, good) = GOOD.iter().find(|(tool, _)| *tool == name).unwrap();
    let good: Value = serde_json::from_str(&scene.fill(good)).unwrap();
    let weak = scene.kept("hooks.key").unwrap().to_owned();
    scene.send(tool(name, &good.to_string()), Who::With(&weak)).await;
    for body in Schemas(json!({})).broken(&described["inputSchema"], &good) {
        // A text that is not JSON cannot be the arguments of a tool, so it is skipped.
        if serde_json::from_str::<Value>(&body).is_ok() {
            scene.send(tool(name, &body), Who::Own).await;
        }
    }
}
