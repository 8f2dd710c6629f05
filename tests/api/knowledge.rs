//! Tests of `POST /knowledge`.

use serde_json::{Value, json};

use crate::harness::{Server, merged, of_characters};

fn parking() -> Value {
    json!({ "title": "Parking", "content": "Behind the house." })
}

#[tokio::test]
async fn knowledge_is_added_with_all_properties_or_only_the_required_ones() {
    let server = Server::open().await;
    let salon = server.salon().await;
    server.clock.set("2026-03-02T07:00:00Z");
    let bare = salon.api.post("/knowledge", &parking()).await.created();
    assert_eq!((&bare["source_url"], &bare["locale"]), (&Value::Null, &Value::Null));
    assert_eq!(bare["created_at"], "2026-03-02T07:00:00.000Z");
    assert_eq!(bare["updated_at"], bare["created_at"]);
    let more =
        json!({ "source_url": "https://example.com/parking", "locale": "fr", "title": "é".repeat(200) });
    let body = merged(parking(), more);
    let whole = salon.api.post("/knowledge", &body).await.created();
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(whole[name], *value, "{name}");
    }
    assert_ne!(whole["id"], bare["id"]);
}

#[tokio::test]
async fn every_property_has_its_rule() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (more, paths) in [
        (json!({ "title": "" }), &["title"][..]),
        (json!({ "title": " \t\n\u{a0}\u{3000}" }), &["title"]),
        (json!({ "title": "é".repeat(201) }), &["title"]),
        (json!({ "title": null }), &["title"]),
        (json!({ "content": "" }), &["content"]),
        (json!({ "content": "a\0" }), &["content"]),
        (json!({ "content": 5 }), &["content"]),
        (json!({ "source_url": "example.com" }), &["source_url"]),
        (json!({ "source_url": "" }), &["source_url"]),
        (json!({ "locale": "de" }), &["locale"]),
        (json!({ "id": salon.id }), &["id"]),
        (
            json!({ "title": "", "content": "", "source_url": "", "locale": "" }),
            &["title", "content", "source_url", "locale"],
        ),
    ] {
        salon.api.post("/knowledge", &merged(parking(), more)).await.invalid_at(paths);
    }
    salon.api.post("/knowledge", &json!({})).await.invalid_at(&["title", "content"]);
    salon.get("/knowledge").await.fails(405, "method_not_allowed");
}

#[tokio::test]
async fn fifty_thousand_characters_are_stored_and_replayed_byte_for_byte() {
    let mut server = Server::open().await;
    let mut salon = server.salon().await;
    let mut kept = Vec::new();
    for (at, content) in of_characters(50_000).into_iter().enumerate() {
        let body = merged(parking(), json!({ "content": content }));
        let key = format!("k{at}");
        let send = async || salon.api.call("POST", "/knowledge").json(&body).once(&key).await;
        let first = send().await;
        assert!(first.created()["content"] == *content, "{at}");
        let again = send().await;
        assert_eq!(again.is(201).header("idempotent-replayed"), "true");
        assert!(again.bytes == first.bytes, "{at}");
        let longer = merged(parking(), json!({ "content": format!("{content}x") }));
        salon.api.post("/knowledge", &longer).await.invalid_at(&["content"]);
        salon.api.call("POST", "/knowledge").json(&longer).once(&key).await.fails(400, "invalid_request");
        kept.push((key, body, first));
    }
    server.restart().await;
    salon = salon.again(&server);
    for (key, body, first) in kept {
        let again = salon.api.call("POST", "/knowledge").json(&body).once(&key).await;
        assert_eq!(again.is(201).header("idempotent-replayed"), "true");
        assert!(again.bytes == first.bytes, "{key} after a restart");
    }
}

#[tokio::test]
async fn a_body_may_escape_its_text_and_is_still_the_same_request() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let send = async |body: &'static str| salon.api.call("POST", "/knowledge").bytes(body).once("k").await;
    let first = send(r#"{"title":"Zoë","content":"👍🏽 e\u0301\n"}"#).await;
    assert_eq!(first.created()["content"], "👍🏽 e\u{301}\n");
    let escaped = r#" { "content" : "\ud83d\udc4d\ud83c\udffd e\u0301\u000a", "title": "Zo\u00eb" } "#;
    let again = send(escaped).await;
    assert_eq!((again.is(201).header("idempotent-replayed"), &again.bytes), ("true", &first.bytes));
    let composed = r#"{"title":"Zoë","content":"👍🏽 é\n"}"#;
    send(composed).await.fails(422, "idempotency_key_reused");
    for lone in [r#"{"title":"a","content":"\ud83d"}"#, r#"{"title":"a","content":"\udc4d\ud83d"}"#] {
        salon.api.call("POST", "/knowledge").bytes(lone).await.fails(400, "invalid_request");
    }
}
