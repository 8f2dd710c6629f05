//! The service mails a code to a caller, who proves their identity by saying the code. The process is killed after the
//! mail is sent and before the caller says the code. The code must still be valid.

use serde_json::{Value, json};

use crate::client::{Client, Shop, slot, text};
use crate::process::Server;
use crate::relay::{Relay, command};

/// Sends a turn of the caller. Returns the words of the receptionist in the response.
async fn said(client: &Client, path: &str, words: &str) -> String {
    let taken = client.operator("POST", path, Some(json!({ "text": words }))).await;
    let turns = taken["data"]["turns"].as_array().unwrap();
    let said = turns.iter().filter(|turn| turn["by"] == "receptionist").map(|turn| text(turn, "text"));
    said.collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mailed_code_is_valid_after_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let (data_dir, log) = (home.path().join("data"), home.path().join("data.log"));
    let relay = Relay::start().await;
    relay.open();
    let start = || Server::start(command(&data_dir, &relay), &log);
    let server = start();
    let client = Client::of(&server);
    let shop = Shop::create(&client, 1).await;
    let at = |path: &str| format!("/businesses/{}{path}", shop.id);
    let contact = json!({ "name": "Ada Lovelace", "phone": "+14155550100", "email": "ada@example.com" });
    let booking = json!({ "service_id": shop.service, "starts_at": slot(20), "contact": contact });
    let booked = client.operator("POST", &at("/appointments"), Some(booking)).await;
    let begin = json!({ "channel": "assistant", "from": "+14155550100", "locale": "en" });
    let begun = client.operator("POST", &at("/conversations"), Some(begin)).await;
    let turns = at(&format!("/conversations/{}/turns", text(&begun["data"], "id")));
    let sent = said(&client, &turns, "I want to cancel my appointment").await;
    assert!(sent.contains("a code is on its way"), "{sent}");
    relay.has_taken(1).await;
    let letter = relay.letters().pop().unwrap();
    assert_eq!(letter.to, "ada@example.com");
    server.kill();
    server.wait();

    let server = start();
    let client = Client::of(&server);
    // The mail may contain other groups of six digits, so the test looks for the words before the code.
    let code = letter.text.split("your code is ").nth(1).and_then(|rest| rest.get(..6)).unwrap();
    let read_back = said(&client, &turns, code).await;
    assert!(read_back.ends_with("Shall I cancel it?"), "{read_back}");
    assert!(said(&client, &turns, "yes").await.starts_with("Cancelled: Cut"));
    let path = at(&format!("/appointments/{}", text(&booked["data"], "id")));
    let cancelled: Value = client.operator("GET", &path, None).await;
    assert_eq!(cancelled["data"]["status"], "cancelled", "{cancelled}");
}
