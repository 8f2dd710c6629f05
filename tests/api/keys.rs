//! Tests of API keys and of `GET /me`.

use std::collections::HashSet;

use serde_json::json;

use crate::harness::{SCOPES, Server, ids};

#[tokio::test]
async fn me_describes_the_key_and_its_business() {
    let server = Server::open().await;
    let salon = server.salon().await;
    server.clock.advance(60);
    let body = json!({ "name": "till", "scopes": ["webhooks:manage", "calls:read"] });
    let key = salon.operator.post("/keys", &body).await.created();
    let me = salon.api.with_token(key["key"].as_str().unwrap()).get("/me").await.data();
    assert_eq!(
        me,
        json!({
            "api_key": {
                "id": key["id"],
                "name": "till",
                "prefix": key["prefix"],
                "scopes": me["api_key"]["scopes"],
                "created_at": "2026-03-02T06:01:00.000Z",
            },
            "business": { "id": salon.id, "name": "Salon Zoé" },
        })
    );
    let scopes: HashSet<_> =
        me["api_key"]["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
    assert_eq!(scopes, HashSet::from(["webhooks:manage", "calls:read"]));
}

#[tokio::test]
async fn me_works_with_any_single_scope() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for scope in SCOPES {
        let me = salon.key(&[scope]).await.get("/me").await.data();
        assert_eq!(me["api_key"]["scopes"], json!([scope]));
    }
}

#[tokio::test]
async fn a_key_has_the_form_of_the_specification_and_is_shown_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let (tag, rest) = salon.key.split_once('_').unwrap();
    let (prefix, secret) = rest.split_once('_').unwrap();
    assert_eq!((tag, prefix.len(), secret.len()), ("rcpt", 8, 32));
    assert!(format!("{prefix}{secret}").bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let listed = salon.operator.get("/keys").await;
    assert_eq!(listed.list()[0]["prefix"], format!("rcpt_{prefix}"));
    for path in ["/keys", "/audit", ""] {
        let shown = salon.operator.get(path).await;
        assert!(
            !String::from_utf8_lossy(&shown.bytes).contains(secret),
            "{path} shows the secret of the key"
        );
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_immediately_and_permanently() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let other = salon.key(&["business:read"]).await;
    let path = format!("/keys/{}", salon.key_id);
    salon.get("/me").await.is(200);
    server.clock.advance(5);
    salon.operator.delete(&path).await.is(204);
    salon.get("/me").await.fails(401, "unauthorized");
    salon.get("/business").await.fails(401, "unauthorized");
    other.get("/me").await.is(200);
    let revoked =
        salon.operator.get("/keys").await.list().into_iter().find(|key| key["id"] == salon.key_id).unwrap();
    assert_eq!(revoked["revoked_at"], "2026-03-02T06:00:05.000Z");
    server.clock.advance(5);
    salon.operator.delete(&path).await.is(204);
    let again =
        salon.operator.get("/keys").await.list().into_iter().find(|key| key["id"] == salon.key_id).unwrap();
    assert_eq!(again, revoked, "a second revocation must not change the time of the first");
    server.restart().await;
    salon.again(&server).get("/me").await.fails(401, "unauthorized");
}

#[tokio::test]
async fn a_key_works_after_a_restart_and_its_last_use_is_stored_to_the_minute() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let used = async |server: &Server| {
        let keys = server.operator_of(&salon.id).get("/keys").await.list();
        keys.into_iter().find(|key| key["id"] == salon.key_id).unwrap()["last_used_at"].clone()
    };
    assert!(used(&server).await.is_null());
    server.clock.set("2026-03-02T06:07:42.500Z");
    salon.get("/me").await.is(200);
    assert_eq!(used(&server).await, "2026-03-02T06:07:00.000Z");
    server.restart().await;
    assert_eq!(
        used(&server).await,
        "2026-03-02T06:07:00.000Z",
        "an orderly stop must store the last use of the key"
    );
    salon.again(&server).get("/me").await.is(200);
}

#[tokio::test]
async fn an_invalid_key_is_not_created() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (body, paths) in [
        (json!({}), &["name", "scopes"][..]),
        (json!({ "name": "", "scopes": ["calls:read"] }), &["name"]),
        (json!({ "name": "x", "scopes": [] }), &["scopes"]),
        (json!({ "name": "x", "scopes": "calls:read" }), &["scopes"]),
        (json!({ "name": "x", "scopes": ["calls:read", "calls:write"] }), &["scopes[1]"]),
        (json!({ "name": "x", "scopes": ["calls:read", "calls:read"] }), &["scopes[1]"]),
        (json!({ "name": "x", "scopes": ["calls:read"], "key": "mine" }), &["key"]),
    ] {
        salon.operator.post("/keys", &body).await.invalid_at(paths);
    }
    assert_eq!(salon.operator.all("/keys").await.len(), 1);
}

#[tokio::test]
async fn keys_are_listed_by_page_and_only_those_of_the_business() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    for _ in 0..4 {
        salon.key(&["calls:read"]).await;
    }
    let whole = ids(&salon.operator.all("/keys").await);
    assert_eq!(whole.len(), 5);
    for limit in 1..=5 {
        assert_eq!(ids(&salon.operator.walk("/keys", limit).await), whole);
    }
    assert_eq!(ids(&other.operator.all("/keys").await), std::slice::from_ref(&other.key_id));
    other.operator.delete(&format!("/keys/{}", salon.key_id)).await.fails(404, "not_found");
    salon.get("/me").await.is(200);
}
