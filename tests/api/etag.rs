//! Tests of the headers `ETag`, `If-None-Match` and `If-Match`.

use serde_json::json;

use crate::harness::Server;

const AT: &str = "2026-03-03T09:00:00Z";

#[tokio::test]
async fn if_none_match_with_the_current_etag_gets_304() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let one = format!("/appointments/{}", booked["id"].as_str().unwrap());
    for path in ["/me", "/business", &one] {
        let tag = salon.get(path).await.etag();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".into()] {
            let answer = salon.api.call("GET", path).header("if-none-match", &known).await;
            assert_eq!(answer.is(304).etag(), tag);
        }
        let twice =
            salon.api.call("GET", path).header("if-none-match", "\"x\"").header("if-none-match", &tag);
        twice.await.is(304);
        for other in ["\"x\"", "\"\"", &format!("\"x{}", &tag[1..])] {
            salon.api.call("GET", path).header("if-none-match", other).await.is(200);
        }
        for bad in ["x", "", "\"x", tag.trim_matches('"')] {
            let answer = salon.api.call("GET", path).header("if-none-match", bad).await;
            answer.invalid_at(&["If-None-Match"]);
        }
    }
}

#[tokio::test]
async fn a_resource_has_the_same_etag_in_every_response() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let answer = salon.try_book(&salon.cut, AT).await;
    let booked = answer.created();
    let path = format!("/appointments/{}", booked["id"].as_str().unwrap());
    assert_eq!(salon.get(&path).await.etag(), answer.etag());
    server.clock.advance(1);
    let cancelled = salon.cancel(&booked).await;
    assert_ne!(cancelled.etag(), answer.etag());
    assert_eq!(salon.get(&path).await.etag(), cancelled.etag());
    assert_ne!(salon.get("/me").await.etag(), salon.key(&["calls:read"]).await.get("/me").await.etag());
}

#[tokio::test]
async fn if_match_accepts_the_current_version_and_refuses_any_other_with_409() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let path = format!("/appointments/{}", booked["id"].as_str().unwrap());
    let first = salon.get(&path).await.etag();
    server.clock.advance(1);
    let send = |tag: &str, verb: &str, body: serde_json::Value| {
        salon.api.call("POST", &format!("{path}/{verb}")).json(&body).header("if-match", tag)
    };
    let moved = send(&first, "reschedule", json!({ "starts_at": "2026-03-03T10:00:00Z" })).await;
    let second = moved.is(200).etag();
    for stale in [first.clone(), "\"x\"".to_owned(), format!("W/{second}")] {
        send(&stale, "reschedule", json!({ "starts_at": AT })).await.fails(409, "conflict");
        send(&stale, "cancel", json!({})).await.fails(409, "conflict");
        assert_eq!(salon.show(&booked).await, moved.data());
    }
    let same_time = json!({ "starts_at": "2026-03-03T10:00:00Z" });
    send(&first, "reschedule", same_time.clone()).await.fails(409, "conflict");
    send(&format!("\"x\", {second}"), "reschedule", same_time).await.is(200);
    send("*", "cancel", json!({})).await.is(200);
    send(&second, "cancel", json!({})).await.fails(409, "conflict");
    for bad in ["x", "\"x", ""] {
        send(bad, "cancel", json!({})).await.invalid_at(&["If-Match"]);
    }
}

#[tokio::test]
async fn the_profile_is_changed_only_in_the_version_that_was_read() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let patch = |tag: &str, name: &str| {
        salon.api.call("PATCH", "/business").json(&json!({ "name": name })).header("if-match", tag)
    };
    let first = salon.get("/business").await.etag();
    server.clock.advance(1);
    let second = patch(&first, "One").await.is(200).etag();
    patch(&first, "Two").await.fails(409, "conflict");
    patch(&first, "One").await.fails(409, "conflict");
    assert_eq!(salon.get("/business").await.data()["name"], "One");
    patch(&second, "Two").await.is(200);
    patch("*", "Three").await.is(200);
    salon.api.call("PATCH", "/business").json(&json!({})).header("if-match", &first).await.invalid_at(&[""]);
}

#[tokio::test]
async fn of_two_conditional_changes_of_one_version_one_succeeds() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let tag = salon.get("/business").await.etag();
    let tasks: Vec<_> = (0..16)
        .map(|n| {
            let body = json!({ "name": format!("Number {n}") });
            let request = salon.api.call("PATCH", "/business").json(&body).header("if-match", &tag);
            tokio::spawn(async move { request.await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses[..2], [200, 409]);
    assert_eq!(statuses[15], 409);
}

#[tokio::test]
async fn tags_are_the_same_after_a_restart() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let paths = [
        "/me".to_owned(),
        "/business".to_owned(),
        format!("/appointments/{}", booked["id"].as_str().unwrap()),
    ];
    let mut tags = Vec::new();
    for path in &paths {
        tags.push(salon.get(path).await.etag());
    }
    server.restart().await;
    let salon = salon.again(&server);
    for (path, tag) in paths.iter().zip(&tags) {
        salon.api.call("GET", path).header("if-none-match", tag).await.is(304);
    }
    let cancel = salon.api.call("POST", &format!("{}/cancel", paths[2])).header("if-match", &tags[2]);
    cancel.await.is(200);
}

#[tokio::test]
async fn the_operator_api_supports_if_match() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (path, change) in [
        ("".to_owned(), json!({ "phone_region": "FR" })),
        (format!("/services/{}", salon.cut), json!({ "name": "Trim" })),
        (format!("/staff/{}", salon.ben), json!({ "name": "Benoît" })),
    ] {
        let stale = salon.operator.call("PATCH", &path).json(&change).header("if-match", "\"x\"").await;
        stale.fails(409, "conflict");
        let tag = salon.operator.patch(&path, &change).await.is(200).etag();
        salon.operator.call("PATCH", &path).json(&change).header("if-match", &tag).await.is(200);
    }
}
